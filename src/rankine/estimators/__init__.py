"""The scikit-learn face of each recipe, a scorer and a splitter: the only room that imports scikit-learn."""

from rankine.estimators.ranksvm import RankSVM
from rankine.estimators.scorer import ranking_scorer
from rankine.estimators.splitter import QueryKFold

__all__ = ["QueryKFold", "RankSVM", "ranking_scorer"]
