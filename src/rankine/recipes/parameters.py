"""The checks of learners' parameters, read from their annotations.

C: Annotated[float, Number(above=0)] = 1.0
pairs: Literal["all", "adjacent"] = "all"
factors: Mapping[str | int, Annotated[float, Number(above=0)]] | None = None
"""

from __future__ import annotations

import difflib
import functools
import math
import numbers
import os
import types
from collections.abc import Mapping
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
    for name, alternatives in _allowed(type(options)).items():  # type: ignore[arg-type]
        _check(name, getattr(options, name), alternatives)


@functools.cache
def _allowed(kind: type) -> dict[str, list[tuple[Any, Number | None]]]:
    """What the fields of a dataclass may be; reading annotations takes half a millisecond."""
    hints = get_type_hints(kind, include_extras=True)
    return {entry.name: _alternatives(hints[entry.name]) for entry in fields(kind)}


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
        elif get_origin(kind) is tuple:
            if _is_range(value):
                return
            wanted.append("a pair (low, high) in order, with None where there is no bound")
        elif get_origin(kind) is Mapping:
            if isinstance(value, Mapping):
                _check_entries(name, value, _alternatives(get_args(kind)[1]))
                return
            wanted.append("a mapping from features")
        elif isinstance(value, get_origin(kind) or kind):
            return
        else:
            wanted.append("a path" if kind is str or get_origin(kind) is os.PathLike else f"a {kind.__name__}")
    near = difflib.get_close_matches(value, choices, 1) if isinstance(value, str) else []
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ParameterError(f"{name} is {value!r}; it must be {' or '.join(dict.fromkeys(wanted))}{hint}")


def _check_entries(name: str, entries: Mapping[Any, Any], alternatives: list[tuple[Any, Number | None]]) -> None:
    for key, value in entries.items():
        if not isinstance(key, str | numbers.Integral) or isinstance(key, bool):
            raise ParameterError(f"{name} has the key {key!r}; it must be a feature's name, or its number from 1")
        _check(f"{name}[{key!r}]", value, alternatives)


def _is_range(value: Any) -> bool:
    if not isinstance(value, tuple | list) or len(value) != 2:
        return False
    if not all(side is None or (isinstance(side, numbers.Real) and not isinstance(side, bool)) for side in value):
        return False
    low, high = (side if value[at] is None else float(value[at]) for at, side in enumerate((-math.inf, math.inf)))
    return low <= high and low < math.inf and high > -math.inf
