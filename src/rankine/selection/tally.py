"""Metrics with their standard errors over queries, from sums that add up over folds.

Each query has a sum s and a mass m, and the metric is R = Σ s / Σ m: for a mean over queries m is one, for
pair_accuracy the number of the query's pairs. Its standard error is that of a ratio of means over n queries drawn at
random, √(n / (n − 1) · Σ (s − R m)²) / Σ m: where all m are one, the standard deviation over √n. Queries without mass
do not count.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from rankine.data import Vector


class Tally(NamedTuple):
    """What a metric and its standard error need to know of some queries.

    >>> import numpy as np
    >>> tally = Tally.of(np.array([0.5, 1.0, 0.0, 0.75]), np.array([1.0, 1.0, 0.0, 1.0]))
    >>> tally.value, round(tally.error, 4)
    (0.75, 0.1443)
    """

    n: int = 0
    s: float = 0.0
    m: float = 0.0
    ss: float = 0.0
    sm: float = 0.0
    mm: float = 0.0

    @classmethod
    def of(cls, s: Vector, m: Vector) -> Tally:
        """The tally of queries with these sums and masses."""
        counts = m > 0
        s, m = s[counts], m[counts]
        sums = [math.fsum(x.tolist()) for x in (s, m, s * s, s * m, m * m)]
        return cls(len(s), sums[0], sums[1], sums[2], sums[3], sums[4])

    def plus(self, other: Tally) -> Tally:
        """The tally of both."""
        return Tally(self.n + other.n, *(a + b for a, b in zip(self[1:], other[1:], strict=True)))

    @property
    def value(self) -> float:
        """The metric; NaN where nothing counts."""
        return self.s / self.m if self.m > 0 else math.nan

    @property
    def error(self) -> float:
        """Its standard error; NaN for fewer than two queries."""
        if self.n < 2:
            return math.nan
        ratio = self.value
        squares = max(self.ss - 2 * ratio * self.sm + ratio * ratio * self.mm, 0.0)
        return math.sqrt(self.n / (self.n - 1) * squares) / self.m
