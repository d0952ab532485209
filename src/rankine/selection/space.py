"""The values of parameters that a search goes through, and how people write them.

=================  ==========================================  =========================================
C=2^-15..2^10      powers: 2^-15, 2^-14, …, 2^10               for Optuna, any number between the ends
tries=1..4         whole numbers: 1, 2, 3, 4                   one of them
scale=none,std     a list; none, true and false are no text    one of them
C=0.5,8,2^5..2^7   parts of all kinds                          one of them
=================  ==========================================  =========================================
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rankine.recipes import Recipe
from rankine.recipes.parameters import ParameterError

_WORDS = {"none": None, "true": True, "false": False}
_POWER = r"([\d.]+)\^([+-]?\d+)"


@dataclass(frozen=True)
class Axis:
    """The values of one parameter.

    Parameters
    ----------
    name
        The parameter.
    values
        Its values; numbers from small to large.
    between
        Whether every number between the least and the greatest will do.
    """

    name: str
    values: tuple[Any, ...]
    between: bool = False

    def beyond(self, n: int) -> tuple[float, ...]:
        """The next n values above the greatest (below the least for n < 0), by the ratio of the two at that end."""
        end, inner = (self.values[-1], self.values[-2]) if n > 0 else (self.values[0], self.values[1])
        return tuple(end * (end / inner) ** k for k in range(1, abs(n) + 1))


def axes(recipe: Recipe, grid: Mapping[str, Any] | Iterable[str] | str | None = None) -> list[Axis]:
    """What a search goes through: each parameter and its values, checked.

    Parameters
    ----------
    recipe
        The learner; what it says of its own search is taken where `grid` is None.
    grid
        Values by parameter, a list, a text or an `Axis`; or texts such as "C=2^-5..2^5 scale=none,std".

    >>> from rankine.recipes import recipe_named
    >>> axes(recipe_named("ranksvm")(), "C=2^-1..2^1 scale=none,std")
    [Axis(name='C', values=(0.5, 1.0, 2.0), between=True), Axis(name='scale', values=(None, 'std'), between=False)]
    """
    if grid is None:
        grid = recipe.search
    if not isinstance(grid, Mapping):
        texts = [grid] if isinstance(grid, str) else grid
        grid = _entries([word for text in texts for word in text.split()])
    if not grid:
        raise ParameterError("there is nothing to search: name parameters and values, such as C=2^-5..2^5")
    return [values if isinstance(values, Axis) else _axis(recipe, name, values) for name, values in grid.items()]


def _entries(words: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name or not text:
            raise ParameterError(f"{word!r} is not a parameter and its values, such as C=2^-5..2^5 or scale=none,std")
        if name in found:
            raise ParameterError(f"the values of {name} are given twice; put commas between them")
        found[name] = text
    return found


def _axis(recipe: Recipe, name: str, given: Any) -> Axis:
    name = name.replace("-", "_")
    if name not in recipe.parameters:
        known = ", ".join(recipe.parameters)
        raise ParameterError(f"the learner {recipe.name!r} has no parameter {name!r} to search; it has {known}")
    if isinstance(given, str):
        values = [one for part in given.split(",") for one in _part(name, part.strip())]
    else:
        values = list(given)
    if not values:
        raise ParameterError(f"there are no values of {name} to search")
    if all(isinstance(one, int | float) and not isinstance(one, bool) for one in values):
        if isinstance(recipe.parameters[name], float) or not all(isinstance(one, int) for one in values):
            values = [float(one) for one in values]
        values.sort()
    for one in values:
        replace(recipe, **{name: one})
    between = isinstance(given, str) and re.fullmatch(rf"{_POWER}\.\.{_POWER}", given.strip()) is not None
    return Axis(name, tuple(dict.fromkeys(values)), between and len(values) > 1)


def _part(name: str, text: str) -> list[Any]:
    """The values that one part of a list stands for."""
    first, dots, last = text.partition("..")
    if not dots:
        return [value(text)]
    powers = [re.fullmatch(_POWER, end) for end in (first, last)]
    if powers[0] is not None and powers[1] is not None and powers[0][1] == powers[1][1]:
        exponents = range(int(powers[0][2]), int(powers[1][2]) + 1)
        found = [value(f"{powers[0][1]}^{exponent}") for exponent in exponents]
    elif re.fullmatch(r"[+-]?\d+", first) and re.fullmatch(r"[+-]?\d+", last):
        found = list(range(int(first), int(last) + 1))
    else:
        raise ParameterError(f"{text!r} for {name} is no range; write powers of one number, 2^-5..2^5, or 1..4")
    if not found:
        raise ParameterError(f"{text!r} for {name} holds nothing: the smaller end stands first, as in 2^-5..2^5")
    return found


def value(text: str) -> Any:
    """What is meant by a text: a number, a power, none, true, false, or else a word."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    try:
        if (power := re.fullmatch(_POWER, text)) is not None:
            return float(power[1]) ** int(power[2])
        return float(text)
    except (ValueError, OverflowError, ZeroDivisionError):
        return text
