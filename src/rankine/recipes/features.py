"""Parameters that speak of single features: constraints, penalty factors and a prior, by the features' names.

Features without names have numbers, counted from 1 as in LETOR files: {3: "+"} or {"3": "+"}.
"""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from rankine.data import DataError, Dataset, Vector
from rankine.model import Model
from rankine.objectives import Box
from rankine.recipes.parameters import ParameterError
from rankine.recipes.recipe import TrainingWarning

# "+" is at least zero, "-" at most zero, a number fixes the weight, a pair is (low, high) with None where it is open.
Bound: TypeAlias = Literal["+", "-"] | float | tuple[float | None, float | None]


def box_of(constraints: Mapping[str | int, Bound] | None, data: Dataset) -> Box | None:
    """The box of raw weights that constraints describe; None if they leave every weight free."""
    box = Box.everywhere(data.n_features)
    for j, bound in _by_column("constraints", constraints, data):
        low, high = _sides(bound)
        box.lower[j], box.upper[j] = -np.inf if low is None else low, np.inf if high is None else high
    return box if box.bounded else None


def factors_of(penalty_factors: Mapping[str | int, float] | None, data: Dataset) -> Vector | None:
    """The penalty's factor of each feature; None if there are none but one."""
    if not penalty_factors:
        return None
    factors = np.ones(data.n_features)
    for j, factor in _by_column("penalty_factors", penalty_factors, data):
        factors[j] = factor
    return factors


def centre_of(prior: Model | None, data: Dataset) -> Vector | None:
    """A prior's weights for the features of the data.

    Where both have names, features that are new to the prior get zero, and a warning names those that the data lacks.
    """
    if prior is None:
        return None
    if data.feature_names is None or prior.feature_names is None:
        if data.n_features != prior.n_features:
            raise DataError(
                f"the prior has {prior.n_features} features, but the data has {data.n_features}; features without "
                "names are matched by their numbers"
            )
        return prior.weights[: prior.n_features]
    known = dict(zip(prior.feature_names, prior.weights[: prior.n_features].tolist(), strict=True))
    lost = [name for name in known if name not in set(data.feature_names)]
    if len(lost) == len(known):
        raise DataError(f"the prior knows none of the features of the data; its first is {lost[0]!r}")
    if lost:
        shown = ", ".join(map(repr, lost[:3])) + (f" and {len(lost) - 3} more" if len(lost) > 3 else "")
        warnings.warn(f"the data lacks {shown}, which the prior has weights for", TrainingWarning, stacklevel=3)
    return np.array([known.get(name, 0.0) for name in data.feature_names])


def _sides(bound: Bound) -> tuple[float | None, float | None]:
    if bound == "+":
        return 0.0, None
    if bound == "-":
        return None, 0.0
    if isinstance(bound, tuple | list):
        return bound[0], bound[1]
    return float(bound), float(bound)


def _by_column(parameter: str, wishes: Mapping[str | int, Any] | None, data: Dataset) -> Iterator[tuple[int, Any]]:
    """The column and the value of each entry of a parameter; a `ParameterError` names a feature that is not there."""
    names = data.feature_names
    columns = {} if names is None or not wishes else {name: j for j, name in enumerate(names)}
    seen: dict[int, str | int] = {}
    for key, value in (wishes or {}).items():
        j = columns.get(str(key), -1)
        if names is None and str(key).isdecimal():
            j = int(key) - 1
        if not 0 <= j < data.n_features:
            raise ParameterError(f"{parameter} names the feature {key!r}, but {_instead(str(key), names, data)}")
        if j in seen:
            raise ParameterError(f"{parameter} names one feature twice: {seen[j]!r} and {key!r}")
        seen[j] = key
        yield j, value


def _instead(name: str, names: tuple[str, ...] | None, data: Dataset) -> str:
    if names is None:
        return f"the features have no names, only numbers from 1 to {data.n_features}"
    near = difflib.get_close_matches(name, names, 1)
    return f"the data has none of this name; {f'did you mean {near[0]!r}?' if near else f'its first is {names[0]!r}'}"
