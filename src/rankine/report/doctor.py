"""What will go wrong with some data, told before any training: `examine` asks every check.

A new check is a function in `rankine.report.checks` and its line below.

>>> from rankine.data import Dataset
>>> for finding in examine(Dataset.from_arrays([[0.5, 1.0], [0.7, 1.0], [0.2, 1.0]], [1, 2, 3])):
...     print(f"{finding.level}: {finding.sentence}")
warning: The labels are the grades 1 to 3, none of them 0.
note: No two rows differ in 1 of 2 features: feature 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rankine.data import Dataset
from rankine.report.checks import comparison, copies, features, labels, leaks, queries
from rankine.report.checks.finding import Finding

LEVELS = ("error", "warning", "note")

# What is looked for in data that has rows and features.
CHECKS: tuple[Callable[[Dataset], Iterator[Finding]], ...] = (
    queries.queries_with_one_label,
    features.missing_values,
    features.features_that_cannot_rank,
    labels.odd_labels,
    leaks.features_that_leak,
    features.sentinels,
    features.scales_that_differ,
    features.features_far_from_zero,
    copies.equal_rows,
    copies.documents_given_twice,
    leaks.rows_in_order_of_labels,
    queries.query_that_decides,
    queries.scattered_queries,
)
# What is looked for between training and test data.
COMPARISONS: tuple[Callable[[Dataset, Dataset], Iterator[Finding]], ...] = (
    comparison.features_differ,
    comparison.ranges_apart,
    comparison.gaps_in_test_alone,
    comparison.queries_in_both,
    comparison.queries_copied,
)


def examine(data: Dataset, test: Dataset | None = None) -> list[Finding]:
    """Look for everything that may go wrong; what is worst comes first.

    Parameters
    ----------
    data
        The data to train on.
    test
        The data to test on, to be compared with it.
    """
    found: list[Finding] = []
    if data.n_rows == 0:
        found.append(Finding("error", "no-rows", "The data has no rows.", "Give data with rows."))
    elif data.n_features == 0:
        found.append(Finding("error", "no-features", "The rows have no features.", "Give rows with features."))
    else:
        found += [finding for check in CHECKS for finding in check(data)]
    if test is not None:
        found += [finding for compare in COMPARISONS for finding in compare(data, test)]
    return sorted(found, key=lambda finding: LEVELS.index(finding.level))
