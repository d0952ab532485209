"""Truncated Newton: conjugate gradients, with a diagonal preconditioner where it helps, for many features.

Each step solves ∇²F(w) d = −∇F(w) until a tenth of the gradient is left, or more where the last step met the model
badly (Eisenstat and Walker's first choice): in the Euclidean norm, because the preconditioner's own would ask for
features that hardly occur. In a box, d is looked for among those with w + d in the box (`quadratic.py`), and it is the
projected gradient that counts.

The preconditioner is the point's stand-in for the diagonal of the Hessian, for pairs 1 + C Σ curvature_i x_ij². With
features of unequal frequency, on click rates, it saves most of the products; on nearly separable texts it takes many
times as many. So the first system that is not solved at once is begun with and without, and the better goes on, and
does the systems after it.
"""

from __future__ import annotations

import numpy as np

from rankine.data import Vector
from rankine.objectives import Box, Objective, Point
from rankine.solvers.descent import Descent
from rankine.solvers.quadratic import ByProducts
from rankine.solvers.solution import Solution, Watch

# Each system is solved until this share of the gradient is left.
_LEAST_SHARE, _MOST_SHARE = 0.1, 0.2
# A system that takes more products than this is worth a look at the preconditioner, and how long both are tried then.
_TRIAL, _CONTEST = 6, 32


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
    directions = Directions()
    while descent.going():
        before = descent.size
        step, left = directions.find(descent.point, descent.gradient, descent.box.seen_from(descent.w))
        if not descent.step(step):
            descent.stuck()
        directions.share = min(max(abs(descent.size - left) / before, _LEAST_SHARE), _MOST_SHARE)
    return descent.solution("cg")


class Directions:
    """Newton's directions, one after the other: what helped one helps the next.

    Parameters
    ----------
    share
        A system is solved until this share of the gradient is left.
    """

    def __init__(self, share: float = _LEAST_SHARE) -> None:
        self.share = share
        self.preconditioned: bool | None = None  # not known yet

    def find(self, point: Point, gradient: Vector, room: Box) -> tuple[Vector, float]:
        """The direction at a point, and the norm of what it leaves of the gradient.

        Parameters
        ----------
        point, gradient
            The objective at some weights.
        room
            Where the direction may lead.
        """
        most = max(100, min(2 * len(gradient), 1000))
        plain = ByProducts(point.hessian_product, gradient, room)
        target = self.share * plain.left
        if self.preconditioned is None and plain.go(_TRIAL, target):
            return plain.d, plain.left
        best = plain
        if self.preconditioned is not False:
            best = ByProducts(point.hessian_product, gradient, room, _inverse(point))
            if self.preconditioned is None:
                if not best.go(_TRIAL, target):
                    plain.go(_CONTEST, target)
                    best.go(_CONTEST, target)
                self.preconditioned = best.left < plain.left
                best = best if self.preconditioned else plain
        best.go(most, target)
        return best.d, best.left


def _inverse(point: Point) -> Vector:
    diagonal = point.diagonal()
    if not np.isfinite(diagonal).all():
        raise OverflowError("the curvature of the objective overflows: scale the features (scale='std')")
    return 1.0 / diagonal
