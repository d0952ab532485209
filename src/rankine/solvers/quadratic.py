"""The least point of a quadratic model in a box: minimise g·d + ½ d·H d over lower ≤ d ≤ upper, zero being in the box.

For a matrix at hand, block principal pivoting (Júdice & Pires, 1994): guess which weights end on which bound, solve for
the others by Cholesky's factor, correct all guesses that prove wrong. It ends at the exact optimum after two to five
factors as a rule; where it goes in circles, a descent from face to face, which cannot, starts again from zero. For a
matrix that only multiplies, conjugate gradients descend from face to face. A step that would leave the box is projected
into it where that goes further down, and else ends at the first bound (after Moré & Toraldo, 1991).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rankine.data import Vector
from rankine.objectives import Box, Matrix
from rankine.objectives.vectors import dot, norm
from rankine.solvers.cholesky import Cholesky

# Guesses are corrected in blocks until so many corrections in a row have not lowered the number of wrong ones.
_CHANCES = 5


def least_by_factors(hessian: Matrix, gradient: Vector, box: Box, rounding: float, ridge: float = 0.0) -> Vector:
    """The least point for a matrix at hand.

    Parameters
    ----------
    hessian
        H, symmetric and positive definite, else `NotPositiveDefinite` is raised.
    gradient
        g.
    box
        Where d may be.
    rounding
        The relative error of the entries of H.
    ridge
        What the diagonal of H is raised by, as a share of itself.
    """
    if not box.bounded:
        return -Cholesky(hessian, rounding, ridge).solve(gradient)
    model = _Model(hessian, gradient, box, rounding, ridge)
    d = model.by_pivots()
    return model.by_faces() if d is None else d


class _Model:
    """A quadratic model with its matrix."""

    def __init__(self, hessian: Matrix, gradient: Vector, box: Box, rounding: float, ridge: float) -> None:
        self.hessian, self.gradient, self.box, self.rounding, self.ridge = hessian, gradient, box, rounding, ridge

    def by_pivots(self) -> Vector | None:
        """The least point, None where guesses go in circles."""
        box, gradient = self.box, self.gradient
        fixed = box.lower == box.upper
        low = fixed | ((box.lower >= 0) & (gradient > 0))
        high = ~fixed & (box.upper <= 0) & (gradient < 0)
        fewest, chances = len(gradient) + 1, _CHANCES
        while chances:
            d = np.where(low, box.lower, np.where(high, box.upper, 0.0))
            d = d + self.newton_step(~(low | high), gradient + self.times(d))
            slope = gradient + self.times(d)
            noise = self.noise(d)
            too_low, too_high = d < box.lower, d > box.upper
            loose = ~fixed & ((low & (slope < -noise)) | (high & (slope > noise)))
            n_wrong = int(np.count_nonzero(too_low | too_high | loose))
            if n_wrong == 0:
                return d
            chances = _CHANCES if n_wrong < fewest else chances - 1
            fewest = min(fewest, n_wrong)
            low, high = (low & ~loose) | too_low, (high & ~loose) | too_high
        return None

    def by_faces(self) -> Vector:
        """The least point, by steps that go down, end on more bounds, or leave some at the optimum of a face."""
        box, gradient = self.box, self.gradient
        d, slope = np.zeros_like(gradient), gradient
        free = box.free(d, slope)
        for _ in range(10 * len(d) + 10):  # a few times the number of weights has sufficed for the worst
            step = self.newton_step(free, slope)
            reach, edge = _edge(box, d, step)
            if reach < 1.0:
                d, slope = _lower(gradient, (edge, gradient + self.times(edge)), self.projected(d + step))
                free &= ~(((d == box.lower) & (step < 0)) | ((d == box.upper) & (step > 0)))
                continue
            d, slope = self.projected(d + step)
            loose = box.free(d, slope) & ~free & (np.abs(slope) > self.noise(d))
            if not loose.any():
                break
            free |= loose
        return d

    def projected(self, d: Vector) -> tuple[Vector, Vector]:
        """The point of the box nearest to d, and the model's gradient there."""
        d = self.box.nearest(d)
        return d, self.gradient + self.times(d)

    def newton_step(self, free: NDArray[np.bool_], slope: Vector) -> Vector:
        """The step of the free weights to the least point of their face."""
        which = np.flatnonzero(free)
        step = np.zeros_like(slope)
        if len(which):
            part = self.hessian if len(which) == len(step) else self.hessian[np.ix_(which, which)]
            step[which] = -Cholesky(part, self.rounding, self.ridge).solve(slope[which])
        return step

    def times(self, d: Vector) -> Vector:
        """The matrix, with its ridge, times d."""
        return _product(self.hessian, d) + self.ridge * np.diag(self.hessian) * d

    def noise(self, d: Vector) -> Vector:
        """Below this a slope at d is rounding: weights would go to and fro between a bound and just beside it."""
        return 1e-15 * (np.abs(self.gradient) + _product(np.abs(self.hessian), np.abs(d)))


class ByProducts:
    """The way to the least point for a matrix that only multiplies: it may be left and taken up again.

    Parameters
    ----------
    product
        v ↦ H v.
    gradient
        g.
    box
        Where d may be.
    inverse
        The preconditioner: about one through the diagonal of H, positive; None for none.
    """

    def __init__(
        self, product: Callable[[Vector], Vector], gradient: Vector, box: Box, inverse: Vector | None = None
    ) -> None:
        self.product, self.gradient, self.box, self.inverse = product, gradient, box, inverse
        self.d, self.slope = np.zeros_like(gradient), gradient
        self.free = box.free(self.d, gradient) if box.bounded else np.ones(len(gradient), bool)
        self.residual = np.where(self.free, -gradient, 0.0)
        self.left = norm(self.residual)  # the norm of the (projected) gradient of the model
        self._direction, self._last, self._before = np.zeros_like(gradient), self.residual, np.inf

    def go(self, n_products: int, target: float) -> bool:
        """About so many products, until `left` is at the target; false if it is not yet."""
        for _ in range(n_products):
            if self.left <= target:
                break
            if not self._step():
                return True
        return self.left <= target

    def _step(self) -> bool:
        """One step; false where there is no curvature left."""
        box, d = self.box, self.d
        if box.bounded:
            able = box.free(d, self.slope)
            # A face is left when its bounds withhold more than it still gives.
            if norm(self.residual) <= norm(np.where(able & ~self.free, self.slope, 0.0)):
                self.free, self.residual, self._before = able, np.where(able, -self.slope, 0.0), np.inf
        direction, down = self._next_direction()
        image = self.product(direction)
        curvature = dot(direction, image)
        if not curvature > 0:
            return False
        length = down / curvature
        reach, edge = _edge(box, d, direction) if box.bounded else (np.inf, d)
        if length <= reach:
            self.d, self.slope = d + length * direction, self.slope + length * image
        else:
            ahead = box.nearest(d + length * direction)
            at_edge, beyond = (edge, self.slope + reach * image), (ahead, self.slope + self.product(ahead - d))
            self.d, self.slope = _lower(self.gradient, at_edge, beyond)
            self.free &= box.free(self.d, self.slope)
            self._before = self._before if self.d is ahead else np.inf
        self.residual = np.where(self.free, -self.slope, 0.0)
        self.left = norm(np.where(box.free(self.d, self.slope), self.slope, 0.0) if box.bounded else self.residual)
        return True

    def _next_direction(self) -> tuple[Vector, float]:
        """The next direction, and how steep the way down is along it."""
        scaled = self.residual if self.inverse is None else self.inverse * self.residual
        size = down = dot(self.residual, scaled)
        if self.box.bounded:
            # Weights that were stopped leave directions that are not conjugate: Polak and Ribière's formula makes the
            # best of them. Beginning anew at each took twice the products on click rates.
            share = max(0.0, (size - dot(self._last, scaled)) / self._before)
            direction = scaled + share * np.where(self.free, self._direction, 0.0)
            down = dot(self.residual, direction)
            if not down > 0:
                direction, down = scaled, size
        else:
            direction = scaled + (size / self._before) * self._direction
        self._direction, self._last, self._before = direction, self.residual, size
        return direction, down


def _product(matrix: Matrix, v: Vector) -> Vector:
    """A product whose digits do not follow the threads of BLAS."""
    product: Vector = np.einsum("ij,j->i", matrix, v)
    return product


def _edge(box: Box, d: Vector, step: Vector) -> tuple[float, Vector]:
    """How many times a step leads to its first bound, and the point there."""
    bound = np.where(step > 0, box.upper, box.lower)
    times = np.divide(bound - d, step, out=np.full(len(d), np.inf), where=step != 0)
    reach = float(times.min(initial=np.inf))
    if reach == np.inf:
        return reach, d
    return reach, np.where(times <= reach, bound, box.nearest(d + reach * step))


def _lower(gradient: Vector, *points: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
    """The point where the model is lowest, of some with their slopes: g·d + ½ d·H d = ½ d·(g + slope)."""
    return min(points, key=lambda point: dot(point[0], gradient + point[1]))
