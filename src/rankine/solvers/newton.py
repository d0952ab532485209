"""Truncated Newton for smooth, strongly convex objectives (Lin & Moré; Tree-TRON uses the same ingredients).

Each step solves ∇²F(w) d = −∇F(w) by conjugate gradients preconditioned with a diagonal, only as far as it pays, then
tries w + d. Where the unit step does not decrease F enough, an exact line search on the restriction φ(t) = F(w + t d)
does, without reading the rows again. Stops on ‖∇F(w)‖ ≤ tol · ‖∇F(0)‖, LIBLINEAR's rule. With strong convexity μ the
certificate F(w) − min F ≤ ‖∇F(w)‖² / 2μ comes for free.
"""

from __future__ import annotations

import math

import numpy as np

from rankine.data import Vector
from rankine.objectives import Objective, Point, Restriction
from rankine.objectives.vectors import dot, norm
from rankine.solvers.solution import Progress, Solution, Watch

# A change of F below this share of F is rounding.
_ROUNDING = 1e-14


def newton(
    objective: Objective,
    start: Vector | None = None,
    *,
    tol: float = 1e-3,
    max_iter: int = 100,
    watch: Watch | None = None,
) -> Solution:
    """Minimise a smooth objective.

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
    convexity = objective.strong_convexity
    if not convexity > 0:
        raise ValueError("newton needs a strongly convex objective: add an L2 penalty")
    w = np.zeros(objective.n_features) if start is None else np.array(start, np.float64)
    point = objective.at(w)
    gradient = point.gradient
    reference = norm(gradient) if not w.any() else norm(objective.at(np.zeros_like(w)).gradient)
    target = tol * reference

    def gap() -> float:
        size = norm(gradient)
        return min(size * size / (2.0 * convexity), point.value)  # no objective here is negative

    def solution(n_iter: int, converged: bool, message: str) -> Solution:
        return Solution(w, point.value, gap(), n_iter, converged, message)

    for n_iter in range(max_iter + 1):
        size = norm(gradient)
        if watch is not None:
            criterion = size / target if target > 0 else (math.inf if size > 0 else 0.0)
            if watch(Progress(n_iter, point.value, gap(), criterion)) and size > target:
                return solution(n_iter, False, "stopped by the caller before the tolerance was reached")
        if size <= target:
            return solution(n_iter, True, f"the gradient fell to {tol:g} of its size at zero weights")
        if n_iter == max_iter:
            break
        step = _direction(point, gradient, min(0.1, math.sqrt(size / reference)) if reference > 0 else 0.1)
        descent = dot(gradient, step)
        following = objective.at(w + step)
        t = 1.0
        if not _accept(point, following, step, descent):
            t = _line_search(point.along(step))
            following = objective.at(w + t * step)
        # Where rounding hides the change of the objective, its gradient must still fall.
        lower = following.value < point.value
        hidden = following.value <= point.value * (1 + _ROUNDING) and norm(following.gradient) < size
        if not (lower or hidden):
            return solution(n_iter, False, "stopped at the limit of rounding: no step decreases the objective")
        w, point, gradient = w + t * step, following, following.gradient
    return solution(max_iter, False, f"stopped after max_iter = {max_iter} steps before the tolerance was reached")


def _direction(point: Point, gradient: Vector, forcing: float) -> Vector:
    """Conjugate gradients on ∇²F d = −∇F until the residual, in the preconditioner's norm, fell by `forcing`."""
    diagonal = point.diagonal()
    if not np.isfinite(diagonal).all():
        raise OverflowError("the curvature of the objective overflows: scale the features (scale='std')")
    inverse = 1.0 / diagonal
    step = np.zeros_like(gradient)
    residual = -gradient
    preconditioned = inverse * residual
    direction = preconditioned
    size = first = dot(residual, preconditioned)
    for _ in range(max(100, min(2 * len(gradient), 1000))):
        product = point.hessian_product(direction)
        curvature = dot(direction, product)
        if not curvature > 0:
            break
        length = size / curvature
        step = step + length * direction
        residual = residual - length * product
        preconditioned = inverse * residual
        before, size = size, dot(residual, preconditioned)
        if size <= forcing**2 * first:
            break
        direction = preconditioned + (size / before) * direction
    return step


def _accept(point: Point, following: Point, step: Vector, descent: float) -> bool:
    """Whether the unit step is good: Armijo's rule, or its form in slopes where rounding hides the decrease."""
    if following.value <= point.value + 1e-4 * descent:
        return True
    rounding = abs(following.value - point.value) <= _ROUNDING * abs(point.value)
    return rounding and abs(dot(following.gradient, step)) <= 0.9 * -descent


def _line_search(phi: Restriction, relative: float = 1e-3) -> float:
    """The least point of a convex φ with φ′(0) < 0: Newton on φ′, kept inside a bracket; the tolerance is relative."""
    start = phi(0.0)
    below, above, t = 0.0, math.inf, 1.0
    for _ in range(60):
        here = phi(t)
        if abs(here.slope) <= relative * abs(start.slope):
            return t
        if here.slope < 0:
            below = t
        else:
            above = t
        t = t - here.slope / here.curvature if here.curvature > 0 else math.inf
        if not below < t < above:
            t = 0.5 * (below + above) if above < math.inf else 2.0 * below
    return below
