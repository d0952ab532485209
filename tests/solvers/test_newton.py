"""Newton: reaches the optimum, certifies it, stops as it says, and tells its watch."""

import itertools

import numpy as np
import pytest

import reference
from problems import random_problem
from rankine.data import Dataset
from rankine.objectives import L2, LOSSES, Pairwise, Sum
from rankine.solvers import newton


def objective(seed, C, loss="squared_hinge", **shape):
    X, y, qid = random_problem(seed, **shape)
    data = Dataset.from_arrays(X, y, qid)
    return Sum([Pairwise(data, loss, C=C), L2(data.n_features)]), X, reference.pair_weights(y, qid)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [2.0**-15, 1.0, 2.0**10])
def test_reaches_the_optimum_of_another_solver(loss, C):
    F, X, weights = objective(3, C, loss)
    w, best = reference.ranksvm_optimum(X, weights, C, loss)
    solution = newton(F, tol=1e-12)
    assert solution.value <= best * (1 + 1e-10)
    np.testing.assert_allclose(solution.coef, w, rtol=1e-5, atol=1e-6 * np.abs(w).max())


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("tol", [0.5, 1e-1, 1e-3, 1e-6])
def test_the_gap_is_a_certificate(C, tol):
    F, *_ = objective(5, C)
    exact = newton(F, tol=1e-13).value
    rough = newton(F, tol=tol)
    assert 0 <= rough.value - exact * (1 - 1e-13) <= rough.gap + 1e-12 * exact


def test_stops_on_the_rule_of_liblinear():
    F, *_ = objective(6, 1.0)
    first = np.linalg.norm(F.at(np.zeros(4)).gradient)
    solution = newton(F, tol=1e-2)
    assert solution.converged
    assert np.linalg.norm(F.at(solution.coef).gradient) <= 1e-2 * first


def test_a_start_saves_steps_and_keeps_the_rule():
    F, *_ = objective(6, 10.0, n_rows=200)
    cold = newton(F, tol=1e-8)
    warm = newton(F, cold.coef, tol=1e-8)
    assert warm.n_iter == 0
    assert warm.converged
    far = newton(F, np.full(4, 1e6), tol=1e-8)
    np.testing.assert_allclose(far.value, cold.value, rtol=1e-9)


def test_the_watch_sees_every_step_and_may_stop():
    F, *_ = objective(8, 1.0)
    seen = []
    solution = newton(F, tol=1e-10, watch=seen.append)
    assert [p.n_iter for p in seen] == list(range(solution.n_iter + 1))
    assert all(a.value >= b.value for a, b in itertools.pairwise(seen))
    stopped = newton(F, tol=1e-10, watch=lambda p: p.n_iter == 1)
    assert not stopped.converged
    assert stopped.n_iter == 1
    assert "stopped by the caller" in stopped.message


def test_says_when_it_ran_out_of_steps():
    F, *_ = objective(8, 1.0)
    solution = newton(F, tol=1e-12, max_iter=1)
    assert not solution.converged
    assert "max_iter" in solution.message


def test_an_unreachable_tolerance_ends_at_rounding():
    F, *_ = objective(8, 1.0)
    solution = newton(F, tol=0.0)
    assert "rounding" in solution.message or solution.converged
    assert solution.gap <= 1e-20 * solution.value


def test_needs_strong_convexity():
    F, *_ = objective(8, 1.0)
    with pytest.raises(ValueError, match="L2 penalty"):
        newton(F.parts[0])
