"""The search for the best parameters of a learner, by queries that it has not seen.

A grid is walked along C by warm-started paths, fold by fold; Optuna tries what it thinks best. Of each metric the best
parameters are told, and the smallest C that is no more than one standard error of the best worse ("one_se"). Where the
best C lies on the edge of the grid, the grid grows there. At last the winner is learned from all rows. As F sums over
pairs, and the training parts of K folds hold (K − 1) / K of them, C is then multiplied by (K − 1) / K: a pair weighs
the same against the penalty. With a validation set, the winner is learned from the training rows as it was.

Where features are scaled, it is by all rows: their features are seen, their labels are not.
"""

from __future__ import annotations

import itertools
import math
import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from rankine.data import DataError, Dataset
from rankine.metrics import Metric
from rankine.metrics.metric import split_names
from rankine.model import Model
from rankine.recipes import Recipe, TrainingWarning, recipe_named
from rankine.selection.journal import Journal, key_of
from rankine.selection.space import Axis, axes
from rankine.selection.split import Split, folds_of, held_out
from rankine.selection.tally import Tally

DEFAULT_METRICS = "pair_accuracy nDCG@10"
# The grid grows by so many values at a time, until C is beyond these.
_GROWTH, _LEAST, _GREATEST = 5, 2.0**-40, 2.0**40

Parameters: TypeAlias = dict[str, Any]
Pick: TypeAlias = Literal["best", "one_se"]


class TuningWarning(UserWarning):
    """The search is done, but its result deserves a look."""


@dataclass
class Candidate:
    """Parameters that were searched, and how well they did.

    Parameters
    ----------
    parameters
        The values of the parameters that are searched.
    tallies
        By metric, over the folds that are done.
    n_folds
        How many folds are done.
    """

    parameters: Parameters
    tallies: dict[str, Tally] = field(default_factory=dict)
    n_folds: int = 0

    def add(self, tallies: Mapping[str, Tally]) -> None:
        """Take in one more fold."""
        self.n_folds += 1
        for name, tally in tallies.items():
            self.tallies[name] = self.tallies.get(name, Tally()).plus(tally)


@dataclass(frozen=True)
class Choice:
    """What a metric says is best.

    Parameters
    ----------
    metric
        The metric.
    best
        The candidate with the best value; of equal ones, that with the smallest C.
    one_se
        The one with the smallest C, other parameters alike, that is at most one standard error of the best worse.
    on_edge
        Whether the best C is the least or the greatest that was tried.
    """

    metric: Metric
    best: Candidate
    one_se: Candidate
    on_edge: bool

    def pick(self, which: Pick) -> Candidate:
        """The best, or that within one standard error."""
        return self.best if which == "best" else self.one_se


@dataclass(frozen=True)
class Tuning:
    """What a search found.

    Parameters
    ----------
    recipe
        The winner: the learner with the parameters that the first metric chose, C rescaled for all rows.
    model
        What it learned from all rows; None if that was not wanted.
    candidates
        All that was tried.
    choices
        What each metric says is best, by its name.
    """

    recipe: Recipe
    model: Model | None
    candidates: list[Candidate]
    choices: dict[str, Choice]


def tune(
    data: Dataset,
    learner: str | Recipe = "ranksvm",
    grid: Mapping[str, Any] | Iterable[str] | str | None = None,
    *,
    metrics: str | Iterable[str | Metric] = DEFAULT_METRICS,
    dialect: str | None = None,
    valid: Dataset | None = None,
    folds: int = 5,
    seed: int = 0,
    grow: bool = True,
    pick: Pick = "best",
    trials: int | None = None,
    journal: str | os.PathLike[str] | None = None,
    refit: bool = True,
    watch: Callable[[Candidate], object] | None = None,
) -> Tuning:
    """Find the best parameters of a learner.

    Parameters
    ----------
    data
        Judged rows to learn from.
    learner
        A recipe, or the name of one with its default parameters.
    grid
        The values to try, by parameter: a list or a text ({"C": "2^-5..2^5", "scale": [None, "std"]}), or all in one
        text ("C=2^-5..2^5 scale=none,std"). The learner's own search space if None.
    metrics
        What to measure; the first decides which model is learned at last.
    dialect
        Measure as another tool does: see `rankine.evaluate`.
    valid
        Rows to measure on. Without them, folds of the data take turns.
    folds
        How many folds of whole queries.
    seed
        Which folds, and which trials.
    grow
        Whether the grid grows where the best C lies on its edge.
    pick
        Learn the "best" at last, or the "one_se": the smallest C within one standard error of it.
    trials
        Let Optuna try so many parameters instead of the whole grid; ranges of powers are then continuous.
    journal
        A file that gets a line for each finished evaluation; a search that finds it goes on from there.
    refit
        Whether to learn the winner at last.
    watch
        Told of each candidate whenever one more of its folds is done.

    Examples
    --------
    >>> from rankine.data import synthetic
    >>> found = tune(synthetic.make("mslr10", scale=0.005), grid="C=2^-12..2^0", metrics="nDCG@10", folds=2)
    >>> found.choices["nDCG@10"].best.parameters["C"] < 1
    True
    """
    recipe = recipe_named(learner)() if isinstance(learner, str) else learner
    space = axes(recipe, grid)
    wanted = [Metric.parse(name) for name in (split_names(metrics) if isinstance(metrics, str) else metrics)]
    if not wanted:
        raise ValueError("no metric is asked for; name one, such as 'nDCG@10'")
    if pick not in ("best", "one_se"):
        raise ValueError(f"pick is {pick!r}; it must be 'best' or 'one_se'")
    data = data.suited()
    if valid is None:
        splits = folds_of(data, folds, wanted, dialect=dialect, seed=seed)
        about = {"data": data.fingerprint, "folds": folds, "seed": seed, "dialect": dialect}
    else:
        splits = [held_out(data, valid, wanted, dialect=dialect)]
        about = {"data": data.fingerprint, "valid": valid.fingerprint, "dialect": dialect}
    search = _Search(recipe, space, wanted, splits, about, Journal(journal), watch)
    if trials is not None:
        from rankine.selection.trials import by_optuna

        by_optuna(search.score, space, trials, seed=seed, lower_is_better=wanted[0].lower_is_better)
    else:
        search.walk_grid()
        if grow:
            search.grow()
    choices = {str(metric): search.choice(metric) for metric in wanted}
    for name, choice in choices.items():
        if choice.on_edge and trials is None:
            warnings.warn(
                f"the best C by {name}, {choice.best.parameters['C']:g}, lies on the edge of what was tried",
                TuningWarning,
                stacklevel=2,
            )
    winner = replace(recipe, **choices[str(wanted[0])].pick(pick).parameters)
    if valid is None:
        winner = winner.for_all((folds - 1) / folds)
    with warnings.catch_warnings():
        if search.warned:
            warnings.simplefilter("ignore", TrainingWarning)
        model = winner.fit(data) if refit else None
    return Tuning(winner, model, list(search.candidates.values()), choices)


@dataclass
class _Search:
    recipe: Recipe
    space: list[Axis]
    metrics: list[Metric]
    splits: list[Split]
    about: dict[str, Any]
    journal: Journal
    watch: Callable[[Candidate], object] | None
    candidates: dict[str, Candidate] = field(default_factory=dict)
    warned: bool = False

    def walk_grid(self) -> None:
        """Evaluate every combination."""
        strengths = next((axis.values for axis in self.space if axis.name == "C"), None)
        others = [axis for axis in self.space if axis.name != "C"]
        for values in itertools.product(*(axis.values for axis in others)):
            self.evaluate(dict(zip((axis.name for axis in others), values, strict=True)), strengths)

    def grow(self) -> None:
        """Go on with C beyond the edge, as long as some metric finds its best there."""
        axis = next((axis for axis in self.space if axis.name == "C"), None)
        if axis is None or len(axis.values) < 2:
            return
        grown = True
        while grown:
            grown = False
            for metric in self.metrics:
                choice = self.choice(metric)
                if not choice.on_edge:
                    continue
                others = _but_c(choice.best.parameters)
                tried = replace(axis, values=tuple(c.parameters["C"] for c in self.alike(choice.best)))
                up = choice.best.parameters["C"] == tried.values[-1]
                more = [C for C in tried.beyond(_GROWTH if up else -_GROWTH) if _LEAST <= C <= _GREATEST]
                if more:
                    self.evaluate(others, more)
                    grown = True

    def score(self, parameters: Parameters) -> float:
        """Evaluate one candidate; returns its first metric."""
        strengths = [parameters["C"]] if "C" in parameters else None
        (candidate,) = self.evaluate(_but_c(parameters), strengths)
        return self.tally(candidate, self.metrics[0]).value

    def evaluate(self, others: Parameters, strengths: Sequence[float] | None) -> list[Candidate]:
        """Learn and measure fold by fold, along C if strengths are given."""
        points = [others] if strengths is None else [{"C": C, **others} for C in sorted(strengths)]
        found = [self.candidates.setdefault(key_of(point), Candidate(point)) for point in points]
        names = [str(metric) for metric in self.metrics]
        for fold, split in enumerate(self.splits):
            todo = []
            for candidate in found:
                if candidate.n_folds > fold:
                    continue
                known = self.journal.get(self.key(candidate.parameters, fold), names)
                if known is None:
                    todo.append(candidate)
                else:
                    self.add(candidate, known)
            began = time.perf_counter()
            for candidate, model in zip(todo, self.models(split, [c.parameters for c in todo]), strict=True):
                tallies = split.measure(model)
                what = {"parameters": candidate.parameters, "fold": fold, "seconds": time.perf_counter() - began}
                self.journal.add(self.key(candidate.parameters, fold), what, tallies)
                self.add(candidate, tallies)
                began = time.perf_counter()
        return found

    def models(self, split: Split, points: Sequence[Parameters]) -> Iterator[Model]:
        """Learn each point; they differ in C alone."""
        if not points:
            return
        base = replace(self.recipe, **_but_c(points[0]))
        learned: Iterator[Model]
        if "C" in points[0]:
            learned = base.path(split.train, [point["C"] for point in points])
        else:
            learned = (base.fit(split.train) for _ in points)
        for _ in points:
            with warnings.catch_warnings():
                if self.warned:  # once is enough
                    warnings.simplefilter("ignore", TrainingWarning)
                model = next(learned)
            self.warned = True
            yield model

    def add(self, candidate: Candidate, tallies: Mapping[str, Tally]) -> None:
        candidate.add(tallies)
        if self.watch is not None:
            self.watch(candidate)

    def key(self, parameters: Parameters, fold: int) -> str:
        recipe = replace(self.recipe, **parameters)
        learner = {name: value for name, value in recipe.parameters.items() if name != "n_threads"}
        return key_of({**self.about, "fold": fold, "learner": recipe.name, "parameters": learner})

    def choice(self, metric: Metric) -> Choice:
        sign = -1.0 if metric.lower_is_better else 1.0
        rated = [(sign * self.tally(c, metric).value, c) for c in self.candidates.values()]
        highest = max(value for value, _ in rated)
        best = min((c for value, c in rated if value == highest), key=lambda c: float(c.parameters.get("C", 0.0)))
        alike = self.alike(best)
        error = self.tally(best, metric).error
        least = highest - (0.0 if math.isnan(error) else error)
        one_se = next(c for c in alike if sign * self.tally(c, metric).value >= least)
        # A plateau that reaches the edge is no reason to go beyond it.
        neighbour = alike[min(1, len(alike) - 1)] if best is alike[0] else alike[-2]
        at_end = best is alike[0] or best is alike[-1]
        return Choice(metric, best, one_se, at_end and sign * self.tally(neighbour, metric).value < highest)

    def alike(self, candidate: Candidate) -> list[Candidate]:
        """The candidates that differ from one in C alone, from small to large."""
        if "C" not in candidate.parameters:
            return [candidate]
        others = _but_c(candidate.parameters)
        found = [c for c in self.candidates.values() if _but_c(c.parameters) == others]
        return sorted(found, key=lambda c: float(c.parameters["C"]))

    def tally(self, candidate: Candidate, metric: Metric) -> Tally:
        tally = candidate.tallies[str(metric)]
        if not tally.m > 0:
            raise DataError(f"{metric} cannot be measured: no query that was held out counts for it")
        return tally


def _but_c(parameters: Parameters) -> Parameters:
    return {name: value for name, value in parameters.items() if name != "C"}
