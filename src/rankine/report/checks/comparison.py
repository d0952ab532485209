"""Checks of training data against test data: their features, the values of these, and queries in both."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rankine import _core
from rankine.data import Dataset
from rankine.data.rows import thread_count
from rankine.report.checks.finding import (
    Finding,
    count_of,
    feature_details,
    feature_names,
    query_details,
    some,
    some_features,
    some_queries,
)


def features_differ(data: Dataset, test: Dataset) -> Iterator[Finding]:
    """Features of one that the other lacks."""
    if data.feature_names is not None and test.feature_names is not None:
        here, there = set(data.feature_names), set(test.feature_names)
        lacking = [name for name in data.feature_names if name not in there]
        unknown = [name for name in test.feature_names if name not in here]
        parts = [
            f"{verb} {some(map(repr, names), 'feature', 'features')}"
            for verb, names in (("lacks", lacking), ("alone has", unknown))
            if names
        ]
        if parts:
            yield Finding(
                "error",
                "features-differ",
                f"The test data {' and '.join(parts)}.",
                "Give both the same features: a model scores only what has all of its features and no others.",
                {"lacking": lacking[:100], "unknown": unknown[:100]},
            )
    elif data.n_features != test.n_features:
        more = test.n_features > data.n_features
        yield Finding(
            "error" if more else "warning",
            "features-differ",
            f"The training data has {count_of(data.n_features, 'feature')}, the test data {test.n_features:,}.",
            f"If the {'training' if more else 'test'} data only has no values of the last features, say how many there "
            f"are: n_features={max(data.n_features, test.n_features)} (--n-features). Is one of them counted from 0, "
            "the other from 1 (--index-base)?",
            {"train": data.n_features, "test": test.n_features},
        )


def ranges_apart(data: Dataset, test: Dataset) -> Iterator[Finding]:
    """Features whose values have nothing in common, vary 100 times as much in one, or are never filled in the test."""
    if min(data.n_rows, test.n_rows) == 0:
        return
    if data.feature_names is None or test.feature_names is None:
        here = there = np.arange(min(data.n_features, test.n_features))
    else:
        at = {name: j for j, name in enumerate(test.feature_names)}
        both = [(j, at[name]) for j, name in enumerate(data.feature_names) if name in at]
        here, there = np.array(both, np.int64).reshape(-1, 2).T
    a, b = ([x[which] for x in of.grouped.rows.columns] for of, which in ((data, here), (test, there)))
    least_a, greatest_a, _, spread_a, filled_a = a
    least_b, greatest_b, _, spread_b, filled_b = b
    apart = (least_b > greatest_a) | (greatest_b < least_a)
    unlike = (spread_b > 100 * spread_a) | ((spread_a > 100 * spread_b) & (least_b < greatest_b))
    seen = np.minimum(filled_a, filled_b) >= 10  # a few cells of a rare feature say nothing
    gone = (filled_b == 0) & (filled_a / data.n_rows * test.n_rows >= 30)
    odd = np.flatnonzero((least_a < greatest_a) & ((seen & (apart | unlike)) | gone))
    if len(odd) == 0:
        return
    shown = "; ".join(
        f"{name} is {least_a[j]:g} to {greatest_a[j]:g} in training and {least_b[j]:g} to {greatest_b[j]:g} in testing"
        for name, j in zip(feature_names(data, here[odd[:5]]), odd, strict=False)
    )
    more = f"; and {len(odd) - 5:,} more" if len(odd) > 5 else ""
    yield Finding(
        "warning",
        "ranges-apart",
        f"Training and test data hold different values of {count_of(len(odd), 'feature')}: feature {shown}{more}.",
        "Were both computed, scaled and ordered alike?",
        feature_details(data, here[odd]),
    )


def gaps_in_test_alone(data: Dataset, test: Dataset) -> Iterator[Finding]:
    """Features that are missing in some rows of the test data, and in none of the training data."""
    if test.grouped.gaps is None:
        return
    here, there = np.zeros(0, np.int64), test.grouped.gaps.counts(test.n_features)
    if data.grouped.gaps is not None:
        here = np.flatnonzero(data.grouped.gaps.counts(data.n_features))
    known = {data.name_of(int(j)) for j in here}
    new = np.array([j for j in np.flatnonzero(there) if test.name_of(int(j)) not in known], np.int64)
    if len(new):
        yield Finding(
            "warning",
            "missing-in-test",
            f"The test data has no value in some rows of {count_of(len(new), 'feature')} for which all rows of the "
            f"training data have one: {some_features(test, new)}.",
            "Nothing can be learned of what that means: such values count as 0. Were both made in the same way?",
            feature_details(test, new),
        )


def queries_in_both(data: Dataset, test: Dataset) -> Iterator[Finding]:
    """Queries of the test data whose ids the training data has too."""
    ids = test.query_ids.astype(str)
    shared = np.flatnonzero(np.isin(ids, data.query_ids.astype(str)))
    if len(shared) == 0:
        return
    documents = _documents_in_both(data, test, ids[shared])
    known = f", with {count_of(documents, 'document')} in common" if documents else ""
    yield Finding(
        "warning",
        "queries-in-both",
        f"{len(shared):,} of {count_of(test.n_queries, 'query', 'queries')} of the test data "
        f"{'is' if len(shared) == 1 else 'are'} in the training data too{known}: {some_queries(test, shared)}.",
        "Split data by whole queries (QueryKFold does), or what is measured is memory. If both just count their "
        "queries from 1, all is well.",
        {**query_details(test, shared), "documents": documents},
    )


def queries_copied(data: Dataset, test: Dataset) -> Iterator[Finding]:
    """Queries of the test data, of 5 rows or more, whose rows are those of a query of the training data."""
    contents = _contents(test)
    copied = np.flatnonzero(
        np.isin(contents, _contents(data)) & (np.diff(test.grouped.query_ptr) >= 5) & (contents != 0)
    )
    if len(copied):
        yield Finding(
            "error",
            "queries-copied",
            f"{len(copied):,} of {count_of(test.n_queries, 'query', 'queries')} of the test data "
            f"{'has' if len(copied) == 1 else 'have'} exactly the rows of a query of the training data: "
            f"{some_queries(test, copied)}.",
            "Take them out of one of the two: what is measured on them is memory.",
            query_details(test, copied),
        )


def _contents(data: Dataset) -> NDArray[np.uint64]:
    """A number for the rows of each query, whatever their order; 0 for a query that has no rows or no values."""
    hashes = _core.row_hashes(data.grouped.rows.native, thread_count(None))
    total = np.zeros(data.n_rows + 1, np.uint64)
    np.cumsum(hashes, out=total[1:])
    return np.diff(total[data.grouped.query_ptr])


def _documents_in_both(data: Dataset, test: Dataset, queries: NDArray[np.str_]) -> int:
    """How many documents of these queries are in both."""
    if data.doc_ids is None or test.doc_ids is None:
        return 0
    named = []
    for of in (data, test):
        qid, documents = of.qid.astype(str), np.asarray(of.doc_ids).astype(str)
        at = np.isin(qid, queries) & (documents != "")
        named.append(set(zip(qid[at].tolist(), documents[at].tolist(), strict=True)))
    return len(named[0] & named[1])
