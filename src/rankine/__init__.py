"""Large-scale linear learning to rank: train in seconds, read the model, load it in a search engine.

>>> import numpy as np
>>> import rankine
>>> X = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
>>> model = rankine.RankSVM(C=10).fit(X, [2, 0, 1], qid=["a", "a", "a"])
>>> model.rank(X, qid=["a", "a", "a"])
array([1, 3, 2])

Everything is loaded when it is first used, so that ``import rankine`` stays light.
"""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from rankine.data import Dataset, read, write
    from rankine.estimators import QueryKFold, RankSVM, ranking_scorer
    from rankine.metrics import evaluate
    from rankine.model import Model, load
    from rankine.selection import path, tune

# The public names and the rooms that they live in.
_ROOMS = {
    "Dataset": "rankine.data",
    "Model": "rankine.model",
    "QueryKFold": "rankine.estimators",
    "RankSVM": "rankine.estimators",
    "evaluate": "rankine.metrics",
    "load": "rankine.model",
    "path": "rankine.selection",
    "ranking_scorer": "rankine.estimators",
    "read": "rankine.data",
    "tune": "rankine.selection",
    "write": "rankine.data",
}
_MODULES = ("data", "estimators", "metrics", "model", "objectives", "recipes", "report", "selection", "solvers")

__all__ = [
    "Dataset",
    "Model",
    "QueryKFold",
    "RankSVM",
    "evaluate",
    "load",
    "path",
    "ranking_scorer",
    "read",
    "tune",
    "write",
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        value = getattr(importlib.import_module(_ROOMS[name]), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return importlib.import_module(f"rankine.{name}")
    raise AttributeError(f"module 'rankine' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_MODULES, "__version__"])
