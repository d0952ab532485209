"""The pairwise objective against listed pairs, finite differences, and its invariances."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from problems import random_problem, storages
from rankine.data import DataError, Dataset, synthetic
from rankine.objectives import L2, LOSSES, Pairwise, Rescaled, Sum
from rankine.objectives.pairwise import COUNTINGS


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("pairs", ["all", "adjacent"])
@pytest.mark.parametrize("n_levels", [2, 5, 40])
@pytest.mark.parametrize("storage", ["dense64", "dense32", "sparse64", "sparse32"])
def test_agrees_with_listed_pairs(loss, pairs, n_levels, storage):
    X, y, qid = random_problem(seed=n_levels, n_levels=n_levels)
    X, stored = storages(X)
    rng = np.random.default_rng(1)
    w, v, sample_weight = rng.normal(size=4), rng.normal(size=4), rng.random(len(y))
    data = Dataset.from_arrays(stored[storage], y, qid, sample_weight=sample_weight)
    point = Pairwise(data, loss, C=0.7, pairs=pairs).at(w)
    weights = reference.pair_weights(y, qid, pairs=pairs, sample_weight=sample_weight)
    value, gradient, hessian = reference.pairwise_loss(X, weights, w, loss)
    np.testing.assert_allclose(point.value, 0.7 * value, rtol=1e-12)
    np.testing.assert_allclose(point.gradient, 0.7 * gradient, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(point.hessian_product(v), 0.7 * hessian @ v, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(point.hessian(), 0.7 * hessian, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(point.hessian(single=True), 0.7 * hessian, rtol=1e-4, atol=1e-5 * abs(hessian).max())
    bound = 0.7 * np.diag(hessian)
    assert (2 * point.diagonal() >= bound - 1e-9).all()


@pytest.mark.parametrize("counting", COUNTINGS)
@pytest.mark.parametrize("n_levels", [2, 8, 9, 17, 300])
@pytest.mark.parametrize("pairs", ["all", "adjacent"])
def test_every_counter_finds_the_same(counting, n_levels, pairs):
    X, y, qid = random_problem(seed=n_levels, n_rows=600, n_levels=n_levels)
    data = Dataset.from_arrays(X, y, qid)
    w, v = np.random.default_rng(5).normal(size=(2, 4))
    want, got = (Pairwise(data, pairs=pairs, counting=name).at(w) for name in ("auto", counting))
    np.testing.assert_allclose(got.value, want.value, rtol=1e-13)
    np.testing.assert_allclose(got.gradient, want.gradient, rtol=1e-10)
    np.testing.assert_allclose(got.hessian_product(v), want.hessian_product(v), rtol=1e-10)


def test_an_unknown_counter_is_an_error():
    with pytest.raises(ValueError, match=r'counting is one of "auto", "direct", .*, not "abacus"'):
        Pairwise(Dataset.from_arrays([[1.0], [2.0]], [0, 1]), counting="abacus")


@pytest.mark.parametrize(("shape", "scale"), [("ctr", 0.2), ("rcv1", 0.13), ("mslr10", 0.02), ("mqlist", 0.02)])
def test_shapes_keep_their_bits_on_any_number_of_threads(shape, scale):
    data = synthetic.make(shape, scale=scale)  # the first two are one query that all threads work on
    v = np.random.default_rng(6).normal(size=data.n_features)
    seen = []
    for n_threads in (1, 2, 3, 7):
        point = Pairwise(data, n_threads=n_threads).at(0.01 * v)
        curve = point.along(v)(0.1)
        seen.append([point.value, *curve, point.gradient, point.hessian_product(v), point.diagonal(), point.score])
    for other in seen[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(seen[0], other, strict=True))


def test_a_query_of_all_threads_adds_up_like_small_ones():
    rng = np.random.default_rng(7)
    n = 70_000  # one query of n rows with two levels, and the same pairs by brute force over few winners
    X, y = rng.normal(size=(n, 3)), np.zeros(n)
    y[::7000] = 1
    w, v = rng.normal(size=(2, 3))
    point = Pairwise(Dataset.from_arrays(X, y)).at(w)
    D = X[y == 1][:, None, :] - X[y == 0][None, :, :]
    D = D.reshape(-1, 3)
    residual = np.maximum(0, 1 - D @ w)
    np.testing.assert_allclose(point.value, (residual**2).sum(), rtol=1e-12)
    np.testing.assert_allclose(point.gradient, -2 * residual @ D, rtol=1e-10)
    np.testing.assert_allclose(point.hessian_product(v), 2 * ((residual > 0) * (D @ v)) @ D, rtol=1e-10)


@pytest.mark.parametrize("storage", ["dense64", "sparse32"])
def test_few_active_rows_are_enough(storage):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(900, 4))
    y = (X[:, 0] + 0.01 * rng.normal(size=900) > 0).astype(float)
    X, stored = storages(X)
    data = Dataset.from_arrays(stored[storage], y, np.arange(900) % 3)
    w = np.array([40.0, 0.1, 0.0, -0.1])  # nearly all pairs are far apart
    point = Pairwise(data).at(w)
    weights = reference.pair_weights(y, np.arange(900) % 3)
    value, gradient, hessian = reference.pairwise_loss(X, weights, w, "squared_hinge")
    np.testing.assert_allclose(point.value, value, rtol=1e-10)
    np.testing.assert_allclose(point.gradient, gradient, rtol=1e-9)
    np.testing.assert_allclose(point.hessian_product(np.ones(4)), hessian @ np.ones(4), rtol=1e-9)


@pytest.mark.parametrize("pair_weight", ["uniform", "query", "gain"])
@pytest.mark.parametrize("row_weight", ["product", "winner"])
def test_weights_mean_what_they_say(pair_weight, row_weight):
    X, y, qid = random_problem(seed=7)
    rng = np.random.default_rng(2)
    w, sample_weight = rng.normal(size=4), rng.integers(0, 4, len(y)).astype(float)
    firsts = list(dict.fromkeys(qid.tolist()))
    query_weight = dict(zip(firsts, [0.5, 2.0, 0.0], strict=True))
    data = Dataset.from_arrays(X, y, qid, sample_weight=sample_weight, query_weight=list(query_weight.values()))
    objective = Pairwise(data, pair_weight=pair_weight, row_weight=row_weight)
    weights = reference.pair_weights(
        y,
        qid,
        pair_weight=pair_weight,
        row_weight=row_weight,
        sample_weight=sample_weight,
        query_weight=query_weight,
    )
    value, gradient, _ = reference.pairwise_loss(X, weights, w)
    np.testing.assert_allclose(objective.at(w).value, value, rtol=1e-12)
    np.testing.assert_allclose(objective.at(w).gradient, gradient, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(objective.pair_mass.sum(), sum(weights.values()), rtol=1e-12)


@pytest.mark.parametrize("loss", [*LOSSES, "smoothed hinge 0.25"])
@pytest.mark.parametrize("n_levels", [3, 40])
@pytest.mark.parametrize("pairs", ["all", "adjacent"])
@pytest.mark.parametrize("weighted", [False, True])
def test_gains_weigh_the_pairs(loss, n_levels, pairs, weighted):
    X, y, qid = random_problem(seed=8, n_rows=120, n_levels=n_levels)
    y = 0.2 * y
    rng = np.random.default_rng(3)
    w, v = rng.normal(size=(2, 4))
    sample_weight = rng.random(len(y)) if weighted else None
    data = Dataset.from_arrays(X, y, qid, sample_weight=sample_weight)
    name, window = ("hinge", 0.25) if " " in loss else (loss, 0.0)
    point = Pairwise(data, name, window, pairs=pairs, pair_weight="gain").at(w)
    weights = reference.pair_weights(y, qid, pairs=pairs, pair_weight="gain", sample_weight=sample_weight)
    value, gradient, hessian = reference.pairwise_loss(X, weights, w, loss)
    np.testing.assert_allclose(point.value, value, rtol=1e-12)
    np.testing.assert_allclose(point.gradient, gradient, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(point.hessian_product(v), hessian @ v, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(point.hessian(), hessian, rtol=1e-10, atol=1e-10)


def test_gains_are_linear_or_powers_of_two():
    data = Dataset.from_arrays(np.eye(4), [0, 1, 3, 2000])
    linear = Pairwise(data, pair_weight="gain", gain="linear").pair_mass
    np.testing.assert_allclose(linear, 1 + 3 + 2000 + 2 + 1999 + 1997)
    with pytest.raises(DataError, match=r"gain 2\^label overflows for label 2000; gain='linear'"):
        Pairwise(data, pair_weight="gain")


@pytest.mark.parametrize("window", [0.0, 1e-3, 0.3, 1.0, 4.0])
def test_a_smoothed_hinge_stands_below_and_knows_the_hinge(window):
    X, y, qid = random_problem(seed=13, n_levels=6)
    weights = reference.pair_weights(y, qid)
    hinge = Pairwise(Dataset.from_arrays(X, y, qid), "hinge", C=0.7)
    rng = np.random.default_rng(5)
    w, others = rng.normal(size=4), rng.normal(size=(20, 4))
    point = hinge.smoothed(window).at(w)
    name = f"smoothed hinge {window}" if window > 0 else "hinge"
    np.testing.assert_allclose(point.value, 0.7 * reference.pairwise_loss(X, weights, w, name)[0], rtol=1e-12)
    exact = 0.7 * reference.pairwise_loss(X, weights, w, "hinge")[0]
    np.testing.assert_allclose(point.exact, exact, rtol=1e-12)
    assert -1e-12 * exact <= exact - point.value <= 0.7 * window / 2 * len(weights) + 1e-12 * exact
    for other in [w, *others]:
        plane = point.offset + point.gradient @ other
        assert plane <= 0.7 * reference.pairwise_loss(X, weights, other, "hinge")[0] + 1e-10


@pytest.mark.parametrize("loss", sorted(set(LOSSES) - {"hinge"}))
def test_only_the_hinge_has_a_corner(loss):
    X, y, qid = random_problem(seed=13)
    whole = Sum([Rescaled(Pairwise(Dataset.from_arrays(X, y, qid), loss), np.ones(4)), L2(4)])
    point, other = whole.smoothed(0.5).at(np.ones(4)), whole.at(np.zeros(4))
    assert point.exact == point.value == whole.at(np.ones(4)).value
    assert point.offset <= other.value
    with pytest.raises(ValueError, match="no window"):
        Pairwise(Dataset.from_arrays(X, y, qid), loss, 0.5).at(np.ones(4))


@pytest.mark.parametrize("m", [0.0, 1e-9, 1.0, 40.0, 700.0, 1e5])
def test_the_logistic_loss_keeps_its_digits(m):
    data = Dataset.from_arrays([[1.0], [0.0]], [1, 0])
    right, wrong = Pairwise(data, "logistic").at(np.array([m])), Pairwise(data, "logistic").at(np.array([-m]))
    np.testing.assert_allclose(right.value, np.log1p(np.exp(-m)), rtol=1e-15, atol=1e-300)
    np.testing.assert_allclose(wrong.value, m + np.log1p(np.exp(-m)), rtol=1e-15)
    np.testing.assert_allclose(wrong.gradient, [-1 / (1 + np.exp(-m))], rtol=1e-15)
    np.testing.assert_allclose(right.gradient, [-np.exp(-m) / (1 + np.exp(-m))], rtol=1e-14, atol=1e-300)


def test_weight_two_is_a_row_given_twice():
    X, y, qid = random_problem(seed=3)
    count = np.random.default_rng(3).integers(0, 3, len(y))
    weighted = Dataset.from_arrays(X, y, qid, sample_weight=count)
    repeated = Dataset.from_arrays(X.repeat(count, axis=0), y.repeat(count), qid.repeat(count))
    w = np.ones(4)
    np.testing.assert_allclose(Pairwise(weighted).at(w).gradient, Pairwise(repeated).at(w).gradient, rtol=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
def test_derivatives_pass_finite_differences(loss):
    X, y, qid = random_problem(seed=11, n_rows=80)
    objective = Sum([Pairwise(Dataset.from_arrays(X, y, qid), loss, C=0.3), L2(4, 0.5)])
    rng = np.random.default_rng(4)
    w, d = rng.normal(size=4), rng.normal(size=4)
    point, h = objective.at(w), 1e-6
    ahead, behind = objective.at(w + h * d), objective.at(w - h * d)
    np.testing.assert_allclose((ahead.value - behind.value) / (2 * h), point.gradient @ d, rtol=1e-7)
    np.testing.assert_allclose((ahead.gradient - behind.gradient) / (2 * h), point.hessian_product(d), rtol=1e-5)
    phi = point.along(d)
    for t in (-2.0, 0.0, 0.3, 5.0):
        there = objective.at(w + t * d)
        curve = phi(t)
        np.testing.assert_allclose(curve.value, there.value, rtol=1e-12)
        np.testing.assert_allclose(curve.slope, there.gradient @ d, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(curve.curvature, there.hessian_product(d) @ d, rtol=1e-10)


def test_rescaled_is_the_loss_on_scaled_features():
    X, y, qid = random_problem(seed=5)
    factor = np.array([2.0, 0.1, 1.0, 30.0])
    outside = Rescaled(Pairwise(Dataset.from_arrays(X, y, qid)), factor)
    inside = Pairwise(Dataset.from_arrays(X * factor, y, qid))
    w, d = np.array([0.1, 1.0, -0.3, 0.01]), np.array([1.0, 2.0, 3.0, 4.0])
    a, b = outside.at(w), inside.at(w)
    np.testing.assert_allclose(a.value, b.value, rtol=1e-12)
    np.testing.assert_allclose(a.gradient, b.gradient, rtol=1e-10)
    np.testing.assert_allclose(a.hessian_product(d), b.hessian_product(d), rtol=1e-10)
    np.testing.assert_allclose(a.diagonal(), b.diagonal(), rtol=1e-10)
    np.testing.assert_allclose(a.along(d)(0.2), b.along(d)(0.2), rtol=1e-10)


@given(seed=st.integers(0, 10**6), n_threads=st.integers(1, 4), n_rows=st.integers(1, 60), k=st.integers(1, 60))
@settings(max_examples=60, deadline=None)
def test_any_thread_count_gives_the_same_bits(seed, n_threads, n_rows, k):
    X, y, qid = random_problem(seed, n_rows=n_rows, n_queries=7, n_levels=k)
    data = Dataset.from_arrays(X, y, qid)
    w = np.random.default_rng(seed).normal(size=4)
    one, many = (Pairwise(data, n_threads=n).at(w) for n in (1, n_threads))
    assert one.value == many.value
    assert (one.gradient == many.gradient).all()
    assert (one.hessian_product(w) == many.hessian_product(w)).all()


def test_threads_share_large_data_and_keep_the_bits():
    X, y, qid = random_problem(0, n_rows=20_000, n_queries=300, n_levels=5)
    data = Dataset.from_arrays(X, y, qid)
    w = np.array([1.0, -1.0, 0.5, 2.0])
    gradients = [Pairwise(data, n_threads=n).at(w).gradient for n in (1, 2, 3, 8)]
    assert all((g == gradients[0]).all() for g in gradients)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_order_of_rows_shifts_and_monotone_labels_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    X, y, qid = random_problem(seed)
    w = rng.normal(size=4)
    base = Pairwise(Dataset.from_arrays(X, y, qid)).at(w)
    mixed = rng.permutation(len(y))
    shifted = y + qid * 10  # another shift for every query
    stretched = np.exp(y) * 1e15
    for other in (
        Dataset.from_arrays(X[mixed], y[mixed], qid[mixed]),
        Dataset.from_arrays(X, shifted, qid),
        Dataset.from_arrays(X, stretched, qid),
        Dataset.from_arrays(X + 100 * rng.normal(size=3)[qid][:, None], y, qid),  # and of every query's features
    ):
        there = Pairwise(other).at(w)
        np.testing.assert_allclose(there.value, base.value, rtol=1e-10)
        np.testing.assert_allclose(there.gradient, base.gradient, rtol=1e-9, atol=1e-9)


def test_a_query_given_twice_counts_twice():
    X, y, qid = random_problem(1)
    w = np.ones(4)
    once = Pairwise(Dataset.from_arrays(X, y, qid)).at(w)
    twice = Pairwise(Dataset.from_arrays(np.vstack([X, X]), np.tile(y, 2), np.concatenate([qid, qid + 99]))).at(w)
    np.testing.assert_allclose(twice.value, 2 * once.value, rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1e8, 1e100])
def test_extreme_scales_keep_their_digits(scale):
    X, y, qid = random_problem(9)
    w = np.ones(4) / scale
    weights = reference.pair_weights(y, qid)
    value, gradient, _ = reference.pairwise_loss(X, weights, np.ones(4))
    point = Pairwise(Dataset.from_arrays(X * scale, y, qid)).at(w)
    np.testing.assert_allclose(point.value, value, rtol=1e-9)
    np.testing.assert_allclose(point.gradient / scale, gradient, rtol=1e-9)


def test_scores_that_overflow_are_an_error():
    data = Dataset.from_arrays([[1e300], [-1e300]], [0, 1])
    with pytest.raises(OverflowError, match="scale the features"):
        Pairwise(data).at(np.array([1e300]))


def test_all_tied_scores_and_queries_without_pairs():
    data = Dataset.from_arrays(np.zeros((6, 2)), [0, 1, 2, 5, 5, 5], [0, 0, 0, 1, 1, 1])
    point = Pairwise(data).at(np.array([3.0, 4.0]))
    assert point.value == 3.0  # three pairs at margin 0
    assert (point.gradient == 0).all()
    empty = Dataset.from_arrays(np.zeros((0, 2)), [])
    assert Pairwise(empty).at(np.zeros(2)).value == 0.0


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("storage", ["dense64", "dense32", "sparse64", "sparse32"])
def test_queries_of_weight_zero_are_as_if_absent(loss, storage):
    X, y, qid = random_problem(seed=22, n_rows=200, n_queries=12)
    weight = (np.arange(12) % 3).astype(float)
    data = Dataset.from_arrays(storages(X)[1][storage], y, qid, query_weight=weight)
    all_of_them, rest = Pairwise(data, loss), Pairwise(data.take_queries(np.flatnonzero(weight)), loss)
    w, v = np.random.default_rng(8).normal(size=(2, 4))
    one, other = all_of_them.at(w), rest.at(w)
    np.testing.assert_allclose(one.value, other.value, rtol=1e-12)
    np.testing.assert_allclose(one.gradient, other.gradient, rtol=1e-11)
    np.testing.assert_allclose(one.hessian_product(v), other.hessian_product(v), rtol=1e-11)
    np.testing.assert_allclose(one.hessian(), other.hessian(), rtol=1e-11)
    np.testing.assert_allclose(one.diagonal(), other.diagonal(), rtol=1e-11)
    np.testing.assert_allclose(one.along(v)(0.3), other.along(v)(0.3), rtol=1e-11)


def test_a_large_query_of_weight_zero_is_as_if_absent():
    rng = np.random.default_rng(9)
    X, y, qid = rng.normal(size=(70_040, 2)), rng.integers(0, 3, 70_040), np.minimum(np.arange(70_040) // 20, 2)
    weighted = Pairwise(Dataset.from_arrays(X, y, qid, query_weight=[1.0, 1.0, 0.0]))
    w = rng.normal(size=2)
    for n_threads in (1, 2):
        point = Pairwise(weighted.data, n_threads=n_threads).at(w)
        expected = Pairwise(weighted.data.take_queries([0, 1])).at(w)
        np.testing.assert_allclose(point.value, expected.value, rtol=1e-12)
        np.testing.assert_allclose(point.hessian_product(w), expected.hessian_product(w), rtol=1e-12)


@pytest.mark.parametrize("n_features", [1, 7, 8, 9, 136])
@pytest.mark.parametrize("n_levels", [3, 30])
def test_each_column_of_the_hessian_is_a_product(n_features, n_levels):
    rng = np.random.default_rng(n_features)
    X = rng.normal(size=(900, n_features)).astype(np.float32)
    y, qid = rng.integers(n_levels, size=900), rng.integers(5, size=900)
    w = rng.normal(size=n_features) / n_features
    point = Pairwise(Dataset.from_arrays(X, y, qid), n_threads=2).at(w)
    hessian = point.hessian()
    products = np.array([point.hessian_product(v) for v in np.eye(n_features)])
    np.testing.assert_allclose(hessian, products, atol=1e-11 * abs(products).max())
    np.testing.assert_allclose(point.hessian(single=True), products, atol=1e-5 * abs(products).max())
    alone = Pairwise(Dataset.from_arrays(X, y, qid), n_threads=1).at(w)
    assert (alone.hessian() == hessian).all()


def test_sums_and_rescaling_pass_the_hessian_on():
    X, y, qid = random_problem(seed=21)
    factor = np.array([0.5, 2.0, 1.0, -3.0])
    point = Rescaled(Sum([Pairwise(Dataset.from_arrays(X, y, qid)), L2(4, 0.5)]), factor).at(np.ones(4))
    products = np.array([point.hessian_product(v) for v in np.eye(4)])
    np.testing.assert_allclose(point.hessian(), products, rtol=1e-11)
