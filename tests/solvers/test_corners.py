"""Solvers of losses with corners: reach the optimum of the dual's slow twin, with a gap that is a certificate."""

import itertools

import numpy as np
import pytest
import scipy.optimize

import reference
from problems import random_problem
from rankine import _core
from rankine.data import Dataset, synthetic
from rankine.objectives import L2, Box, Pairwise, Rescaled, sampled
from rankine.solvers import cutting_plane, smoothing
from rankine.solvers.bundle import Bundle

every_solver = pytest.mark.parametrize("solve", [smoothing, cutting_plane])


def hinge(seed, C, **shape):
    X, y, qid = random_problem(seed, **shape)
    return Pairwise(Dataset.from_arrays(X, y, qid), "hinge", C=C), X, reference.pair_weights(y, qid)


@every_solver
@pytest.mark.parametrize("C", [2.0**-15, 0.1, 1.0, 2.0**10])
@pytest.mark.parametrize("shape", [{}, {"n_queries": 1, "n_levels": 40}, {"n_features": 30}])
def test_reaches_the_optimum_of_the_dual(solve, C, shape):
    loss, X, weights = hinge(3, C, **shape)
    _, best = reference.hinge_optimum(X, weights, C)
    solution = solve(loss, L2(loss.n_features), tol=1e-7, max_iter=2000)
    assert solution.converged
    assert best * (1 - 1e-7) - solution.gap <= solution.value <= best * (1 + 2e-7)


@every_solver
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("tol", [0.5, 1e-1, 1e-2, 1e-4])
def test_the_gap_is_a_certificate(solve, C, tol):
    loss, *_ = hinge(5, C)
    exact = smoothing(loss, L2(4), tol=1e-9, max_iter=1000).value
    rough = solve(loss, L2(4), tol=tol)
    assert rough.gap <= tol * rough.value
    assert -1e-9 * exact <= rough.value - exact <= rough.gap + 1e-9 * exact
    w = rough.coef
    np.testing.assert_allclose(rough.value, 0.5 * w @ w + loss.at(w).value, rtol=1e-12)


@every_solver
def test_any_start_leads_there(solve):
    loss, *_ = hinge(6, 1.0)
    cold = solve(loss, L2(4), tol=1e-6, max_iter=1000)
    far = solve(loss, L2(4), np.full(4, 1e4), tol=1e-6, max_iter=1000)
    np.testing.assert_allclose(far.value, cold.value, rtol=2e-6)


@every_solver
def test_scaled_features_and_strength(solve):
    loss, X, weights = hinge(6, 1.0)
    factor = np.array([2.0, 0.1, 1.0, 30.0])
    _, best = reference.hinge_optimum(X * factor, weights, 0.5)
    solution = solve(Rescaled(loss, factor), L2(4, 2.0), tol=1e-7, max_iter=1000)
    np.testing.assert_allclose(solution.value, 2.0 * best, rtol=3e-7)


BOXES = {
    "signs": (np.zeros(4), np.full(4, np.inf)),
    "tight": (np.full(4, -1e-3), np.full(4, 1e-3)),
    "without zero": (np.array([0.5, -np.inf, -2.0, -0.1]), np.array([1.0, -0.5, -1.0, 0.1])),
    "fixed": (np.array([0.1, -np.inf, -0.2, 0.0]), np.array([0.1, np.inf, -0.2, 0.0])),
}


@every_solver
@pytest.mark.parametrize("name", BOXES)
@pytest.mark.parametrize("C", [2.0**-10, 1.0, 2.0**8])
def test_a_box_with_a_prior_and_factors(solve, name, C):
    loss, X, weights = hinge(7, C, n_rows=16)
    box = Box(*BOXES[name])
    centre, factors = np.array([0.3, -1.0, 0.0, 2.0]), np.array([1.0, 10.0, 0.1, 3.0])
    best = reference.hinge_optimum_in_box(X, weights, C, *BOXES[name], centre, factors)
    solution = solve(loss, L2(4, 2.0, centre, factors), tol=1e-6, max_iter=2000, box=box)
    assert solution.converged
    assert (box.nearest(solution.coef) == solution.coef).all()
    away = solution.coef - centre
    np.testing.assert_allclose(solution.value, away @ (factors * away) + loss.at(solution.coef).value, rtol=1e-12)
    assert solution.value - solution.gap <= best * (1 + 1e-8)
    np.testing.assert_allclose(solution.value, best, rtol=2e-6)


@every_solver
def test_pairs_that_can_all_be_ordered(solve):
    X, _, qid = random_problem(8, n_rows=100, n_features=6, n_queries=10)
    loss = Pairwise(Dataset.from_arrays(X, (X[:, 0] > 0.1).astype(float), qid), "hinge", C=100.0)
    solution = solve(loss, L2(6), tol=1e-5, max_iter=1000)
    assert solution.converged
    assert (loss.at(solution.coef).value > 0) or loss.at(solution.coef).native.mass == 0


@every_solver
def test_the_watch_sees_every_step_and_may_stop(solve):
    loss, *_ = hinge(8, 100.0)
    seen = []
    solution = solve(loss, L2(4), tol=1e-6, max_iter=1000, watch=seen.append)
    assert [p.n_iter for p in seen] == list(range(solution.n_iter + 1))
    assert all(a.value >= b.value for a, b in itertools.pairwise(seen))
    assert seen[-1].criterion <= 1 < seen[-2].criterion
    stopped = solve(loss, L2(4), tol=1e-10, watch=lambda p: p.n_iter == 1)
    assert not stopped.converged
    assert stopped.n_iter == 1
    assert "stopped by the caller" in stopped.message


@every_solver
def test_says_when_it_ran_out_of_steps(solve):
    loss, *_ = hinge(8, 100.0)
    solution = solve(loss, L2(4), tol=1e-12, max_iter=2)
    assert not solution.converged
    assert "max_iter = 2" in solution.message
    assert solution.gap > 0


def test_an_unreachable_tolerance_gets_as_far_as_rounding_lets_it():
    loss, *_ = hinge(8, 1.0)
    solution = smoothing(loss, L2(4), tol=0.0, max_iter=300)
    assert solution.gap <= 1e-10 * solution.value


@pytest.mark.parametrize("C", [2.0**-15, 1.0, 2.0**20])
@pytest.mark.parametrize("trap", ["tied", "separable", "one row a level", "collinear", "zero"])
def test_cutting_planes_take_over_where_no_window_is_narrow_enough(trap, C):
    rng = np.random.default_rng(0)
    n = 3000 if trap == "one row a level" else 600
    X = rng.normal(size=(n, 5))
    y = X @ np.arange(5) + 3 * rng.normal(size=n)
    if trap == "tied":
        X, y = np.round(X), np.round(X[:, 0])
    elif trap == "separable":
        X, y = X[:150], (X[:150, 0] > 0).astype(float)
    elif trap == "collinear":
        X, y = np.hstack([X, X, 1e-9 * X[:, :1]]), np.round(y)
    elif trap == "zero":
        X = 0 * X
    loss = Pairwise(Dataset.from_arrays(X, y), "hinge", C=C)
    smooth, planes = (solve(loss, L2(X.shape[1]), tol=1e-4, max_iter=500) for solve in (smoothing, cutting_plane))
    assert smooth.converged
    assert planes.converged
    np.testing.assert_allclose(smooth.value, planes.value, rtol=2e-4)


def test_the_watch_sees_who_takes_over():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(600, 5)))
    loss = Pairwise(Dataset.from_arrays(X, X[:, 0]), "hinge", C=2.0**20)
    seen = []
    solution = smoothing(loss, L2(5), tol=1e-4, max_iter=500, watch=seen.append)
    assert solution.solver == "smoothing, cutting_plane"
    assert [p.n_iter for p in seen] == list(range(solution.n_iter + 1))
    # A pair that is nearly right weighs 2^20 times its rounding.
    assert all(a.value >= b.value * (1 - 1e-3) for a, b in itertools.pairwise(seen))


@every_solver
def test_objectives_that_overflow_are_an_error(solve):
    data = Dataset.from_arrays([[1e200, 0.0], [-1e200, 1.0]] * 8, [1, 0] * 8, np.repeat(np.arange(8), 2))
    with pytest.raises(OverflowError, match="scale the features"):
        solve(Pairwise(data, "hinge", C=1e300), L2(2))


def test_many_features_go_by_products():
    data = synthetic.make("rcv1", scale=0.01)
    loss = Pairwise(data, "hinge")
    smooth = smoothing(loss, L2(data.n_features), tol=0.03)
    assert smooth.converged
    planes = cutting_plane(loss, L2(data.n_features), tol=0.03, max_iter=500)
    np.testing.assert_allclose(smooth.value, planes.value, rtol=0.03)


def test_a_sample_that_misleads_is_given_up():
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(60), 12)
    X = rng.normal(size=(len(qid), 12))
    X[qid != 7, 6:] = 0  # features of a single query
    y = np.clip(np.round(X @ rng.normal(size=12) + rng.normal(size=len(qid))), 0, 2)
    loss = Pairwise(Dataset.from_arrays(X, y, qid), "hinge", C=10.0)
    few = sampled(loss, 60)
    solution = smoothing(loss, L2(12), sample=few, tol=1e-6, max_iter=300)
    assert solution.converged
    np.testing.assert_allclose(solution.value, smoothing(loss, L2(12), tol=1e-8, max_iter=300).value, rtol=2e-6)


@pytest.mark.parametrize("seed", range(20))
def test_the_best_mixture_of_planes(seed):
    rng = np.random.default_rng(seed)
    n_planes = rng.integers(1, 12)
    slope, offset = rng.normal(size=(n_planes, 4)), rng.normal(size=n_planes)
    if seed % 3 == 0:
        slope[-1], offset[-1] = slope[0], offset[0]  # a plane twice
    gram = slope @ slope.T
    found = _core.best_mixture(gram.ravel(), offset, np.eye(n_planes)[0])
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(), 1)
    wanted = scipy.optimize.minimize(
        lambda b: (0.5 * b @ gram @ b - offset @ b, gram @ b - offset),
        np.full(n_planes, 1 / n_planes),
        jac=True,
        method="SLSQP",
        bounds=[(0, 1)] * n_planes,
        constraints={"type": "eq", "fun": lambda b: b.sum() - 1, "jac": np.ones_like},
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert 0.5 * found @ gram @ found - offset @ found <= wanted.fun + 1e-8


def test_a_bundle_keeps_its_bound_and_drops_what_it_does_not_use():
    rng = np.random.default_rng(0)
    bundle = Bundle(L2(3))
    bounds = []
    for _ in range(200):
        bundle.add(float(rng.random()), rng.normal(size=3))
        bounds.append(bundle.value)
    assert bounds == sorted(bounds)
    assert len(bundle.offset) < 60
