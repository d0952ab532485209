"""What is learned from and what is measured on: folds of whole queries, or a validation set. No row is copied.

In a fold's training part the held-out queries have weight zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankine.data import DataError, Dataset
from rankine.data.rows import freeze
from rankine.metrics import Metric
from rankine.metrics.evaluation import Measurer
from rankine.model import Model
from rankine.selection.folds import query_folds
from rankine.selection.tally import Tally


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to learn from, and rows to measure on.

    Parameters
    ----------
    train
        What is learned from.
    held
        The data set that holds the rows to measure on.
    rows
        Which of its rows these are, in grouped order; all if None.
    measurer
        Measures scores of these rows.
    """

    train: Dataset
    held: Dataset
    rows: NDArray[np.int64] | None
    measurer: Measurer

    def measure(self, model: Model) -> dict[str, Tally]:
        """How well a model ranks the rows that were held out."""
        match = model.match(self.held.n_features, self.held.feature_names)
        match.refuse_difference(self.held.source)
        g = self.held.grouped
        if g.gaps is None:
            score = g.rows.scores(match.weights, which=self.rows)
        else:
            score = match.score(g.rows, g.gaps, self.held.source)
            score = score if self.rows is None else score[self.rows]
        sums, masses = self.measurer(score)
        return {str(m): Tally.of(s, mass) for m, s, mass in zip(self.measurer.metrics, sums, masses, strict=True)}


def folds_of(
    data: Dataset, n_splits: int, metrics: Sequence[Metric], *, dialect: str | None = None, seed: int = 0
) -> list[Split]:
    """Folds of whole queries, dealt out in random order, each with about equally many rows.

    Parameters
    ----------
    data
        All rows.
    n_splits
        The number of folds.
    metrics
        What to measure.
    dialect
        As `rankine.evaluate` takes it.
    seed
        Which folds.
    """
    if n_splits < 2:
        raise ValueError(f"folds is {n_splits}; at least 2 are needed")
    if data.n_queries < n_splits:
        raise DataError(f"{n_splits} folds of whole queries need as many queries, but the data has {data.n_queries}")
    g = data.grouped
    size = np.diff(g.query_ptr)
    fold = query_folds(size, n_splits, shuffle=True, seed=seed)
    of_row = np.repeat(fold, size)
    weight = np.ones(len(size)) if g.query_weight is None else g.query_weight
    splits = []
    for k in range(n_splits):
        train = replace(data, grouped=replace(g, query_weight=freeze(np.where(fold == k, 0.0, weight))))
        rows = np.flatnonzero(of_row == k)
        ptr = np.concatenate([[0], np.cumsum(size[fold == k])])
        splits.append(Split(train, data, rows, Measurer(g.label[rows], ptr, metrics, dialect=dialect)))
    return splits


def held_out(train: Dataset, valid: Dataset, metrics: Sequence[Metric], *, dialect: str | None = None) -> Split:
    """Learn from one data set and measure on another."""
    g = valid.grouped
    return Split(train, valid, None, Measurer(g.label, g.query_ptr, metrics, dialect=dialect))
