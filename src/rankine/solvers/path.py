"""The minima of ½‖w‖² + C L(w) for one C after the other, each from the last: a path.

What is known of L at one minimum holds for every C, so to begin with the next reads no row: its gradient there is
w + C ∇L(w), and 1 + C ∇²L tells where its minimum should be. ∇²L is kept from C to C (that of a sample where there is
one), corrected by what L-BFGS learns from the steps, and formed again only where that should save passes. A step or two
for each C is usual. Inside, F is divided by C, so that C is but the strength 1 / C of the penalty.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from rankine.data import Vector
from rankine.objectives import L2, Matrix, Objective, Point, Sum
from rankine.objectives.vectors import norm
from rankine.solvers.descent import Descent
from rankine.solvers.lbfgs import MEMORY, SEARCH, Metric, stalls
from rankine.solvers.newton import check_size, factored, newton_steps
from rankine.solvers.solution import Progress, Solution, Watch

# A step by a Hessian that was formed where it begins should divide the gradient by this.
_FRESH = 10.0
# Weights that differ by less than this share of their size are as good as equal.
_NEAR = 0.02
# A certificate within this share of the objective says something.
_CERTAIN = 1e-3


def path(
    loss: Objective,
    strengths: Iterable[float],
    start: Vector | None = None,
    *,
    sample: Objective | None = None,
    share: float = 1.0,
    tol: float = 1e-3,
    max_iter: int = 100,
    single: bool = False,
    watch: Watch | None = None,
) -> Iterator[Solution]:
    """Minimise ½‖w‖² + C L(w) at each C, for a smooth loss of at most 5,000 weights.

    At each C a step is tried even where the last minimum would do, so that neighbours differ; unless the certificate
    is good and the step would move the weights by less than a fiftieth, which is not worth a pass.

    Parameters
    ----------
    loss
        L, without a penalty.
    strengths
        The values of C, best from small to large.
    start
        The weights to start from, zeros if None.
    sample
        A function that is like the loss but cheaper, such as that of some queries, weighted up.
    share
        What the sample costs, as a share of the loss.
    tol
        At each C, stop when ‖∇F(w)‖ ≤ tol · ‖∇F(0)‖.
    max_iter
        At each C, stop after this many steps in any case.
    single
        Whether Hessians may be summed in single precision while that serves.
    watch
        Told about every step; a true answer ends the minimisation at that C.
    """
    check_size(loss)
    known = Remembered(loss)
    price = _price(loss) * (1.0 if sample is None else share)
    walk = _Walk(known, sample or known, price, single, np.zeros(loss.n_features) if start is None else start)
    for C in strengths:
        descent = Descent(walk.objective(C), walk.w, tol=tol, max_iter=max_iter, watch=_seen_at(C, watch))
        name = walk.down(descent, C)
        yield _at(C, descent.solution(name))


def path_by(
    solve: Callable[..., Solution],
    loss: Objective,
    strengths: Iterable[float],
    start: Vector | None = None,
    *,
    tol: float = 1e-3,
    max_iter: int = 100,
    watch: Watch | None = None,
) -> Iterator[Solution]:
    """The same with another solver, for more features: at each C it starts from the last minimum.

    Or from the point that the last two minima lead to, straight on by log C, where the gradient is smaller there: that
    saves conjugate gradients a third of their products.

    Parameters
    ----------
    solve
        A solver that takes an objective and a start.
    loss, strengths, start, tol, max_iter, watch
        As in `path`.
    """
    known = Remembered(loss)
    found: deque[tuple[float, Vector]] = deque(maxlen=2)
    for C in strengths:
        objective = Sum([known, L2(loss.n_features, 1.0 / C)])
        if len(found) == 2:
            (A, v), (B, w) = found
            here, target = (norm(objective.at(at).gradient) for at in (w, np.zeros_like(w)))
            if here > tol * target and A != B:
                guess = w + math.log(C / B) / math.log(B / A) * (w - v)
                start = guess if norm(objective.at(guess).gradient) < here else w
        solution = solve(objective, start, tol=tol, max_iter=max_iter, watch=_seen_at(C, watch))
        start = solution.coef
        found.append((C, start))
        yield _at(C, solution)


class Remembered:
    """An objective that is not evaluated again where it was just now, nor at zero."""

    def __init__(self, inner: Objective) -> None:
        self.inner, self.n_features, self.strong_convexity = inner, inner.n_features, inner.strong_convexity
        self._last: deque[tuple[Vector, Point]] = deque(maxlen=2)
        self._zero: Point | None = None

    def at(self, w: Vector) -> Point:
        """The point at w."""
        for known, point in self._last:
            if np.array_equal(known, w):
                return point
        if self._zero is not None and not w.any():
            return self._zero
        point = self.inner.at(w)
        self._last.append((w.copy(), point))
        if not w.any():
            self._zero = point
        return point

    def smoothed(self, window: float) -> Objective:
        """The objective itself, smoothed."""
        return self.inner.smoothed(window)


@dataclass
class _Walk:
    """Where a path stands, and what it knows of the way: the Hessian of L as last formed, and the steps since then."""

    loss: Remembered
    source: Objective  # of Hessians
    price: float  # of a Hessian, in passes over the rows
    single: bool
    w: Vector
    hessian: _Hessian | None = None
    steps: deque[tuple[Vector, Vector]] = field(default_factory=lambda: deque(maxlen=MEMORY))  # and changes of ∇L

    def objective(self, C: float) -> Sum:
        return Sum([self.loss, L2(self.loss.n_features, 1.0 / C)])

    def down(self, descent: Descent, C: float) -> str:
        """Go to the minimum at C; returns which solvers did it."""
        by = "path"
        metric = self.metric(C)
        sizes = [descent.size]  # of the gradient, pass by pass
        moved = 0.0 if _is_there(descent, metric) else self.step(descent, metric, sizes, C)
        while descent.going():
            if not moved or stalls(descent, sizes):
                newton_steps(descent, self.single)
                by = "path, newton"
                # A sample that misled once is not asked again.
                self.source, self.price, self.hessian = self.loss, _price(self.loss), None
                break
            if self.worth_forming(descent, sizes):
                self.w, self.hessian = descent.w, None
                metric = self.metric(C)
            moved = self.step(descent, metric, sizes, C)
        self.w = descent.w
        return by

    def step(self, descent: Descent, metric: Metric, sizes: list[float], C: float) -> float:
        w, gradient = descent.w, descent.gradient
        t = descent.step(-metric.solve(gradient))
        if t:
            step, change = descent.w - w, descent.gradient - gradient
            metric.learn(step, change)
            self.steps.append((step, change - step / C))
            sizes += [descent.size] * (1 if t == 1.0 else SEARCH)
        return t

    def metric(self, C: float) -> Metric:
        """What is known of the inverse Hessian of L + ‖w‖² / 2C."""
        if self.hessian is None:
            self.hessian = _Hessian(self.source.at(self.w))
            self.steps.clear()
        first, self.single = factored(replace(self.hessian, ridge=1.0 / C), self.single)
        metric = Metric(first)
        for step, change in self.steps:
            metric.learn(step, change + step / C)
        return metric

    def worth_forming(self, descent: Descent, sizes: list[float]) -> bool:
        """Whether at the pace of the last step the way left costs more than with a new Hessian, and that one's price.

        Of the last one, two steps at least are to be learned from.
        """
        left = math.log(sizes[-1] / max(descent.target, 1e-16 * descent.reference))
        fall = math.log(sizes[-2] / sizes[-1])
        return len(self.steps) > 1 and left > fall * (self.price + left / math.log(_FRESH))


def _is_there(descent: Descent, metric: Metric) -> bool:
    """Whether the rule is met, the certificate says something, and the next step would hardly move the weights."""
    if descent.size > descent.target or descent.gap > _CERTAIN * descent.point.value:
        return False
    return norm(metric.solve(descent.gradient)) <= _NEAR * norm(descent.w)


def _price(loss: Objective) -> float:
    """What a Hessian costs, in passes over the rows."""
    return 1.0 + loss.n_features / 20.0


@dataclass
class _Hessian:
    """The Hessian at a point, formed once, plus a ridge."""

    point: Point
    ridge: float = 0.0
    formed: dict[bool, Matrix] = field(default_factory=dict)

    def hessian(self, *, single: bool = False) -> Matrix:
        if single not in self.formed:
            self.formed[single] = self.point.hessian(single=single)
        return self.formed[single] + self.ridge * np.eye(len(self.formed[single]))


def _at(C: float, solution: Solution) -> Solution:
    """The solution of F, given that of F / C."""
    return replace(solution, value=C * solution.value, gap=C * solution.gap)


def _seen_at(C: float, watch: Watch | None) -> Watch | None:
    """The watch of F / C, given that of F."""

    def seen(progress: Progress) -> object:
        assert watch is not None
        return watch(replace(progress, value=C * progress.value, gap=C * progress.gap))

    return None if watch is None else seen
