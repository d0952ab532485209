"""Cholesky's factor of a Hessian, to solve H d = −g.

In plain NumPy, block by block: BLAS splits its sums over threads, so that a factor's last digits would depend on how
many there are (OpenBLAS does so from n = 136 on). This takes 0.8 ms for n = 136 and 40 ms for n = 1000, little beside
the Hessian itself. Rows and columns are first divided so that the diagonal is one: scales of features then neither
hide what is singular nor spoil the sums.
"""

from __future__ import annotations

import numpy as np

from rankine.data import Vector
from rankine.objectives import Matrix

_BLOCK = 64


class NotPositiveDefinite(ArithmeticError):
    """The matrix is singular as far as its digits tell."""


class Cholesky:
    """The factor U of S H S = UᵀU, where S makes the diagonal one.

    Parameters
    ----------
    matrix
        H, symmetric. Only its upper half is read.
    rounding
        The relative error of its entries; a pivot below n times this is taken for zero.
    ridge
        What is added to the diagonal of S H S.
    """

    def __init__(self, matrix: Matrix, rounding: float = 1e-16, ridge: float = 0.0) -> None:
        n = len(matrix)
        diagonal = np.diag(matrix)
        if not np.isfinite(matrix).all():
            raise OverflowError("the curvature of the objective overflows: scale the features (scale='std')")
        floor = rounding * float(diagonal.max(initial=0.0))
        self._scale = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, floor if floor > 0 else 1.0))
        # The blocks of U beside its diagonal, in place; for the blocks on it, the inverse of their transpose.
        self._beside = self._scale[:, None] * matrix * self._scale
        self._beside[np.diag_indices(n)] = 1.0 + ridge
        self._on: list[Matrix] = []
        self._cuts = [(begin, min(begin + _BLOCK, n)) for begin in range(0, n, _BLOCK)]
        for begin, end in self._cuts:
            on = _inverse_factor(self._beside[begin:end, begin:end], n * rounding)
            self._on.append(on)
            rows = np.einsum("ik,kj->ij", on, self._beside[begin:end, end:])
            self._beside[begin:end, end:] = rows
            for i, j in self._cuts[len(self._on) :]:
                self._beside[i:j, i:] -= np.einsum("ki,kj->ij", rows[:, i - end : j - end], rows[:, i - end :])

    def solve(self, g: Vector) -> Vector:
        """H⁻¹ g."""
        x = self._scale * g
        for (begin, end), on in zip(self._cuts, self._on, strict=True):
            x[begin:end] = np.einsum("ij,j->i", on, x[begin:end])
            x[end:] -= np.einsum("ij,i->j", self._beside[begin:end, end:], x[begin:end])
        for (begin, end), on in zip(reversed(self._cuts), reversed(self._on), strict=True):
            x[begin:end] -= np.einsum("ij,j->i", self._beside[begin:end, end:], x[end:])
            x[begin:end] = np.einsum("ij,i->j", on, x[begin:end])
        return self._scale * x


def _inverse_factor(block: Matrix, least: float) -> Matrix:
    """U⁻ᵀ of a small block UᵀU: what turns the block into U turns the identity into U⁻ᵀ."""
    n = len(block)
    both = np.concatenate([block, np.eye(n)], axis=1)
    for j in range(n):
        if not both[j, j] > least:
            raise NotPositiveDefinite
        both[j, j:] /= np.sqrt(both[j, j])
        both[j + 1 :, j:] -= both[j, j + 1 : n, None] * both[j, j:]
    return np.ascontiguousarray(both[:, n:])
