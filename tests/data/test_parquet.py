"""Parquet files: everything survives, layouts of other tools are read, and every complaint names its place."""

import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankine.data import DataError, Dataset
from rankine.data.parquet import blocks, columns_written, read, write
from rankine.data.table import How, joined
from stored import IDS, assert_same, problem


def loaded(path, **how):
    return Dataset.of_table(read([str(path)], How(**how)), str(path))


def saved(tmp_path, columns, **options):
    """The data set of a file with these columns."""
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    return loaded(tmp_path / "a.parquet", **options)


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
    path = tmp_path_factory.getbasetemp() / "round.parquet"
    data = problem(seed, storage, ids, in_order, extras, n_rows)
    write(data, str(path))
    assert_same(data, loaded(path, dtype=f"float{storage[-2:]}"))


@pytest.mark.parametrize(("rows", "tile"), [(1, 1), (7, 3), (16, 100)])
@pytest.mark.parametrize("storage", ["dense32", "sparse64"])
@pytest.mark.parametrize("in_order", [False, True])
def test_row_groups_of_any_size_are_put_together(tmp_path, monkeypatch, storage, in_order, rows, tile):
    monkeypatch.setattr("rankine.data.parquet.MOST_ROWS", rows)
    monkeypatch.setattr("rankine.data.parquet.TILE", tile)
    data = problem(storage=storage, ids="str", in_order=in_order)
    path = tmp_path / "a.parquet"
    write(data, str(path))
    assert pq.ParquetFile(path).num_row_groups == -(-40 // rows)
    found = loaded(path, dtype=f"float{storage[-2:]}")
    assert_same(data, found)
    assert (found.order is None) == in_order  # no run of a query ends with its row group


@pytest.mark.parametrize("storage", ["dense32", "sparse64"])
def test_blocks_one_after_another_are_the_file(tmp_path, monkeypatch, storage):
    path = str(tmp_path / "a.parquet")
    data = problem(storage=storage, ids="str")
    write(data, path)
    whole = read([path], How(dtype=f"float{storage[-2:]}"))
    monkeypatch.setattr("rankine.data.parquet.MOST_ROWS", 7)
    parts = list(blocks([path], How(dtype=f"float{storage[-2:]}")))
    assert [part.rows.n_rows for part in parts] == [7] * 5 + [5]
    assert joined(parts, [path] * 6).rows.fingerprint() == whole.rows.fingerprint()
    for name in ("label", "sample_weight", "doc_ids"):
        np.testing.assert_array_equal(np.concatenate([getattr(part, name) for part in parts]), getattr(whole, name))
    ids = [np.repeat(part.runs.ids, part.runs.sizes) for part in (whole, *parts)]
    np.testing.assert_array_equal(np.concatenate(ids[1:]), ids[0])
    bad = data.X.toarray() if storage == "sparse64" else np.array(data.X)
    bad[33, 2] = np.nan
    pq.write_table(pa.table({"qid": [1] * 40, "a": bad[:, 0], "c d": bad[:, 2]}), path)
    with pytest.raises(DataError, match=r"a.parquet, row 34, column 'c d' is nan"):
        list(blocks([path], How(to_score=True)))


def test_rows_that_are_only_scored_need_no_judgments(tmp_path):
    path = str(tmp_path / "a.parquet")
    pq.write_table(pa.table({"a": [1.0, 2.0]}), path)
    (table,) = blocks([path], How(to_score=True, queries=False))
    assert table.rows.matrix.tolist() == [[1], [2]]
    with pytest.raises(DataError, match="no column 'qid'"):
        next(blocks([path], How(to_score=True)))
    pq.write_table(pa.table({"qid": [1, 1], "label": ["good", None], "a": [1.0, 2.0]}), path)
    (table,) = blocks([path], How(to_score=True))
    assert table.rows.n_features == 1


@pytest.mark.parametrize("rows", [1, 7, 1000])
def test_columns_that_come_in_parts(tmp_path, monkeypatch, rows):
    monkeypatch.setattr("rankine.data.parquet.MOST_ROWS", rows)
    path = str(tmp_path / "a.parquet")
    with columns_written(path) as put:
        for a in range(0, 20, 4):
            put({"qid": np.arange(a, a + 4), "name": np.array([f"n{i}" for i in range(a, a + 4)])})
    found = pq.read_table(path).to_pydict()
    assert found == {"qid": list(range(20)), "name": [f"n{i}" for i in range(20)]}
    before = (tmp_path / "a.parquet").read_bytes()

    def change_the_type():
        with columns_written(path) as put:
            put({"qid": np.arange(8)})
            put({"qid": np.array(["a"])})

    with pytest.raises(DataError, match=r"qid \(int64\) at first and qid \(string\) later; convert"):
        change_the_type()
    assert (tmp_path / "a.parquet").read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.parquet"]


def test_columns_have_the_types_and_names_that_people_expect(tmp_path):
    path = tmp_path / "a.parquet"
    write(problem(storage="dense32", ids="str"), str(path))
    schema = pq.read_schema(path)
    assert schema.names == ["qid", "label", "weight", "query_weight", "docid", "a", "b", "café", "d d"]
    assert [str(kind) for kind in schema.types] == ["string", *["double"] * 3, "string", *["float"] * 4]
    write(problem(extras=False), str(path))
    assert pq.read_schema(path).names == ["qid", "label", "f1", "f2", "f3", "f4"]
    write(problem(storage="sparse32", extras=False), str(path))
    assert [str(kind).split("<")[0] for kind in pq.read_schema(path).types] == ["int64", "double", "list", "list"]


def test_several_files_are_one_data_set(tmp_path):
    paths = [str(tmp_path / name) for name in ("a.parquet", "b.parquet")]
    for seed, path in enumerate(paths):
        write(problem(seed), path)
    both = Dataset.of_table(read(paths, How(dtype="float64")), "both")
    np.testing.assert_array_equal(both.X, np.concatenate([problem(0).X, problem(1).X]))
    np.testing.assert_array_equal(both.doc_ids, np.concatenate([problem(0).doc_ids, problem(1).doc_ids]))


def test_what_a_file_cannot_hold_is_refused_and_the_old_file_stays(tmp_path):
    path = tmp_path / "a.parquet"
    write(problem(), str(path))
    content = path.read_bytes()
    mixed = Dataset.from_arrays(np.eye(3), qid=np.array([1, "a", 1], object))
    with pytest.raises(DataError, match="query ids are of type int and str"):
        write(mixed, str(path))
    with pytest.raises(DataError, match="two queries have the id"):
        write(problem().take_queries([1, 1]), str(path))
    for name in ("label", "docid", "__index_level_0__"):
        with pytest.raises(DataError, match=f"cannot have a feature named '{name}'.*rename it"):
            write(Dataset.from_arrays(np.eye(2), feature_names=["a", name]), str(path))
    with pytest.raises(DataError, match=r"a\.parquet cannot be written"):
        write(Dataset.from_arrays(np.eye(2), feature_names=["a", "\ud800"]), str(path))
    assert path.read_bytes() == content
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.parquet"]
    with pytest.raises(IsADirectoryError):
        write(problem(), str(tmp_path))
    with pytest.raises(FileNotFoundError, match="no directory"):
        write(problem(), str(tmp_path / "none" / "a.parquet"))


QUERY = {"qid": [1, 1, 2], "label": [0, 1, 2]}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "kind", [pa.int16(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.decimal128(5, 2)]
)
def test_numbers_of_all_types(tmp_path, kind, dtype):
    data = saved(tmp_path, QUERY | {"a": pa.array([5, 6, 7], kind), "b": [True, False, True]}, dtype=dtype)
    np.testing.assert_array_equal(data.X, np.array([[5, 1], [6, 0], [7, 1]], dtype), strict=True)
    assert data.feature_names == ("a", "b")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, None, 3], pa.float32()),
        pa.array([1, None, 3], pa.float16()),
        pa.array([1, None, 3], pa.int64()),
        pa.array([1, None, 3], pa.decimal128(5, 2)),
        pa.array([1, np.nan, 3], pa.float64()),
        pa.array([1, -np.inf, 3], pa.float32()),
        pa.array([1, 1.797e308, 3], pa.float64()),
    ],
)
def test_missing_values_are_refused_or_replaced(tmp_path, column, dtype):
    columns = QUERY | {"a": column, "b": [5, 6, 7]}
    with pytest.raises(
        DataError, match=r"a\.parquet, row 2, column 'a' is .*missing='zero' or a number \(--missing zero\)"
    ):
        saved(tmp_path, columns, dtype=dtype)
    for missing, value in (("zero", 0), (-2.5, -2.5)):
        data = saved(tmp_path, columns, dtype=dtype, missing=missing)
        np.testing.assert_array_equal(data.X, np.array([[1, 5], [value, 6], [3, 7]], dtype), strict=True)


def test_columns_that_have_no_values(tmp_path):
    columns = QUERY | {"a": pa.nulls(3), "b": pa.array([True, None, False])}
    assert saved(tmp_path, columns, missing=7.0).X.tolist() == [[7, 1], [7, 7], [7, 0]]
    with pytest.raises(DataError, match="row 1, column 'a' is nan"):
        saved(tmp_path, columns)


def test_numbers_are_rounded_only_where_they_fit(tmp_path):
    columns = QUERY | {"a": [0.1, 1.0, 1e39]}
    with pytest.raises(DataError, match=r"row 3, column 'a' is 1e\+39, too large for float32.*dtype='float64'"):
        saved(tmp_path, columns)
    assert saved(tmp_path, columns, dtype="float64").X[:, 0].tolist() == [0.1, 1.0, 1e39]


def test_names_that_count_are_no_names(tmp_path):
    assert saved(tmp_path, QUERY | {"f1": [1, 2, 3], "f2": [1, 2, 3]}).feature_names is None
    assert saved(tmp_path, QUERY | {"f2": [1, 2, 3], "f1": [1, 2, 3]}).feature_names == ("f2", "f1")
    wide = saved(tmp_path, QUERY | {"f1": [1, 2, 3]}, n_features=3)
    assert wide.X.tolist() == [[1, 0, 0], [2, 0, 0], [3, 0, 0]]
    assert wide.feature_names is None
    with pytest.raises(DataError, match="has 2 features, more than n_features=1"):
        saved(tmp_path, QUERY | {"a": [1, 2, 3], "b": [1, 2, 3]}, n_features=1)
    # The index that pandas writes is no feature.
    assert saved(tmp_path, QUERY | {"a": [1, 2, 3], "__index_level_0__": ["x", "y", "z"]}).feature_names == ("a",)


@pytest.mark.parametrize("kind", [pa.list_(pa.float32()), pa.large_list(pa.int64()), pa.list_(pa.float64(), 2)])
def test_features_as_lists(tmp_path, kind):
    lists = pa.array([[1, 2], [3, 4], [5, None]], kind)
    data = saved(tmp_path, QUERY | {"features": lists}, missing="zero")
    np.testing.assert_array_equal(data.X, np.array([[1, 2], [3, 4], [5, 0]], np.float32), strict=True)
    with pytest.raises(DataError, match="row 3, column 2 is nan"):
        saved(tmp_path, QUERY | {"features": lists})
    assert saved(tmp_path, QUERY | {"features": lists}, missing=1.0, n_features=4).X[2].tolist() == [5, 1, 0, 0]


def test_lists_that_cannot_be_rows(tmp_path):
    with pytest.raises(DataError, match="row 2: features has 1 values, but the first row has 2"):
        saved(tmp_path, QUERY | {"features": [[1, 2], [3], [4, 5]]})
    with pytest.raises(DataError, match="row 2: features is null"):
        saved(tmp_path, QUERY | {"features": [[1, 2], None, [4, 5]]})
    with pytest.raises(DataError, match=r"column 'features' has type list.*lists of numbers"):
        saved(tmp_path, QUERY | {"features": [["a"], ["b"], ["c"]]})
    with pytest.raises(DataError, match="column 'features' has type list"):
        saved(tmp_path, QUERY | {"features": [[1], [2], [3]], "a": [1, 2, 3]})


def test_sparse_rows_of_others(tmp_path):
    columns = QUERY | {"index": [[0, 5], [], [2]], "value": [[1.0, 2.0], [], [3.0]]}
    data = saved(tmp_path, columns)
    assert data.X.shape == (3, 6)
    assert data.X.toarray()[[0, 0, 2], [0, 5, 2]].tolist() == [1, 2, 3]
    assert saved(tmp_path, columns, n_features=9).X.shape == (3, 9)
    for change, message in (
        ({"index": [[0, 5], [], [2, 3]]}, "row 3: index and value have different lengths"),
        ({"index": [[0, 5], [], [-2]]}, "row 3: index has -2; whole numbers from 0"),
        ({"index": [[0, 5], [], [2.5]]}, r"row 3: index has 2\.5"),
        ({"index": [[0, 5], [], [None]]}, "row 3: index has nan"),
        ({"index": [[0, 2**31], [], [1]]}, "row 1: index has 2147483648"),
        ({"index": [[0, 5], None, [1]]}, "row 2: index is null"),
        ({"index": [[5, 0], [], [1]]}, "row 1: column 1 comes after column 6; .* ascend"),
        ({"index": [[0, 0], [], [1]]}, "row 1: column 1 comes after column 1"),
        ({"value": [[1.0, 2.0], [], [None]]}, "row 3, column 3 is nan"),
    ):
        with pytest.raises(DataError, match=rf"a\.parquet, {message}"):
            saved(tmp_path, columns | change)


@pytest.mark.parametrize(
    "qid",
    [
        pa.array(["b", "b", "a"]),
        pa.array(["b", "b", "a"], pa.large_string()),
        pa.array([b"b", b"b", b"a"]),
        pa.array(["b", "b", "a"]).dictionary_encode(),
        pa.DictionaryArray.from_arrays([0, 2, 1], ["b", "a", "b"]),
    ],
)
def test_query_ids_that_are_text(tmp_path, qid):
    data = saved(tmp_path, QUERY | {"qid": qid, "a": [1, 2, 3]})
    np.testing.assert_array_equal(data.qid, np.array(["b", "b", "a"]), strict=True)
    assert data.n_queries == 2


def test_query_ids_that_are_numbers(tmp_path):
    for kind, qid in (
        (pa.float64(), [2.5, 2.5, 1.0]),
        (pa.uint64(), [2**63, 2**63, 1]),
        (pa.bool_(), [False, False, True]),
        (pa.decimal128(18, 0), [10, 10, 2]),
    ):
        data = saved(tmp_path, QUERY | {"qid": pa.array(qid, kind), "a": [1, 2, 3]})
        assert data.qid.tolist() == qid
        assert data.n_queries == 2


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"qid": [1, None, 2]}, "row 2: qid is null"),
        ({"qid": ["a", "b", None]}, "row 3: qid is null"),
        ({"qid": [1.0, np.nan, 2.0]}, "row 2: qid is nan"),
        ({"qid": [[1], [2], [3]]}, "column 'qid' has type list.*numbers or strings"),
        ({"label": [1, None, 2]}, "row 2: label is null"),
        ({"label": [1.0, 0.0, np.inf]}, "row 3: label is inf; a finite number"),
        ({"label": ["1", "0", "2"]}, "column 'label' has type string; numbers are expected"),
        ({"weight": [1, 0, -2]}, "row 3: weight is -2; .* not negative"),
        ({"weight": [1, 0, None]}, "row 3: weight is null"),
        ({"query_weight": [1, 2, 1]}, "row 2: query_weight is 2, but another row of the same query has another"),
        ({"docid": [1, None, 2]}, "row 2: docid is null"),
        ({"url": ["x", "y", "z"]}, "column 'url' has type string, which is not a number"),
        ({"when": pa.array([1, 2, 3], pa.timestamp("s"))}, "column 'when' has type timestamp"),
    ],
)
def test_columns_that_cannot_be_used(tmp_path, columns, message):
    with pytest.raises(DataError, match=rf"a\.parquet.*{message}"):
        saved(tmp_path, QUERY | {"a": [1, 2, 3]} | columns)


def test_columns_that_lack(tmp_path):
    with pytest.raises(DataError, match=r"no column 'qid', only 'label', 'a': .*one_query=True \(--one-query\)"):
        saved(tmp_path, {"label": [1, 2], "a": [1, 2]})
    assert saved(tmp_path, {"label": [1, 2], "a": [1, 2]}, one_query=True).n_queries == 1
    with pytest.raises(DataError, match="no column 'label', only 'qid', 'relevance'"):
        saved(tmp_path, {"qid": [1, 2], "relevance": [1, 2]})
    with pytest.raises(DataError, match="has no features"):
        saved(tmp_path, QUERY)
    pq.write_table(pa.table([[1], [1], [1], [1]], names=["qid", "label", "a", "a"]), tmp_path / "a.parquet")
    with pytest.raises(DataError, match="two columns of one name"):
        loaded(tmp_path / "a.parquet")


def test_query_weights_of_queries_whose_rows_are_scattered(tmp_path):
    columns = {"qid": [1, 2, 1], "label": [0, 1, 2], "a": [1, 2, 3]}
    assert saved(tmp_path, columns | {"query_weight": [3, 4, 3]}).grouped.query_weight.tolist() == [3, 4]
    with pytest.raises(DataError, match="row 3: query_weight is 5"):
        saved(tmp_path, columns | {"query_weight": [3, 4, 5]})


def test_documents_without_ids(tmp_path):
    assert saved(tmp_path, QUERY | {"a": [1, 2, 3], "docid": ["x", None, "z"]}).doc_ids.tolist() == ["x", "", "z"]
    assert saved(tmp_path, QUERY | {"a": [1, 2, 3], "docid": [7, 8, 7]}).doc_ids.tolist() == [7, 8, 7]


def test_files_that_are_no_data_sets(tmp_path):
    path = tmp_path / "a.parquet"
    with pytest.raises(DataError, match=r"a\.parquet has no rows"):
        saved(tmp_path, {"qid": pa.array([], pa.int64()), "label": pa.array([], pa.float64())})
    path.write_text("1 qid:1 1:2\n")
    with pytest.raises(DataError, match=r"a\.parquet is not a Parquet file"):
        loaded(path)
    with pytest.raises(IsADirectoryError, match="is a directory; name the Parquet files in it"):
        loaded(tmp_path)
    with pytest.raises(FileNotFoundError) as error:
        loaded(tmp_path / "none.parquet")
    assert error.value.filename.endswith("none.parquet")
    for about in (b'{"version": 2}', b"[]", b"{", b'{"version": "a"}'):
        pq.write_table(pa.table(QUERY | {"a": [1, 2, 3]}).replace_schema_metadata({b"rankine": about}), path)
        with pytest.raises(DataError, match=r"a\.parquet (has version 2, from a newer Rankine|is damaged)"):
            loaded(path)


@pytest.mark.parametrize("storage", ["dense32", "sparse64"])
def test_damage_to_the_pages_is_noticed(tmp_path, storage):
    data = problem(storage=storage, ids="str", n_rows=9)
    path = tmp_path / "a.parquet"
    write(data, str(path))
    content = path.read_bytes()
    pages = len(content) - 8 - int.from_bytes(content[-8:-4], "little")  # a footer has no checksum
    rng, messages = np.random.default_rng(0), set()
    for _ in range(200):
        damaged = bytearray(content)
        damaged[rng.integers(pages)] ^= 1 << rng.integers(8)
        path.write_bytes(damaged)
        try:
            found = loaded(path, dtype=f"float{storage[-2:]}")
        except DataError as error:
            messages.add(str(error))
        else:
            assert_same(data, found)
    assert all("a.parquet" in message for message in messages)
    for n in range(0, len(content), 31):
        path.write_bytes(content[:n])
        with pytest.raises(DataError, match=r"a\.parquet"):
            loaded(path)


def test_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for use in (
        lambda: read([str(tmp_path / "a.parquet")], How()),
        lambda: write(problem(), str(tmp_path / "a.parquet")),
    ):
        with pytest.raises(ImportError, match=r"Parquet needs pyarrow: pip install 'rankine\[frames\]'"):
            use()
