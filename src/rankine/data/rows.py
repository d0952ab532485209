"""Rows of features, dense or sparse, frozen and checked: what the kernels read.

Dense rows are one C-contiguous float32 or float64 matrix; sparse rows are CSR with int64 offsets and int32 columns.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankine import _core
from rankine.data.errors import DataError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Rows are better dense when at least this share of their cells is not zero.
DENSE_FROM = 0.25

Vector: TypeAlias = NDArray[np.float64]
Array: TypeAlias = NDArray[Any]


def thread_count(n_threads: int | None) -> int:
    """How many threads to use: the number given, or as many as this process may run on."""
    if n_threads is not None:
        return n_threads
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def freeze(array: Array) -> Array:
    """A read-only view of an array."""
    view = array.view()
    view.flags.writeable = False
    return view


class Columns(NamedTuple):
    """One entry a column; the zeros that sparse rows leave out count as cells."""

    least: Vector
    greatest: Vector
    mean: Vector
    spread: Vector
    n_filled: NDArray[np.int64]


class Rows:
    """A frozen matrix of features.

    Parameters
    ----------
    value
        The matrix, (n_rows, n_features), when dense; the stored values when sparse.
    row_ptr, index
        Offsets of the rows and columns of the values, when sparse.
    n_features
        The number of columns, when sparse.
    """

    def __init__(
        self,
        value: Array,
        row_ptr: NDArray[np.int64] | None = None,
        index: NDArray[np.int32] | None = None,
        n_features: int | None = None,
    ):
        dtype = np.float32 if value.dtype == np.float32 else np.float64
        self.value = freeze(np.ascontiguousarray(value, dtype))
        self.row_ptr = self.index = None
        if row_ptr is None or index is None or n_features is None:
            self.shape = (int(value.shape[0]), int(value.shape[1]))
        else:
            self.row_ptr = freeze(np.ascontiguousarray(row_ptr, np.int64))
            self.index = freeze(np.ascontiguousarray(index, np.int32))
            self.shape = (len(row_ptr) - 1, int(n_features))

    @classmethod
    def of(cls, X: Any) -> Rows:
        """Rows of a NumPy or SciPy sparse matrix, without a copy where its layout allows."""
        if isinstance(X, cls):
            return X
        if hasattr(X, "tocsr"):
            if len(X.shape) != 2:
                raise DataError(f"X has {len(X.shape)} dimension(s); a matrix of rows and features is expected")
            if X.shape[1] > np.iinfo(np.int32).max:
                raise DataError(f"X has {X.shape[1]} columns; at most 2^31 - 1 are supported")
            csr = X.tocsr()
            rows = cls(_numbers(csr.data), csr.indptr, csr.indices, csr.shape[1])
            _ = rows.native  # offsets and columns are checked before SciPy, which trusts them, looks at what is there
            if csr.has_canonical_format:
                return rows
            csr = csr.copy()
            csr.sum_duplicates()
            return cls(_numbers(csr.data), csr.indptr, csr.indices, csr.shape[1])
        X = _numbers(X)
        if X.ndim != 2:
            hint = " Reshape your data: X.reshape(-1, 1) if it has a single feature." if X.ndim == 1 else ""
            raise DataError(f"X has {X.ndim} dimension(s); a matrix of rows and features is expected.{hint}")
        return cls(X)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.shape[0]

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self.shape[1]

    @property
    def is_sparse(self) -> bool:
        """Whether zeros are left out."""
        return self.row_ptr is not None

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 or float64."""
        return self.value.dtype

    @property
    def filled(self) -> float:
        """The share of cells that are not zero."""
        cells = self.n_rows * self.n_features
        return float(self.columns.n_filled.sum()) / cells if cells else 0.0

    @cached_property
    def native(self) -> _core.Rows:
        """The rows as the kernels take them; sparse offsets and columns are checked here, once."""
        if self.row_ptr is None or self.index is None:
            return _core.dense_rows(self.value)
        return _core.sparse_rows(self.row_ptr, self.index, self.value, self.n_features)

    @property
    def matrix(self) -> Array | csr_array:
        """The rows as a read-only NumPy array or SciPy `csr_array`, without a copy."""
        if self.row_ptr is None:
            return self.value
        from scipy.sparse import csr_array

        return csr_array((self.value, self.index, self.row_ptr), shape=self.shape)

    def scores(self, w: Vector, n_threads: int | None = None, *, which: NDArray[np.int64] | None = None) -> Vector:
        """X w, in float64; that of some rows alone if `which` names their positions."""
        return _core.scores(self.native, np.ascontiguousarray(w, np.float64), which, thread_count(n_threads))

    def take(self, which: NDArray[np.int64]) -> Rows:
        """The rows at these positions, in their order."""
        if self.row_ptr is None or self.index is None:
            return Rows(self.value[which])
        size = np.diff(self.row_ptr)[which]
        row_ptr = np.concatenate([[0], np.cumsum(size)])
        at = np.arange(row_ptr[-1]) + np.repeat(self.row_ptr[:-1][which] - row_ptr[:-1], size)
        return Rows(self.value[at], row_ptr, self.index[at], self.n_features)

    @classmethod
    def stacked(cls, parts: Sequence[Rows]) -> Rows:
        """The rows of several matrices of the same width, one below the other; sparse if one of them is."""
        if not any(part.is_sparse for part in parts):
            return cls(np.concatenate([part.value for part in parts]))
        from scipy.sparse import csr_array, vstack

        return cls.of(vstack([csr_array(part.matrix) for part in parts], format="csr"))

    def first_not_finite(self) -> tuple[int, int] | None:
        """Row and column of the first NaN or infinity."""
        at = _core.first_not_finite(self.value.reshape(-1), thread_count(None))
        if at < 0:
            return None
        if self.row_ptr is None or self.index is None:
            return at // self.n_features, at % self.n_features
        return int(np.searchsorted(self.row_ptr, at, side="right")) - 1, int(self.index[at])

    def suited(self) -> Rows:
        """The same rows, dense if sparse ones have so many values that they would be read more slowly."""
        if self.is_sparse and self.value.size >= DENSE_FROM * self.n_rows * self.n_features:
            matrix: Any = self.matrix
            return Rows(matrix.toarray())
        return self

    def widen(self, n_features: int) -> Rows:
        """The same rows with zeros in new columns on the right."""
        if n_features == self.n_features:
            return self
        if self.row_ptr is not None and self.index is not None:
            return Rows(self.value, self.row_ptr, self.index, n_features)
        wide = np.zeros((self.n_rows, n_features), self.dtype)
        wide[:, : self.n_features] = self.value
        return Rows(wide)

    def narrow(self, n_features: int) -> Rows:
        """The same rows without their last columns."""
        matrix: Any = self.matrix
        return Rows.of(matrix[:, :n_features])

    @cached_property
    def columns(self) -> Columns:
        """What each column looks like."""
        return Columns(*_core.column_stats(self.native, thread_count(None)))

    def fingerprint(self, seed: int = 0) -> int:
        """A number that tells this matrix from others."""
        h = _core.fingerprint(np.array(self.shape, np.int64).view(np.uint8), seed, 1)
        for part in (self.value, self.row_ptr, self.index):
            if part is not None:
                h = _core.fingerprint(part.reshape(-1).view(np.uint8), h, thread_count(None))
        return h


def _numbers(X: Any) -> Array:
    """An array of floats: float32 stays, everything else that is a real number becomes float64."""
    values: Array = np.asarray(X)
    if values.dtype.kind == "c":
        raise DataError("Complex data not supported: X has complex numbers; features are real")
    if values.dtype in (np.float32, np.float64):
        return values
    try:
        numbers: Array = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"X has values that are not numbers: {error}") from None
    return numbers
