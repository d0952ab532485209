"""Cholesky's factor against NumPy's solver, at every size of its blocks, on bad scales, and where there is none."""

import numpy as np
import pytest

from rankine.solvers.cholesky import Cholesky, NotPositiveDefinite
from rankine.solvers.newton import factored


def positive(n, seed=0):
    X = np.random.default_rng(seed).normal(size=(n + 5, n))
    return X.T @ X + np.eye(n)


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 128, 200])
def test_solves(n):
    matrix, g = positive(n), np.random.default_rng(1).normal(size=n)
    kept = matrix.copy()
    np.testing.assert_allclose(Cholesky(matrix).solve(g), np.linalg.solve(matrix, g), rtol=1e-9)
    np.testing.assert_array_equal(matrix, kept)


def test_scales_do_not_matter():
    scale = np.logspace(-100, 100, 80)
    g = np.random.default_rng(1).normal(size=80)
    there = Cholesky(scale[:, None] * positive(80) * scale).solve(scale * g)
    np.testing.assert_allclose(scale * there, np.linalg.solve(positive(80), g), rtol=1e-9)


@pytest.mark.parametrize("matrix", [np.ones((3, 3)), np.diag([1.0, -1.0, 2.0]) + np.ones((3, 3)), np.zeros((2, 2))])
def test_what_is_singular_is_refused_and_a_ridge_helps(matrix):
    if matrix.any():
        with pytest.raises(NotPositiveDefinite):
            Cholesky(matrix)

    class Point:
        def hessian(self, single=False):  # noqa: ARG002
            return matrix

    factor, single = factored(Point(), single=True)
    assert not single or not matrix.any()
    assert np.isfinite(factor.solve(np.ones(len(matrix)))).all()


def test_overflow_is_an_error():
    with pytest.raises(OverflowError, match="scale the features"):
        Cholesky(np.full((2, 2), np.inf))
