"""Data made to mislead a solver: every one of them finds the same optimum, or says that it did not."""

import numpy as np
import pytest

from problems import random_problem
from rankine.data import Dataset
from rankine.objectives import L2, Box, Pairwise, Sum, sampled
from rankine.solvers import cg, lbfgs, newton, tron


def plain(n_queries=60, size=12, n_features=12):
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(n_queries), size)
    X = rng.normal(size=(len(qid), n_features))
    y = np.clip(np.round(X @ rng.normal(size=n_features) / 2 + rng.normal(size=len(qid))), 0, 2)
    return X, y, qid


def features_in_a_few_queries_only():
    X, y, qid = plain()
    for j in range(6, 12):
        X[~np.isin(qid, [j, j + 40]), j] = 0
    X[:, 6:] *= 100
    return X, y, qid


def one_query_with_most_of_the_pairs():
    X, y, qid = plain()
    return X, y, np.where(qid < 20, 0, qid)


def a_file_whose_first_half_is_alike():
    X, y, qid = plain()
    first = (qid < 30)[:, None]
    X = np.where(first, 0.01 * X, 10 * X)
    X[:, :6] *= first
    return X, y, qid


def one_query():
    X, y, qid = plain()
    return X, y, np.zeros_like(qid)


def collinear_features():
    X, y, qid = plain()
    X[:, 6:] = X[:, :6]
    X[:, 5] = X[:, 0] + 1e-7 * X[:, 1]
    return X, y, qid


def constant_features():
    X, y, qid = plain()
    X[:, 3], X[:, 4], X[:, 5] = 7, qid, 1e6
    return X, y, qid


def more_features_than_rows():
    return plain(8, 5, 100)


def pairs_that_can_all_be_ordered():
    X, _, qid = plain()
    return X, (X[:, 0] > 0).astype(float), qid


def labels_that_mean_nothing():
    X, y, qid = plain()
    return X, np.random.default_rng(1).permutation(len(y)).astype(float), qid


def heavy_tails():
    X, y, qid = plain()
    return np.abs(X) ** 8, y, qid


def unequal_scales():
    X, y, qid = plain()
    return X * np.logspace(-3, 3, 12), y, qid


def a_large_offset():
    X, y, qid = plain()
    return X + 1e6, y, qid


TRAPS = [
    features_in_a_few_queries_only,
    one_query_with_most_of_the_pairs,
    a_file_whose_first_half_is_alike,
    one_query,
    collinear_features,
    constant_features,
    more_features_than_rows,
    pairs_that_can_all_be_ordered,
    labels_that_mean_nothing,
    heavy_tails,
    unequal_scales,
    a_large_offset,
]


@pytest.mark.parametrize("exponent", [-15, 0, 10, 20])
@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.__name__)
def test_every_solver_finds_the_same_optimum(trap, exponent):
    data = Dataset.from_arrays(*trap())
    loss, penalty = Pairwise(data, C=2.0**exponent), L2(data.n_features)
    F = Sum([loss, penalty])
    found = {"newton": newton(F, tol=1e-10), "cg": cg(F, tol=1e-10, max_iter=1000), "tron": tron(F, tol=1e-10)}
    few = sampled(loss, data.n_rows // 4)
    if few is not None:
        found["lbfgs"] = lbfgs(F, sample=Sum([few, penalty]), tol=1e-10)
    else:
        assert trap in (one_query, more_features_than_rows)
    best = min(solution.value for solution in found.values())
    # Sums of many pairs carry rounding errors in proportion to the objective at zero; those of large features too.
    rounding = 1e-16 * F.at(np.zeros(data.n_features)).value + (1e-9 if trap is a_large_offset else 1e-12) * best
    for name, solution in found.items():
        assert solution.value - best <= solution.gap + rounding, name
        # Where all pairs can be ordered the optimum lies far below F(0), and unequal scales hide small features from
        # ‖∇F(0)‖: the stopping rule then holds early, and the gap says so.
        early = trap in (pairs_that_can_all_be_ordered, more_features_than_rows) or name in ("cg", "tron")
        if not early or solution.gap <= 1e-9 * best:
            assert solution.value <= best * (1 + 1e-9), name
        assert solution.converged or "rounding" in solution.message or name == "tron"


@pytest.mark.parametrize("exponent", [-15, 0, 20])
@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.__name__)
def test_so_they_do_in_a_box(trap, exponent):
    data = Dataset.from_arrays(*trap())
    n = data.n_features
    F = Sum([Pairwise(data, C=2.0**exponent), L2(n)])
    middle = newton(F, tol=1e-6).coef  # half of the bounds will bind
    box = Box(np.where(np.arange(n) % 3, -np.inf, 0.5 * middle), np.where(np.arange(n) % 2, np.inf, 0.9 * middle))
    box = Box(np.minimum(box.lower, box.upper), box.upper)
    found = {"newton": newton(F, tol=1e-10, box=box), "cg": cg(F, tol=1e-10, max_iter=1000, box=box)}
    best = min(solution.value for solution in found.values())
    rounding = 1e-16 * F.at(np.zeros(n)).value + (1e-9 if trap is a_large_offset else 1e-12) * best
    for name, solution in found.items():
        assert (box.nearest(solution.coef) == solution.coef).all()
        assert solution.value - best <= solution.gap + rounding, name
        assert solution.converged or "rounding" in solution.message, name


@pytest.mark.parametrize("trap", [features_in_a_few_queries_only, one_query_with_most_of_the_pairs])
def test_a_sample_that_misleads_is_left_behind(trap):
    data = Dataset.from_arrays(*trap())
    F = Sum([Pairwise(data), L2(12)])
    first = data.take_queries(np.arange(20, 30))
    solution = lbfgs(F, sample=Sum([Pairwise(first, C=100.0), L2(12)]), tol=1e-8)
    assert solution.converged
    assert solution.solver == "lbfgs, newton"
    assert solution.n_iter < 20
    assert solution.value == pytest.approx(newton(F, tol=1e-8).value, rel=1e-12)


def test_a_start_survives_a_sample_that_misleads():
    X, y, qid = random_problem(1, n_rows=300, n_queries=20)
    data = Dataset.from_arrays(X, y, qid)
    F = Sum([Pairwise(data), L2(4)])
    near = newton(F, tol=1e-3).coef
    opposite = Sum([Pairwise(Dataset.from_arrays(X, -y, qid)), L2(4)])
    assert lbfgs(F, near, sample=opposite, tol=1e-8).converged
