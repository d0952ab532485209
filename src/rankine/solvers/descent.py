"""What all descents share: where they stand, when they stop, what they certify, and how a step is taken.

A descent stops on ‖∇F(w)‖ ≤ tol · ‖∇F(0)‖, LIBLINEAR's rule. With strong convexity μ the certificate
F(w) − min F ≤ ‖∇F(w)‖² / 2μ comes for free. A step is tried as it is, at the price of one pass over the rows; only
where it does not decrease F enough, an exact line search on the restriction φ(t) = F(w + t d) shortens it.
"""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np

from rankine.data import Vector
from rankine.objectives import Objective, Point
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
        The weights to start from, zeros if None.
    tol
        Stop when ‖∇F(w)‖ ≤ tol · ‖∇F(0)‖.
    max_iter
        Stop after this many steps in any case.
    watch
        Told about every step; a true answer stops.
    """

    def __init__(
        self, objective: Objective, start: Vector | None, *, tol: float, max_iter: int, watch: Watch | None
    ) -> None:
        if not objective.strong_convexity > 0:
            raise ValueError("this solver needs a strongly convex objective: add an L2 penalty")
        self.objective, self.tol, self.max_iter, self.watch = objective, tol, max_iter, watch
        self.n_iter = 0
        self.converged = False
        self.message = ""
        self._told = -1
        w = np.zeros(objective.n_features) if start is None else np.array(start, np.float64)
        self._stand(w, objective.at(w))
        self.reference = norm(objective.at(np.zeros_like(w)).gradient) if w.any() else self.size
        self.target = tol * self.reference

    def _stand(self, w: Vector, point: Point) -> None:
        self.w, self.point, self.gradient = w, checked(point), point.gradient
        self.size = norm(self.gradient)

    @property
    def gap(self) -> float:
        """A bound on F(w) − min F; no objective here is negative."""
        return min(self.size * self.size / (2.0 * self.objective.strong_convexity), self.point.value)

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
            self.message = f"the gradient fell to {self.tol:g} of its size at zero weights"
        elif not self.message and self.n_iter >= self.max_iter:
            self.out_of_steps()
        return not self.message

    def step(self, direction: Vector) -> float:
        """Go along a direction, as far as it says or else as far as is best; returns how far, 0 for not at all."""
        slope = dot(self.gradient, direction)
        if not (math.isfinite(slope) and slope < 0):
            return 0.0
        t, there = 1.0, self.objective.at(self.w + direction)
        if not self._enough(there, direction, slope):
            t = least_point(self.point.along(direction))
            there = self.objective.at(self.w + t * direction)
        return t if self.move(self.w + t * direction, there) else 0.0

    def move(self, w: Vector, point: Point) -> bool:
        """Go to a point, unless it is no better; where rounding hides the change of F, its gradient must fall."""
        lower = point.value < self.point.value
        hidden = point.value <= self.point.value * (1 + ROUNDING) and norm(point.gradient) < self.size
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
