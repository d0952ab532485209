"""What the estimators of all recipes share: fit, predict, rank and score, as scikit-learn's users know them.

An estimator keeps its parameters as they are given and hands them to its recipe when it is fitted, so checks and
meaning live in one place.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from rankine.data import Dataset, Vector
from rankine.data.frames import split_query_column
from rankine.metrics import pair_accuracy
from rankine.model import Model
from rankine.recipes import Recipe


class Ranker(BaseEstimator):  # type: ignore[misc]
    """The base of all estimators. A subclass names its recipe and repeats its parameters in `__init__`."""

    _recipe: ClassVar[type[Recipe]]
    missing: str | float

    # Query ids reach fit and score through pipelines and searches without being asked for.
    __metadata_request__fit: ClassVar = {"qid": True}
    __metadata_request__score: ClassVar = {"qid": True}

    def fit(
        self,
        X: Any,
        y: Any,
        qid: Any = None,
        *,
        group: Any = None,
        sample_weight: Any = None,
        query_weight: Any = None,
        preferences: Any = None,
        start: Model | None = None,
    ) -> Self:
        """Learn from labelled rows.

        Parameters
        ----------
        X
            Rows and features: NumPy, SciPy sparse, or a pandas, Polars or Arrow frame, whose column ``qid``, if it has
            one, holds query ids.
        y
            The label of each row, any real number: higher is better.
        qid
            The query id of each row, in any order and of any type. Without qid and group all rows are one query.
        group
            The number of rows of each query instead, for rows that lie together by query.
        sample_weight
            A weight for each row: 2 is a row given twice, 0 a row left out (but see the parameter `row_weight`).
        query_weight
            A weight for each query, in the order of each query's first row.
        preferences
            Pairs of rows of one query that are to be in a given order: tuples of row numbers (winner, loser) or
            (winner, loser, weight). They count beside the labels, or alone with the parameter pairs="listed".
        start
            A model to start from, such as an earlier `model_`.
        """
        X, column = split_query_column(X)
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            ensure_all_finite=False,
            y_numeric=True,
        )
        data = Dataset.from_arrays(
            X,
            y,
            _one_qid(qid, column),
            group=group,
            sample_weight=sample_weight,
            query_weight=query_weight,
            feature_names=getattr(self, "feature_names_in_", None),
            missing="error" if self.missing == "error" else "keep",
        )
        if preferences is not None:
            data = data.with_preferences(preferences)
        model = self._recipe(**self.get_params()).fit(data, start=start)
        outcome = model.outcome
        assert outcome is not None
        if outcome.shortfall is not None:
            warnings.warn(
                f"{outcome.shortfall}. Raise max_iter, or scale the features (scale='std')",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.model_ = model
        self.coef_ = model.weights
        self.n_iter_ = outcome.n_iter
        self.gap_ = outcome.gap
        self.n_queries_ = data.n_queries
        return self

    def predict(self, X: Any) -> Vector:
        """Score rows: higher ranks higher. Scores compare within a query.

        Parameters
        ----------
        X
            Rows as in `fit`; a column ``qid`` of a frame is passed over.
        """
        return self._scores(split_query_column(X)[0])

    def rank(self, X: Any, qid: Any = None) -> NDArray[np.int64]:
        """Rank the rows of each query: 1 is best; tied rows rank in their order.

        Parameters
        ----------
        X
            Rows as in `fit`.
        qid
            The query id of each row; without it, and without a column ``qid``, all rows are one query.
        """
        rows, column = split_query_column(X)
        score = self._scores(rows)
        data = Dataset.from_arrays(np.zeros((len(score), 0)), qid=_one_qid(qid, column))
        ptr = data.grouped.query_ptr
        query = np.repeat(np.arange(data.n_queries), np.diff(ptr))
        best_first = np.lexsort((-data.group(score), query))
        ranks = np.empty(len(score), np.int64)
        ranks[best_first] = np.arange(1, len(score) + 1) - ptr[query]
        return data.restore(ranks)

    def score(self, X: Any, y: Any, qid: Any = None, *, sample_weight: Any = None) -> float:
        """Pairwise accuracy: the share of the pairs of all queries that are scored in the right order.

        Parameters
        ----------
        X
            Rows as in `fit`.
        y
            Their labels.
        qid
            The query id of each row; without it, and without a column ``qid``, all rows are one query.
        sample_weight
            A weight for each row; a pair weighs the product of its rows' weights.
        """
        rows, column = split_query_column(X)
        qid = _one_qid(qid, column)
        score = self._scores(rows)
        if qid is None and self.n_queries_ > 1:
            warnings.warn(
                f"score got no qid, so that all rows count as one query, but the model was fitted on {self.n_queries_} "
                "queries. In pipelines and searches, sklearn.set_config(enable_metadata_routing=True) lets qid through",
                stacklevel=2,
            )
        return pair_accuracy(y, score, qid, sample_weight=sample_weight)

    def _scores(self, X: Any) -> Vector:
        check_is_fitted(self)
        X = validate_data(
            self,
            X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            ensure_all_finite=False,
            reset=False,
        )
        return self.model_.score(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing != "error"
        tags.target_tags.required = True
        return tags


def _one_qid(qid: Any, column: Any) -> Any:
    if qid is not None and column is not None:
        raise ValueError("query ids are given twice: as qid and as the frame's column 'qid'")
    return column if qid is None else qid
