"""The command line: what it prints, where, and with which exit code."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import rankine
from command import RANKINE, json_of, run
from rankine.cli.app import COMMANDS, main
from rankine.data import synthetic
from rankine.recipes import RECIPES, recipe_named


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Train and test files and a model of theirs."""
    path = tmp_path_factory.mktemp("cli")
    for part in ("train", "test"):
        rankine.write(synthetic.make("mslr10", scale=0.005, part=part), path / f"{part}.txt")
    assert main(["train", str(path / "train.txt"), "-o", str(path / "model.json"), "--C", "0.01"]) == 0
    return path


# The commands -------------------------------------------------------------------------------------------------------


def test_train_writes_what_the_recipe_learns(capsys, folder, tmp_path):
    flags = ["--C", "0.5", "--pairs", "adjacent", "--pair-weight", "query", "--tol", "1e-6", "--n-threads", "1"]
    said = json_of(capsys, "train", folder / "train.txt", "-o", tmp_path / "m.json", *flags)
    model = rankine.load(tmp_path / "m.json")
    recipe = recipe_named("ranksvm")(C=0.5, pairs="adjacent", pair_weight="query", tol=1e-6, n_threads=1)
    expected = recipe.fit(rankine.read(folder / "train.txt"))
    np.testing.assert_array_equal(model.weights, expected.weights)
    assert model.parameters == expected.parameters == said["parameters"]
    assert said["outcome"]["objective"] == expected.outcome.objective
    assert 0.5 < said["train"]["pair_accuracy"] <= 1
    assert list(said["seconds"]) == ["read", "group", "fit", "save", "measure"]
    assert said["peak_memory"] > expected.weights.nbytes


def test_underscores_and_equals_signs_are_understood(capsys, folder, tmp_path):
    said = json_of(
        capsys, "train", folder / "train.txt", f"--output={tmp_path}/m", "--max_iter=3", "--pair_weight=query"
    )
    assert said["parameters"]["max_iter"] == 3
    assert said["parameters"]["pair_weight"] == "query"


def test_missing_values(capsys, folder, tmp_path):
    data = rankine.read(folder / "train.txt")
    X = np.array(data.X)
    X[::3, 1] = X[::5, 7] = np.nan
    holed = rankine.Dataset.from_arrays(X, data.label, data.qid, missing="keep")
    for name in ("d.txt", "d.parquet"):
        rankine.write(holed, tmp_path / name)
        task = ["train", tmp_path / name, "-o", tmp_path / "m.json", "--C", "0.01"]
        code, _, err = run(capsys, *task)
        assert (code, "--missing indicator" in err) == (1, True)
        said = json_of(capsys, *task, "--missing", "indicator")
        model = rankine.load(tmp_path / "m.json")
        assert said["missing"]["indicators"] == [model.name_of(1), model.name_of(7)]
        assert f"{model.name_of(7)} (missing)" in json_of(capsys, "inspect", tmp_path / "m.json")["weights"]
        code, out, err = run(capsys, "predict", tmp_path / "m.json", tmp_path / name)
        assert (code, err) == (0, "")
        assert [float(line) for line in out.splitlines()] == model.score(holed.X).tolist()
        json_of(capsys, "evaluate", tmp_path / "m.json", tmp_path / name)
        assert json_of(capsys, "inspect", tmp_path / name)["missing"] == np.isnan(X).sum()
        assert json_of(capsys, *task, "--missing", "-1")["missing"] == {"value": -1}
        code, _, err = run(capsys, "predict", folder / "model.json", tmp_path / name)
        assert (code, "stands for a missing value" in err) == (1, True)
        flags = ["--missing", "keep"]
        code, _, err = run(capsys, "predict", folder / "model.json", tmp_path / name, *flags)
        assert (code, "but the model was trained without missing values" in err) == (1, True)


def test_several_files_are_one_data_set(capsys, folder, tmp_path):
    said = json_of(capsys, "train", folder / "train.txt", folder / "test.txt", "-o", tmp_path / "m.json")
    rows = [rankine.read(folder / f"{part}.txt").n_rows for part in ("train", "test")]
    assert said["data"]["rows"] == sum(rows)


def test_a_start_makes_no_steps(capsys, folder, tmp_path):
    flags = ["--C", "0.01", "--start", folder / "model.json"]
    assert json_of(capsys, "train", folder / "train.txt", "-o", tmp_path / "m", *flags)["outcome"]["n_iter"] == 0


def test_preferences_come_from_a_file(capsys, tmp_path):
    (tmp_path / "data.txt").write_text("0 qid:1 1:1 2:0 # a\n0 qid:1 1:0 2:1 # b\n")
    (tmp_path / "pairs.txt").write_text("1 b a\n")
    files = [tmp_path / "data.txt", "-o", tmp_path / "m.json", "--preferences", tmp_path / "pairs.txt"]
    told = json_of(capsys, "train", *files, "--pairs", "listed")
    assert told["data"]["pairs"] == 1
    worse, better = rankine.load(tmp_path / "m.json").weights
    assert better > 0 > worse
    (tmp_path / "pairs.txt").write_text("1 b c\n")
    code, _, err = run(capsys, "train", *files)
    assert code == 1
    assert "pairs.txt, line 1: query '1' has no document 'c' in the data" in err


def test_evaluate_measures(capsys, folder, tmp_path):
    names = "pair_accuracy nDCG@10 AP ndcg@5 MeanNDCG"
    flags = ["--metrics", names, "--dialect", "letor4", "--per-query", tmp_path / "q.csv"]
    said = json_of(capsys, "evaluate", folder / "model.json", folder / "test.txt", *flags)
    test = rankine.read(folder / "test.txt")
    score = rankine.load(folder / "model.json").score(test)
    expected = rankine.evaluate(test.label, score, test.qid, names.split(), dialect="letor4")
    assert said["metrics"] == expected
    with (tmp_path / "q.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["qid"] for row in rows] == test.query_ids.astype(str).tolist()
    assert np.mean([float(row["AP"]) for row in rows]) == pytest.approx(expected["AP"])
    code, out, _ = run(capsys, "evaluate", folder / "model.json", folder / "test.txt")
    assert code == 0
    assert "pair_accuracy" in out


def test_inspect_tells_models_from_data(capsys, folder):
    said = json_of(capsys, "inspect", folder / "model.json")
    assert said["kind"] == "model"
    assert list(said["weights"].values()) == rankine.load(folder / "model.json").weights.tolist()
    said = json_of(capsys, "inspect", folder / "train.txt")
    data = rankine.read(folder / "train.txt")
    assert (said["kind"], said["rows"], said["storage"]) == ("data", data.n_rows, "dense")
    assert sum(said["labels"].values()) == data.n_rows
    for file in ("model.json", "train.txt"):
        code, out, _ = run(capsys, "inspect", folder / file)
        assert code == 0
        assert str(data.n_features) in out or "weight" in out


@pytest.mark.parametrize("suffix", [".txt.gz", ".npz", ".parquet"])
def test_convert_loses_nothing(capsys, folder, tmp_path, suffix):
    code, _, err = run(capsys, "convert", folder / "train.txt", tmp_path / f"d{suffix}")
    assert code == 0, err
    a, b = rankine.read(folder / "train.txt"), rankine.read(tmp_path / f"d{suffix}")
    np.testing.assert_array_equal(a.X, b.X)
    np.testing.assert_array_equal(a.label, b.label)
    np.testing.assert_array_equal(a.qid, b.qid)


def test_the_demo_shows_real_commands_and_real_output(capsys, tmp_path):
    code, out, err = run(capsys, "demo", "--scale", "0.01", "--output", tmp_path / "demo")
    assert code == 0, err
    shown = [line for line in out.splitlines() if line.startswith("$ rankine ")]
    assert [line.split()[2] for line in shown] == [
        "doctor",
        "train",
        "evaluate",
        "tune",
        "evaluate",
        "predict",
        "inspect",
    ]
    assert {path.name for path in (tmp_path / "demo").iterdir()} == {
        "train.txt",
        "test.txt",
        "model.json",
        "tuned.json",
        "scores.txt",
    }
    assert "nDCG@10" in out


@pytest.mark.parametrize("shape", ["mqlist", "ctr", "rcv1"])
def test_the_demo_runs_on_every_kind_of_data(capsys, tmp_path, shape):
    code, _, err = run(capsys, "demo", "--data", shape, "--scale", "0.01", "--output", tmp_path)
    assert code == 0, err


def test_a_toml_file_may_hold_flags(capsys, folder, tmp_path):
    config = tmp_path / "c.toml"
    config.write_text('C = 2.5\npair_weight = "query"\nmax-iter = 7\n')
    flags = ["--config", config, "--max-iter", "9"]
    said = json_of(capsys, "train", folder / "train.txt", "-o", tmp_path / "m.json", *flags)
    assert {"C": 2.5, "pair_weight": "query", "max_iter": 9}.items() <= said["parameters"].items()
    for text, message in (
        ("CC = 1", "c.toml: train has no flag CC; did you mean --C?"),
        ("max_itr = 1", "did you mean --max-iter?"),
        ("C = ", "not TOML"),
        ("max_iter = 2.5", "max-iter"),
        ("[train]\nC = 1", "table [train]"),
        ('learner = "ranksmv"', "did you mean 'ranksvm'?"),
        ("learner = 1", "no learner is named '1'"),
    ):
        config.write_text(text)
        code, _, err = run(capsys, "train", folder / "train.txt", "-o", tmp_path / "m.json", *flags[:2])
        assert code == 2, err
        assert message in err


def test_mappings_are_repeated_flags_or_tables(capsys, folder, tmp_path):
    flags = ["--constraint", "1=-", "--constraint=2=0:", "--constraints", "3=0.5", "--constraint", "4=-1:1"]
    flags += ["--penalty-factor", "1=10", "--prior", folder / "model.json", "--tol", "1e-6"]
    said = json_of(capsys, "train", folder / "train.txt", "-o", tmp_path / "m.json", *flags)
    recipe = recipe_named("ranksvm")(
        constraints={"1": "-", 2: (0, None), 3: 0.5, "4": (-1, 1)},
        penalty_factors={1: 10.0},
        prior=folder / "model.json",
        tol=1e-6,
    )
    expected = recipe.fit(rankine.read(folder / "train.txt"))
    np.testing.assert_array_equal(rankine.load(tmp_path / "m.json").weights, expected.weights)
    assert said["parameters"] == expected.parameters == rankine.load(tmp_path / "m.json").parameters
    config = tmp_path / "c.toml"
    config.write_text(
        f'tol = 1e-6\nprior = "{folder}/model.json"\n'
        '[constraints]\n1 = "-"\n2 = [0, inf]\n3 = 0.5\n4 = "-1:1"\n[penalty_factors]\n1 = 10\n'
    )
    flags = ["--config", config]
    said = json_of(capsys, "train", folder / "train.txt", "-o", tmp_path / "t.json", *flags)
    assert said["parameters"] == expected.parameters
    said = json_of(capsys, "train", folder / "train.txt", "-o", tmp_path / "t.json", *flags, "--constraint", "5=+")
    assert said["parameters"]["constraints"] == {"5": "+"}  # the command line has the last word
    code, out, _ = run(capsys, "inspect", tmp_path / "m.json")
    assert code == 0
    assert "'4': [-1.0, 1.0]" in out


def test_help_lists_every_parameter_of_a_learner(capsys):
    for name in RECIPES:
        code, out, _ = run(capsys, "train", "--learner", name, "--help")
        assert code == 0
        assert run(capsys, "--help", "train", "--learner", name) == (0, out, "")
        for field in fields(recipe_named(name)):
            assert f"--{field.name.replace('_', '-')}" in out
    for command in COMMANDS:
        code, out, _ = run(capsys, command, "--help")
        assert code == 0
        assert "--help" in out or "Parameters" in out


def test_versions(capsys):
    said = json_of(capsys, "--version")
    assert said["rankine"] == rankine.__version__
    assert said["isa"] in ("sse2", "avx2", "avx512", "baseline")
    code, out, _ = run(capsys, "--version")
    assert (code, out) == (0, f"rankine {rankine.__version__}\n")


# What goes wrong ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ("trian a -o m", "train"),
        ("train a.txt -o m --max-itr 3", "did you mean --max-iter"),
        ("train a.txt -o m --c 3", "did you mean --C"),
        ("train a.txt -o m --learner ranksmv", "did you mean 'ranksvm'"),
        ("train a.txt -o m --C -1", "C is -1.0; it must be a number above 0"),
        ("train a.txt -o m --C many", "many"),
        ("train a.txt -o m --max-iter 2.5", "2.5"),
        ("train a.txt -o m --pairs adjacnt", "adjacent"),
        ("train a.txt -o m --constraint 1", "'1' is not a feature and its value, such as price=1"),
        ("train a.txt -o m --constraint 1=up", "constraints['1'] is 'up'; it must be '+' or '-' or a number or a pair"),
        ("train a.txt -o m --constraint 1=2:1", "a pair (low, high) in order"),
        ("train a.txt -o m --constraint 1=+ --constraint 1=-", "'1' is given twice"),
        ("train a.txt -o m --constraint 137=+", "only numbers from 1 to 136"),
        ("train a.txt -o m --constraint 1=+ --solver tron", "must be 'auto' or one of 'newton', 'cg'"),
        ("train a.txt -o m --constrain 1=+", "did you mean --constraint"),
        ("train a.txt -o m --penalty-factor 1=0", "penalty_factors['1'] is 0.0; it must be a number above 0"),
        ("train a.txt", "output"),
        ("train -o m", "data"),
        ("evaluate m a.txt --metrics nDGC@10", "nDCG"),
        ("evaluate m a.txt --metrics nDCG@0", "cutoff of nDCG is '0'"),
        ("evaluate m a.txt --dialect letor5", "letor"),
        ("evaluate m a.txt --metrics ''", "metrics"),
        ("evaluate m a.txt --gain squared", "gain"),
        ("predict", "model"),
        ("convert a.txt", "convert IN OUT"),
        ("demo --data mslr11", "mslr10"),
        ("demo --scale 0", "Must be > 0"),
        ("demo --seed -1", "Must be >= 0"),
        ("inspect a.txt --n-features 0", "Must be >= 1"),
        ("inspect a.txt --n-features 99999999999999999999", "Must be < 2147483647"),
        ("inspect a.txt --missing inf", "a finite number"),
        ("inspect a.txt --missing perhaps", "perhaps"),
    ],
)
def test_wrong_usage_is_exit_code_2(capsys, folder, tokens, message, monkeypatch):
    import shlex

    monkeypatch.chdir(folder)
    for name, target in (("a.txt", "train.txt"), ("m", "model.json")):
        Path(name).unlink(missing_ok=True)
        Path(name).symlink_to(target)
    before = Path("model.json").read_bytes()
    code, out, err = run(capsys, *shlex.split(tokens))
    assert code == 2, err
    assert out == ""
    assert message in err
    assert "Traceback" not in err
    assert Path("model.json").read_bytes() == before


def test_no_command_shows_the_help(capsys):
    code, out, err = run(capsys)
    assert (code, err) == (0, "")
    assert all(command in out for command in COMMANDS)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"1 qid:1 1:2\n1 qid:1 1:3\n", "nothing to rank: all labels are 1"),
        (b"1 qid:1 1:2\n", "nothing to rank"),
        (b"1 qid:1 1:2\n0 qid:1 1:x\n", ":2:"),
        (b"1 qid:1 1:nan\n0 qid:1 1:1\n", "--missing"),
        (b"1 1:2\n0 1:3\n", "--one-query"),
        (b"1 qid:1\n0 qid:1\n", "feature"),
        (b"\x00\x01\x02", "bad.txt"),
    ],
)
def test_bad_data_is_exit_code_1_and_a_sentence(capsys, tmp_path, content, message):
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    code, out, err = run(capsys, "train", path, "-o", tmp_path / "m.json")
    assert (code, out) == (1, "")
    assert message in err
    assert "Traceback" not in err
    assert not (tmp_path / "m.json").exists()


def test_files_that_cannot_be_read_or_written(capsys, folder, tmp_path):
    (tmp_path / "not.json").write_text("{}")
    (tmp_path / "none").mkdir()
    for tokens, message in (
        (("train", tmp_path / "no.txt", "-o", tmp_path / "m"), "no.txt"),
        (("train", tmp_path, "-o", tmp_path / "m"), "directory"),
        (("train", tmp_path / "no.txt", "-o", tmp_path / "m", "--prior", tmp_path / "no.json"), "no.json"),
        (("train", folder / "train.txt", "-o", tmp_path), "is a directory"),
        (("train", folder / "train.txt", "-o", tmp_path / "no" / "m"), "no directory"),
        (("train", folder / "train.txt", "-o", "/dev/full"), "/dev/full: No space left"),
        (("predict", folder / "model.json", folder / "test.txt", "-o", "/dev/full"), "/dev/full: No space left"),
        (("convert", folder / "train.txt", tmp_path / "none"), "is a directory"),
        (("convert", folder / "train.txt", "-"), "'-' names no file"),
        (("train", folder / "train.txt", "-o", "-"), "'-' names no file"),
        (("train", folder / "train.txt", "-o", ""), "'' names no file"),
        (("predict", folder / "model.json", tmp_path / "no.txt", "-o", tmp_path), "is a directory"),
        (("convert", tmp_path / "no.txt", tmp_path / "none"), "is a directory"),
        (("evaluate", folder / "model.json", tmp_path / "no.txt", "--per-query", tmp_path), "is a directory"),
        (("predict", tmp_path / "not.json", folder / "test.txt"), "not a model"),
        (("predict", folder / "train.txt", folder / "test.txt"), "not a model"),
        (("inspect", tmp_path / "not.json"), "not a model"),
        (("inspect", tmp_path / "no.json"), "no.json"),
    ):
        code, out, err = run(capsys, *tokens)
        assert (code, out) == (1, ""), tokens
        assert message in err, tokens
    assert sorted(path.name for path in tmp_path.iterdir()) == ["none", "not.json"]


def test_a_model_of_other_features_is_told_so(capsys, folder, tmp_path):
    rankine.Model(np.ones(3)).save(tmp_path / "m.json")
    code, _, err = run(capsys, "predict", tmp_path / "m.json", folder / "test.txt")
    assert code == 1
    assert "3" in err


def test_an_instruction_set_that_is_not_here(folder):
    for tokens in (["inspect", folder / "model.json"], ["--version", "--json"]):
        environment = {**os.environ, "RANKINE_ISA": "mmx"}
        done = subprocess.run([RANKINE, *tokens], env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("rankine: RANKINE_ISA is 'mmx', but this machine has: ")


# As a process -------------------------------------------------------------------------------------------------------


def test_standard_input_and_output(folder, tmp_path):
    text = (folder / "train.txt").read_bytes()
    done = subprocess.run([RANKINE, "train", "-", "-o", tmp_path / "m.json", "--json"], input=text, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    assert json.loads(done.stdout)["data"]["rows"] == rankine.read(folder / "train.txt").n_rows
    for tokens in (["inspect", "-"], ["predict", tmp_path / "m.json", "-", "-o", "-"], ["doctor", "--", "-"]):
        done = subprocess.run([RANKINE, *tokens], input=text, capture_output=True, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.json"]


def test_files_whose_names_begin_with_a_hyphen(folder, tmp_path):
    (tmp_path / "-x").write_bytes((folder / "train.txt").read_bytes())
    done = subprocess.run([RANKINE, "inspect", "--json", "--", "-x"], capture_output=True, cwd=tmp_path)
    assert json.loads(done.stdout)["source"] == "-x"


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_outputs(folder, tmp_path, closed):
    command = f"'{RANKINE}' train '{folder}/train.txt' -o m.json --max-iter 1 {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert rankine.load(tmp_path / "m.json").n_features == 136


def test_a_reader_that_leaves_early_is_no_failure(folder):
    command = f"'{RANKINE}' predict '{folder}/model.json' '{folder}/train.txt' '{folder}/train.txt' | head -n 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_full_standard_output(folder):
    with Path("/dev/full").open("w") as full:
        command = [RANKINE, "predict", folder / "model.json", folder / "test.txt"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr == "rankine: standard output: No space left on device\n"


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_no_half_file_and_no_traceback(tmp_path, kind):
    source = tmp_path / "pipe"
    os.mkfifo(source)
    model = tmp_path / "m.json"
    process = subprocess.Popen([RANKINE, "train", source, "-o", model], stderr=subprocess.PIPE, text=True)
    with source.open("w") as stream:
        stream.write("1 qid:1 1:2\n")
        stream.flush()
        time.sleep(0.5)  # the command now waits for more rows
        process.send_signal(kind)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert err.strip().endswith("interrupted: no file was left half-written")
    assert "Traceback" not in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pipe"]


def test_an_interrupt_while_waiting_for_standard_input(tmp_path):
    command = [RANKINE, "train", "-", "-o", tmp_path / "m.json"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130  # standard input is still open
        assert process.stderr.read() == "rankine: interrupted: no file was left half-written\n"


def test_an_interrupt_in_the_middle_of_a_fit(folder, tmp_path):
    endless = """
import sys
from rankine.objectives import Pairwise
from rankine.cli import console
real = Pairwise.at
def at(self, w):
    print("fitting", flush=True)
    while True:
        real(self, w)
Pairwise.at = at
console()
"""
    command = [sys.executable, "-c", endless, "train", folder / "train.txt", "-o", tmp_path / "m.json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "fitting\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert err.strip() == "rankine: interrupted: no file was left half-written"
    assert not list(tmp_path.iterdir())
