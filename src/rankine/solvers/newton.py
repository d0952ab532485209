"""Newton's method with the Hessian itself: few passes over the rows, whatever the data, while features are few.

Each step solves ∇²F(w) d = −∇F(w) by Cholesky's factor and goes to w + d. Every step reads the rows once for the
gradient and works n_features² / 2 times for each row on the Hessian. That may be summed in single precision, which is
faster, as long as it serves: a rough Hessian changes the way, never the goal.
"""

from __future__ import annotations

from typing import Protocol

from rankine.data import Vector
from rankine.objectives import Matrix, Objective
from rankine.solvers.cholesky import Cholesky, NotPositiveDefinite
from rankine.solvers.descent import Descent
from rankine.solvers.solution import Solution, Watch

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
) -> Solution:
    """Minimise a smooth objective of at most 5,000 weights.

    Parameters
    ----------
    objective
        The function; its `strong_convexity` must be positive.
    start
        The weights to start from, zeros if None.
    tol
        Stop when ‖∇F(w)‖ ≤ tol · ‖∇F(0)‖.
    max_iter
        Stop after this many Newton steps in any case; three to five are usual, twenty are rare.
    single
        Whether Hessians may be summed in single precision while that serves.
    watch
        Told about every step; a true answer stops.
    """
    check_size(objective)
    descent = Descent(objective, start, tol=tol, max_iter=max_iter, watch=watch)
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
        factor, single = factored(descent.point, single)
        moved = descent.step(-factor.solve(descent.gradient))
        if not moved and not single:
            descent.stuck()
        # A step that hardly helps may be the fault of rough sums.
        single = single and moved > 0 and descent.size <= 0.5 * before


class Curved(Protocol):
    """What has a Hessian, such as a point."""

    def hessian(self, *, single: bool = False) -> Matrix:
        """The Hessian as a matrix."""
        ...


def factored(point: Curved, single: bool) -> tuple[Cholesky, bool]:
    """The factor of a point's Hessian, and whether sums in single precision sufficed for it."""
    if single:
        try:
            return Cholesky(point.hessian(single=True), _SINGLE), True
        except (NotPositiveDefinite, OverflowError):
            pass
    hessian = point.hessian()
    ridge = 0.0
    while True:
        try:
            return Cholesky(hessian, _DOUBLE, ridge), False
        except NotPositiveDefinite:
            # The penalty drowns in the loss: a ridge at the size of the rounding errors stands in for it.
            ridge = max(100.0 * ridge, 10.0 * len(hessian) * _DOUBLE)
