"""RankSVM as a recipe: optimum, weights, scaling, starts, messages, determinism, and the published figures."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse

import mq2008
import reference
from problems import random_problem, storages
from rankine.data import DataError, Dataset
from rankine.recipes import RECIPES, TrainingWarning, recipe_named
from rankine.recipes.parameters import ParameterError
from rankine.recipes.ranksvm import RankSVM


@pytest.mark.parametrize("storage", ["dense64", "dense32", "sparse64", "sparse32"])
@pytest.mark.parametrize("C", [2.0**-15, 1.0, 2.0**10])
def test_finds_the_optimum(storage, C):
    X, y, qid = random_problem(2)
    X, stored = storages(X)
    w, best = reference.ranksvm_optimum(X, reference.pair_weights(y, qid), C)
    model = RankSVM(C=C, tol=1e-11).fit(Dataset.from_arrays(stored[storage], y, qid))
    assert model.outcome.objective <= best * (1 + 1e-10)
    np.testing.assert_allclose(model.weights, w, rtol=1e-5, atol=1e-6 * np.abs(w).max())


@pytest.mark.parametrize("storage", ["dense64", "sparse32"])
@pytest.mark.parametrize("C", [2.0**-10, 1.0])
@pytest.mark.parametrize("solver", ["auto", "cutting_plane"])
def test_the_hinge_finds_the_optimum(storage, C, solver):
    X, y, qid = random_problem(2)
    X, stored = storages(X)
    weights = reference.pair_weights(y, qid, pair_weight="gain")
    _, best = reference.hinge_optimum(X, weights, C)
    data = Dataset.from_arrays(stored[storage], y, qid)
    model = RankSVM(C=C, loss="hinge", pair_weight="gain", solver=solver, tol=1e-6, max_iter=1000).fit(data)
    assert model.outcome.solver == ("smoothing" if solver == "auto" else solver)
    assert model.outcome.gap <= 1e-6 * model.outcome.objective
    np.testing.assert_allclose(model.outcome.objective, best, rtol=2e-6)


@pytest.mark.parametrize("loss", ["modified_huber", "logistic"])
@pytest.mark.parametrize("solver", ["auto", "newton", "cg", "tron", "lbfgs"])
def test_other_losses_find_the_optimum(loss, solver):
    X, y, qid = random_problem(2)
    w, _ = reference.ranksvm_optimum(X, reference.pair_weights(y, qid), 2.0, loss)
    model = RankSVM(C=2.0, loss=loss, solver=solver, tol=1e-10).fit(Dataset.from_arrays(X, y, qid))
    np.testing.assert_allclose(model.weights, w, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("loss", "solver"), [("hinge", "newton"), ("logistic", "smoothing")])
def test_a_solver_that_does_not_suit_the_loss_is_an_error(loss, solver):
    with pytest.raises(ParameterError, match=f"solver is '{solver}'; with loss '{loss}' it must be 'auto' or one of"):
        RankSVM(loss=loss, solver=solver).fit(Dataset.from_arrays([[1.0], [2.0]], [0, 1]))


@pytest.mark.parametrize("pair_weight", ["uniform", "query"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("convention", ["pairs", "svm_rank", "treeranksvm", "mean"])
def test_a_number_from_another_program_gives_its_model(convention, loss, pair_weight):
    X, y, qid = random_problem(5, n_queries=6)
    y[qid == 3] = 1.0  # a query without pairs: svm_rank counts it
    weights = reference.pair_weights(y, qid, pair_weight=pair_weight)
    n_pairs = sum(weights.values())
    # Each program's own problem: half the square of w, or λ times that, and the sum or mean of its losses.
    C = {
        "pairs": 0.3,  # ½‖w‖² + 0.3 Σ loss
        "svm_rank": 0.3 / 6,  # ½‖w‖² + 0.3 · mean over queries of Σ loss
        "treeranksvm": 1 / (0.3 * n_pairs),  # ½ · 0.3 ‖w‖² + mean over pairs of loss
        "mean": 0.3 / n_pairs,  # ½‖w‖² + 0.3 · mean over pairs of loss
    }[convention]
    optimum = reference.hinge_optimum if loss == "hinge" else reference.ranksvm_optimum
    w, best = optimum(X, weights, C)
    data = Dataset.from_arrays(X, y, qid)
    model = RankSVM(C=0.3, C_convention=convention, loss=loss, pair_weight=pair_weight, tol=1e-8, max_iter=500).fit(
        data
    )
    np.testing.assert_allclose(model.outcome.objective, best, rtol=1e-7)
    np.testing.assert_allclose(model.weights, w, atol=1e-3 * np.abs(w).max())


def test_a_convention_that_leaves_no_weight_is_an_error():
    with pytest.raises(
        ParameterError, match=r"C is 1e-310; by the convention of 'treeranksvm' the pairs would weigh inf"
    ):
        RankSVM(C=1e-310, C_convention="treeranksvm").fit(Dataset.from_arrays([[1.0], [2.0]], [0, 1]))


@pytest.mark.parametrize("scale", ["max", "std", "minmax"])
@pytest.mark.parametrize("sparse", [False, True])
def test_scaling_equals_learning_on_scaled_features(scale, sparse):
    X, y, qid = random_problem(4)
    X = np.abs(X) * [1, 1000, 0.01, 1]
    size = {"max": np.abs(X).max(0), "std": X.std(0), "minmax": np.ptp(X, 0)}[scale]
    stored = storages(X)[1]["sparse64"] if sparse else X
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scaled = RankSVM(scale=scale, tol=1e-12).fit(Dataset.from_arrays(stored, y, qid))
    plain = RankSVM(tol=1e-12).fit(Dataset.from_arrays(X / size, y, qid))
    np.testing.assert_allclose(scaled.weights * size, plain.weights, rtol=1e-5, atol=1e-7)
    assert scaled.scaling.kind == scale
    np.testing.assert_allclose(scaled.scaling.factor, 1 / size, rtol=1e-6)


SOLVERS = ["newton", "lbfgs", "cg", "tron"]


@pytest.mark.parametrize("options", [{}, {"pair_weight": "query"}, {"pairs": "adjacent"}, {"row_weight": "winner"}])
@pytest.mark.parametrize("scale", [None, "std"])
@pytest.mark.parametrize("C", [2.0**-15, 1.0, 2.0**20])
def test_all_solvers_find_the_same_model(options, scale, C):
    X, y, qid = random_problem(1, n_rows=1000, n_queries=100)
    rng = np.random.default_rng(0)
    weights = {"sample_weight": rng.random(1000), "query_weight": rng.random(100)}
    data = Dataset.from_arrays(X * [1, 5, 0.3, 1], y, qid, **weights)
    models = [RankSVM(C=C, solver=s, scale=scale, tol=1e-10, **options).fit(data) for s in SOLVERS]
    assert [m.outcome.solver.split(",")[0] for m in models] == SOLVERS
    for model in models:
        assert model.outcome.converged
        np.testing.assert_allclose(model.outcome.objective, models[0].outcome.objective, rtol=1e-12)
        np.testing.assert_allclose(model.weights, models[0].weights, rtol=1e-6, atol=1e-9)


def test_auto_picks_by_size_and_says_which():
    def picked(n_rows, n_features, n_queries, *, sparse=False):
        X, y, qid = random_problem(0, n_rows=n_rows, n_features=n_features, n_queries=n_queries)
        stored = storages(X)[1]["sparse64" if sparse else "dense64"]
        return RankSVM(max_iter=1).fit(Dataset.from_arrays(stored, y, qid)).outcome.solver.split(",")[0]

    assert picked(500, 4, 10) == "newton"
    assert picked(20_000, 40, 400) == "lbfgs"
    assert picked(20_000, 40, 1) == "newton"
    assert picked(400, 300, 10) == "cg"
    assert picked(400, 1500, 10, sparse=True) == "cg"


def test_one_query_cannot_be_sampled():
    X, y, _ = random_problem(0)
    assert RankSVM(solver="lbfgs").fit(Dataset.from_arrays(X, y)).outcome.solver == "newton"


@pytest.mark.parametrize("solver", SOLVERS)
def test_no_solver_depends_on_threads(solver):
    X, y, qid = random_problem(6, n_rows=4000, n_features=10, n_queries=100)
    data = Dataset.from_arrays(X, y, qid)
    models = [RankSVM(solver=solver, n_threads=n, C=5).fit(data).weights for n in (1, 2, 3, None, None)]
    assert all((w == models[0]).all() for w in models)


@pytest.mark.parametrize(
    "options", [{"loss": "hinge"}, {"loss": "hinge", "solver": "cutting_plane"}, {"loss": "logistic"}]
)
def test_no_loss_depends_on_threads(options):
    X, y, qid = random_problem(6, n_rows=4000, n_features=40, n_queries=100)
    data = Dataset.from_arrays(X, y, qid)
    models = [RankSVM(n_threads=n, C=0.1, **options).fit(data).weights for n in (1, 2, 3, None)]
    assert all((w == models[0]).all() for w in models)


def test_no_solver_depends_on_the_threads_of_blas():
    code = """
import numpy as np
from rankine.data import synthetic
from rankine.recipes.ranksvm import RankSVM
data = synthetic.make("mslr10", scale=0.02)
for solver, most in (("cg", 100), ("newton", 2)):
    print(RankSVM(solver=solver, max_iter=most).fit(data).weights.tobytes().hex())
"""
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
    said = []
    for n in ("1", "4"):
        env = os.environ | dict.fromkeys(names, n)
        done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
        said.append(done.stdout)
    assert len(said[0]) > 1000
    assert said[0] == said[1]


def test_wild_scales_get_a_warning_that_names_the_columns():
    X, y, qid = random_problem(4)
    X[:, 2] *= 1e6
    data = Dataset.from_arrays(X, y, qid, feature_names=["a", "b", "clicks", "d"])
    with pytest.warns(TrainingWarning, match=r"clicks.*scale"):
        RankSVM(max_iter=2).fit(data)


def test_a_start_from_an_earlier_model():
    X, y, qid = random_problem(5, n_rows=200)
    data = Dataset.from_arrays(X, y, qid, feature_names=list("abcd"))
    first = RankSVM(tol=1e-9).fit(data)
    again = RankSVM(tol=1e-9).fit(data, start=first)
    assert again.outcome.n_iter == 0
    swapped = Dataset.from_arrays(X[:, ::-1], y, qid, feature_names=list("dcba"))
    assert RankSVM(tol=1e-8).fit(swapped, start=first).outcome.n_iter == 0
    scaled = RankSVM(tol=1e-9, scale="std").fit(data)
    assert RankSVM(tol=1e-8, scale="std").fit(data, start=scaled).outcome.n_iter == 0


def test_any_thread_count_and_any_run_give_the_same_model():
    X, y, qid = random_problem(6, n_rows=5000, n_queries=100)
    data = Dataset.from_arrays(X, y, qid)
    models = [RankSVM(n_threads=n).fit(data).weights for n in (1, 2, 5, None, None)]
    assert all((w == models[0]).all() for w in models)


@pytest.mark.parametrize(
    ("X", "y", "qid", "weight", "message"),
    [
        (np.zeros((0, 2)), [], [], None, "n_samples = 0"),
        (np.zeros((1, 2)), [1], [1], None, "n_samples = 1"),
        (np.ones((3, 2)), [1, 1, 1], [1, 1, 1], None, "all labels are 1"),
        (np.ones((3, 2)), [1, 2, 3], [1, 2, 3], None, "differ between queries only"),
        (np.ones((2, 2)), [1, 2], [1, 1], [0, 1], "weight zero"),
    ],
)
def test_nothing_to_rank(X, y, qid, weight, message):
    with pytest.raises(DataError, match=f"nothing to rank.*{message}"):
        RankSVM().fit(Dataset.from_arrays(X, y, qid, sample_weight=weight))


def test_no_features_is_an_error():
    with pytest.raises(DataError, match="feature"):
        RankSVM().fit(Dataset.from_arrays(np.zeros((2, 0)), [0, 1]))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0}, "C is 0; it must be a number above 0"),
        ({"C": float("nan")}, "C is nan"),
        ({"C": "1"}, "C is '1'"),
        ({"C": True}, "C is True"),
        ({"tol": -1e-3}, "tol is -0.001; it must be a number at least 0"),
        ({"max_iter": 2.5}, "max_iter is 2.5; it must be a whole number"),
        ({"n_threads": 0}, "n_threads is 0; it must be a whole number at least 1 or None"),
        ({"pairs": "adjacnt"}, "did you mean 'adjacent'"),
        ({"solver": "lbfsg"}, "did you mean 'lbfgs'"),
        ({"scale": "zscore"}, "it must be 'max' or 'std' or 'minmax' or None"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ParameterError, match=message):
        RankSVM(**parameters)


def test_learners_are_found_by_name():
    assert recipe_named("ranksvm") is RankSVM
    assert all(recipe_named(name).name == name for name in RECIPES)
    with pytest.raises(ValueError, match="did you mean 'ranksvm'"):
        recipe_named("rank-svm")


@mq2008.needed
def test_published_figures_on_mq2008():
    train, test = (mq2008.read(1, part) for part in ("train", "test"))
    model = RankSVM(C=2**7).fit(train)
    from rankine.metrics import evaluate

    found = evaluate(test.label, model.score(test), test.qid, ["pair_accuracy", "MeanNDCG"], dialect="letor4")
    assert found["pair_accuracy"] == pytest.approx(0.8270, abs=1e-3)
    assert found["MeanNDCG"] == pytest.approx(0.4571, abs=5e-3)


@mq2008.needed
@pytest.mark.parametrize("exponent", [-15, 0, 10])
def test_the_true_optimum_on_mq2008(exponent):
    data = mq2008.read(1, "train")
    model = RankSVM(C=2.0**exponent, tol=1e-10).fit(data)
    assert model.outcome.gap <= 1e-9 * model.outcome.objective


def test_sparse_rows_that_are_hardly_sparse_are_learned_from_as_dense_ones():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 6)) * (rng.random((300, 6)) < 0.4)
    y, qid = rng.integers(0, 4, 300), np.repeat(np.arange(10), 30)
    dense, sparse = (RankSVM(C=2).fit(Dataset.from_arrays(x, y, qid)) for x in (X, scipy.sparse.csr_array(X)))
    np.testing.assert_array_equal(dense.weights, sparse.weights)
    thin = Dataset.from_arrays(scipy.sparse.csr_array(X * (rng.random(X.shape) < 0.5)), y, qid)
    assert thin.suited() is thin
