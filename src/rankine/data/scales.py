"""Scales of features: what a learner multiplies them with, and a warning where they differ too much.

Only differences within a query count, so centres cancel and scaling is one factor a feature; zeros stay so. Both read
the statistics of the columns, made once a data set: about two evaluations of a loss, 0.25 s for 2.27 million x 136.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from rankine.data.dataset import Dataset
from rankine.data.rows import Rows, Vector

# Learners square scales and multiply them with others: within these bounds nothing overflows or vanishes.
_LEAST, _GREATEST = 1e-100, 1e100
# Scales that differ by 10^3 make curvatures that differ by 10^6.
_WILD = 1e3
REMEDY = "learn on scaled features with scale='std' (--scale std), or scale them yourself"


def scale_factors(rows: Rows, kind: Literal["max", "std", "minmax"]) -> Vector:
    """What each feature is multiplied with so that its greatest size, standard deviation or range becomes one.

    Constant features keep their values: their factor is one.

    Parameters
    ----------
    rows
        The features; the zeros that sparse rows leave out count as cells.
    kind
        "max": greatest size. "std": standard deviation. "minmax": range.

    >>> scale_factors(Rows.of(np.array([[1.0, -4.0, 7.0], [3.0, 2.0, 7.0]])), "max")
    array([0.33333333, 0.25      , 1.        ])
    """
    c = rows.columns
    if kind == "max":
        size = np.maximum(np.abs(c.least), np.abs(c.greatest))
    else:
        size = _spread(rows) if kind == "std" else _range(rows)
    return 1 / np.where(c.least < c.greatest, np.clip(size, _LEAST, _GREATEST), 1.0)


def scale_warning(data: Dataset) -> str | None:
    """A sentence that names the worst features and says what to do, if scales differ by more than a factor of 1,000."""
    found = wild_scales(data)
    return None if found is None else f"{found}; {REMEDY}"


def wild_scales(data: Dataset) -> str | None:
    """A sentence that names the features whose scales are worst, if scales differ by more than a factor of 1,000.

    A feature's scale is its standard deviation, as the curvature of a loss over pairs is made of squared differences.
    For a rare feature it is as if every row had one of its values: being rare is not being small.
    """
    rows = data.grouped.rows
    c = rows.columns
    varies = np.flatnonzero(c.least < c.greatest)
    if len(varies) < 2:
        return None
    with np.errstate(over="ignore"):
        scale = _spread(rows)[varies] * np.sqrt(rows.n_rows / c.n_filled[varies])
    scale = np.clip(scale, np.finfo(float).smallest_subnormal, np.finfo(float).max)
    size = np.log10(scale)
    decades = size.max() - size.min()
    if decades <= np.log10(_WILD):
        return None
    middle = np.median(size)
    far = np.abs(size - middle)

    def named(j: int) -> str:
        return repr(data.name_of(j)) if data.feature_names else data.name_of(j)

    worst = [k for k in np.argsort(-far, kind="stable")[:3] if far[k] >= np.log10(_WILD) / 2]
    shown = ", ".join(f"feature {named(int(varies[k]))} ({scale[k]:.3g})" for k in worst)
    return (
        f"the standard deviations of the features differ by a factor of 10^{decades:.1f}; "
        f"farthest from their median, {10.0 ** min(middle, 308.0):.3g}: {shown}"
    )


def _range(rows: Rows) -> Vector:
    with np.errstate(over="ignore"):
        return np.asarray(rows.columns.greatest - rows.columns.least)


def _spread(rows: Rows) -> Vector:
    """The standard deviations; where squares of huge values overflow, half the range, which none exceeds."""
    spread = rows.columns.spread
    return np.where(np.isfinite(spread) & (spread > 0), spread, _range(rows) / 2)
