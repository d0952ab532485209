"""Files in .npz: everything survives to the last bit, rules for numbers, files of others, and damage of any kind."""

import io
import zipfile

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from problems import random_problem
from rankine.data import DataError, Dataset
from rankine.data.npz import read, write
from rankine.data.table import How
from stored import IDS, assert_same, problem


def loaded(path, **how):
    return Dataset.of_table(read([str(path)], How(**how)), str(path))


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 99),
    storage=st.sampled_from(["dense32", "dense64", "sparse32", "sparse64"]),
    ids=st.sampled_from(list(IDS)),
    in_order=st.booleans(),
    extras=st.booleans(),
    n_rows=st.integers(1, 40),
)
def test_everything_survives(tmp_path_factory, seed, storage, ids, in_order, extras, n_rows):
    path = tmp_path_factory.getbasetemp() / "round.npz"
    data = problem(seed, storage, ids, in_order, extras, n_rows)
    write(data, str(path))
    assert_same(data, loaded(path, dtype=f"float{storage[-2:]}"))


@pytest.mark.parametrize("block", [1, 100, 1000])
@pytest.mark.parametrize("storage", ["dense32", "sparse64"])
def test_blocks_of_any_size_are_put_together(tmp_path, monkeypatch, storage, block):
    monkeypatch.setattr("rankine.data.npz.BLOCK", block)
    data = problem(storage=storage)
    write(data, str(tmp_path / "a.npz"))
    assert_same(data, loaded(tmp_path / "a.npz", dtype=f"float{storage[-2:]}"))
    wide = loaded(tmp_path / "a.npz", dtype="float64", n_features=6)
    assert (abs(wide.X[:, :4] - data.X.astype(np.float64))).max() == 0


def test_queries_without_rows_and_data_without_rows_or_features_survive(tmp_path):
    path = tmp_path / "a.npz"
    for data in (
        Dataset.from_arrays(np.ones((5, 2)), group=[0, 2, 0, 3]),
        Dataset.from_arrays(np.ones((5, 2)), group=[0, 2, 0, 3]).take_queries([3, 2, 1]),
        Dataset.from_arrays(np.zeros((0, 3)), []),
        Dataset.from_arrays(np.zeros((3, 0)), [1, 2, 3]),
        Dataset.from_arrays(scipy.sparse.csr_array((3, 0)), [1, 2, 3], feature_names=[]),
        Dataset.from_arrays(scipy.sparse.csr_array((3, 2**31 - 1)), [1, 2, 3]),
    ):
        write(data, str(path))
        found = loaded(path, dtype="float64")
        assert (found.n_rows, found.n_features, found.n_queries) == (data.n_rows, data.n_features, data.n_queries)
        np.testing.assert_array_equal(found.label, data.label)
        np.testing.assert_array_equal(found.qid, data.qid)


def test_numpy_opens_the_file_without_pickle(tmp_path):
    data = problem(storage="dense32", extras=False)
    write(data, str(tmp_path / "a.npz"))
    with np.load(tmp_path / "a.npz", allow_pickle=False) as arrays:
        np.testing.assert_array_equal(arrays["X"], data.X, strict=True)
        np.testing.assert_array_equal(np.repeat(arrays["run_id"], arrays["run_size"]), data.qid)
    first = (tmp_path / "a.npz").read_bytes()
    write(data, str(tmp_path / "a.npz"))
    assert (tmp_path / "a.npz").read_bytes() == first


def test_several_files_are_one_data_set(tmp_path):
    paths = [str(tmp_path / name) for name in ("a.npz", "b.npz")]
    for seed, path in enumerate(paths):
        write(problem(seed), path)
    both = Dataset.of_table(read(paths, How(dtype="float64")), "both")
    np.testing.assert_array_equal(both.X, np.concatenate([problem(0).X, problem(1).X]))
    np.testing.assert_array_equal(both.qid, np.concatenate([problem(0).qid, problem(1).qid]))


def test_ids_of_objects(tmp_path):
    path = str(tmp_path / "a.npz")
    numbers = Dataset.from_arrays(np.eye(3), qid=np.array([3, 1, 3], object))
    write(numbers, path)
    assert loaded(path).qid.tolist() == [3, 1, 3]
    for qid, types in (([1, "a", 1], "int and str"), ([(1, 2), (1, 2), (3,)], "tuple"), ([b"a", b"b", b"a"], "bytes")):
        given_ids = np.empty(3, object)
        given_ids[:] = qid
        mixed = Dataset.from_arrays(np.eye(3), qid=given_ids)
        with pytest.raises(DataError, match=f"query ids are of type {types};.* make them strings"):
            write(mixed, path)
    with pytest.raises(DataError, match="document ids are of type NoneType and str"):
        write(Dataset.from_arrays(np.eye(2), doc_ids=np.array(["a", None], object)), path)
    with pytest.raises(DataError, match="two queries have the id 3"):
        write(numbers.take_queries([0, 0]), path)
    assert loaded(path).qid.tolist() == [3, 1, 3]  # what could not be written has not replaced the file


@pytest.mark.parametrize("storage", ["dense64", "sparse64"])
def test_numbers_are_rounded_only_where_they_fit(tmp_path, storage):
    X = np.arange(12.0).reshape(4, 3) + 0.1
    X[2, 1] = -1e39
    data = Dataset.from_arrays(X if storage == "dense64" else scipy.sparse.csr_array(X), feature_names=["a", "b", "c"])
    path = str(tmp_path / "a.npz")
    write(data, path)
    with pytest.raises(DataError, match=r"a.npz, row 3, column 'b' is -1e\+39, too large for float32.*dtype='float64'"):
        loaded(path)
    assert_same(data, loaded(path, dtype="float64"))
    write(Dataset.from_arrays(np.full((2, 1), 0.1)), path)
    assert loaded(path).X.dtype == np.float32
    assert loaded(path).X[0, 0] == np.float32(0.1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1.797e308, -1.7976931348623157e308])
def test_missing_values_are_refused_or_replaced(tmp_path, dtype, bad):
    X = np.ones((3, 2))
    X[1, 1] = bad
    path = tmp_path / "a.npz"
    np.savez(path, X=X, y=np.zeros(3), qid=np.zeros(3))
    with pytest.raises(DataError, match=r"a.npz, row 2, column 2 is .*missing='zero' or a number \(--missing zero\)"):
        loaded(path, dtype=dtype)
    X[1, 1] = 0
    np.testing.assert_array_equal(loaded(path, dtype=dtype, missing="zero").X, X.astype(dtype), strict=True)
    X[1, 1] = -1.5
    np.testing.assert_array_equal(loaded(path, dtype=dtype, missing=-1.5).X, X.astype(dtype), strict=True)


def changed(path, data, **arrays):
    """A file in which some arrays are others, or absent if None."""
    write(data, str(path))
    with np.load(path) as found:
        arrays = {name: array for name, array in (dict(found) | arrays).items() if array is not None}
    np.savez(path, **arrays)


@pytest.mark.parametrize(("bad", "row"), [(np.nan, 1), (np.inf, 3)])
def test_missing_values_of_sparse_rows_are_named(tmp_path, bad, row):
    data = Dataset.from_arrays(scipy.sparse.csr_array([[2.0, 0.0], [0.0, 0.0], [0.0, 3.0]]), feature_names=["a", "b"])
    value = np.where(np.arange(2) == (row > 1), bad, 1.0)
    changed(tmp_path / "a.npz", data, value=value)
    with pytest.raises(DataError, match=f"row {row}, column '{'a' if row == 1 else 'b'}' is {bad:g}"):
        loaded(tmp_path / "a.npz")
    found = loaded(tmp_path / "a.npz", missing=4.0).X.toarray()
    assert found.sum() == 5


def test_more_features_are_zero_and_fewer_are_an_error(tmp_path):
    path = tmp_path / "a.npz"
    for storage in ("dense32", "sparse64"):
        data = problem(storage=storage, extras=False)
        write(data, str(path))
        wide = loaded(path, n_features=7)
        assert wide.n_features == 7
        assert abs(wide.X[:, 4:]).sum() == 0
        with pytest.raises(DataError, match=r"a\.npz has 4 features, more than n_features=3"):
            loaded(path, n_features=3)
    write(problem(), str(path))
    assert loaded(path, n_features=6).feature_names == ("a", "b", "café", "d d", "f5", "f6")


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["f4", ">f8", "f2", "i4", "u1", "?"])
def test_arrays_of_others(tmp_path, save, order, dtype):
    X, y, qid = random_problem(1)
    X = np.asarray(np.abs(X) * 3, dtype, order=order)
    save(tmp_path / "a.npz", X=X, y=y.astype(np.int8), qid=qid)
    data = loaded(tmp_path / "a.npz", dtype="float64")
    np.testing.assert_array_equal(data.X, X.astype(np.float64), strict=True)
    np.testing.assert_array_equal(data.qid, qid)
    np.testing.assert_array_equal(data.label, y)


def test_arrays_of_others_without_queries(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.eye(3), y=np.arange(3))
    with pytest.raises(DataError, match=r"a.npz has no array qid; one_query=True \(--one-query\)"):
        loaded(tmp_path / "a.npz")
    assert loaded(tmp_path / "a.npz", one_query=True).n_queries == 1
    np.savez(tmp_path / "a.npz", X=np.eye(3), y=np.arange(3), qid=[1, np.nan, 2])
    with pytest.raises(DataError, match="row 2: qid is nan"):
        loaded(tmp_path / "a.npz")


def test_a_foreign_file_is_told_what_is_expected(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, data=np.eye(2), target=[1, 2])
    with pytest.raises(DataError, match="nor does it hold arrays X, y and qid: it holds data, target"):
        loaded(path)
    path.write_text("1 qid:1 1:2\n")
    with pytest.raises(DataError, match=r"a\.npz is not an \.npz file"):
        loaded(path)
    np.savez(path, X=np.eye(2), y=np.array([1, "a"], object), qid=[1, 2])
    with pytest.raises(DataError, match="its y has type object"):
        loaded(path)
    changed(path, problem(), version=np.array(2))
    with pytest.raises(DataError, match="version 2, from a newer Rankine"):
        loaded(path)
    with pytest.raises(FileNotFoundError) as error:
        loaded(tmp_path / "none.npz")
    assert error.value.filename.endswith("none.npz")
    with pytest.raises(IsADirectoryError):
        loaded(tmp_path)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"label": np.full(40, np.nan)}, "row 1: label is nan; a finite number"),
        ({"label": np.zeros(39)}, "its runs are not"),
        ({"label": np.zeros((40, 1))}, "its label has type"),
        ({"label": None}, "it has no label"),
        ({"run_size": None}, "it has no run_size"),
        ({"run_size": np.array([50, -10])}, "its runs are not"),
        ({"run_id": np.array([1.5, np.nan]), "run_size": np.array([20, 20])}, "row 2: run_id is nan"),
        ({"sample_weight": -np.ones(40)}, "row 1: sample_weight is -1; .* not negative"),
        ({"run_weight": np.ones(2)}, "its run_weight has"),
        ({"doc_ids": np.array(["a"])}, "its doc_ids has"),
        ({"doc_ids": np.full(40, 2**31 + 1, np.uint32).view("U1")}, "characters that do not exist"),
        ({"feature_names": np.array(["a", "b", "b", "c"])}, "two features named 'b'"),
        ({"feature_names": np.array(["a", "b"])}, "4 features, but names for 2"),
        ({"X": np.zeros((39, 4))}, "its X has"),
        ({"X": np.zeros((40, 4), complex)}, "its X has type complex128"),
        ({"X": None}, "it has no n_features"),
        ({"Y": np.eye(2)}, "unknown array Y"),
    ],
)
def test_arrays_that_do_not_fit(tmp_path, arrays, message):
    changed(tmp_path / "a.npz", problem(), **arrays)
    with pytest.raises(DataError, match=rf"a\.npz.*{message}"):
        loaded(tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"row_ptr": np.array([0, 3, 2])}, "row offsets"),
        ({"row_ptr": np.array([0, 2])}, "its row_ptr has"),
        ({"row_ptr": np.array([0, 2, 10**15])}, "row offsets"),
        ({"row_ptr": np.array([0, 2, 3], np.int32)}, "int64 and int32"),
        ({"index": np.array([0, 4, 2], np.int32)}, "column 4 .*out of range"),
        ({"index": np.array([0, -1, 2], np.int32)}, "column -1 .*out of range"),
        ({"index": np.array([2, 2, 0], np.int32)}, "row 1: column 3 comes after column 3; .* must ascend"),
        ({"index": np.zeros(4, np.int32)}, "row offsets"),
        ({"value": np.zeros(4)}, "its value has"),
        ({"n_features": np.array(-4)}, "-4 features"),
        ({"n_features": np.array(2**40)}, "at most"),
    ],
)
def test_sparse_rows_that_do_not_fit(tmp_path, arrays, message):
    data = Dataset.from_arrays(scipy.sparse.csr_array([[1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0]]))
    changed(tmp_path / "a.npz", data, **arrays)
    with pytest.raises(DataError, match=rf"a\.npz.*{message}"):
        loaded(tmp_path / "a.npz")


@pytest.mark.parametrize("storage", ["dense32", "sparse64"])
def test_a_damaged_file_is_an_error_or_makes_no_difference(tmp_path, storage):
    data = problem(storage=storage, ids="str", n_rows=9)
    path = tmp_path / "a.npz"
    write(data, str(path))
    content = path.read_bytes()
    rng, messages = np.random.default_rng(0), set()
    for _ in range(600):
        damaged = bytearray(content)
        damaged[rng.integers(len(content))] ^= 1 << rng.integers(8)
        path.write_bytes(damaged)
        try:
            found = loaded(path, dtype=f"float{storage[-2:]}")
        except DataError as error:
            messages.add(str(error))
        else:
            assert_same(data, found)
    assert all("a.npz" in message for message in messages)
    for n in range(0, len(content), 31):
        path.write_bytes(content[:n])
        with pytest.raises(DataError, match=r"a\.npz"):
            loaded(path)


def test_an_array_that_claims_more_than_there_is_is_not_made(tmp_path):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**15,)})
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("X.npy", header.getvalue())
        archive.writestr("y.npy", header.getvalue())
    with pytest.raises(DataError, match="the size of its y is not what the header says"):
        loaded(tmp_path / "a.npz")
