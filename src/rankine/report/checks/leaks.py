"""Checks for what gives the label away: a feature, or the order of the rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankine import _core
from rankine.data import Dataset, Rows, Vector
from rankine.data.rows import thread_count
from rankine.report.checks.finding import Finding, Positions, count_of, feature_names, some

# Two people who judge the same documents order 70 to 90 % of the pairs alike, and the best single features of the
# public data sets reach 60 to 80 %: above 90 % a feature deserves a look, at 99 % it is the label in other words.
_SUSPICIOUS, _CERTAIN = 0.9, 0.99
# Chance orders all of a few pairs right, so the order must also be this many standard deviations away from chance.
_BEYOND_CHANCE = 6.0
# What a feature must reach on a sample of the rows to be tried on all.
_WORTH_TRYING = 0.8


def features_that_leak(data: Dataset) -> Iterator[Finding]:
    """Each feature alone as the score. A sample finds the suspects, and only they are tried on all rows."""
    g = data.grouped
    accuracy, _ = _accuracy(*_sampled(data))
    suspects = np.flatnonzero(np.maximum(accuracy, 1 - accuracy) >= _WORTH_TRYING)
    if len(suspects) == 0:
        return
    accuracy, beyond = _accuracy(Rows.of(g.rows.matrix[:, suspects]), g.label, g.query_ptr)
    size = np.where(np.abs(beyond) >= _BEYOND_CHANCE, np.maximum(accuracy, 1 - accuracy), 0.0)
    certain = np.flatnonzero(size >= _CERTAIN)
    suspicious = np.flatnonzero((size >= _SUSPICIOUS) & (size < _CERTAIN))
    for at, nearly in ((certain, "nearly all"), (suspicious, "surprisingly many")):
        if len(at) == 0:
            continue
        at = at[np.argsort(-size[at], kind="stable")]
        shown = [
            f"{name} ({size[k]:.2%}{', lower is better' if accuracy[k] < 0.5 else ''})"
            for name, k in zip(feature_names(data, suspects[at]), at, strict=True)
        ]
        yield Finding(
            "warning" if nearly == "nearly all" else "note",
            "leak",
            f"{count_of(len(at), 'feature')} alone can order {nearly} pairs as the labels do: "
            f"{some(shown, 'feature', 'features')}.",
            "Is it made from the labels, or known only after the ranking was shown? Then leave it out: it will not be "
            "there when the model is used.",
            {
                "count": len(at),
                "features": [
                    {"feature": data.name_of(int(suspects[k])), "pair_accuracy": float(accuracy[k])} for k in at[:100]
                ],
            },
        )


def rows_in_order_of_labels(data: Dataset) -> Iterator[Finding]:
    """The number of the row as the score."""
    number = Rows(-np.arange(data.n_rows, dtype=np.float64)[:, None])
    (accuracy,), (beyond,) = _accuracy(number, data.grouped.label, data.grouped.query_ptr)
    size = max(accuracy, 1 - accuracy)
    if size >= _SUSPICIOUS and abs(beyond) >= _BEYOND_CHANCE:
        yield Finding(
            "note",
            "rows-in-order-of-labels",
            f"The rows of the queries stand in the order of their labels, best {'first' if accuracy > 0.5 else 'last'} "
            f"({size:.2%} of the pairs).",
            "Metrics that leave tied scores in the order of the rows mean little then: measure with ties='average' or "
            "'worst' (--ties). The position must not become a feature.",
            {"pair_accuracy": float(accuracy)},
        )


def _accuracy(rows: Rows, label: Vector, query_ptr: Positions) -> tuple[Vector, Vector]:
    """The pair accuracy of each feature as the score, where a tie counts one half, and how far it is from chance.

    The latter is in standard deviations of Kendall's S = right - wrong for a random order, corrected for tied labels.
    """
    level = _core.levels(label, query_ptr)
    queries = _core.Queries(query_ptr, level, None, None, False)
    order = _core.feature_order(rows.native, queries, thread_count(None)).astype(np.float64)
    pairs = _core.pair_mass(queries).sum()

    def variance(sizes: Positions) -> float:
        n = sizes.astype(np.float64)
        return float((n * (n - 1) * (2 * n + 5)).sum()) / 18

    sizes = np.diff(query_ptr)
    ties = np.bincount(level + np.repeat(query_ptr[:-1], sizes))  # a level is less than the size of its query
    return 0.5 + order / (2 * max(pairs, 1)), order / np.sqrt(max(variance(sizes) - variance(ties), 1))


def _sampled(data: Dataset, n_queries: int = 300, n_rows: int = 50_000) -> tuple[Rows, Vector, Positions]:
    """Rows of some queries, drawn evenly over the rows: large queries are never missed, only thinned."""
    ptr = data.grouped.query_ptr
    points = np.linspace(0, data.n_rows - 1, n_queries).astype(np.int64)
    which = np.unique(np.searchsorted(ptr, points, side="right") - 1)
    sizes = np.diff(ptr)[which]
    step = -(-sizes // (n_rows // len(which)))
    kept = -(-sizes // step)
    new_ptr = np.concatenate([[0], np.cumsum(kept)])
    at = np.repeat(ptr[which], kept) + (np.arange(new_ptr[-1]) - np.repeat(new_ptr[:-1], kept)) * np.repeat(step, kept)
    return data.grouped.rows.take(at), data.grouped.label[at], new_ptr
