"""`rankine path` and `rankine tune`: what they print and write, and what goes wrong."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import rankine
from command import json_of, run
from rankine.cli.app import main
from rankine.data import synthetic
from rankine.model import load_all
from rankine.recipes.ranksvm import RankSVM


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Train and test files and three models along C."""
    path = tmp_path_factory.mktemp("tune")
    for part in ("train", "test"):
        rankine.write(synthetic.make("mslr10", scale=0.01, part=part), path / f"{part}.txt")
    assert main(["path", str(path / "train.txt"), "-o", str(path / "path.json"), "--grid", "0.5,1,2"]) == 0
    return path


# Path ---------------------------------------------------------------------------------------------------------------


def test_path_tells_and_saves_what_the_recipe_learns(capsys, folder, tmp_path):
    flags = ["--grid", "2^-2..2^2", "--tol", "1e-9", "--scale", "std", "--valid", folder / "test.txt"]
    said = json_of(capsys, "path", folder / "train.txt", "-o", tmp_path / "p", *flags, "--metrics", "AP pair_accuracy")
    train, test = (rankine.read(folder / f"{part}.txt") for part in ("train", "test"))
    expected = list(RankSVM(tol=1e-9, scale="std").path(train, [0.25, 0.5, 1, 2, 4]))
    saved = load_all(tmp_path / "p")
    for point, model, one in zip(said["points"], saved, expected, strict=True):
        np.testing.assert_array_equal(model.weights, one.weights)
        assert model.parameters == one.parameters
        assert point["C"] == one.parameters["C"]
        assert (point["objective"], point["gap"]) == (one.outcome.objective, one.outcome.gap)
        assert point["metrics"] == rankine.evaluate(test.label, one.score(test), test.qid, "AP pair_accuracy")
    assert list(said["seconds"]) == ["read", "group", "fit", "measure", "save"]


def test_path_prints_a_table(capsys, folder):
    code, out, _ = run(capsys, "path", folder / "train.txt")
    assert code == 0
    lines = out.splitlines()
    assert next(line for line in lines if line.startswith("C  ")).split()[:3] == ["C", "pair_accuracy", "objective"]
    assert [line.split()[0] for line in lines[-26:]][:2] == ["2^-15", "2^-14"]
    assert lines[-1].split()[0] == "2^10"


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal of POSIX")
@pytest.mark.parametrize("command", ["path", "tune"])
def test_the_table_grows_on_a_terminal(folder, command):
    ours, theirs = os.openpty()
    tokens = [sys.executable, "-m", "rankine", command, folder / "train.txt", "--metrics", "AP", "--json"]
    flags = {"path": ["--grid", "0.5,1"], "tune": ["--grid", "C=0.5,1", "--folds", "2", "--fixed"]}[command]
    done = subprocess.run([*tokens, *flags], stdout=subprocess.PIPE, stderr=theirs, check=True)
    os.close(theirs)
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert "2^-1" in shown
    assert "AP" in shown
    json.loads(done.stdout)


def test_one_of_several_models_is_picked(capsys, folder):
    models = load_all(folder / "path.json")
    test = rankine.read(folder / "test.txt")
    for flags, model in ((["--C", "2^1"], models[2]), (["--C", "0.5"], models[0]), (["--index", "2"], models[1])):
        _, out, _ = run(capsys, "predict", folder / "path.json", folder / "test.txt", *flags)
        assert [float(line) for line in out.splitlines()] == model.score(test).tolist()
        said = json_of(capsys, "inspect", folder / "path.json", *flags)
        assert list(said["weights"].values()) == model.weights.tolist()
        said = json_of(capsys, "evaluate", folder / "path.json", folder / "test.txt", *flags, "--metrics", "AP")
        assert said["metrics"] == rankine.evaluate(test.label, model.score(test), test.qid, "AP")


def test_inspect_lists_several_models(capsys, folder):
    code, out, _ = run(capsys, "inspect", folder / "path.json")
    assert code == 0
    assert [line.split()[:2] for line in out.splitlines()[2:5]] == [["1", "2^-1"], ["2", "1"], ["3", "2"]]
    said = json_of(capsys, "inspect", folder / "path.json")
    assert [model["parameters"]["C"] for model in said["models"]] == [0.5, 1.0, 2.0]


@pytest.mark.parametrize(
    ("tokens", "code", "message"),
    [
        ("predict {path} {test}", 2, "holds 3 models; say which by --index or --C, which may be 2^-1, 1, 2"),
        ("predict {path} {test} --C 7", 2, "has no model with C = 7; there is 2^-1, 1, 2"),
        ("predict {path} {test} --C much", 2, "must be a number"),
        ("evaluate {path} {test} --index 4", 2, "holds 3 model(s)"),
        ("inspect {path} --index 0", 2, "Must be >= 1"),
        ("train {train} -o {out} --start {path}", 1, "holds 3 models"),
        ("path {train} --C 5", 2, "a path goes over C: say which values by --grid"),
        ("path {train} --grid 2^1..3^1", 2, "is no range"),
        ("path {train} --grid 0,1", 2, "C is 0.0; it must be a number above 0"),
        ("path {train} --metrics nDGC", 2, "did you mean 'nDCG'"),
        ("path {train} --metrics ''", 2, "--metrics is empty"),
        ("path {train} -o /nowhere/p.json", 1, "no directory"),
        ("path {train} --learner ranksmv", 2, "did you mean 'ranksvm'"),
        ("path {train} --dialect letor5", 1, "letor5"),
        ("path nowhere.txt", 1, "nowhere.txt"),
        ("path {train} --valid nowhere.txt", 1, "nowhere.txt"),
        ("tune {train} --grid D=1", 2, "has no parameter 'D'"),
        ("tune {train} --grid C", 2, "is not a parameter and its values"),
        ("tune {train} --C 5", 2, "C is given by --C and is searched, too"),
        ("tune {train} --folds 1", 2, "Must be >= 2"),
        ("tune {train} --folds 5000", 1, "5000 folds of whole queries need as many queries"),
        ("tune {train} --metrics nDGC", 2, "did you mean 'nDCG'"),
        ("tune {train} --pick simplest", 2, "one_se"),
        ("tune {train} --trials 0", 2, "Must be >= 1"),
        ("tune {train} --journal {train}", 1, "is not a journal of a search, and will not be overwritten"),
        ("tune {train} -o {folder}", 1, "is a directory"),
        ("tune nowhere.txt", 1, "nowhere.txt"),
    ],
)
def test_what_goes_wrong_is_told(capsys, folder, tmp_path, tokens, code, message):
    places = {name: folder / f"{name}.txt" for name in ("train", "test")}
    places |= {"path": folder / "path.json", "out": tmp_path / "m", "folder": folder}
    words = [word.strip("'") for word in tokens.format(**places).split()]
    found, _, err = run(capsys, *words)
    assert message in " ".join(err.replace("│", " ").split())
    assert found == code


# Tune -----------------------------------------------------------------------------------------------------------------


def test_tune_tells_and_saves_the_winner(capsys, folder, tmp_path):
    flags = ["--grid", "C=2^-12..2^-2", "--folds", "3", "--metrics", "AP pair_accuracy", "--journal", tmp_path / "j"]
    said = json_of(capsys, "tune", folder / "train.txt", "-o", tmp_path / "m", *flags)
    best = max(said["candidates"], key=lambda one: one["metrics"]["AP"]["value"])
    assert said["choices"]["AP"]["best"] == best
    assert said["winner"]["C"] == pytest.approx(best["parameters"]["C"] * 2 / 3)
    model = rankine.load(tmp_path / "m")
    expected = RankSVM(C=best["parameters"]["C"] * 2 / 3).fit(rankine.read(folder / "train.txt"))
    np.testing.assert_array_equal(model.weights, expected.weights)
    code, out, err = run(capsys, "tune", folder / "train.txt", *flags)
    assert code == 0, err
    assert [line.split()[0] for line in out.splitlines()[-2:]] == ["AP", "pair_accuracy"]
    assert sum(line.startswith("2^-") for line in out.splitlines()) == len(said["candidates"])


def test_tune_with_a_validation_set_and_more_parameters(capsys, folder):
    flags = ["--valid", folder / "test.txt", "--grid", "C=2^-9,2^-3", "--grid", "scale=none,std", "--fixed"]
    said = json_of(capsys, "tune", folder / "train.txt", *flags, "--metrics", "AP", "--pick", "one_se")
    assert [tuple(one["parameters"].values()) for one in said["candidates"]] == [
        (C, scale) for scale in (None, "std") for C in (2**-9, 2**-3)
    ]
    assert said["winner"]["C"] == said["choices"]["AP"]["one_se"]["parameters"]["C"]


def test_an_edge_is_noted(capsys, folder):
    flags = ["--grid", "C=2^-15..2^-13", "--folds", "2", "--metrics", "AP"]
    code, _, err = run(capsys, "tune", folder / "train.txt", *flags, "--fixed")
    assert code == 0
    assert "note: the best C by AP" in err
    assert "edge" in err
    assert run(capsys, "tune", folder / "train.txt", *flags)[2] == ""


def test_empty_files_and_one_query(capsys, tmp_path):
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "one.txt").write_text("1 qid:1 1:0.5\n0 qid:1 1:0.2\n2 qid:1 1:0.9\n")
    for command in ("path", "tune"):
        code, _, err = run(capsys, command, tmp_path / "empty.txt")
        assert code == 1, err
        assert err.startswith("rankine: ")
    assert run(capsys, "path", tmp_path / "one.txt")[0] == 0
    code, _, err = run(capsys, "tune", tmp_path / "one.txt")
    assert (code, "need as many queries" in err) == (1, True)
