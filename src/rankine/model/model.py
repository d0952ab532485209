"""A linear ranker: score = X w, higher is better, with everything that tells where it came from.

>>> import numpy as np
>>> model = Model(np.array([2.0, -1.0]), feature_names=("bm25", "age"))
>>> model.score([[1.0, 0.5], [0.0, 1.0]])
array([ 1.5, -1. ])
"""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankine.data import DataError, Dataset, Rows, Vector
from rankine.data.frames import QUERY_COLUMN, take_frame
from rankine.data.gaps import Filling, indicator_name, split
from rankine.model.match import Match


@dataclass(frozen=True)
class DataSummary:
    """The data that a model was trained on.

    Parameters
    ----------
    source
        Where it came from.
    rows, queries, features, pairs
        How many.
    labels
        The lowest and the highest label.
    fingerprint
        A number that tells this data set from others.
    """

    source: str
    rows: int
    queries: int
    features: int
    pairs: float
    labels: tuple[float, float]
    fingerprint: str

    @classmethod
    def of(cls, data: Dataset, pairs: float) -> DataSummary:
        """Summarise a data set."""
        label = data.grouped.label
        lowest, highest = (float(label.min()), float(label.max())) if len(label) else (0.0, 0.0)
        return cls(
            data.source, data.n_rows, data.n_queries, data.n_features, pairs, (lowest, highest), data.fingerprint
        )


@dataclass(frozen=True)
class Outcome:
    """How the fit ended.

    Parameters
    ----------
    objective
        The value of the objective at the weights.
    gap
        A certified bound: objective − optimum ≤ gap.
    n_iter
        Iterations done.
    converged
        Whether the stopping rule was met.
    message
        Why it stopped.
    seconds
        How long the fit took.
    solver
        Which solver it was; two where the second took over from the first, and none in files of earlier versions.
    """

    objective: float
    gap: float
    n_iter: int
    converged: bool
    message: str
    seconds: float
    solver: str = ""

    @property
    def shortfall(self) -> str | None:
        """A sentence for a fit that ended far from its optimum, as far as its certificate tells; None for others."""
        if self.converged or self.gap <= 1e-3 * abs(self.objective):
            return None
        return f"{self.message}; the objective is {self.objective:g}, up to {self.gap:g} of it above the optimum"


@dataclass(frozen=True, eq=False)
class Scaling:
    """How features were scaled while learning. The weights of a model are for raw features all the same.

    Parameters
    ----------
    kind
        "max", "std" or "minmax".
    factor
        What each feature was multiplied with.
    """

    kind: str
    factor: Vector


@dataclass(frozen=True, eq=False, repr=False)
class Model:
    """A linear ranker and its provenance.

    Parameters
    ----------
    weights
        One a feature, for raw features, and then one for each indicator of missing values.
    feature_names
        Their names, if they have names.
    recipe
        The name of the learner.
    parameters
        Its parameters.
    scaling
        How features were scaled while learning, if they were.
    data
        What it was trained on.
    outcome
        How the fit ended, with its certificate.
    versions
        What it was trained with.
    filling
        What missing values count as; None if they are an error.
    """

    weights: Vector
    feature_names: tuple[str, ...] | None = None
    recipe: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    scaling: Scaling | None = None
    data: DataSummary | None = None
    outcome: Outcome | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    filling: Filling | None = None

    @property
    def n_features(self) -> int:
        """The number of features."""
        return len(self.weights) - (0 if self.filling is None else self.filling.n_indicators)

    @property
    def missing(self) -> dict[str, Any] | None:
        """What missing values count as, and the features whose gaps have a weight of their own, as plain values."""
        if self.filling is None:
            return None
        found: dict[str, Any] = {"value": self.filling.value}
        if self.filling.indicators is not None:
            found["indicators"] = [self.name_of(int(j)) for j in self.filling.indicators]
        return found

    @property
    def fingerprint(self) -> str:
        """A number that tells this model from others: weights and names."""
        content = self.weights.tobytes() + "\0".join(self.feature_names or ()).encode()
        return hashlib.blake2b(content, digest_size=8).hexdigest()

    def name_of(self, j: int) -> str:
        """What people call the feature of weight j: its name, or its number counted from 1, as in LETOR files."""
        if j >= self.n_features and self.filling is not None and self.filling.indicators is not None:
            return indicator_name(self.name_of(int(self.filling.indicators[j - self.n_features])))
        return str(j + 1) if self.feature_names is None else self.feature_names[j]

    def score(self, X: Any, *, n_threads: int | None = None) -> Vector:
        """Score rows, in the caller's row order.

        Parameters
        ----------
        X
            A `Dataset`, or rows as `Dataset.from_arrays` takes them. Named features are matched by name. NaN stand for
            missing values, if the model was trained to take them (`missing="indicator"`).
        n_threads
            How many threads to use, all if None.
        """
        if isinstance(X, Dataset):
            rows, gaps, names = X.grouped.rows, X.grouped.gaps, X.feature_names
        else:
            taken = take_frame(X)
            names, rows, gaps = taken.names, Rows.of(taken.matrix), None
        match = self.match(rows.n_features, names)
        match.refuse_difference("X")
        if not isinstance(X, Dataset) and (bad := rows.first_not_finite()) is not None:
            rows, gaps = split(rows)
            if gaps is None or (bad := rows.first_not_finite()) is not None:
                raise DataError(f"X has infinity in row {bad[0]}, column {bad[1]}; replace it first")
        if (surprise := match.surprise(gaps)) is not None:
            warnings.warn(f"X {surprise}", stacklevel=2)
        score = match.score(rows, gaps, "X", n_threads)
        return X.restore(score) if isinstance(X, Dataset) else score

    def match(self, n_features: int, names: Sequence[str] | None) -> Match:
        """What the weights are for data with these features, and how its features differ from the model's.

        Features are matched by their names where both sides have names, by their numbers otherwise.
        """
        here, ours = self.weights[: self.n_features], self.feature_names
        if names is None or ours is None:
            at, names = np.arange(self.n_features), None
            at[at >= n_features] = -1
            difference = None
            if n_features != self.n_features:
                difference = f"has {n_features} features, but the model has {self.n_features}"
            remedy = ""
        else:
            there = {name: j for j, name in enumerate(names)}
            at = np.array([there.get(name, -1) for name in ours], np.int64)
            unknown = there.keys() - set(ours)
            difference, remedy = _difference(ours, at, [name for name in names if name in unknown])
        known = at >= 0
        weights, gap_weights = np.zeros(n_features), None
        weights[at[known]] = here[known]
        if self.filling is not None:
            gap_weights = np.zeros(n_features)
            if self.filling.indicators is not None:
                gap_weights[at[known]] = np.nan
                j = at[self.filling.indicators]
                gap_weights[j[j >= 0]] = self.weights[self.n_features :][j >= 0]
        fill = None if self.filling is None else self.filling.value
        return Match(weights, fill, gap_weights, names, difference, remedy)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, atomically: JSON, or safetensors above 100,000 weights."""
        from rankine.model.file import save

        save(self, path)

    def describe(self) -> dict[str, Any]:
        """Everything but the weights and the scaling's factors, as plain values."""
        return {
            "recipe": self.recipe,
            "parameters": dict(self.parameters),
            "features": self.n_features,
            "nonzero": int(np.count_nonzero(self.weights)),
            "scaling": None if self.scaling is None else self.scaling.kind,
            "missing": self.missing,
            "data": None if self.data is None else asdict(self.data),
            "outcome": None if self.outcome is None else asdict(self.outcome),
            "versions": dict(self.versions),
        }

    def __repr__(self) -> str:
        return f"<Model: {self.recipe or 'linear'}, {self.n_features:,} features>"


def _difference(ours: Sequence[str], at: NDArray[np.int64], unknown: Sequence[str]) -> tuple[str | None, str]:
    """How named features differ from a model's, and what to do about it."""
    absent = [ours[j] for j in np.flatnonzero(at < 0).tolist()]
    parts = [f"lacks {_some(absent)}, which the model was trained on"] if absent else []
    if not unknown:
        return (", and ".join(parts) or None), ""
    parts.append(f"has {_some(unknown)}, which the model was not trained on")
    return ", and ".join(parts), f"; drop it (query ids belong in qid or in a column named {QUERY_COLUMN!r})"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:3])
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"the feature{'s' if len(names) > 1 else ''} {shown}{more}"
