"""Data frames (pandas, Polars, Arrow) taken apart into a matrix, its column names and a query column."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rankine.data.errors import DataError
from rankine.data.rows import Array

# A column of this name holds query ids, as users of XGBoost expect.
QUERY_COLUMN = "qid"


class Taken(NamedTuple):
    """What a frame holds."""

    matrix: Any
    names: tuple[str, ...] | None
    qid: Array | None


def is_frame(X: Any) -> bool:
    """Whether X has named columns: told without importing any frame library."""
    return hasattr(X, "columns") or (hasattr(X, "column_names") and hasattr(X, "schema"))


def column(values: Any, name: str) -> Any:
    """A series or array as a NumPy array; other things are returned as they are."""
    if values is None or isinstance(values, np.ndarray):
        return values
    if hasattr(values, "to_numpy"):
        try:
            return np.asarray(values.to_numpy())
        except TypeError:
            raise DataError(f"{name} cannot be read as an array") from None
        except ValueError:  # strings of Arrow, which cannot become an array without a copy
            return np.asarray(values)
    return np.asarray(values)


def take_frame(X: Any) -> Taken:
    """The matrix of a frame's feature columns, their names, and its query column if it has one.

    What is not a frame comes back as it is, without names.
    """
    if not is_frame(X):
        return Taken(X, None, None)
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise DataError(f"X is a {type(X).__name__}: collect it into an eager frame, or pass a NumPy array")
    names = [str(name) for name in frame.columns]
    qid = None
    if QUERY_COLUMN in names:
        qid = np.asarray(frame.get_column(frame.columns[names.index(QUERY_COLUMN)]).to_numpy())
    features = [original for original, name in zip(frame.columns, names, strict=True) if name != QUERY_COLUMN]
    for original in features:
        dtype = frame.get_column(original).dtype
        if not (dtype.is_numeric() or dtype == nw.Boolean):
            raise DataError(
                f"column {str(original)!r} has type {dtype}, which is not a number; drop it, encode it, "
                f"or, if it holds query ids, name it {QUERY_COLUMN!r} or pass it as qid"
            )
    single = features and all(frame.get_column(name).dtype == nw.Float32 for name in features)
    matrix = np.empty((len(frame), len(features)), np.float32 if single else np.float64)
    for j, original in enumerate(features):
        matrix[:, j] = frame.get_column(original).cast(nw.Float64).to_numpy()
    return Taken(matrix, tuple(str(name) for name in features), qid)


def split_query_column(X: Any) -> tuple[Any, Array | None]:
    """A frame without its query column, and that column; anything else as it is, and None."""
    if not is_frame(X):
        return X, None
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame) or QUERY_COLUMN not in frame.columns:
        return X, None
    return frame.drop(QUERY_COLUMN).to_native(), np.asarray(frame.get_column(QUERY_COLUMN).to_numpy())
