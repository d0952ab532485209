"""Solvers in a box: the optimum of a slow twin, the certificate, bounds held to the last bit, and any start."""

import functools

import numpy as np
import pytest

import reference
from counting import Counting
from problems import random_problem
from rankine.data import Dataset, synthetic
from rankine.objectives import L2, LOSSES, Box, Pairwise, Rescaled, Sum
from rankine.solvers import cg, newton

N = 6
INF = np.inf
BOXES = {
    "no weight below zero": (np.zeros(N), np.full(N, INF)),
    "no weight above zero": (np.full(N, -INF), np.zeros(N)),
    "tight": (np.full(N, -1e-3), np.full(N, 1e-3)),
    "all that is needed": (np.full(N, -1e6), np.full(N, 1e6)),
    "without zero": (np.array([0.5, -INF, 0.5, -2, -0.1, 3]), np.array([1, -0.5, INF, -1, 0.1, 3])),
    "all fixed": (np.arange(N) / 3, np.arange(N) / 3),
    "some fixed": (np.array([0, 0.1, -INF, -INF, -0.2, -INF]), np.array([0, 0.1, INF, 0, INF, INF])),
}
every_solver = pytest.mark.parametrize("solve", [newton, cg])
every_box = pytest.mark.parametrize("name", BOXES)


@functools.cache
def problem(seed=0):
    """Few pairs, and a feature that is zero in every row."""
    X, y, qid = random_problem(seed, n_rows=24, n_features=N)
    X[:, 4] = 0.0
    return X, y, qid, reference.pair_weights(y, qid)


def objective(C, loss="squared_hinge", seed=0, **penalty):
    X, y, qid, _ = problem(seed)
    return Sum([Pairwise(Dataset.from_arrays(X, y, qid), loss, C=C), L2(N, **penalty)])


def optimum(C, loss="squared_hinge", seed=0, lower=-INF, upper=INF, **penalty):
    X, _, _, weights = problem(seed)
    return reference.ranksvm_optimum(X, weights, C, loss, lower=lower, upper=upper, **penalty)


@every_box
@pytest.mark.parametrize("loss", sorted(set(LOSSES) - {"hinge"}))
@pytest.mark.parametrize("C", [2.0**-15, 1.0, 2.0**10])
def test_reaches_the_optimum_of_a_slow_solver(name, loss, C):
    lower, upper = BOXES[name]
    w, best = optimum(C, loss, lower=lower, upper=upper)
    for solve in (newton, cg):
        solution = solve(objective(C, loss), tol=1e-12, max_iter=1000, box=Box(lower, upper))
        assert solution.value <= best * (1 + 1e-9) + 1e-15
        np.testing.assert_allclose(solution.coef, w, rtol=1e-5, atol=1e-6 * np.abs(w).max() + 1e-12)
        assert ((lower <= solution.coef) & (solution.coef <= upper)).all()
        assert (solution.coef[w == lower] == lower[w == lower]).all()  # to the last bit
        assert (solution.coef[w == upper] == upper[w == upper]).all()


@every_box
@pytest.mark.parametrize("options", [{"centre": np.linspace(-1, 1, N)}, {"factors": np.logspace(-2, 2, N)}])
def test_penalties_of_every_kind_in_a_box(name, options):
    lower, upper = BOXES[name]
    w, best = optimum(1.0, lower=lower, upper=upper, **options)
    for solve in (newton, cg):
        solution = solve(objective(1.0, **options), tol=1e-12, box=Box(lower, upper), origin=options.get("centre"))
        assert solution.value <= best * (1 + 1e-9)
        np.testing.assert_allclose(solution.coef, w, rtol=1e-5, atol=1e-7)


@every_solver
@every_box
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_the_gap_is_a_certificate_at_any_point(solve, name, C):
    lower, upper = BOXES[name]
    box, factors = Box(lower, upper), np.logspace(-1, 1, N)
    F = objective(C, factors=factors, centre=np.full(N, 0.3))
    best = newton(F, tol=1e-13, box=box).value
    rng = np.random.default_rng(1)
    starts = [*(10.0**k * rng.normal(size=N) for k in (-2, 0, 2)), None]
    for start in starts:
        here = solve(F, start, tol=0.0, box=box, watch=lambda _: True)
        assert here.n_iter == 0
        assert here.value - best <= here.gap + 1e-12 * best
    for tol in (0.5, 1e-1, 1e-3):
        rough = solve(F, tol=tol, box=box)
        assert rough.converged
        assert -1e-13 * best <= rough.value - best <= rough.gap + 1e-12 * best
    exact = solve(F, tol=1e-10, box=box)
    assert exact.gap <= 1e-9 * exact.value  # and it closes at the optimum


def test_the_gap_is_its_formula():
    factors = np.logspace(-1, 1, N)
    F, (lower, upper) = objective(1.0, factors=factors), BOXES["without zero"]
    w = np.clip(np.random.default_rng(2).normal(size=N), lower, upper)
    here = newton(F, w, tol=0.0, box=Box(lower, upper), watch=lambda _: True)
    g = F.at(w).gradient
    d = np.clip(-g / factors, lower - w, upper - w)
    assert here.gap == pytest.approx(-float(np.sum(g * d + 0.5 * factors * d**2)), rel=1e-12)
    free = newton(F, w, tol=0.0, watch=lambda _: True)
    assert free.gap == pytest.approx(min(float(np.sum(g**2 / (2 * factors))), free.value), rel=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_dropping_a_bound_never_makes_it_worse(seed):
    rng = np.random.default_rng(seed)
    lower, upper = -rng.random(N), rng.random(N)
    lower[rng.random(N) < 0.3] = 0.1
    upper = np.maximum(lower, upper)
    F = objective(10.0 ** rng.integers(-2, 3), seed=seed)
    before = newton(F, tol=1e-11, box=Box(lower, upper)).value
    for j in rng.permutation(N):
        lower[j] = -INF
        middle = cg(F, tol=1e-11, box=Box(lower.copy(), upper.copy())).value
        upper[j] = INF
        after = newton(F, tol=1e-11, box=Box(lower.copy(), upper.copy())).value
        assert after <= middle * (1 + 1e-9) <= before * (1 + 2e-9)
        before = after
    assert before == pytest.approx(newton(F, tol=1e-11).value, rel=1e-12)


@every_solver
@every_box
def test_any_start_leads_to_the_same_weights(solve, name):
    box, F = Box(*BOXES[name]), objective(10.0)
    cold = solve(F, tol=1e-10, box=box)
    warm = solve(F, cold.coef, tol=1e-10, box=box)
    assert warm.n_iter == 0
    np.testing.assert_array_equal(warm.coef, cold.coef)
    far = solve(F, np.full(N, -1e6), tol=1e-10, box=box)
    np.testing.assert_allclose(far.coef, cold.coef, rtol=1e-6, atol=1e-9)


@every_solver
def test_stops_on_the_projected_gradient_and_says_where_it_was_measured(solve):
    F = objective(1.0)
    lower, upper = np.full(N, 0.2), np.full(N, INF)
    solution = solve(F, tol=1e-2, box=Box(lower, upper))

    def size(w):
        gradient = F.at(w).gradient
        return np.linalg.norm(np.where((w <= lower) & (gradient > 0), 0.0, gradient))

    assert size(solution.coef) <= 1e-2 * size(lower)
    assert solution.message == "the projected gradient fell to 0.01 of its size at the allowed weights nearest to zero"
    prior = np.full(N, 0.5)
    near = objective(1.0, centre=prior)
    assert solve(near, origin=prior).message == "the gradient fell to 0.001 of its size at the prior"
    assert "at zero weights" in solve(F, box=Box(-lower, upper)).message


@every_solver
def test_scaled_features_in_a_box_are_a_change_of_variables(solve):
    X, y, qid, _ = problem()
    factor = np.array([2.0, 0.1, 1.0, 30.0, 1.0, 0.5])
    box = Box(*BOXES["without zero"]).rescaled(factor)
    outside = Sum([Rescaled(Pairwise(Dataset.from_arrays(X, y, qid)), factor), L2(N)])
    inside = Sum([Pairwise(Dataset.from_arrays(X * factor, y, qid)), L2(N)])
    a, b = (solve(F, tol=1e-11, box=box) for F in (outside, inside))
    np.testing.assert_allclose(a.coef, b.coef, rtol=1e-7, atol=1e-10)


def test_the_watch_sees_values_that_only_fall():
    X, _, qid = random_problem(8, n_rows=100, n_features=N, n_queries=10)
    F = Sum([Pairwise(Dataset.from_arrays(X, (X[:, 0] > 0.1).astype(float), qid), C=100.0), L2(N)])
    for solve in (newton, cg):
        seen = []
        solution = solve(F, tol=1e-9, box=Box(np.full(N, -0.5), np.full(N, 2.0)), watch=seen.append, max_iter=1000)
        assert solution.converged
        assert [p.n_iter for p in seen] == list(range(solution.n_iter + 1))
        assert (np.diff([p.value for p in seen]) <= 0).all()
        assert seen[-1].criterion <= 1


@every_solver
def test_wide_data_with_a_bound_on_every_weight(solve):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 300)) * (rng.random((60, 300)) < 0.2)
    y, qid = rng.integers(0, 3, 60).astype(float), np.repeat(np.arange(6), 10)
    F = Sum([Pairwise(Dataset.from_arrays(X, y, qid), C=3.0), L2(300)])
    solution = solve(F, tol=1e-9, box=Box(np.zeros(300), np.full(300, 0.05)))
    assert solution.converged
    assert 50 < np.count_nonzero(solution.coef == 0) < 250
    assert solution.gap <= 1e-12 * solution.value


def test_a_box_costs_newton_no_more_passes():
    data = synthetic.make("mqlist", scale=0.003)
    F = Counting(Sum([Pairwise(data), L2(46)]))
    solution = newton(F, tol=1e-6, box=Box(np.zeros(46), np.full(46, np.inf)))
    assert solution.converged
    assert 10 < np.count_nonzero(solution.coef == 0) < 36
    assert F.counts["at"] <= 7
    assert F.counts["hessian"] <= 6
    assert set(F.counts) == {"at", "hessian"}
