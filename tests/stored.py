"""Data sets with everything that files may hold, and whether two are the same to the last bit."""

import numpy as np
import scipy.sparse

from problems import random_problem
from rankine.data import Dataset

IDS = {
    "int": lambda qid: qid * 10**15 - 7,
    "int8": lambda qid: qid.astype(np.int8),
    "float": lambda qid: qid / 3,
    "str": lambda qid: np.array(["", "ü b", "q3 "])[qid],
    "bool": lambda qid: qid > 0,
}


def problem(seed=0, storage="dense64", ids="int", in_order=False, extras=True, n_rows=40):
    """A data set with everything that a data set can have."""
    X, y, qid = random_problem(seed, n_rows=n_rows)
    X[0, :2] = -0.0, 5e-324
    qid = np.sort(qid) if in_order else qid
    rng = np.random.default_rng(seed)
    more = {
        "feature_names": ["a", "b", "café", "d d"],
        "doc_ids": [f"d{i}" for i in rng.integers(0, 999, n_rows)],
        "sample_weight": rng.random(n_rows),
        "query_weight": rng.random(len(np.unique(IDS[ids](qid)))),
    }
    X = X.astype(storage.replace("dense", "float").replace("sparse", "float"))
    X = scipy.sparse.csr_array(X) if storage.startswith("sparse") else X
    return Dataset.from_arrays(X, y + 0.1, IDS[ids](qid), **(more if extras else {}))


def assert_same(a, b):
    """Equal to the last bit, from inside and outside."""
    for name in ("value", "row_ptr", "index"):
        x, y = getattr(a.grouped.rows, name), getattr(b.grouped.rows, name)
        assert (x is None) == (y is None)
        assert x is None or (x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes())
    assert a.n_features == b.n_features
    assert a.feature_names == b.feature_names
    for name in ("label", "qid", "doc_ids", "sample_weight", "query_ids"):
        x, y = getattr(a, name), getattr(b, name)
        is_text = x is not None and x.dtype.kind == "U"  # whose width is that of the longest that is there
        np.testing.assert_array_equal(x.astype(y.dtype) if is_text else x, y, strict=True)
    for name in ("query_ptr", "query_weight"):
        np.testing.assert_array_equal(getattr(a.grouped, name), getattr(b.grouped, name))
    assert (abs(a.X - b.X)).max() == 0
    assert a.fingerprint == b.fingerprint
