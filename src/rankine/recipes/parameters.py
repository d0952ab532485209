"""The checks of learners' parameters, read from their annotations.

C: Annotated[float, Number(above=0)] = 1.0
pairs: Literal["all", "adjacent"] = "all"
"""

from __future__ import annotations

import difflib
import math
import numbers
import types
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints


class ParameterError(ValueError):
    """A parameter has a value that it cannot have; the message names both, and says what would be right."""


@dataclass(frozen=True)
class Number:
    """The range of a number.

    Parameters
    ----------
    above
        It must be greater than this.
    least
        It must be at least this.
    """

    above: float | None = None
    least: float | None = None

    def __str__(self) -> str:
        if self.above is not None:
            return f"above {self.above:g}"
        return "" if self.least is None else f"at least {self.least:g}"

    def holds(self, value: float) -> bool:
        """Whether a value is in the range."""
        return (self.above is None or value > self.above) and (self.least is None or value >= self.least)


def check(options: Any) -> None:
    """Raise a `ParameterError` unless every field of a dataclass is as its annotation says."""
    hints = get_type_hints(type(options), include_extras=True)
    for entry in fields(options):
        _check(entry.name, getattr(options, entry.name), _alternatives(hints[entry.name]))


def _alternatives(hint: Any, limit: Number | None = None) -> list[tuple[Any, Number | None]]:
    """The types that a hint allows, each with its range."""
    if get_origin(hint) is Annotated:
        inner, *extras = get_args(hint)
        return _alternatives(inner, next((extra for extra in extras if isinstance(extra, Number)), limit))
    if get_origin(hint) in (Union, types.UnionType):
        return [pair for option in get_args(hint) for pair in _alternatives(option, limit)]
    return [(hint, limit)]


def _check(name: str, value: Any, alternatives: list[tuple[Any, Number | None]]) -> None:
    finite = isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)
    wanted: list[str] = []
    choices: list[str] = []
    for kind, limit in alternatives:
        if kind is type(None):
            if value is None:
                return
            wanted.append("None")
        elif get_origin(kind) is Literal:
            if isinstance(value, str) and value in get_args(kind):
                return
            choices += get_args(kind)
            wanted += [repr(choice) for choice in get_args(kind)]
        elif kind is bool:
            if isinstance(value, bool):
                return
            wanted.append("true or false")
        elif kind in (int, float):
            whole = kind is int
            right = isinstance(value, numbers.Integral) if whole else True
            if finite and right and (limit is None or limit.holds(float(value))):
                return
            wanted.append(f"a{' whole' if whole else ''} number {limit or ''}".strip())
    near = difflib.get_close_matches(value, choices, 1) if isinstance(value, str) else []
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ParameterError(f"{name} is {value!r}; it must be {' or '.join(wanted)}{hint}")
