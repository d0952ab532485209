"""`rankine evaluate MODEL DATA`: metrics of a model on judged rows."""

from __future__ import annotations

import csv
import math
from typing import Any, Literal

from rankine.cli.console import emit, emit_json, facts, table
from rankine.cli.flags import UsageError
from rankine.cli.picking import PICKING, Picking
from rankine.cli.reading import READING, Paths, Reading
from rankine.data import Dataset, Vector
from rankine.data.atomic import open_atomically, writable
from rankine.metrics import Metric
from rankine.metrics import evaluate as measure
from rankine.metrics.dialects import dialect_named
from rankine.metrics.evaluation import DEFAULT_METRICS
from rankine.metrics.metric import split_names


def evaluate(
    model: str,
    data: Paths,
    *,
    metrics: str = DEFAULT_METRICS,
    dialect: str | None = None,
    gain: Literal["exp2", "linear"] | None = None,
    empty: Literal["skip", "zero", "half", "one"] | None = None,
    ties: Literal["input", "reverse", "worst", "average", "half"] | None = None,
    per_query: str | None = None,
    json: bool = False,
    picking: Picking = PICKING,
    reading: Reading = READING,
) -> None:
    """Measure how well a model ranks judged rows.

    Parameters
    ----------
    model
        A file that `rankine train` wrote, or `rankine path`.
    data
        Files of judged rows, read as one data set.
    metrics
        What to measure, names with spaces between: nDCG, nDCG@k, MeanNDCG, AP, P@k, R@k, RR, ERR@k, pair_accuracy, AUC,
        domination_error, kendall_tau, spearman.
    dialect
        Measure as another tool does: letor3, letor4, mslr, yahoo, trec_eval, sklearn, lightgbm, xgboost, catboost.
    gain
        What a label is worth in nDCG: 2^label - 1, or the label.
    empty
        What a query without a relevant row counts; "skip" leaves it out.
    ties
        How tied scores count: in the order of the rows, its reverse, the worst order, or as the average of all orders;
        "half" is that, and counts a tied pair half in pair_accuracy.
    per_query
        A CSV file for the metrics of each query.
    json
        Print one JSON object instead of a table.
    """
    names = split_names(metrics)
    if not names:
        raise UsageError("--metrics is empty; name some, such as: --metrics 'pair_accuracy nDCG@10'")
    try:
        for name in names:
            Metric.parse(name)
        dialect_named(dialect).with_knobs(gain, empty, ties)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if per_query is not None:
        writable(per_query)
    ranker = picking(model)
    rows = reading(data, like=ranker)
    score = ranker.score(rows)
    knobs: dict[str, Any] = {"dialect": dialect, "gain": gain, "empty": empty, "ties": ties}
    found = measure(rows.label, score, rows.qid, names, **knobs)
    if per_query is not None:
        _write_per_query(per_query, names, rows, score, knobs)
    if json:
        chosen = {name: knob for name, knob in knobs.items() if knob is not None}
        summary = {"model": model, "data": rows.source, "rows": rows.n_rows, "queries": rows.n_queries}
        emit_json({"metrics": found, **summary, **chosen})
        return
    emit(facts([("model", model), ("data", f"{rows.source}: {rows.n_rows:,} rows, {rows.n_queries:,} queries")]))
    emit()
    emit(table(["metric", "value"], [[name, f"{value:.6f}"] for name, value in found.items()]))


def _write_per_query(path: str, names: list[str], rows: Dataset, score: Vector, knobs: dict[str, Any]) -> None:
    values = measure(rows.label, score, rows.qid, names, per_query=True, **knobs)
    with open_atomically(path) as stream:
        lines = csv.writer(stream, lineterminator="\n")
        lines.writerow(["qid", *names])
        columns = [values[name].tolist() for name in names]
        for qid, *row in zip(values.qid.tolist(), *columns, strict=True):
            lines.writerow([qid, *("" if math.isnan(value) else repr(value) for value in row)])
