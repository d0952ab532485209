"""Data sets as Parquet files, through pyarrow: one row a document, in the caller's order.

Columns `qid` and `label`, if there are any `weight` (of the row), `query_weight` and `docid`, and every other column is
a feature; features without names are f1, f2, … Instead, a list column `features` holds dense rows, and list columns
`index` (from 0) and `value` hold sparse ones, with the number of features and their names in the schema's metadata.
Files are read batch by batch straight into the finished matrix. Rules for numbers are those of .npz files.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankine.data.atomic import open_atomically
from rankine.data.dataset import Dataset
from rankine.data.errors import DataError
from rankine.data.grouping import Runs, group_runs, runs_of
from rankine.data.rows import Array, Rows, Vector
from rankine.data.settled import (
    FORMAT,
    MOST_FEATURES,
    VERSION,
    Names,
    ascending,
    check_ids,
    check_numbers,
    place,
    plain_ids,
    query_ids,
    row_blocks,
    settle,
    widened,
)
from rankine.data.table import How, Table, joined

# Columns that are no features, apart from the index that pandas adds.
JUDGMENTS = ("label", "weight", "query_weight")
NO_FEATURES = ("qid", *JUDGMENTS, "docid")
PANDAS_INDEX = re.compile(r"__index_level_\d+__")
KEY = b"rankine"
# A row group, or a batch that is read, has so many rows, and fewer where they are wide.
MOST_ROWS = 1 << 16
MOST_VALUES = 1 << 24
# So many values are in a block, where a file is read block by block.
BLOCK_VALUES = 1 << 20
# So many rows at a time are turned from columns into rows, which keeps them in cache.
TILE = 1 << 10


def write(data: Dataset, path: str) -> None:
    """Write a data set, whole or not at all. Queries without rows have no place in a Parquet file."""
    pa, pq = _pyarrow()
    rows, g = data.grouped.rows, data.grouped
    query = data.restore(np.repeat(np.arange(data.n_queries), np.diff(g.query_ptr)))
    ids, weight, label = query_ids(data), data.sample_weight, data.label
    doc_ids = None if data.doc_ids is None else plain_ids(data.doc_ids, "document ids")
    about: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    if rows.is_sparse:
        about |= {"n_features": rows.n_features, "feature_names": data.feature_names}
        names: tuple[str, ...] = ("index", "value")
    else:
        names = data.feature_names or _plain_names(rows.n_features)
    for name in names:
        if name in NO_FEATURES or PANDAS_INDEX.fullmatch(name):
            raise DataError(
                f"a Parquet file cannot have a feature named {name!r}, which means something else: rename it"
            )

    def columns(block: Rows, at: slice) -> dict[str, Any]:
        found = {
            "qid": ids[query[at]],
            "label": label[at],
            "weight": None if weight is None else weight[at],
            "query_weight": None if g.query_weight is None else g.query_weight[query[at]],
            "docid": None if doc_ids is None else doc_ids[at],
        }
        arrays = {name: pa.array(values) for name, values in found.items() if values is not None}
        if block.row_ptr is None:
            return arrays | dict(zip(names, map(pa.array, np.ascontiguousarray(block.value.T)), strict=True))
        offsets = pa.array(block.row_ptr.astype(np.int32))
        lists = [pa.ListArray.from_arrays(offsets, pa.array(values)) for values in (block.index, block.value)]
        return arrays | dict(zip(names, lists, strict=True))

    size = _batch_size(len(rows.value.reshape(-1)) // max(1, rows.n_rows))
    with (
        _naming(path, pa, "cannot be written"),
        open_atomically(path, binary=True) as stream,
        contextlib.ExitStack() as s,
    ):
        writer, a = None, 0
        for block in row_blocks(data, size):
            arrays = columns(block, slice(a, a + block.n_rows))
            batch = pa.RecordBatch.from_pydict(arrays, metadata={KEY: json.dumps(about)})
            if writer is None:
                # Values of features seldom repeat as often as a dictionary needs: without, files are smaller.
                few = ["qid", "label", "weight", "query_weight"]
                options = {"compression": "zstd", "use_dictionary": few, "write_page_checksum": True}
                writer = s.enter_context(pq.ParquetWriter(stream, batch.schema, **options))
            writer.write_batch(batch, row_group_size=size)
            a += block.n_rows


@contextlib.contextmanager
def columns_written(path: str) -> Iterator[Callable[[dict[str, Array]], None]]:
    """A file whose columns are written some rows at a time, whole or not at all; the first rows tell their types."""
    pa, pq = _pyarrow()
    waiting: list[Any] = []
    writer: Any = None

    def flush() -> None:
        nonlocal writer
        table = pa.concat_tables(waiting)
        waiting.clear()
        if writer is None:
            writer = pq.ParquetWriter(stream, table.schema, compression="zstd", write_page_checksum=True)
        writer.write_table(table, row_group_size=MOST_ROWS)

    def write(columns: dict[str, Array]) -> None:
        table = pa.table({name: pa.array(values) for name, values in columns.items()})
        known = writer.schema if writer is not None else waiting[0].schema if waiting else table.schema
        if table.schema != known:
            raise DataError(
                f"{path} cannot be written: its columns are {_types(known)} at first and {_types(table.schema)} later; "
                "convert the data to .npz or .parquet first, which settles one type for all of its rows"
            )
        waiting.append(table)
        if sum(map(len, waiting)) >= MOST_ROWS:
            flush()

    with _naming(path, pa, "cannot be written"), open_atomically(path, binary=True) as stream:
        try:
            yield write
            if waiting:
                flush()
        finally:
            if writer is not None:
                writer.close()


def _types(schema: Any) -> str:
    return ", ".join(f"{field.name} ({field.type})" for field in schema)


def read(paths: Sequence[str], how: How) -> Table:
    """Read Parquet files, the rows of the first file first."""
    return joined([next(_tables(path, how, whole=True)) for path in paths], list(paths))


def blocks(paths: Sequence[str], how: How) -> Iterator[Table]:
    """Read Parquet files as `read` does, but as a table for each batch of rows."""
    for path in paths:
        yield from _tables(path, how, whole=False)


def _tables(path: str, how: How, *, whole: bool) -> Iterator[Table]:
    """The rows of a file, as one table or batch by batch."""
    pa, pq = _pyarrow()
    if Path(path).is_dir():
        raise IsADirectoryError(f"{path} is a directory; name the Parquet files in it")
    with Path(path).open("rb") as stream:
        if stream.read(4) != b"PAR1":
            raise DataError(f"{path} is not a Parquet file")
    with (
        _naming(path, pa, "is damaged, or cannot be read"),
        pa.OSFile(path) as source,
        pq.ParquetFile(source, pre_buffer=False, page_checksum_verification=True) as file,
    ):
        n_rows = file.metadata.num_rows
        if not n_rows:
            raise DataError(f"{path} has no rows")
        columns = _wanted(file, path, how)
        size = _batch_size(len(columns), MOST_VALUES if whole else BLOCK_VALUES)
        batches, at = file.iter_batches(size, columns=columns), 0
        try:
            if whole:
                yield _table(file, columns, batches, path, how, 0, n_rows)
                return
            for batch in batches:
                if len(batch):
                    yield _table(file, columns, [batch], path, how, at, len(batch))
                    at += len(batch)
            if at != n_rows:
                raise DataError(f"{path} is damaged: it has {at} rows, not {n_rows}")
        except MemoryError:
            raise DataError(
                f"{path} has {n_rows} rows of {len(file.schema_arrow)} columns: too much for memory"
            ) from None


def _wanted(file: Any, path: str, how: How) -> list[str]:
    """The names of the columns that are read."""
    columns = [name for name in file.schema_arrow.names if not PANDAS_INDEX.fullmatch(name)]
    if len(set(columns)) < len(columns):
        raise DataError(f"{path} has two columns of one name; names must differ: {', '.join(columns)}")
    for name, remedy in (
        ("label", "name the column of labels 'label'"),
        ("qid", "name the column of query ids 'qid', or read the file as one query with one_query=True (--one-query)"),
    ):
        needless = how.to_score if name == "label" else how.one_query or not how.queries
        if name not in columns and not needless:
            raise DataError(f"{path} has no column {name!r}, only {', '.join(map(repr, columns))}: {remedy}")
    return [name for name in columns if not (how.to_score and name in JUDGMENTS)]


def _table(
    file: Any, columns: list[str], batches: Iterable[Any], path: str, how: How, first: int, n_rows: int
) -> Table:
    """The rows of some batches: n_rows, of which the first is row `first` of the file."""
    features = [name for name in columns if name not in NO_FEATURES]
    fill = _filler(file, features, path, how, first, n_rows)
    numbers = {name: np.empty(n_rows) for name in JUDGMENTS if name in columns}
    qid, doc_ids = _Ids(path, "qid"), _Ids(path, "docid")
    at = 0
    for batch in batches:
        for name, out in numbers.items():
            values = _whole(batch.column(name), path, name, first + at)
            if not _is_number(values.type):
                raise DataError(f"{path}: column {name!r} has type {values.type}; numbers are expected")
            out[at : at + len(batch)] = _numbers(values)
        for ids in (qid, doc_ids):
            if ids.name in columns:
                ids.add(batch.column(ids.name), first + at)
        fill.add(batch, at)
        at += len(batch)
    if at != n_rows:
        raise DataError(f"{path} is damaged: it has {at} rows, not {n_rows}")
    for name, values in numbers.items():
        check_numbers(values, path, name, weights=name != "label")
    runs = qid.runs() if "qid" in columns else Runs(np.zeros(1, np.int64), np.array([n_rows]))
    query_weight = numbers.get("query_weight")
    if query_weight is not None:
        query_weight = _by_run(query_weight, runs, path)
    rows, names = fill.done()
    return Table(
        rows,
        numbers.get("label", np.zeros(n_rows)),
        runs,
        names,
        doc_ids.all() if "docid" in columns else None,
        numbers.get("weight"),
        query_weight,
    )


def _by_run(weight: Vector, runs: Runs, path: str) -> Vector:
    """The weight of each run's query, which all its rows must have."""
    query_ptr, _, order = group_runs(runs)
    order = np.arange(len(weight)) if order is None else order
    of_query = np.repeat(weight[order[query_ptr[:-1]]], np.diff(query_ptr))
    bad = order[weight[order] != of_query]
    if len(bad):
        raise DataError(
            f"{path}, row {bad.min() + 1}: query_weight is {weight[bad.min()]:g}, "
            "but another row of the same query has another; all rows of a query must have the same"
        )
    of_run: Vector = weight[np.cumsum(runs.sizes) - runs.sizes]
    return of_run


class _Ids:
    """A column of ids, collected batch by batch: numbers as they are, text as codes into a dictionary."""

    def __init__(self, path: str, name: str):
        self.path, self.name = path, name
        self.parts: list[Any] = []

    def add(self, column: Any, at: int) -> None:
        import pyarrow as pa

        is_ = pa.types
        if is_.is_dictionary(column.type):
            column = column.dictionary_decode()
        if is_.is_decimal(column.type):
            column = column.cast(pa.int64())
        text = any(is_text(column.type) for is_text in (is_.is_string, is_.is_large_string, is_.is_binary))
        if text:
            column = column.cast(pa.large_string())
        elif not _is_number(column.type):
            raise DataError(
                f"{self.path}: column {self.name!r} has type {column.type}; numbers or strings are expected"
            )
        if text and self.name == "docid":
            column = column.fill_null("")
        column = _whole(column, self.path, self.name, at)
        self.parts.append(column.dictionary_encode() if text else column.to_numpy(zero_copy_only=False))

    def _coded(self) -> tuple[Array, Array | None]:
        """An id or code for each row, and the ids of the codes."""
        import pyarrow as pa

        if isinstance(self.parts[0], np.ndarray):
            return check_ids(np.concatenate(self.parts), self.path, self.name), None
        chunks = pa.chunked_array(self.parts).unify_dictionaries().chunks
        codes = np.concatenate([chunk.indices.to_numpy() for chunk in chunks])
        return codes, chunks[0].dictionary.to_numpy(zero_copy_only=False).astype(str)

    def runs(self) -> Runs:
        ids, names = self._coded()
        runs = runs_of(ids)
        return runs if names is None else Runs(names[runs.ids], runs.sizes)

    def all(self) -> Array:
        ids, names = self._coded()
        return ids if names is None else names[ids]


class _Columns:
    """Dense rows whose features are columns."""

    def __init__(self, features: list[str], path: str, how: How, first: int, n_rows: int):
        names = None if features == list(_plain_names(len(features))) else tuple(features)
        self.features, self.path, self.how, self.first = features, path, how, first
        width, self.names = widened(len(features), names, path, how)
        self.out = np.empty((n_rows, width), how.dtype)
        self.out[:, len(features) :] = 0

    def add(self, batch: Any, at: int) -> None:
        columns = [_numbers(batch.column(name)) for name in self.features]
        single = all(column.dtype == np.float32 for column in columns)
        tile = np.empty((len(columns), TILE), np.float32 if single else np.float64)
        for a in range(0, len(batch), TILE):
            n = min(TILE, len(batch) - a)
            for j, column in enumerate(columns):
                tile[j, :n] = column[a : a + n]

            def where(i: int, j: int, a: int = at + a) -> str:
                return place(self.path, self.first + a + i, j, tuple(self.features))

            settle(tile[:, :n].T, self.out[at + a : at + a + n, : len(columns)], self.how, where)

    def done(self) -> tuple[Rows, Names]:
        return Rows(self.out), self.names


class _Lists:
    """Dense rows that are lists of one column, all of one length."""

    def __init__(self, path: str, how: How, first: int, n_rows: int):
        self.path, self.how, self.first, self.n_rows = path, how, first, n_rows
        self.n_features = -1
        self.out = np.empty(0)

    def add(self, batch: Any, at: int) -> None:
        lists = _whole(batch.column("features"), self.path, "features", self.first + at)
        ptr = _offsets(lists)
        if self.n_features < 0:
            self.n_features = int(ptr[1])
            width, _ = widened(self.n_features, None, self.path, self.how)
            self.out = np.zeros((self.n_rows, width), self.how.dtype)
        bad = np.flatnonzero(np.diff(ptr) != self.n_features)
        if len(bad):
            raise DataError(
                f"{self.path}, row {self.first + at + bad[0] + 1}: features has {np.diff(ptr)[bad[0]]} values, "
                f"but the first row has {self.n_features}; all rows must have the same number"
            )
        values = _numbers(lists.flatten()).reshape(len(batch), self.n_features)
        part = self.out[at : at + len(batch), : self.n_features]
        settle(values, part, self.how, lambda i, j: place(self.path, self.first + at + i, j, None))

    def done(self) -> tuple[Rows, Names]:
        return Rows(self.out), None


class _Sparse:
    """Sparse rows: a list of columns and a list of values each."""

    def __init__(self, about: dict[str, Any], path: str, how: How, first: int, n_rows: int):
        self.path, self.how, self.about, self.first = path, how, about, first
        self.row_ptr = np.zeros(n_rows + 1, np.int64)
        # They grow in place. Counts of values in the metadata are of no help: pyarrow aborts where these are damaged.
        self.index, self.value = np.empty(0, np.int32), np.empty(0, how.dtype)
        names = about.get("feature_names")
        self.names = None if names is None else tuple(map(str, names))

    def add(self, batch: Any, at: int) -> None:
        index, value = (_whole(batch.column(name), self.path, name, self.first + at) for name in ("index", "value"))
        ptr = _offsets(index)
        bad = np.flatnonzero(ptr != _offsets(value))
        if len(bad):
            raise DataError(f"{self.path}, row {self.first + at + bad[0]}: index and value have different lengths")
        columns = index.flatten().to_numpy(zero_copy_only=False)
        bad = np.flatnonzero(~((columns >= 0) & (columns < MOST_FEATURES) & (columns == np.floor(columns))))
        if len(bad):
            row = self.first + at + np.searchsorted(ptr, bad[0], side="right")
            raise DataError(f"{self.path}, row {row}: index has {columns[bad[0]]}; whole numbers from 0 are expected")
        start = int(self.row_ptr[at])
        end = start + len(columns)
        if end > len(self.index):
            expected = end * (len(self.row_ptr) - 1) // (at + len(batch))
            for array in (self.index, self.value):
                array.resize(max(end, expected + expected // 64), refcheck=False)
        self.row_ptr[at + 1 : at + len(ptr)] = start + ptr[1:]
        self.index[start:end] = columns

        def where(k: int) -> str:
            i = self.first + at + int(np.searchsorted(ptr, k, side="right")) - 1
            return place(self.path, i, int(columns[k]), self.names)

        settle(_numbers(value.flatten()), self.value[start:end], self.how, where)

    def done(self) -> tuple[Rows, Names]:
        end = int(self.row_ptr[-1])
        for array in (self.index, self.value):
            array.resize(end, refcheck=False)
        n_features = self.about.get("n_features")
        if n_features is None:
            n_features = max(int(self.index.max(initial=-1)) + 1, self.how.least_features)
        width, names = widened(int(n_features), self.names, self.path, self.how)
        return ascending(Rows(self.value, self.row_ptr, self.index, width), self.path, self.first), names


def _filler(
    file: Any, features: list[str], path: str, how: How, first: int, n_rows: int
) -> _Columns | _Lists | _Sparse:
    """What turns batches into rows, by the columns of features that there are."""
    schema = file.schema_arrow
    about = json.loads((schema.metadata or {}).get(KEY, b"{}"))
    if not isinstance(about, dict) or not isinstance(about.get("version", 1), int):
        raise ValueError(f"its metadata {KEY.decode()!r} make no sense")
    if about.get("version", 1) > VERSION:
        raise DataError(
            f"{path} has version {about['version']}, from a newer Rankine; this one reads {VERSION}: upgrade"
        )
    lists = [name for name in features if _is_list(schema.field(name).type)]
    for name in lists:
        if not _is_number(schema.field(name).type.value_type):
            raise DataError(
                f"{path}: column {name!r} has type {schema.field(name).type}; lists of numbers are expected"
            )
    if sorted(features) == sorted(lists) == ["index", "value"]:
        return _Sparse(about, path, how, first, n_rows)
    if features == lists == ["features"]:
        return _Lists(path, how, first, n_rows)
    for name in features:
        kind = schema.field(name).type
        if not _is_number(kind):
            raise DataError(
                f"{path}: column {name!r} has type {kind}, which is not a number; drop it or turn it into numbers "
                f"(columns that are no features: {', '.join(NO_FEATURES)})"
            )
    if not features:
        raise DataError(f"{path} has no features: every column but {', '.join(NO_FEATURES)} is one")
    return _Columns(features, path, how, first, n_rows)


def _offsets(lists: Any) -> Array:
    """Where the values of each list begin, and where the last one's end."""
    import pyarrow.compute as pc

    return np.append(0, np.cumsum(pc.list_value_length(lists).to_numpy(zero_copy_only=False).astype(np.int64)))


def _numbers(column: Any) -> Array:
    """Numbers of any type, in which nulls are NaN."""
    import pyarrow as pa

    if any(is_(column.type) for is_ in (pa.types.is_boolean, pa.types.is_decimal, pa.types.is_null)):
        column = column.cast(pa.float64())
    numbers: Array = column.to_numpy(zero_copy_only=False)
    return numbers


def _whole(column: Any, path: str, name: str, at: int) -> Any:
    """A column, from row `at` of the file on, without nulls."""
    if column.null_count:
        row = at + int(np.argmax(column.is_null().to_numpy(zero_copy_only=False))) + 1
        raise DataError(f"{path}, row {row}: {name} is null; every row needs one")
    return column


def _is_number(kind: Any) -> bool:
    from pyarrow import types

    return any(
        is_(kind) for is_ in (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_null)
    )


def _is_list(kind: Any) -> bool:
    from pyarrow import types

    return any(is_(kind) for is_ in (types.is_list, types.is_large_list, types.is_fixed_size_list))


def _plain_names(n_features: int) -> tuple[str, ...]:
    """What features without names are called in a file."""
    return tuple(f"f{j + 1}" for j in range(n_features))


def _batch_size(n_columns: int, most_values: int = MOST_VALUES) -> int:
    return max(1, min(MOST_ROWS, most_values // max(1, n_columns)))


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ImportError("Parquet needs pyarrow: pip install 'rankine[frames]'") from None
    return pyarrow, pyarrow.parquet


@contextlib.contextmanager
def _naming(path: str, pa: Any, what: str) -> Iterator[None]:
    """What pyarrow finds is told with the file's name; it reports damage as a plain OSError without a number."""
    try:
        yield
    except DataError:
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        if isinstance(error, OSError) and (error.errno is not None or type(error) is not OSError):
            raise
        raise DataError(f"{path} {what}: {str(error).partition(chr(10))[0]}") from None
