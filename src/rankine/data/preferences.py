"""Preferences: pairs of rows of a query, said one by one to be in this order, beside the labels or in their stead.

In a file each is a line `qid winner loser [weight]`, with the ids of two documents of the query; `#` begins a comment.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankine.data.errors import DataError
from rankine.data.rows import Vector, freeze

if TYPE_CHECKING:
    from rankine.data.dataset import Dataset


@dataclass(frozen=True, eq=False)
class Preferences:
    """Pairs of grouped rows.

    Parameters
    ----------
    winner, loser
        The grouped rows of each pair.
    weight
        The weight of each pair.
    """

    winner: NDArray[np.int64]
    loser: NDArray[np.int64]
    weight: Vector

    def __len__(self) -> int:
        return len(self.winner)

    def moved(self, rank: NDArray[np.int64]) -> Preferences:
        """Those whose rows stay, which is decided by query, with row i now at rank[i]; -1 is gone."""
        kept = rank[self.winner] >= 0
        return Preferences(freeze(rank[self.winner[kept]]), freeze(rank[self.loser[kept]]), freeze(self.weight[kept]))


def of_rows(given: Iterable[Sequence[Any]], data: Dataset) -> Preferences:
    """Preferences between rows, named by their numbers in the caller's order, or by document ids.

    Parameters
    ----------
    given
        Tuples (winner, loser) or (winner, loser, weight).
    data
        The data set of the rows.
    """
    entries = given.tolist() if isinstance(given, np.ndarray) else list(given)
    named = _documents(data) if any(isinstance(side, str) for entry in entries for side in entry[:2]) else {}
    winner, loser, weight = [], [], []
    for at, entry in enumerate(entries):
        where = f"preferences[{at}]"
        if not 2 <= len(entry) <= 3:
            raise DataError(f"{where} is {tuple(entry)!r}; (winner, loser) or (winner, loser, weight) is expected")
        a, b = (_row(side, where, data, named) for side in entry[:2])
        winner.append(a)
        loser.append(b)
        weight.append(_weight(entry[2] if len(entry) == 3 else 1.0, where))
    return _checked(data, winner, loser, weight, [f"preferences[{at}]" for at in range(len(entries))])


def read(path: str, data: Dataset) -> Preferences:
    """Preferences from a file, between documents of the data.

    Parameters
    ----------
    path
        A text file of lines `qid winner loser [weight]`.
    data
        The data set of the documents, which must have document ids.
    """
    if data.doc_ids is None:
        raise DataError(f"{path} names documents, but the data has no document ids")
    named = _documents_of_queries(data)
    queries = {query for query, _ in named}
    winner, loser, weight, places = [], [], [], []
    with Path(path).open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            words = line.partition("#")[0].split()
            if not words:
                continue
            where = f"{path}, line {number}"
            if not 3 <= len(words) <= 4:
                raise DataError(f"{where} has {len(words)} words; `qid winner loser [weight]` is expected")
            query, *sides = words[:3]
            for side in sides:
                if (query, side) not in named:
                    lacks = (
                        f"query {query!r} has no document {side!r}" if query in queries else f"no query is {query!r}"
                    )
                    raise DataError(f"{where}: {lacks} in the data")
                if named[query, side] < 0:
                    raise DataError(f"{where}: several rows of query {query!r} have the document id {side!r}")
            winner.append(named[query, sides[0]])
            loser.append(named[query, sides[1]])
            weight.append(_weight(words[3] if len(words) == 4 else 1.0, where))
            places.append(where)
    return _checked(data, winner, loser, weight, places)


def _checked(data: Dataset, winner: list[int], loser: list[int], weight: list[float], places: list[str]) -> Preferences:
    a, b = np.array(winner, np.int64), np.array(loser, np.int64)
    same = np.flatnonzero(a == b)
    if len(same):
        raise DataError(f"{places[same[0]]}: a row cannot be preferred to itself")
    rank = np.empty(data.n_rows, np.int64)
    rank[np.arange(data.n_rows) if data.order is None else data.order] = np.arange(data.n_rows)
    a, b = rank[a], rank[b]
    query_a, query_b = (np.searchsorted(data.grouped.query_ptr, side, side="right") for side in (a, b))
    apart = np.flatnonzero(query_a != query_b)
    if len(apart):
        first = apart[0]
        ids = [data.query_ids[query[first] - 1] for query in (query_a, query_b)]
        raise DataError(f"{places[first]} compares rows of two queries, {ids[0]!s} and {ids[1]!s}")
    return Preferences(freeze(a), freeze(b), freeze(np.array(weight, np.float64)))


def _weight(value: Any, where: str) -> float:
    try:
        weight = float(value)
    except (TypeError, ValueError):
        raise DataError(f"{where}: the weight is {value!r}; it must be a number") from None
    if not (math.isfinite(weight) and weight >= 0):
        raise DataError(f"{where}: the weight is {weight:g}; it must be finite and not negative")
    return weight


def _row(side: Any, where: str, data: Dataset, named: dict[str, int]) -> int:
    if isinstance(side, str):
        if side not in named:
            raise DataError(f"{where}: no document is {side!r}")
        if named[side] < 0:
            raise DataError(f"{where}: several rows have the document id {side!r}; name them by their numbers")
        return named[side]
    try:
        row = int(side)
    except (TypeError, ValueError):
        row = -1
    if row != side or not 0 <= row < data.n_rows:
        raise DataError(f"{where}: {side!r} is no row; rows have numbers from 0 to {data.n_rows - 1}")
    return row


def _documents(data: Dataset) -> dict[str, int]:
    """The row of each document id, -1 for ids of several rows."""
    if data.doc_ids is None:
        raise DataError("preferences name documents, but the data has no document ids")
    found: dict[str, int] = {}
    for row, name in enumerate(data.doc_ids.tolist()):
        found[str(name)] = -1 if str(name) in found else row
    return found


def _documents_of_queries(data: Dataset) -> dict[tuple[str, str], int]:
    """The row of each document id of each query, -1 for ids of several rows."""
    assert data.doc_ids is not None
    found: dict[tuple[str, str], int] = {}
    for row, (query, name) in enumerate(zip(data.qid.tolist(), data.doc_ids.tolist(), strict=True)):
        found[str(query), str(name)] = -1 if (str(query), str(name)) in found else row
    return found
