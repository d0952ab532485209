"""Checks of queries: those that teach nothing, one that decides alone, and those whose rows do not stand together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankine import _core
from rankine.data import Dataset
from rankine.report.checks.finding import Finding, count_of, query_details, some_queries


def queries_with_one_label(data: Dataset) -> Iterator[Finding]:
    """Queries that have no pair."""
    g = data.grouped
    sizes = np.diff(g.query_ptr)
    filled = np.flatnonzero(sizes)
    one = filled[np.maximum.reduceat(g.level, g.query_ptr[filled]) == 0]
    if (g.label == g.label[0]).all():
        yield Finding(
            "error",
            "labels-equal",
            f"Nothing to rank: all labels are {g.label[0]:g}.",
            "Rows of a query must differ in label; were labels read from the right place?",
        )
    elif len(one) == len(filled) == data.n_rows:
        yield Finding(
            "error",
            "queries-of-one-row",
            "Nothing to rank: every row has a query id of its own.",
            "The query id must be the same for all rows that compete; is it the id of the row or of the document?",
        )
    elif len(one) == len(filled):
        yield Finding(
            "error",
            "queries-of-one-label",
            "Nothing to rank: labels differ between queries only, never within one.",
            "Some query needs two labels; are rows grouped by the right id?",
        )
    elif len(one):
        single, share = int((sizes == 1).sum()), len(one) / len(filled)
        yield Finding(
            "warning" if share >= 0.5 else "note",
            "queries-of-one-label",
            f"There is but one label in {len(one):,} of {len(filled):,} queries ({share:.1%})"
            f"{f', and but one row in {single:,} of them' if single else ''}: {some_queries(data, one)}.",
            "They teach nothing and cost little. Metrics count them differently: see empty= and dialect=.",
            {**query_details(data, one), "share": share, "of_one_row": single},
        )


def query_that_decides(data: Dataset) -> Iterator[Finding]:
    """One query that has most of the pairs."""
    pairs = _core.pair_mass(_core.Queries(data.grouped.query_ptr, data.grouped.level, None, None, False))
    top = np.array([pairs.argmax()])
    share = float(pairs[top[0]] / max(pairs.sum(), 1))
    if (pairs > 0).sum() >= 10 and share > 0.5:
        yield Finding(
            "note",
            "query-that-decides",
            f"One query of {data.n_queries:,} holds {share:.1%} of all pairs: {some_queries(data, top)}.",
            "It decides what is learned, unless queries count the same: pair_weight='query' (--pair-weight query).",
            {**query_details(data, top), "share": share},
        )


def scattered_queries(data: Dataset) -> Iterator[Finding]:
    """Queries with rows of others between theirs."""
    if data.order is None:
        return
    ptr = data.grouped.query_ptr
    filled = np.flatnonzero(np.diff(ptr))
    first, last = data.order[ptr[filled]], data.order[ptr[filled + 1] - 1]
    apart = filled[last - first + 1 != np.diff(ptr)[filled]]
    if len(apart):
        yield Finding(
            "note",
            "scattered-queries",
            f"The rows of {count_of(len(apart), 'query', 'queries')} do not stand together: "
            f"{some_queries(data, apart)}.",
            "Rankine brings them together; other tools may take the parts for several queries. If files that were put "
            "together each count their queries from 1, different queries now share an id.",
            query_details(data, apart),
        )
