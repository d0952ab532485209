"""Commands that take a learner: its parameters become their flags."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Annotated, Any

from cyclopts import Parameter

from rankine.cli.flags import UsageError, flags_of, recipe_of
from rankine.recipes import recipe_named

DEFAULT = "ranksvm"


def with_learner(path: str, learner: object) -> Callable[..., None]:
    """A command, given as module:function, whose argument `recipe` becomes the flags of a learner."""
    try:
        kind = recipe_named(DEFAULT if learner is None else str(learner))
    except ValueError as error:
        raise UsageError(str(error)) from None
    module, name = path.split(":")
    command = getattr(importlib.import_module(module), name)
    signature = inspect.signature(command, eval_str=True)
    fields = Annotated[flags_of(kind), Parameter(name="*", group=f"Learner: {kind.name}")]  # type: ignore[valid-type]
    parameters = [
        p.replace(annotation=fields, default=None) if name == "recipe" else p
        for name, p in signature.parameters.items()
    ]

    def run(*args: Any, **kwargs: Any) -> None:
        flags = kwargs.get("recipe")
        kwargs["recipe"] = kind() if flags is None else recipe_of(kind, flags)
        command(*args, **kwargs)

    run.__doc__ = command.__doc__
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return run
