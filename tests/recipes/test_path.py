"""Paths of recipes: each model is the one that a single fit learns."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
import scipy.sparse

import rankine
from counting import Counting
from problems import random_problem
from rankine.data import Dataset, synthetic
from rankine.objectives import Pairwise
from rankine.recipes import Recipe
from rankine.recipes.parameters import ParameterError
from rankine.recipes.ranksvm import RankSVM
from rankine.recipes.recipe import PATH
from rankine.solvers import cg, path_by


def data(n_rows=1000, sparse=False, **shape):
    X, y, qid = random_problem(1, n_rows=n_rows, n_queries=n_rows // 10, **shape)
    X *= np.geomspace(0.3, 5, X.shape[1])
    return Dataset.from_arrays(scipy.sparse.csr_array(X) if sparse else X, y, qid)


@pytest.mark.parametrize("solver", ["auto", "newton", "lbfgs", "cg", "tron"])
@pytest.mark.parametrize("options", [{}, {"scale": "std"}, {"pair_weight": "query", "pairs": "adjacent"}])
def test_each_model_is_that_of_a_single_fit(solver, options):
    rows, strengths = data(), [2.0**-15, 1.0, 2.0**10]
    for C, model in zip(strengths, RankSVM(solver=solver, tol=1e-10, **options).path(rows, strengths), strict=True):
        single = RankSVM(C=C, tol=1e-10, **options).fit(rows)
        np.testing.assert_allclose(model.weights, single.weights, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(model.outcome.objective, single.outcome.objective, rtol=1e-12)
        assert model.parameters["C"] == C
        assert model.data == single.data
        assert (model.scaling is None) == (single.scaling is None)
        assert model.outcome.gap <= 1e-9 * model.outcome.objective


@pytest.mark.parametrize("tol", [1e-2, 1e-3])
def test_at_the_same_tolerance_certificates_and_fits_agree(tol):
    rows = synthetic.make("mslr10", scale=0.02)
    for model in rankine.path(rows, PATH[::5], RankSVM(tol=tol)):
        single = RankSVM(C=model.parameters["C"], tol=tol).fit(rows)
        a, b = model.outcome, single.outcome
        assert a.converged
        assert a.objective - a.gap <= b.objective
        assert b.objective - b.gap <= a.objective


def test_values_go_from_small_to_large_and_default_to_those_of_the_paper():
    models = rankine.path(data(200), [100, 0.01, 1])
    assert [model.parameters["C"] for model in models] == [0.01, 1.0, 100.0]
    assert [model.parameters["C"] for model in rankine.path(data(200))] == [2.0**k for k in range(-15, 11)]


def test_sparse_rows_and_many_features():
    rows = data(300, sparse=True, n_features=1200)
    for model in rankine.path(rows, [0.01, 1.0], RankSVM(tol=1e-8)):
        assert model.outcome.solver == "cg"
        single = RankSVM(C=model.parameters["C"], tol=1e-8).fit(rows)
        np.testing.assert_allclose(model.weights, single.weights, rtol=1e-3, atol=1e-6)


def test_warm_starts_save_passes_where_features_are_many():
    loss = Pairwise(synthetic.make("rcv1", scale=0.002))
    strengths = [2.0**k for k in range(-15, -4)]
    passes = []
    for parts in ([strengths], [[C] for C in strengths]):
        F = Counting(loss)
        for part in parts:
            assert all(solution.converged for solution in path_by(cg, F, part))
        passes.append(F.passes)
    assert passes[0] < passes[1]


def test_any_number_of_threads_gives_the_same_bits():
    rows = synthetic.make("mslr10", scale=0.05)
    paths = [[model.weights for model in RankSVM(n_threads=n).path(rows, PATH[::4])] for n in (1, 2, 3)]
    for other in paths[1:]:
        assert all((a == b).all() for a, b in zip(paths[0], other, strict=True))


def test_a_start():
    rows = data(300)
    first = RankSVM(C=8.0, tol=1e-9, scale="std").fit(rows)
    (again,) = RankSVM(tol=1e-8, scale="std").path(rows, [8.0], start=first)
    assert again.outcome.n_iter <= 1
    np.testing.assert_allclose(again.weights, first.weights, rtol=1e-6)


@dataclass(frozen=True)
class WithoutC(Recipe):
    """A learner that has no C."""

    name: ClassVar[str] = "without"
    rate: float = 1.0

    def fit(self, data, watch=None, *, start=None):
        raise NotImplementedError


@dataclass(frozen=True)
class Slow(Recipe):
    """A learner with C and nothing else."""

    name: ClassVar[str] = "slow"
    C: float = 1.0

    def fit(self, data, watch=None, *, start=None):
        return RankSVM(C=self.C, tol=1e-9).fit(data, watch, start=start)


def test_any_learner_with_c_has_a_path():
    rows = data(200)
    models = rankine.path(rows, [0.1, 1.0], Slow())
    np.testing.assert_allclose(models[1].weights, RankSVM(tol=1e-9).fit(rows).weights, rtol=1e-6)
    with pytest.raises(ParameterError, match="'without' has no parameter C"):
        rankine.path(rows, [1.0], WithoutC())


@pytest.mark.parametrize("wrong", [0, -1.0, float("nan"), "1", True, None])
def test_wrong_values_are_named(wrong):
    with pytest.raises(ParameterError, match="C is "):
        rankine.path(data(50), [1.0, wrong])
