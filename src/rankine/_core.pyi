"""Rankine's native kernels: rows, queries, losses over pairs."""

from collections.abc import Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


def isa() -> str:
    """The instruction set that the kernels were compiled for."""

class Rows:
    """Rows of features that the kernels read."""

    @property
    def n_rows(self) -> int: ...

    @property
    def n_features(self) -> int: ...

@overload
def dense_rows(value: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Rows: ...

@overload
def dense_rows(value: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Rows:
    """Rows of a C-contiguous matrix."""

@overload
def sparse_rows(row_ptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], index: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_features: int) -> Rows: ...

@overload
def sparse_rows(row_ptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], index: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_features: int) -> Rows:
    """Rows of a CSR matrix, checked."""

@overload
def first_not_finite(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> int: ...

@overload
def first_not_finite(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> int:
    """The position of the first NaN or infinity, or -1."""

def scores(rows: Rows, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The scores X w of all rows, or of those at some positions."""

def column_stats(rows: Rows, n_threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Least, greatest, mean, standard deviation and number of non-zeros of each column.
    """

def fingerprint(bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, n_threads: int) -> int:
    """A 64-bit fingerprint of bytes, continued from seed."""

class Queries:
    """Who competes with whom, and how much each pair weighs."""

    def __init__(self, query_ptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], level: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], win: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, lose: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, adjacent: bool, counting: str = 'auto', gain: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

def counting_names() -> list[str]:
    """The ways to count rows by level."""

def levels(label: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], query_ptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """The level of each label within its query."""

def pair_mass(queries: Queries) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The total weight of the pairs of each query."""

def loss_names() -> list[str]:
    """The margin losses."""

class PairwisePoint:
    """A loss over all pairs, at one vector of weights."""

    @property
    def value(self) -> float: ...

    @property
    def shortfall(self) -> float:
        """The sum over pairs of weight * max(0, 1 - margin)."""

    @property
    def mass(self) -> float:
        """The sum over pairs of weight * minus the slope of the loss."""

    @property
    def gradient(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def score(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def product(self, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The Hessian times v."""

    def diagonal(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The diagonal of the Hessian without its cross terms."""

    def hessian(self, single: bool) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        The Hessian as a matrix; `single`: short sums in single precision, which is faster and right to six digits.
        """

def pairwise(rows: object, queries: object, loss: str, window: float, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> PairwisePoint:
    """The point of a loss at w."""

def along(queries: Queries, loss: str, window: float, score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], direction: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], t: float, n_threads: int) -> tuple[float, float, float]:
    """Value, slope and curvature of the loss at score + t * direction."""

def best_mixture(gram: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    The b >= 0 with sum b = 1 that maximises offset . b - b' gram b / 2; gram is row after row.
    """

def n_varying(rows: Rows, query_ptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """The number of queries within which each feature varies."""

def column_edges(rows: Rows, least: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], greatest: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    How often each column holds its least value and the value next to it, then the same for its greatest.
    """

def row_hashes(rows: Rows, n_threads: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """
    A hash of each row: equal for equal rows, dense or sparse; 0 for a row of zeros.
    """

def first_equal(rows: Rows, query_ptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], hash: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    For each row, the first row of its query that is equal to it; hash is that of row_hashes.
    """

def feature_order(rows: Rows, queries: Queries, n_threads: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    For each feature alone, the pairs that it orders right minus those that it orders wrong; weights are not used.
    """

class Measure:
    """A metric and the conventions that it is measured by."""

    def __init__(self, *, kind: str, cutoff: int | None, relevant: float | None, max_label: float, gain: str, flat_start: bool, empty: float, short_query: str, reachable: bool, tied_pair: float) -> None: ...

def measure(label: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, query_ptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], measures: Sequence[Measure], ties: str, n_threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Sums and masses of each measure of each query, n_measures x n_queries: a value is sum / mass. The weight of rows is that of pair_accuracy.
    """

class LetorReader:
    """Reads LETOR text that comes in blocks."""

    def __init__(self, *, single: bool, index_base: int, n_features: int | None, beyond: str, missing: float | None, sparsest: int, n_threads: int) -> None: ...

    def begin_file(self, name: str) -> None:
        """What follows belongs to this file."""

    def feed(self, block: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], n: int) -> None:
        """Reads the next n bytes of a file."""

    def end_file(self) -> None:
        """The file ends here."""

    def take(self, n_features: int) -> dict[str, object]:
        """All that was read since the last time, with at least so many features."""

    @property
    def n_rows(self) -> int:
        """How many rows wait to be taken."""

class Texts:
    """Strings that the writer reads."""

    @overload
    def __init__(self) -> None: ...

    @overload
    def __init__(self, texts: Sequence[str]) -> None: ...

def number_lines(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> list[str]:
    """Numbers, one a line, that read back to the same bits; in pieces."""

def letor_lines(rows: Rows, label: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], query_of: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], query: Texts, document: Texts | None, which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], shows_width: bool, n_threads: int) -> list[bytes]:
    """The rows at `which` as lines of LETOR text, in pieces."""
