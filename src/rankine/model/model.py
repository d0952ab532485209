"""A linear ranker: score = X w, higher is better, with everything that tells where it came from.

>>> import numpy as np
>>> model = Model(np.array([2.0, -1.0]), feature_names=("bm25", "age"))
>>> model.score([[1.0, 0.5], [0.0, 1.0]])
array([ 1.5, -1. ])
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np

from rankine.data import DataError, Dataset, Rows, Vector
from rankine.data.frames import QUERY_COLUMN, take_frame


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


class Match(NamedTuple):
    """A model's weights for the features of some data.

    Parameters
    ----------
    weights
        One for each feature of the data: 0 for those that the model does not know.
    difference
        How the features differ from the model's, as words that follow the name of the data; None where they do not.
    remedy
        What to do about that.
    """

    weights: Vector
    difference: str | None = None
    remedy: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Model:
    """A linear ranker and its provenance.

    Parameters
    ----------
    weights
        One a feature, for raw features.
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
    """

    weights: Vector
    feature_names: tuple[str, ...] | None = None
    recipe: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    scaling: Scaling | None = None
    data: DataSummary | None = None
    outcome: Outcome | None = None
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def n_features(self) -> int:
        """The number of weights."""
        return len(self.weights)

    def name_of(self, j: int) -> str:
        """What people call feature j: its name, or its number counted from 1, as in LETOR files."""
        return str(j + 1) if self.feature_names is None else self.feature_names[j]

    def score(self, X: Any, *, n_threads: int | None = None) -> Vector:
        """Score rows, in the caller's row order.

        Parameters
        ----------
        X
            A `Dataset`, or rows as `Dataset.from_arrays` takes them. Named features are matched by name.
        n_threads
            How many threads to use, all if None.
        """
        if isinstance(X, Dataset):
            weights = self.weights_for(X.n_features, X.feature_names)
            return X.restore(X.grouped.rows.scores(weights, n_threads))
        taken = take_frame(X)
        rows = Rows.of(taken.matrix)
        weights = self.weights_for(rows.n_features, taken.names)
        bad = rows.first_not_finite()
        if bad is not None:
            raise DataError(f"X has NaN or infinity in row {bad[0]}, column {bad[1]}; replace it first")
        return rows.scores(weights, n_threads)

    def weights_for(self, n_features: int, names: Sequence[str] | None) -> Vector:
        """The weights in the order of these features.

        Names decide where both sides have them; the numbers of features must agree otherwise.
        """
        found = self.match(n_features, names)
        if found.difference is not None:
            raise DataError(f"X {found.difference}{found.remedy}")
        return found.weights

    def match(self, n_features: int, names: Sequence[str] | None) -> Match:
        """What the weights are for data with these features, and how its features differ from the model's.

        Features are matched by their names where both sides have names, by their numbers otherwise.
        """
        if names is None or self.feature_names is None:
            weights = np.zeros(n_features)
            both = min(n_features, self.n_features)
            weights[:both] = self.weights[:both]
            if n_features == self.n_features:
                return Match(self.weights)
            return Match(weights, f"has {n_features} features, but the model has {self.n_features}")
        if tuple(names) == self.feature_names:
            return Match(self.weights)
        here = {name: j for j, name in enumerate(self.feature_names)}
        there = set(names)
        absent = [name for name in self.feature_names if name not in there]
        unknown = [name for name in names if name not in here]
        weights = np.array([self.weights[here[name]] if name in here else 0.0 for name in names], np.float64)
        differences = []
        if absent:
            differences.append(f"lacks {_some(absent)}, which the model was trained on")
        if unknown:
            differences.append(f"has {_some(unknown)}, which the model was not trained on")
        remedy = f"; drop it (query ids belong in qid or in a column named {QUERY_COLUMN!r})" if unknown else ""
        return Match(weights, ", and ".join(differences) or None, remedy)

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
            "data": None if self.data is None else asdict(self.data),
            "outcome": None if self.outcome is None else asdict(self.outcome),
            "versions": dict(self.versions),
        }

    def __repr__(self) -> str:
        return f"<Model: {self.recipe or 'linear'}, {self.n_features:,} features>"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:3])
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"the feature{'s' if len(names) > 1 else ''} {shown}{more}"
