"""Cross-validation by queries: no query is ever split over folds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metadata_routing import MetadataRequest

from rankine.data.frames import split_query_column
from rankine.data.grouping import group_by_id
from rankine.selection import query_folds


class QueryKFold:
    """K folds of whole queries with about equally many rows. Takes query ids as `qid`, `groups` or a column ``qid``.

    Parameters
    ----------
    n_splits
        The number of folds.
    shuffle
        Whether queries of one size are dealt in random order.
    random_state
        The seed of that order.

    Examples
    --------
    >>> folds = QueryKFold(2).split(np.zeros((4, 1)), qid=["a", "b", "a", "b"])
    >>> [test.tolist() for _, test in folds]
    [[0, 2], [1, 3]]
    """

    def __init__(self, n_splits: int = 5, *, shuffle: bool = False, random_state: int | None = None):
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None, qid: Any = None) -> int:  # noqa: ARG002
        """The number of folds."""
        return self.n_splits

    def split(
        self,
        X: Any,
        y: Any = None,  # noqa: ARG002
        groups: Any = None,
        qid: Any = None,
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """The rows to train on and to test on, fold by fold."""
        if qid is None:
            qid = split_query_column(X)[1] if groups is None else groups
        if qid is None:
            raise ValueError("QueryKFold needs query ids: pass qid or groups, or a frame with a column 'qid'")
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        grouping = group_by_id(qid, n_rows)
        sizes = np.diff(grouping.query_ptr)
        folds = query_folds(sizes, self.n_splits, shuffle=self.shuffle, seed=self.random_state)
        by_row = np.repeat(folds, sizes)
        if grouping.order is not None:
            by_row[grouping.order] = by_row.copy()
        for fold in range(self.n_splits):
            yield np.flatnonzero(by_row != fold), np.flatnonzero(by_row == fold)

    def get_metadata_routing(self) -> Any:
        """Tell scikit-learn that query ids are wanted."""
        request = MetadataRequest(owner="QueryKFold")
        request.split.add_request(param="groups", alias=True)
        request.split.add_request(param="qid", alias=True)
        return request

    def __repr__(self) -> str:
        return f"QueryKFold(n_splits={self.n_splits}, shuffle={self.shuffle}, random_state={self.random_state})"
