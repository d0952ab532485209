"""Model selection by queries: folds that never split a query, paths over C, the search for the best parameters.

Works on data and recipes, without scikit-learn.
"""

from rankine.selection.along import path
from rankine.selection.folds import query_folds
from rankine.selection.search import Candidate, Choice, Tuning, TuningWarning, tune

__all__ = ["Candidate", "Choice", "Tuning", "TuningWarning", "path", "query_folds", "tune"]
