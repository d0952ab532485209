"""Scales: factors by their definitions in all storages, finite for any column, and warnings that name the culprits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from problems import random_problem, storages
from rankine.data import Dataset, Rows, synthetic
from rankine.data.scales import scale_factors, scale_warning

KINDS = ["max", "std", "minmax"]
SIZES = {"max": lambda X: np.abs(X).max(0), "std": lambda X: X.std(0), "minmax": lambda X: np.ptp(X, 0)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("storage", ["dense64", "dense32", "sparse64", "sparse32"])
def test_scaled_features_have_size_one(kind, storage):
    X, stored = storages(random_problem(0)[0] * [1, -1000, 0.01, 1] + [0, 0, 0, 50])
    np.testing.assert_allclose(scale_factors(Rows.of(stored[storage]), kind), 1 / SIZES[kind](X), rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_constant_features_keep_their_values(kind):
    X = np.tile([0.0, 0.1, -7e300, 5e-324], (6, 1))
    np.testing.assert_array_equal(scale_factors(Rows.of(X), kind), 1.0)
    for empty in (np.zeros((0, 4)), X[:1]):
        np.testing.assert_array_equal(scale_factors(Rows.of(empty), kind), 1.0)


@pytest.mark.parametrize("kind", KINDS)
@given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=9))
def test_factors_are_sensible_for_any_column(kind, values):
    factor = scale_factors(Rows.of(np.array(values)[:, None]), kind)
    assert 0 < factor[0] < np.inf
    assert np.isfinite(factor**2 * factor).all()


def warned(X, names=None):
    return scale_warning(Dataset.from_arrays(X, np.arange(len(X)), feature_names=names))


def test_the_warning_names_the_worst_columns_and_the_remedy():
    X = np.random.default_rng(0).normal(size=(50, 6))
    assert warned(X) is None
    assert warned(X * [1, 1, 500, 1, 1, 1]) is None
    text = warned(X * [1, 1, 1e6, 1, 1e-5, 1])
    assert "median" in text
    assert "feature 3 (" in text
    assert "feature 5 (" in text
    assert "feature 1 (" not in text
    assert "scale='std' (--scale std)" in text
    assert "feature 'clicks' (" in warned(X[:, :2] * [1, 1e4], ["bm25", "clicks"])


def test_what_cannot_be_compared_does_not_warn():
    assert warned(np.zeros((0, 3))) is None
    assert warned(np.ones((5, 3)) * [1, 1e9, 0]) is None
    assert warned(np.c_[np.arange(5.0), np.full(5, 1e12)]) is None
    assert warned(np.c_[np.arange(5.0), 1e9 + np.arange(5.0)]) is None  # far from zero, but as spread out


def test_a_rare_feature_is_not_a_small_one():
    X = np.zeros((3_000_000, 2), np.float32)
    X[::2, 0] = 1
    X[7, 1] = 1
    assert warned(X) is None


def test_values_too_large_to_square():
    text = warned(np.array([[1e308, 0.0], [-1.7e308, 1.0], [0.0, 2.0]]))
    assert "feature 1 (1" in text
    assert "inf" not in text
    assert "nan" not in text


@pytest.mark.parametrize("shape", synthetic.SHAPES)
def test_synthetic_data_does_not_warn(shape):
    assert scale_warning(synthetic.make(shape, scale=0.02 if shape != "mslr30" else 0.002)) is None
