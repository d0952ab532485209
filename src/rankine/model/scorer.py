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
from rankine.data.gaps import split
from rankine.model.match import Match
from rankine.model.model import Model

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
        """Score some rows, whose features have these names; NaN are gaps."""
        by_number = names is None or self.model.feature_names is None
        if by_number and self.allow_missing and rows.n_features > self.model.n_features:
            self._tell(f"has features beyond the {self.model.n_features} of the model")
            rows = rows.narrow(self.model.n_features)
        match = self._match(rows.n_features, None if by_number else names)
        if self._sparse is None:
            self._sparse = rows.is_sparse
        scores = []
        for part in [rows] if self._sparse == rows.is_sparse else _sparse(rows) if self._sparse else _dense(rows):
            filled, gaps = split(part)
            if (surprise := match.surprise(gaps)) is not None:
                self._note(surprise)
            scores.append(match.score(filled, gaps, self.source))
        return np.concatenate(scores)

    def _match(self, n_features: int, names: Sequence[str] | None) -> Match:
        key = (n_features, names)
        if key not in self._matches:
            found = self._matches[key] = self.model.match(n_features, names)
            if found.difference is not None:
                self._tell(found.difference, found.remedy)
        return self._matches[key]

    def _tell(self, difference: str, remedy: str = "") -> None:
        if not self.allow_missing:
            raise DataError(f"{self.source} {difference}{remedy}{self.remedy}")
        self._note(f"{difference}: what is lacking counts as 0, and what is unknown is left out")

    def _note(self, sentence: str) -> None:
        if sentence not in self._told:
            self._told.add(sentence)
            warnings.warn(f"{self.source} {sentence}", stacklevel=4)


def _sparse(rows: Rows) -> Iterator[Rows]:
    """Dense rows as sparse ones."""
    from scipy.sparse import csr_array

    yield Rows.of(csr_array(rows.value))


def _dense(rows: Rows) -> Iterator[Rows]:
    """Sparse rows as dense ones, some at a time."""
    size = max(1, _CELLS // max(1, rows.n_features))
    for a in range(0, rows.n_rows, size):
        matrix: Any = rows.take(np.arange(a, min(a + size, rows.n_rows))).matrix
        yield Rows(matrix.toarray())
