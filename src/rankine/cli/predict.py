"""`rankine predict MODEL DATA`: scores, one a line in the order of the rows, or a TREC run."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import repeat
from typing import Annotated

import numpy as np
from cyclopts import Parameter

from rankine.cli.reading import READING, Paths, Reading
from rankine.data import Dataset, Vector
from rankine.data.atomic import open_atomically
from rankine.model import load


def predict(
    model: str,
    data: Paths,
    *,
    output: Annotated[str | None, Parameter(name=["--output", "-o"])] = None,
    trec: bool = False,
    tag: str = "rankine",
    reading: Reading = READING,
) -> None:
    """Score the rows of files: one score a line in the order of the rows, so that `paste` puts them beside their rows.

    Parameters
    ----------
    model
        A file that `rankine train` wrote.
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
    ranker = load(model)
    rows = reading(data, like=ranker)
    score = ranker.score(rows)
    lines = trec_lines(rows, score, tag) if trec else map(repr, score.tolist())
    text = "".join(f"{line}\n" for line in lines)
    if output is None or output == "-":
        sys.stdout.write(text)
    else:
        with open_atomically(output) as stream:
            stream.write(text)


def trec_lines(rows: Dataset, score: Vector, tag: str) -> Iterable[str]:
    """The lines of a TREC run."""
    ptr = rows.grouped.query_ptr
    query = np.repeat(np.arange(rows.n_queries), np.diff(ptr))
    best_first = np.lexsort((-rows.group(score), query))
    rank = np.arange(1, rows.n_rows + 1) - ptr[query]
    caller = best_first if rows.order is None else rows.order[best_first]
    documents = np.arange(1, rows.n_rows + 1).astype(str) if rows.doc_ids is None else rows.doc_ids
    return map(
        "{} Q0 {} {} {!r} {}".format,
        rows.query_ids[query].tolist(),
        documents[caller].tolist(),
        rank.tolist(),
        score[caller].tolist(),
        repeat(tag),
    )
