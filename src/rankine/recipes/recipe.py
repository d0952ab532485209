"""What every learner is: a frozen dataclass of its parameters, with their checks and one verb, `fit`."""

from __future__ import annotations

import math
import os
import platform
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

import rankine
from rankine.data import Dataset, Vector
from rankine.data.gaps import Filling
from rankine.model import DataSummary, Model, Outcome, Scaling
from rankine.objectives import Pairwise
from rankine.recipes.parameters import ParameterError, check
from rankine.solvers import Solution, Watch

R = TypeVar("R", bound="Recipe")

# The values of C that a path takes: those of Lee & Lin.
PATH: tuple[float, ...] = tuple(2.0**exponent for exponent in range(-15, 11))


class TrainingWarning(UserWarning):
    """Training goes on, but the data or the parameters deserve a look."""


@dataclass(frozen=True)
class Recipe(ABC):
    """A learner: its fields are its parameters, in the words that the command line and the estimators share."""

    name: ClassVar[str]
    # What `rankine tune` searches unless told otherwise: parameters and their values, as
    # `rankine.selection.space` reads them.
    search: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        check(self)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters as plain values, as a model file holds them."""
        return {entry.name: _plain(getattr(self, entry.name)) for entry in fields(self)}

    @property
    def prior_model(self) -> Model | None:
        """The model that the learner stays near, if there is one."""
        return None

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

    def path(
        self,
        data: Dataset,
        strengths: Iterable[float] = PATH,
        watch: Watch | None = None,
        *,
        start: Model | None = None,
    ) -> Iterator[Model]:
        """Learn a model for each C, from small to large, each from the one before.

        Parameters
        ----------
        data
            Labelled rows grouped by query.
        strengths
            The values of C.
        watch
            Told about every iteration; a true answer ends it at that C.
        start
            A model to start from.
        """
        for recipe in along_c(self, strengths):
            start = recipe.fit(data, watch, start=start)
            yield start

    def for_all(self, share: float) -> Self:
        """The learner for all data, given that for a part: every pair weighs the same against the penalty.

        Where C multiplies a sum over pairs, it is to be multiplied by the part's share of them.

        Parameters
        ----------
        share
            The part's share of the pairs.
        """
        C = self.parameters.get("C")
        return self if C is None else replace(self, C=share * C)  # type: ignore[call-arg]

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


def along_c(recipe: R, strengths: Iterable[float]) -> list[R]:
    """The same learner with each C, checked, from small to large."""
    if "C" not in recipe.parameters:
        raise ParameterError(f"the learner {recipe.name!r} has no parameter C to follow a path of")
    found = [replace(recipe, C=float(C) if isinstance(C, int) and C is not True else C) for C in strengths]  # type: ignore[call-arg]
    return sorted(found, key=lambda recipe: float(recipe.parameters["C"]))


def _plain(value: Any) -> Any:
    if isinstance(value, Model):
        return f"model {value.fingerprint}"
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list):  # the bounds of a weight: infinite is none
        return [None if side is None or math.isinf(side) else _plain(side) for side in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value.item() if isinstance(value, np.generic) else value


def nothing_to_rank(objective: Pairwise) -> str:
    """Why an objective has no pairs."""
    data = objective.data
    if data.n_features == 0:
        return "nothing to learn from: the data has 0 feature(s); at least 1 is needed"
    if data.n_rows < 2:
        return f"nothing to rank: the data has n_samples = {data.n_rows}; at least 2 rows are needed"
    if len(np.unique(data.grouped.label)) == 1:
        return f"nothing to rank: all labels are {data.grouped.label[0]:g}; rows must differ in label"
    if (data.grouped.level == 0).all():
        return "nothing to rank: the labels differ between queries only; some query needs two labels"
    return "nothing to rank: every pair has weight zero; give some rows and their queries a positive weight"
