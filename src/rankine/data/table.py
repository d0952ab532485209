"""What a data file holds, in the order of its rows, before rows are grouped by query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rankine.data.errors import DataError
from rankine.data.grouping import Runs
from rankine.data.rows import Array, Rows, Vector


@dataclass(frozen=True)
class How:
    """How files are read; the first parameters are those of `rankine.read`.

    Parameters
    ----------
    least_features
        Rows have so many features at least, where a file does not say how many.
    to_score
        Rows are only to be scored: labels and weights need not be there, and are not looked at.
    queries
        Whether every row needs a query id.
    """

    n_features: int | None = None
    dtype: Literal["float32", "float64"] = "float32"
    missing: Literal["error", "zero", "keep"] | float = "error"
    index_base: Literal[0, 1] | None = None
    one_query: bool = False
    n_threads: int | None = None
    least_features: int = 0
    to_score: bool = False
    queries: bool = True

    @property
    def missing_value(self) -> float | None:
        """The number that stands for missing values; None if they are an error."""
        known = {"error": None, "zero": 0.0, "keep": np.nan}
        return known[self.missing] if isinstance(self.missing, str) else float(self.missing)


@dataclass(frozen=True)
class Table:
    """Rows of one or more files.

    Parameters
    ----------
    rows
        The features.
    label
        The label of each row.
    runs
        The query ids, as runs of rows that have the same one.
    feature_names
        The name of each feature, if they have names.
    doc_ids
        The document id of each row, if they have ids.
    sample_weight
        The weight of each row, if they have weights.
    query_weight
        The weight of the query of each run, if queries have weights.
    """

    rows: Rows
    label: Vector
    runs: Runs
    feature_names: tuple[str, ...] | None = None
    doc_ids: Array | None = None
    sample_weight: Vector | None = None
    query_weight: Vector | None = None


def joined(tables: Sequence[Table], names: Sequence[str]) -> Table:
    """Several tables as one, the rows of the first file first.

    Parameters
    ----------
    tables
        At least one.
    names
        The file of each, for messages.
    """
    if len(tables) == 1:
        return tables[0]
    first = tables[0]
    for table, name in zip(tables, names, strict=True):
        if table.feature_names != first.feature_names:
            raise DataError(f"{name} has other feature names than {names[0]}; files of one data set must agree")

    def column(parts: Sequence[Array | None], otherwise: Sequence[Array]) -> Array | None:
        """The parts one after another; where some lack them, what stands for them."""
        if all(part is None for part in parts):
            return None
        return np.concatenate([rest if part is None else part for part, rest in zip(parts, otherwise, strict=True)])

    n_features = max(table.rows.n_features for table in tables)
    return Table(
        Rows.stacked([table.rows.widen(n_features) for table in tables]),
        np.concatenate([table.label for table in tables]),
        Runs(*(np.concatenate(parts) for parts in zip(*(table.runs for table in tables), strict=True))),
        first.feature_names,
        column([table.doc_ids for table in tables], [np.full(table.rows.n_rows, "") for table in tables]),
        column([table.sample_weight for table in tables], [np.ones(table.rows.n_rows) for table in tables]),
        column([table.query_weight for table in tables], [np.ones(len(table.runs.ids)) for table in tables]),
    )
