"""Constraints, a prior and penalty factors: by feature, for raw weights, exact, and kept in the model file."""

import numpy as np
import pytest

import rankine
import reference
from problems import random_problem, storages
from rankine.data import DataError, Dataset
from rankine.model import Model
from rankine.recipes import TrainingWarning
from rankine.recipes.parameters import ParameterError
from rankine.recipes.ranksvm import RankSVM

NAMES = ["price", "bm25", "ctr", "legacy", "age"]


def named(seed=0, scales=1.0, names=NAMES, **shape):
    X, y, qid = random_problem(seed, n_features=5, **shape)
    return Dataset.from_arrays(X * scales, y, qid, feature_names=names)


def test_signs_bounds_and_fixed_weights_at_the_optimum():
    X, y, qid = random_problem(0, n_features=5)
    X, stored = storages(X)
    wishes = {"price": "-", "bm25": "+", "ctr": (0.01, None), "legacy": 0.3, "age": (None, -0.02)}
    lower, upper = [-np.inf, 0, 0.01, 0.3, -np.inf], [0, np.inf, np.inf, 0.3, -0.02]
    w, best = reference.ranksvm_optimum(X, reference.pair_weights(y, qid), 0.5, lower=lower, upper=upper)
    for storage, solver in (("dense32", "auto"), ("sparse64", "newton"), ("sparse32", "cg")):
        data = Dataset.from_arrays(stored[storage], y, qid, feature_names=NAMES)
        model = RankSVM(C=0.5, tol=1e-11, constraints=wishes, solver=solver).fit(data)
        assert model.outcome.objective <= best * (1 + 1e-10)
        np.testing.assert_allclose(model.weights, w, rtol=1e-6, atol=1e-9)
        assert (model.weights[w == lower] == np.array(lower)[w == lower]).all()
        assert model.weights[3] == 0.3


@pytest.mark.parametrize("scale", ["max", "std", "minmax"])
def test_constraints_and_the_prior_hold_for_raw_weights(scale):
    scales = [3.0, 700.0, 0.03, 1.0, 5.0]
    data = named(4, scales)
    prior = Model(np.array([0.1, -0.002, 3.0, 0.2, 0.0]), tuple(NAMES))
    wishes = {"price": (0.07, 0.11), "ctr": (None, 1.7), "legacy": 0.3, "age": 1e-3}
    model = RankSVM(scale=scale, tol=1e-12, constraints=wishes, prior=prior).fit(data)

    size = 1 / model.scaling.factor
    X, y, qid = data.X, data.label, data.qid
    bounds = {
        "lower": np.array([0.07, -np.inf, -np.inf, 0.3, 1e-3]) * size,
        "upper": np.array([0.11, np.inf, 1.7, 0.3, 1e-3]) * size,
    }
    weights = reference.pair_weights(y, qid)
    v, best = reference.ranksvm_optimum(X / size, weights, 1.0, centre=prior.weights * size, **bounds)
    assert model.outcome.objective == pytest.approx(best, rel=1e-9)
    np.testing.assert_allclose(model.weights * size, v, rtol=1e-5, atol=1e-7)
    assert model.weights[3] == 0.3  # to the last bit, scaling or not
    assert model.weights[4] == 1e-3
    assert 0.07 <= model.weights[0] <= 0.11
    assert model.weights[2] <= 1.7


def test_features_without_names_have_numbers_from_one():
    X, y, qid = random_problem(0, n_features=5)
    data = Dataset.from_arrays(X, y, qid)
    model = RankSVM(constraints={2: 0.5, "4": -0.5}).fit(data)
    assert model.weights[[1, 3]].tolist() == [0.5, -0.5]
    assert [model.name_of(j) for j in (1, 3)] == ["2", "4"]
    one = Dataset.from_arrays(X, y, qid, feature_names=list("54321"))
    assert RankSVM(constraints={2: 0.5}).fit(one).weights[3] == 0.5  # names go before numbers


@pytest.mark.parametrize("options", [{}, {"scale": "std"}, {"solver": "cg"}, {"solver": "lbfgs"}, {"solver": "tron"}])
def test_a_prior_is_where_small_C_stays_and_large_C_leaves(options):
    data = named(1, n_rows=400, n_queries=40)
    prior = Model(np.array([1.0, -2.0, 0.5, 0.0, 3.0]), tuple(NAMES))
    near = RankSVM(C=1e-9, prior=prior, tol=1e-9, **options).fit(data)
    np.testing.assert_allclose(near.weights, prior.weights, atol=1e-4)
    far, free = (RankSVM(C=1e4, prior=p, tol=1e-12, **options).fit(data) for p in (prior, None))
    np.testing.assert_allclose(far.weights, free.weights, rtol=1e-4, atol=1e-5)
    assert "at the prior" in near.outcome.message


def test_a_prior_is_matched_by_names():
    data = named(1)
    prior = Model(np.array([3.0, 1.0, 2.0]), ("age", "price", "bm25"))
    weights = RankSVM(C=1e-9, prior=prior).fit(data).weights
    np.testing.assert_allclose(weights, [1.0, 2.0, 0.0, 0.0, 3.0], atol=1e-4)
    older = Model(np.array([3.0, 1.0, 2.0]), ("age", "gone", "lost"))
    with pytest.warns(TrainingWarning, match="the data lacks 'gone', 'lost', which the prior has weights for"):
        weights = RankSVM(C=1e-9, prior=older).fit(data).weights
    np.testing.assert_allclose(weights, [0.0, 0.0, 0.0, 0.0, 3.0], atol=1e-4)
    with pytest.raises(DataError, match="none of the features of the data; its first is 'x'"):
        RankSVM(prior=Model(np.ones(1), ("x",))).fit(data)
    with pytest.raises(DataError, match="the prior has 4 features, but the data has 5"):
        RankSVM(prior=Model(np.ones(4))).fit(data)
    np.testing.assert_allclose(RankSVM(C=1e-9, prior=Model(np.ones(5))).fit(data).weights, np.ones(5), atol=1e-4)


@pytest.mark.parametrize("options", [{}, {"scale": "std"}, {"constraints": {"age": "+"}}])
def test_penalty_factors_are_an_objective_of_their_own(options):
    data = named(2, n_rows=100)
    model = RankSVM(penalty_factors={"price": 1e9, "ctr": 1e-6}, tol=1e-10, **options).fit(data)
    plain = RankSVM(tol=1e-10, **options).fit(data)
    fixed = RankSVM(tol=1e-10, **(options | {"constraints": {"price": 0, **options.get("constraints", {})}})).fit(data)
    assert abs(model.weights[0]) < 1e-6 < abs(plain.weights[0])
    np.testing.assert_allclose(model.weights, fixed.weights, rtol=1e-2, atol=1e-4)
    ones = RankSVM(tol=1e-10, penalty_factors={"age": 1.0}, **options).fit(data)
    np.testing.assert_array_equal(ones.weights, plain.weights)


def test_a_start_outside_of_the_box_is_projected():
    data = named(3)
    recipe = RankSVM(constraints={"price": "+", "age": (-0.1, 0.1)}, tol=1e-10)
    cold = recipe.fit(data)
    start = Model(np.array([-50.0, 1.0, 1.0, 1.0, 99.0]), tuple(NAMES))
    np.testing.assert_allclose(recipe.fit(data, start=start).weights, cold.weights, rtol=1e-6, atol=1e-9)
    assert recipe.fit(data, start=cold).outcome.n_iter == 0


def test_what_is_not_constrained_is_what_it_was():
    data = named(3)
    plain = RankSVM().fit(data)
    for nothing in ({}, {"price": (None, None)}, {"price": (-np.inf, np.inf)}):
        model = RankSVM(constraints=nothing, penalty_factors={}).fit(data)
        np.testing.assert_array_equal(model.weights, plain.weights)
        assert model.outcome.message == plain.outcome.message


def test_auto_picks_a_solver_that_knows_boxes():
    X, y, qid = random_problem(0, n_rows=20_000, n_features=40, n_queries=400)
    data = Dataset.from_arrays(X, y, qid)
    assert RankSVM(max_iter=1).fit(data).outcome.solver.startswith("lbfgs")
    assert RankSVM(max_iter=1, constraints={1: "+"}).fit(data).outcome.solver == "newton"
    for solver in ("lbfgs", "tron"):
        with pytest.raises(
            ParameterError,
            match=f"solver is '{solver}'; with .* and constraints it must be 'auto' or one of 'newton', 'cg'",
        ):
            RankSVM(constraints={1: "+"}, solver=solver).fit(data)


@pytest.mark.parametrize("n_threads", [2, 5])
def test_no_bit_depends_on_threads(n_threads):
    X, y, qid = random_problem(6, n_rows=4000, n_features=10, n_queries=100)
    data = Dataset.from_arrays(X, y, qid)
    for solver in ("newton", "cg"):
        recipe = {"solver": solver, "constraints": dict.fromkeys(range(1, 11), "+"), "C": 5}
        one, many = (RankSVM(n_threads=n, **recipe).fit(data).weights for n in (1, n_threads))
        np.testing.assert_array_equal(one, many)


def test_the_model_file_keeps_what_was_asked_for(tmp_path):
    data = named(5)
    prior = RankSVM().fit(data)
    prior.save(tmp_path / "prior.json")
    wishes = {"price": "-", "ctr": (np.float64(0), np.inf), "age": (None, np.int64(3)), "legacy": 0}
    for given, kept in ((tmp_path / "prior.json", str(tmp_path / "prior.json")), (prior, f"model {prior.fingerprint}")):
        model = RankSVM(constraints=wishes, prior=given, penalty_factors={"age": 2}).fit(data)
        model.save(tmp_path / "m.json")
        loaded = rankine.load(tmp_path / "m.json")
        assert loaded.parameters == model.parameters
        assert loaded.parameters["constraints"] == {"price": "-", "ctr": [0.0, None], "age": [None, 3], "legacy": 0}
        assert loaded.parameters["prior"] == kept
        assert loaded.parameters["penalty_factors"] == {"age": 2}
    other = Model(prior.weights, tuple("abcde"))
    assert len({prior.fingerprint, other.fingerprint, Model(prior.weights).fingerprint}) == 3
    assert rankine.load(tmp_path / "prior.json").fingerprint == prior.fingerprint


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"constraints": ["price"]}, r"constraints is \['price'\]; it must be a mapping from features or None"),
        (
            {"constraints": {"price": "~"}},
            r"constraints\['price'\] is '~'; it must be '\+' or '-' or a number or a pair",
        ),
        ({"constraints": {"price": (2, 1)}}, r"is \(2, 1\); it must be .* a pair \(low, high\) in order"),
        ({"constraints": {"price": (0, 1, 2)}}, "a pair"),
        ({"constraints": {"price": (np.inf, np.inf)}}, "a pair"),
        ({"constraints": {"price": (np.nan, 1)}}, "a pair"),
        ({"constraints": {"price": np.nan}}, "is nan"),
        ({"constraints": {"price": True}}, "is True"),
        ({"constraints": {"price": None}}, "is None"),
        ({"constraints": {1.5: "+"}}, "the key 1.5; it must be a feature's name, or its number from 1"),
        ({"penalty_factors": {"price": 0}}, r"penalty_factors\['price'\] is 0; it must be a number above 0"),
        ({"penalty_factors": {"price": "2"}}, "is '2'"),
        ({"penalty_factors": {"price": np.inf}}, "is inf"),
        ({"prior": 3}, "prior is 3; it must be a Model or a path or None"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ParameterError, match=message):
        RankSVM(**parameters)


@pytest.mark.parametrize(
    ("parameters", "names", "message"),
    [
        ({"constraints": {"prize": "-"}}, NAMES, "constraints names the feature 'prize', .* did you mean 'price'"),
        ({"constraints": {1: "-"}}, NAMES, "names the feature 1, but the data has none of this name; .* 'price'"),
        ({"penalty_factors": {"zzz": 2}}, NAMES, "penalty_factors names the feature 'zzz'"),
        ({"constraints": {"price": "-"}}, None, "the features have no names, only numbers from 1 to 5"),
        ({"constraints": {0: "-"}}, None, "only numbers from 1 to 5"),
        ({"constraints": {-1: "-"}}, None, "only numbers from 1 to 5"),
        ({"constraints": {"6": "-"}}, None, "only numbers from 1 to 5"),
        ({"constraints": {1: "-", "01": "+"}}, None, "names one feature twice: 1 and '01'"),
    ],
)
def test_features_that_are_not_there_are_named(parameters, names, message):
    with pytest.raises(ParameterError, match=message):
        RankSVM(**parameters).fit(named(names=names))


def test_bounds_beyond_all_reason_are_sentences():
    data = named(0)
    with pytest.raises(OverflowError, match="scale the features"):
        RankSVM(constraints={"price": 1e300, "age": -1e300}).fit(data)
