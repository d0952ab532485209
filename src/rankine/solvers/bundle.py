"""A bundle of planes below a loss: the bound from below that they give together, and where their model is least.

Each plane says loss(w) ≥ offset + slope·w, so loss + penalty is at least the least value of

    penalty(w) + max over planes of (offset + slope·w),

which is the greatest value of Σ β offset + min over w of [penalty(w) + (Σ β slope)·w] over mixtures β ≥ 0, Σ β = 1: a
quadratic program with a variable a plane, solved from where the last one ended. Losses are not negative, which is a
plane, too.
"""

from __future__ import annotations

import numpy as np

from rankine import _core
from rankine.data import Vector
from rankine.objectives import L2
from rankine.objectives.vectors import dot

# A plane that took no part in so many mixtures is dropped.
_STALE = 20


class Bundle:
    """Planes below a loss.

    Parameters
    ----------
    penalty
        What is added to the loss.
    """

    def __init__(self, penalty: L2) -> None:
        self.penalty = penalty
        self.offset = np.zeros(1)
        self.slope = np.zeros((1, penalty.n_features))
        self.share = np.ones(1)  # of each plane in the best mixture
        self.gram = np.zeros((1, 1))
        self.idle = np.zeros(1, np.int64)  # mixtures since it had a share
        self.value = 0.0  # the bound

    def add(self, offset: float, slope: Vector) -> None:
        """Add a plane, and find the best mixture again."""
        products = np.einsum("ij,j->i", self.slope, slope)
        gram = np.empty((len(products) + 1, len(products) + 1))
        gram[:-1, :-1], gram[-1, :-1], gram[:-1, -1] = self.gram, products, products
        gram[-1, -1] = dot(slope, slope)
        self.gram = gram
        self.offset = np.append(self.offset, offset)
        self.slope = np.concatenate([self.slope, slope[np.newaxis]])
        self.share = _core.best_mixture(gram.ravel() / self.penalty.strength, self.offset, np.append(self.share, 0.0))
        self.idle = np.where(self.share > 0, 0, np.append(self.idle, 0) + 1)
        self.value = max(self.value, self.penalty.lower_bound(dot(self.share, self.offset), self._mixed()))
        self._keep((self.idle < _STALE) | (np.arange(len(self.idle)) == 0))

    def least(self) -> Vector:
        """Where penalty + planes is least."""
        return -self._mixed() / self.penalty.strength

    def _mixed(self) -> Vector:
        return np.asarray(np.einsum("i,ij->j", self.share, self.slope), np.float64)

    def _keep(self, kept: np.ndarray) -> None:
        if kept.all():
            return
        self.offset, self.slope, self.share = self.offset[kept], self.slope[kept], self.share[kept]
        self.idle, self.gram = self.idle[kept], self.gram[np.ix_(kept, kept)]
