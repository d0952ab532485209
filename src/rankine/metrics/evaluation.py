"""Metrics of labels and scores, grouped by query: `evaluate` for any of them, `pair_accuracy` for one with weights.

Everything is checked and grouped here, once; the kernels sort each query once for all metrics together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankine import _core
from rankine.data.errors import DataError
from rankine.data.frames import column
from rankine.data.grouping import group_by_id
from rankine.data.rows import Array, Vector, thread_count
from rankine.metrics.dialects import EMPTY, Dialect, choice, dialect_named
from rankine.metrics.metric import Metric, split_names

DEFAULT_METRICS = "pair_accuracy nDCG@5 nDCG@10 AP RR"


class Evaluation(dict[str, Any]):
    """Metrics by name; `qid` holds the ids of the queries that were measured, in the order of their first rows."""

    def __init__(self, values: dict[str, Any], qid: Array):
        super().__init__(values)
        self.qid = qid


def evaluate(
    label: Any,
    score: Any,
    qid: Any = None,
    metrics: str | Metric | Iterable[str | Metric] = DEFAULT_METRICS,
    *,
    dialect: str | None = None,
    gain: str | None = None,
    empty: str | None = None,
    ties: str | None = None,
    per_query: bool = False,
) -> Evaluation:
    """Measure how well scores rank rows.

    Parameters
    ----------
    label
        The label of each row: higher is better.
    score
        The score of each row: higher ranks higher. Infinities are scores as any other; NaN is an error.
    qid
        The query id of each row, in any order and of any type. Without it all rows are one query.
    metrics
        Names as in `rankine.metrics.Metric`: one, several in a list, or several in one text with blanks between.
    dialect
        Measure as another tool does: see `rankine.metrics.DIALECTS`. Without it the conventions are: gain 2^label − 1,
        discount 1 / log2(i + 1), queries without a relevant row left out, ties averaged.
    gain
        What a label is worth in nDCG: "exp2" is 2^label − 1, "linear" the label.
    empty
        What a query without a relevant row counts: "skip" leaves it out; or "zero", "half", "one".
    ties
        How rows with equal scores stand: in the "input" order, its "reverse", "worst" (lowest label first), or
        "average", the expected value over all their orders. "half" is "average", and pair_accuracy then counts a tied
        pair one half instead of 0. (AUC always does. For domination_error a tie is a failure.)
    per_query
        Whether to return an array for each metric, one entry a query, instead of a number.

    Returns
    -------
    Evaluation
        A dictionary of the metrics by the names that were asked for; NaN where no query can be measured. With
        `per_query`, arrays in the order of each query's first row, NaN for a query that is left out; the ids of the
        queries are in the attribute ``qid``.

    Examples
    --------
    >>> evaluate([2, 0, 1, 0, 1], [3, 2, 1, 1, 2], ["a", "a", "a", "b", "b"], "nDCG@10 RR")
    {'nDCG@10': 0.9819702166583266, 'RR': 1.0}
    >>> found = evaluate([2, 0, 1, 0, 1], [3, 2, 1, 1, 2], ["a", "a", "a", "b", "b"], ["P@1", "AP"], per_query=True)
    >>> found["AP"], found.qid
    (array([0.83333333, 1.        ]), array(['a', 'b'], dtype='<U1'))
    """
    how = dialect_named(dialect).with_knobs(gain, empty, ties)
    wanted = _wanted(metrics)
    rows = _rows(label, score, qid)
    distinct = list(dict.fromkeys(wanted.values()))
    _check_labels(rows.label, distinct, how)
    sums, masses = _measured_as(rows, distinct, how)
    values: dict[Metric, Any]
    if per_query:
        with np.errstate(invalid="ignore"):
            values = dict(zip(distinct, sums / masses, strict=True))
    else:
        values = {metric: _mean(s, m) for metric, s, m in zip(distinct, sums, masses, strict=True)}
    return Evaluation({name: values[metric] for name, metric in wanted.items()}, rows.query_ids)


class Measurer:
    """Metrics of many scores of the same rows.

    Parameters
    ----------
    label
        The label of each row.
    query_ptr
        Query q holds the rows query_ptr[q] to query_ptr[q + 1].
    metrics
        What to measure.
    dialect
        As in `evaluate`.
    """

    def __init__(
        self, label: Vector, query_ptr: NDArray[np.int64], metrics: Sequence[Metric], *, dialect: str | None = None
    ) -> None:
        self.metrics = list(metrics)
        self._how = dialect_named(dialect)
        self._rows = _Rows(label, label, query_ptr, np.arange(len(query_ptr) - 1), None)
        if len(label):
            _check_labels(label, self.metrics, self._how)

    def __call__(self, score: Vector) -> tuple[Vector, Vector]:
        """Sums and masses, (n_metrics, n_queries), of the scores of the rows: a metric is Σ sums / Σ masses."""
        return _measured_as(self._rows._replace(score=score), self.metrics, self._how)


def pair_accuracy(label: Any, score: Any, qid: Any = None, *, sample_weight: Any = None, ties: str = "zero") -> float:
    """The share of the pairs of all queries that are scored in the right order, in O(n log n).

    Parameters
    ----------
    label
        The label of each row: higher is better.
    score
        The score of each row: higher ranks higher.
    qid
        The query id of each row, in any order and of any type. Without it all rows are one query.
    sample_weight
        A weight for each row, not negative; a pair weighs the product of its rows' weights.
    ties
        What a pair counts whose scores are tied: "zero" (Lee & Lin), or "half".

    Returns
    -------
    float
        NaN where there are no pairs: no query has two labels.

    Examples
    --------
    >>> pair_accuracy([2, 1, 0], [0.3, 0.5, 0.1])
    0.6666666666666666
    """
    tied_pair = {"zero": 0.0, "half": 0.5}[choice("ties", ties, ("zero", "half"))]
    rows = _rows(label, score, qid)
    weight = None
    if sample_weight is not None:
        weight = _numbers(sample_weight, "sample_weight")
        if len(weight) != len(rows.label):
            raise DataError(f"sample_weight has {len(weight)} entries, but label has {len(rows.label)} rows")
        if not (weight >= 0).all() or not np.isfinite(weight).all():
            at = int(np.flatnonzero(~((weight >= 0) & np.isfinite(weight)))[0])
            raise DataError(f"sample_weight[{at}] is {weight[at]:g}; weights must be finite and not negative")
    measure = _measure(Metric("pair_accuracy"), Dialect(tied_pair=tied_pair))
    sums, masses = _measured(rows, [measure], "average", weight)
    return _mean(sums[0], masses[0])


class _Rows(NamedTuple):
    """Labels and scores in the caller's order, and how to group them."""

    label: Vector
    score: Vector
    query_ptr: NDArray[np.int64]
    query_ids: Array
    order: NDArray[np.int64] | None


def _rows(label: Any, score: Any, qid: Any) -> _Rows:
    label, score = _numbers(label, "label"), _numbers(score, "score")
    if len(label) != len(score):
        raise DataError(f"label has {len(label)} rows, but score has {len(score)}: one score a row is expected")
    if len(label) == 0:
        raise DataError("label and score are empty: there is nothing to measure")
    if not np.isfinite(label).all():
        at = int(np.flatnonzero(~np.isfinite(label))[0])
        raise DataError(f"label of row {at} is {label[at]:g}; every row needs a finite number")
    if np.isnan(score).any():
        raise DataError(f"score of row {int(np.flatnonzero(np.isnan(score))[0])} is NaN; it has no place in a ranking")
    if qid is None:
        return _Rows(label, score, np.array([0, len(label)]), np.zeros(1, np.int64), None)
    qid = column(qid, "qid")
    if qid.ndim != 1 or len(qid) != len(label):
        raise DataError(f"qid has shape {qid.shape}, but label has {len(label)} rows: one id a row is expected")
    return _Rows(label, score, *group_by_id(qid, len(label)))


def _numbers(values: Any, name: str) -> Vector:
    values = column(values, name)
    if values is None:
        raise DataError(f"{name} is None; one number a row is expected")
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise DataError(f"{name} has shape {values.shape}; one number a row is expected")
    if values.dtype.kind == "c":
        raise DataError(f"{name} has complex numbers; real ones are expected")
    try:
        return np.ascontiguousarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} has values that are not numbers: {error}") from None


def _wanted(metrics: str | Metric | Iterable[str | Metric]) -> dict[str, Metric]:
    if isinstance(metrics, Metric):
        metrics = [metrics]
    elif isinstance(metrics, str):
        metrics = split_names(metrics)
    wanted = {str(name): Metric.parse(name) for name in metrics}
    if not wanted:
        raise ValueError("no metric is asked for; name one, such as 'nDCG@10'")
    return wanted


def _check_labels(label: Vector, metrics: list[Metric], how: Dialect) -> None:
    """Refuse labels that a metric has no meaning for."""
    for metric in metrics:
        if metric.name in ("nDCG", "MeanNDCG", "ERR") and not how.negative and label.min() < 0:
            at = int(np.flatnonzero(label < 0)[0])
            raise DataError(
                f"{metric} needs labels of at least 0, but that of row {at} is {label[at]:g}: "
                "leave such rows out, or make their labels 0 if they are irrelevant"
            )
        highest = _max_rel(metric)
        if metric.name == "ERR" and label.max() > highest:
            at = int(np.flatnonzero(label > highest)[0])
            better = Metric("ERR", metric.cutoff, max_rel=math.ceil(label.max()))
            raise DataError(
                f"{metric} takes {highest:g} for the highest label there can be, but that of row {at} is "
                f"{label[at]:g}: say what it is, as in {better}"
            )


def _max_rel(metric: Metric) -> float:
    return 4.0 if metric.max_rel is None else metric.max_rel


def _measure(metric: Metric, how: Dialect) -> _core.Measure:
    """A metric with all that a dialect leaves open."""
    gain = how.gain if metric.dcg is None else {"log2": "linear", "exp-log2": "exp2"}[metric.dcg]
    return _core.Measure(
        kind=metric.name,
        cutoff=metric.cutoff,
        relevant=how.relevant if metric.rel is None else metric.rel,
        max_label=_max_rel(metric),
        gain=gain,
        flat_start=how.flat_start,
        empty=EMPTY[how.empty_of.get(metric.name, how.empty)],
        short_query=how.short_precision if metric.name == "P" else how.short_ndcg,
        reachable=how.reachable,
        tied_pair=how.tied_pair,
    )


def _measured_as(rows: _Rows, metrics: list[Metric], how: Dialect) -> tuple[Vector, Vector]:
    """Sums and masses in a dialect."""
    if how.single:
        with np.errstate(over="ignore"):
            rows = rows._replace(score=rows.score.astype(np.float32).astype(np.float64))
    return _measured(rows, [_measure(metric, how) for metric in metrics], how.ties)


def _measured(
    rows: _Rows, measures: list[_core.Measure], ties: str, weight: Vector | None = None
) -> tuple[Vector, Vector]:
    """Sums and masses, (n_measures, n_queries); a value is sum / mass, of one query or of all."""
    label, score = rows.label, rows.score
    if rows.order is not None:
        label, score = label[rows.order], score[rows.order]
        weight = None if weight is None else weight[rows.order]
    sums, masses = _core.measure(label, score, weight, rows.query_ptr, measures, ties, thread_count(None))
    shape = (len(measures), len(rows.query_ids))
    return sums.reshape(shape), masses.reshape(shape)


def _mean(sums: Vector, masses: Vector) -> float:
    """Rounded once, so that the order of queries changes no bit."""
    mass = math.fsum(masses.tolist())
    return math.fsum(sums.tolist()) / mass if mass > 0 else math.nan
