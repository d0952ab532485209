"""The five shapes look as promised, learn as promised, and come out the same for the same seed."""

import itertools
import subprocess
import sys

import numpy as np
import pytest

from rankine import _core
from rankine.data import synthetic

SMALL = {"mslr10": 0.02, "mslr30": 0.002, "mqlist": 0.01, "ctr": 0.002, "rcv1": 0.002}


def pairs(data):
    g = data.grouped
    return _core.pair_mass(_core.Queries(g.query_ptr, g.level, None, None, False)).sum()


@pytest.mark.parametrize("shape", synthetic.SHAPES)
def test_same_seed_same_data(shape):
    data = synthetic.make(shape, scale=SMALL[shape], seed=3)
    assert data.fingerprint == synthetic.make(shape, scale=SMALL[shape], seed=3).fingerprint
    assert data.fingerprint != synthetic.make(shape, scale=SMALL[shape], seed=4).fingerprint
    assert data.fingerprint != synthetic.make(shape, scale=4 * SMALL[shape], seed=3, part="test").fingerprint


@pytest.mark.parametrize(
    ("shape", "fingerprint"),
    [
        ("mslr10", "d42bbfc1a8ef01fc"),
        ("mslr30", "d42bbfc1a8ef01fc"),
        ("mqlist", "79438e8036c51051"),
        ("ctr", "a5fa6d7eac022663"),
        ("rcv1", "adc23cb08f6b5974"),
    ],
)
def test_every_machine_draws_the_same_data(shape, fingerprint):
    assert synthetic.make(shape, scale=SMALL[shape]).fingerprint == fingerprint


@pytest.mark.parametrize("shape", synthetic.SHAPES)
def test_parts_share_features_but_no_query(shape):
    train = synthetic.make(shape, scale=SMALL[shape])
    test = synthetic.make(shape, scale=SMALL[shape], part="test")
    assert train.n_features == test.n_features
    assert train.feature_names == test.feature_names
    assert not np.isin(train.query_ids, test.query_ids).any()
    assert test.n_rows < train.n_rows or train.n_queries == 2 or train.n_rows == 100
    for data in (train, test):
        assert data.grouped.rows.dtype == np.float32
        assert data.grouped.rows.first_not_finite() is None
        assert data.grouped.query_ptr[-1] == data.n_rows == len(data.grouped.label)


def test_mslr_looks_like_the_table():
    data = synthetic.make("mslr10", scale=0.2)
    assert (data.n_queries, data.n_rows, data.n_features) == (380, 45400, 136)
    share = np.bincount(data.grouped.label.astype(int)) / data.n_rows
    np.testing.assert_allclose(share, [0.52, 0.32, 0.13, 0.02, 0.01], atol=1e-3)
    assert pairs(data) == pytest.approx(10.4e6 * 0.2, rel=0.1)
    columns = data.grouped.rows.columns
    assert columns.least.min() >= 0
    assert columns.greatest.max() <= 1
    assert 50 < columns.spread.max() / columns.spread.min() < 1000
    X = data.grouped.rows.value[:5000].astype(float)
    singular = np.linalg.svd((X - X.mean(axis=0)) / X.std(axis=0), compute_uv=False)
    assert singular[90] > 10 * singular[91]  # 45 columns are nearly mixtures of the other 91


def test_mqlist_orders_each_query_fully():
    data = synthetic.make("mqlist", scale=0.02)
    assert (data.n_queries, data.n_features) == (9, 46)
    ptr = data.grouped.query_ptr
    for begin, end in itertools.pairwise(ptr):
        assert sorted(data.grouped.label[begin:end]) == list(range(end - begin))
    assert pairs(data) == pytest.approx(323e6 * 9 / 471, rel=0.1)


def test_ctr_has_many_levels_in_one_query():
    data = synthetic.make("ctr", scale=0.04)
    rows = data.grouped.rows
    assert (data.n_queries, data.n_rows, data.n_features) == (1, 20_000, 200_000)
    assert len(rows.value) / data.n_rows == pytest.approx(22, rel=0.05)
    assert 700 < len(np.unique(data.grouped.label)) <= 1001
    assert (rows.value == 1).all()
    filled = np.sort(rows.columns.n_filled)
    assert filled[-2000:].sum() > 0.6 * filled.sum()  # a hundredth of the columns holds most cells


def test_rcv1_has_unit_rows_and_few_relevant():
    data = synthetic.make("rcv1", scale=0.02)
    rows = data.grouped.rows
    assert (data.n_queries, data.n_rows, data.n_features) == (1, 15_600, 47_236)
    assert len(rows.value) / data.n_rows == pytest.approx(72, rel=0.05)
    np.testing.assert_allclose(np.add.reduceat(rows.value.astype(float) ** 2, rows.row_ptr[:-1]), 1, rtol=1e-5)
    assert data.grouped.label.sum() == 31
    assert rows.matrix.has_canonical_format


@pytest.mark.parametrize("shape", ["mslr10", "mqlist"])
def test_what_the_train_part_teaches_holds_on_the_test_part(shape):
    def centred(data):
        g = data.grouped
        size = np.diff(g.query_ptr)
        query = np.repeat(np.arange(len(size)), size)
        mean = np.add.reduceat(g.rows.value.astype(float), g.query_ptr[:-1]) / size[:, None]
        return g.rows.value - mean[query], g.label - (np.bincount(query, g.label) / size)[query]

    X, y = centred(synthetic.make(shape, scale=0.1))
    w = np.linalg.lstsq(X, y, rcond=1e-4)[0]
    X, y = centred(synthetic.make(shape, scale=0.1, part="test"))
    assert 0.4 < np.corrcoef(X @ w, y)[0, 1] < 0.9


@pytest.mark.parametrize("shape", synthetic.SHAPES)
def test_smallest_scale(shape):
    data = synthetic.make(shape, scale=1e-9, part="test")
    assert data.n_queries == (1 if shape in ("ctr", "rcv1") else 2)
    assert len(np.unique(data.grouped.label)) > 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"shape": "rvc1"}, "shape 'rvc1' is unknown; did you mean 'rcv1'"),
        ({"shape": "zzz"}, "There are: mslr10, mslr30"),
        ({"part": "valid"}, "part is 'valid'"),
        ({"scale": 0}, "scale is 0"),
        ({"scale": float("inf")}, "scale is inf"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_errors_say_what_would_be_right(wrong, message):
    with pytest.raises(ValueError, match=message):
        synthetic.make(**{"shape": "mslr10", **wrong})


def test_needs_numpy_only():
    program = (
        "import sys; from rankine.data import synthetic; synthetic.make('ctr', scale=1e-3).fingerprint; "
        "print([m for m in ('scipy', 'sklearn', 'pandas', 'narwhals') if m in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "[]"
