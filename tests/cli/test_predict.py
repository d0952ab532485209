"""`rankine predict`: block by block, and yet what scoring the whole file gives."""

import os
import signal
import subprocess
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rankine
import reference
from command import RANKINE, run
from rankine.cli.app import main
from rankine.data import letor, synthetic
from rankine.model.scorer import Scorer


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model and what it scores, in several formats."""
    path = tmp_path_factory.mktemp("predict")
    data = synthetic.make("mslr10", scale=0.005).take_queries(range(3))
    for name in ("d.txt", "d.txt.gz", "d.txt.bz2", "d.txt.xz", "d.parquet", "d.npz"):
        rankine.write(data, path / name)
    rng = np.random.default_rng(0)
    rankine.Model(np.round(rng.normal(size=data.n_features), 1)).save(path / "m.json")
    return path


@pytest.fixture
def blocks(monkeypatch):
    """Small blocks, and the sizes of those that were scored."""
    sizes = []
    call = Scorer.__call__
    monkeypatch.setattr(letor, "_BLOCK", 20_000)
    monkeypatch.setattr("rankine.data.parquet.MOST_ROWS", 50)
    monkeypatch.setattr(
        Scorer, "__call__", lambda self, rows, names: sizes.append(rows.n_rows) or call(self, rows, names)
    )
    return sizes


def runs(text):
    """Query, rank and row of the lines of a TREC run."""
    return [(line.split()[0], int(line.split()[3]), int(line.split()[2]) - 1) for line in text.splitlines()]


@pytest.mark.parametrize("name", ["d.txt", "d.txt.gz", "d.txt.bz2", "d.txt.xz", "d.parquet", "d.npz"])
def test_blocks_make_no_difference(capsys, folder, tmp_path, blocks, name):
    whole = rankine.read(folder / "d.txt")
    score = rankine.load(folder / "m.json").score(whole).tolist()
    code, out, err = run(capsys, "predict", folder / "m.json", folder / name, "-o", tmp_path / "s.txt")
    assert (code, out, err) == (0, "", "")
    assert [float(line) for line in (tmp_path / "s.txt").read_text().splitlines()] == score
    assert sum(blocks) == whole.n_rows
    assert name == "d.npz" or max(blocks) <= 50
    code, out, _ = run(capsys, "predict", folder / "m.json", folder / name, "--trec", "--top", 3)
    ids = [str(x) for x in whole.qid.tolist()]
    assert runs(out) == reference.ranked(ids, score, 3)
    assert [float(line.split()[4]) for line in out.splitlines()] == [score[row] for _, _, row in runs(out)]
    for flags, expected in (
        ([], {"qid": whole.qid.tolist(), "score": score}),
        (["--top", "2"], reference.ranked(whole.qid.tolist(), score, 2)),
    ):
        code, _, err = run(capsys, "predict", folder / "m.json", folder / name, "-o", tmp_path / "s.parquet", *flags)
        assert code == 0, err
        found = pq.read_table(tmp_path / "s.parquet").to_pydict()
        if flags:
            assert list(found) == ["qid", "docid", "score", "rank"]
            rows = [document - 1 for document in found["docid"]]
            assert list(zip(found["qid"], found["rank"], rows, strict=True)) == expected
            assert found["score"] == [score[row] for row in rows]
        else:
            assert found == expected


def test_predict_keeps_the_order_of_the_rows(capsys, folder, tmp_path):
    code, out, _ = run(capsys, "predict", folder / "m.json", folder / "d.txt")
    assert code == 0
    test = rankine.read(folder / "d.txt")
    expected = rankine.load(folder / "m.json").score(test)
    assert [float(line) for line in out.splitlines()] == expected.tolist()
    code, out, _ = run(capsys, "predict", folder / "m.json", folder / "d.txt", "-o", tmp_path / "s.txt")
    assert (code, out) == (0, "")
    assert np.loadtxt(tmp_path / "s.txt").tolist() == expected.tolist()


def test_predict_writes_trec_runs(capsys, tmp_path):
    path = tmp_path / "d.txt"
    path.write_text("0 qid:b 1:0.5 # docid = x\n2 qid:a 1:1 # docid = y\n1 qid:b 1:0.7 # docid = z\n")
    model = tmp_path / "m.json"
    rankine.Model(np.array([2.0])).save(model)
    code, out, _ = run(capsys, "predict", model, path, "--trec", "--tag", "me")
    assert code == 0
    rows = [line.split() for line in out.splitlines()]
    assert [row[:4] for row in rows] == [["b", "Q0", "z", "1"], ["b", "Q0", "x", "2"], ["a", "Q0", "y", "1"]]
    assert float(rows[0][4]) == pytest.approx(1.4)
    assert rows[0][5] == "me"


def test_trec_runs_consist_of_words(capsys, tmp_path):
    X = np.array([[1.0], [2.0]])
    rankine.Model(np.array([1.0])).save(tmp_path / "m.json")
    for doc_ids, qid, tag, said in (
        (["x", ""], "ab", "t", "a Q0 x 1 1 t\nb Q0 2 1 2 t\n"),
        ([7, 8], "ab", "t", "a Q0 7 1 1 t\nb Q0 8 1 2 t\n"),
        (["x y", "z"], "ab", "t", "document id 'x y'"),
        (["x", "z"], ["a b", "c"], "t", "query id 'a b'"),
        (["x", "z"], "ab", "t u", "tag 't u'"),
    ):
        data = rankine.Dataset.from_arrays(X, [0, 1], list(qid), doc_ids=np.array(doc_ids))
        rankine.write(data, tmp_path / "d.npz")
        _, out, err = run(capsys, "predict", tmp_path / "m.json", tmp_path / "d.npz", "--trec", "--tag", tag)
        assert said in (out or err)


def test_scores_of_any_size_read_back(capsys, tmp_path):
    rankine.Model(np.array([1.0])).save(tmp_path / "m.json")
    values = [0.0, 1.0, -3.0, 0.1, 1e-300, -1e300, 1e6, 123456789.0, 5e-324]
    (tmp_path / "d.txt").write_text("".join(f"0 qid:1 1:{x!r}\n" for x in values))
    code, out, _ = run(capsys, "predict", tmp_path / "m.json", tmp_path / "d.txt", "--dtype", "float64")
    assert (code, [float(line) for line in out.splitlines()]) == (0, values)


def test_queries_that_are_scattered(capsys, tmp_path, monkeypatch):
    rankine.Model(np.array([1.0])).save(tmp_path / "m.json")
    ids, score = list("aabbacb"), [1.0, 2.0, 2.0, 1.0, 2.0, 0.0, 3.0]
    text = "".join(f"0 qid:{q} 1:{x}\n" for q, x in zip(ids, score, strict=True))
    (tmp_path / "d.txt").write_text(text)
    task = ["predict", tmp_path / "m.json", tmp_path / "d.txt", "--trec"]
    expected = reference.ranked(ids, score)
    assert runs(run(capsys, *task)[1]) == expected  # one block
    monkeypatch.setattr(letor, "_BLOCK", 20)
    code, _, err = run(capsys, *task, "-o", tmp_path / "run")
    assert code == 0
    assert err.startswith("note: ")
    assert "query 'a' goes on in row 5" in err
    assert runs((tmp_path / "run").read_text()) == expected
    assert runs(run(capsys, *task, "--scattered")[1]) == expected
    code, _, err = run(capsys, *task)
    assert code == 1
    assert "--scattered" in err
    code, out, _ = run(capsys, *task[:-1])
    assert [float(line) for line in out.splitlines()] == score  # without ranks it does not matter


def test_rows_without_query_ids(capsys, tmp_path):
    rankine.Model(np.array([1.0])).save(tmp_path / "m.json")
    (tmp_path / "d.txt").write_text("0 1:2\n0 1:3\n")
    task = ["predict", tmp_path / "m.json", tmp_path / "d.txt"]
    assert run(capsys, *task)[:2] == (0, "2\n3\n")
    code, _, err = run(capsys, *task, "--trec")
    assert (code, "--one-query" in err) == (1, True)
    assert runs(run(capsys, *task, "--trec", "--one-query")[1]) == [("0", 1, 1), ("0", 2, 0)]


def test_other_features_by_number(capsys, tmp_path):
    rankine.Model(np.array([1.0, 10.0])).save(tmp_path / "m.json")
    (tmp_path / "d.txt").write_text("0 qid:1 1:2\n0 qid:1 2:3\n0 qid:1 1:1 3:5 9:1\n")
    task = ["predict", tmp_path / "m.json", tmp_path / "d.txt"]
    code, out, err = run(capsys, *task)
    assert (code, out) == (1, "")
    assert "d.txt:3:13: feature 3 is beyond n_features = 2: the model has no weight for it; --allow-missing" in err
    code, out, err = run(capsys, *task, "--allow-missing")
    assert (code, out) == (0, "2\n30\n1\n")
    assert err.startswith(f"note: {tmp_path}/d.txt has features beyond the 2 of the model: ")
    assert err.count("\n") == 1


@pytest.mark.usefixtures("blocks")
def test_other_features_by_name(capsys, tmp_path):
    rankine.Model(np.array([1.0, 10.0, 100.0]), ("a", "b", "c")).save(tmp_path / "m.json")
    pq.write_table(pa.table({"c": [1.0] * 120, "a": [2.0] * 120, "b": [3.0] * 120}), tmp_path / "right.parquet")
    pq.write_table(pa.table({"c": [1.0] * 120, "a": [2.0] * 120, "new": [3.0] * 120}), tmp_path / "other.parquet")
    assert run(capsys, "predict", tmp_path / "m.json", tmp_path / "right.parquet")[:2] == (0, "132\n" * 120)
    task = ["predict", tmp_path / "m.json", tmp_path / "other.parquet"]
    code, out, err = run(capsys, *task)
    assert (code, out) == (1, "")
    assert (
        "other.parquet lacks the feature 'b', which the model was trained on, and has the feature 'new', which" in err
    )
    assert err.rstrip().endswith("--allow-missing scores what both have in common")
    code, out, err = run(capsys, *task, "--allow-missing")
    assert (code, out) == (0, "102\n" * 120)
    assert err.count("note:") == 1
    both = [tmp_path / "right.parquet", tmp_path / "other.parquet"]
    assert run(capsys, *task[:2], *both, "--allow-missing")[1] == "132\n" * 120 + "102\n" * 120


@pytest.mark.parametrize(
    ("flags", "code", "message"),
    [
        (["--top", "2"], 2, "add --trec"),
        (["--top", "0", "--trec"], 2, "Must be >= 1"),
        (["--trec", "-o", "r.parquet"], 2, "leave out --trec"),
        (["--trec", "--tag", "a b"], 1, "tag 'a b' is not one word"),
        (["-o", "no/s.txt"], 1, "no directory"),
        (["-o", "no/s.parquet"], 1, "no directory"),
        (["-o", "/dev/full"], 1, "/dev/full: No space left"),
    ],
)
def test_what_cannot_be_written(capsys, folder, tmp_path, monkeypatch, flags, code, message):
    monkeypatch.chdir(tmp_path)
    got, out, err = run(capsys, "predict", folder / "m.json", folder / "d.txt", *flags)
    assert (got, out) == (code, "")
    assert message in err
    assert not list(tmp_path.iterdir())


def test_damage_in_a_later_block_leaves_no_file(capsys, folder, tmp_path, blocks):
    (tmp_path / "d.txt").write_bytes((folder / "d.txt").read_bytes() + b"?\n")
    n_rows = rankine.read(folder / "d.txt").n_rows
    for output in ("s.txt", "s.parquet"):
        code, _, err = run(capsys, "predict", folder / "m.json", tmp_path / "d.txt", "-o", tmp_path / output)
        assert code == 1
        assert f"d.txt:{n_rows + 1}:1: expected a label" in err
        assert len(blocks) > 2
    assert [path.name for path in tmp_path.iterdir()] == ["d.txt"]


@pytest.mark.usefixtures("blocks")
def test_ids_that_change_their_type_have_no_column(capsys, folder, tmp_path):
    text = (folder / "d.txt").read_bytes()
    (tmp_path / "d.txt").write_bytes(text + text.replace(b"qid:", b"qid:x"))
    task = ["predict", folder / "m.json", tmp_path / "d.txt", "-o"]
    code, _, err = run(capsys, *task, tmp_path / "s.parquet")
    assert code == 1
    assert "qid (int64), score (double) at first and qid (string), score (double) later; convert" in err
    assert main(["convert", str(tmp_path / "d.txt"), str(tmp_path / "d.parquet")]) == 0
    assert run(capsys, *task[:2], tmp_path / "d.parquet", "-o", tmp_path / "s.parquet")[0] == 0
    assert pq.read_table(tmp_path / "s.parquet").num_rows == 2 * rankine.read(folder / "d.txt").n_rows


@pytest.mark.parametrize("output", ["s.txt", "s.parquet"])
def test_an_interrupt_leaves_nothing(folder, tmp_path, output):
    source, text = tmp_path / "pipe", (folder / "d.txt").read_bytes()
    os.mkfifo(source)
    command = [RANKINE, "predict", folder / "m.json", source, "-o", tmp_path / output]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    with source.open("wb") as stream:
        for _ in range(3 * letor._BLOCK // len(text)):
            stream.write(text)
        stream.flush()
        while len(list(tmp_path.iterdir())) < 2:  # until it writes
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert err == "rankine: interrupted: no file was left half-written\n"
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_standard_output_streams(folder):
    text = (folder / "d.txt").read_bytes()
    command = [RANKINE, "predict", folder / "m.json", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for _ in range(1 + letor._BLOCK // len(text)):
            process.stdin.write(text)
        process.stdin.flush()
        assert float(process.stdout.readline()) < 1e9  # while standard input is still open
        process.stdin.close()
        process.stdout.read()
        assert process.wait(timeout=30) == 0
