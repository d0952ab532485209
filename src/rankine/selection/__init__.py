"""Model selection by queries: folds that never split a query. Works on data and recipes, without scikit-learn."""

from rankine.selection.folds import query_folds

__all__ = ["query_folds"]
