"""Metrics and standard errors from sums."""

import numpy as np
import pytest

import reference
from rankine.selection.tally import Tally


def draw(seed, n=50):
    rng = np.random.default_rng(seed)
    mass = rng.integers(0, 5, n).astype(float)
    return mass * rng.random(n), mass


@pytest.mark.parametrize("seed", range(5))
def test_value_and_error(seed):
    s, m = draw(seed)
    tally = Tally.of(s, m)
    assert (tally.value, tally.error) == pytest.approx(reference.ratio_and_error(s, m), rel=1e-12)


def test_a_mean_has_its_usual_error():
    values = draw(0)[0]
    tally = Tally.of(values, np.ones(len(values)))
    assert tally.value == pytest.approx(values.mean())
    assert tally.error == pytest.approx(values.std(ddof=1) / np.sqrt(len(values)))


def test_the_error_is_that_of_a_bootstrap():
    s, m = draw(1, 400)
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, 400, (2000, 400))
    assert Tally.of(s, m).error == pytest.approx((s[drawn].sum(1) / m[drawn].sum(1)).std(), rel=0.1)


def test_folds_add_up():
    s, m = draw(2)
    folds = [Tally.of(s[part], m[part]) for part in (slice(20), slice(20, 50))]
    both, all_of_them = folds[0].plus(folds[1]), Tally.of(s, m)
    assert (both.value, both.error) == pytest.approx((all_of_them.value, all_of_them.error), rel=1e-12)


def test_too_little_to_tell():
    nothing = Tally.of(np.zeros(3), np.zeros(3))
    assert nothing == Tally()
    assert np.isnan(nothing.value)
    one = Tally.of(np.ones(1), np.ones(1))
    assert one.value == 1
    assert np.isnan(one.error)
