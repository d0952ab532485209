"""`rankine train DATA -o MODEL`: learn a model. Its flags are the fields of the learner's recipe."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

from cyclopts import Parameter

from rankine.cli.clock import Clock, peak_memory
from rankine.cli.console import emit, emit_json, facts, summary_of_fit, training
from rankine.cli.reading import Paths, TrainingReading
from rankine.data.atomic import writable
from rankine.model import load
from rankine.recipes import Recipe, recipe_named

DEFAULT = "ranksvm"
READING = TrainingReading()


def train_with(learner: object) -> Callable[..., None]:
    """The command with the flags of one learner."""
    from rankine.cli.flags import UsageError

    try:
        kind = recipe_named(DEFAULT if learner is None else str(learner))
    except ValueError as error:
        raise UsageError(str(error)) from None
    command = train
    signature = inspect.signature(command, eval_str=True)
    fields = Annotated[kind, Parameter(name="*", group=f"Learner: {kind.name}")]  # type: ignore[valid-type]
    parameters = [
        p.replace(annotation=fields, default=None) if name == "recipe" else p
        for name, p in signature.parameters.items()
    ]

    def run(*args: Any, **kwargs: Any) -> None:
        kwargs["recipe"] = kwargs.get("recipe") or kind()
        command(*args, **kwargs)

    run.__doc__ = command.__doc__
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return run


def train(
    data: Paths,
    *,
    output: Annotated[str, Parameter(name=["--output", "-o"])],
    learner: str = DEFAULT,  # noqa: ARG001
    start: str | None = None,
    config: str | None = None,  # noqa: ARG001
    json: bool = False,
    recipe: Recipe,
    reading: TrainingReading = READING,
) -> None:
    """Learn a model from judged rows and write it to a file.

    Parameters
    ----------
    data
        Files of judged rows: LETOR, SVMrank or svmlight text (also .gz, .bz2, .xz; - is standard input), Parquet, .npz.
        Several are read as one data set.
    output
        Where the model goes. A file that is there already is replaced.
    learner
        Which learner: ranksvm. The flags of the group "Learner" are its own.
    start
        A model to start from.
    config
        A TOML file that holds flags: `C = 128`.
    json
        Print one JSON object instead of text for people.
    """
    from rankine.metrics import pair_accuracy

    writable(output)
    first = None if start is None else load(start)
    clock = Clock()
    if getattr(recipe, "missing", "error") != "error":
        reading = replace(reading, missing="keep")
    rows = reading(data, like=first, clock=clock)
    with clock.phase("fit"), training() as watch:
        model = recipe.fit(rows, watch, start=first)
    with clock.phase("save"):
        model.save(output)
    if model.outcome is not None and model.outcome.shortfall is not None:
        warnings.warn(f"{model.outcome.shortfall}. Raise --max-iter, or scale the features: --scale std", stacklevel=1)
    with clock.phase("measure"):
        accuracy = pair_accuracy(rows.label, model.score(rows), rows.qid)
    if json:
        costs = {"seconds": clock.seconds, "peak_memory": peak_memory()}
        emit_json({"model": output, **model.describe(), "train": {"pair_accuracy": accuracy}, **costs})
        return
    emit(facts([*summary_of_fit(model), ("training pairs right", f"{accuracy:.4%}"), ("model", output)]))
