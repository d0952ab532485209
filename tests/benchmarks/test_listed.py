"""PRSVM and PRSVM+, which the benchmarks compare with, are the function that rankine minimises."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.benchmark_utils.listed import ListedPairs, TwoLevels, count_pairs, count_two_levels

from rankine.data import Dataset, synthetic
from rankine.objectives import L2, Pairwise, Sum
from rankine.solvers import newton


def small(shape: str) -> Dataset:
    if shape != "ties":
        return synthetic.make(shape, scale=0.001)
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, size=(60, 4)).astype(float)  # equal scores, and margins of exactly one
    return Dataset.from_arrays(X, rng.integers(0, 4, size=60), qid=rng.integers(0, 9, size=60))


@pytest.mark.parametrize("shape", ["mslr10", "mqlist", "rcv1", "ctr", "ties"])
@pytest.mark.parametrize("listed", [ListedPairs, TwoLevels])
def test_same_function(shape, listed):
    data = small(shape)
    rng = np.random.default_rng(0)
    w, v = rng.integers(-1, 2, size=(2, data.n_features)).astype(float)
    pairwise, here = Pairwise(data, C=2.0).at(w), listed(data, 2.0).at(w)
    assert here.value == pytest.approx(pairwise.value, rel=1e-10)
    np.testing.assert_allclose(here.gradient, pairwise.gradient, rtol=0, atol=1e-10 * np.abs(pairwise.gradient).max())
    if shape not in ("ties", "ctr"):  # a pair at a margin of exactly one may count or not in a generalised Hessian
        product = pairwise.hessian_product(v)
        np.testing.assert_allclose(here.hessian_product(v), product, rtol=0, atol=1e-9 * np.abs(product).max())
    assert here.along(v)(0.3)[:2] == pytest.approx(pairwise.along(v)(0.3)[:2], rel=1e-8)


@pytest.mark.parametrize("listed", [ListedPairs, TwoLevels])
def test_same_optimum(listed):
    data = small("mslr10")
    optimum = newton(Sum([Pairwise(data), L2(data.n_features)]), tol=1e-8).value
    assert newton(Sum([listed(data, 1.0), L2(data.n_features)]), tol=1e-6).value == pytest.approx(optimum, rel=1e-9)


@pytest.mark.parametrize("shape", ["mslr10", "mqlist", "rcv1", "ties"])
def test_counts(shape):
    data = small(shape)
    assert count_pairs(data) == Pairwise(data).pair_mass.sum() == ListedPairs(data, 1.0).A.shape[0]
    assert len(TwoLevels(data, 1.0).rows) <= count_two_levels(data)
