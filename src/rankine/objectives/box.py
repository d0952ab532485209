"""A box of weights, lower ≤ w ≤ upper: signs, bounds and fixed weights. A side without a bound is infinite."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankine.data import Vector


@dataclass(frozen=True, eq=False)
class Box:
    """All w with lower ≤ w ≤ upper.

    Parameters
    ----------
    lower, upper
        The bounds of each weight: -inf and inf where there is none, both the same where the weight is fixed.
    """

    lower: Vector
    upper: Vector

    @classmethod
    def everywhere(cls, n_features: int) -> Box:
        """The box without bounds."""
        return cls(np.full(n_features, -np.inf), np.full(n_features, np.inf))

    @cached_property
    def bounded(self) -> bool:
        """Whether there is any bound."""
        return bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    def nearest(self, w: Vector) -> Vector:
        """The point of the box that is nearest to w."""
        return np.clip(w, self.lower, self.upper)

    def seen_from(self, w: Vector) -> Box:
        """All d with w + d in this box."""
        return Box(self.lower - w, self.upper - w)

    def rescaled(self, factor: Vector) -> Box:
        """All v with factor · v in this box, for positive factors."""
        return Box(self.lower / factor, self.upper / factor)

    def placed(self, w: Vector, image: Vector, of: Box) -> Vector:
        """The point of this box near w that is on a bound wherever its image is on the same bound of another box.

        Sums and products are rounded: without this, a weight that is led to its bound would end beside it.
        """
        w = np.where(image == of.lower, self.lower, np.where(image == of.upper, self.upper, w))
        return self.nearest(w)

    def free(self, w: Vector, gradient: Vector) -> NDArray[np.bool_]:
        """Which weights can move against the gradient: all but those that a bound holds."""
        held: NDArray[np.bool_] = ((w <= self.lower) & (gradient >= 0)) | ((w >= self.upper) & (gradient <= 0))
        return ~held

    def least(self, curvature: float | Vector, slope: Vector) -> float:
        """The minimum of Σ ½ curvature_j w_j² + slope_j w_j over the box, for positive curvatures."""
        w = self.nearest(-slope / curvature)
        return float(np.add.reduce(w * (0.5 * curvature * w + slope)))
