"""Data that the package makes itself: five shapes of ranking data, seeded, at any scale.

Rows are drawn from a hidden truth that depends on the shape and the seed alone, so a model trained on the part "train"
generalises to the part "test". Features come from additions, products and comparisons, never from a matrix product or
an exponential, whose last digits differ between machines: the same seed gives the same data everywhere.

>>> from rankine.data import synthetic
>>> synthetic.make("mslr10", scale=0.01)
<Dataset: 2,270 rows, 19 queries, 136 features, dense float32, labels 0 to 4>
>>> synthetic.make("mslr10", scale=0.01, part="test").n_queries
5
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence
from numpy.typing import NDArray

from rankine.data.dataset import Dataset, Grouped
from rankine.data.rows import Rows, Vector, freeze

Floats: TypeAlias = NDArray[np.float32]

SHAPES: dict[str, str] = {
    "mslr10": "227,000 rows of 136 dense features in 1,900 queries, grades 0 to 4, like MSLR-WEB10K",
    "mslr30": "2,270,000 rows of 136 dense features in 19,000 queries, grades 0 to 4, like MSLR-WEB30K",
    "mqlist": "540,000 rows of 46 dense features in 471 queries, each query fully ordered, like MQ2008-list",
    "ctr": "500,000 sparse rows, 22 of 200,000 binary features each, one query, about 1,000 click rates as labels",
    "rcv1": "780,000 sparse rows, 72 of 47,236 tf-idf features each, one query, 0.2 % of the rows relevant",
}
"""The shapes at scale 1, and what they look like."""


def make(shape: str, *, scale: float = 1.0, seed: int = 0, part: Literal["train", "test"] = "train") -> Dataset:
    """Draw a data set.

    Parameters
    ----------
    shape
        A name in `SHAPES`.
    scale
        Multiplies the number of queries, or of rows where the shape is one query; never the number of features. At
        least 2 queries, or 100 rows of one query, are made.
    seed
        Another seed is another hidden truth and other rows.
    part
        "test" is a quarter of the size of "train" and shares its hidden truth, but no query id.

    >>> make("rcv1", scale=0.001)
    <Dataset: 780 rows, 1 query, 47,236 features, sparse float32, labels 0 to 1>
    >>> make("mslr03")
    Traceback (most recent call last):
    ...
    ValueError: shape 'mslr03' is unknown; did you mean 'mslr30'? There are: mslr10, mslr30, mqlist, ctr, rcv1
    """
    if shape not in SHAPES:
        near = difflib.get_close_matches(str(shape), SHAPES, 1, 0.5)
        guess = f"did you mean {near[0]!r}? " if near else ""
        raise ValueError(f"shape {shape!r} is unknown; {guess}There are: {', '.join(SHAPES)}")
    if part not in ("train", "test"):
        raise ValueError(f"part is {part!r}; it must be 'train' or 'test'")
    if not 0 < scale < np.inf:
        raise ValueError(f"scale is {scale!r}; it must be a number above 0")
    if seed < 0:
        raise ValueError(f"seed is {seed}; it must not be negative")
    if part == "test":
        scale = scale / 4
    family = "mslr" if shape.startswith("mslr") else shape
    streams = {name: _stream(seed, family, name) for name in ("truth", part)}
    draw = {"mslr": _mslr, "mqlist": _mqlist, "ctr": _ctr, "rcv1": _rcv1}[family]
    drawn = draw(streams["truth"], streams[part], scale * 10 if shape == "mslr30" else scale)
    n_queries = len(drawn.query_ptr) - 1
    first = 1 if part == "train" else 10_000_001
    return Dataset(
        Grouped(drawn.rows, freeze(drawn.label), freeze(drawn.query_ptr)),
        freeze(np.arange(first, first + n_queries)),
        feature_names=drawn.feature_names,
        source=f"synthetic {shape}, {part}, seed {seed}",
    )


@dataclass(frozen=True)
class _Drawn:
    rows: Rows
    label: Vector
    query_ptr: NDArray[np.int64]
    feature_names: tuple[str, ...] | None = None


def _stream(seed: int, family: str, name: str) -> Generator:
    key = [seed, *family.encode(), 0, *name.encode()]
    return Generator(PCG64(SeedSequence(key)))


# Dense rows ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _DenseTruth:
    """How dense rows and their utility arise; every array has one entry a feature unless said.

    A row has a few latent factors, shared in part by the rows of its query. A feature is a noisy mixture of them,
    squashed to [0, 1], bent by a cubic and cut off below, as term statistics are. `copies` are features that mix two
    others with hardly any noise. The utility is linear, with some products of two features, before `unit` rescales.
    """

    loading: Floats  # (factors, features)
    noise: Floats
    bend: Floats  # (3, features): coefficients of x, x^2, x^3, which sum to one
    floor: Floats
    unit: Floats
    copies: NDArray[np.int64]  # (3, copies): feature, and the two that it mixes
    mixture: Floats  # (copies,): the share of the first
    weight: Floats
    products: NDArray[np.int64]  # (2, products)
    product_weight: Floats  # (products,)


_FACTORS = 8
_QUERY_SHARE = np.float32(0.6)  # how much the rows of a query have in common
_BLOCK = 2048  # rows a block: its temporaries stay in cache


def _dense_truth(rng: Generator, n_features: int, copies: NDArray[np.int64]) -> _DenseTruth:
    n_copies, n_products = len(copies[0]), 12
    bend = rng.random((3, n_features))
    bend[0] += 0.1
    weight = (rng.standard_normal(n_features) + 0.5) * (rng.random(n_features) < 0.5)
    weight[copies[0]] = 0.0
    products = rng.integers(n_features, size=(2, n_products))
    # A column in four is counted in units that make it small, down to a hundredth.
    unit = np.where(rng.random(n_features) < 0.25, 0.01 + 0.49 * rng.random(n_features) ** 2, 1.0)
    return _DenseTruth(
        loading=np.float32(1 / _FACTORS**0.5) * rng.standard_normal((_FACTORS, n_features), np.float32),
        noise=np.float32(0.2) + np.float32(0.5) * rng.random(n_features, np.float32),
        bend=(bend / bend.sum(axis=0)).astype(np.float32),
        floor=np.where(rng.random(n_features) < 0.4, 0.3 * rng.random(n_features), 0.0).astype(np.float32),
        unit=unit.astype(np.float32),
        copies=copies,
        mixture=rng.random(n_copies, np.float32),
        weight=weight.astype(np.float32),
        products=products,
        product_weight=rng.standard_normal(n_products, np.float32),
    )


def _dense_block(truth: _DenseTruth, rng: Generator, of_query: Floats) -> tuple[Floats, Floats, Floats]:
    """Rows before units, and the linear and the other part of their utility, given the factors of their queries."""
    n, n_features = len(of_query), truth.loading.shape[1]
    factor = rng.standard_normal((n, _FACTORS), np.float32)
    factor += of_query
    x = rng.standard_normal((n, n_features), np.float32)
    x *= truth.noise
    term = np.empty_like(x)
    for k in range(_FACTORS):
        x += np.multiply(factor[:, k, None], truth.loading[k], out=term)
    np.abs(x, out=term)
    term += np.float32(1)
    x /= term  # now in (-1, 1)
    x += np.float32(1)
    x *= np.float32(0.5)
    np.multiply(x, truth.bend[2], out=term)
    term += truth.bend[1]
    term *= x
    term += truth.bend[0]
    x *= term
    x -= truth.floor
    np.maximum(x, np.float32(0), out=x)
    column, first, second = truth.copies
    if len(column):
        mixed = x[:, first] * truth.mixture + x[:, second] * (np.float32(1) - truth.mixture)
        mixed += np.float32(0.002) * rng.standard_normal(mixed.shape, np.float32)
        x[:, column] = np.clip(mixed, np.float32(0), np.float32(1))
    np.multiply(x, truth.weight, out=term)
    linear = term.sum(axis=1)
    a, b = truth.products
    centred = (x[:, a] - np.float32(0.3)) * (x[:, b] - np.float32(0.3)) * truth.product_weight
    return x, linear, centred.sum(axis=1)


def _dense_rows(
    truth: _DenseTruth, rng: Generator, probe: Generator, size: NDArray[np.int64]
) -> tuple[Rows, NDArray[np.float64]]:
    """Rows of queries of these sizes, and their utility with noise."""
    # What the parts of the utility vary by is measured on rows that are then thrown away, so it belongs to the truth.
    _, linear, other = _dense_block(truth, probe, _QUERY_SHARE * probe.standard_normal((4096, _FACTORS), np.float32))
    by = np.float32(1 / linear.std()), np.float32(0.7 / other.std())
    of_query = _QUERY_SHARE * rng.standard_normal((len(size), _FACTORS), np.float32)
    query = np.repeat(np.arange(len(size)), size)
    value = np.empty((len(query), truth.loading.shape[1]), np.float32)
    utility = np.empty(len(query))
    for begin in range(0, len(query), _BLOCK):
        block = slice(begin, begin + _BLOCK)
        x, linear, other = _dense_block(truth, rng, of_query[query[block]])
        utility[block] = linear * by[0] + other * by[1]
        utility[block] += 0.9 * rng.standard_normal(len(x), np.float32)
        x *= truth.unit
        x *= np.float32(1e6)  # six decimals, as such files have
        np.divide(np.rint(x, out=x), np.float32(1e6), out=value[block])
    return Rows(value), utility


def _query_sizes(drawn: Vector, n_rows: int) -> NDArray[np.int64]:
    """Sizes in proportion to what was drawn, that sum to n_rows; at least two rows each."""
    size: NDArray[np.int64] = np.maximum(2, drawn * (n_rows / drawn.sum())).astype(np.int64)
    left = n_rows - int(size.sum())  # what rounding down left over goes to the largest
    by_size = np.argsort(-size, kind="stable")
    each, rest = divmod(left, len(size))
    size += each
    size[by_size[:rest]] += 1
    return size


def _offsets(size: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(size)])


_STREAMS = ("body", "anchor", "title", "url", "whole")
_TERM_STATISTICS = ("tf", "norm_tf", "tfidf")
_OVER_TERMS = ("sum", "min", "max", "mean", "variance")
_MSLR_NAMES = (
    *(f"{what}_{stream}" for what in ("covered_terms", "covered_ratio", "length", "idf") for stream in _STREAMS),
    *(f"{what}_{how}_{stream}" for what in _TERM_STATISTICS for how in _OVER_TERMS for stream in _STREAMS),
    *(f"{what}_{s}" for what in ("boolean", "vector_space", "bm25", "lm_abs", "lm_dir", "lm_jm") for s in _STREAMS),
    *("url_slashes", "url_length", "inlinks", "outlinks", "page_rank", "site_rank"),
    *("page_quality", "site_quality", "query_url_clicks", "url_clicks", "url_dwell_time"),
)


def _mslr(truth_rng: Generator, rng: Generator, scale: float) -> _Drawn:
    at = {name: j for j, name in enumerate(_MSLR_NAMES)}
    copies = [
        (at[f"{what}_{how}_{stream}"], at[f"{what}_sum_{stream}"], at[f"{what}_variance_{stream}"])
        for what in _TERM_STATISTICS
        for how in ("min", "max", "mean")
        for stream in _STREAMS
    ]
    truth = _dense_truth(truth_rng, len(_MSLR_NAMES), np.array(copies).T)
    n_queries = max(2, round(1900 * scale))
    size = _query_sizes(np.exp(0.5 * rng.standard_normal(n_queries)), round(227_000 * n_queries / 1900))
    rows, utility = _dense_rows(truth, rng, truth_rng, size)
    # Grades are only partly comparable across queries.
    query = np.repeat(np.arange(n_queries), size)
    utility -= (0.6 * np.bincount(query, utility) / size)[query]
    cuts = np.quantile(utility, [0.52, 0.84, 0.97, 0.99])
    label = np.searchsorted(cuts, utility).astype(np.float64)
    return _Drawn(rows, label, _offsets(size), _MSLR_NAMES)


def _mqlist(truth_rng: Generator, rng: Generator, scale: float) -> _Drawn:
    truth = _dense_truth(truth_rng, 46, np.zeros((3, 0), np.int64))
    n_queries = max(2, round(471 * scale))
    drawn = np.clip(1147 + 260 * rng.standard_normal(n_queries), 200, 2500)
    size = _query_sizes(drawn, round(540_000 * n_queries / 471))
    rows, utility = _dense_rows(truth, rng, truth_rng, size)
    query_ptr = _offsets(size)
    label = np.empty(len(utility))
    label[np.lexsort((utility, np.repeat(np.arange(n_queries), size)))] = np.arange(len(utility)) - np.repeat(
        query_ptr[:-1], size
    )
    return _Drawn(rows, label, query_ptr)


# Sparse rows ---------------------------------------------------------------------------------------------------------

_SLOTS = 1 << 22
_SPARSE_BLOCK = 32768  # rows a block


@dataclass(frozen=True)
class _SparseBlock:
    """Distinct columns of each row in ascending order, and how often each was drawn."""

    row: NDArray[np.int64]
    column: NDArray[np.int32]
    count: NDArray[np.int64]
    size: NDArray[np.int64]


def _popularity(n_features: int, power: float, shift: float) -> Vector:
    """The probability of each column by popularity: a shifted power law."""
    p: Vector = np.power(np.arange(n_features) + shift, -power)
    p /= p.sum()
    return p


def _columns_by_chance(p: Vector, column: NDArray[np.int64]) -> NDArray[np.int32]:
    """A table that maps an integer below _SLOTS to a column, in proportion to p to within a slot."""
    slot = np.searchsorted(np.cumsum(p), (np.arange(_SLOTS) + 0.5) / _SLOTS)
    return column[np.minimum(slot, len(p) - 1)].astype(np.int32)


def _sparse_block(rng: Generator, table: NDArray[np.int32], n: int, mean: float, sigma: float) -> _SparseBlock:
    drawn = np.exp(np.log(mean) - sigma * sigma / 2 + sigma * rng.standard_normal(n))
    draws = np.maximum(2, drawn).astype(np.int64)
    key = np.repeat(np.arange(n, dtype=np.int64) << 32, draws)
    key |= table[rng.integers(_SLOTS, size=len(key), dtype=np.int32)]
    key.sort()  # rows are in order already, so this sorts the columns of each
    start = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
    count = np.diff(start, append=len(key))
    key = key[start]
    row = key >> 32
    return _SparseBlock(row, (key & 0xFFFFFFFF).astype(np.int32), count, np.bincount(row, minlength=n))


@dataclass(frozen=True)
class _SparseParts:
    """Blocks of rows, kept without what only their labels needed."""

    size: list[NDArray[np.int64]] = field(default_factory=list)
    column: list[NDArray[np.int32]] = field(default_factory=list)
    value: list[Floats] = field(default_factory=list)

    def add(self, block: _SparseBlock, value: Floats) -> None:
        self.size.append(block.size)
        self.column.append(block.column)
        self.value.append(value)

    def rows(self, n_features: int) -> Rows:
        row_ptr = _offsets(np.concatenate(self.size))
        return Rows(np.concatenate(self.value), row_ptr, np.concatenate(self.column), n_features)


def _block_sizes(n_rows: int) -> list[int]:
    return [min(_SPARSE_BLOCK, n_rows - begin) for begin in range(0, n_rows, _SPARSE_BLOCK)]


def _ctr(truth_rng: Generator, rng: Generator, scale: float) -> _Drawn:
    n_features = 200_000
    table = _columns_by_chance(_popularity(n_features, 1.05, 8.0), truth_rng.permutation(n_features))
    weight = 0.4 * truth_rng.standard_normal(n_features)
    parts, label = _SparseParts(), []
    for n in _block_sizes(max(100, round(500_000 * scale))):
        block = _sparse_block(rng, table, n, 23.0, 0.15)
        u = np.bincount(block.row, weight[block.column], n) + 0.8 * rng.standard_normal(n) - 1.2
        label.append(np.round(500 * (1 + u / (1 + np.abs(u)))) / 1000)
        parts.add(block, np.ones(len(block.column), np.float32))
    rows = parts.rows(n_features)
    return _Drawn(rows, np.concatenate(label), np.array([0, rows.n_rows]))


def _rcv1(truth_rng: Generator, rng: Generator, scale: float) -> _Drawn:
    n_features = 47_236
    p = _popularity(n_features, 0.95, 60.0)
    place = truth_rng.permutation(n_features)
    table = _columns_by_chance(p, place)
    # Logarithms are rounded, so that a machine whose last digit differs gives the same data.
    idf = np.empty(n_features)
    idf[place] = np.round(1024 * (1 + np.log(1 / np.minimum(1, 100 * p)))) / 1024
    tf = np.round(1024 * (1 + np.log(np.arange(1, 1 << 12)))) / 1024
    weight = np.zeros(n_features)
    weight[place[truth_rng.choice(6000, 400, replace=False)]] = 2 * np.abs(truth_rng.standard_normal(400))
    weight[place[truth_rng.choice(n_features, 4000, replace=False)]] -= 0.6 * np.abs(truth_rng.standard_normal(4000))
    parts, utility = _SparseParts(), []
    for n in _block_sizes(max(100, round(780_000 * scale))):
        block = _sparse_block(rng, table, n, 73.5, 0.5)
        value = tf[np.minimum(block.count, len(tf)) - 1] * idf[block.column]
        value /= np.sqrt(np.bincount(block.row, value * value, n))[block.row]
        utility.append(np.bincount(block.row, value * weight[block.column], n) + 0.12 * rng.standard_normal(n))
        parts.add(block, value.astype(np.float32))
    rows = parts.rows(n_features)
    label = np.zeros(rows.n_rows)
    n_relevant = max(1, round(0.002 * rows.n_rows))
    label[np.argsort(np.concatenate(utility), kind="stable")[-n_relevant:]] = 1.0
    return _Drawn(rows, label, np.array([0, rows.n_rows]))
