"""`rankine train DATA -o MODEL`: learn a model. Its flags are the fields of the learner's recipe."""

from __future__ import annotations

import warnings
from typing import Annotated

from cyclopts import Parameter

from rankine.cli.clock import Clock, peak_memory
from rankine.cli.console import emit, emit_json, facts, summary_of_fit, training
from rankine.cli.learner import DEFAULT
from rankine.cli.reading import TRAINING, Paths, TrainingReading
from rankine.data.atomic import writable
from rankine.model import load
from rankine.recipes import Recipe


def train(
    data: Paths,
    *,
    output: Annotated[str, Parameter(name=["--output", "-o"])],
    learner: str = DEFAULT,  # noqa: ARG001
    start: str | None = None,
    config: str | None = None,  # noqa: ARG001
    json: bool = False,
    recipe: Recipe,
    reading: TrainingReading = TRAINING,
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
        A TOML file that holds flags: `C = 128`; a table `[constraints]` holds one line a feature: `price = "-"`.
    json
        Print one JSON object instead of text for people.
    """
    from rankine.metrics import pair_accuracy

    writable(output)
    first = None if start is None else load(start)
    clock = Clock()
    rows = reading.for_learner(recipe)(data, like=first or recipe.prior_model, clock=clock)
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
