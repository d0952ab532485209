"""An objective over rescaled features, without a copy of the rows.

Feature j times factor_j is weight j times factor_j, so G(v) = F(factor · v) is the same loss on scaled features.
Centres need no shift: they cancel within a query.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankine.data import Vector
from rankine.objectives.objective import Matrix, Objective, Point, Restriction


@dataclass(frozen=True, eq=False)
class Rescaled:
    """G(v) = F(factor · v)."""

    inner: Objective
    factor: Vector

    @property
    def n_features(self) -> int:
        """The number of weights."""
        return self.inner.n_features

    @property
    def strong_convexity(self) -> Vector:
        """That of F times the squared factors."""
        return self.inner.strong_convexity * self.factor**2

    def at(self, w: Vector) -> RescaledPoint:
        """The point of F at factor · w."""
        return RescaledPoint(self.inner.at(self.factor * w), self.factor)

    def smoothed(self, window: float) -> Rescaled:
        """F smoothed, rescaled."""
        return Rescaled(self.inner.smoothed(window), self.factor)


@dataclass(frozen=True, eq=False)
class RescaledPoint:
    """A point of F, seen through the factors: the chain rule."""

    inner: Point
    factor: Vector

    @property
    def value(self) -> float:
        """F(factor · w)."""
        return self.inner.value

    @property
    def exact(self) -> float:
        """That of F."""
        return self.inner.exact

    @property
    def offset(self) -> float:
        """That of F."""
        return self.inner.offset

    @property
    def gradient(self) -> Vector:
        """Factor · ∇F."""
        return self.factor * self.inner.gradient

    def hessian_product(self, v: Vector) -> Vector:
        """Factor · ∇²F (factor · v)."""
        return self.factor * self.inner.hessian_product(self.factor * v)

    def hessian(self, *, single: bool = False) -> Matrix:
        """Row and column i times factor_i."""
        return self.factor[:, np.newaxis] * self.inner.hessian(single=single) * self.factor

    def diagonal(self) -> Vector:
        """Factor² · the diagonal of F."""
        return self.factor**2 * self.inner.diagonal()

    def along(self, d: Vector) -> Restriction:
        """The restriction of F along factor · d."""
        return self.inner.along(self.factor * d)
