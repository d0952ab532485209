"""Preferences as data: every pair is a query of two rows, so the loss over pairs has nothing to learn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankine.data import Dataset
from rankine.data.dataset import Grouped
from rankine.data.rows import freeze


def preferred(data: Dataset) -> Dataset:
    """The data set of the preferences of a data set: for each its winner, labelled 1, and its loser, labelled 0.

    A pair weighs what it was given, times the weight of its query. It copies the rows, two a pair.
    """
    g = data.grouped
    assert g.preferences is not None
    pairs = g.preferences
    weight = pairs.weight
    if g.query_weight is not None:
        weight = weight * g.query_weight[np.searchsorted(g.query_ptr, pairs.winner, side="right") - 1]
    n = len(pairs)
    grouped = Grouped(
        g.rows.take(np.column_stack([pairs.winner, pairs.loser]).ravel()),
        freeze(np.tile([1.0, 0.0], n)),
        freeze(np.arange(0, 2 * n + 1, 2)),
        query_weight=freeze(weight),
    )
    return replace(data, grouped=grouped, query_ids=freeze(np.arange(n)), order=None, doc_ids=None)
