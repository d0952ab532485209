"""`rankine tune DATA`: the best parameters of a learner by queries that were held out, and the model that they make."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from rankine.cli.clock import Clock, peak_memory
from rankine.cli.console import emit, emit_json, facts, growing, power, table
from rankine.cli.flags import UsageError
from rankine.cli.learner import DEFAULT
from rankine.cli.path import metrics_named
from rankine.cli.reading import TRAINING, Paths, TrainingReading
from rankine.data.atomic import writable
from rankine.recipes import Recipe
from rankine.selection import Candidate, Tuning
from rankine.selection import tune as search
from rankine.selection.search import DEFAULT_METRICS
from rankine.selection.space import axes


def tune(
    data: Paths,
    *,
    output: Annotated[str | None, Parameter(name=["--output", "-o"])] = None,
    valid: str | None = None,
    folds: Annotated[int, Parameter(validator=Number(gte=2))] = 5,
    grid: Annotated[list[str] | None, Parameter(negative=())] = None,
    fixed: bool = False,
    metrics: str = DEFAULT_METRICS,
    dialect: str | None = None,
    pick: Literal["best", "one_se"] = "best",
    trials: Annotated[int | None, Parameter(validator=Number(gte=1))] = None,
    seed: Annotated[int, Parameter(validator=Number(gte=0))] = 0,
    journal: str | None = None,
    learner: str = DEFAULT,  # noqa: ARG001
    config: str | None = None,  # noqa: ARG001
    json: bool = False,
    recipe: Recipe,
    reading: TrainingReading = TRAINING,
) -> None:
    """Find the best parameters of a learner, metric by metric, and learn the first metric's winner from all rows.

    Standard errors are over queries. "Simplest" is the smallest C that is at most one standard error worse than the
    best. After folds, the model is learned from all rows with C times (K - 1) / K: the objective sums over pairs, and a
    training part holds that share of them. With --valid it is learned from DATA as it was.

    Parameters
    ----------
    data
        Files of judged rows to learn from, read as one data set.
    output
        Where the winner goes, learned once more. Without it nothing is written.
    valid
        A file of judged rows to measure on, instead of folds.
    folds
        How many folds of whole queries take turns.
    grid
        What to search, again for each parameter: --grid C=2^-15..2^10 --grid scale=none,std. Powers, whole numbers
        (1..4), lists; none, true and false. The learner's own search space by default: C=2^-15..2^10.
    fixed
        Keep to the grid, also where the best C lies on its edge.
    metrics
        What to measure, names with spaces between, as `rankine evaluate` takes them. The first decides.
    dialect
        Measure as another tool does, as `rankine evaluate` does.
    pick
        Learn the "best" in the end, or the simplest within one standard error of it.
    trials
        Let Optuna (pip install 'rankine[tune]') try so many parameters instead; powers are then any number between.
    seed
        Which folds, and which trials.
    journal
        A file that gets a line for each finished evaluation. A search that is started again goes on from it.
    learner
        Which learner: ranksvm. The flags of the group "Learner" are its own; those not searched are taken as given.
    config
        A TOML file that holds flags.
    json
        Print one JSON object instead of tables.
    """
    space = axes(recipe, grid)
    default = type(recipe)().parameters
    for axis in space:
        if recipe.parameters[axis.name] != default[axis.name]:
            flag = f"--{axis.name.replace('_', '-')}"
            raise UsageError(f"{axis.name} is given by {flag} and is searched, too: leave out {flag}, or give --grid")
    wanted = metrics_named(metrics)
    if output is not None:
        writable(output)
    clock = Clock()
    reading = reading.for_learner(recipe)
    rows = reading(data, clock=clock)
    against = None if valid is None else reading.beside(rows, valid, clock)
    names = [axis.name for axis in space]
    header = [*names, *(column for metric in wanted for column in (str(metric), "±"))]
    seen: dict[int, Candidate] = {}
    with clock.phase("search"), growing([*header, "folds"]) as show:

        def watch(candidate: Candidate) -> None:
            seen[id(candidate)] = candidate
            show([[*_line(one, names), str(one.n_folds)] for one in seen.values()])

        found = search(
            rows,
            recipe,
            {axis.name: axis for axis in space},
            metrics=wanted,
            dialect=dialect,
            valid=against,
            folds=folds,
            seed=seed,
            grow=not fixed,
            pick=pick,
            trials=trials,
            journal=journal,
            refit=output is not None,
            watch=watch,
        )
    if found.model is not None and output is not None:
        with clock.phase("save"):
            found.model.save(output)
    how = f"{folds} folds of whole queries" if valid is None else valid
    if json:
        costs = {"seconds": clock.seconds, "peak_memory": peak_memory()}
        emit_json({"data": rows.source, "measured_on": how, **_described(found), "model": output, **costs})
        return
    emit(facts([("data", f"{rows.source}: {rows.n_rows:,} rows, {rows.n_queries:,} queries"), ("measured on", how)]))
    emit()
    emit(table(header, [_line(one, names) for one in found.candidates], left=len(names)))
    emit()
    emit(_choices(found))
    if found.model is not None and output is not None:
        emit()
        first = next(iter(found.choices))
        learned = found.recipe.parameters
        which = "best" if pick == "best" else "simplest"
        chosen = ", ".join(f"{name}={power(learned[name])}" for name in names)
        rescaled = valid is None and "C" in names
        why = f" (C for all pairs, of which a fold learns from {(folds - 1) / folds:.3g})" if rescaled else ""
        emit(facts([("model", output), ("learned from all rows", f"{which} by {first}, {chosen}{why}")]))


def _line(candidate: Candidate, names: list[str]) -> list[str]:
    cells = [power(candidate.parameters[name]) for name in names]
    return cells + [
        text for tally in candidate.tallies.values() for text in (f"{tally.value:.4f}", f"{tally.error:.4f}")
    ]


def _choices(found: Tuning) -> str:
    """What is best by each metric, and what is simplest: as in Table 3 of Lee & Lin, with errors."""
    lines = []
    for name, choice in found.choices.items():
        cells = [name]
        for candidate in (choice.best, choice.one_se):
            tally = candidate.tallies[name]
            chosen = " ".join(f"{key}={power(value)}" for key, value in candidate.parameters.items())
            cells += [chosen, f"{tally.value:.4f} ± {tally.error:.4f}"]
        lines.append(cells)
    return table(["metric", "best", "there", "simplest", "there"], lines)


def _described(found: Tuning) -> dict[str, Any]:
    def told(candidate: Candidate) -> dict[str, Any]:
        values = {name: {"value": t.value, "error": t.error, "queries": t.n} for name, t in candidate.tallies.items()}
        return {"parameters": candidate.parameters, "metrics": values}

    return {
        "learner": found.recipe.name,
        "candidates": [told(candidate) for candidate in found.candidates],
        "choices": {
            name: {"best": told(choice.best), "one_se": told(choice.one_se), "on_edge": choice.on_edge}
            for name, choice in found.choices.items()
        },
        "winner": found.recipe.parameters,
    }
