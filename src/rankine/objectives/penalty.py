"""Penalties on the weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankine.data import Vector
from rankine.objectives.box import Box
from rankine.objectives.objective import Curve, Matrix, Restriction
from rankine.objectives.vectors import dot


@dataclass(frozen=True, eq=False)
class L2:
    """½ strength Σ factor_j (w_j − centre_j)².

    Parameters
    ----------
    n_features
        The number of weights.
    strength
        What multiplies the sum; positive.
    centre
        The weights without a penalty, zeros if None.
    factors
        What each weight's share is multiplied with, ones if None; all positive.
    """

    n_features: int
    strength: float = 1.0
    centre: Vector | None = None
    factors: Vector | None = None

    def __post_init__(self) -> None:
        if not np.all(np.asarray(self.strong_convexity) > 0):
            raise ValueError("a penalty's strength and factors must be positive: they make the optimum unique")

    @cached_property
    def strong_convexity(self) -> float | Vector:
        """Strength times factor, once a weight where there are factors."""
        return self.strength if self.factors is None else self.strength * self.factors

    def at(self, w: Vector) -> L2Point:
        """The penalty at w."""
        return L2Point(w, self.centre, self.strong_convexity)

    def lower_bound(self, offset: float, slope: Vector, box: Box | None = None) -> float:
        """The minimum of offset + slope·w + penalty(w) over a box, at a clipped centre − slope / strength.

        Parameters
        ----------
        offset, slope
            A plane below some other convex function: then this is a bound from below of its sum with the penalty.
        box
            Where w may be, anywhere if None.
        """
        box = Box.everywhere(self.n_features) if box is None else box
        if self.centre is not None:
            offset, box = offset + dot(slope, self.centre), box.seen_from(self.centre)
        return offset + box.least(self.strong_convexity, slope)

    def smoothed(self, window: float) -> L2:  # noqa: ARG002 (it has no corners)
        """Itself."""
        return self

    def minimiser(self, slope: Vector, box: Box | None = None) -> Vector:
        """Where slope·w + penalty(w) is least over a box."""
        w = -slope / self.strong_convexity if self.centre is None else self.centre - slope / self.strong_convexity
        return w if box is None else box.nearest(w)


@dataclass(frozen=True, eq=False)
class L2Point:
    """The penalty at one vector of weights."""

    w: Vector
    centre: Vector | None
    strength: float | Vector

    @cached_property
    def away(self) -> Vector:
        """How far the weights are from the centre."""
        return self.w if self.centre is None else self.w - self.centre

    @property
    def value(self) -> float:
        """½ strength · away²."""
        return 0.5 * dot(self.gradient, self.away)

    @property
    def exact(self) -> float:
        """Its value."""
        return self.value

    @property
    def offset(self) -> float:
        """That of its tangent plane."""
        return self.value - dot(self.gradient, self.w)

    @cached_property
    def gradient(self) -> Vector:
        """Strength times away."""
        return self.strength * self.away

    def hessian_product(self, v: Vector) -> Vector:
        """Strength times v."""
        return self.strength * v

    def hessian(self, *, single: bool = False) -> Matrix:  # noqa: ARG002 (a constant needs no precision)
        """The strength on the diagonal."""
        return np.diag(self.diagonal())

    def diagonal(self) -> Vector:
        """The strength, once a weight."""
        return np.full(len(self.w), self.strength)

    def along(self, d: Vector) -> Restriction:
        """A parabola."""
        ww, wd, dd = dot(self.gradient, self.away), dot(self.gradient, d), dot(self.strength * d, d)
        return lambda t: Curve(0.5 * ww + t * (wd + 0.5 * t * dd), wd + t * dd, dd)
