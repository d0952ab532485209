"""Model files: to the last bit, atomically, in both formats, and with clear errors for what is not one."""

import json
import pickle
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankine
from problems import random_problem
from rankine.data import Dataset
from rankine.data.gaps import Filling
from rankine.model import Model, ModelError, Scaling, load_all, save_all
from rankine.recipes.ranksvm import RankSVM


def trained(**parameters):
    X, y, qid = random_problem(0)
    return RankSVM(**parameters).fit(Dataset.from_arrays(X, y, qid, feature_names=["a", "ü", 'quo"te', "#"]))


def equal(a, b):
    same = a.weights.tobytes() == b.weights.tobytes() and a.feature_names == b.feature_names
    if a.scaling is not None:
        same = same and a.scaling.kind == b.scaling.kind and (a.scaling.factor == b.scaling.factor).all()
    return same and a.describe() == b.describe()


@pytest.mark.parametrize("scale", [None, "std"])
def test_round_trip(tmp_path, scale):
    model = trained(scale=scale)
    model.save(tmp_path / "m.json")
    assert equal(rankine.load(tmp_path / "m.json"), model)
    card = json.loads((tmp_path / "m.json").read_text())
    assert card["weights"]["a"] == model.weights[0]
    assert card["parameters"]["scale"] == scale


def test_a_file_from_before_solvers_had_names(tmp_path):
    trained(solver="newton").save(tmp_path / "m.json")
    card = json.loads((tmp_path / "m.json").read_text())
    assert card["outcome"].pop("solver") == "newton"
    del card["parameters"]["solver"]
    (tmp_path / "m.json").write_text(json.dumps(card))
    assert rankine.load(tmp_path / "m.json").outcome.solver == ""


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("n", [12, 100_001])
def test_indicators_of_missing_values(tmp_path, named, n):
    names = tuple(f"f{j}" for j in range(n)) if named else None
    for filling in (Filling(0.0, np.array([3, 10])), Filling(-1.0), Filling(0.0, np.zeros(0, int))):
        model = Model(np.arange(float(n + filling.n_indicators)), names, filling=filling)
        model.save(tmp_path / "m")
        loaded = rankine.load(tmp_path / "m")
        assert equal(loaded, model)
        assert loaded.n_features == n
        if n == 12:
            card = json.loads((tmp_path / "m").read_text())
            assert filling.n_indicators == 0 or card["weights"]["f10 (missing)" if named else "11 (missing)"] == 13
            (tmp_path / "m").write_text(json.dumps(card, sort_keys=not named))
            assert equal(rankine.load(tmp_path / "m"), model)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
@settings(max_examples=50, deadline=None)
def test_every_double_survives(tmp_path_factory, weights):
    path = tmp_path_factory.mktemp("m") / "m.json"
    Model(np.array(weights)).save(path)
    assert rankine.load(path).weights.tobytes() == np.array(weights).tobytes()


@pytest.mark.parametrize("named", [False, True])
def test_large_models_go_to_safetensors(tmp_path, named):
    n = 100_001
    rng = np.random.default_rng(0)
    names = tuple(f"f{j}" for j in range(n)) if named else None
    model = Model(rng.normal(size=n), names, "ranksvm", {"C": 1.0}, Scaling("max", rng.random(n)))
    model.save(tmp_path / "m.model")
    assert (tmp_path / "m.model").read_bytes()[:1] != b"{"
    assert equal(rankine.load(tmp_path / "m.model"), model)


def test_estimators_models_survive_pickle():
    model = trained()
    assert equal(pickle.loads(pickle.dumps(model)), model)


def test_numbered_weights_may_stand_in_any_order(tmp_path):
    weights = np.arange(12.0)
    Model(weights).save(tmp_path / "m.json")
    card = json.loads((tmp_path / "m.json").read_text())
    (tmp_path / "m.json").write_text(json.dumps(card, sort_keys=True))  # as `jq -S` writes it: 1, 10, 11, 12, 2, …
    np.testing.assert_array_equal(rankine.load(tmp_path / "m.json").weights, weights)


OUTCOME = {"objective": 1.0, "gap": 0.0, "n_iter": 3, "converged": True, "message": "done", "seconds": 0.1}
DATA = {"source": "a", "rows": 2, "queries": 1, "features": 1, "pairs": 1, "labels": [0, 1], "fingerprint": "0"}


def damaged(change):
    card = {"format": "rankine-model", "version": 1, "recipe": "", "parameters": {}, "scaling": None}
    card |= {"data": None, "outcome": None, "versions": {}, "named": True, "weights": {"a": 1.0}}
    change(card)
    return json.dumps(card).encode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "neither"),
        (b"{", "damaged or not JSON"),
        (b"\x00\xff" * 50, "neither"),
        (b"[1, 2]", "neither"),
        (b"{}", "format"),
        (b'{"format": "rankine-model", "format": "rankine-model"}', "twice"),
        (b"{" + b'"a": [' * 100_000, "damaged"),
        (damaged(lambda c: c.update(version=99)), "newer Rankine"),
        (damaged(lambda c: c.update(version="1")), "whole number"),
        (damaged(lambda c: c.update(version=True)), "whole number"),
        (damaged(lambda c: c.update(weights=[1.0])), "no 'weights'"),
        (damaged(lambda c: c.update(weights={"a": "1"})), "not numbers"),
        (damaged(lambda c: c.update(weights={"a": 10**400})), "double precision"),
        (damaged(lambda c: c.update(weights={"a": float("nan")})), "not a finite number"),
        (damaged(lambda c: c.pop("recipe")), "'recipe'"),
        (damaged(lambda c: c.update(outcome={"gap": 1})), "'outcome'"),
        (damaged(lambda c: c.update(outcome={**OUTCOME, "gap": "x"})), "'gap' of its 'outcome' is of another type"),
        (damaged(lambda c: c.update(outcome={**OUTCOME, "seconds": None})), "'seconds'"),
        (damaged(lambda c: c.update(outcome={**OUTCOME, "n_iter": True})), "'n_iter'"),
        (damaged(lambda c: c.update(outcome={**OUTCOME, "more": 1})), "unknown entries"),
        (damaged(lambda c: c.update(data={**DATA, "rows": "3"})), "'rows' of its 'data' is of another type"),
        (damaged(lambda c: c.update(data={**DATA, "labels": [0, "x"]})), "labels"),
        (damaged(lambda c: c.update(data={**DATA, "labels": "01"})), "'labels'"),
        (damaged(lambda c: c.update(named=False)), "weight of '1' is missing"),
        (damaged(lambda c: c.update(missing=0)), "'missing' is of another type"),
        (damaged(lambda c: c.update(missing={})), "value of its 'missing'"),
        (damaged(lambda c: c.update(missing={"value": 0, "indicators": "a"})), "'indicators'"),
        (damaged(lambda c: c.update(missing={"value": 0, "indicators": ["a"]})), "'a \\(missing\\)' is missing"),
        (
            damaged(lambda c: c.update(missing={"value": 0, "indicators": ["b"]}, weights={"a": 1, "b (missing)": 1})),
            "no weight",
        ),
        (damaged(lambda c: c.update(scaling={"kind": "max"})), "factors"),
        (damaged(lambda c: c.update(scaling={"kind": "max", "factors": [1, 2]})), "incomplete"),
    ],
)
def test_what_is_not_a_model_is_told_so(tmp_path, content, message):
    (tmp_path / "m.json").write_bytes(content)
    with pytest.raises(ModelError, match=message) as error:
        rankine.load(tmp_path / "m.json")
    assert "m.json is not a model" in str(error.value)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "m.json"
    trained(scale="max").save(path)
    return path


@given(data=st.data())
@settings(max_examples=200, deadline=None)
def test_no_damage_crashes(whole, data):
    content = bytearray(whole.read_bytes())
    for _ in range(data.draw(st.integers(1, 5))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    hurt = whole.with_name("hurt.json")
    hurt.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    try:
        model = rankine.load(hurt)
    except ModelError:
        return
    assert np.isfinite(model.weights).all()


def test_a_model_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "m.json"
    trained().save(path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="JSON compliant"):
        Model(np.array([np.nan])).save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_kill_leaves_a_whole_model(tmp_path):
    script = textwrap.dedent(
        """
        import sys, numpy as np
        from rankine.model import Model
        k = 0
        while True:
            Model(np.full(20_000, float(k))).save(sys.argv[1]); k += 1
        """
    )
    path = tmp_path / "m.json"
    for _ in range(3):
        process = subprocess.Popen([sys.executable, "-c", script, str(path)])
        while not path.exists():
            time.sleep(0.01)
        time.sleep(0.2)
        process.send_signal(signal.SIGKILL)
        process.wait()
        weights = rankine.load(path).weights
        assert len(weights) == 20_000
        assert len(set(weights.tolist())) == 1


def test_where_it_cannot_be_written(tmp_path):
    model = trained()
    with pytest.raises(IsADirectoryError, match="is a directory"):
        model.save(tmp_path)
    with pytest.raises(FileNotFoundError, match="no directory"):
        model.save(tmp_path / "nowhere" / "m.json")
    with pytest.raises(OSError, match="No space left"):
        model.save("/dev/full")
    with pytest.raises(IsADirectoryError, match="is a directory"):
        rankine.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        rankine.load(tmp_path / "none.json")


def test_scores_match_features_by_name():
    model = Model(np.array([1.0, 10.0]), ("a", "b"))
    X = np.array([[2.0, 3.0]])
    swapped = Dataset.from_arrays(X, feature_names=["b", "a"])
    assert model.score(swapped) == [23.0]
    assert model.score(X) == [32.0]
    with pytest.raises(ValueError, match="lacks the feature 'b'"):
        model.score(Dataset.from_arrays(X, feature_names=["a", "c"]))
    with pytest.raises(ValueError, match="has the feature 'c'"):
        model.score(Dataset.from_arrays(np.ones((1, 3)), feature_names=["a", "b", "c"]))
    with pytest.raises(ValueError, match="3 features, but the model has 2"):
        model.score(np.ones((1, 3)))
    with pytest.raises(ValueError, match="NaN"):
        model.score([[np.nan, 1.0]])


def test_scores_come_back_in_the_callers_order():
    X, y, qid = random_problem(0)
    model = Model(np.array([1.0, 2.0, 3.0, 4.0]))
    np.testing.assert_array_equal(model.score(Dataset.from_arrays(X, y, qid)), model.score(X))


def test_several_models_in_one_file(tmp_path):
    models = [trained(C=1.0), trained(C=2.0, scale="std"), Model(np.array([1.0, 2.0]))]
    save_all(models, tmp_path / "m.json")
    assert all(equal(a, b) for a, b in zip(load_all(tmp_path / "m.json"), models, strict=True))
    with pytest.raises(ModelError, match=r"m.json holds 3 models; .*load_all"):
        rankine.load(tmp_path / "m.json")
    models[0].save(tmp_path / "m.json")
    assert equal(*load_all(tmp_path / "m.json"), models[0])
    save_all(models[:1], tmp_path / "m.json")
    assert equal(rankine.load(tmp_path / "m.json"), models[0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"models": []}, "it has no 'models'"),
        ({"models": {}}, "it has no 'models'"),
        ({"models": [1]}, "does not say"),
        ({"version": 99}, "newer Rankine"),
        ({"version": None}, "not a positive whole number"),
    ],
)
def test_lists_of_models_that_are_none(tmp_path, change, message):
    save_all([trained()], tmp_path / "m.json")
    content = json.loads((tmp_path / "m.json").read_text())
    (tmp_path / "m.json").write_text(json.dumps({**content, **change}))
    with pytest.raises(ModelError, match=message):
        load_all(tmp_path / "m.json")
