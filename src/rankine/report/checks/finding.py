"""What a check reports, and the words for it: features, rows and queries are named as people count them, from 1."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankine.data import Dataset

Level: TypeAlias = Literal["error", "warning", "note"]
Positions: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class Finding:
    """Something about some data that deserves a look.

    Parameters
    ----------
    level
        "error": training or testing fails or means nothing. "warning": the result will probably disappoint. "note":
        good to know.
    code
        A short name for the kind of finding, for programs.
    sentence
        What was found, and where.
    remedy
        What to do.
    details
        Numbers and names as plain values; at most the first 100 of each list.
    """

    level: Level
    code: str
    sentence: str
    remedy: str
    details: dict[str, Any] = field(default_factory=dict)


def count_of(n: int, one: str, many: str | None = None) -> str:
    """A number of things.

    >>> count_of(1, "query", "queries"), count_of(2000, "row")
    ('1 query', '2,000 rows')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def some(words: Iterable[str], one: str, many: str) -> str:
    """The first five of some names.

    >>> some("abcdefg", "letter", "letters")
    'letters a, b, c, d, e and 2 more'
    """
    words = list(words)
    more = f" and {len(words) - 5:,} more" if len(words) > 5 else ""
    return f"{one if len(words) == 1 else many} {', '.join(words[:5])}{more}"


def feature_names(data: Dataset, which: Iterable[int]) -> list[str]:
    """What people call these features: a name in quotes, or a number."""
    return [repr(data.name_of(j)) if data.feature_names else data.name_of(j) for j in map(int, which)]


def some_features(data: Dataset, which: Positions) -> str:
    """The first five of some features."""
    return some(feature_names(data, which), "feature", "features")


def some_queries(data: Dataset, which: Positions) -> str:
    """The first five of some queries."""
    return some(map(repr, data.query_ids[which].tolist()), "query", "queries")


def feature_details(data: Dataset, which: Positions) -> dict[str, Any]:
    """How many features, and their names."""
    return {"count": len(which), "features": [data.name_of(int(j)) for j in which[:100]]}


def query_details(data: Dataset, which: Positions) -> dict[str, Any]:
    """How many queries, and their ids: numbers and strings as they are, other things as strings."""
    ids = data.query_ids[which[:100]].tolist()
    return {"count": len(which), "queries": [x if isinstance(x, int | float | str) else str(x) for x in ids]}


def row_number(data: Dataset, row: int) -> int:
    """The number of a grouped row in the caller's order, from 1."""
    return int(row if data.order is None else data.order[row]) + 1


def query_of_row(data: Dataset) -> Positions:
    """The position of the query of each grouped row."""
    return np.repeat(np.arange(data.n_queries), np.diff(data.grouped.query_ptr))
