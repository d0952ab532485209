"""`Dataset`: any ids in any order, every kind of matrix and frame, and a sentence for whatever is wrong."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from rankine import Dataset
from rankine.data import DataError
from rankine.data.grouping import Runs, group_by_id, group_runs
from rankine.data.rows import Rows
from rankine.data.table import Table, joined

X = np.arange(12.0).reshape(6, 2)
y = np.array([0, 1, 2, 0, 1, 0])
IDS = {
    "integers": [3, 1, 3, 2, 1, 3],
    "negative": [-3, 1, -3, 0, 1, -3],
    "strings": ["b", "a", "b", "ü", "a", "b"],
    "floats": [0.5, 1.5, 0.5, -2.0, 1.5, 0.5],
    "mixed": ["b", 1, "b", (2, 3), 1, "b"],
    "big": [2**62, 1, 2**62, 2, 1, 2**62],
}


def of_mixed(values):
    out = np.empty(len(values), object)
    out[:] = values
    return out


@pytest.mark.parametrize("ids", IDS.values(), ids=IDS.keys())
def test_query_ids_of_any_type_in_any_order(ids):
    data = Dataset.from_arrays(X, y, of_mixed(ids) if isinstance(ids[3], tuple) else ids)
    assert data.n_queries == 3
    assert data.qid.tolist() == ids
    np.testing.assert_array_equal(data.X, X)
    assert data.label.tolist() == y.tolist()
    assert data.grouped.query_ptr.tolist() == [0, 3, 5, 6]
    assert data.grouped.label.tolist() == [0, 2, 0, 1, 1, 0]
    assert data.grouped.level.tolist() == [0, 1, 0, 0, 0, 0]


@pytest.mark.parametrize(
    "series", [pd.Series, pl.Series, pa.array, lambda ids: pa.array(ids).dictionary_encode(), pd.Categorical]
)
def test_query_ids_of_series(series):
    assert Dataset.from_arrays(X, y, series(IDS["strings"])).qid.tolist() == IDS["strings"]


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), max_size=40))
def test_grouping_is_a_stable_sort_by_first_row(ids):
    grouping = group_by_id(np.array(ids, np.int64), len(ids))
    expected = sorted(range(len(ids)), key=lambda i: (ids.index(ids[i]), i))
    order = list(range(len(ids))) if grouping.order is None else grouping.order.tolist()
    assert order == expected
    assert (grouping.order is None) == (expected == list(range(len(ids))))
    assert np.repeat(grouping.query_ids, np.diff(grouping.query_ptr)).tolist() == [ids[i] for i in expected]


def test_group_sizes_as_lightgbm_has_them():
    data = Dataset.from_arrays(X, y, group=[2, 0, 4])
    assert data.grouped.query_ptr.tolist() == [0, 2, 2, 6]
    assert data.order is None
    for group, message in (
        ([2, 3], "group sums to 5, but X has 6 rows"),
        ([1, 1, 1, 2, 2, 2], "if these are query ids, pass them as qid"),
        ([2.5, 3.5], "whole numbers"),
        ([-1, 7], "none negative"),
    ):
        with pytest.raises(DataError, match=message):
            Dataset.from_arrays(X, y, group=group)
    with pytest.raises(DataError, match="qid or group, not both"):
        Dataset.from_arrays(X, y, IDS["integers"], group=[6])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames(frame):
    columns = {"qid": ["b", "a", "b", "c", "a", "b"], "bm25": X[:, 0].tolist(), "clicks": [0, 1, 2, 3, 4, 5]}
    data = Dataset.from_arrays(frame(columns), pd.Series(y, index=range(10, 16)))
    assert data.feature_names == ("bm25", "clicks")
    assert data.qid.tolist() == columns["qid"]
    np.testing.assert_array_equal(data.X, np.c_[X[:, 0], columns["clicks"]])
    with pytest.raises(DataError, match="given twice"):
        Dataset.from_arrays(frame(columns), y, IDS["integers"])
    with pytest.raises(DataError, match="column 'title' has type String"):
        Dataset.from_arrays(frame({"title": ["x"] * 6}), y)


@pytest.mark.parametrize("kind", ["csr_array", "csc_matrix", "coo_array", "bsr_array"])
def test_sparse_matrices_of_any_kind(kind):
    X = np.array([[0, 1.5, 0], [0, 0, 0], [2, 0, -1]])
    data = Dataset.from_arrays(getattr(scipy.sparse, kind)(X), [1, 0, 2], ["b", "a", "b"])
    np.testing.assert_array_equal(data.X.toarray(), X)
    np.testing.assert_array_equal(data.grouped.rows.matrix.toarray(), X[[0, 2, 1]])


@pytest.mark.parametrize(
    ("row_ptr", "columns", "message"),
    [
        ([0, 1000, 2], [0, 1], "offsets of the sparse matrix decrease after row 1"),
        ([0, 1, 2], [0, 99], "column 99 of the sparse matrix is out of range"),
        ([0, 1, 2], [0, -1], "column -1 of the sparse matrix is out of range"),
    ],
)
def test_damaged_sparse_matrices_are_refused(row_ptr, columns, message):
    damaged = scipy.sparse.csr_array(np.eye(2))
    damaged.indptr = np.array(row_ptr, np.int32)
    damaged.indices = np.array(columns, np.int32)
    with pytest.raises(ValueError, match=message):
        Dataset.from_arrays(damaged, [0, 1])


def test_repeated_cells_of_a_sparse_matrix_add_up():
    twice = scipy.sparse.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), shape=(2, 2))
    assert Dataset.from_arrays(twice, [0, 1]).X.toarray().tolist() == [[0, 3], [0, 0]]


def test_rows_in_order_are_not_copied():
    for dtype in (np.float32, np.float64):
        rows = np.ones((4, 3), dtype)
        assert np.shares_memory(Dataset.from_arrays(rows, [0, 1, 0, 1], [1, 1, 2, 2]).X, rows)
    assert Dataset.from_arrays(np.asfortranarray(X), y).X.flags.c_contiguous
    assert Dataset.from_arrays(X.astype(np.int16), y).X.dtype == np.float64


def test_everything_is_frozen():
    label = np.array([0.0, 1.0])
    data = Dataset.from_arrays(np.eye(2), label)
    label[0] = 9
    assert data.label.tolist() == [0, 1]
    for array in (data.grouped.rows.value, data.grouped.label, data.query_ids, data.grouped.query_ptr):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"X": [[1, np.nan], [0, 0]]}, "X has NaN in row 0, column 1"),
        ({"X": [[1, 0], [0, -np.inf]]}, "X has infinity in row 1, column 1"),
        ({"X": pd.DataFrame({"a": [1, np.nan]})}, "X has NaN in row 1, column 'a'"),
        ({"X": [1, 2]}, "X has 1 dimension"),
        ({"X": [["x", 1], [2, 3]]}, "not numbers"),
        ({"X": [[1j, 1], [2, 3]]}, "Complex data"),
        ({"y": [0, 1, 2]}, "y has shape (3,), but X has 2 rows"),
        ({"y": [0, np.nan]}, "y has NaN in row 1"),
        ({"y": ["good", "bad"]}, "y has values that are not numbers"),
        ({"qid": [1]}, "qid has shape (1,), but X has 2 rows"),
        ({"qid": [1.0, np.nan]}, "qid of row 1 is NaN"),
        ({"qid": np.array(["a", None], object)}, "qid of row 1 is missing"),
        ({"qid": np.array(["2020-01-01", "NaT"], "datetime64[D]")}, "qid of row 1 is NaT"),
        ({"qid": pa.array(["a", None])}, "qid of row 1 is missing"),
        ({"sample_weight": [1, -1]}, "sample_weight[1] is -1"),
        ({"sample_weight": [1, np.inf]}, "sample_weight has infinity in row 1"),
        ({"sample_weight": [1]}, "sample_weight has shape (1,)"),
        ({"query_weight": [1, 1], "qid": [7, 7]}, "there are 1 queries"),
        ({"feature_names": ["a"]}, "feature_names has 1 names, but X has 2 columns"),
        ({"feature_names": ["a", "a"]}, "two features are named 'a'"),
        ({"doc_ids": ["x"]}, "doc_ids has shape (1,)"),
    ],
)
def test_what_is_wrong_is_a_sentence(arguments, message):
    import re

    with pytest.raises(DataError, match=re.escape(message)):
        Dataset.from_arrays(**{"X": [[1, 2], [3, 4]], "y": [0, 1], **arguments})


def test_no_rows_and_no_features():
    assert Dataset.from_arrays(np.zeros((0, 3)), [], []).n_queries == 0
    assert Dataset.from_arrays(np.zeros((2, 0)), [0, 1]).n_features == 0


def test_some_queries():
    data = Dataset.from_arrays(
        X,
        y,
        IDS["strings"],
        sample_weight=np.arange(1, 7),
        query_weight=[1, 2, 3],
        doc_ids=list("uvwxyz"),
        feature_names=["p", "q"],
    )
    part = data.take_queries([2, 0])
    assert part.qid.tolist() == ["b", "b", "ü", "b"]
    np.testing.assert_array_equal(part.X, X[[0, 2, 3, 5]])
    assert part.label.tolist() == y[[0, 2, 3, 5]].tolist()
    assert part.doc_ids.tolist() == list("uwxz")
    assert part.sample_weight.tolist() == [1, 3, 4, 6]
    assert part.grouped.query_weight.tolist() == [3, 1]
    assert part.feature_names == ("p", "q")


@pytest.mark.parametrize("sparse", [False, True])
def test_scores_of_some_rows(sparse):
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(1000, 20)), rng.normal(size=20)
    rows = Rows.of(scipy.sparse.csr_array(X) if sparse else X)
    for which in (np.array([999, 0, 0, 7]), np.arange(1000), np.zeros(0, np.int64)):
        np.testing.assert_allclose(rows.scores(w, which=which), (X @ w)[which], rtol=1e-12, atol=1e-12)
    for wrong in (-1, 1000):
        with pytest.raises(ValueError, match=f"no row {wrong}"):
            rows.scores(w, which=np.array([3, wrong]))


def test_fingerprints_tell_data_apart():
    data = Dataset.from_arrays(X, y, IDS["integers"])
    assert data.fingerprint == Dataset.from_arrays(X.copy(), y, IDS["strings"]).fingerprint
    other = X.copy()
    other[3, 1] = np.nextafter(other[3, 1], 9)
    for changed in ((other, y, IDS["integers"]), (X, y + 1, IDS["integers"]), (X, y, [1, 1, 1, 1, 1, 1])):
        assert Dataset.from_arrays(*changed).fingerprint != data.fingerprint


def test_tables_one_after_another():
    def table(n, n_features, ids, sizes, **more):
        return Table(
            Rows(np.ones((n, n_features))), np.arange(n, dtype=float), Runs(np.array(ids), np.array(sizes)), **more
        )

    both = joined(
        [table(2, 1, ["a", "b"], [1, 1]), table(3, 2, ["b", "a"], [2, 1], doc_ids=np.array(["x", "y", "z"]))],
        ["p", "q"],
    )
    data = Dataset.of_table(both, "p + q")
    assert data.X.tolist() == [[1, 0], [1, 0], [1, 1], [1, 1], [1, 1]]
    assert data.qid.tolist() == ["a", "b", "b", "b", "a"]
    assert data.doc_ids.tolist() == ["", "", "x", "y", "z"]
    assert group_runs(Runs(np.array([5, 5, 6]), np.array([1, 2, 1]))).order is None
    with pytest.raises(DataError, match="q has other feature names than p"):
        joined([table(1, 1, [1], [1], feature_names=("a",)), table(1, 1, [1], [1], feature_names=("b",))], ["p", "q"])


def test_weights_of_queries_without_rows():
    runs = Runs(np.array([0, 1, 2, 3]), np.array([0, 2, 0, 3]))
    table = Table(Rows(np.ones((5, 1))), np.arange(5.0), runs, query_weight=np.array([1.0, 2, 3, 4]))
    assert Dataset.of_table(table, "t").grouped.query_weight.tolist() == [1, 2, 3, 4]
