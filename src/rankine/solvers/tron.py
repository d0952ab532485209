"""The trust region Newton method of LIBLINEAR and Tree-TRON (Lin & Moré, 1999; Lin, Weng & Keerthi, 2008).

Plain conjugate gradients, without a preconditioner, solve ∇²F(w) d = −∇F(w) to a tenth of the gradient or to the edge
of a ball; the ball grows and shrinks with how well the quadratic model foretold the decrease. It is here to compare
with: `cg` does the same with far fewer products.
"""

from __future__ import annotations

import math

import numpy as np

from rankine.data import Vector
from rankine.objectives import Objective, Point
from rankine.objectives.vectors import dot, norm
from rankine.solvers.descent import ROUNDING, Descent
from rankine.solvers.solution import Solution, Watch


def tron(
    objective: Objective,
    start: Vector | None = None,
    *,
    tol: float = 1e-3,
    max_iter: int = 100,
    watch: Watch | None = None,
    origin: Vector | None = None,
) -> Solution:
    """Minimise a smooth objective as the paper of Tree-TRON does.

    Parameters
    ----------
    objective
        The function; its `strong_convexity` must be positive.
    start
        The weights to start from, the origin if None.
    tol
        Stop when the gradient is at most tol times that at the origin.
    max_iter
        Stop after this many trials of a step in any case, those that were taken back included.
    watch
        Told about every step; a true answer stops.
    origin
        The weights that the stopping rule is measured at, zeros if None.
    """
    descent = Descent(objective, start, tol=tol, max_iter=max_iter, watch=watch, origin=origin)
    radius = descent.size
    refused = 0
    while descent.going():
        if descent.n_iter + refused >= max_iter:
            descent.out_of_steps()
            break
        step, foretold, at_edge = _direction(descent.point, descent.gradient, radius)
        slope, length = dot(descent.gradient, step), norm(step)
        there = objective.at(descent.w + step)
        decrease = descent.point.value - there.value
        if descent.n_iter + refused == 0:
            radius = min(radius, length)
        radius = _next_radius(radius, length, slope, decrease, foretold, at_edge)
        hidden = abs(decrease) <= ROUNDING * descent.point.value
        if not ((decrease > 1e-4 * foretold or hidden) and descent.move(descent.w + step, there)):
            refused += 1
            if hidden or not radius > 0:
                descent.stuck()
    return descent.solution("tron")


def _next_radius(radius: float, length: float, slope: float, decrease: float, foretold: float, at_edge: bool) -> float:
    """The radius of the ball after a trial, by LIBLINEAR's rules: how far a parabola through it would have gone."""
    if not math.isfinite(decrease):
        return 0.25 * length
    excess = -decrease - slope
    best = max(0.25, -0.5 * slope / excess) if excess > 0 else 4.0
    if decrease < 1e-4 * foretold:
        return min(max(best, 0.25) * length, 0.5 * radius)
    if decrease < 0.25 * foretold:
        return max(0.25 * radius, min(best * length, 0.5 * radius))
    if decrease < 0.75 * foretold:
        return max(0.25 * radius, min(best * length, 4.0 * radius))
    return 4.0 * radius if at_edge else max(radius, min(best * length, 4.0 * radius))


def _direction(point: Point, gradient: Vector, radius: float) -> tuple[Vector, float, bool]:
    """A step within the ball, the decrease that the quadratic model foretells, and whether it ends at the edge."""
    step = np.zeros_like(gradient)
    residual = -gradient
    direction = residual
    size = dot(residual, residual)
    target = 0.01 * size
    at_edge = False
    for _ in range(max(1000, 2 * len(gradient))):
        product = point.hessian_product(direction)
        curvature = dot(direction, product)
        if not curvature > 0:
            break
        length = size / curvature
        if norm(step + length * direction) >= radius:
            at_edge = True
            length = _to_edge(step, direction, radius)
        step = step + length * direction
        residual = residual - length * product
        before, size = size, dot(residual, residual)
        if at_edge or size <= target:
            break
        direction = residual + (size / before) * direction
    return step, -0.5 * (dot(gradient, step) - dot(step, residual)), at_edge


def _to_edge(step: Vector, direction: Vector, radius: float) -> float:
    """The t ≥ 0 with ‖step + t direction‖ = radius, without the cancellation of the school formula."""
    sd, dd = dot(step, direction), dot(direction, direction)
    room = max(0.0, radius * radius - dot(step, step))
    root = math.sqrt(sd * sd + dd * room)
    return room / (sd + root) if sd >= 0 else (root - sd) / dd
