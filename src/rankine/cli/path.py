"""`rankine path DATA`: models for many C, each started from the last, and what becomes of them."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter

from rankine.cli.clock import Clock, peak_memory
from rankine.cli.console import emit, emit_json, facts, growing, power, table
from rankine.cli.flags import UsageError
from rankine.cli.learner import DEFAULT
from rankine.cli.reading import TRAINING, Paths, TrainingReading
from rankine.data.atomic import writable
from rankine.metrics import Metric
from rankine.metrics.metric import split_names
from rankine.model import Model, save_all
from rankine.recipes import Recipe
from rankine.selection.space import axes
from rankine.selection.split import held_out


def path(
    data: Paths,
    *,
    output: Annotated[str | None, Parameter(name=["--output", "-o"])] = None,
    grid: str = "2^-15..2^10",
    valid: str | None = None,
    metrics: str = "pair_accuracy",
    dialect: str | None = None,
    learner: str = DEFAULT,  # noqa: ARG001
    config: str | None = None,  # noqa: ARG001
    json: bool = False,
    recipe: Recipe,
    reading: TrainingReading = TRAINING,
) -> None:
    """Learn a model for each C, in the time of a few, and show what becomes of it.

    Parameters
    ----------
    data
        Files of judged rows, read as one data set.
    output
        A file for all models; `rankine inspect`, `predict` and `evaluate` take one of them by `--C` or `--index`.
    grid
        The values of C: powers, 2^-15..2^10, or a list, 0.1,1,10.
    valid
        A file of judged rows to measure on; the data itself by default.
    metrics
        What to measure, names with spaces between, as `rankine evaluate` takes them.
    dialect
        Measure as another tool does, as `rankine evaluate` does.
    learner
        Which learner: ranksvm. The flags of the group "Learner" are its own, but for C.
    config
        A TOML file that holds flags.
    json
        Print one JSON object instead of a table.
    """
    if "C" in recipe.parameters and recipe.parameters["C"] != type(recipe)().parameters["C"]:
        raise UsageError("a path goes over C: say which values by --grid, as in --grid 2^-5..2^5, not by --C")
    strengths = axes(recipe, {"C": grid})[0].values
    wanted = metrics_named(metrics)
    if output is not None:
        writable(output)
    clock = Clock()
    reading = reading.for_learner(recipe)
    rows = reading(data, clock=clock)
    against = rows if valid is None else reading.beside(rows, valid, clock)
    split = held_out(rows, against, wanted, dialect=dialect)
    header = ["C", *map(str, wanted), "objective", "within", "norm", "steps", "seconds"]
    models: list[Model] = []
    points: list[dict[str, Any]] = []
    lines: list[list[str]] = []
    with growing(header) as show:
        learned = recipe.path(rows, strengths)
        for _ in strengths:
            with clock.phase("fit"):
                models.append(next(learned))
            with clock.phase("measure"):
                measured = {name: tally.value for name, tally in split.measure(models[-1]).items()}
            points.append(_point(models[-1], measured))
            lines.append(_line(models[-1], measured))
            show(lines)
    if output is not None:
        with clock.phase("save"):
            save_all(models, output)
    if json:
        costs = {"seconds": clock.seconds, "peak_memory": peak_memory()}
        emit_json({"data": rows.source, "measured_on": against.source, "points": points, "models": output, **costs})
        return
    known = [("data", f"{rows.source}: {rows.n_rows:,} rows, {rows.n_queries:,} queries"), ("learner", recipe.name)]
    known += [("measured on", against.source), ("fit", f"{clock.seconds['fit']:.3g} s for {len(models)} models")]
    emit(facts([*known, *([] if output is None else [("models", output)])]))
    emit()
    emit(table(header, lines))


def metrics_named(names: str) -> list[Metric]:
    """Metrics by their names, or a `UsageError`."""
    try:
        found = [Metric.parse(name) for name in split_names(names)]
    except ValueError as error:
        raise UsageError(str(error)) from None
    if not found:
        raise UsageError("--metrics is empty; name some, such as: --metrics 'pair_accuracy nDCG@10'")
    return found


def _point(model: Model, measured: dict[str, float]) -> dict[str, Any]:
    described = model.describe()
    return {
        "C": model.parameters["C"],
        "metrics": measured,
        "norm": _norm(model),
        "nonzero": described["nonzero"],
        **(described["outcome"] or {}),
    }


def _line(model: Model, measured: dict[str, float]) -> list[str]:
    o = model.outcome
    assert o is not None
    within = f"{o.gap / abs(o.objective) if o.objective else 0.0:.1e}{'' if o.converged else ' !'}"
    values = [f"{value:.6f}" for value in measured.values()]
    steps = [f"{o.n_iter}", f"{o.seconds:.3g}"]
    return [power(model.parameters["C"]), *values, f"{o.objective:.6g}", within, f"{_norm(model):.4g}", *steps]


def _norm(model: Model) -> float:
    return float(np.linalg.norm(model.weights))
