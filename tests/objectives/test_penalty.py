"""Penalties with a centre and factors, and boxes: the formulas as written, and minima that no point undercuts."""

import numpy as np
import pytest

from rankine.objectives import L2, Box

CENTRE, FACTORS = np.array([0.5, -1.0, 0.0, 2.0]), np.array([1.0, 10.0, 0.1, 3.0])


def written(w, centre=0.0, factors=1.0, strength=1.0):
    return 0.5 * strength * float(np.sum(factors * (w - centre) ** 2))


@pytest.mark.parametrize(
    "options", [{}, {"centre": CENTRE}, {"factors": FACTORS}, {"centre": CENTRE, "factors": FACTORS}]
)
@pytest.mark.parametrize("strength", [1.0, 0.3])
def test_a_penalty_is_its_formula(options, strength):
    penalty = L2(4, strength, **options)
    w, d = np.random.default_rng(0).normal(size=(2, 4))
    point, h = penalty.at(w), 1e-6
    assert point.value == pytest.approx(written(w, strength=strength, **options), rel=1e-14)
    ahead, behind = (written(w + s * h * d, strength=strength, **options) for s in (1, -1))
    assert point.gradient @ d == pytest.approx((ahead - behind) / (2 * h), rel=1e-8)
    change = penalty.at(w + h * d).gradient - penalty.at(w - h * d).gradient
    np.testing.assert_allclose(point.hessian_product(d), change / (2 * h), rtol=1e-8)
    np.testing.assert_allclose(point.hessian() @ d, point.hessian_product(d), rtol=1e-15)
    np.testing.assert_array_equal(point.diagonal(), np.diag(point.hessian()))
    np.testing.assert_array_equal(point.diagonal(), np.full(4, penalty.strong_convexity))
    for t in (-2.0, 0.0, 0.7):
        there, curve = penalty.at(w + t * d), point.along(d)(t)
        np.testing.assert_allclose(curve, [there.value, there.gradient @ d, d @ point.hessian_product(d)], rtol=1e-12)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan])
def test_factors_and_strength_must_be_positive(bad):
    with pytest.raises(ValueError, match="must be positive"):
        L2(2, bad)
    with pytest.raises(ValueError, match="must be positive"):
        L2(2, factors=np.array([1.0, bad]))


@pytest.mark.parametrize("options", [{}, {"centre": CENTRE, "factors": FACTORS}])
@pytest.mark.parametrize("seed", range(10))
def test_no_point_of_a_box_is_below_the_lower_bound_and_one_attains_it(options, seed):
    rng = np.random.default_rng(seed)
    lower, upper = -rng.random(4), 2 * rng.random(4)
    lower[rng.random(4) < 0.3], upper[rng.random(4) < 0.3] = -np.inf, np.inf
    lower[0] = upper[0] = 0.25 * seed
    box, slope, penalty = Box(lower, upper), 3 * rng.normal(size=4), L2(4, **options)
    bound = penalty.lower_bound(1.5, slope, box)

    def value(w):
        return 1.5 + slope @ w + written(w, **options)

    points = np.clip(rng.normal(size=(2000, 4)) * 5, lower, upper)
    assert min(map(value, points)) >= bound - 1e-12
    best = np.clip(options.get("centre", 0.0) - slope / options.get("factors", 1.0), lower, upper)
    assert value(best) == pytest.approx(bound, rel=1e-12, abs=1e-12)
    everywhere = penalty.lower_bound(1.5, slope)
    assert everywhere <= bound
    assert everywhere == pytest.approx(penalty.lower_bound(1.5, slope, Box.everywhere(4)), rel=1e-15)


def test_bounds_hold_what_would_leave():
    box = Box(np.array([0.0, -np.inf, 1.0, 0.0]), np.array([np.inf, 2.0, 1.0, 5.0]))
    w = np.array([0.0, 2.0, 1.0, 3.0])
    assert box.free(w, np.array([1.0, 1.0, -1.0, 9.0])).tolist() == [False, True, False, True]
    assert box.free(w, np.array([-1.0, -1.0, 1.0, 0.0])).tolist() == [True, False, False, True]
    assert box.nearest(np.array([-1.0, 3.0, 0.0, 4.0])).tolist() == [0.0, 2.0, 1.0, 4.0]
    assert box.bounded
    assert not Box.everywhere(3).bounded


def test_what_is_led_to_a_bound_ends_there_to_the_last_bit():
    rng = np.random.default_rng(1)
    lower, w, factor = rng.normal(size=1000), 1e3 * rng.random(1000) + 5, np.exp(rng.normal(size=1000))
    box = Box(lower, np.full(1000, np.inf))
    step = lower - w
    assert (w + step != lower).any()  # which is the trap
    np.testing.assert_array_equal(box.placed(w + step, step, box.seen_from(w)), lower)
    scaled = box.rescaled(factor)
    assert (scaled.lower * factor != lower).any()
    np.testing.assert_array_equal(box.placed(scaled.lower * factor, scaled.lower, scaled), lower)
