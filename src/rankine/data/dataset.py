"""The frozen, query-grouped data set: checked once, then trusted.

Inside, rows lie together by query (`Dataset.grouped`), which is what losses and metrics read. Outside, a data set shows
itself in the caller's row order: `X`, `label`, `qid`, `doc_ids`, and `restore` for what was computed inside.

>>> data = Dataset.from_arrays([[1.0], [2.0], [3.0]], [0, 1, 2], qid=["b", "a", "b"])
>>> data
<Dataset: 3 rows, 2 queries, 1 feature, dense float64, labels 0 to 2>
>>> data.label
array([0., 1., 2.])
>>> data.grouped.label
array([0., 2., 1.])
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankine import _core
from rankine.data import preferences
from rankine.data.errors import DataError
from rankine.data.frames import column, take_frame
from rankine.data.gaps import Gaps, put, split
from rankine.data.grouping import Grouping, group_by_id, group_by_size, group_runs
from rankine.data.preferences import Preferences
from rankine.data.rows import Array, Rows, Vector, freeze
from rankine.data.table import Table


@dataclass(frozen=True, eq=False)
class Grouped:
    """Rows together by query, queries one after another.

    Parameters
    ----------
    rows
        The features.
    label
        The label of each row.
    query_ptr
        Query q holds the rows query_ptr[q] to query_ptr[q + 1].
    sample_weight
        The weight of each row; None when all are one.
    query_weight
        The weight of each query; None when all are one.
    preferences
        Pairs of rows that are to be in a given order, beside what the labels say; None when there are none.
    gaps
        The cells whose values are missing, where `rows` hold 0; None when there are none.
    """

    rows: Rows
    label: Vector
    query_ptr: NDArray[np.int64]
    sample_weight: Vector | None = None
    query_weight: Vector | None = None
    preferences: Preferences | None = None
    gaps: Gaps | None = None

    @property
    def rows_with_gaps(self) -> Rows:
        """The features with NaN where a value is missing."""
        return put(self.rows, self.gaps, np.nan)

    @cached_property
    def level(self) -> NDArray[np.int32]:
        """The rank of each row's label among the distinct labels of its query, 0 for the lowest."""
        return _core.levels(self.label, self.query_ptr)


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Rows of features with labels, grouped by query. Make one with `from_arrays` or `rankine.read`.

    Parameters
    ----------
    grouped
        The arrays, together by query.
    query_ids
        The id of each query.
    order
        The caller's row of each grouped row; None when they are the same.
    feature_names
        The name of each feature, if they have names.
    doc_ids
        The document id of each row, in the caller's order, if they have ids.
    source
        Where the data came from, for people.
    """

    grouped: Grouped
    query_ids: Array
    order: NDArray[np.int64] | None = None
    feature_names: tuple[str, ...] | None = None
    doc_ids: Array | None = None
    source: str = "arrays"

    @classmethod
    def from_arrays(
        cls,
        X: Any,
        y: Any = None,
        qid: Any = None,
        *,
        group: Any = None,
        sample_weight: Any = None,
        query_weight: Any = None,
        feature_names: Sequence[str] | None = None,
        doc_ids: Any = None,
        source: str = "arrays",
        missing: Literal["error", "keep"] = "error",
    ) -> Dataset:
        """Check, group and freeze arrays.

        Parameters
        ----------
        X
            Rows and features: NumPy, SciPy sparse, or a pandas, Polars or Arrow frame. float32 stays float32; other
            numbers become float64. A frame's column named ``qid`` holds query ids.
        y
            The label of each row, any real number: higher is better. None for rows that are only to be scored.
        qid
            The query id of each row, in any order and of any type. Without qid and group all rows are one query.
        group
            The number of rows of each query instead, for rows that lie together by query.
        sample_weight
            A weight for each row, not negative.
        query_weight
            A weight for each query: one entry a query, in the order of each query's first row.
        feature_names
            A name for each feature; a frame's own column names are used otherwise.
        doc_ids
            A document id for each row.
        source
            Where the data came from, for people.
        missing
            What to do about NaN: "keep" keeps them as gaps, for learners that know what to do with them
            (`missing="indicator"`).
        """
        taken = take_frame(X)
        if taken.names is not None and feature_names is None:
            feature_names = taken.names
        if taken.qid is not None:
            if qid is not None:
                raise DataError("query ids are given twice: as qid and as the frame's column 'qid'")
            qid = taken.qid
        rows = Rows.of(taken.matrix)
        n_rows, gaps = rows.n_rows, False
        names = _names(feature_names, rows.n_features)
        bad = rows.first_not_finite()
        if bad is not None and missing == "keep":
            bad = split(rows)[0].first_not_finite()
            gaps = bad is None
        if bad is not None:
            i, j = bad
            is_nan = np.isnan(rows.take(np.array([i])).matrix[0, j])
            remedy = "replace it first (rankine.read has missing= for files)"
            raise DataError(
                f"X has {'NaN' if is_nan else 'infinity'} in row {i}, column {_column(j, names)}; {remedy}"
                f"{', or learn what it means: missing=' + repr('indicator') if is_nan else ''}"
            )

        label = np.zeros(n_rows) if y is None else _row_values(y, "y", n_rows)
        if qid is not None and group is not None:
            raise DataError("give qid or group, not both")
        if group is not None:
            grouping = group_by_size(group, n_rows)
        else:
            grouping = group_by_id(np.zeros(n_rows, np.int64) if qid is None else qid, n_rows)
        weight = None if sample_weight is None else _weights(sample_weight, "sample_weight", n_rows, "rows")
        if query_weight is not None:
            query_weight = _weights(query_weight, "query_weight", len(grouping.query_ptr) - 1, "queries")
        documents = column(doc_ids, "doc_ids")
        if documents is not None and documents.shape != (n_rows,):
            raise DataError(f"doc_ids has shape {documents.shape}, but X has {n_rows} rows")
        return cls._grouped(grouping, rows, label, weight, query_weight, names, documents, source, gaps=gaps)

    @classmethod
    def of_table(cls, table: Table, source: str, *, gaps: bool = False) -> Dataset:
        """The data set of a file's rows, which its reader has checked; only with `gaps` they may have NaN."""
        grouping = group_runs(table.runs)
        query_weight = None
        if table.query_weight is not None:
            _, first = np.unique(table.runs.ids, return_index=True)
            query_weight = table.query_weight[np.sort(first)]  # queries stand in the order of their first runs
        return cls._grouped(
            grouping,
            table.rows,
            table.label,
            table.sample_weight,
            query_weight,
            table.feature_names,
            table.doc_ids,
            source,
            gaps=gaps,
        )

    @classmethod
    def _grouped(
        cls,
        grouping: Grouping,
        rows: Rows,
        label: Vector,
        weight: Vector | None,
        query_weight: Vector | None,
        names: tuple[str, ...] | None,
        documents: Array | None,
        source: str,
        *,
        gaps: bool,
    ) -> Dataset:
        """Bring checked rows together by query, and freeze everything; only with `gaps` they may have NaN."""
        order = grouping.order
        if order is not None:
            rows, label = rows.take(order), label[order]
            weight = None if weight is None else weight[order]
        rows, missing = split(rows) if gaps else (rows, None)
        return cls(
            Grouped(
                rows,
                freeze(label),
                freeze(grouping.query_ptr),
                None if weight is None else freeze(weight),
                None if query_weight is None else freeze(query_weight),
                gaps=missing,
            ),
            freeze(grouping.query_ids),
            None if order is None else freeze(order),
            names,
            None if documents is None else freeze(documents),
            source,
        )

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.grouped.rows.n_rows

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self.grouped.rows.n_features

    @property
    def n_queries(self) -> int:
        """The number of queries."""
        return len(self.query_ids)

    @property
    def X(self) -> Any:
        """The features in the caller's row order, gaps as NaN: a NumPy array or a SciPy `csr_array`."""
        rows = self.grouped.rows_with_gaps
        return (rows if self.order is None else rows.take(np.argsort(self.order))).matrix

    @property
    def label(self) -> Vector:
        """The labels in the caller's row order."""
        return self.restore(self.grouped.label)

    @property
    def qid(self) -> Array:
        """The query id of each row in the caller's row order."""
        return self.restore(np.repeat(self.query_ids, np.diff(self.grouped.query_ptr)))

    @property
    def sample_weight(self) -> Vector | None:
        """The row weights in the caller's row order, if they were given."""
        weight = self.grouped.sample_weight
        return None if weight is None else self.restore(weight)

    def restore(self, values: Array) -> Array:
        """Bring one value a grouped row into the caller's row order."""
        if self.order is None:
            return values
        out = np.empty_like(values)
        out[self.order] = values
        return out

    def group(self, values: Array) -> Array:
        """Bring one value a row from the caller's order into the grouped order."""
        return values if self.order is None else values[self.order]

    def name_of(self, j: int) -> str:
        """What people call feature j: its name, or its number counted from 1, as in LETOR files."""
        return str(j + 1) if self.feature_names is None else self.feature_names[j]

    def refuse_gaps(self, remedy: str) -> None:
        """Raise an error that names the first feature with gaps, if there are any; the remedy ends its sentence."""
        gaps = self.grouped.gaps
        if gaps is not None:
            j = int(gaps.feature.min())
            name = repr(self.name_of(j)) if self.feature_names else self.name_of(j)
            raise DataError(f"{_count(len(gaps), 'value')} missing, first of feature {name}; {remedy}")

    def suited(self) -> Dataset:
        """The same data with rows as they are learned from fastest: see `Rows.suited`."""
        rows = self.grouped.rows.suited()
        return self if rows is self.grouped.rows else replace(self, grouped=replace(self.grouped, rows=rows))

    def with_preferences(self, given: str | os.PathLike[str] | Iterable[Sequence[Any]]) -> Dataset:
        """The same data with pairs of rows that are to be in a given order.

        Parameters
        ----------
        given
            Tuples (winner, loser) or (winner, loser, weight) of rows of one query, named by their numbers or by
            document ids; or a file of lines `qid winner loser [weight]`.
        """
        if isinstance(given, str | os.PathLike):
            found = preferences.read(os.fspath(given), self)
        else:
            found = preferences.of_rows(given, self)
        return replace(self, grouped=replace(self.grouped, preferences=found))

    def take_queries(self, which: Any) -> Dataset:
        """The data set of some queries, given by their positions; rows keep the caller's relative order."""
        which = np.asarray(which, np.int64)
        ptr = self.grouped.query_ptr
        sizes = np.diff(ptr)[which]
        new_ptr = np.concatenate([[0], np.cumsum(sizes)])
        rows = np.arange(new_ptr[-1]) + np.repeat(ptr[:-1][which] - new_ptr[:-1], sizes)
        caller = rows if self.order is None else self.order[rows]
        rank = np.empty_like(caller)
        rank[np.argsort(caller, kind="stable")] = np.arange(len(caller))
        in_order = bool((rank == np.arange(len(rank))).all())
        g = self.grouped
        kept = None
        if g.preferences is not None:
            moved = np.full(self.n_rows, -1)
            moved[rows] = np.arange(len(rows))
            kept = g.preferences.moved(moved)
        taken, gaps = split(g.rows_with_gaps.take(rows)) if g.gaps is not None else (g.rows.take(rows), None)
        return replace(
            self,
            grouped=Grouped(
                taken,
                freeze(g.label[rows]),
                freeze(new_ptr),
                None if g.sample_weight is None else freeze(g.sample_weight[rows]),
                None if g.query_weight is None else freeze(g.query_weight[which]),
                kept,
                gaps,
            ),
            query_ids=freeze(self.query_ids[which]),
            order=None if in_order else freeze(rank),
            doc_ids=None if self.doc_ids is None else freeze(self.doc_ids[np.sort(caller)]),
        )

    @cached_property
    def fingerprint(self) -> str:
        """A number that tells this data set from others: features, labels, queries and weights, not names."""
        g = self.grouped
        h = g.rows_with_gaps.fingerprint()
        pairs = () if g.preferences is None else (g.preferences.winner, g.preferences.loser, g.preferences.weight)
        for part in (g.label, g.query_ptr, g.sample_weight, g.query_weight, *pairs):
            h = _core.fingerprint((np.zeros(0) if part is None else part).view(np.uint8), h, 1)
        return f"{h:016x}"

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        rows = self.grouped.rows
        labels = ""
        if self.n_rows:
            labels = f", labels {self.grouped.label.min():g} to {self.grouped.label.max():g}"
        gaps = self.grouped.gaps
        kind = f"{'sparse' if rows.is_sparse else 'dense'} {rows.dtype}{f', {len(gaps):,} missing' if gaps else ''}"
        return (
            f"<Dataset: {_count(self.n_rows, 'row')}, {_count(self.n_queries, 'query', 'queries')}, "
            f"{_count(self.n_features, 'feature')}, {kind}{labels}>"
        )


def _count(n: int, one: str, many: str | None = None) -> str:
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def _column(j: int, names: tuple[str, ...] | None) -> str:
    return str(j) if names is None else repr(names[j])


def _names(names: Sequence[str] | None, n_features: int) -> tuple[str, ...] | None:
    if names is None:
        return None
    names = tuple(str(name) for name in names)
    if len(names) != n_features:
        raise DataError(f"feature_names has {len(names)} names, but X has {n_features} columns")
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise DataError(f"two features are named {twice!r}; names must differ")
    return names


def _row_values(values: Any, name: str, n_rows: int) -> Vector:
    values = column(values, name)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1 or len(values) != n_rows:
        raise DataError(f"{name} has shape {values.shape}, but X has {n_rows} rows: one value a row is expected")
    if values.dtype.kind == "c":
        raise DataError(f"Complex data not supported: {name} has complex numbers")
    try:
        numbers: Vector = np.array(values, np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} has values that are not numbers: {error}") from None
    bad = np.flatnonzero(~np.isfinite(numbers))
    if len(bad):
        what = "NaN" if np.isnan(numbers[bad[0]]) else "infinity"
        raise DataError(f"{name} has {what} in row {bad[0]}; every row needs a finite number")
    return numbers


def _weights(values: Any, name: str, n: int, of: str) -> Vector:
    values = column(values, name)
    if values.ndim == 0:
        values = np.full(n, values)
    if values.shape != (n,):
        raise DataError(f"{name} has shape {values.shape}, but there are {n} {of}")
    weights = _row_values(values, name, n)
    if (weights < 0).any():
        at = int(np.flatnonzero(weights < 0)[0])
        raise DataError(f"{name}[{at}] is {weights[at]:g}; weights must not be negative")
    return weights
