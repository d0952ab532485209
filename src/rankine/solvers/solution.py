"""What solvers return, and what they tell while they work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from rankine.data import Vector


@dataclass(frozen=True)
class Progress:
    """Where a solver stands after an iteration.

    Parameters
    ----------
    n_iter
        Iterations done.
    value
        The objective now.
    gap
        A bound on how far the value is from the optimum.
    criterion
        What is compared with the tolerance, divided by the tolerance: the solver stops at 1.
    """

    n_iter: int
    value: float
    gap: float
    criterion: float


# Called after each iteration; a true answer stops the solver, which then returns what it has.
Watch: TypeAlias = Callable[[Progress], object]


@dataclass(frozen=True, eq=False)
class Solution:
    """What a solver found.

    Parameters
    ----------
    coef
        The weights.
    value
        The objective at the weights.
    gap
        A certified bound: value − optimum ≤ gap.
    n_iter
        Iterations done.
    converged
        Whether the stopping rule was met. If not, `message` says why it stopped, and `gap` how far it got.
    message
        A sentence for people.
    solver
        Which solver found it; two where the second took over from the first.
    """

    coef: Vector
    value: float
    gap: float
    n_iter: int
    converged: bool
    message: str
    solver: str = ""
