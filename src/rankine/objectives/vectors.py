"""Inner products of weights that do not depend on how many threads BLAS uses."""

from __future__ import annotations

import numpy as np

from rankine.data import Vector


def dot(a: Vector, b: Vector) -> float:
    """Σ a_j b_j, by NumPy's pairwise summation: BLAS splits long vectors over its threads, and the digits follow."""
    return float(np.add.reduce(a * b))


def norm(a: Vector) -> float:
    """√(Σ a_j²), without overflow for huge entries."""
    largest = float(np.abs(a).max(initial=0.0))
    if largest == 0.0 or not np.isfinite(largest):
        return largest
    return largest * float(np.sqrt(dot(a / largest, a / largest)))
