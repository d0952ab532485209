"""Scores of rows that come in blocks, such as those of a file that is larger than memory.

>>> import numpy as np
>>> from rankine.data import Rows
>>> from rankine.model import Model
>>> scorer = Scorer(Model(np.array([2.0, -1.0])))
>>> [scorer(Rows.of(np.array(block))) for block in ([[1.0, 0.0]], [[0.0, 1.0], [1.0, 1.0]])]
[array([2.]), array([-1.,  1.])]
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rankine.data import DataError, Rows, Vector
from rankine.model.model import Match, Model

# Sparse rows become dense ones so many cells at a time.
_CELLS = 1 << 22


class Scorer:
    """A model that scores blocks of rows, all in the way of the first: equal rows get equal scores, to the last bit.

    Parameters
    ----------
    model
        The model.
    source
        What the rows are called in messages.
    allow_missing
        Score data that lacks features of the model, which count as 0, or has others, which are left out, with a
        warning; such data is an error otherwise.
    remedy
        What may be done about such data, for the error.
    """

    def __init__(self, model: Model, source: str = "X", *, allow_missing: bool = False, remedy: str = ""):
        self.model, self.source, self.allow_missing, self.remedy = model, source, allow_missing, remedy
        self._matches: dict[tuple[int, Sequence[str] | None], Match] = {}
        self._told: set[str] = set()
        self._sparse: bool | None = None

    def __call__(self, rows: Rows, names: Sequence[str] | None = None) -> Vector:
        """Score some rows, whose features have these names."""
        by_number = names is None or self.model.feature_names is None
        if by_number and self.allow_missing and rows.n_features > self.model.n_features:
            self._tell(f"has features beyond the {self.model.n_features} of the model")
            rows = rows.narrow(self.model.n_features)
        weights = self._weights(rows.n_features, None if by_number else names)
        if self._sparse is None:
            self._sparse = rows.is_sparse
        if self._sparse == rows.is_sparse:
            return rows.scores(weights)
        if self._sparse:
            from scipy.sparse import csr_array

            return Rows.of(csr_array(rows.value)).scores(weights)
        return np.concatenate([part.scores(weights) for part in _dense(rows)])

    def _weights(self, n_features: int, names: Sequence[str] | None) -> Vector:
        key = (n_features, names)
        if key not in self._matches:
            found = self._matches[key] = self.model.match(n_features, names)
            if found.difference is not None:
                self._tell(found.difference, found.remedy)
        return self._matches[key].weights

    def _tell(self, difference: str, remedy: str = "") -> None:
        if not self.allow_missing:
            raise DataError(f"{self.source} {difference}{remedy}{self.remedy}")
        if difference not in self._told:
            self._told.add(difference)
            warnings.warn(
                f"{self.source} {difference}: what is lacking counts as 0, and what is unknown is left out",
                stacklevel=4,
            )


def _dense(rows: Rows) -> Iterator[Rows]:
    """Sparse rows as dense ones, some at a time."""
    size = max(1, _CELLS // max(1, rows.n_features))
    for a in range(0, rows.n_rows, size):
        matrix: Any = rows.take(np.arange(a, min(a + size, rows.n_rows))).matrix
        yield Rows(matrix.toarray())
