"""What all descents share: where they stand, when they stop, what they certify, and how a step is taken.

A descent stops on ‖g(w)‖ ≤ tol · ‖g(0)‖, LIBLINEAR's rule. Without bounds g is the gradient; in a box it is the
projected gradient, zero for each weight that a bound keeps from going down, and 0 is the point of the box nearest to
zero, or to another origin. With strong convexity μ the certificate

    F(w) − min F ≤ −Σ_j min { ∇_j F(w) d + ½ μ_j d² : lower_j ≤ w_j + d ≤ upper_j },

‖∇F(w)‖² / 2μ without bounds, comes for free: the right side is minus the least value of a function below F − F(w). A
step is tried as it is, at the price of one pass over the rows; only where it does not decrease F enough, an exact line
search on the restriction φ(t) = F(w + t d) shortens it.
"""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np

from rankine.data import Vector
from rankine.objectives import Box, Objective, Point
from rankine.objectives.vectors import dot, norm
from rankine.solvers.line_search import least_point
from rankine.solvers.solution import Progress, Solution, Watch

AnyPoint = TypeVar("AnyPoint", bound=Point)

# A change of F below this share of F is rounding.
ROUNDING = 1e-14


class Descent:
    """A walk that never goes up.

    Parameters
    ----------
    objective
        The function; its `strong_convexity` must be positive.
    start
        The weights to start from, the origin if None; the point of the box nearest to them.
    tol
        Stop when ‖g(w)‖ ≤ tol · ‖g(origin)‖.
    max_iter
        Stop after this many steps in any case.
    watch
        Told about every step; a true answer stops.
    box
        Where the weights may be, anywhere if None.
    origin
        The weights that the stopping rule is measured at, zeros if None; the point of the box nearest to them.
    """

    def __init__(
        self,
        objective: Objective,
        start: Vector | None,
        *,
        tol: float,
        max_iter: int,
        watch: Watch | None,
        box: Box | None = None,
        origin: Vector | None = None,
    ) -> None:
        if not np.all(np.asarray(objective.strong_convexity) > 0):
            raise ValueError("this solver needs a strongly convex objective: add an L2 penalty")
        self.objective, self.tol, self.max_iter, self.watch = objective, tol, max_iter, watch
        self.n_iter = 0
        self.converged = False
        self.message = ""
        self._told = -1
        self.box = Box.everywhere(objective.n_features) if box is None else box
        named = "zero" if origin is None else "the prior"
        origin = np.zeros(objective.n_features) if origin is None else origin
        first = self.box.nearest(origin)
        w = first if start is None else self.box.nearest(start)
        self._stand(w, objective.at(w))
        self.reference = self.size if np.array_equal(w, first) else self._size(first, objective.at(first).gradient)
        self.target = tol * self.reference
        if np.array_equal(first, origin):
            self._first = "zero weights" if named == "zero" else named
        else:
            self._first = f"the allowed weights nearest to {named}"

    def _size(self, w: Vector, gradient: Vector) -> float:
        """How large the projected gradient is."""
        return norm(np.where(self.box.free(w, gradient), gradient, 0.0) if self.box.bounded else gradient)

    def _stand(self, w: Vector, point: Point) -> None:
        self.w, self.point, self.gradient = w, checked(point), point.gradient
        self.size = self._size(w, self.gradient)

    @property
    def gap(self) -> float:
        """A bound on F(w) − min F; no objective here is negative."""
        with np.errstate(over="ignore", invalid="ignore"):
            bound = 0.0 - self.box.seen_from(self.w).least(self.objective.strong_convexity, self.gradient)
        return min(bound, self.point.value) if bound >= 0 else self.point.value  # where squares overflow

    def going(self) -> bool:
        """Tell the watch of a new step, then whether to go on. To be asked before every step."""
        if self.message:
            return False
        if self.watch is not None and self._told < self.n_iter:
            self._told = self.n_iter
            criterion = self.size / self.target if self.target > 0 else (math.inf if self.size > 0 else 0.0)
            stop = self.watch(Progress(self.n_iter, self.point.value, self.gap, criterion))
            if stop and self.size > self.target:
                self.message = "stopped by the caller before the tolerance was reached"
        if self.size <= self.target:
            self.converged = True
            which = "projected gradient" if self.box.bounded else "gradient"
            self.message = f"the {which} fell to {self.tol:g} of its size at {self._first}"
        elif not self.message and self.n_iter >= self.max_iter:
            self.out_of_steps()
        return not self.message

    def step(self, direction: Vector) -> float:
        """Go along a direction, as far as it says or else as far as is best; returns how far, 0 for not at all.

        Where there are bounds, w + direction must be in the box, and no step goes beyond it.
        """
        slope = dot(self.gradient, direction)
        if not (math.isfinite(slope) and slope < 0):
            return 0.0
        t, w = 1.0, self.box.placed(self.w + direction, direction, self.box.seen_from(self.w))
        there = self.objective.at(w)
        if not self._enough(there, direction, slope):
            t = least_point(self.point.along(direction), most=1.0 if self.box.bounded else math.inf)
            if t != 1.0:
                w = self.box.nearest(self.w + t * direction)
                there = self.objective.at(w)
        return t if self.move(w, there) else 0.0

    def move(self, w: Vector, point: Point) -> bool:
        """Go to a point, unless it is no better; where rounding hides the change of F, its gradient must fall."""
        lower = point.value < self.point.value
        hidden = point.value <= self.point.value * (1 + ROUNDING) and self._size(w, point.gradient) < self.size
        if not (lower or hidden):
            return False
        self._stand(w, point)
        self.n_iter += 1
        return True

    def out_of_steps(self) -> None:
        """End here: max_iter steps are done."""
        self.message = f"stopped after max_iter = {self.max_iter} steps before the tolerance was reached"

    def stuck(self) -> None:
        """End here: not even the best direction leads down."""
        self.message = "stopped at the limit of rounding: no step decreases the objective"

    def solution(self, solver: str) -> Solution:
        """Where the descent stands now."""
        return Solution(self.w, self.point.value, self.gap, self.n_iter, self.converged, self.message, solver)

    def _enough(self, there: Point, step: Vector, slope: float) -> bool:
        """Armijo's rule, or its form in slopes where rounding hides the decrease."""
        if there.value <= self.point.value + 1e-4 * slope:
            return True
        rounding = abs(there.value - self.point.value) <= ROUNDING * abs(self.point.value)
        return rounding and abs(dot(there.gradient, step)) <= 0.9 * -slope


def checked(point: AnyPoint) -> AnyPoint:
    """A point, if its value and gradient are finite; an `OverflowError` else."""
    with np.errstate(over="ignore", invalid="ignore"):
        finite = math.isfinite(point.value) and math.isfinite(norm(point.gradient))
    if not finite:
        raise OverflowError("the objective overflows: scale the features (scale='std')")
    return point
