"""The kernels of `rankine doctor` against slow twins: all storages, any number of threads, ties, empty and large."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import reference
from problems import storages
from rankine import _core
from rankine.data import Dataset, Rows

STORAGES = ["dense64", "dense32", "sparse64", "sparse32"]


def tied_problem(seed, n_rows, n_features=6, n_queries=4, n_levels=4, n_values=4):
    """Few distinct values, negative ones and zeros of both signs among them, some rows twice; grouped by query."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-n_values // 2, n_values // 2 + 1, (n_rows, n_features)) / 2
    X *= rng.random(X.shape) < 0.6  # also makes zeros negative
    twice = rng.random(n_rows) < 0.3
    X[twice] = X[rng.integers(0, max(n_rows, 1), n_rows)][twice]
    y = rng.integers(0, n_levels, n_rows) * 1.5 - 3
    query_ptr = np.sort(np.r_[0, rng.integers(0, n_rows + 1, max(n_queries - 1, 0)), n_rows])
    return X, y, query_ptr


def examined(rows, y, query_ptr, n_threads):
    """What the kernels say of rows."""
    native = rows.native
    stats = _core.column_stats(native, n_threads)
    hashes = _core.row_hashes(native, n_threads)
    queries = _core.Queries(query_ptr, _core.levels(y, query_ptr), None, None, False)
    return {
        "n_varying": _core.n_varying(native, query_ptr, n_threads),
        "edges": _core.column_edges(native, stats[0], stats[1], n_threads),
        "first_equal": _core.first_equal(native, query_ptr, hashes, n_threads),
        "order": _core.feature_order(native, queries, n_threads),
        "hashes": hashes,
    }


def check(found, X, y, query_ptr):
    qid = np.repeat(np.arange(len(query_ptr) - 1), np.diff(query_ptr))
    assert found["n_varying"].tolist() == reference.n_varying(X, query_ptr)
    if len(X):
        assert list(zip(*found["edges"], strict=True)) == [reference.column_edges(x) for x in X.T]
    assert found["first_equal"].tolist() == reference.first_equal(X, query_ptr)
    assert found["order"].tolist() == [reference.feature_order(x, y, qid) for x in X.T]


@pytest.mark.parametrize("storage", STORAGES)
@given(
    seed=st.integers(0, 2**32),
    n_rows=st.integers(0, 40),
    n_features=st.integers(0, 20),
    n_queries=st.integers(1, 6),
    n_levels=st.sampled_from([1, 2, 5, 30]),
    n_values=st.sampled_from([1, 3, 50]),
)
def test_kernels_equal_their_twins(storage, seed, n_rows, n_features, n_queries, n_levels, n_values):
    X, y, query_ptr = tied_problem(seed, n_rows, n_features, n_queries, n_levels, n_values)
    X, stored = storages(X)
    found = examined(Rows.of(stored[storage]), y, query_ptr, n_threads=2)
    check(found, X, y, query_ptr)
    dense = examined(Rows.of(X), y, query_ptr, n_threads=1)
    np.testing.assert_array_equal(found["hashes"], dense["hashes"])
    assert (found["hashes"][(X == 0).all(axis=1)] == 0).all()


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("n_levels", [2, 12, 13, 700])
def test_one_large_query_and_many_levels(storage, n_levels):
    X, y, query_ptr = tied_problem(1, 1500, n_features=18, n_queries=1, n_levels=n_levels, n_values=9)
    X, stored = storages(X)
    found = examined(Rows.of(stored[storage]), y, query_ptr, n_threads=3)
    above = np.sign(y[:, None] - y[None, :])
    order = [int((above * np.sign(x[:, None] - x[None, :])).sum()) // 2 for x in X.T]
    assert found["order"].tolist() == order
    _, first, which = np.unique(X, axis=0, return_index=True, return_inverse=True)
    np.testing.assert_array_equal(found["first_equal"], first[which.reshape(-1)])


@pytest.mark.parametrize("storage", STORAGES)
def test_any_number_of_threads_finds_the_same(storage):
    X, y, query_ptr = tied_problem(2, 5000, n_features=40, n_queries=300, n_values=100)
    rows = Rows.of(storages(X)[1][storage])
    one = examined(rows, y, query_ptr, n_threads=1)
    for n_threads in (2, 5):
        other = examined(rows, y, query_ptr, n_threads)
        for name, found in one.items():
            np.testing.assert_array_equal(found, other[name])


def test_stored_zeros_and_the_order_of_cells_change_nothing():
    X = np.array([[0.0, 2.0, 1.0], [0.0, 2.0, 1.0], [0.0, 2.0, 0.0]])
    y, query_ptr = np.array([2.0, 0.0, 1.0]), np.array([0, 3])
    untidy = Rows(
        np.array([1.0, 2.0, -0.0, 0.0, 2.0, 1.0, 2.0]), np.array([0, 3, 6, 7]), np.array([2, 1, 0, 0, 1, 2, 1]), 3
    )
    found = examined(untidy, y, query_ptr, 1)
    check(found, X, y, query_ptr)
    np.testing.assert_array_equal(found["hashes"], examined(Rows.of(X), y, query_ptr, 1)["hashes"])


def test_extreme_values():
    huge = np.finfo(np.float64).max
    X = np.array([[huge, 5e-324], [-huge, -5e-324], [huge, 0.0], [1.0, 1e-300]])
    y, query_ptr = np.array([3.0, 0.0, 2.0, 1.0]), np.array([0, 4])
    for rows in (X, scipy.sparse.csr_array(X)):
        check(examined(Rows.of(rows), y, query_ptr, 2), X, y, query_ptr)
    X32 = np.array([[np.float32(3.4028235e38)], [-3.4028235e38], [1e-45], [0.0]], np.float32)
    check(examined(Rows.of(X32), y, query_ptr, 2), X32.astype(float), y, query_ptr)


def test_a_hash_that_collides_is_not_believed():
    data = Dataset.from_arrays([[1.0], [2.0], [1.0], [2.0]], [0, 1, 2, 3])
    g = data.grouped
    found = _core.first_equal(g.rows.native, g.query_ptr, np.zeros(4, np.uint64), 1)
    assert found.tolist() == [0, 1, 0, 1]
