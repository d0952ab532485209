"""Gaps: taken out of rows and put back, carried by data sets and files, and filled."""

import numpy as np
import pytest
import scipy.sparse

import rankine
import reference
from problems import random_problem, with_gaps
from rankine.data import DataError, Dataset, Rows
from rankine.data.gaps import Filling, put, split

X, Y, QID = random_problem(0)
HOLED = with_gaps(X, [1, 3])
STORAGES = {
    "dense64": HOLED,
    "dense32": HOLED.astype(np.float32),
    "sparse64": scipy.sparse.csr_array(HOLED),
    "sparse32": scipy.sparse.csr_array(HOLED.astype(np.float32)),
}


def dense(matrix):
    return matrix if isinstance(matrix, np.ndarray) else matrix.toarray()


@pytest.mark.parametrize("storage", STORAGES)
def test_rows_without_their_gaps_and_with_them_again(storage):
    before = Rows.of(STORAGES[storage])
    rows, gaps = split(before)
    assert rows.dtype == before.dtype
    np.testing.assert_array_equal(dense(rows.matrix), np.nan_to_num(HOLED))
    assert np.c_[gaps.row, gaps.feature].tolist() == np.argwhere(np.isnan(HOLED)).tolist()
    assert gaps.counts(4).tolist() == (HOLED != HOLED).sum(axis=0).tolist()
    assert put(rows, gaps, np.nan).fingerprint() == before.fingerprint()
    np.testing.assert_array_equal(dense(put(rows, gaps, -1.0).matrix), np.where(HOLED != HOLED, -1, HOLED))
    assert split(rows) == (rows, None)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("features", [[], [1], [3], [1, 3], [0, 1, 2, 3]])
def test_indicators(storage, features):
    rows = Filling(0.0, np.array(features, int)).rows(*split(Rows.of(STORAGES[storage])))
    np.testing.assert_array_equal(dense(rows.matrix), reference.with_indicators(HOLED, features))
    assert rows.is_sparse == storage.startswith("sparse")
    assert str(rows.dtype) == f"float{storage[-2:]}"


@pytest.mark.parametrize("storage", STORAGES)
def test_data_sets_carry_gaps(storage):
    data = Dataset.from_arrays(STORAGES[storage], Y, QID, missing="keep")
    np.testing.assert_array_equal(dense(data.X), HOLED)
    assert ", 27 missing, " in repr(data)
    assert len(data.grouped.gaps) == 27
    assert data.grouped.rows.first_not_finite() is None
    assert data.fingerprint != Dataset.from_arrays(np.nan_to_num(dense(data.X)), Y, QID).fingerprint
    which = [2, 0, 0]
    taken = data.take_queries(which)
    inside = dense(taken.grouped.rows_with_gaps.matrix)
    parts = np.split(dense(data.grouped.rows_with_gaps.matrix), data.grouped.query_ptr[1:-1])
    np.testing.assert_array_equal(inside, np.concatenate([parts[q] for q in which]))
    assert data.take_queries([]).grouped.gaps is None
    np.testing.assert_array_equal(dense(data.suited().X), HOLED)


@pytest.mark.parametrize("name", ["d.txt", "d.parquet", "d.npz"])
@pytest.mark.parametrize("storage", ["dense32", "sparse32"])
def test_files_carry_gaps(tmp_path, name, storage):
    data = Dataset.from_arrays(STORAGES[storage], Y, QID, missing="keep")
    rankine.write(data, tmp_path / name)
    found = rankine.read(tmp_path / name, missing="keep")
    np.testing.assert_array_equal(dense(found.X), HOLED.astype(np.float32))
    zero = rankine.read(tmp_path / name, missing="zero")
    np.testing.assert_array_equal(dense(zero.X), np.nan_to_num(HOLED.astype(np.float32)))
    assert zero.grouped.gaps is None
    with pytest.raises(DataError, match=r"stands for a missing value.*missing='zero'.* missing='indicator'"):
        rankine.read(tmp_path / name)


@pytest.mark.parametrize("words", ["nan", "NULL", "-inf", "1.797e308"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_words_for_gaps_in_text(tmp_path, words, dtype):
    (tmp_path / "d.txt").write_text(f"1 qid:1 2:{words} 1:3\n0 qid:1 3:1\n")
    data = rankine.read(tmp_path / "d.txt", missing="keep", dtype=dtype)
    np.testing.assert_array_equal(dense(data.X), [[3, np.nan, 0], [0, 0, 1]])  # what is left out is 0, not a gap
    with pytest.raises(DataError, match=f"d.txt:1:11: '{words}' stands for a missing value of feature 2"):
        rankine.read(tmp_path / "d.txt")


def test_infinity_is_no_gap():
    for matrix in ([[np.nan, np.inf]], [[1.0, -np.inf]]):
        with pytest.raises(DataError, match="infinity in row 0, column 1"):
            Dataset.from_arrays(matrix, missing="keep")
