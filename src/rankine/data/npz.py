"""Data sets as uncompressed .npz files, which np.load opens as well: what Rankine reads and writes fastest.

Arrays stand in the caller's row order: `X`, or `row_ptr`, `index`, `value` and `n_features` of sparse rows; `label`;
`run_id` and `run_size`, the query ids of consecutive rows; and, if there are any, `feature_names`, `doc_ids`,
`sample_weight` and `run_weight`. `format` and `version` tell such a file from others, of which `X`, `y` and `qid` are
read.
"""

from __future__ import annotations

import contextlib
import errno
import io
import math
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankine.data.atomic import open_atomically
from rankine.data.dataset import Dataset
from rankine.data.errors import DataError
from rankine.data.grouping import Runs, runs_of
from rankine.data.rows import Array, Rows, Vector
from rankine.data.settled import (
    FORMAT,
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

# The arrays of a file; any other is one whose name is damaged.
ARRAYS = {
    *("format", "version", "label", "run_id", "run_size", "run_weight", "sample_weight", "doc_ids", "feature_names"),
    *("X", "row_ptr", "index", "value", "n_features"),
}
# Bytes that are read at a time: they are still in cache when they are checked.
BLOCK = 1 << 21
# Arrays up to this size are compared with the archive's CRC. For 1.2 GB of rows it costs 0.17 s, more than reading.
MOST_FOR_CRC = 1 << 26
ENCRYPTED = 1
LOCAL_HEADER = struct.Struct("<4s22xHH")
# What zipfile and NumPy raise where bytes make no sense.
DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, tokenize.TokenError, EOFError, NotImplementedError),
    *(OverflowError, RuntimeError, SyntaxError, TypeError, ValueError),
)


def write(data: Dataset, path: str) -> None:
    """Write a data set, whole or not at all; rows are never copied as a whole."""
    rows, ids = data.grouped.rows, query_ids(data)
    sizes, which = np.diff(data.grouped.query_ptr), np.arange(len(ids))
    if data.order is not None:
        empty = np.flatnonzero(sizes == 0)
        runs = runs_of(data.restore(np.repeat(which, sizes)))
        which, sizes = np.append(runs.ids, empty), np.append(runs.sizes, sizes[empty])
    arrays: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "label": data.label,
        "run_id": ids[which],
        "run_size": sizes,
        "run_weight": None if data.grouped.query_weight is None else data.grouped.query_weight[which],
        "sample_weight": data.sample_weight,
        "doc_ids": None if data.doc_ids is None else plain_ids(data.doc_ids, "document ids"),
        "feature_names": None if data.feature_names is None else np.array(data.feature_names, str),
    }
    if rows.row_ptr is not None:
        arrays["row_ptr"] = np.append(0, np.cumsum(data.restore(np.diff(rows.row_ptr))))
        arrays["n_features"] = rows.n_features
    size = data.n_rows if data.order is None else 1 + 8 * BLOCK * data.n_rows // max(1, rows.value.nbytes)
    with open_atomically(path, binary=True) as stream, zipfile.ZipFile(stream, "w") as archive:
        for name, array in arrays.items():
            if array is not None:
                _put(archive, name, np.shape(array), [np.asarray(array)])
        _put(archive, "value" if rows.is_sparse else "X", rows.value.shape, (b.value for b in row_blocks(data, size)))
        if rows.index is not None:
            _put(archive, "index", rows.index.shape, (b.index for b in row_blocks(data, size) if b.index is not None))


def _put(archive: zipfile.ZipFile, name: str, shape: tuple[int, ...], parts: Iterable[Array]) -> None:
    """Write an array that comes in parts."""
    with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
        for i, part in enumerate(parts):
            if i == 0:
                descr = np.lib.format.dtype_to_descr(part.dtype)
                header = {"descr": descr, "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_1_0(member, header)
            member.write(np.ascontiguousarray(part).reshape(-1).view(np.uint8).data)


def read(paths: Sequence[str], how: How) -> Table:
    """Read .npz files, the rows of the first file first."""
    return joined(list(blocks(paths, how)), list(paths))


def blocks(paths: Sequence[str], how: How) -> Iterator[Table]:
    """Read .npz files, each as a table of its own."""
    return (_read(path, how) for path in paths)


def _read(path: str, how: How) -> Table:
    with Path(path).open("rb", buffering=0) as stream, _naming(path):
        archive = _Archive(path, stream)
        if "format" in archive.entries and str(archive.array("format", "U", ())) == FORMAT:
            version = int(archive.array("version", "iu", ()))
            if version > VERSION:
                raise DataError(
                    f"{path} has version {version}, from a newer Rankine; this one reads {VERSION}: upgrade"
                )
            return _own(archive, how)
        if ({"X"} if how.to_score else {"X", "y"}) <= archive.entries.keys():
            return _others(archive, how)
        raise DataError(
            f"{path} is not a data set that rankine.write made, nor does it hold arrays X, y and qid: "
            f"it holds {', '.join(archive.entries) or 'nothing'}"
        )


def _own(archive: _Archive, how: How) -> Table:
    for name in archive.entries.keys() - ARRAYS:
        raise ValueError(f"it has an unknown array {name}")
    label = check_numbers(archive.array("label", "f", (None,)), archive.path, "label")
    n_rows = len(label)
    runs = Runs(archive.ids("run_id", None), archive.array("run_size", "i", (None,)).astype(np.int64))
    sizes = runs.sizes
    in_range = len(sizes) == len(runs.ids) and sizes.min(initial=0) >= 0 and sizes.max(initial=0) <= n_rows
    if not in_range or sizes.sum() != n_rows:
        raise ValueError("its runs are not those of its rows")
    weights: list[Vector | None] = [None, None]
    for i, (name, n) in enumerate((("sample_weight", n_rows), ("run_weight", len(runs.ids)))):
        if name in archive.entries:
            weights[i] = check_numbers(archive.array(name, "f", (n,)), archive.path, name, weights=True)
    names = tuple(archive.ids("feature_names", None, "U").tolist()) if "feature_names" in archive.entries else None
    doc_ids = archive.ids("doc_ids", n_rows) if "doc_ids" in archive.entries else None
    rows, names = (_dense if "X" in archive.entries else _sparse)(archive, how, n_rows, names)
    return Table(rows, label, runs, names, doc_ids, *weights)


def _others(archive: _Archive, how: How) -> Table:
    label = None if how.to_score else check_numbers(archive.array("y", "biuf", (None,)), archive.path, "y")
    rows, _ = _dense(archive, how, None if label is None else len(label), None)
    if "qid" in archive.entries:
        qid = archive.ids("qid", rows.n_rows)
    elif how.one_query or not how.queries:
        qid = np.zeros(rows.n_rows, np.int64)
    else:
        raise DataError(f"{archive.path} has no array qid; one_query=True (--one-query) reads it as one query")
    return Table(rows, np.zeros(rows.n_rows) if label is None else label, runs_of(qid))


def _dense(archive: _Archive, how: How, n_rows: int | None, names: Names) -> tuple[Rows, Names]:
    with archive.open("X", "biuf", (n_rows, None)) as member:
        n_rows, n_features = member.shape
        width, names = widened(n_features, names, archive.path, how)
        out = np.empty((n_rows, width), how.dtype)
        out[:, n_features:] = 0
        member.pour(out[:, :n_features], how, lambda i, j: place(archive.path, i, j, names))
    return Rows(out), names


def _sparse(archive: _Archive, how: How, n_rows: int, names: Names) -> tuple[Rows, Names]:
    width, names = widened(int(archive.array("n_features", "iu", ())), names, archive.path, how)
    row_ptr, index = archive.array("row_ptr", "i", (n_rows + 1,)), archive.array("index", "i", (None,))
    if (row_ptr.itemsize, index.itemsize) != (8, 4):
        raise ValueError("its row_ptr and index are not of types int64 and int32")
    value = np.empty(index.shape, how.dtype)
    rows = ascending(Rows(value, row_ptr, index, width), archive.path)

    def where(k: int) -> str:
        return place(archive.path, int(np.searchsorted(row_ptr, k, side="right")) - 1, int(index[k]), names)

    with archive.open("value", "f", index.shape) as member:
        member.pour(value, how, where)
    return rows, names


class _Archive:
    """The arrays of an .npz file."""

    def __init__(self, path: str, stream: io.FileIO):
        self.path, self.stream = path, stream
        self.zip = zipfile.ZipFile(stream)
        self.entries = {info.filename.removesuffix(".npy"): info for info in self.zip.infolist()}

    @contextlib.contextmanager
    def open(self, name: str, kinds: str, shape: tuple[int | None, ...]) -> Iterator[_Member]:
        """An array that is then read in full, of some kinds of dtype and of a shape in which None is any length."""
        if name not in self.entries:
            raise ValueError(f"it has no {name}")
        info = self.entries[name]
        stored = info.compress_type == zipfile.ZIP_STORED and not info.flag_bits & ENCRYPTED
        with _Stored(self.stream, info) if stored else self.zip.open(info) as source:
            member = _Member(source, name)
            fits = len(shape) == len(member.shape) and all(
                found >= 0 and want in (None, found) for want, found in zip(shape, member.shape, strict=True)
            )
            if member.dtype.kind not in kinds or not fits:
                raise ValueError(f"its {name} has type {member.dtype} and shape {member.shape}, which do not fit")
            if source.tell() + math.prod(member.shape) * member.dtype.itemsize != info.file_size:
                raise ValueError(f"the size of its {name} is not what the header says")
            yield member
            if isinstance(source, _Stored):
                source.check()

    def array(self, name: str, kinds: str, shape: tuple[int | None, ...]) -> Array:
        """A whole array."""
        with self.open(name, kinds, shape) as member:
            out = np.empty(member.shape, member.dtype)
            member.into(out)
        return out.astype(out.dtype.newbyteorder("="), copy=False)

    def ids(self, name: str, n: int | None, kinds: str = "biufU") -> Array:
        """An array of n numbers or strings that are ids or names."""
        ids = self.array(name, kinds, (n,))
        if ids.dtype.kind == "U" and ids.view(np.uint32).max(initial=0) > 0x10FFFF:
            raise ValueError(f"its {name} has characters that do not exist")
        return check_ids(ids, self.path, name)


class _Member:
    """An array of which the header has been read, and no number yet."""

    def __init__(self, source: Any, name: str):
        version = np.lib.format.read_magic(source)
        if version not in ((1, 0), (2, 0)):
            raise ValueError(f"its {name} has a header of version {version}")
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        self.shape, self.by_column, self.dtype = header(source)
        self.source, self.name = source, name

    def into(self, out: Array) -> None:
        """Read as many numbers as an array has."""
        view, at = out.reshape(-1).view(np.uint8).data, 0
        while at < len(view):
            n = self.source.readinto(view[at : at + BLOCK])
            if not n:
                raise ValueError(f"its {self.name} ends too early")
            at += n

    def pour(self, out: Array, how: How, where: Callable[..., str]) -> None:
        """Read all numbers into an array of this shape, of the type that is wanted."""
        whole = None
        if self.by_column:
            whole = np.empty(self.shape[::-1], self.dtype)
            self.into(whole)
        direct = whole is None and self.dtype == out.dtype and out.flags.c_contiguous
        size = 1 + BLOCK // max(1, math.prod(self.shape[1:]) * self.dtype.itemsize)
        for a in range(0, len(out), size):
            part = out[a : a + size]
            block = part if direct else np.empty(part.shape, self.dtype)
            if whole is None:
                self.into(block)
            else:
                block = whole.T[a : a + size]
            settle(block, part, how, lambda i, *j, a=a: where(a + i, *j))


class _Stored(io.RawIOBase):
    """A member that lies in the archive as it is, read without zipfile, which copies."""

    def __init__(self, stream: io.FileIO, info: zipfile.ZipInfo):
        stream.seek(info.header_offset)
        signature, n_name, n_extra = LOCAL_HEADER.unpack(stream.read(LOCAL_HEADER.size))
        if signature != b"PK\3\4":
            raise ValueError(f"{info.filename} is not where it should be")
        stream.seek(n_name + n_extra, io.SEEK_CUR)
        self.stream, self.info = stream, info
        self.at = self.crc = 0

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.at

    def readinto(self, view: Any) -> int:
        n = self.stream.readinto(view) or 0
        self.at += n
        if self.info.file_size <= MOST_FOR_CRC:
            self.crc = zlib.crc32(view[:n], self.crc)
        return n

    def check(self) -> None:
        """Compare what was read, all of it, with the archive's CRC."""
        if self.info.file_size <= MOST_FOR_CRC and self.crc != self.info.CRC:
            raise ValueError(f"the CRC of {self.info.filename} is wrong")


@contextlib.contextmanager
def _naming(path: str) -> Iterator[None]:
    """Damage is told with the file's name; what the system reports stays as it is."""
    try:
        yield
    except DataError:
        raise
    except (*DAMAGE, OSError) as error:
        # Offsets of a damaged archive lead before its start, which is an invalid argument to the system.
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise
        raise DataError(f"{path} is not an .npz file, or it is damaged: {error}") from None
