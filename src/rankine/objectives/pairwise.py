"""A margin loss summed over all pairs of all queries, exactly and without listing them (Lee & Lin, 2014).

    C · Σ over queries, over pairs (i, j) with y_i > y_j, of weight_ij · loss(w·x_i − w·x_j)

With the scores of a query sorted, the active pairs of a row are a prefix or a suffix, and sums by label level do the
rest: O(l log l) a query, for any number of levels. The logistic loss has no such order: its pairs are visited one by
one, which takes time O(pairs) and memory O(rows).
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from rankine import _core
from rankine.data import DataError, Dataset, Vector
from rankine.data.rows import thread_count
from rankine.objectives.objective import Curve, Matrix, Restriction
from rankine.objectives.vectors import dot

# The losses by name: native/losses.hpp gives their formulas.
LOSSES: tuple[str, ...] = tuple(_core.loss_names())
# The ways to count rows by label level, as native/isa/counters.hpp describes them.
COUNTINGS: tuple[str, ...] = tuple(_core.counting_names())


@dataclass(frozen=True, eq=False)
class Pairwise:
    """A margin loss over pairs.

    Parameters
    ----------
    data
        Rows grouped by query.
    loss
        A name in `LOSSES`.
    window
        With the loss "hinge": a parabola for margins from 1 − window to 1 rounds its corner off. See `smoothed`.
    C
        What the sum is multiplied with.
    pairs
        "all" pairs of rows of a query whose labels differ, or only those of "adjacent" levels.
    pair_weight
        "uniform": every pair counts the same. "query": every query that has pairs does. "gain": the pair (i, j)
        weighs g_i − g_j, with the gain g that nDCG gives the label.
    gain
        "exp2": the gain of a label is 2^label − 1. "linear": it is the label.
    row_weight
        "product": the pair (i, j) weighs weight_i · weight_j, so that weight 2 is a row given twice and weight 0 a row
        left out. "winner": it weighs weight_i, as inverse propensities of clicked rows do.
    counting
        How active pairs are counted by level, as the paper compares in its section 4.3: "direct" sums over all levels,
        a "selection_tree" (the paper's choice), a "fenwick" tree, or a "wide" tree of fan-out 16. "auto" takes the
        fastest: "direct" for up to 8 levels, else "wide". Results agree to rounding.
    n_threads
        How many threads to use, all if None. It never changes a bit of a result.
    """

    data: Dataset
    loss: str = "squared_hinge"
    window: float = 0.0
    C: float = 1.0
    pairs: Literal["all", "adjacent"] = "all"
    pair_weight: Literal["uniform", "query", "gain"] = "uniform"
    gain: Literal["exp2", "linear"] = "exp2"
    row_weight: Literal["product", "winner"] = "product"
    counting: str = "auto"
    n_threads: int | None = None
    queries: _core.Queries = field(init=False)

    def __post_init__(self) -> None:
        self.data.refuse_gaps("replace them")
        g = self.data.grouped
        win = lose = g.sample_weight
        if self.row_weight == "winner":
            lose = None
        adjacent = self.pairs == "adjacent"

        def times_query(weight: Vector | None, factor: Vector) -> Vector:
            by_row = np.repeat(factor, np.diff(g.query_ptr))
            return by_row if weight is None else weight * by_row

        if self.pair_weight == "query":
            mass = _core.pair_mass(_core.Queries(g.query_ptr, g.level, win, lose, adjacent))
            win = times_query(win, np.divide(1.0, mass, out=np.zeros_like(mass), where=mass > 0))
        if g.query_weight is not None:
            win = times_query(win, g.query_weight)
        gain = gains(g.label, self.gain) if self.pair_weight == "gain" else None
        queries = _core.Queries(g.query_ptr, g.level, win, lose, adjacent, self.counting, gain)
        object.__setattr__(self, "queries", queries)

    @property
    def n_features(self) -> int:
        """The number of weights."""
        return self.data.n_features

    @property
    def strong_convexity(self) -> float:
        """Zero: equal rows give equal scores whatever the weights."""
        return 0.0

    @cached_property
    def pair_mass(self) -> Vector:
        """The total weight of the pairs of each query: the number of pairs where all weights are one."""
        return _core.pair_mass(self.queries)

    def smoothed(self, window: float) -> Pairwise:
        """The objective with the corner of its hinge, if it has one, rounded off over a window of margins."""
        return self._but("window", window) if self.loss == "hinge" else self

    def times(self, C: float) -> Pairwise:
        """The objective with another C."""
        return self._but("C", C)

    def _but(self, name: str, value: float) -> Pairwise:
        """A copy that shares the queries."""
        other = copy.copy(self)
        object.__setattr__(other, name, value)
        return other

    def at(self, w: Vector) -> PairwisePoint:
        """The point at w: one pass over the rows."""
        rows = self.data.grouped.rows.native
        native = _core.pairwise(rows, self.queries, self.loss, self.window, w, thread_count(self.n_threads))
        return PairwisePoint(self, w, native)


def gains(label: Vector, gain: Literal["exp2", "linear"]) -> Vector:
    """The gain of each label."""
    if gain == "linear":
        return label
    with np.errstate(over="ignore"):
        found = np.exp2(label) - 1.0
    if not np.isfinite(found).all():
        raise DataError(f"the gain 2^label overflows for label {label.max():g}; gain='linear' takes labels of any size")
    return found


@dataclass(frozen=True, eq=False)
class PairwisePoint:
    """A margin loss over pairs at one vector of weights; each product is one pass over the rows."""

    objective: Pairwise
    w: Vector
    native: _core.PairwisePoint

    @property
    def value(self) -> float:
        """The loss."""
        return self.objective.C * self.native.value

    @cached_property
    def gradient(self) -> Vector:
        """Its gradient."""
        return self.objective.C * self.native.gradient

    @property
    def exact(self) -> float:
        """The loss without its smoothing."""
        return self.objective.C * self.native.shortfall if self.objective.loss == "hinge" else self.value

    @property
    def offset(self) -> float:
        """With the gradient g: the exact loss is at least offset + g·w′ at any w′.

        For the hinge, smoothed or not, minus the slopes of its pairs are a feasible dual point α; this is Σ α.
        """
        if self.objective.loss == "hinge":
            return self.objective.C * self.native.mass
        return self.value - dot(self.gradient, self.w)

    @cached_property
    def score(self) -> Vector:
        """The score of each row, in grouped order; of dense rows, zero in queries whose pairs weigh nothing."""
        return self.native.score

    def hessian_product(self, v: Vector) -> Vector:
        """Its generalised Hessian times v."""
        return self.objective.C * self.native.product(v)

    def hessian(self, *, single: bool = False) -> Matrix:
        """Its generalised Hessian: one pass over the rows and n_features² multiplications a row."""
        return self.objective.C * self.native.hessian(single)

    def diagonal(self) -> Vector:
        """The diagonal of its Hessian without the cross terms, Σ curvature_i x_ij²."""
        return self.objective.C * self.native.diagonal()

    def along(self, d: Vector) -> Restriction:
        """Its restriction to w + t d, from two vectors of scores."""
        objective, score = self.objective, self.score
        n_threads = thread_count(objective.n_threads)
        direction = objective.data.grouped.rows.scores(d, n_threads)

        def phi(t: float) -> Curve:
            curve = _core.along(objective.queries, objective.loss, objective.window, score, direction, t, n_threads)
            return Curve(*(objective.C * x for x in curve))

        return phi
