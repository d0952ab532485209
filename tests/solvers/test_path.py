"""Paths over C: every point is the minimum that a single fit finds, certified, in a pass or two."""

import numpy as np
import pytest

import reference
from counting import Counting
from problems import random_problem
from rankine.data import Dataset, synthetic
from rankine.objectives import L2, LOSSES, Pairwise, Rescaled, Sum, sampled
from rankine.solvers import cg, newton, path, path_by, tron

GRID = [2.0**k for k in range(-15, 11)]


def loss_of(seed=3, name="squared_hinge", **shape):
    X, y, qid = random_problem(seed, **shape)
    return Pairwise(Dataset.from_arrays(X, y, qid), name), X, reference.pair_weights(y, qid)


def penalised(loss, C):
    return Sum([L2(loss.n_features, 1.0 / C), loss])


PATHS = {
    "path": path,
    "sample": lambda loss, *args, **options: path(
        loss, *args, sample=sampled(loss, loss.data.n_rows // 4) or loss, share=0.25, **options
    ),
    "cg": lambda *args, **options: path_by(cg, *args, **options),
    "tron": lambda *args, **options: path_by(tron, *args, **options),
}
every_path = pytest.mark.parametrize("along", PATHS.values(), ids=PATHS)


@every_path
@pytest.mark.parametrize("name", sorted(set(LOSSES) - {"hinge"}))
def test_every_point_is_the_optimum(along, name):
    loss, X, weights = loss_of(name=name)
    strengths = [2.0**-15, 1.0, 2.0**10]
    for C, solution in zip(strengths, along(loss, strengths, tol=1e-12, max_iter=1000), strict=True):
        w, best = reference.ranksvm_optimum(X, weights, C, name)
        assert solution.value <= best * (1 + 1e-10)
        np.testing.assert_allclose(solution.coef, w, rtol=1e-5, atol=1e-6 * np.abs(w).max())


@every_path
@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-6])
def test_every_point_is_certified_and_keeps_the_rule_of_liblinear(along, tol):
    loss, *_ = loss_of(5, n_rows=200, n_queries=20)
    for C, solution in zip(GRID, along(loss, GRID, tol=tol), strict=True):
        F = penalised(loss, C)
        exact = C * newton(F, tol=1e-13).value
        assert -1e-12 * exact <= solution.value - exact <= solution.gap + 1e-12 * exact
        assert solution.converged
        first = np.linalg.norm(F.at(np.zeros(4)).gradient)
        assert np.linalg.norm(F.at(solution.coef).gradient) <= tol * first


def test_neighbours_differ_even_where_one_would_do_for_both():
    loss, *_ = loss_of()
    found = list(path(loss, [2.0**-10, 2.0**-9, 2.0**-8], tol=0.9))
    assert len({solution.coef.tobytes() for solution in found}) == 3


def test_no_pass_is_made_for_a_point_that_hardly_differs():
    loss, *_ = loss_of()
    F = Counting(loss)
    walk = path(F, [1.0, 1.0001, 1.0002], tol=1e-3)
    next(walk)
    F.counts.clear()
    assert all(solution.converged for solution in walk)
    assert not F.counts


@every_path
def test_a_start_is_gone_on_from(along):
    loss, *_ = loss_of(6, n_rows=200)
    (there,) = along(loss, [8.0], tol=1e-10)
    (again,) = along(loss, [8.0], there.coef, tol=1e-8)
    assert again.converged
    np.testing.assert_allclose(again.coef, there.coef, rtol=1e-6)
    assert again.n_iter <= 1


@every_path
def test_the_watch_is_told_of_the_objective_and_may_stop(along):
    loss, *_ = loss_of(8, n_rows=100)
    seen = []
    (solution,) = along(loss, [64.0], tol=1e-10, watch=seen.append)
    assert (seen[-1].value, seen[-1].gap) == (solution.value, solution.gap)
    stopped = list(along(loss, [1.0, 64.0], tol=1e-12, watch=lambda p: p.n_iter >= 1))
    assert [s.n_iter for s in stopped] == [1, 1]


def test_a_sample_that_is_unlike_the_rest_only_costs_time():
    loss, X, weights = loss_of(2, n_rows=200, n_features=6, n_queries=10)
    wrong = Rescaled(loss, np.array([100.0, 1e-2, 30.0, 1e-3, 1.0, 10.0]))
    solutions = list(path(loss, GRID, sample=wrong, share=0.1, tol=1e-9))
    assert all(solution.converged for solution in solutions)
    assert "path, newton" in {solution.solver for solution in solutions}
    w, _ = reference.ranksvm_optimum(X, weights, GRID[-1])
    np.testing.assert_allclose(solutions[-1].coef, w, rtol=1e-4, atol=1e-5 * np.abs(w).max())


def test_a_tolerance_of_nothing_ends_at_rounding():
    loss, *_ = loss_of(8)
    for solution in path(loss, [0.01, 1.0, 100.0], tol=0.0):
        assert solution.gap <= 1e-18 * solution.value
        assert solution.message


def test_overflow_is_an_error():
    data = Dataset.from_arrays([[1e200, 0.0], [-1e200, 1.0]] * 8, [1, 0] * 8, np.repeat(np.arange(8), 2))
    with pytest.raises(OverflowError, match="scale the features"):
        list(path(Pairwise(data), [1e300]))


@pytest.mark.parametrize(("shape", "scale"), [("mslr10", 0.1), ("mqlist", 0.02)])
def test_the_paths_of_the_paper_take_less_than_two_passes_a_point(shape, scale):
    data = synthetic.make(shape, scale=scale)
    loss = Pairwise(data)
    F = Counting(loss)
    assert all(solution.converged for solution in path(F, GRID, single=True))
    assert F.counts["at"] <= 40
    assert F.counts["hessian"] <= 2
    assert set(F.counts) == {"at", "hessian"}


def test_a_sample_saves_the_hessians_of_all_queries():
    loss = Pairwise(synthetic.make("mslr10", scale=0.1))
    F = Counting(loss)
    assert all(solution.solver == "path" for solution in path(F, GRID, sample=sampled(loss, 4500), share=0.2))
    assert F.counts["at"] <= 48
    assert set(F.counts) == {"at"}
