"""Text: exactly what Python's `float` reads, whatever the layout; and every mistake at its line and column."""

import bz2
import gzip
import lzma
import os
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankine
import reference
from rankine.data import DataError, letor, synthetic
from rankine.data.table import How


def read(tmp_path, text, **how):
    path = tmp_path / "d.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return rankine.read(path, **how)


def dense(X):
    return X if isinstance(X, np.ndarray) else X.toarray()


# What is right --------------------------------------------------------------------------------------------------------

numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300).map(repr),
    st.integers(-(10**25), 10**25).map(str),
    st.decimals(-1000, 1000, places=6).map(str),
    st.from_regex(r"[+-]?[0-9]{1,25}\.[0-9]{0,25}(e[+-]?[0-9]{1,2})?", fullmatch=True),
    st.from_regex(r"[+-]?\.[0-9]{1,20}(E-[0-9]{1,3})?", fullmatch=True),
    st.sampled_from(
        ["0", "-0", "+1", "1e5", "1E-5", "1.", "5e-324", "2.2250738585072014e-308", "1e-400", "9007199254740993"]
    ),
)
blank = st.sampled_from([" ", "\t", "  ", " \t "])
comments = st.sampled_from(["", "#", "# x-1", "#docid = GX1 inc = 0.01 prob = 0.1", "#docid=a7", "# é9 more words"])


@st.composite
def texts(draw):
    """Lines in any layout: blank ones, ones of comment, features and query ids in any order, both line ends."""
    lines = []
    for _ in range(draw(st.integers(1, 8))):
        label = draw(st.sampled_from(["0", "1", "+2", "-1", "0.5", "3e0"]))
        features = draw(st.dictionaries(st.integers(1, 12), numbers, max_size=6))
        words = [f"{j}:{x}" for j, x in features.items()]
        words.insert(draw(st.integers(0, len(words))), f"qid:{draw(st.sampled_from(['7', '12', 'a', 'b-2', '007']))}")
        gap = draw(blank)
        line = draw(st.sampled_from(["", " "])) + gap.join([label, *words])
        lines.append(line + draw(blank) + draw(comments))
        lines += draw(st.lists(st.sampled_from(["", "   ", "# only a comment"]), max_size=1))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return end.join(lines) + draw(st.sampled_from(["", end]))


@settings(max_examples=300, deadline=None)
@given(texts(), st.integers(1, 40))
def test_every_value_is_that_of_float_to_the_last_bit(tmp_path_factory, text, block):
    path = tmp_path_factory.getbasetemp() / "any.txt"
    path.write_bytes(text.encode())
    before = letor._BLOCK
    letor._BLOCK = block  # lines cross from block to block
    try:
        data = rankine.read(path, dtype="float64")
    finally:
        letor._BLOCK = before
    labels, queries, rows, documents = reference.read_letor(text)
    X = np.zeros((len(rows), max((j + 1 for row in rows for j in row), default=0)))
    for i, row in enumerate(rows):
        for j, x in row.items():
            X[i, j] = x
    np.testing.assert_array_equal(dense(data.X), X)
    assert data.label.tolist() == labels
    assert [str(q) for q in data.qid] == queries
    assert data.doc_ids is None if not any(documents) else data.doc_ids.tolist() == documents


@settings(max_examples=200, deadline=None)
@given(st.lists(numbers, min_size=1, max_size=50))
def test_float32_is_float64_rounded(tmp_path_factory, values):
    path = tmp_path_factory.getbasetemp() / "single.txt"
    values = [x for x in values if abs(float(x)) < 3.4e38] or ["1"]
    path.write_text("".join(f"0 qid:1 1:{x}\n" for x in values))
    expected = np.array([float(x) for x in values]).astype(np.float32)
    np.testing.assert_array_equal(
        dense(rankine.read(path).X)[:, 0] if any(expected) else np.zeros_like(expected), expected
    )


def test_a_file_as_letor_has_them(tmp_path):
    data = read(
        tmp_path,
        "2 qid:10 1:0.5 2:0.25 3:1 #docid = GX1 inc = 1 prob = 0.1\r\n"
        "0 qid:9 1:0 2:0.125 3:0 #docid = GX2 inc = 1 prob = 0.2\r\n"
        "1 qid:10 3:0.5 1:0.75 #docid = GX3 inc = 1 prob = 0.3\r\n",
    )
    np.testing.assert_array_equal(data.X, np.float32([[0.5, 0.25, 1], [0, 0.125, 0], [0.75, 0, 0.5]]))
    assert data.label.tolist() == [2, 0, 1]
    assert data.qid.tolist() == [10, 9, 10]
    assert data.doc_ids.tolist() == ["GX1", "GX2", "GX3"]
    assert data.grouped.label.tolist() == [2, 1, 0]
    assert data.X.dtype == np.float32


def test_query_ids_are_numbers_only_if_all_are(tmp_path):
    assert read(tmp_path, "0 qid:7 1:1\n0 qid:-3 1:1\n").qid.tolist() == [7, -3]
    assert read(tmp_path, "0 qid:7 1:1\n0 qid:007 1:1\n").qid.tolist() == ["7", "007"]
    assert read(tmp_path, "0 qid:7 1:1\n0 qid:ä 1:1\n").qid.tolist() == ["7", "ä"]
    assert read(tmp_path, "0 qid:\ufffd 1:1\n0 qid:漢\U0001f600 1:1\n").qid.tolist() == ["\ufffd", "漢\U0001f600"]
    assert read(tmp_path, "0 qid:12345678901234567890 1:1\n").qid.tolist() == ["12345678901234567890"]
    long = "x" * 5000
    text = f"0 qid:{long} 1:1 # {long}\n" + "".join(f"0 qid:{i} 1:1\n" for i in range(2000))
    data = read(tmp_path, text)
    assert data.qid[0] == data.doc_ids[0] == long
    assert data.qid[-1] == "1999"


def test_sparse_from_a_quarter_of_the_cells_down(tmp_path):
    filled = "".join(f"{i % 2} qid:1 {i % 4 + 1}:1\n" for i in range(40))
    assert not read(tmp_path, filled).grouped.rows.is_sparse
    data = read(tmp_path, filled + "1 qid:1 400:2 # far\n")
    assert data.grouped.rows.is_sparse
    assert data.X.shape == (41, 400)
    assert data.X.nnz == 41
    assert data.doc_ids.tolist() == [""] * 40 + ["far"]
    late = "0 qid:1 9:1\n" * 10 + "".join(
        "1 qid:1 " + " ".join(f"{j}:{j}" for j in range(1, 10)) + "\n" for _ in range(90)
    )
    before = letor._BLOCK
    letor._BLOCK = 64
    try:
        assert not read(tmp_path, late).grouped.rows.is_sparse
        assert read(tmp_path, filled + "1 qid:1 400:2\n").grouped.rows.is_sparse
    finally:
        letor._BLOCK = before
    explicit = read(tmp_path, "1 qid:1 1:0 2:0 3:0 4:0 5:0 6:1e-60\n0 qid:1 1:3\n")
    assert explicit.X.shape == (2, 6)
    assert explicit.grouped.rows.is_sparse
    assert dense(explicit.X)[1].tolist() == [3, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("block", [1, 37, 1000])
@pytest.mark.parametrize("filled", [0.1, 0.9])
def test_blocks_one_after_another_are_the_file(tmp_path, monkeypatch, block, filled):
    rng = np.random.default_rng(0)
    X = rng.random((60, 8)) * (rng.random((60, 8)) < filled)
    doc_ids = ["", *(f"d{i}" for i in range(59))]
    rankine.write(rankine.Dataset.from_arrays(X, np.arange(60), np.arange(60) // 7, doc_ids=doc_ids), tmp_path / "a")
    (tmp_path / "b").write_text("1 qid:8 8:0.5\n0 qid:x 1:2")
    paths = [str(tmp_path / "a"), str(tmp_path / "b")]
    monkeypatch.setattr(letor, "_BLOCK", block)
    how = How(dtype="float64", least_features=8)
    whole, parts = letor.read(paths, how), list(letor.blocks(paths, how))
    assert max(part.rows.n_rows for part in parts) <= 2 + block // 20
    np.testing.assert_array_equal(np.concatenate([dense(part.rows.matrix) for part in parts]), dense(whole.rows.matrix))
    assert np.concatenate([part.label for part in parts]).tolist() == whole.label.tolist()
    ids = [str(x) for part in parts for x in np.repeat(part.runs.ids, part.runs.sizes)]
    assert ids == np.repeat(whole.runs.ids, whole.runs.sizes).tolist()
    found = [part.doc_ids.tolist() if part.doc_ids is not None else [""] * part.rows.n_rows for part in parts]
    assert [name for part in found for name in part] == whole.doc_ids.tolist()


def test_mistakes_in_later_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(letor, "_BLOCK", 16)
    path = str(tmp_path / "d")
    Path(path).write_text("1 qid:1 1:2\n" * 5 + "1 qid:1 1:?\n")
    blocks = letor.blocks([path], How())
    assert next(blocks).rows.n_rows == 1
    with pytest.raises(DataError, match=r"d:6:11: expected a number after '1:'"):
        list(blocks)
    Path(path).write_text("1 qid:1 1:2\n" * 3 + "1 1:2\n")
    with pytest.raises(DataError, match=r"d:4:1: this row has no qid:, but the one at .*d:1 has"):
        list(letor.blocks([path], How()))
    with pytest.raises(DataError, match=r"d:1:9: feature 1 is beyond n_features = 0: the model has no weight for it"):
        list(letor.blocks([path], How(n_features=0, to_score=True)))
    Path(path).write_text("\n")
    with pytest.raises(DataError, match="the file is empty"):
        list(letor.blocks([path], How()))


def test_no_features_at_all(tmp_path):
    assert read(tmp_path, "1 qid:1\n0 qid:1\n").n_features == 0
    assert read(tmp_path, "1 qid:1\n0 qid:1\n", n_features=3).X.shape == (2, 3)


def test_the_number_of_features(tmp_path):
    assert read(tmp_path, "1 qid:1 1:1 2:0\n").n_features == 2
    assert read(tmp_path, "1 qid:1 1:1 2:2\n", n_features=5).X.shape == (1, 5)
    with pytest.raises(DataError, match=r"d.txt:2:9: feature 6 is beyond n_features = 5"):
        read(tmp_path, "1 qid:1 5:1\n0 qid:1 6:1\n", n_features=5)


def test_features_may_count_from_0(tmp_path):
    text = "1 qid:1 0:5 1:6\n"
    assert dense(read(tmp_path, text, index_base=0).X).tolist() == [[5, 6]]
    with pytest.raises(DataError, match=r"d.txt:1:9: feature 0 in a file .* index_base=0 \(--index-base 0\)"):
        read(tmp_path, text)


@pytest.mark.parametrize("word", ["NULL", "null", "nan", "NaN", "-inf", "Infinity", "1.79769313486e+308", "-1.797e308"])
def test_missing_values(tmp_path, word):
    text = f"1 qid:1 1:{word} 2:1\n0 qid:1 1:2 2:3\n"
    assert dense(read(tmp_path, text, missing="zero").X).tolist() == [[0, 1], [2, 3]]
    assert dense(read(tmp_path, text, missing=-1).X).tolist() == [[-1, 1], [2, 3]]
    with pytest.raises(DataError, match=r"d.txt:1:11: '.*' stands for a missing value.*missing='zero'"):
        read(tmp_path, text)


def test_several_files_are_one_data_set(tmp_path):
    paths = []
    for name, text in (("a", "1 qid:1 1:1\n0 qid:2 1:3"), ("b", "0 qid:2 3:1 # z\n"), ("c", "")):
        (tmp_path / name).write_text(text)
        paths.append(tmp_path / name)
    data = rankine.read(paths)
    assert data.X.tolist() == [[1, 0, 0], [3, 0, 0], [0, 0, 1]]
    assert data.qid.tolist() == [1, 2, 2]
    assert data.doc_ids.tolist() == ["", "", "z"]
    (tmp_path / "b").write_text("\n1 qid:1 1:x\n")
    with pytest.raises(DataError, match=r"b:2:11: expected a number after '1:'"):
        rankine.read(paths)


@pytest.mark.parametrize(
    ("suffix", "pack"), [(".GZ", gzip.compress), (".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
def test_compressed_files(tmp_path, suffix, pack):
    text = b"".join(b"%d qid:%d 1:%d 2:0.5\n" % (i % 3, i // 10, i) for i in range(5000))
    path = tmp_path / f"d.txt{suffix}"
    path.write_bytes(pack(text[:30_000]) + pack(text[30_000:]))  # two members, as `cat a.gz b.gz` makes
    expected = read(tmp_path, text)
    np.testing.assert_array_equal(rankine.read(path).X, expected.X)
    path.write_bytes(pack(text)[:-20])
    with pytest.raises(DataError, match=f"d.txt{suffix}: the compressed data ends too early"):
        rankine.read(path)
    path.write_bytes(text)
    with pytest.raises(DataError, match=f"d.txt{suffix}: the compressed data is damaged, or not what its name says"):
        rankine.read(path)


def test_standard_input_and_pipes(tmp_path, monkeypatch):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    text = b"1 qid:1 1:1\n0 qid:1 1:2\n"

    def feed():
        with pipe.open("wb", buffering=0) as stream:
            for k in range(len(text)):
                stream.write(text[k : k + 1])

    thread = threading.Thread(target=feed)
    thread.start()
    assert rankine.read(pipe).n_rows == 2
    thread.join()
    (tmp_path / "d.txt").write_bytes(text)
    with (tmp_path / "d.txt").open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert rankine.read("-").label.tolist() == [1, 0]


@pytest.mark.parametrize("n_threads", [2, 5])
def test_threads_change_nothing(tmp_path, n_threads):
    rankine.write(synthetic.make("mslr10", scale=0.02), tmp_path / "d.txt")
    one, many = (rankine.read(tmp_path / "d.txt", n_threads=n) for n in (1, n_threads))
    assert one.fingerprint == many.fingerprint


# What is wrong --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "d.txt: the file is empty"),
        ("\n# nothing\n\n", "d.txt: the file is empty"),
        ("1 qid:1 1:2\nx qid:1 1:2\n", "d.txt:2:1: expected a label, which is a finite number, but found 'x'"),
        ("nan qid:1 1:2\n", "d.txt:1:1: expected a label"),
        ("1e999 qid:1 1:2\n", "d.txt:1:1: expected a label"),
        ("1 qid:1 1:2 3\n", "d.txt:1:13: a second label, '3'"),
        ("1 0 qid:1 1:2\n", "d.txt:1:3: a second label, '0'"),
        ("1 qid:1 1:\n", "d.txt:1:11: expected a number after '1:', but found the end of the line"),
        ("1 qid:1 1:2x\n", "d.txt:1:11: expected a number after '1:', but found '2x'"),
        ("1 qid:1 1:0x10\n", "but found '0x10'"),
        ("1 qid:1 1:1e999\n", "d.txt:1:11: '1e999' is too large for a float64"),
        ("1 qid:1 1:1e39\n", "d.txt:1:11: '1e39' is too large for float32: read with dtype='float64'"),
        ("1 qid:1 a:2\n", "d.txt:1:9: expected feature:value, but found 'a:2'"),
        ("1 qid:1 -1:2\n", "d.txt:1:9: expected feature:value, but found '-1:2'"),
        ("1 qid:1 1 :2\n", "d.txt:1:9: a second label"),
        (
            "1 qid:1 99999999999:2\n",
            "d.txt:1:9: the number of a feature must be at most 2147483646, but this",
        ),
        ("1 qid:1 4294967297:2\n", "d.txt:1:9: the number of a feature must be at most"),
        ("1 qid:1 2:1 1:1 2:3\n", "d.txt:1:17: feature 2 stands twice in this row"),
        ("1 qid: 1:2\n", "d.txt:1:7: expected a query id after 'qid:'"),
        (b"1 qid:\xe9 1:2\n0 qid:\xe8 1:2\n", r"d.txt:1:7: expected a query id in UTF-8, but found '\\xe9'"),
        (b"1 qid:a\xe2\x82 1:2\n", "d.txt:1:7: expected a query id in UTF-8"),
        (b"1 qid:a 1:2\n0 qid:a\0 1:2\n", r"d.txt:2:7: expected a query id in UTF-8, but found 'a\\x00'"),
        ("1 qid:1 1: 2\n", "d.txt:1:11: expected a number after '1:', but found a blank"),
        ("1 qid:1 qid:2 1:2\n", "d.txt:1:9: a second query id"),
        ("1 qid:1 1:2\n\n0 1:2\n", "d.txt:3:1: this row has no qid:, but the one at .*d.txt:1 has"),
        ("1 1:2\n0 qid:1 1:2\n", "d.txt:1:1: this row has no qid:, but the one at .*d.txt:2 has"),
        ("1 1:2\n0 qid:1 1:2", "d.txt:1:1: this row has no qid:, but the one at .*d.txt:2 has"),
        ("1 1:2\n0 1:2\n", r"d.txt: no row has a query id.*one_query=True \(--one-query\)"),
        (b"1 qid:1 1:2\n\x00\xff\n", r"d.txt:2:1: expected a label.*'\\x00\\xff'"),
        (
            "1 qid:1 1:2\n" * 300_000 + "1 qid:1 1:2 2:?\n",
            r"d.txt:300001:15: expected a number after '2:', but found '\?'",
        ),
    ],
)
def test_mistakes_are_told_by_line_and_column(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read(tmp_path, text)


def test_files_without_query_ids(tmp_path):
    assert read(tmp_path, "1 1:2\n0 1:3\n", one_query=True).n_queries == 1
    with pytest.raises(DataError, match="rows have query ids"):
        read(tmp_path, "1 qid:1 1:2\n", one_query=True)


def test_what_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no.txt"):
        rankine.read(tmp_path / "no.txt")
    with pytest.raises(IsADirectoryError, match="is a directory"):
        rankine.read(tmp_path)
    for how, message in (
        ({"missing": "perhaps"}, "missing is 'perhaps'"),
        ({"missing": float("nan")}, "finite number"),
        ({"dtype": "float16"}, "dtype is 'float16'"),
        ({"n_features": 0}, "n_features is 0"),
        ({"n_features": 2.5}, "n_features is 2.5; it must be a whole number from 1 to 2147483646"),
        ({"n_features": 2**31 - 1}, "n_features is 2147483647"),
        ({"index_base": 2}, "index_base is 2"),
        ({"format": "csv"}, "format is 'csv'"),
    ):
        with pytest.raises(ValueError, match=message):
            read(tmp_path, "1 qid:1 1:1\n", **how)
    with pytest.raises(ValueError, match="no file is named"):
        rankine.read([])


# Writing --------------------------------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_what_is_written_reads_back(tmp_path_factory, data):
    n, m = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 5))
    width = data.draw(st.sampled_from([32, 64]))
    finite = st.floats(allow_nan=False, allow_infinity=False, width=width, max_value=2.0**120, min_value=-(2.0**120))
    X = np.array(data.draw(st.lists(st.lists(finite, min_size=m, max_size=m), min_size=n, max_size=n)))
    X = X.astype(f"float{width}")
    if data.draw(st.booleans()):
        import scipy.sparse

        X = scipy.sparse.csr_array(X)
    y = data.draw(st.lists(st.floats(-1e300, 1e300), min_size=n, max_size=n))
    qid = data.draw(st.lists(st.sampled_from(["b", "a", "c"]), min_size=n, max_size=n))
    docs = data.draw(st.none() | st.just([f"d{i}" for i in range(n)]))
    before = rankine.Dataset.from_arrays(X, y, qid, doc_ids=docs)
    path = tmp_path_factory.getbasetemp() / f"w{data.draw(st.sampled_from(['.txt', '.gz', '.xz', '.bz2']))}"
    rankine.write(before, path)
    after = rankine.read(path, dtype=f"float{width}")
    np.testing.assert_array_equal(dense(after.X), dense(before.X))
    assert after.label.tolist() == before.label.tolist()
    assert after.qid.tolist() == before.qid.tolist()
    assert (after.doc_ids is None) == (docs is None)
    assert docs is None or after.doc_ids.tolist() == docs


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz"])
def test_text_is_compressed_piece_by_piece(tmp_path, monkeypatch, suffix):
    data = synthetic.make("mslr10", scale=0.005)
    rankine.write(data, tmp_path / "whole.txt")
    monkeypatch.setattr(letor, "_PIECE", 1000)
    rankine.write(data, tmp_path / f"pieces.txt{suffix}")
    unpacked = {"": Path.open, ".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}[suffix]
    with unpacked(tmp_path / f"pieces.txt{suffix}", "rb") as stream:
        assert stream.read() == (tmp_path / "whole.txt").read_bytes()


def test_what_text_cannot_hold(tmp_path):
    X, y = np.ones((2, 1)), [0, 1]
    with pytest.raises(DataError, match="query id 'a b' cannot be written"):
        rankine.write(rankine.Dataset.from_arrays(X, y, ["a b", "c"]), tmp_path / "d.txt")
    with pytest.raises(DataError, match="document id 'x#1' cannot be written"):
        rankine.write(rankine.Dataset.from_arrays(X, y, doc_ids=["x#1", "y"]), tmp_path / "d.txt")
    with pytest.warns(UserWarning, match="no place for weights"):
        rankine.write(rankine.Dataset.from_arrays(X, y, sample_weight=[1, 2]), tmp_path / "d.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["d.txt"]


def test_a_full_disk():
    with pytest.raises(OSError, match="No space left") as caught:
        rankine.write(synthetic.make("mslr10", scale=0.005), "/dev/full")
    assert caught.value.filename == "/dev/full"
