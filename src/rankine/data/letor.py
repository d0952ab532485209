"""LETOR, SVMrank and svmlight text: `label qid:query feature:value … # document`, also compressed, also from a pipe.

A thread reads and decompresses blocks while the cores parse those before; what is kept is the finished data, never the
text. Values are those of Python's `float`, to the last bit.
"""

from __future__ import annotations

import contextlib
import queue
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankine import _core
from rankine.data.atomic import open_atomically
from rankine.data.dataset import Dataset
from rankine.data.errors import DataError
from rankine.data.grouping import Runs
from rankine.data.rows import DENSE_FROM, Array, Rows, thread_count
from rankine.data.table import How, Table

_BLOCK = 1 << 22
_MARGIN = 64  # bytes behind a block that the parser may look at
_ROWS = 1 << 14  # rows that are written at a time
_BEYOND = "leave n_features out, or raise it wherever the data is read (--n-features)"
_BEYOND_THE_MODEL = "the model has no weight for it; --allow-missing leaves out what a model does not know"
_PIECE = 1 << 18  # bytes that are compressed at a time; between them Ctrl-C is heard


def read(paths: Sequence[str], how: How) -> Table:
    """Read text files, one after another, as one table; "-" is standard input.

    Parameters
    ----------
    paths
        The files; .gz, .bz2 and .xz are decompressed.
    how
        See `rankine.read`.
    """
    reader = _reader(how)
    for _ in _fed(reader, paths):
        pass
    _check_rows(reader.n_rows, paths)
    return _table(reader, paths, how)


def blocks(paths: Sequence[str], how: How) -> Iterator[Table]:
    """Read text files as `read` does, but as a table for each block of text."""
    reader, n_rows = _reader(how), 0
    for _ in _fed(reader, paths):
        if reader.n_rows:
            n_rows += reader.n_rows
            yield _table(reader, paths, how)
    _check_rows(n_rows, paths)


def _reader(how: How) -> _core.LetorReader:
    return _core.LetorReader(
        single=how.dtype == "float32",
        index_base=1 if how.index_base is None else how.index_base,
        n_features=how.n_features,
        beyond=_BEYOND_THE_MODEL if how.to_score else _BEYOND,
        missing=how.missing_value,
        sparsest=round(1 / DENSE_FROM),
        n_threads=thread_count(how.n_threads),
    )


def _fed(reader: _core.LetorReader, paths: Sequence[str]) -> Iterator[None]:
    """Give files to a reader; what it has read may be taken after every step."""
    for path in paths:
        reader.begin_file("standard input" if path == "-" else path)
        for block, size in _ahead(path):
            with _as_data_error():
                reader.feed(block, size)
            yield
        with _as_data_error():
            reader.end_file()
        yield


@contextlib.contextmanager
def _as_data_error() -> Iterator[None]:
    try:
        yield
    except ValueError as error:  # the sentence is the parser's: file, line, column, and what was expected
        raise DataError(str(error)) from None


def _named(paths: Sequence[str]) -> str:
    return ", ".join("standard input" if path == "-" else path for path in paths)


def _check_rows(n_rows: int, paths: Sequence[str]) -> None:
    if n_rows == 0:
        what = "the file is empty: it has no rows" if len(paths) == 1 else "no rows"
        raise DataError(f"{_named(paths)}: {what}")


def _table(reader: _core.LetorReader, paths: Sequence[str], how: How) -> Table:
    """The rows that a reader has read."""
    found: dict[str, Any] = reader.take(how.n_features or how.least_features)
    label, names = found["label"], _named(paths)
    runs = Runs(_ids(found["query"]), found["query_size"])
    if found["query"] is None:
        if how.queries and not how.one_query:
            raise DataError(
                f"{names}: no row has a query id (qid:); if all are one query, say so: one_query=True (--one-query)"
            )
        runs = Runs(np.zeros(1, np.int64), np.array([len(label)]))
    elif how.one_query:
        raise DataError(
            f"{names}: rows have query ids (qid:), but one_query says that they are one query; leave it out"
        )
    rows = Rows(found["value"], found["row_ptr"], found["index"], found["n_features"])
    documents = None if found["document"] is None else _ids(found["document"])
    return Table(rows, label, runs, doc_ids=documents)


def _ids(found: Any) -> Array:
    """Ids as the core gives them: whole numbers, characters as a matrix, or strings of very different lengths."""
    if found is None:
        return np.zeros(1, np.int64)
    if isinstance(found, list):
        return np.array(found, object)
    if found.ndim == 1:
        return np.asarray(found)
    return np.asarray(found.view(f"U{found.shape[1]}")[:, 0])


# Blocks of a file -----------------------------------------------------------------------------------------------------


def _ahead(path: str) -> Iterator[tuple[NDArray[np.uint8], int]]:
    """Blocks of a file, read by another thread while the one before is parsed."""
    stream = _open(path)
    free: queue.SimpleQueue[NDArray[np.uint8]] = queue.SimpleQueue()
    full: queue.SimpleQueue[tuple[NDArray[np.uint8], int] | BaseException | None] = queue.SimpleQueue()
    stop = threading.Event()
    for _ in range(3):
        free.put(np.zeros(_BLOCK + _MARGIN, np.uint8))

    def work() -> None:
        try:
            while not stop.is_set():
                block = free.get()
                size = _fill(stream, block[:_BLOCK].data)
                if size == 0:
                    break
                full.put((block, size))
            full.put(None)
        except BaseException as error:
            full.put(error)
        finally:
            if path != "-":
                stream.close()

    threading.Thread(target=work, name="rankine-read", daemon=True).start()
    try:
        while (got := full.get()) is not None:
            if isinstance(got, BaseException):
                raise _told(got, path)
            yield got
            free.put(got[0])
    finally:
        stop.set()
        free.put(np.zeros(0, np.uint8))


def _open(path: str) -> Any:
    if path == "-":
        # Without Python's buffer, whose lock a thread that waits for input would still hold when Python exits.
        return getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
    if Path(path).is_dir():
        raise IsADirectoryError(f"{path} is a directory; name the files in it")
    suffix = Path(path).suffix.lower()
    if suffix == ".gz":
        import gzip

        return gzip.open(path)
    if suffix == ".bz2":
        import bz2

        return bz2.open(path)
    if suffix == ".xz":
        import lzma

        return lzma.open(path)
    return Path(path).open("rb", buffering=0)


def _fill(stream: Any, room: memoryview) -> int:
    """Read until the room is full or the file ends; a pipe gives little at a time."""
    size = 0
    while size < len(room):
        got = stream.readinto(room[size:])
        if not got:
            break
        size += got
    return size


def _told(error: BaseException, path: str) -> BaseException:
    """What a decompressor says, as a sentence that names the file."""
    import lzma
    import zlib

    if isinstance(error, EOFError):
        return DataError(f"{path}: the compressed data ends too early: the file is truncated")
    if isinstance(error, zlib.error | lzma.LZMAError) or (isinstance(error, OSError) and error.errno is None):
        return DataError(f"{path}: the compressed data is damaged, or not what its name says ({error})")
    return error


# Writing --------------------------------------------------------------------------------------------------------------


def write(data: Dataset, path: str) -> None:
    """Write text in the caller's row order; .gz, .bz2 and .xz are compressed.

    Parameters
    ----------
    data
        Features are numbered from 1; text has no place for their names, nor for weights.
    path
        Where to.
    """
    g = data.grouped
    query = [str(value) for value in data.query_ids.tolist()]
    _check_words(query, "query id")
    if len(set(query)) < len(query):
        raise DataError("two queries have the same id as text, and a file tells queries apart by their ids; rename one")
    queries = _core.Texts(query)
    query_of = np.repeat(np.arange(data.n_queries), np.diff(g.query_ptr))
    grouped_row = np.arange(data.n_rows)
    if data.order is not None:
        grouped_row[data.order] = np.arange(data.n_rows)
    compressor, rows = _compressor(path), g.rows_with_gaps
    with open_atomically(path, binary=True) as stream:
        for begin in range(0, data.n_rows, _ROWS):
            documents = None
            if data.doc_ids is not None:
                words = [str(word) for word in data.doc_ids[begin : begin + _ROWS].tolist()]
                _check_words(words, "document id", empty=True)
                documents = _core.Texts(words)
            which = grouped_row[begin : begin + _ROWS]
            for lines in _core.letor_lines(
                rows.native, g.label, query_of, queries, documents, which, begin == 0, thread_count(None)
            ):
                for at in range(0, len(lines), _PIECE):
                    stream.write(compressor.compress(lines[at : at + _PIECE]))
        stream.write(compressor.flush())


class _Plain:
    """A compressor that leaves text as it is."""

    def compress(self, lines: bytes) -> bytes:
        return lines

    def flush(self) -> bytes:
        return b""


def _compressor(path: str) -> Any:
    suffix = Path(path).suffix.lower()
    if suffix == ".gz":
        import zlib

        return zlib.compressobj(6, wbits=31)  # with the header of a .gz file
    if suffix == ".bz2":
        import bz2

        return bz2.BZ2Compressor()
    if suffix == ".xz":
        import lzma

        return lzma.LZMACompressor()
    return _Plain()


def _check_words(words: Sequence[str], what: str, *, empty: bool = False) -> None:
    """Text has no way to write an id with a blank or a comment sign in it."""
    for word in words:
        if any(c in word for c in " \t\r\n#") or not (word or empty):
            raise DataError(f"{what} {word!r} cannot be written as text: it must be one word; write .npz or .parquet")
