"""Rows of scored blocks, ranked query by query as soon as their queries are complete.

A query is complete when one that began after it goes on at the end of a block. A query of which more rows come later
still is `Scattered`; whoever expects that holds all rows back until the end. Either way, queries stand in the order of
their first rows, and tied rows in their order.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankine.data import DataError, Vector
from rankine.data.grouping import Runs
from rankine.data.rows import Array

# So many rows wait, at least, before those that are not among the best of their query are dropped.
_MANY = 1 << 16


class Scored(NamedTuple):
    """Rows in the order of their file, the first of which is row `first`, counted from 0."""

    runs: Runs
    score: Vector
    doc_ids: Array | None
    first: int


class Ranked(NamedTuple):
    """Rows of whole queries, one query after another, the best rows first."""

    ids: list[Any]
    query: NDArray[np.int64]  # which of the ids
    rank: NDArray[np.int64]
    row: NDArray[np.int64]
    score: Vector
    doc_ids: Array | None

    @property
    def documents(self) -> Array:
        """The document id of each row: its number from 1, where it has none."""
        if self.doc_ids is None:
            return self.row + 1
        lacking = (self.doc_ids == "") | (self.doc_ids == None)  # noqa: E711
        return np.where(lacking, (self.row + 1).astype(str), self.doc_ids) if np.any(lacking) else self.doc_ids


class Scattered(DataError):
    """A query goes on after it was ranked."""


@dataclass(frozen=True)
class _Rows:
    """Rows that wait for the rest of their queries."""

    query: NDArray[np.int64]
    row: NDArray[np.int64]
    score: Vector
    doc_ids: Array | None

    def take(self, which: Array) -> _Rows:
        return _Rows(self.query[which], self.row[which], self.score[which], _of(self.doc_ids, which))

    @classmethod
    def joined(cls, parts: list[_Rows]) -> _Rows:
        columns = {
            entry.name: np.concatenate([getattr(part, entry.name) for part in parts])
            for entry in fields(cls)
            if entry.name != "doc_ids"
        }
        doc_ids = None
        if any(part.doc_ids is not None for part in parts):
            doc_ids = np.concatenate(
                [np.full(len(part.row), "") if part.doc_ids is None else part.doc_ids for part in parts]
            )
        return cls(**columns, doc_ids=doc_ids)


class Ranking:
    """Ranks blocks of rows.

    Parameters
    ----------
    top
        How many rows of each query are wanted, all if None.
    hold
        Hold all rows back until the end, so that queries may be scattered.
    """

    def __init__(self, top: int | None = None, *, hold: bool = False):
        self.top, self.hold = top, hold
        self._open: dict[str, int] = {}  # the number of each query that may go on, in the order of their first rows
        self._ids: list[Any] = []  # their ids
        self._ranked: set[int] = set()  # hashes of the others, because ids of millions of queries would need more room
        self._first = 0  # the lowest number of an open query
        self._waiting: list[_Rows] = []
        self._most = _MANY

    def add(self, block: Scored) -> Ranked | None:
        """Take some rows, and give those of the queries that they complete."""
        numbers, at = [], block.first
        for value, size in zip(block.runs.ids.tolist(), block.runs.sizes.tolist(), strict=True):
            name = str(value)
            if name not in self._open:
                if hash(name) in self._ranked:
                    raise Scattered(f"query {name!r} goes on in row {at + 1}, after rows of other queries")
                self._open[name] = self._first + len(self._ids)
                self._ids.append(value)
            numbers.append(self._open[name])
            at += size
        query = np.repeat(np.array(numbers, np.int64), block.runs.sizes)
        self._waiting.append(_Rows(query, np.arange(block.first, at), block.score, block.doc_ids))
        if not self.hold and numbers[-1] > self._first:
            return self._complete(numbers[-1])
        if self.top is not None and sum(len(part.row) for part in self._waiting) > self._most:
            rows = _Rows.joined(self._waiting)
            order, _ = self._best_first(rows)
            self._waiting = [rows.take(np.sort(order))]
            self._most = max(_MANY, 2 * len(order))
        return None

    def finish(self) -> Ranked | None:
        """Give all that waits."""
        return self._complete(self._first + len(self._ids)) if self._ids else None

    def _complete(self, end: int) -> Ranked:
        """Rank the queries whose numbers are below `end`."""
        n_done = end - self._first
        waiting = _Rows.joined(self._waiting)
        done = waiting.query < end
        self._waiting = [waiting.take(~done)]
        rows = waiting.take(done)
        order, rank = self._best_first(rows)
        rows = rows.take(order)
        ids, self._ids = self._ids[:n_done], self._ids[n_done:]
        for name in list(self._open)[:n_done]:
            del self._open[name]
            self._ranked.add(hash(name))
        ranked = Ranked(ids, rows.query - self._first, rank, rows.row, rows.score, rows.doc_ids)
        self._first = end
        return ranked

    def _best_first(self, rows: _Rows) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The wanted rows, query by query, and their ranks."""
        order = np.lexsort((-rows.score, rows.query))
        query = rows.query[order]
        rank = np.arange(1, len(order) + 1) - np.searchsorted(query, query)
        wanted = slice(None) if self.top is None else rank <= self.top
        return order[wanted], rank[wanted]


def _of(values: Array | None, which: Array) -> Array | None:
    return None if values is None else values[which]
