"""Newton's method with the Hessian itself: few passes over the rows, whatever the data, while features are few.

Each step solves ∇²F(w) d = −∇F(w) by Cholesky's factor and goes to w + d; in a box, d is the least point of the same
quadratic model among all d with w + d in the box (`quadratic.py`). Every step reads the rows once for the
gradient and works n_features² / 2 times for each row on the Hessian. That may be summed in single precision, which is
faster, as long as it serves: a rough Hessian changes the way, never the goal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from rankine.data import Vector
from rankine.objectives import Box, Matrix, Objective, Point
from rankine.solvers.cholesky import Cholesky, NotPositiveDefinite
from rankine.solvers.descent import Descent
from rankine.solvers.quadratic import least_by_factors
from rankine.solvers.solution import Solution, Watch

T = TypeVar("T")

# Above this many features the Hessian's factor takes longer than patience lasts.
MOST_FEATURES = 5000
_SINGLE, _DOUBLE = 6e-8, 1.1e-16


def newton(
    objective: Objective,
    start: Vector | None = None,
    *,
    tol: float = 1e-3,
    max_iter: int = 100,
    single: bool = False,
    watch: Watch | None = None,
    box: Box | None = None,
    origin: Vector | None = None,
) -> Solution:
    """Minimise a smooth objective of at most 5,000 weights.

    Parameters
    ----------
    objective
        The function; its `strong_convexity` must be positive.
    start
        The weights to start from, the origin if None.
    tol
        Stop when the (projected) gradient is at most tol times that at the origin.
    max_iter
        Stop after this many Newton steps in any case; three to five are usual, twenty are rare.
    single
        Whether Hessians may be summed in single precision while that serves.
    watch
        Told about every step; a true answer stops.
    box
        Where the weights may be, anywhere if None.
    origin
        The weights that the stopping rule is measured at, zeros if None.
    """
    check_size(objective)
    descent = Descent(objective, start, tol=tol, max_iter=max_iter, watch=watch, box=box, origin=origin)
    newton_steps(descent, single)
    return descent.solution("newton")


def check_size(objective: Objective) -> None:
    """Raise a `ValueError` where a Hessian would be too large to be factored."""
    n = objective.n_features
    if n > MOST_FEATURES:
        raise ValueError(
            f"an explicit Hessian of {n:,} features would have {n * n:,} entries; "
            f"above {MOST_FEATURES:,} features use solver='cg'"
        )


def newton_steps(descent: Descent, single: bool) -> None:
    """Go on with Newton steps until the descent ends."""
    while descent.going():
        before = descent.size
        direction, single = newton_direction(descent.point, descent.gradient, descent.w, descent.box, single=single)
        moved = descent.step(direction)
        if not moved and not single:
            descent.stuck()
        # A step that hardly helps may be the fault of rough sums.
        single = single and moved > 0 and descent.size <= 0.5 * before


def newton_direction(
    point: Point, gradient: Vector, w: Vector, box: Box, *, single: bool = False
) -> tuple[Vector, bool]:
    """The d with the least gradient·d + ½ d·∇²F(w) d and w + d in the box, and whether `single` sums sufficed for it.

    Parameters
    ----------
    point
        The objective at w.
    gradient
        Its gradient there.
    w
        The weights, in the box.
    box
        Where w + d may be.
    single
        Whether the Hessian may be summed in single precision.
    """
    room = box.seen_from(w)
    return _with_hessian(
        point, single, lambda hessian, rounding, ridge: least_by_factors(hessian, gradient, room, rounding, ridge)
    )


class Curved(Protocol):
    """What has a Hessian, such as a point."""

    def hessian(self, *, single: bool = False) -> Matrix:
        """The Hessian as a matrix."""
        ...


def factored(point: Curved, single: bool) -> tuple[Cholesky, bool]:
    """The factor of a point's Hessian, and whether sums in single precision sufficed for it."""
    return _with_hessian(point, single, Cholesky)


def _with_hessian(point: Curved, single: bool, use: Callable[[Matrix, float, float], T]) -> tuple[T, bool]:
    """What `use` makes of a Hessian, its rounding and a ridge, and whether sums in single precision sufficed."""
    if single:
        try:
            return use(point.hessian(single=True), _SINGLE, 0.0), True
        except (NotPositiveDefinite, OverflowError):
            pass
    hessian = point.hessian()
    ridge = 0.0
    while True:
        try:
            return use(hessian, _DOUBLE, ridge), False
        except NotPositiveDefinite:
            # The penalty drowns in the loss: a ridge at the size of the rounding errors stands in for it.
            ridge = max(100.0 * ridge, 10.0 * len(hessian) * _DOUBLE)
