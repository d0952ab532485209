"""Missing values: a learner with indicators is one that was given them by hand, and its model takes gaps alike."""

import dataclasses

import numpy as np
import pandas
import pytest
import scipy.sparse

import rankine
import reference
from problems import random_problem, with_gaps
from rankine.data import DataError, Dataset, Rows
from rankine.model.scorer import Scorer
from rankine.objectives import Pairwise
from rankine.recipes.parameters import ParameterError
from rankine.recipes.ranksvm import RankSVM

NAMES = ["a", "b", "c", "d"]
X, Y, QID = random_problem(0)
HOLED = with_gaps(X, [1, 3])
BY_HAND = reference.with_indicators(HOLED, [1, 3])


def data(X, **more):
    return Dataset.from_arrays(X, Y, QID, missing="keep", **more)


@pytest.mark.parametrize("kind", [np.array, scipy.sparse.csr_array])
@pytest.mark.parametrize("scale", [None, "std", "max"])
@pytest.mark.parametrize("solver", ["newton", "cg"])
def test_indicators_are_columns(tmp_path, kind, scale, solver):
    options = {"scale": scale, "solver": solver, "tol": 1e-8}
    by_hand = RankSVM(**options).fit(data(kind(BY_HAND)))
    model = RankSVM(missing="indicator", **options).fit(data(kind(HOLED), feature_names=NAMES))
    np.testing.assert_array_equal(model.weights, by_hand.weights)
    assert [model.name_of(j) for j in range(6)] == [*NAMES, "b (missing)", "d (missing)"]
    assert (model.n_features, model.data.features, model.feature_names) == (4, 4, tuple(NAMES))
    model.save(tmp_path / "m.json")
    for ranker in (model, rankine.load(tmp_path / "m.json")):
        assert ranker.describe() == model.describe()
        score = ranker.score(data(kind(HOLED)))
        np.testing.assert_allclose(score, BY_HAND @ by_hand.weights, rtol=1e-12, atol=1e-15)
        np.testing.assert_array_equal(ranker.score(kind(HOLED)), score)
        frame = pandas.DataFrame(HOLED, columns=NAMES)[["d", "c", "b", "a"]]
        np.testing.assert_allclose(ranker.score(frame), score, rtol=1e-12, atol=1e-15)
        scorer = Scorer(ranker)
        blocks = [scorer(Rows.of(kind(block))) for block in np.split(HOLED, [1, 2, 20])]
        np.testing.assert_array_equal(np.concatenate(blocks), score)


@pytest.mark.parametrize(("missing", "value"), [("zero", 0), (-1.0, -1), (3, 3)])
def test_a_number_for_what_is_missing(tmp_path, missing, value):
    plain = np.where(HOLED != HOLED, value, HOLED)
    by_hand = RankSVM().fit(data(plain))
    model = RankSVM(missing=missing).fit(data(HOLED))
    model.save(tmp_path / "m.json")
    assert model.missing == {"value": value}
    for ranker in (model, rankine.load(tmp_path / "m.json")):
        np.testing.assert_array_equal(ranker.weights, by_hand.weights)
        np.testing.assert_array_equal(ranker.score(data(HOLED)), by_hand.score(plain))


def test_missing_values_are_an_error_unless_something_else_is_said():
    with pytest.raises(DataError, match=r"27 values missing, first of feature 2; .* missing='indicator' learns"):
        RankSVM().fit(data(HOLED))
    with pytest.raises(DataError, match="27 values missing, first of feature 'b'"):
        Pairwise(data(HOLED, feature_names=NAMES))
    model = RankSVM().fit(data(X, feature_names=NAMES))
    for holed in (data(HOLED, feature_names=NAMES), pandas.DataFrame(HOLED, columns=NAMES)):
        with pytest.raises(DataError, match=r"NaN in feature 'b', but the model was trained without .*'indicator'"):
            model.score(holed)
    with pytest.raises(DataError, match="NaN in feature 2, but"):
        model.score(HOLED)
    with pytest.raises(DataError, match="infinity in row 0, column 0"):
        RankSVM(missing="zero").fit(data(X)).score(np.full((1, 4), np.inf))
    with pytest.raises(ParameterError, match=r"missing is 'indicators'; .* did you mean 'indicator'"):
        RankSVM(missing="indicators")
    with pytest.raises(DataError, match=r"a feature is named 'b \(missing\)'.*rename it"):
        RankSVM(missing="indicator").fit(data(HOLED, feature_names=["a", "b", "b (missing)", "d"]))


def test_gaps_where_there_were_none_are_told():
    model = RankSVM(missing="indicator").fit(data(HOLED, feature_names=NAMES))
    rows = np.array([[np.nan, 1.0, 2.0, 3.0]])
    with pytest.warns(UserWarning, match="X has gaps where the training data had none, which count as 0: feature 'a'"):
        score = model.score(pandas.DataFrame(rows, columns=NAMES))
    np.testing.assert_array_equal(score, model.score(np.nan_to_num(rows)))
    whole = RankSVM(missing="indicator").fit(data(X))
    assert whole.missing == {"value": 0, "indicators": []}
    with pytest.warns(UserWarning, match="count as 0: feature 1"):
        whole.score(rows)


def test_a_start_knows_its_indicators():
    recipe = RankSVM(missing="indicator", tol=1e-6)
    model = recipe.fit(data(HOLED))
    assert recipe.fit(data(HOLED), start=model).outcome.n_iter == 0
    more = recipe.fit(data(with_gaps(X, [0, 3])), start=model)  # other features have gaps now
    assert more.missing["indicators"] == ["1", "4"]
    assert recipe.fit(data(HOLED), start=RankSVM().fit(data(X))).outcome.converged
    changed = dataclasses.replace(recipe, missing="zero").fit(data(HOLED), start=model)
    assert changed.n_features == len(changed.weights) == 4
