"""`rankine predict MODEL DATA`: scores, one a line in the order of the rows, or the best rows of each query.

Files are read, scored and written block by block, so that their size does not matter.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable, Iterator
from itertools import repeat
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter
from cyclopts.validators import Number

from rankine import _core
from rankine.cli.console import working
from rankine.cli.flags import UsageError
from rankine.cli.picking import PICKING, Picking
from rankine.cli.ranking import Ranked, Ranking, Scattered, Scored
from rankine.cli.reading import READING, Paths, Reading
from rankine.data import DataError, Vector
from rankine.data.atomic import open_atomically, writable
from rankine.data.files import format_of
from rankine.data.rows import thread_count
from rankine.data.table import Table
from rankine.model.scorer import Scorer


def predict(
    model: str,
    data: Paths,
    *,
    output: Annotated[str | None, Parameter(name=["--output", "-o"])] = None,
    top: Annotated[int | None, Parameter(validator=Number(gte=1))] = None,
    trec: bool = False,
    tag: str = "rankine",
    picking: Picking = PICKING,
    scattered: bool = False,
    allow_missing: bool = False,
    reading: Reading = READING,
) -> None:
    """Score the rows of files: one score a line in the order of the rows, so that `paste` puts them beside their rows.

    Text and Parquet are read, scored and written some megabytes at a time, whatever their size; .npz is read whole.

    Parameters
    ----------
    model
        A file that `rankine train` wrote, or `rankine path`.
    data
        Files of rows; labels are not looked at.
    output
        Where scores go, standard output by default. A .parquet file gets the columns qid, docid (if documents have
        ids) and score, and with --top also rank.
    top
        Write only so many rows of each query, best first, as a TREC run (--trec) or to a .parquet file.
    trec
        Write a TREC run instead: `query Q0 document rank score tag`, best first. Documents without an id are numbered
        by their rows from 1.
    tag
        The last column of a TREC run.
    scattered
        Queries are ranked (--trec, --top) when their rows end, for which these should lie together. With this flag they
        may lie anywhere: all scores and document ids are held in memory until the end, 24 bytes a row and the ids.
        Without it that happens if a query goes on after others, at the cost of reading the files again; standard
        input cannot be read, nor standard output written, again.
    allow_missing
        Score data that lacks features of the model, which then count as 0, or has others, which are left out. Features
        are matched by their names where there are names, by their numbers otherwise.
    """
    if output == "-":
        output = None
    parquet = output is not None and format_of(output) == "parquet"
    if parquet and trec:
        raise UsageError("a TREC run is text; leave out --trec, or name an output that does not end in .parquet")
    if top is not None and not (parquet or trec):
        raise UsageError("--top leaves rows out, so that lines of scores would not tell their rows; add --trec")
    if output is not None:
        writable(output)
    _words("tag", [tag])
    name = ", ".join("standard input" if path == "-" else path for path in data)
    scorer = Scorer(
        picking(model), name, allow_missing=allow_missing, remedy="; --allow-missing scores what both have in common"
    )
    ranks = trec or top is not None

    def run(*, hold: bool) -> None:
        tables = reading.blocks(data, scorer.model, allow_missing=allow_missing, queries=ranks or parquet)
        parts: Iterator[Scored | Ranked] = _scored(tables, scorer)
        if ranks:
            parts = _ranked(_scored(tables, scorer), Ranking(top, hold=hold))
        busy = contextlib.nullcontext() if output is None else working(f"scoring {name}")
        with _opened(output) as write, busy:
            for part in parts:
                write(
                    _columns(part) if parquet else _run(part, tag) if isinstance(part, Ranked) else _lines(part.score)
                )

    try:
        run(hold=scattered)
    except Scattered as error:
        if not _repeatable(data, output):
            raise DataError(
                f"{name}: {error}, and its rank is written already; say that rows of a query may lie anywhere: "
                "--scattered"
            ) from None
        warnings.warn(f"{name}: {error}; reading again, as with --scattered", stacklevel=1)
        run(hold=True)


def _repeatable(data: list[str], output: str | None) -> bool:
    """Whether all can be read, and written, from the start again."""
    if output is None or not all(Path(path).is_file() for path in data):
        return False
    target = writable(output)
    return target.is_file() or not target.exists()


def _scored(blocks: Iterator[Table], scorer: Scorer) -> Iterator[Scored]:
    first = 0
    for table in blocks:
        yield Scored(table.runs, scorer(table.rows, table.feature_names), table.doc_ids, first)
        first += table.rows.n_rows


def _ranked(blocks: Iterator[Scored], ranking: Ranking) -> Iterator[Ranked]:
    for block in blocks:
        if (ranked := ranking.add(block)) is not None:
            yield ranked
    if (ranked := ranking.finish()) is not None:
        yield ranked


# What is written ------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _opened(output: str | None) -> Iterator[Callable[[Any], object]]:
    """What writes parts of the output: text, or columns of a Parquet file."""
    if output is None:

        def write(text: str) -> None:
            sys.stdout.write(text)
            sys.stdout.flush()

        yield write
    elif format_of(output) == "parquet":
        from rankine.data.parquet import columns_written

        with columns_written(output) as write_columns:
            yield write_columns
    else:
        with open_atomically(output) as stream:
            yield lambda text: stream.write(text)


def _lines(score: Vector) -> str:
    return "".join(_core.number_lines(score, thread_count(None)))


def _columns(part: Scored | Ranked) -> dict[str, Any]:
    if isinstance(part, Ranked):
        ids = np.asarray(part.ids)[part.query]
        return {"qid": ids, "docid": part.documents, "score": part.score, "rank": part.rank}
    documents = {} if part.doc_ids is None else {"docid": part.doc_ids}
    return {"qid": np.repeat(part.runs.ids, part.runs.sizes), **documents, "score": part.score}


def _run(ranked: Ranked, tag: str) -> str:
    """The lines of a TREC run, whose columns are words."""
    queries = _words("query id", ranked.ids)
    lines = map(
        "{} Q0 {} {} {} {}\n".format,
        [queries[q] for q in ranked.query.tolist()],
        _words("document id", ranked.documents.tolist()),
        ranked.rank.tolist(),
        _lines(ranked.score).split(),
        repeat(tag),
    )
    return "".join(lines)


def _words(what: str, values: list[Any]) -> list[str]:
    words = list(map(str, values))
    if "\n".join(words).split() != words:
        word = next(word for word in words if word.split() != [word])
        raise DataError(f"the {what} {word!r} is not one word, which a TREC run needs")
    return words
