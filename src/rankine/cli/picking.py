"""The flags that pick one of several models of a file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from rankine.cli.console import power
from rankine.cli.flags import UsageError
from rankine.model import Model, load_all
from rankine.selection.space import value


@Parameter(name="*", group="Models")
@dataclass(frozen=True)
class Picking:
    """Which model of a file, if it holds several.

    Parameters
    ----------
    C
        The one with this C: 0.5 or 2^-1.
    index
        The one with this number, counted from 1.
    """

    C: str | None = None
    index: Annotated[int | None, Parameter(validator=Number(gte=1))] = None

    def __call__(self, path: str) -> Model:
        """Read the one model that is meant."""
        models = self.all(path)
        if len(models) > 1:
            which = ", ".join(power(model.parameters.get("C")) for model in models)
            raise UsageError(f"{path} holds {len(models)} models; say which by --index or --C, which may be {which}")
        return models[0]

    def all(self, path: str) -> list[Model]:
        """Read all models that are meant."""
        models = load_all(path)
        if self.index is not None:
            if self.index > len(models):
                raise UsageError(f"--index is {self.index}, but {path} holds {len(models)} model(s)")
            models = [models[self.index - 1]]
        if self.C is None:
            return models
        C = value(self.C)
        if not isinstance(C, int | float):
            raise UsageError(f"--C is {self.C!r}; it must be a number, such as 0.5 or 2^-1")
        found = [model for model in models if math.isclose(C, model.parameters.get("C") or math.nan, rel_tol=1e-6)]
        if not found:
            which = ", ".join(power(model.parameters.get("C")) for model in models)
            raise UsageError(f"{path} has no model with C = {self.C}; there is {which}")
        return found


PICKING = Picking()
