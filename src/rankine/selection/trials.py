"""Optuna's search (extra `rankine[tune]`): a seeded tree-structured Parzen estimator.

The same seed asks for the same parameters again, so a search that was interrupted goes on by its journal: what was
evaluated is answered from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rankine.selection.space import Axis


def by_optuna(
    score: Callable[[dict[str, Any]], float],
    space: Sequence[Axis],
    n_trials: int,
    *,
    seed: int = 0,
    lower_is_better: bool = False,
) -> None:
    """Score as many parameters as are wanted, each asked for in the light of the scores before.

    Parameters
    ----------
    score
        The score of some parameters.
    space
        The parameters; where any number between the ends will do, numbers are drawn by their logarithm.
    n_trials
        How many.
    seed
        Another seed asks for others.
    lower_is_better
        Whether low scores are wanted.
    """
    if n_trials < 1:
        raise ValueError(f"trials is {n_trials}; at least 1 is needed")
    try:
        import optuna
    except ImportError as error:
        raise ImportError("trials need Optuna: pip install 'rankine[tune]', or search the grid without them") from error
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        direction="minimize" if lower_is_better else "maximize", sampler=optuna.samplers.TPESampler(seed=seed)
    )

    def ask(trial: Any) -> float:
        return score({axis.name: _suggested(trial, axis) for axis in space})

    study.optimize(ask, n_trials=n_trials)


def _suggested(trial: Any, axis: Axis) -> Any:
    if axis.between:
        return trial.suggest_float(axis.name, axis.values[0], axis.values[-1], log=True)
    return trial.suggest_categorical(axis.name, axis.values)
