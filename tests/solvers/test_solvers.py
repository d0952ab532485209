"""All solvers: reach the optimum, certify it, stop as they say, and tell their watch."""

import itertools

import numpy as np
import pytest

import reference
from counting import Counting
from problems import random_problem
from rankine.data import Dataset, synthetic
from rankine.objectives import L2, LOSSES, Pairwise, Rescaled, Sum, sampled
from rankine.solvers import cg, lbfgs, newton, tron


def by_lbfgs(F, start=None, **options):
    """L-BFGS with a sample of its own: a few queries, or half of the rows' weight where there is one query."""
    loss, penalty = F.parts
    inner = loss.inner if isinstance(loss, Rescaled) else loss
    few = sampled(inner, inner.data.n_rows // 4) or Pairwise(inner.data, inner.loss, C=0.5 * inner.C)
    if isinstance(loss, Rescaled):
        few = Rescaled(few, loss.factor)
    return lbfgs(F, start, sample=Sum([few, penalty]), **options)


SOLVERS = {"newton": newton, "lbfgs": by_lbfgs, "cg": cg, "tron": tron}
every_solver = pytest.mark.parametrize("solve", SOLVERS.values(), ids=SOLVERS)


def objective(seed, C, loss="squared_hinge", **shape):
    X, y, qid = random_problem(seed, **shape)
    data = Dataset.from_arrays(X, y, qid)
    return Sum([Pairwise(data, loss, C=C), L2(data.n_features)]), X, reference.pair_weights(y, qid)


def hard(C=1.0):
    """Many steps for every solver: the pairs can all be ordered, with little room."""
    X, _, qid = random_problem(8, n_rows=100, n_features=6, n_queries=10)
    data = Dataset.from_arrays(X, (X[:, 0] > 0.1).astype(float), qid)
    return Sum([Pairwise(data, C=C), L2(6)])


@every_solver
@pytest.mark.parametrize("loss", sorted(set(LOSSES) - {"hinge"}))
@pytest.mark.parametrize("C", [2.0**-15, 1.0, 2.0**10])
def test_reaches_the_optimum_of_another_solver(solve, loss, C):
    F, X, weights = objective(3, C, loss)
    w, best = reference.ranksvm_optimum(X, weights, C, loss)
    solution = solve(F, tol=1e-12, max_iter=1000)
    assert solution.value <= best * (1 + 1e-10)
    np.testing.assert_allclose(solution.coef, w, rtol=1e-5, atol=1e-6 * np.abs(w).max())


@every_solver
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("tol", [0.5, 1e-1, 1e-3, 1e-6])
def test_the_gap_is_a_certificate(solve, C, tol):
    F, *_ = objective(5, C)
    exact = newton(F, tol=1e-13).value
    rough = solve(F, tol=tol)
    assert 0 <= rough.value - exact * (1 - 1e-13) <= rough.gap + 1e-12 * exact


@every_solver
def test_stops_on_the_rule_of_liblinear(solve):
    F, *_ = objective(6, 1.0)
    first = np.linalg.norm(F.at(np.zeros(4)).gradient)
    solution = solve(F, tol=1e-2)
    assert solution.converged
    assert np.linalg.norm(F.at(solution.coef).gradient) <= 1e-2 * first


@every_solver
def test_a_start_saves_steps_and_keeps_the_rule(solve):
    F, *_ = objective(6, 10.0, n_rows=200)
    cold = solve(F, tol=1e-8)
    warm = solve(F, cold.coef, tol=1e-8)
    assert warm.n_iter == 0
    assert warm.converged
    far = solve(F, np.full(4, 1e6), tol=1e-8)
    np.testing.assert_allclose(far.value, cold.value, rtol=1e-9)


@every_solver
def test_the_watch_sees_every_step_and_may_stop(solve):
    F = hard(100.0)
    seen = []
    solution = solve(F, tol=1e-10, watch=seen.append)
    assert solution.n_iter > 3
    assert [p.n_iter for p in seen] == list(range(solution.n_iter + 1))
    assert all(a.value >= b.value * (1 - 1e-12) for a, b in itertools.pairwise(seen))
    stopped = solve(F, tol=1e-10, watch=lambda p: p.n_iter == 1)
    assert not stopped.converged
    assert stopped.n_iter == 1
    assert "stopped by the caller" in stopped.message


@every_solver
def test_says_when_it_ran_out_of_steps(solve):
    solution = solve(hard(100.0), tol=1e-12, max_iter=2)
    assert not solution.converged
    assert "max_iter = 2" in solution.message
    assert solution.n_iter <= 2


@every_solver
def test_an_unreachable_tolerance_ends_at_rounding(solve):
    F, *_ = objective(8, 1.0)
    solution = solve(F, tol=0.0)
    assert "rounding" in solution.message or solution.converged
    assert solution.gap <= 1e-20 * solution.value


@every_solver
def test_names_itself(solve):
    F, *_ = objective(8, 1.0)
    name = next(name for name, found in SOLVERS.items() if found is solve)
    assert solve(F).solver.split(",")[0] == name


@pytest.mark.parametrize("solve", [newton, cg, tron])
def test_needs_strong_convexity(solve):
    F, *_ = objective(8, 1.0)
    with pytest.raises(ValueError, match="L2 penalty"):
        solve(F.parts[0])


@every_solver
def test_objectives_that_overflow_are_an_error(solve):
    data = Dataset.from_arrays([[1e200, 0.0], [-1e200, 1.0]] * 8, [1, 0] * 8, np.repeat(np.arange(8), 2))
    with pytest.raises(OverflowError, match="scale the features"):
        solve(Sum([Pairwise(data, C=1e300), L2(2)]))


def test_a_hessian_that_is_too_large_is_an_error():
    data = Dataset.from_arrays(np.eye(3, 6000), [0, 1, 2])
    with pytest.raises(ValueError, match="use solver='cg'"):
        newton(Sum([Pairwise(data), L2(6000)]))


# What a fit costs -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mslr():
    return synthetic.make("mslr10", scale=0.1)


@pytest.mark.parametrize("C", [1e-4, 1.0, 8.0, 100.0])
@pytest.mark.parametrize(("tol", "most"), [(1e-3, 7), (1e-6, 12)])
def test_a_sample_saves_passes(mslr, C, tol, most):
    loss = Pairwise(mslr, C=C)
    F = Counting(Sum([loss, L2(136)]))
    few = sampled(loss, 4500)
    solution = lbfgs(F, sample=Sum([few, L2(136)]), tol=tol)
    assert solution.converged
    assert solution.solver == "lbfgs"
    assert F.passes <= most


def test_newton_needs_few_steps_and_no_line_search():
    data = synthetic.make("mqlist", scale=0.005)
    F = Counting(Sum([Pairwise(data), L2(46)]))
    assert newton(F, tol=1e-6).converged
    assert F.counts["at"] <= 7
    assert F.counts["hessian"] <= 6
    assert set(F.counts) == {"at", "hessian"}


def test_the_preconditioner_saves_products():
    data = synthetic.make("ctr", scale=0.02)
    products = {}
    for solve in (cg, tron):
        F = Counting(Sum([Pairwise(data, C=1e-4), L2(data.n_features)]))
        assert solve(F).converged
        products[solve] = F.counts["product"]
    assert 1.5 * products[cg] <= products[tron]


def test_the_preconditioner_is_left_out_where_it_harms():
    data = synthetic.make("rcv1", scale=0.02)
    F = Counting(Sum([Pairwise(data), L2(data.n_features)]))
    solution = cg(F, tol=1e-5)
    assert solution.converged
    assert F.counts["product"] <= 200  # with the preconditioner: thousands
