"""Model selection by queries: folds that never split a query, and paths over C.

Works on data and recipes, without scikit-learn.
"""

from rankine.selection.along import path
from rankine.selection.folds import query_folds

__all__ = ["path", "query_folds"]
