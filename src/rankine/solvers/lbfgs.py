"""L-BFGS that starts from a sample: for many rows and not too many features, the fewest passes over the rows.

Newton's method on a sample of the queries, a few per cent of them, finds a point near the optimum and the Hessian
there; its factor is the first metric of limited-memory BFGS (Nocedal, 1980), which needs one pass a step. Where the
sample proves unlike the rest, so that the steps left would cost more than Newton's, Newton's method on all queries
takes over from the best point.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

from rankine.data import Vector
from rankine.objectives import Objective
from rankine.objectives.vectors import dot
from rankine.solvers.cholesky import Cholesky
from rankine.solvers.descent import Descent
from rankine.solvers.newton import check_size, factored, newton, newton_steps
from rankine.solvers.solution import Solution, Watch

# The sample's optimum differs from that of all queries by more than its own tolerance.
_SAMPLE_TOL = 1e-3
# How many of the last steps are learned from.
MEMORY = 20
# The pace is judged by this many passes; a step that needs a line search reads the rows three times.
_PACE, SEARCH = 4, 3


def lbfgs(
    objective: Objective,
    start: Vector | None = None,
    *,
    sample: Objective,
    tol: float = 1e-3,
    max_iter: int = 100,
    single: bool = False,
    watch: Watch | None = None,
    origin: Vector | None = None,
) -> Solution:
    """Minimise a smooth objective of at most 5,000 weights, of which a sample is at hand.

    Parameters
    ----------
    objective
        The function; its `strong_convexity` must be positive.
    start
        The weights to start from, the origin if None.
    sample
        A function that is like the objective but cheaper, such as that of some queries, weighted up.
    tol
        Stop when the gradient is at most tol times that at the origin.
    max_iter
        Stop after this many steps on all queries in any case, Newton's included; five to fifteen are usual.
    single
        Whether Hessians may be summed in single precision while that serves.
    watch
        Told about every step on all queries; a true answer stops.
    origin
        The weights that the stopping rule is measured at, zeros if None.
    """
    check_size(objective)
    descent = Descent(objective, start, tol=tol, max_iter=max_iter, watch=watch, origin=origin)
    if descent.going():
        guess = newton(sample, start, tol=_SAMPLE_TOL, single=single, origin=origin).coef
        nearer = descent.move(guess, objective.at(guess))
        if nearer or start is not None:
            _quasi_newton_steps(descent, factored(sample.at(descent.w), single)[0])
    if not descent.going():
        return descent.solution("lbfgs")
    newton_steps(descent, single)
    return descent.solution("lbfgs, newton")


def _quasi_newton_steps(descent: Descent, factor: Cholesky) -> None:
    """Go on with L-BFGS steps until the descent ends or stalls."""
    metric = Metric(factor)
    sizes = [descent.size]  # of the gradient, pass by pass
    while descent.going() and not stalls(descent, sizes):
        w, gradient = descent.w, descent.gradient
        t = descent.step(-metric.solve(gradient))
        if not t:
            return
        metric.learn(descent.w - w, descent.gradient - gradient)
        sizes += [descent.size] * (1 if t == 1.0 else SEARCH)


def stalls(descent: Descent, sizes: list[float]) -> bool:
    """Whether at the pace of the last passes the way left costs more than Newton's method on all queries.

    That takes about three steps, each a pass and a Hessian worth a pass for every twenty features.
    """
    if len(sizes) <= _PACE:
        return False
    target = max(descent.target, 1e-16 * descent.reference)
    fall = math.log(sizes[-1 - _PACE] / sizes[-1]) / _PACE
    return fall * 3.0 * (1.0 + descent.objective.n_features / 20.0) < math.log(sizes[-1] / target)


@dataclass
class Metric:
    """The inverse Hessian as the last steps show it: of each, what the weights and the gradient changed by."""

    first: Cholesky
    steps: deque[tuple[Vector, Vector, float]] = field(default_factory=lambda: deque(maxlen=MEMORY))

    def learn(self, step: Vector, change: Vector) -> None:
        """Take in a step that was made, and what it changed the gradient by."""
        curvature = dot(step, change)
        if curvature > 0:
            self.steps.append((step, change, curvature))

    def solve(self, gradient: Vector) -> Vector:
        """The two loops of L-BFGS."""
        rest, shares = gradient, []
        for step, change, curvature in reversed(self.steps):
            shares.append(dot(step, rest) / curvature)
            rest = rest - shares[-1] * change
        out = self.first.solve(rest)
        for (step, change, curvature), share in zip(self.steps, reversed(shares), strict=True):
            out = out + (share - dot(change, out) / curvature) * step
        return out
