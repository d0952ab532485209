"""Truncated Newton: conjugate gradients with a diagonal preconditioner, for many features.

Each step solves ∇²F(w) d = −∇F(w) until a tenth of the gradient is left, which is as far as it pays: in the Euclidean
norm, because the preconditioner's own would ask for features that hardly occur (on click rates, six times the
products). The preconditioner is the point's stand-in for the diagonal
of the Hessian, 1 + C Σ curvature_i x_ij² for pairs: on features of unequal frequency it saves 50 times the products.
In a box, d is looked for among those with w + d in the box (`quadratic.py`), until a tenth of the projected gradient is
left.
"""

from __future__ import annotations

import numpy as np

from rankine.data import Vector
from rankine.objectives import Box, Objective
from rankine.solvers.descent import Descent
from rankine.solvers.quadratic import least_by_products
from rankine.solvers.solution import Solution, Watch


def cg(
    objective: Objective,
    start: Vector | None = None,
    *,
    tol: float = 1e-3,
    max_iter: int = 100,
    watch: Watch | None = None,
    box: Box | None = None,
    origin: Vector | None = None,
) -> Solution:
    """Minimise a smooth objective of any number of weights.

    Parameters
    ----------
    objective
        The function; its `strong_convexity` must be positive.
    start
        The weights to start from, the origin if None.
    tol
        Stop when the (projected) gradient is at most tol times that at the origin.
    max_iter
        Stop after this many Newton steps in any case. Each takes some conjugate gradient iterations.
    watch
        Told about every Newton step; a true answer stops.
    box
        Where the weights may be, anywhere if None.
    origin
        The weights that the stopping rule is measured at, zeros if None.
    """
    descent = Descent(objective, start, tol=tol, max_iter=max_iter, watch=watch, box=box, origin=origin)
    while descent.going():
        if not descent.step(_direction(descent)):
            descent.stuck()
    return descent.solution("cg")


def _direction(descent: Descent) -> Vector:
    """Conjugate gradients on ∇²F d = −∇F until a tenth of the residual is left."""
    diagonal = descent.point.diagonal()
    if not np.isfinite(diagonal).all():
        raise OverflowError("the curvature of the objective overflows: scale the features (scale='std')")
    room, most = descent.box.seen_from(descent.w), max(100, min(2 * len(diagonal), 1000))
    return least_by_products(descent.point.hessian_product, descent.gradient, room, 1.0 / diagonal, 0.1, most)
