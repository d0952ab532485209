"""What a learner makes of gaps in its data, by its parameter `missing`."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from rankine.data import DataError, Dataset, Vector
from rankine.data.gaps import Filling, indicator_name
from rankine.model import Model

Missing: TypeAlias = Literal["error", "zero", "indicator"] | float


def filled(data: Dataset, missing: Missing) -> tuple[Dataset, Filling | None]:
    """The data without gaps, behind its features their indicators if there are any, and how that was done.

    Parameters
    ----------
    data
        Labelled rows.
    missing
        "error": a gap is an error. "zero", or a number: what a gap counts as. "indicator": a gap counts as 0, and each
        feature that has gaps gets an indicator.
    """
    g = data.grouped
    if missing == "error":
        data.refuse_gaps("say what that means: missing='indicator' learns it, missing='zero' or a number replaces it")
        return data, None
    filling = Filling(0.0 if isinstance(missing, str) else float(missing))
    if missing == "indicator":
        filling = Filling(0.0, np.zeros(0, np.int64) if g.gaps is None else np.unique(g.gaps.feature))
    if g.gaps is None or filling.indicators is None:
        return replace(data, grouped=replace(g, rows=filling.rows(g.rows, g.gaps), gaps=None)), filling
    names = data.feature_names
    if names is not None:
        names += tuple(indicator_name(names[j]) for j in filling.indicators)
        if len(set(names)) < len(names):
            twice = next(name for i, name in enumerate(names) if name in names[:i])
            raise DataError(f"a feature is named {twice!r}, as the indicator of missing values would be; rename it")
    return replace(data, grouped=replace(g, rows=filling.rows(g.rows, g.gaps), gaps=None), feature_names=names), filling


def starting_weights(start: Model, data: Dataset, filling: Filling | None) -> Vector:
    """The weights of a model for data and the indicators that a filling gives it: 0 for those that it does not know."""
    match = start.match(data.n_features, data.feature_names)
    match.refuse_difference("X")
    return with_indicators(match.weights, start, data, filling)


def with_indicators(weights: Vector, model: Model, data: Dataset, filling: Filling | None) -> Vector:
    """Weights for the features of data, and behind them the model's for the indicators that a filling gives it."""
    if filling is None or filling.indicators is None:
        return weights
    gap_weights = model.match(data.n_features, data.feature_names).gap_weights
    if gap_weights is None:
        return np.append(weights, np.zeros(filling.n_indicators))
    return np.append(weights, np.nan_to_num(gap_weights[filling.indicators]))
