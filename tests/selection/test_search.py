"""The search: agrees with learning and measuring by hand, goes on from its journal, grows, and repeats Table 3."""

import builtins
import sys
import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse

import mq2008
import rankine
from problems import random_problem
from rankine.data import DataError, Dataset, synthetic
from rankine.metrics import Metric
from rankine.recipes import TrainingWarning
from rankine.recipes.ranksvm import RankSVM
from rankine.selection import TuningWarning, query_folds, tune
from rankine.selection.split import folds_of

EXACT = RankSVM(tol=1e-10)


@pytest.fixture(scope="module")
def data():
    return synthetic.make("mslr10", scale=0.01)


def small(seed=0, sparse=False):
    X, y, qid = random_problem(seed, n_rows=600, n_features=8, n_queries=30)
    return Dataset.from_arrays(scipy.sparse.csr_array(X) if sparse else X, y, qid)


@pytest.mark.parametrize("sparse", [False, True])
def test_folds_learn_and_measure_what_they_should(sparse):
    data = small(sparse=sparse)
    fold = query_folds(np.diff(data.grouped.query_ptr), 3, shuffle=True, seed=4)
    names = ["pair_accuracy", "nDCG@10", "AP"]
    for k, split in enumerate(folds_of(data, 3, [Metric.parse(name) for name in names], seed=4)):
        train, test = data.take_queries(np.flatnonzero(fold != k)), data.take_queries(np.flatnonzero(fold == k))
        expected, found = EXACT.fit(train), EXACT.fit(split.train)
        np.testing.assert_allclose(found.weights, expected.weights, rtol=1e-6)
        assert found.data.pairs == expected.data.pairs
        assert split.train.grouped.rows is data.grouped.rows
        values = rankine.evaluate(test.label, found.score(test), test.qid, names)
        assert {name: tally.value for name, tally in split.measure(found).items()} == pytest.approx(values, rel=1e-12)


@pytest.mark.filterwarnings("ignore:the best C")
def test_the_table_is_that_of_learning_by_hand():
    data = small()
    names = ["pair_accuracy", "MeanNDCG"]
    options = {"metrics": names, "dialect": "letor4", "folds": 3, "grow": False, "refit": False}
    found = tune(data, EXACT, "C=1e-4,1e-2,1 scale=none,std", **options)
    assert found.model is None
    assert [one.parameters for one in found.candidates] == [
        {"C": C, "scale": scale} for scale in (None, "std") for C in (1e-4, 1e-2, 1.0)
    ]
    fold = query_folds(np.diff(data.grouped.query_ptr), 3, shuffle=True, seed=0)
    for one in found.candidates[:3]:  # scales are those of all rows, whose labels they do not see
        score, parts = np.zeros(data.n_rows), data.group(np.arange(data.n_rows))
        for k in range(3):
            model = replace(EXACT, **one.parameters).fit(data.take_queries(np.flatnonzero(fold != k)))
            rows = parts[np.repeat(fold == k, np.diff(data.grouped.query_ptr))]
            score[rows] = model.score(data)[rows]
        expected = rankine.evaluate(data.label, score, data.qid, names, dialect="letor4")
        assert {name: one.tallies[name].value for name in names} == pytest.approx(expected, rel=1e-12)


def test_the_winner_is_learned_from_all_rows_with_its_c_rescaled():
    data = small()
    found = tune(data, EXACT, "C=2^-12..2^4", metrics="nDCG@10", folds=4)
    best = found.choices["nDCG@10"].best
    assert best.tallies["nDCG@10"].value == max(one.tallies["nDCG@10"].value for one in found.candidates)
    expected = replace(EXACT, C=0.75 * best.parameters["C"])
    assert found.recipe == expected
    np.testing.assert_array_equal(found.model.weights, expected.fit(data).weights)
    simple = tune(data, EXACT, "C=2^-12..2^4", metrics="nDCG@10", folds=4, pick="one_se", refit=False)
    assert 0.75 * found.choices["nDCG@10"].one_se.parameters["C"] == simple.recipe.C


def test_a_validation_set_needs_no_folds():
    train, valid = small(), small(1)
    found = tune(train, EXACT, {"C": [0.1, 1, 10]}, metrics="AP", valid=valid, grow=False)
    for one in found.candidates:
        model = replace(EXACT, **one.parameters).fit(train)
        expected = rankine.evaluate(valid.label, model.score(valid), valid.qid, "AP")
        assert one.tallies["AP"].value == pytest.approx(expected["AP"], rel=1e-12)
    assert found.choices["AP"].best.parameters["C"] == found.recipe.C


def test_one_standard_error_allows_less_and_errors_are_minimised():
    data = small()
    for name, sign in (("AP", 1), ("domination_error", -1)):
        choice = tune(data, EXACT, "C=2^-15..2^5", metrics=name, folds=3, refit=False).choices[name]
        best, simple = choice.best.tallies[name], choice.one_se.tallies[name]
        assert sign * simple.value >= sign * best.value - best.error
        assert choice.one_se.parameters["C"] <= choice.best.parameters["C"]


@pytest.mark.parametrize("ends", [(-15, -12), (-5, -2)])
def test_the_grid_grows_where_the_best_lies_on_its_edge(data, ends):
    options = {"grid": "C=2^{}..2^{}".format(*ends), "metrics": "pair_accuracy", "folds": 2, "refit": False}
    with pytest.warns(TuningWarning, match=r"the best C by pair_accuracy, .*, lies on the edge"):
        fixed = tune(data, grow=False, **options)
    assert fixed.choices["pair_accuracy"].on_edge
    assert len(fixed.candidates) == 4
    grown = tune(data, **options)
    assert not grown.choices["pair_accuracy"].on_edge
    assert 2.0**-11 <= grown.choices["pair_accuracy"].best.parameters["C"] <= 2.0**-7
    strengths = sorted(one.parameters["C"] for one in grown.candidates)
    assert len(strengths) > 4
    np.testing.assert_allclose(np.diff(np.log2(strengths)), 1)


def test_growth_ends(data):
    perfect = Dataset.from_arrays(data.label[:, np.newaxis], data.label, data.qid)
    found = tune(perfect, grid="C=2^-1..2^1", metrics="pair_accuracy", folds=2, refit=False)
    assert len(found.candidates) == 3  # all are right: no edge is better than its neighbour


def test_a_search_goes_on_from_its_journal(tmp_path, monkeypatch):
    data, path = small(), tmp_path / "j"
    options = {"grid": "C=2^-3..2^3 scale=none,std", "metrics": "AP nDCG@5", "folds": 3, "refit": False}
    whole = tune(data, EXACT, **options)
    done = 0

    def crash(_):
        nonlocal done
        done += 1
        if done == 17:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune(data, EXACT, journal=path, watch=crash, **options)
    assert len(path.read_text().splitlines()) == 1 + 17
    again = tune(data, EXACT, journal=path, **options)
    assert len(path.read_text().splitlines()) == 1 + len(whole.candidates) * 3
    for one, other in zip(whole.candidates, again.candidates, strict=True):
        assert one.parameters == other.parameters
        assert one.tallies["AP"].value == pytest.approx(other.tallies["AP"].value, abs=1e-3)
    monkeypatch.setattr(RankSVM, "path", None)  # nothing is left to learn
    last = tune(data, replace(EXACT, n_threads=1), journal=path, **options)
    assert [one.tallies for one in last.candidates] == [one.tallies for one in again.candidates]


@pytest.mark.parametrize(
    "change", [{"folds": 2}, {"seed": 1}, {"dialect": "letor4"}, {"metrics": "AP RR"}, "data", "tol"]
)
def test_a_journal_of_another_search_does_not_answer(tmp_path, change):
    data, path = small(), tmp_path / "j"
    options = {"grid": "C=1", "metrics": "AP", "folds": 3, "refit": False, "journal": path}
    tune(data, EXACT, **options)
    before = path.read_text()
    if change == "data":
        tune(small(1), EXACT, **options)
    elif change == "tol":
        tune(data, RankSVM(tol=1e-9), **options)
    else:
        tune(data, EXACT, **{**options, **change})
    assert path.read_text().startswith(before)
    assert len(path.read_text()) > len(before)


def test_parameters_beside_c():
    found = tune(small(), EXACT, {"pairs": ["all", "adjacent"]}, metrics="AP", folds=2)
    assert [one.parameters["pairs"] for one in found.candidates] == ["all", "adjacent"]
    assert found.recipe.C == 0.5
    assert not found.choices["AP"].on_edge


def test_a_warning_is_given_once():
    X, y, qid = random_problem(4, n_rows=200)
    X[:, 2] *= 1e6
    with pytest.warns(TrainingWarning, match="scale") as seen:
        tune(Dataset.from_arrays(X, y, qid), RankSVM(max_iter=2), "C=1,2", metrics="AP", folds=3, grow=False)
    assert sum(issubclass(one.category, TrainingWarning) for one in seen) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folds": 1}, "folds is 1; at least 2"),
        ({"folds": 31}, "31 folds of whole queries need as many queries, but the data has 30"),
        ({"metrics": ""}, "no metric is asked for"),
        ({"metrics": "nDGC@10"}, "did you mean 'nDCG@10'"),
        ({"dialect": "letor5"}, "letor"),
        ({"pick": "simplest"}, "it must be 'best' or 'one_se'"),
        ({"trials": 0}, "trials is 0"),
        ({"learner": "ranksmv"}, "did you mean 'ranksvm'"),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        tune(small(), **{"grid": "C=1", **options})


def test_data_that_cannot_be_measured():
    X, _, qid = random_problem(0, n_rows=60, n_queries=6)
    y = np.zeros(60)
    y[qid == 0] = np.arange((qid == 0).sum())
    with pytest.raises(DataError, match="nothing to rank"):
        tune(Dataset.from_arrays(X, y, qid), grid="C=1", folds=6)
    train, valid = small(), Dataset.from_arrays(X[:, [0] * 8], np.zeros(60), qid)
    with pytest.raises(DataError, match="pair_accuracy cannot be measured"):
        tune(train, grid="C=1", valid=valid)


def test_any_number_of_threads_finds_the_same(data):
    runs = [tune(data, RankSVM(n_threads=n), "C=2^-12..2^2", folds=2).model.weights for n in (1, 3)]
    np.testing.assert_array_equal(*runs)


# Optuna -------------------------------------------------------------------------------------------------------------


def test_trials_are_seeded_and_go_on_from_their_journal(tmp_path):
    pytest.importorskip("optuna")
    options = {"grid": "C=2^-10..2^5 scale=none,std", "metrics": "AP", "folds": 2, "refit": False, "seed": 3}
    path = tmp_path / "j"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = tune(small(), trials=4, journal=path, **options)
        lines = path.read_text().splitlines()
        more = tune(small(), trials=12, journal=path, **options)
    tried = [one.parameters for one in more.candidates]
    assert len(tried) == 12
    assert tried[:4] == [one.parameters for one in first.candidates]
    assert all(2**-10 <= one["C"] <= 2**5 and one["scale"] in (None, "std") for one in tried)
    assert len({one["C"] for one in tried}) == 12
    assert path.read_text().splitlines()[: len(lines)] == lines
    assert len(path.read_text().splitlines()) == 1 + 2 * 12
    best = more.choices["AP"].best.tallies["AP"].value
    assert best == max(one.tallies["AP"].value for one in more.candidates)


def test_without_optuna_it_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def absent(name, *args, **kwargs):
        if name == "optuna":
            raise ImportError("No module named 'optuna'")
        return real(name, *args, **kwargs)

    monkeypatch.delitem(sys.modules, "optuna", raising=False)
    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(ImportError, match=r"pip install 'rankine\[tune\]'"):
        tune(small(), grid="C=2^-1..2^1", trials=3)


# Lee & Lin, Table 3 ---------------------------------------------------------------------------------------------------


@mq2008.needed
@pytest.mark.parametrize(("loss", "by_pairs", "by_ndcg"), [("squared_hinge", 7, 7), ("hinge", 8, -6)])
def test_the_row_of_mq2008_in_table_3(loss, by_pairs, by_ndcg):
    train, valid, test = (mq2008.read(1, part) for part in ("train", "vali", "test"))
    names = ["pair_accuracy", "MeanNDCG"]
    options = {"metrics": names, "dialect": "letor4", "valid": valid, "grow": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TuningWarning)
        found = tune(train, RankSVM(loss=loss, tol=1e-6 if loss == "squared_hinge" else 1e-3), **options)
    assert [one.parameters["C"] for one in found.candidates] == [2.0**k for k in range(-15, 11)]
    # The paper chose these exponents of C. From 2^0 on the curves are flat: what is best there is a matter of three
    # pairs in 14,239, but theirs is as good.
    theirs = found.candidates[by_pairs + 15]
    best = found.choices["pair_accuracy"].best
    assert 2.0**-1 <= best.parameters["C"] <= 2.0**10
    assert theirs.tallies["pair_accuracy"].value >= best.tallies["pair_accuracy"].value - 3e-4
    ndcg = found.choices["MeanNDCG"].best.tallies["MeanNDCG"]
    assert found.candidates[by_ndcg + 15].tallies["MeanNDCG"].value >= ndcg.value - 0.15 * ndcg.error
    # Tables 5 and 6 are for the squared hinge, with our choice by pairwise accuracy and with theirs. So is the hinge.
    for model in (found.model, RankSVM(C=2.0**by_pairs, loss=loss, tol=1e-4, max_iter=500).fit(train)):
        measured = rankine.evaluate(test.label, model.score(test), test.qid, names, dialect="letor4")
        assert measured["pair_accuracy"] == pytest.approx(0.8270, abs=1e-3 if loss == "squared_hinge" else 2e-3)
        assert measured["MeanNDCG"] == pytest.approx(0.4571, abs=5e-3)
