"""A model's weights for the features of some data, which may stand in another order, lack some or have others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankine.data import DataError, Rows, Vector
from rankine.data.gaps import Gaps, put


@dataclass(frozen=True, eq=False)
class Match:
    """The weights, and what scores are made of with them.

    Parameters
    ----------
    weights
        One for each feature of the data: 0 for those that the model does not know.
    fill
        What stands for a missing value; None if that is an error.
    gap_weights
        What a gap in each feature adds to the score; NaN where there was none in training to learn from.
    names
        The names of the data's features, if they are matched by name.
    difference
        How the features differ from the model's, as words that follow the name of the data; None where they do not.
    remedy
        What to do about that.
    """

    weights: Vector
    fill: float | None = None
    gap_weights: Vector | None = None
    names: Sequence[str] | None = None
    difference: str | None = None
    remedy: str = ""

    def refuse_difference(self, source: str) -> None:
        """Raise an error if the data has other features than the model."""
        if self.difference is not None:
            raise DataError(f"{source} {self.difference}{self.remedy}")

    def score(self, rows: Rows, gaps: Gaps | None, source: str, n_threads: int | None = None) -> Vector:
        """Score rows of data that messages call by a name."""
        if gaps is None:
            return rows.scores(self.weights, n_threads)
        if self.fill is None or self.gap_weights is None:
            raise DataError(
                f"{source} has NaN in {self._called(gaps.feature.min())}, but the model was trained without missing "
                "values: replace them first, or train with missing='indicator' (--missing indicator)"
            )
        added = np.nan_to_num(self.gap_weights)[gaps.feature]
        score = put(rows, gaps, self.fill).scores(self.weights, n_threads)
        return score + np.bincount(gaps.row, added, rows.n_rows)

    def surprise(self, gaps: Gaps | None) -> str | None:
        """A sentence about gaps in features that had none in training, after the name of the data."""
        if gaps is None or self.gap_weights is None:
            return None
        new = np.unique(gaps.feature[np.isnan(self.gap_weights[gaps.feature])])
        if len(new) == 0:
            return None
        shown = ", ".join(map(self._called, new[:3])) + (f" and {len(new) - 3} more" if len(new) > 3 else "")
        return f"has gaps where the training data had none, which count as {self.fill:g}: {shown}"

    def _called(self, j: int) -> str:
        return f"feature {j + 1 if self.names is None else repr(self.names[j])}"
