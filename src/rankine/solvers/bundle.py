"""A bundle of planes below a loss: the bound from below that they give together, and where their model is least.

Each plane says loss(w) ≥ offset + slope·w, so loss + penalty is at least the least value of

    penalty(w) + max over planes of (offset + slope·w),

which is the greatest value of Σ β offset + min over w of [penalty(w) + (Σ β slope)·w] over mixtures β ≥ 0, Σ β = 1: a
quadratic program with a variable a plane, solved from where the last one ended. Losses are not negative, which is a
plane, too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankine import _core
from rankine.data import Vector
from rankine.objectives import L2, Box, Matrix
from rankine.objectives.vectors import dot

# A plane that took no part in so many mixtures is dropped.
_STALE = 20
# How often the weights that a box holds may change before a mixture is taken as it is: a bound it gives in any case.
_TURNS = 20


class Bundle:
    """Planes below a loss.

    Parameters
    ----------
    penalty
        What is added to the loss.
    box
        Where the weights may be, anywhere if None.
    """

    def __init__(self, penalty: L2, box: Box | None = None) -> None:
        self.penalty = penalty
        self.box = Box.everywhere(penalty.n_features) if box is None else box
        self.offset = np.zeros(1)
        self.slope = np.zeros((1, penalty.n_features))
        self.share = np.ones(1)  # of each plane in the best mixture
        self.gram = np.zeros((1, 1))  # of all slopes, where there is no box
        self.idle = np.zeros(1, np.int64)  # mixtures since it had a share
        self.value = 0.0  # the bound

    def add(self, offset: float, slope: Vector) -> None:
        """Add a plane, and find the best mixture again."""
        self.offset = np.append(self.offset, offset)
        self.slope = np.concatenate([self.slope, slope[np.newaxis]])
        self.share = np.append(self.share, 0.0)
        if self.box.bounded:
            self._mix_in_box()
        else:
            self._extend_gram(slope)
            self.share = self._mixture(self.gram, self._at_centre())
        self.idle = np.where(self.share > 0, 0, np.append(self.idle, 0) + 1)
        bound = self.penalty.lower_bound(dot(self.share, self.offset), self._mixed(self.share), self.box)
        self.value = max(self.value, bound)
        self._keep((self.idle < _STALE) | (np.arange(len(self.idle)) == 0))

    def least(self) -> Vector:
        """Where penalty + planes is least, in the box."""
        return self.penalty.minimiser(self._mixed(self.share), self.box)

    def _mix_in_box(self) -> None:
        """The best mixture in a box, which holds other weights for other mixtures.

        With the weights held that the present mixture's minimiser has on their bounds, the problem is as it is without
        a box; an exact line search on the true problem leads towards its solution, until nothing changes.
        """
        for _ in range(_TURNS):
            w = self.least()
            free = (w > self.box.lower) & (w < self.box.upper)
            slope = self.slope[:, free] / np.sqrt(np.broadcast_to(self.penalty.strong_convexity, len(w))[free])
            centre = np.zeros(len(w)) if self.penalty.centre is None else self.penalty.centre
            offset = self.offset + np.einsum("ij,j->i", self.slope, np.where(free, centre, w))
            towards = self._mixture(np.einsum("ik,jk->ij", slope, slope), offset) - self.share
            t = self._best_step(towards)
            self.share = np.maximum(self.share + t * towards, 0.0)
            self.share /= self.share.sum()
            if t in (0.0, 1.0) or np.abs(towards).max() < 1e-12:
                moved = self.least()
                if ((moved > self.box.lower) & (moved < self.box.upper) == free).all():
                    break

    def _best_step(self, towards: Vector) -> float:
        """The t in [0, 1] at which the bound is greatest between two mixtures."""
        offset, slope = dot(towards, self.offset), self._mixed(towards)
        here = self._mixed(self.share)

        def rise(t: float) -> float:
            return offset + dot(slope, self.penalty.minimiser(here + t * slope, self.box))

        if rise(1.0) >= 0:
            return 1.0
        below, above = 0.0, 1.0
        for _ in range(50):
            middle = 0.5 * (below + above)
            below, above = (middle, above) if rise(middle) > 0 else (below, middle)
        return below

    def _mixture(self, gram: Matrix, offset: Vector) -> Vector:
        return _core.best_mixture(np.ascontiguousarray(gram).ravel(), offset, self.share)

    def _at_centre(self) -> Vector:
        """The planes' heights above the penalty's centre."""
        centre = self.penalty.centre
        return self.offset if centre is None else self.offset + np.einsum("ij,j->i", self.slope, centre)

    def _extend_gram(self, slope: Vector) -> None:
        products = np.einsum("ij,j->i", self.slope, slope / self.penalty.strong_convexity)
        gram = np.empty((len(products), len(products)))
        gram[:-1, :-1], gram[-1], gram[:, -1] = self.gram, products, products
        self.gram = gram

    def _mixed(self, share: Vector) -> Vector:
        return np.asarray(np.einsum("i,ij->j", share, self.slope), np.float64)

    def _keep(self, kept: NDArray[np.bool_]) -> None:
        if kept.all():
            return
        self.offset, self.slope, self.share = self.offset[kept], self.slope[kept], self.share[kept]
        self.idle = self.idle[kept]
        if not self.box.bounded:
            self.gram = self.gram[np.ix_(kept, kept)]
