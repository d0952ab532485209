"""The protocol of objectives: all that a solver may know.

An objective F is asked for its point at some weights; the point owns everything that was computed there, so there is no
order in which things must be called. Objectives add up (`Sum`), which is also how they are distributed.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankine.data import Vector

Matrix: TypeAlias = NDArray[np.float64]


class Curve(NamedTuple):
    """The value of a function of one variable, and its first two derivatives."""

    value: float
    slope: float
    curvature: float


class Restriction(Protocol):
    """An objective on a line: φ(t) = F(w + t d)."""

    def __call__(self, t: float, /) -> Curve:
        """φ, φ′ and φ″ at t."""
        ...


class Point(Protocol):
    """An objective at one vector of weights w."""

    @property
    def value(self) -> float:
        """F(w)."""
        ...

    @property
    def gradient(self) -> Vector:
        """∇F(w); a subgradient where F has a corner."""
        ...

    @property
    def exact(self) -> float:
        """What F stands in for, at w: F without its smoothing."""
        ...

    @property
    def offset(self) -> float:
        """With g = `gradient`: what F stands in for is at least offset + g·w′ at any w′."""
        ...

    def hessian_product(self, v: Vector) -> Vector:
        """∇²F(w) v, for a generalised Hessian where F is only once differentiable."""
        ...

    def hessian(self, *, single: bool = False) -> Matrix:
        """∇²F(w) as a matrix, for at most a thousand features or so.

        `single` allows short sums in single precision: faster, and right to about six digits.
        """
        ...

    def diagonal(self) -> Vector:
        """A positive stand-in for the diagonal of ∇²F(w), to precondition with."""
        ...

    def along(self, d: Vector) -> Restriction:
        """The restriction of F to w + t d. Rows are read once here, and never again for any t."""
        ...


class Objective(Protocol):
    """A convex function of the weights."""

    @property
    def n_features(self) -> int:
        """The number of weights."""
        ...

    @property
    def strong_convexity(self) -> float | Vector:
        """The largest known μ, one for all weights or one each, with F − ½ Σ μ_j w_j² convex.

        Then F(w) − min F ≤ −min over d of Σ g_j d_j + ½ μ_j d_j² for g = ∇F(w), over the d with w + d where the weights
        may be: Σ g_j² / 2μ_j if they may be anywhere.
        """
        ...

    def at(self, w: Vector) -> Point:
        """The point of F at w."""
        ...

    def smoothed(self, window: float) -> Objective:
        """A once differentiable stand-in from below, closer for a smaller window; F itself if it has no corners."""
        ...
