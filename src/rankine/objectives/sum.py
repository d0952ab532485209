"""A sum of objectives: a loss and a penalty, or queries split over workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankine.data import Vector
from rankine.objectives.objective import Curve, Matrix, Objective, Point, Restriction


@dataclass(frozen=True)
class Sum:
    """The sum of objectives over the same weights, added in the order given."""

    parts: Sequence[Objective]

    @property
    def n_features(self) -> int:
        """The number of weights."""
        return self.parts[0].n_features

    @property
    def strong_convexity(self) -> float | Vector:
        """The parts' strong convexities add."""
        return sum((part.strong_convexity for part in self.parts), start=0.0)

    def at(self, w: Vector) -> SumPoint:
        """The points of the parts at w."""
        return SumPoint([part.at(w) for part in self.parts])

    def smoothed(self, window: float) -> Sum:
        """The sum of the parts smoothed."""
        return Sum([part.smoothed(window) for part in self.parts])


@dataclass(frozen=True, eq=False)
class SumPoint:
    """Points of objectives at the same weights."""

    parts: Sequence[Point]

    @property
    def value(self) -> float:
        """The sum of the values."""
        return sum(part.value for part in self.parts)

    @property
    def exact(self) -> float:
        """The sum of the exact values."""
        return sum(part.exact for part in self.parts)

    @property
    def offset(self) -> float:
        """The sum of the planes below."""
        return sum(part.offset for part in self.parts)

    @cached_property
    def gradient(self) -> Vector:
        """The sum of the gradients."""
        return _add([part.gradient for part in self.parts])

    def hessian_product(self, v: Vector) -> Vector:
        """The sum of the products."""
        return _add([part.hessian_product(v) for part in self.parts])

    def hessian(self, *, single: bool = False) -> Matrix:
        """The sum of the matrices."""
        return _add([part.hessian(single=single) for part in self.parts])

    def diagonal(self) -> Vector:
        """The sum of the diagonals."""
        return _add([part.diagonal() for part in self.parts])

    def along(self, d: Vector) -> Restriction:
        """The sum of the restrictions."""
        restrictions = [part.along(d) for part in self.parts]
        return lambda t: Curve(*(sum(values) for values in zip(*(phi(t) for phi in restrictions), strict=True)))


def _add(arrays: Sequence[Vector]) -> Vector:
    return np.asarray(sum(arrays[1:], start=arrays[0]), np.float64)
