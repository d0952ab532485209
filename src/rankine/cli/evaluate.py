"""`rankine evaluate MODEL DATA`: metrics of a model on judged rows."""

from __future__ import annotations

import csv
from typing import Literal

from rankine.cli.console import emit, emit_json, table
from rankine.cli.reading import READING, Paths, Reading
from rankine.data.atomic import open_atomically
from rankine.metrics import Metric
from rankine.model import load

METRICS = "pair_accuracy nDCG@5 nDCG@10 AP RR"


def evaluate(
    model: str,
    data: Paths,
    *,
    metrics: str = METRICS,
    dialect: str | None = None,
    gain: Literal["exp2", "linear"] | None = None,
    empty: Literal["skip", "zero", "one"] | None = None,
    ties: str | None = None,
    per_query: str | None = None,
    json: bool = False,
    reading: Reading = READING,
) -> None:
    """Measure how well a model ranks judged rows.

    Parameters
    ----------
    model
        A file that `rankine train` wrote.
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
        What a query without a relevant row counts.
    ties
        How tied scores count: input, worst, average, or half.
    per_query
        A CSV file for the metrics of each query.
    json
        Print one JSON object instead of a table.
    """
    from rankine.cli.app import UsageError

    names = metrics.replace(",", " ").split()
    try:
        for name in names:
            Metric.parse(name)
    except ValueError as error:
        raise UsageError(str(error)) from None
    ranker = load(model)
    rows = reading(data, None if ranker.feature_names is not None else ranker.n_features)
    emit(str((names, dialect, gain, empty, ties, per_query, json, csv, emit_json, table, open_atomically, rows)))
