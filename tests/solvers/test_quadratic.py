"""Quadratic models in boxes: the conditions of an optimum hold, however ill-conditioned, by every way."""

import itertools

import numpy as np
import pytest

from rankine.objectives import Box
from rankine.solvers.cholesky import NotPositiveDefinite
from rankine.solvers.quadratic import ByProducts, _Model, least_by_factors


def models(seed, hardest):
    """A matrix, a gradient and a box around zero: thin, collinear, wildly scaled or all positive; bounds at zero."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    A = rng.normal(size=(int(rng.integers(1, 45)), n))
    kind = seed % 4
    if kind == 1:
        A *= np.logspace(-3, 3, n)
    elif kind == 2:
        A = np.abs(A)
    elif kind == 3:
        A[:, n // 2 :] = A[:, : n - n // 2]
    H = A.T @ A * 10.0 ** rng.integers(-3, hardest) + np.eye(n)
    g = rng.normal(size=n) * np.abs(H).max() ** rng.random()
    lower, upper = (10.0 ** rng.integers(-4, 2) * rng.random(n) for _ in range(2))
    lower[rng.random(n) < 0.3], upper[rng.random(n) < 0.3] = 0.0, 0.0
    lower[rng.random(n) < 0.3], upper[rng.random(n) < 0.3] = np.inf, np.inf
    return H, g, Box(-lower, upper)


def violation(H, g, box, d):
    """The largest slope that no bound holds, beside the numbers that make it."""
    assert (box.nearest(d) == d).all()
    slope = g + H @ d
    free = np.where(box.free(d, slope), slope, 0.0)
    return np.abs(free).max() / (np.abs(g) + np.abs(H) @ np.abs(d)).max()


def by_products(product, g, box, inverse, tol, most):
    way = ByProducts(product, g, box, inverse)
    way.go(most, tol * way.left)
    return way.d


@pytest.mark.parametrize("seed", range(60))
def test_factors_find_the_exact_optimum(seed):
    H, g, box = models(seed, hardest=8)
    assert violation(H, g, box, least_by_factors(H, g, box, 1e-16)) <= 1e-12
    assert violation(H, g, box, _Model(H, g, box, 1e-16, 0.0).by_faces()) <= 1e-12


@pytest.mark.parametrize("seed", range(40))
def test_products_find_the_same_optimum(seed):
    H, g, box = models(seed, hardest=2)
    exact = least_by_factors(H, g, box, 1e-16)
    found = by_products(lambda v: H @ v, g, box, 1 / np.diag(H), 1e-9, 5000)
    assert (box.nearest(found) == found).all()
    value, best = (g @ d + 0.5 * d @ H @ d for d in (found, exact))
    assert value - best <= 1e-9 * abs(best)


def test_every_product_goes_down():
    H, g, box = models(5, hardest=2)
    values = []
    for most in range(30):
        d = by_products(lambda v: H @ v, g, box, 1 / np.diag(H), 0.0, most)
        values.append(g @ d + 0.5 * d @ H @ d)
    assert values[0] == 0
    assert values[-1] < values[1] < 0
    assert all(b <= a + 1e-12 * abs(a) for a, b in itertools.pairwise(values))


def test_without_bounds_it_is_the_newton_step():
    H, g, _ = models(4, hardest=2)
    free = Box.everywhere(len(g))
    want = -np.linalg.solve(H, g)
    np.testing.assert_allclose(least_by_factors(H, g, free, 1e-16), want, rtol=1e-9)
    np.testing.assert_allclose(by_products(lambda v: H @ v, g, free, 1 / np.diag(H), 1e-12, 999), want, rtol=1e-6)


def test_all_weights_fixed_and_none_at_all():
    for n in (0, 3):
        H, g, box = 2 * np.eye(n), np.ones(n), Box(np.zeros(n), np.zeros(n))
        assert least_by_factors(H, g, box, 1e-16).tolist() == [0.0] * n
        assert by_products(lambda v, H=H: H @ v, g, box, np.ones(n), 0.1, 9).tolist() == [0.0] * n


def test_a_singular_matrix_is_told_where_it_matters():
    H, g = np.ones((2, 2)), np.array([1.0, -1.0])
    with pytest.raises(NotPositiveDefinite):
        least_by_factors(H, g, Box(np.full(2, -9.0), np.full(2, 9.0)), 1e-16)
    d = least_by_factors(H, g, Box(np.array([0.0, -9.0]), np.full(2, 9.0)), 1e-16)  # the other weight alone is regular
    assert d.tolist() == [0.0, 1.0]
