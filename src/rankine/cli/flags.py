"""Flags: known ones only, values without guessing, and a TOML file that may hold them.

cyclopts parses the command line. What it is too lenient with is checked before: an unknown flag must not become a file
name, and 2.5 must not become the whole number 2.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import cyclopts


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
    """The flags that a TOML file holds; the command line has the last word."""

    path: str
    values: dict[str, Any]


def config(tokens: Sequence[str]) -> Config:
    """The flags of the file that `--config` names, none without it."""
    path = value(tokens, "--config")
    if path is None:
        return Config("", {})
    try:
        values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not TOML: {error}") from None
    for name, entry in values.items():
        if isinstance(entry, dict):
            raise UsageError(f"{path} has a table [{name}]; write flags without tables, such as: C = 128")
    return Config(path, {_hyphens(name): entry for name, entry in values.items()})


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
