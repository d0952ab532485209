"""`rankine predict MODEL DATA`: scores, one a line in the order of the rows, or a TREC run."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import repeat
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter

from rankine.cli.picking import PICKING, Picking
from rankine.cli.reading import READING, Paths, Reading
from rankine.data import DataError, Dataset, Vector
from rankine.data.atomic import open_atomically, writable


def predict(
    model: str,
    data: Paths,
    *,
    output: Annotated[str | None, Parameter(name=["--output", "-o"])] = None,
    trec: bool = False,
    tag: str = "rankine",
    picking: Picking = PICKING,
    reading: Reading = READING,
) -> None:
    """Score the rows of files: one score a line in the order of the rows, so that `paste` puts them beside their rows.

    Parameters
    ----------
    model
        A file that `rankine train` wrote, or `rankine path`.
    data
        Files of rows; labels are not looked at.
    output
        Where scores go, standard output by default.
    trec
        Write a TREC run instead: `query Q0 document rank score tag`, best first. Documents without an id are numbered
        by their rows from 1.
    tag
        The last column of a TREC run.
    """
    if output == "-":
        output = None
    if output is not None:
        writable(output)
    ranker = picking(model)
    rows = reading(data, like=ranker)
    score = ranker.score(rows)
    lines = trec_lines(rows, score, tag) if trec else map(repr, score.tolist())
    text = "".join(f"{line}\n" for line in lines)
    if output is None:
        sys.stdout.write(text)
    else:
        with open_atomically(output) as stream:
            stream.write(text)


def trec_lines(rows: Dataset, score: Vector, tag: str) -> Iterable[str]:
    """The lines of a TREC run, whose columns are words."""
    ptr = rows.grouped.query_ptr
    query = np.repeat(np.arange(rows.n_queries), np.diff(ptr))
    best_first = np.lexsort((-rows.group(score), query))
    rank = np.arange(1, rows.n_rows + 1) - ptr[query]
    caller = best_first if rows.order is None else rows.order[best_first]
    documents = (caller + 1).tolist()
    if rows.doc_ids is not None:
        named = rows.doc_ids[caller].tolist()
        documents = [row if name in ("", None) else name for name, row in zip(named, documents, strict=True)]
    queries = _words("query id", rows.query_ids.tolist())
    return map(
        "{} Q0 {} {} {!r} {}".format,
        [queries[q] for q in query.tolist()],
        _words("document id", documents),
        rank.tolist(),
        score[caller].tolist(),
        repeat(*_words("tag", [tag])),
    )


def _words(what: str, values: list[Any]) -> list[str]:
    words = [str(value) for value in values]
    for word in words:
        if len(word.split()) != 1:
            raise DataError(f"the {what} {word!r} is not one word, which a TREC run needs")
    return words
