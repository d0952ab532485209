"""Data that tests draw: random, tied, single-label, empty, huge and tiny."""

from __future__ import annotations

import numpy as np
import scipy.sparse


def random_problem(seed: int, n_rows: int = 40, n_features: int = 4, n_queries: int = 3, n_levels: int = 4):
    """Rows with duplicates, tied labels and unequal queries, in mixed order."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    X[rng.random(X.shape) < 0.3] = 0.0
    if n_rows > 4:
        X[1] = X[3]
    y = rng.integers(0, n_levels, n_rows).astype(float)
    qid = rng.integers(0, n_queries, n_rows)
    return X, y, qid


def with_gaps(X: np.ndarray, features: list[int], seed: int = 0) -> np.ndarray:
    """The same matrix, rounded to float32, with NaN in some rows of these features."""
    X = X.astype(np.float32).astype(np.float64)
    for j in features:
        X[np.random.default_rng([seed, j]).random(len(X)) < 0.3, j] = np.nan
    return X


def storages(X: np.ndarray):
    """The same matrix in all four storages; float32 ones are exact because X is rounded first."""
    X = X.astype(np.float32).astype(np.float64)
    return X, {
        "dense64": X,
        "dense32": X.astype(np.float32),
        "sparse64": scipy.sparse.csr_array(X),
        "sparse32": scipy.sparse.csr_array(X.astype(np.float32)),
    }
