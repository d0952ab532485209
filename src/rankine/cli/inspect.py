"""`rankine inspect MODEL|DATA`: what a model has learned, or what a data file holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rankine.cli.console import emit, emit_json, facts, power, summary_of_fit, table
from rankine.cli.picking import PICKING, Picking
from rankine.cli.reading import READING, File, Reading
from rankine.data import Dataset
from rankine.data.rows import DENSE_FROM
from rankine.model import Model


def inspect(
    file: File,
    *,
    top: int = 20,
    json: bool = False,
    picking: Picking = PICKING,
    reading: Reading = READING,
) -> None:
    """Show what a model or a data file holds.

    Parameters
    ----------
    file
        A model that `rankine train` wrote, the models of `rankine path`, or a data file.
    top
        How many features to list, those with the largest weights first; 0 lists all.
    json
        Print one JSON object instead of text for people.
    """
    if is_model(file):
        models = picking.all(file)
        if len(models) == 1:
            _show_model(models[0], top, json)
        else:
            _show_models(models, json)
    else:
        _show_data(reading.with_gaps()([file]), json)


def is_model(path: str) -> bool:
    """Whether a file is meant to be a model: told from its first bytes, so that damaged models are reported as such."""
    if path == "-" or not Path(path).is_file():
        return False
    with Path(path).open("rb") as stream:
        head = stream.read(9)
    return head[:1] == b"{" or head[8:9] == b"{"


def _show_model(model: Model, top: int, json: bool) -> None:
    order = np.argsort(-np.abs(model.weights), kind="stable")
    order = order[model.weights[order] != 0]
    if json:
        weights = {model.name_of(j): float(w) for j, w in enumerate(model.weights)}
        emit_json({"kind": "model", **model.describe(), "weights": weights})
        return
    shown = order[:top] if top > 0 else order
    emit(facts(summary_of_fit(model)))
    emit()
    header, rows = ["feature", "weight"], [[model.name_of(j), f"{model.weights[j]:+.6g}"] for j in shown]
    if model.scaling is not None:
        header.append(f"on {model.scaling.kind}-scaled features")
        rows = [
            [*row, f"{model.weights[j] / model.scaling.factor[j]:+.6g}"] for j, row in zip(shown, rows, strict=True)
        ]
    emit(table(header, rows))
    rest = len(order) - len(shown)
    zero = len(model.weights) - len(order)
    if rest or zero:
        emit(f"\nand {rest:,} smaller weights, {zero:,} zero (--top 0 lists all that are not zero)")


def _show_models(models: list[Model], json: bool) -> None:
    if json:
        emit_json({"kind": "models", "models": [model.describe() for model in models]})
        return
    lines = []
    for number, model in enumerate(models, start=1):
        C, o = model.parameters.get("C"), model.outcome
        fit = ["", ""] if o is None else [f"{o.objective:.6g}", f"{o.gap:.2g}"]
        lines.append([str(number), power(C), *fit, f"{np.linalg.norm(model.weights):.4g}"])
    emit(table(["index", "C", "objective", "gap", "norm"], lines))
    emit("\n--C or --index shows one of them")


def data_summary(data: Dataset) -> dict[str, Any]:
    """What a data set holds, as plain values."""
    g = data.grouped
    sizes = np.diff(g.query_ptr)
    labels, counts = np.unique(g.label, return_counts=True)
    n_levels = np.zeros(data.n_queries, np.int64)
    filled = sizes > 0
    if filled.any():
        n_levels[filled] = np.maximum.reduceat(g.level, g.query_ptr[:-1][filled]) + 1
    quantiles = np.quantile(sizes, [0, 0.5, 1]).astype(int).tolist() if len(sizes) else [0, 0, 0]
    return {
        "source": data.source,
        "rows": data.n_rows,
        "queries": data.n_queries,
        "features": data.n_features,
        "storage": "sparse" if g.rows.is_sparse else "dense",
        "dtype": str(g.rows.dtype),
        "filled": g.rows.filled,
        "missing": 0 if g.gaps is None else len(g.gaps),
        "constant_features": int((g.rows.columns.least == g.rows.columns.greatest).sum()) if data.n_rows else 0,
        "rows_per_query": dict(zip(["least", "median", "greatest"], quantiles, strict=True)),
        "queries_with_one_label": int((n_levels < 2).sum()),
        "labels": {f"{label:g}": int(count) for label, count in zip(labels[:50], counts[:50], strict=True)},
        "distinct_labels": len(labels),
        "documents": data.doc_ids is not None,
        "feature_names": None if data.feature_names is None else list(data.feature_names),
        "fingerprint": data.fingerprint,
    }


def _show_data(data: Dataset, json: bool) -> None:
    found = data_summary(data)
    if json:
        emit_json({"kind": "data", **found})
        return
    per_query = found["rows_per_query"]
    shares = ", ".join(f"{label}: {count / max(data.n_rows, 1):.1%}" for label, count in found["labels"].items())
    many = found["distinct_labels"]
    missing = "no value"
    if data.grouped.gaps is not None:
        n_columns = np.count_nonzero(data.grouped.gaps.counts(data.n_features))
        missing = f"{found['missing']:,} values, of {n_columns:,} features"
    lines = [
        ("data", found["source"]),
        ("rows", f"{data.n_rows:,}"),
        (
            "queries",
            f"{data.n_queries:,} of {per_query['least']:,} to {per_query['greatest']:,} rows (median "
            f"{per_query['median']:,}), {found['queries_with_one_label']:,} with one label only",
        ),
        ("features", f"{data.n_features:,}, {found['constant_features']:,} of them constant"),
        (
            "storage",
            f"{found['storage']} {found['dtype']}: {found['filled']:.1%} of the cells are not zero (from "
            f"{DENSE_FROM:.0%} on, text is kept dense)",
        ),
        ("missing", missing),
        ("labels", shares if many <= 20 else f"{many:,} different, {data.label.min():g} to {data.label.max():g}"),
        ("documents", "have ids" if found["documents"] else "have no ids"),
        ("fingerprint", found["fingerprint"]),
    ]
    emit(facts(lines))
