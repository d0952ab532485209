"""Flags: known ones only, values without guessing, and a TOML file that may hold them.

cyclopts parses the command line. What it is too lenient with is checked before: an unknown flag must not become a file
name, and 2.5 must not become the whole number 2.
"""

from __future__ import annotations

import dataclasses
import difflib
import tomllib
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import cyclopts

if TYPE_CHECKING:
    from rankine.recipes import Recipe


class UsageError(Exception):
    """The command was asked for something that it cannot be asked for."""


def value(tokens: Sequence[str], flag: str) -> str | None:
    """The value of a flag, looked up before the command line is parsed because parsing depends on it."""
    for token, following in zip_longest(tokens, tokens[1:]):
        if token == flag:
            return following
        if token.startswith(f"{flag}="):
            return token.partition("=")[2]
    return None


class Config(NamedTuple):
    """The flags that a TOML file holds; the command line has the last word.

    A table, such as `[constraints]` with `price = "-"`, is a flag with the values `price=-` and so on.
    """

    path: str
    values: dict[str, Any]
    tables: frozenset[str]


def config(tokens: Sequence[str]) -> Config:
    """The flags of the file that `--config` names, none without it."""
    path = value(tokens, "--config")
    if path is None:
        return Config("", {}, frozenset())
    try:
        values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not TOML: {error}") from None
    tables = frozenset(_hyphens(name) for name, entry in values.items() if isinstance(entry, dict))
    return Config(path, {_hyphens(name): _flat(entry) for name, entry in values.items()}, tables)


def _flat(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    return [f"{key}={':'.join(map(str, value)) if isinstance(value, list) else value}" for key, value in entry.items()]


def checked(app: cyclopts.App, tokens: Sequence[str], held: Config) -> list[str]:
    """The tokens with flags spelt as they are known; a `UsageError` names the first that is not, here or in a file.

    Parameter names count as flags with underscores, too: `--max_iter` is `--max-iter`. After `--` there are no flags.
    """
    if not tokens or tokens[0].startswith("-") or tokens[0] not in app:
        return list(tokens)
    arguments = app[tokens[0]].assemble_argument_collection(default_parameter=app.default_parameter)
    known = {name for argument in arguments for name in argument.names} | {"--help", "-h", "--version"}
    for name in held.values:
        if f"--{name}" not in known:
            if name in held.tables:
                raise UsageError(f"{held.path} has a table [{name}]; write flags without tables, such as: C = 128")
            raise UsageError(f"{held.path}: {tokens[0]} has no flag {name}; {_nearest(f'--{name}', known)}")
    out = [tokens[0]]
    for at, token in enumerate(tokens[1:], start=1):
        name, equals, rest = token.partition("=")
        if token == "--":
            return [*out, *tokens[at:]]
        if token == "-" and out[-1] in ("-o", "--output"):  # standard output, which cyclopts takes for a flag
            out[-1] = "--output=-"
        elif not token.startswith("-") or token == "-" or _is_number(token) or name in known or name[:2] in known:
            out.append(token)
        elif _hyphens(name) in known:
            out.append(_hyphens(name) + equals + rest)
        else:
            raise UsageError(f"{tokens[0]} has no flag {name}; {_nearest(name, known)}")
    return out


def flags_of(kind: type[Recipe]) -> type:
    """A dataclass of a learner's parameters as they are written in a command: a mapping as entries `feature=value`."""
    from rankine.model import Model

    hints = get_type_hints(kind, include_extras=True)
    entries: list[tuple[str, Any, Any]] = []
    for entry in dataclasses.fields(kind):
        hint, options = hints[entry.name], get_args(hints[entry.name])
        if any(get_origin(option) is Mapping for option in options):
            flag = f"--{_hyphens(entry.name)}"
            hint = Annotated[list[str] | None, cyclopts.Parameter(name=(flag.removesuffix("s"), flag))]
        elif Model in options:
            hint = str | None
        entries.append((entry.name, hint, dataclasses.field(default=entry.default)))
    namespace = {"__module__": kind.__module__, "__doc__": kind.__doc__}
    return dataclasses.make_dataclass(kind.__name__, entries, frozen=True, namespace=namespace)


def recipe_of(kind: type[Recipe], flags: Any) -> Recipe:
    """The learner with the parameters that flags of `flags_of` hold."""
    values = {entry.name: getattr(flags, entry.name) for entry in dataclasses.fields(flags)}
    return kind(**{name: _mapping(name, held) if isinstance(held, list) else held for name, held in values.items()})


def _mapping(name: str, entries: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for entry in entries:
        feature, equals, text = entry.rpartition("=")
        if not equals:
            raise UsageError(f"{name}: {entry!r} is not a feature and its value, such as price=1")
        if feature in found:
            raise UsageError(f"{name}: the feature {feature!r} is given twice")
        low, colon, high = text.partition(":")
        found[feature] = (_number(low), _number(high)) if colon else _number(text)
    return found


def _number(text: str) -> float | str | None:
    """A number, None for nothing; other text as it is, for the learner to judge."""
    return None if not text else float(text) if _is_number(text) else text


def exact(kind: Any, tokens: Sequence[Any]) -> Any:
    """Convert as cyclopts does, but take for a whole number only what is written as one."""

    def scalar(of: Any, text: str) -> Any:
        return int(text) if of is int else cyclopts.convert(of, [text])

    return cyclopts.convert(kind, tokens, converter=scalar)


def _hyphens(name: str) -> str:
    return name.replace("_", "-")


def _is_number(token: str) -> bool:
    try:
        float(token)
    except ValueError:
        return False
    return True


def _nearest(name: str, known: set[str]) -> str:
    other_case = [flag for flag in known if flag.lower() == name.lower()]
    near = other_case or difflib.get_close_matches(name, known, 1, 0.6)
    return f"did you mean {near[0]}?" if near else "see --help"
