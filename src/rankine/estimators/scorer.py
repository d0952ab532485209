"""Ranking metrics as scikit-learn scorers."""

from __future__ import annotations

from typing import Any

from sklearn.utils.metadata_routing import MetadataRequest

from rankine.data.frames import split_query_column
from rankine.metrics import Metric, evaluate


class RankingScorer:
    """A scorer that takes query ids, as `qid` or as the frame's column ``qid``. Make one with `ranking_scorer`."""

    def __init__(self, metric: str, knobs: dict[str, Any]):
        self.metric = metric
        self.knobs = knobs
        self.sign = -1.0 if Metric.parse(metric).lower_is_better else 1.0
        evaluate([1, 0], [1, 0], None, [metric], **knobs)  # what is misspelt is told now, not by each fold

    def __call__(self, estimator: Any, X: Any, y: Any, qid: Any = None) -> float:
        """The metric of an estimator's predictions."""
        if qid is None:
            qid = split_query_column(X)[1]
        if qid is None:
            raise ValueError(
                f"the scorer of {self.metric} got no qid: call sklearn.set_config(enable_metadata_routing=True) and "
                "pass qid to fit, or give a frame with a column 'qid'"
            )
        return self.sign * float(evaluate(y, estimator.predict(X), qid, [self.metric], **self.knobs)[self.metric])

    def get_metadata_routing(self) -> Any:
        """Tell scikit-learn that qid is wanted."""
        request = MetadataRequest(owner="ranking_scorer")
        request.score.add_request(param="qid", alias=True)
        return request

    def __repr__(self) -> str:
        return f"ranking_scorer({', '.join([repr(self.metric), *(f'{k}={v!r}' for k, v in self.knobs.items())])})"


def ranking_scorer(metric: str, **knobs: Any) -> RankingScorer:
    """A scorer for `GridSearchCV` and its kin.

    Parameters
    ----------
    metric
        A name as in `rankine.evaluate`, such as "nDCG@10". An error is negated: for scikit-learn, higher is better.
    **knobs
        dialect, gain, empty and ties, as in `rankine.evaluate`.

    >>> ranking_scorer("nDCG@10", dialect="letor4")
    ranking_scorer('nDCG@10', dialect='letor4')
    """
    return RankingScorer(metric, knobs)
