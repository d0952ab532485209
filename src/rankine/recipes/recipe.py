"""What every learner is: a frozen dataclass of its parameters, with their checks and one verb, `fit`."""

from __future__ import annotations

import platform
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

import rankine
from rankine.data import DataError, Dataset, Vector
from rankine.data.gaps import Filling
from rankine.model import DataSummary, Model, Outcome, Scaling
from rankine.objectives import Pairwise
from rankine.recipes.parameters import check
from rankine.solvers import Solution, Watch


class TrainingWarning(UserWarning):
    """Training goes on, but the data or the parameters deserve a look."""


@dataclass(frozen=True)
class Recipe(ABC):
    """A learner: its fields are its parameters, in the words that the command line and the estimators share."""

    name: ClassVar[str]

    def __post_init__(self) -> None:
        check(self)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters as plain values."""
        return {name: value.item() if isinstance(value, np.generic) else value for name, value in asdict(self).items()}

    @abstractmethod
    def fit(self, data: Dataset, watch: Watch | None = None, *, start: Model | None = None) -> Model:
        """Learn a model.

        Parameters
        ----------
        data
            Labelled rows grouped by query.
        watch
            Told about every iteration; a true answer stops.
        start
            A model to start from.
        """

    def model(
        self,
        data: Dataset,
        pairs: float,
        solution: Solution,
        weights: Vector,
        scaling: Scaling | None,
        filling: Filling | None,
        seconds: float,
    ) -> Model:
        """The model that a solution makes, with its provenance."""
        return Model(
            weights=weights,
            feature_names=data.feature_names,
            recipe=self.name,
            parameters=self.parameters,
            scaling=scaling,
            data=DataSummary.of(data, pairs),
            outcome=Outcome(
                solution.value,
                solution.gap,
                solution.n_iter,
                solution.converged,
                solution.message,
                seconds,
                solution.solver,
            ),
            versions={
                "rankine": rankine.__version__,
                "numpy": np.__version__,
                "python": platform.python_version(),
            },
            filling=filling,
        )


def pairs_to_rank(objective: Pairwise) -> float:
    """The total weight of an objective's pairs; a `DataError` says why there are none."""
    total = float(objective.pair_mass.sum())
    data = objective.data
    if data.n_features == 0:
        raise DataError("nothing to learn from: the data has 0 feature(s); at least 1 is needed")
    if total > 0:
        return total
    if data.n_rows < 2:
        raise DataError(f"nothing to rank: the data has n_samples = {data.n_rows}; at least 2 rows are needed")
    if len(np.unique(data.grouped.label)) == 1:
        raise DataError(f"nothing to rank: all labels are {data.grouped.label[0]:g}; rows must differ in label")
    if (data.grouped.level == 0).all():
        raise DataError("nothing to rank: the labels differ between queries only; some query needs two labels")
    raise DataError("nothing to rank: every pair has weight zero; give some rows and their queries a positive weight")
