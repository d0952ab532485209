"""Metrics of (label, score, query): nDCG and its kin, in ir-measures notation, and as other tools would count them.

>>> from rankine.metrics import evaluate
>>> evaluate([2, 0, 1], [0.3, 0.9, 0.1], metrics=["nDCG@10", "RR"])
{'nDCG@10': 0.6590018048024133, 'RR': 0.5}
"""

from rankine.metrics.comparison import DialectTable, dialects
from rankine.metrics.dialects import DIALECTS, Dialect
from rankine.metrics.evaluation import Evaluation, evaluate, pair_accuracy
from rankine.metrics.metric import Metric

__all__ = ["DIALECTS", "Dialect", "DialectTable", "Evaluation", "Metric", "dialects", "evaluate", "pair_accuracy"]
