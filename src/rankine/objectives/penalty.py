"""Penalties on the weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankine.data import Vector
from rankine.objectives.objective import Curve, Matrix, Restriction
from rankine.objectives.vectors import dot


@dataclass(frozen=True)
class L2:
    """½ strength ‖w‖².

    Parameters
    ----------
    n_features
        The number of weights.
    strength
        What multiplies ½ ‖w‖².
    """

    n_features: int
    strength: float = 1.0

    @property
    def strong_convexity(self) -> float:
        """The strength itself."""
        return self.strength

    def at(self, w: Vector) -> L2Point:
        """The penalty at w."""
        return L2Point(w, self.strength)

    def smoothed(self, window: float) -> L2:  # noqa: ARG002 (it has no corners)
        """Itself."""
        return self

    def lower_bound(self, offset: float, slope: Vector) -> float:
        """The least value of offset + slope·w + penalty(w) over all w."""
        return offset - dot(slope, slope) / (2.0 * self.strength)


@dataclass(frozen=True, eq=False)
class L2Point:
    """The penalty at one vector of weights."""

    w: Vector
    strength: float

    @property
    def value(self) -> float:
        """½ strength ‖w‖²."""
        return 0.5 * self.strength * dot(self.w, self.w)

    @property
    def exact(self) -> float:
        """Its value."""
        return self.value

    @property
    def offset(self) -> float:
        """That of its tangent plane."""
        return -self.value

    @property
    def gradient(self) -> Vector:
        """Strength times w."""
        return self.strength * self.w

    def hessian_product(self, v: Vector) -> Vector:
        """Strength times v."""
        return self.strength * v

    def hessian(self, *, single: bool = False) -> Matrix:  # noqa: ARG002 (a constant needs no precision)
        """Strength times the identity."""
        return self.strength * np.eye(len(self.w))

    def diagonal(self) -> Vector:
        """The strength, once a weight."""
        return np.full(len(self.w), self.strength)

    def along(self, d: Vector) -> Restriction:
        """A parabola."""
        ww, wd, dd = (self.strength * dot(a, b) for a, b in ((self.w, self.w), (self.w, d), (d, d)))
        return lambda t: Curve(0.5 * ww + t * (wd + 0.5 * t * dd), wd + t * dd, dd)
