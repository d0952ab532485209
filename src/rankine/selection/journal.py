"""The journal of a search: a file that gets one JSON line for each finished evaluation, from which a search goes on.

The first line is {"format": "rankine-journal", "version": 1}. Each other line holds a key (a hash of the data, the
learner, its parameters, the fold and the dialect), what that was in plain words, and the tallies of the metrics. A last
line that was torn by a crash is left out.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

from rankine.data.atomic import writable
from rankine.selection.tally import Tally

_HEAD = {"format": "rankine-journal", "version": 1}


class JournalError(ValueError):
    """The file is not a journal that a search can go on from; the message says why."""


class Journal:
    """The finished evaluations of a search, in memory and, if it has a path, in a file.

    Parameters
    ----------
    path
        The file. It is made if it is not there.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = None if path is None else writable(path)
        self._found: dict[str, dict[str, Tally]] = {}
        if self.path is None:
            return
        content = self.path.read_bytes() if self.path.exists() else b""
        whole = content[: content.rfind(b"\n") + 1]
        if not whole and not json.dumps(_HEAD).encode().startswith(content):
            raise JournalError(f"{path} is not a journal of a search, and will not be overwritten")
        for number, line in enumerate(whole.splitlines(), start=1):
            self._take(line, number)
        if len(whole) < len(content):
            os.truncate(self.path, len(whole))
        if not whole:
            self._write(_HEAD)

    def get(self, key: str, metrics: list[str]) -> dict[str, Tally] | None:
        """The tallies of an evaluation, if it is there with all of these metrics."""
        found = self._found.get(key, {})
        return {name: found[name] for name in metrics} if set(metrics) <= set(found) else None

    def add(self, key: str, what: Mapping[str, Any], tallies: Mapping[str, Tally]) -> None:
        """Take down a finished evaluation."""
        self._found.setdefault(key, {}).update(tallies)
        self._write({"key": key, **what, "metrics": tallies})

    def _write(self, entry: Mapping[str, Any]) -> None:
        if self.path is not None:
            with self.path.open("ab") as stream:
                stream.write(json.dumps(entry, ensure_ascii=False).encode() + b"\n")

    def _take(self, line: bytes, number: int) -> None:
        try:
            entry = json.loads(line)
            if number > 1:
                tallies = {str(name): Tally(*map(_number, sums)) for name, sums in entry["metrics"].items()}
                self._found.setdefault(str(entry["key"]), {}).update(tallies)
                return
        except (ValueError, TypeError, KeyError, AttributeError):
            entry = None
        if entry is None and number > 1:
            raise JournalError(f"{self.path}, line {number} is damaged: it is no evaluation; remove it to go on")
        if not isinstance(entry, dict) or entry.get("format") != _HEAD["format"]:
            raise JournalError(f"{self.path} is not a journal of a search, and will not be overwritten")
        if entry.get("version") != _HEAD["version"]:
            raise JournalError(f"{self.path} is a journal of version {entry.get('version')}; this Rankine reads 1")


def key_of(what: Mapping[str, Any]) -> str:
    """A short hash of plain values."""
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:24]


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    return value
