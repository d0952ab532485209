"""Gaps: cells that have no value. Rows hold 0 there, so that whatever reads rows finds numbers, and gaps say where.

A `Filling` is what a learner makes of them, and its model again of those in other data: a number in the place of each,
and for some features an indicator, a column that is 1 where the feature has a gap and 0 elsewhere.

>>> rows, gaps = split(Rows.of(np.array([[1.0, np.nan], [np.nan, np.nan]])))
>>> rows.matrix.tolist(), gaps.feature.tolist()
([[1.0, 0.0], [0.0, 0.0]], [1, 0, 1])
>>> Filling(0.0, np.array([1])).rows(rows, gaps).matrix.tolist()
[[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankine.data.rows import Rows

Positions = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Gaps:
    """Cells without a value, row by row.

    Parameters
    ----------
    row, feature
        Where each is.
    """

    row: Positions
    feature: Positions

    def __len__(self) -> int:
        return len(self.row)

    def counts(self, n_features: int) -> Positions:
        """How many rows lack each feature."""
        return np.bincount(self.feature, minlength=n_features)


@dataclass(frozen=True, eq=False)
class Filling:
    """What stands for gaps.

    Parameters
    ----------
    value
        What stands in the place of each.
    indicators
        The features that have an indicator, ascending; None if gaps are not to be told from that value.
    """

    value: float
    indicators: Positions | None = None

    @property
    def n_indicators(self) -> int:
        """The number of columns behind the features."""
        return 0 if self.indicators is None else len(self.indicators)

    def rows(self, rows: Rows, gaps: Gaps | None) -> Rows:
        """The rows without gaps, and behind their features a column for each indicator."""
        gaps = gaps or Gaps(*np.zeros((2, 0), np.int64))
        rows = put(rows, gaps, self.value)
        if self.indicators is None or len(self.indicators) == 0:
            return rows
        indicator = np.full(rows.n_features, -1)
        indicator[self.indicators] = np.arange(len(self.indicators))
        column = indicator[gaps.feature]
        at = gaps.row[column >= 0], column[column >= 0]
        if not rows.is_sparse:
            wide = np.zeros((rows.n_rows, rows.n_features + len(self.indicators)), rows.dtype)
            wide[:, : rows.n_features] = rows.value
            wide[:, rows.n_features :][at] = 1
            return Rows(wide)
        from scipy.sparse import coo_array, csr_array, hstack

        ones = np.ones(len(at[0]), rows.dtype)
        columns = coo_array((ones, at), shape=(rows.n_rows, len(self.indicators)))
        return Rows.of(hstack([csr_array(rows.matrix), columns], format="csr"))


def indicator_name(feature: str) -> str:
    """What the indicator of a feature is called."""
    return f"{feature} (missing)"


def split(rows: Rows) -> tuple[Rows, Gaps | None]:
    """Rows with 0 in the place of each NaN, and where that was; other rows as they are."""
    if rows.first_not_finite() is None:
        return rows, None
    at = np.flatnonzero(np.isnan(rows.value.reshape(-1)))
    if len(at) == 0:
        return rows, None
    value = rows.value.copy()
    value.reshape(-1)[at] = 0
    if rows.row_ptr is None or rows.index is None:
        return Rows(value), Gaps(*np.divmod(at, rows.n_features))
    row = np.searchsorted(rows.row_ptr, at, side="right") - 1
    # The zeros stay where they are: it is in their places that numbers are put.
    return Rows(value, rows.row_ptr, rows.index, rows.n_features), Gaps(row, rows.index[at].astype(np.int64))


def put(rows: Rows, gaps: Gaps | None, value: float) -> Rows:
    """The rows with a number in the place of each gap; NaN undoes `split`."""
    if gaps is None or value == 0:
        return rows
    matrix: Any = rows.matrix.copy()
    matrix[gaps.row, gaps.feature] = value
    return Rows.of(matrix)
