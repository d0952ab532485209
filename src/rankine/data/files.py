"""Reading and writing data sets: the format is told from the name, and its module does the rest.

>>> import tempfile
>>> from rankine.data import synthetic
>>> with tempfile.TemporaryDirectory() as folder:
...     write(synthetic.make("mslr10", scale=0.005), f"{folder}/train.txt.gz")
...     read(f"{folder}/train.txt.gz")
<Dataset: 1,195 rows, 10 queries, 136 features, dense float32, labels 0 to 4>
"""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any, Literal

import numpy as np

from rankine.data.dataset import Dataset
from rankine.data.errors import DataError
from rankine.data.table import How, Table

# The module of each format, and the endings of its files; every other file is text. One line here adds a format.
FORMATS = {
    "letor": ("rankine.data.letor", ()),
    "parquet": ("rankine.data.parquet", (".parquet", ".pq")),
    "npz": ("rankine.data.npz", (".npz",)),
}
Path_ = str | os.PathLike[str]


def read(
    paths: Path_ | Iterable[Path_],
    *,
    format: Literal["letor", "parquet", "npz"] | None = None,
    n_features: int | None = None,
    dtype: Literal["float32", "float64"] = "float32",
    missing: Literal["error", "zero", "keep"] | float = "error",
    index_base: Literal[0, 1] | None = None,
    one_query: bool = False,
    n_threads: int | None = None,
) -> Dataset:
    """Read files of judged rows as one data set.

    Text is kept dense if at least a quarter of its cells are not zero, and sparse otherwise.

    Parameters
    ----------
    paths
        A file or several: LETOR, SVMrank or svmlight text (also .gz, .bz2, .xz; "-" is standard input), Parquet, .npz.
    format
        The format of the files, told from their names if None.
    n_features
        The number of features, if the files may lack the last ones; a feature beyond them is an error.
    dtype
        The precision that features are kept in. Labels are always float64.
    missing
        What NULL, nan, inf and ±1.797e308 mean: "error", "zero", or a number; "keep" keeps them as gaps, for learners
        that know what to do with them (`missing="indicator"`).
    index_base
        The number of the first feature in text: 1, as LETOR has it, if None.
    one_query
        Read a file without query ids as one query.
    n_threads
        How many threads to use, all if None.
    """
    files = [os.fspath(paths)] if isinstance(paths, str | os.PathLike) else [os.fspath(path) for path in paths]
    table = read_table(files, How(n_features, dtype, missing, index_base, one_query, n_threads), format)
    return Dataset.of_table(table, " + ".join(files), gaps=missing == "keep")


def read_table(files: Sequence[str], how: How, format: str | None = None) -> Table:
    """Read files as one table, whose rows are not yet grouped by query.

    Parameters
    ----------
    files
        Their names.
    how
        The parameters of `read`.
    format
        The format of the files, told from their names if None.
    """
    table: Table = _module_for(files, how, format).read(files, how)
    return table


def read_blocks(files: Sequence[str], how: How, format: str | None = None) -> Iterator[Table]:
    """Read files block by block, in memory that does not grow with them: the blocks together are `read_table`'s table.

    An .npz file is one block.

    Parameters
    ----------
    files
        Their names.
    how
        The parameters of `read`.
    format
        The format of the files, told from their names if None.
    """
    blocks: Iterator[Table] = _module_for(files, how, format).blocks(files, how)
    return blocks


def write(data: Dataset, path: Path_, *, format: Literal["letor", "parquet", "npz"] | None = None) -> None:
    """Write a data set to a file, whole or not at all; a file that is there already is replaced.

    Parameters
    ----------
    data
        What to write.
    path
        Where to.
    format
        The format, told from the file's name if None: .parquet, .npz, or text, which .gz, .bz2 or .xz compresses.
    """
    path = os.fspath(path)
    kind = format or format_of(path)
    if kind == "letor" and (data.sample_weight is not None or data.grouped.query_weight is not None):
        warnings.warn(f"{path}: text has no place for weights; write .npz or .parquet to keep them", stacklevel=2)
    _module(kind).write(data, path)


def format_of(path: str) -> str:
    """The format that a file's name tells.

    >>> format_of("train.txt.gz"), format_of("train.npz")
    ('letor', 'npz')
    """
    suffix = Path(path).suffix.lower()
    return next((name for name, (_, endings) in FORMATS.items() if suffix in endings), "letor")


def _module_for(files: Sequence[str], how: How, format: str | None) -> Any:
    """The module that reads these files."""
    if not files:
        raise ValueError("no file is named; name at least one to read")
    _check(how)
    kinds = {format or format_of(path) for path in files}
    if len(kinds) > 1:
        raise DataError(f"files of one data set must have one format, but these have {' and '.join(sorted(kinds))}")
    return _module(kinds.pop())


def _module(format: str) -> Any:
    if format not in FORMATS:
        raise ValueError(f"format is {format!r}; it must be one of: {', '.join(FORMATS)}")
    return importlib.import_module(FORMATS[format][0])


def _check(how: How) -> None:
    if how.n_features is not None and not (isinstance(how.n_features, Integral) and 1 <= how.n_features < 2**31 - 1):
        raise ValueError(f"n_features is {how.n_features!r}; it must be a whole number from 1 to {2**31 - 2}")
    if how.n_threads is not None and how.n_threads < 1:
        raise ValueError(f"n_threads is {how.n_threads}; it must be a whole number, 1 or more")
    if how.dtype not in ("float32", "float64"):
        raise ValueError(f"dtype is {how.dtype!r}; it must be 'float32' or 'float64'")
    if isinstance(how.missing, str) and how.missing not in ("error", "zero", "keep"):
        raise ValueError(f"missing is {how.missing!r}; it must be 'error', 'zero', 'keep' or a number")
    if not isinstance(how.missing, str) and not abs(how.missing) <= float(np.finfo(how.dtype).max):
        raise ValueError(
            f"missing is {how.missing!r}; it must be 'error', 'zero', 'keep' or a finite number of {how.dtype}"
        )
    if how.index_base not in (None, 0, 1):
        raise ValueError(f"index_base is {how.index_base!r}; it must be 0 or 1")
