"""Checks for rows and documents that a query has twice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankine import _core
from rankine.data import Dataset
from rankine.data.rows import thread_count
from rankine.report.checks.finding import Finding, count_of, query_of_row, row_number, some_queries


def equal_rows(data: Dataset) -> Iterator[Finding]:
    """Rows with the features of an earlier row of their query, with the same label or another."""
    g, n_threads = data.grouped, thread_count(None)
    hashes = _core.row_hashes(g.rows.native, n_threads)
    first = _core.first_equal(g.rows.native, g.query_ptr, hashes, n_threads)
    again = np.flatnonzero(first != np.arange(data.n_rows))
    differs = g.label[again] != g.label[first[again]]
    query = query_of_row(data)
    for code, rows, what, remedy in (
        (
            "contradicting-rows",
            again[differs],
            "another label",
            "No model can tell them apart. Merge their labels, or add the feature that they differ in.",
        ),
        (
            "equal-rows",
            again[~differs],
            "the same label",
            "If they are one document, keep one of them: what is repeated weighs more.",
        ),
    ):
        if len(rows) == 0:
            continue
        pairs = [[row_number(data, first[i]), row_number(data, i)] for i in rows[:100]]
        share = len(rows) / data.n_rows
        yield Finding(
            "warning" if code == "contradicting-rows" else "note",
            code,
            f"Earlier rows of their query are repeated, with {what}, by {count_of(len(rows), 'row')} ({share:.1%}): "
            f"rows {pairs[0][0]} and {pairs[0][1]} of {some_queries(data, query[rows[:1]])} are the first.",
            remedy,
            {"count": len(rows), "share": share, "rows": pairs},
        )


def documents_given_twice(data: Dataset) -> Iterator[Finding]:
    """Document ids that occur again within a query; rows without an id do not count."""
    if data.doc_ids is None:
        return
    named = data.doc_ids.tolist()
    known = {document: code for code, document in enumerate(dict.fromkeys(named))}
    if len(known) == data.n_rows:
        return
    code = data.group(np.fromiter(map(known.__getitem__, named), np.int64, data.n_rows))
    query = query_of_row(data)
    order = np.lexsort((code, query))
    same = (np.diff(code[order]) == 0) & (np.diff(query[order]) == 0)
    again = np.sort(order[1:][same])
    again = again[~np.isin(code[again], [known.get("", -1), known.get(None, -1)])]
    if len(again):
        documents = data.group(data.doc_ids)[again[:100]].tolist()
        yield Finding(
            "warning",
            "documents-given-twice",
            f"Documents that their query has already are named by {count_of(len(again), 'row')} "
            f"({len(again) / data.n_rows:.1%}): document {documents[0]!r} in row {row_number(data, again[0])}, of "
            f"{some_queries(data, query[again[:1]])}, is the first.",
            "Keep one row for each document of a query, or correct the ids.",
            {
                "count": len(again),
                "rows": [row_number(data, i) for i in again[:100]],
                "documents": [str(document) for document in documents],
            },
        )
