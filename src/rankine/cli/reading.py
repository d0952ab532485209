"""The flags that all commands which read data share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from rankine.cli.clock import Clock
from rankine.cli.console import working
from rankine.data import Dataset
from rankine.data.files import format_of, read_blocks, read_table
from rankine.data.table import How, Table
from rankine.model import Model
from rankine.recipes import Recipe


def _finite(_: Any, value: str | float) -> None:
    if not isinstance(value, str) and not math.isfinite(value):
        raise ValueError("It must be error, zero, keep or a finite number.")


@Parameter(name="*", group="Reading")
@dataclass(frozen=True)
class Reading:
    """How data files are read.

    Parameters
    ----------
    format
        The format of the files, told from their names otherwise.
    n_features
        The number of features; otherwise the highest that occurs, or the model's.
    dtype
        The precision that features are kept in.
    missing
        What NULL, nan, inf and ±1.797e308 mean: an error, zero, a number, or gaps ("keep"). Models that were trained
        with --missing know it.
    index_base
        The number of the first feature in text files.
    one_query
        Read a file without `qid:` as one query.
    """

    format: Literal["letor", "parquet", "npz"] | None = None
    n_features: Annotated[int | None, Parameter(validator=Number(gte=1, lt=2**31 - 1))] = None
    dtype: Literal["float32", "float64"] = "float32"
    missing: Annotated[Literal["error", "zero", "keep"] | float, Parameter(validator=_finite)] = "error"
    index_base: Literal[0, 1] | None = None
    one_query: bool = False

    def __call__(self, paths: Sequence[str], like: Model | None = None, clock: Clock | None = None) -> Dataset:
        """Read some files as one data set, for a model if there is one: it knows how many features there are.

        Named features are matched by their names, not by their number.
        """
        clock = clock or Clock()
        how = self._how(paths, like)
        with working(f"reading {', '.join(paths)}"):
            with clock.phase("read"):
                table = read_table(paths, how, self.format)
            with clock.phase("group"):
                return Dataset.of_table(table, " + ".join(paths), gaps=how.missing == "keep")

    def with_gaps(self) -> Reading:
        """The same, but to look at the data: what is missing is no error, if nothing else was said about it."""
        return replace(self, missing="keep") if self.missing == "error" else self

    def blocks(
        self, paths: Sequence[str], model: Model, *, allow_missing: bool = False, queries: bool = True
    ) -> Iterator[Table]:
        """Read rows that a model is to score, block by block."""
        how = replace(self._how(paths, model), least_features=model.n_features, to_score=True, queries=queries)
        if allow_missing:
            how = replace(how, n_features=self.n_features)
        return read_blocks(paths, how, self.format)

    def beside(self, data: Dataset, path: str, clock: Clock | None = None) -> Dataset:
        """Read a file that goes with some data: with as many features, unless features have names."""
        if data.feature_names is None and format_of(path) == "letor":
            return replace(self, n_features=data.n_features)([path], clock=clock)
        return self([path], clock=clock)

    def _how(self, paths: Sequence[str], like: Model | None) -> How:
        n_features = self.n_features
        if n_features is None and like is not None and (self.format or format_of(paths[0])) == "letor":
            n_features = like.n_features
        missing = self.missing
        if missing == "error" and like is not None and like.filling is not None:
            missing = "keep"
        return How(n_features, self.dtype, missing, self.index_base, self.one_query)


@dataclass(frozen=True)
class TrainingReading(Reading):
    """How data files are read to be learned from: it is the learner that says what missing values mean.

    Parameters
    ----------
    preferences
        A file of pairs of documents to learn from beside the labels: `qid winner loser [weight]` a line. With
        `--pairs listed` they are all that is learned from.
    """

    missing: Annotated[Literal["error", "keep"], Parameter(parse=False)] = "error"
    preferences: str | None = None

    def __call__(self, paths: Sequence[str], like: Model | None = None, clock: Clock | None = None) -> Dataset:
        """Read some files as one data set; see `Reading`."""
        rows = super().__call__(paths, like, clock)
        return rows if self.preferences is None else rows.with_preferences(self.preferences)

    def beside(self, data: Dataset, path: str, clock: Clock | None = None) -> Dataset:
        """Read a file that goes with some data, and has no preferences; see `Reading`."""
        return super(TrainingReading, replace(self, preferences=None)).beside(data, path, clock)

    def for_learner(self, recipe: Recipe) -> TrainingReading:
        """The same for a learner, which may know what to do about missing values."""
        return self if getattr(recipe, "missing", "error") == "error" else replace(self, missing="keep")


# A file to read, or several: a hyphen alone is standard input.
File = Annotated[str, Parameter(allow_leading_hyphen=True)]
Paths = Annotated[list[str], Parameter(negative=(), allow_leading_hyphen=True)]
READING, TRAINING = Reading(), TrainingReading()
