"""One table of what each tool would say about the same labels and scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rankine.metrics.dialects import DIALECTS
from rankine.metrics.evaluation import evaluate
from rankine.metrics.metric import Metric


class DialectTable(Mapping[str, Mapping[str, float]]):
    """Metrics by dialect: a mapping of mappings that shows itself as a table."""

    def __init__(self, rows: Mapping[str, Mapping[str, float]]):
        self._rows = dict(rows)

    def __getitem__(self, dialect: str) -> Mapping[str, float]:
        return self._rows[dialect]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        names = list(next(iter(self._rows.values())))
        cells = [["dialect", *names]]
        cells += [[dialect, *(f"{row[name]:.4f}" for name in names)] for dialect, row in self._rows.items()]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return "\n".join(
            "  ".join([row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))])
            for row in cells
        )


def dialects(
    label: Any, score: Any, qid: Any = None, metric: str | Metric | Iterable[str | Metric] = "nDCG@10"
) -> DialectTable:
    """What each tool would say, in one table.

    Parameters
    ----------
    label
        The label of each row.
    score
        The score of each row.
    qid
        The query id of each row; without it all rows are one query.
    metric
        One metric or several, as in `evaluate`.

    Examples
    --------
    >>> dialects([2, 0, 1, 0, 0], [1, 3, 2, 1, 2], ["a", "a", "a", "b", "b"], "nDCG@10 RR")
    dialect    nDCG@10      RR
    rankine     0.5869  0.5000
    letor3      0.0000  0.2500
    letor4      0.0000  0.2500
    mslr        0.0000  0.1667
    yahoo       0.5434  0.2500
    trec_eval   0.3100  0.2500
    sklearn     0.3100  0.2500
    lightgbm    0.7934  0.7500
    xgboost     0.7934  0.7500
    catboost    0.8100  0.2500
    """
    if not isinstance(metric, str | Metric):
        metric = list(metric)
    return DialectTable(
        {name or "rankine": evaluate(label, score, qid, metric, dialect=name) for name in (None, *DIALECTS)}
    )
