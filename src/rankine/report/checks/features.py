"""Checks of features: those that cannot rank, that hold marks for missing values, and whose scales are wild."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankine import _core
from rankine.data import Dataset
from rankine.data.rows import thread_count
from rankine.data.scales import REMEDY, wild_scales
from rankine.report.checks.finding import Finding, count_of, feature_details, feature_names, some_features


def features_that_cannot_rank(data: Dataset) -> Iterator[Finding]:
    """Features that are the same in all rows, or in all rows of each query."""
    if (np.diff(data.grouped.query_ptr) < 2).all():
        return
    rows = data.grouped.rows
    c = rows.columns
    varying = _core.n_varying(rows.native, data.grouped.query_ptr, thread_count(None))
    constant = np.flatnonzero(c.least == c.greatest)
    of_query = np.flatnonzero((varying == 0) & (c.least < c.greatest))
    if not varying.any():
        yield Finding(
            "error",
            "no-feature-varies",
            f"Nothing to learn from: no feature differs within any query, {len(constant):,} of {data.n_features:,} "
            "not even between queries.",
            "Give features of the documents, or of query and document together; are rows grouped by the right id?",
            {"constant": len(constant)},
        )
        return
    if len(constant):
        yield Finding(
            "note",
            "constant-features",
            f"No two rows differ in {len(constant):,} of {count_of(data.n_features, 'feature')}: "
            f"{some_features(data, constant)}.",
            "They cannot rank and get weight 0; leave them out if they should not be there.",
            feature_details(data, constant),
        )
    if len(of_query):
        yield Finding(
            "note",
            "query-features",
            f"Queries, but no rows of one query, differ in {len(of_query):,} of "
            f"{count_of(data.n_features, 'feature')}: "
            f"{some_features(data, of_query)}.",
            "What describes the query alone cannot rank its rows in a linear model and gets weight 0; multiply it with "
            "a feature of the document to let it matter.",
            feature_details(data, of_query),
        )


def missing_values(data: Dataset) -> Iterator[Finding]:
    """Values that are missing: training refuses them unless it is told what they mean."""
    gaps = data.grouped.gaps
    if gaps is None:
        return
    counts = gaps.counts(data.n_features)
    which = np.flatnonzero(counts)
    often = which[np.argsort(-counts[which], kind="stable")[:5]]
    shown = ", ".join(
        f"{name} in {count_of(int(counts[j]), 'row')}"
        for name, j in zip(feature_names(data, often), often, strict=True)
    )
    more = f" and {len(which) - 5:,} more" if len(which) > 5 else ""
    yield Finding(
        "error",
        "missing-values",
        f"{count_of(len(gaps), 'value')} missing: feature {shown}{more}.",
        "Say what that means when you train: missing='indicator' (--missing indicator) learns a weight for it, "
        "missing='zero' takes it for 0, as search engines do; the model remembers. All else that is said here takes "
        "them as 0.",
        {**feature_details(data, which), "values": len(gaps)},
    )


def sentinels(data: Dataset) -> Iterator[Finding]:
    """Extreme values that repeat and are far from their neighbours, or customary marks.

    Far is ten times as far as all other values are apart. Customary are -1 below numbers that are not negative, and 99,
    999 and so on at half the distance of the others. Zero is no mark, because it is what files leave out; nor is a
    value of a feature that has two; nor is -1 where the others are 0 and 1.
    """
    rows = data.grouped.rows
    c = rows.columns
    n_least, next_least, n_greatest, next_greatest = _core.column_edges(
        rows.native, c.least, c.greatest, thread_count(None)
    )
    often = max(3, data.n_rows / 10_000)
    nines = 10.0 ** np.arange(2, 9) - 1
    is_sign = (next_least == 0) & (next_greatest == 0) & (c.greatest == 1)
    found: list[tuple[int, float, int, float]] = []
    for value, times, after, end in (
        (c.least, n_least, next_least, c.greatest),
        (c.greatest, n_greatest, next_greatest, c.least),
    ):
        with np.errstate(over="ignore"):
            gap, rest = np.abs(after - value), np.abs(end - after)
            far = gap >= 10 * rest
        mark = np.isin(np.abs(value), nines) & (gap >= rest / 2)
        below_zero = (value == -1) & (after >= 0) & ~is_sign
        odd = (times >= often) & np.isfinite(after) & (rest > 0) & (value != 0) & (far | mark | below_zero)
        found += [(int(j), float(value[j]), int(times[j]), float(after[j])) for j in np.flatnonzero(odd)]
    if not found:
        return
    names = feature_names(data, (j for j, *_ in found[:5]))
    shown = "; ".join(
        f"{name} is {value:g} in {count_of(times, 'row')}, and its next value is {after:g}"
        for name, (_, value, times, after) in zip(names, found, strict=False)
    )
    more = f"; and {len(found) - 5:,} more" if len(found) > 5 else ""
    yield Finding(
        "warning",
        "sentinels",
        f"Extreme values look like marks for something missing: feature {shown}{more}.",
        "A linear model takes marks for amounts. Replace them (0 is what search engines fill in), or with NaN, and "
        "train with missing='indicator' (--missing indicator), which learns what a missing value says.",
        {
            "count": len(found),
            "features": [
                {"feature": data.name_of(j), "value": value, "rows": times, "next": after}
                for j, value, times, after in found[:100]
            ],
        },
    )


def scales_that_differ(data: Dataset) -> Iterator[Finding]:
    """Scales that slow learning and make the penalty unfair."""
    sentence = wild_scales(data)
    if sentence is not None:
        yield Finding("warning", "wild-scales", _as_sentence(sentence), _as_sentence(REMEDY))


def features_far_from_zero(data: Dataset) -> Iterator[Finding]:
    """Features whose values differ by little compared with their size, so that rounding hides what differs.

    In float32 at 10^4 standard deviations from zero one of them is some 800 steps; in float64 fits begin to stop early
    at 10^8 (measured), so 10^7 is told.
    """
    rows = data.grouped.rows
    c = rows.columns
    limit = 1e4 if rows.dtype == np.float32 else 1e7
    far = np.flatnonzero((c.least < c.greatest) & (np.abs(c.mean) > limit * c.spread))
    if len(far):
        shown = "; ".join(
            f"{name} is about {c.mean[j]:.3g} but differs by {c.spread[j]:.3g}"
            for name, j in zip(feature_names(data, far[:5]), far, strict=False)
        )
        more = f"; and {len(far) - 5:,} more" if len(far) > 5 else ""
        yield Finding(
            "warning",
            "far-from-zero",
            f"Rounding to {rows.dtype} hides how values far from zero differ: feature {shown}{more}.",
            "Subtract a number near their mean before they are written or read; that changes no ranking, because what "
            "is the same in all rows of a query cancels.",
            feature_details(data, far),
        )


def _as_sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
