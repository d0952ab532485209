"""Queries from ids in any order and of any type, or from group sizes.

Rows are brought together by a stable sort, queries in the order of their first row; rows that are together already are
not moved.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankine.data.errors import DataError
from rankine.data.frames import column
from rankine.data.rows import Array


class Grouping(NamedTuple):
    """Offsets of the queries, their ids, and the caller's row of each grouped row (None when no row moved)."""

    query_ptr: NDArray[np.int64]
    query_ids: Array
    order: NDArray[np.int64] | None


class Runs(NamedTuple):
    """Query ids of consecutive rows: as many entries as queries, where a file is in order."""

    ids: Array
    sizes: NDArray[np.int64]


def group_by_id(qid: Any, n_rows: int) -> Grouping:
    """Group rows by query id.

    >>> group_by_id(["b", "a", "b"], 3)
    Grouping(query_ptr=array([0, 2, 3]), query_ids=array(['b', 'a'], dtype='<U1'), order=array([0, 2, 1]))
    """
    qid = column(qid, "qid")
    if qid.ndim != 1 or len(qid) != n_rows:
        raise DataError(f"qid has shape {qid.shape}, but X has {n_rows} rows: one id a row is expected")
    if qid.dtype.kind in "fmM" and np.isnan(qid).any():
        what = "NaN" if qid.dtype.kind == "f" else "NaT"
        raise DataError(f"qid of row {int(np.flatnonzero(np.isnan(qid))[0])} is {what}; every row needs a query id")
    if qid.dtype.kind != "O":
        return group_runs(runs_of(qid))
    codes, ids = _codes_of_objects(qid)
    grouping = group_runs(runs_of(codes))
    return grouping._replace(query_ids=ids[grouping.query_ids])


def runs_of(qid: Array) -> Runs:
    """The runs of equal ids of consecutive rows.

    >>> runs_of(np.array([7, 7, 9, 7]))
    Runs(ids=array([7, 9, 7]), sizes=array([2, 1, 1]))
    """
    starts = np.flatnonzero(np.concatenate([np.ones(min(len(qid), 1), bool), qid[1:] != qid[:-1]]))
    return Runs(qid[starts], np.diff(np.append(starts, len(qid))))


def group_runs(runs: Runs) -> Grouping:
    """Group rows whose query ids are given as runs."""
    again = np.zeros(len(runs.ids), bool)  # runs that go on, as where a query continues in the next file
    again[1:] = runs.ids[1:] == runs.ids[:-1]
    sizes = np.add.reduceat(runs.sizes, np.flatnonzero(~again), dtype=np.int64) if len(again) else runs.sizes
    runs = Runs(runs.ids[~again], sizes)
    starts = np.cumsum(sizes) - sizes
    _, first, which = np.unique(runs.ids, return_index=True, return_inverse=True)
    by_first_row = np.argsort(first)
    rank = np.empty_like(by_first_row)
    rank[by_first_row] = np.arange(len(by_first_row))
    query_of_run = rank[which]
    query_ptr = np.zeros(len(first) + 1, np.int64)
    np.cumsum(np.bincount(query_of_run, weights=sizes, minlength=len(first)).astype(np.int64), out=query_ptr[1:])
    order = None
    if len(sizes) > len(first):
        by_query = np.argsort(query_of_run, kind="stable")
        size = sizes[by_query]
        ends = np.cumsum(size)
        order = np.arange(int(query_ptr[-1])) + np.repeat(starts[by_query] - (ends - size), size)
    return Grouping(query_ptr, runs.ids[first[by_first_row]], order)


def group_by_size(group: Any, n_rows: int) -> Grouping:
    """Group contiguous rows by the sizes of their queries, as LightGBM's users give them."""
    sizes = column(group, "group")
    if sizes.ndim != 1 or sizes.dtype.kind not in "iuf" or (sizes != np.floor(sizes)).any() or (sizes < 0).any():
        raise DataError("group must hold the number of rows of each query: whole numbers, none negative")
    if sizes.sum() != n_rows:
        hint = "; it has one entry a row: if these are query ids, pass them as qid" if len(sizes) == n_rows else ""
        raise DataError(f"group sums to {int(sizes.sum())}, but X has {n_rows} rows{hint}")
    query_ptr = np.concatenate([[0], np.cumsum(sizes.astype(np.int64))])
    return Grouping(query_ptr, np.arange(len(sizes)), None)


def _codes_of_objects(qid: Array) -> tuple[NDArray[np.int64], Array]:
    """Codes of ids of any hashable type, by a dictionary, because mixed types have no order to sort by."""
    values = qid.tolist()
    try:
        known = {value: code for code, value in enumerate(dict.fromkeys(values))}
    except TypeError:
        raise DataError("qid has a value that is neither a number nor a string") from None
    for value in known:
        if value is None or value != value:
            row = next(i for i, other in enumerate(values) if other is value)
            raise DataError(f"qid of row {row} is missing; every row needs a query id")
    codes = np.fromiter(map(known.__getitem__, values), np.int64, len(values))
    ids = np.fromiter(known, object, len(known))
    return codes, ids.astype(str) if all(isinstance(value, str) for value in known) else ids
