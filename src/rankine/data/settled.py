"""What files that hold arrays have in common: their ids and numbers checked and put in place.

Rows are told from 1, as people count the rows of a file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np

from rankine.data.dataset import Dataset
from rankine.data.errors import DataError
from rankine.data.rows import Array, Rows, Vector
from rankine.data.table import How

Names: TypeAlias = tuple[str, ...] | None

FORMAT = "rankine-data"
VERSION = 1
# Numbers of this size and more stand for missing values, as in Istella's files.
MISSING = 1.797e308
MOST_FEATURES = np.iinfo(np.int32).max


def row_blocks(data: Dataset, size: int) -> Iterator[Rows]:
    """The rows in the caller's order, some at a time, at least one block; copied only where the order differs."""
    rows = data.grouped.rows_with_gaps
    where = None if data.order is None else np.argsort(data.order)
    for a in range(0, max(1, rows.n_rows), max(1, size)):
        b = min(a + size, rows.n_rows)
        if where is not None:
            yield rows.take(where[a:b])
        elif rows.row_ptr is None or rows.index is None:
            yield Rows(rows.value[a:b])
        else:
            first, last = rows.row_ptr[a], rows.row_ptr[b]
            yield Rows(rows.value[first:last], rows.row_ptr[a : b + 1] - first, rows.index[first:last], rows.n_features)


def query_ids(data: Dataset) -> Array:
    """The id of each query, as files hold them."""
    ids = plain_ids(data.query_ids, "query ids")
    values, counts = np.unique(ids, return_counts=True)
    if len(values) < len(ids):
        twice = values[counts > 1][0].item()
        raise DataError(f"two queries have the id {twice!r}, and a file tells queries apart by their ids; rename one")
    return ids


def plain_ids(ids: Array, what: str) -> Array:
    """Ids as numbers or strings, which need no pickle."""
    if ids.dtype.kind == "O":
        values = ids.tolist()
        for types, kinds in ((str, "U"), (Integral, "iub"), (float, "f")):
            if all(isinstance(value, types) for value in values):
                found = np.array(values)
                ids = found if found.dtype.kind in kinds else ids
    elif ids.dtype.kind == "T":
        ids = ids.astype(str)
    if ids.dtype.kind not in "biufU":
        types_found = sorted({type(value).__name__ for value in ids.tolist()})
        raise DataError(
            f"{what} are of type {' and '.join(types_found)}; a file holds numbers or strings, all of one type: "
            "make them strings, for example with [str(id) for id in ids]"
        )
    return ids.astype(ids.dtype.newbyteorder("="), copy=False)


def check_ids(ids: Array, path: str, name: str) -> Array:
    """Ids of which none is NaN."""
    bad = np.flatnonzero(ids != ids)
    if len(bad):
        raise DataError(f"{path}, row {bad[0] + 1}: {name} is nan; an id is expected")
    return ids


def check_numbers(values: Array, path: str, name: str, *, weights: bool = False) -> Vector:
    """Labels or weights in float64: finite, and weights not negative."""
    numbers: Vector = values.astype(np.float64, copy=False)
    bad = ~np.isfinite(numbers)
    if weights:
        bad |= numbers < 0
    if bad.any():
        at = int(np.argmax(bad))
        right = "a finite number that is not negative" if weights else "a finite number"
        raise DataError(f"{path}, row {at + 1}: {name} is {numbers[at]:g}; {right} is expected")
    return numbers


def widened(n_features: int, names: Names, path: str, how: How) -> tuple[int, Names]:
    """How many features are wanted of a file that has so many, and their names, which are checked."""
    width = n_features if how.n_features is None else how.n_features
    if n_features > width:
        raise DataError(f"{path} has {n_features} features, more than n_features={width}; give at least {n_features}")
    if not 0 <= n_features <= width <= MOST_FEATURES:
        raise DataError(f"{path} has {n_features} features, and {width} are wanted; at most 2^31 - 1 are supported")
    if names is None:
        return width, None
    if len(names) != n_features:
        raise DataError(f"{path} has {n_features} features, but names for {len(names)}")
    names += tuple(f"f{j + 1}" for j in range(n_features, width))
    if len(set(names)) < len(names):
        twice = next(name for name, count in Counter(names).items() if count > 1)
        raise DataError(f"{path} has two features named {twice!r}; names must differ")
    return width, names


def ascending(rows: Rows, path: str, first: int = 0) -> Rows:
    """Sparse rows with their offsets and columns checked; values are not looked at."""
    _ = rows.native
    matrix: Any = rows.matrix
    if not matrix.has_canonical_format:
        row = np.repeat(np.arange(rows.n_rows), np.diff(matrix.indptr))
        k = int(np.argmax((row[1:] == row[:-1]) & (matrix.indices[1:] <= matrix.indices[:-1])))
        raise DataError(
            f"{path}, row {first + row[k] + 1}: column {matrix.indices[k + 1] + 1} comes after column "
            f"{matrix.indices[k] + 1}; the columns of a sparse row must ascend"
        )
    return rows


def place(path: str, i: int, j: int, names: Names) -> str:
    """The name of a cell: rows, and columns without names, are counted from 1."""
    return f"{path}, row {i + 1}, column {j + 1 if names is None else repr(names[j])}"


def settle(values: Array, out: Array, how: How, where: Callable[..., str]) -> None:
    """Put numbers into their place, and replace or refuse what is missing or too large.

    Parameters
    ----------
    values
        Numbers of any type; may be `out` itself.
    out
        Their place, of the type that is wanted.
    how
        What stands for missing values.
    where
        The name of the cell at an index of `out`.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if values is not out:
            out[...] = values
        # No temporary where nothing is wrong; NaN fails the comparison.
        if not out.size or (float(out.min()) > -MISSING and float(out.max()) < MISSING):
            return
        read = values.astype(np.float64)
    missing = ~(np.abs(read) < MISSING)
    refused = ~missing & ~np.isfinite(out)
    if how.missing_value is None:
        refused |= missing
    if refused.any():
        at = np.unravel_index(int(np.argmax(refused)), out.shape)
        cell = f"{where(*map(int, at))} is {read[at]:g}"
        if missing[at]:
            raise DataError(
                f"{cell}, which stands for a missing value: say what such values mean, with missing='zero' "
                "or a number (--missing zero), or learn it: train with missing='indicator' (--missing indicator)"
            )
        raise DataError(f"{cell}, too large for {out.dtype}; read with dtype='float64' (--dtype float64)")
    out[missing] = how.missing_value
