"""Folds of whole queries, with about equally many rows each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def query_folds(
    sizes: NDArray[np.int64], n_splits: int, *, shuffle: bool = False, seed: int | None = None
) -> NDArray[np.int64]:
    """The fold of each query.

    Queries are dealt out from the largest to the smallest, to and fro, so that folds get about equally many rows.

    Parameters
    ----------
    sizes
        The number of rows of each query.
    n_splits
        The number of folds.
    shuffle
        Whether queries of one size are dealt in random order.
    seed
        The seed of that order.

    >>> query_folds(np.array([5, 9, 1, 4]), 2)
    array([1, 0, 0, 1])
    """
    if n_splits < 2:
        raise ValueError(f"n_splits is {n_splits}; at least 2 folds are needed")
    if len(sizes) < n_splits:
        raise ValueError(f"n_splits is {n_splits}, but there are only {len(sizes)} queries")
    tie = np.random.default_rng(seed).permutation(len(sizes)) if shuffle else np.arange(len(sizes))
    order = np.lexsort((tie, -sizes))
    deal = np.concatenate([np.arange(n_splits), np.arange(n_splits)[::-1]])
    folds = np.empty(len(sizes), np.int64)
    folds[order] = np.resize(deal, len(sizes))
    return folds
