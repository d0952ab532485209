"""PRSVM and PRSVM+ (Chapelle & Keerthi, 2010), the slow baselines of Lee & Lin's section 3.1, as objectives.

Both are C Σ max(0, 1 − w·(x_i − x_j))² over all pairs (i, j) of a query with y_i > y_j: the same function as
`rankine.objectives.Pairwise`, counted in other ways, so any of rankine's solvers minimises them.

- `ListedPairs` (PRSVM) lists the pairs in a sparse matrix A with one +1 and one −1 a row: O(pairs) a product.
- `TwoLevels` (PRSVM+) sums over levels r the pairs of {y > r} with {y = r}. With such a set sorted by score, the active
  pairs of a row are a prefix or a suffix, so running sums meet them: O(rows × levels) a product.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rankine.data import Dataset
from rankine.objectives.objective import Curve

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]


def list_pairs(data: Dataset) -> tuple[Indices, Indices]:
    """The better and the worse row of every pair, in grouped order."""
    g = data.grouped
    better, worse = [], []
    for begin, end in zip(g.query_ptr[:-1], g.query_ptr[1:], strict=True):
        i, j = np.nonzero(g.label[begin:end, None] > g.label[None, begin:end])
        better.append(i + begin)
        worse.append(j + begin)
    return np.concatenate(better), np.concatenate(worse)


def count_pairs(data: Dataset) -> int:
    """How many pairs there are, without listing them."""
    g = data.grouped
    count = 0
    for begin, end in zip(g.query_ptr[:-1], g.query_ptr[1:], strict=True):
        size = np.bincount(g.level[begin:end])
        count += (int(size.sum()) ** 2 - int((size.astype(np.int64) ** 2).sum())) // 2
    return count


def count_two_levels(data: Dataset) -> int:
    """How many rows the two-level sets of PRSVM+ have together: a row at level r is in r + 1 of them, at most."""
    return int(data.grouped.level.sum(dtype=np.int64)) + data.n_rows


class _OfScores:
    """An objective that is a function of the scores X w alone: the chain rule, once for both."""

    def __init__(self, data: Dataset, C: float):
        self.X = data.grouped.rows.matrix
        self.C = C
        self.n_features = data.n_features
        self.strong_convexity = 0.0

    def scores(self, w: Vector) -> Vector:
        """X w."""
        return np.asarray(self.X @ w, np.float64)

    def times_rows(self, t: Vector) -> Vector:
        """Xᵀ t."""
        return np.asarray(self.X.T @ t, np.float64)

    def at(self, w: Vector) -> _Point:
        """The point at w."""
        return _Point(self, self.scores(w))

    def on(self, score: Vector) -> Any:
        """The loss at these scores: `value`, `gradient` and `product` in the space of scores."""
        raise NotImplementedError


@dataclass(eq=False)
class _Point:
    """An objective at one vector of weights."""

    objective: _OfScores
    score: Vector

    @cached_property
    def loss(self) -> Any:
        return self.objective.on(self.score)

    @property
    def value(self) -> float:
        return self.objective.C * float(self.loss.value)

    @cached_property
    def gradient(self) -> Vector:
        return self.objective.C * self.objective.times_rows(self.loss.gradient)

    def hessian_product(self, v: Vector) -> Vector:
        return self.objective.C * self.objective.times_rows(self.loss.product(self.objective.scores(v)))

    def hessian(self, single: bool = False) -> NDArray[np.float64]:  # noqa: ARG002  (the protocol has it)
        return np.stack([self.hessian_product(unit) for unit in np.eye(self.objective.n_features)])

    def diagonal(self) -> Vector:
        return np.ones(self.objective.n_features)  # plain conjugate gradients, as PRSVM has them

    def along(self, d: Vector) -> Callable[[float], Curve]:
        direction = self.objective.scores(d)

        def phi(t: float) -> Curve:
            loss = self.objective.on(self.score + t * direction)
            slope, curvature = loss.gradient @ direction, direction @ loss.product(direction)
            return Curve(*(self.objective.C * float(x) for x in (loss.value, slope, curvature)))

        return phi


class ListedPairs(_OfScores):
    """PRSVM: all pairs, listed."""

    def __init__(self, data: Dataset, C: float):
        super().__init__(data, C)
        better, worse = list_pairs(data)
        n = len(better)
        columns = np.stack([better, worse], axis=1).reshape(-1)
        signs = np.tile([1.0, -1.0], n)
        self.A = csr_array((signs, columns, np.arange(0, 2 * n + 1, 2)), shape=(n, data.n_rows))

    def on(self, score: Vector) -> _ListedLoss:
        return _ListedLoss(self.A, 1.0 - self.A @ score)


class _ListedLoss:
    def __init__(self, A: csr_array, margin: Vector):
        self.A_w = A[np.flatnonzero(margin > 0)]  # equation 14: the rows of active pairs alone
        self.short = margin[margin > 0]
        self.value = self.short @ self.short

    @property
    def gradient(self) -> Vector:
        return -2.0 * (self.A_w.T @ self.short)

    def product(self, u: Vector) -> Vector:
        return 2.0 * (self.A_w.T @ (self.A_w @ u))


class TwoLevels(_OfScores):
    """PRSVM+: a sum over levels, each of two-level data."""

    def __init__(self, data: Dataset, C: float):
        super().__init__(data, C)
        g = data.grouped
        rows, is_better, problem = [], [], []
        n_problems = 0
        for begin, end in zip(g.query_ptr[:-1], g.query_ptr[1:], strict=True):
            by_level = begin + np.argsort(g.level[begin:end], kind="stable")
            size = np.bincount(g.level[begin:end])
            first = np.cumsum(size) - size
            for r in range(len(size) - 1):
                members = by_level[first[r] :]
                rows.append(members)
                is_better.append(np.arange(len(members)) >= size[r])
                problem.append(np.full(len(members), n_problems))
                n_problems += 1
        self.rows, self.is_better, self.problem = map(np.concatenate, (rows, is_better, problem))
        self.ends = np.flatnonzero(np.diff(self.problem, append=n_problems)) + 1

    def on(self, score: Vector) -> _TwoLevelLoss:
        return _TwoLevelLoss(self, score)


class _TwoLevelLoss:
    """With s_i − 1 of better rows sorted among s_j of worse ones, the active partners of i are behind it, of j before.

    One order serves both directions, so the Hessian is symmetric whatever is rounded.
    """

    def __init__(self, sets: TwoLevels, score: Vector):
        self.n_rows = len(score)
        order = np.lexsort((score[sets.rows] - sets.is_better, sets.problem))
        self.rows, self.better = sets.rows[order], sets.is_better[order]
        self.begin = np.concatenate([[0], sets.ends[:-1]])
        self.size = np.diff(sets.ends, prepend=0)
        self.s = score[self.rows]
        self.count = self.partners(np.ones(len(order)))
        self.sum = self.partners(self.s)

    def partners(self, values: Vector) -> Vector:
        """The sum of the values of the active partners of each entry."""
        of_worse = np.concatenate([[0.0], np.cumsum(np.where(self.better, 0.0, values))])
        of_better = np.concatenate([[0.0], np.cumsum(np.where(self.better, values, 0.0))])
        behind = np.repeat(of_worse[self.begin + self.size], self.size) - of_worse[1:]
        before = of_better[:-1] - np.repeat(of_better[self.begin], self.size)
        return np.where(self.better, behind, before)

    def by_row(self, values: Vector) -> Vector:
        return np.bincount(self.rows, values, self.n_rows)

    @property
    def value(self) -> float:
        at = self.better
        margin = 1.0 - self.s[at]
        squares = self.partners(self.s * self.s)[at]
        return float(np.sum(self.count[at] * margin * margin + 2.0 * margin * self.sum[at] + squares))

    @property
    def gradient(self) -> Vector:
        sign = np.where(self.better, 1.0, -1.0)
        return self.by_row(2.0 * (self.count * (self.s - sign) - self.sum))

    def product(self, u: Vector) -> Vector:
        u = u[self.rows]
        return self.by_row(2.0 * (self.count * u - self.partners(u)))
