"""An objective that counts what is asked of it: every entry but `along`'s evaluations is a pass over the rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True, eq=False)
class Counting:
    """An objective and its counts: at (value and gradient), hessian, product, diagonal, along (scores of a line)."""

    inner: object
    counts: Counter = field(default_factory=Counter)

    @property
    def n_features(self):
        return self.inner.n_features

    @property
    def strong_convexity(self):
        return self.inner.strong_convexity

    def at(self, w):
        self.counts["at"] += 1
        return CountingPoint(self.inner.at(w), self.counts)

    @property
    def passes(self):
        return sum(self.counts.values())


@dataclass(frozen=True, eq=False)
class CountingPoint:
    inner: object
    counts: Counter

    @property
    def value(self):
        return self.inner.value

    @property
    def gradient(self):
        return self.inner.gradient

    def hessian_product(self, v):
        self.counts["product"] += 1
        return self.inner.hessian_product(v)

    def hessian(self, *, single=False):
        self.counts["hessian"] += 1
        return self.inner.hessian(single=single)

    def diagonal(self):
        self.counts["diagonal"] += 1
        return self.inner.diagonal()

    def along(self, d):
        self.counts["along"] += 1
        return self.inner.along(d)
