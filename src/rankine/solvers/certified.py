"""When solvers stop that know a bound from below: on the gap between it and the value."""

from __future__ import annotations

import math
from typing import NamedTuple

from rankine.solvers.solution import Progress, Watch


class Ending(NamedTuple):
    """Whether and why a solver ends: an empty message goes on."""

    message: str
    converged: bool = False


def ending(n_iter: int, value: float, gap: float, *, tol: float, max_iter: int, watch: Watch | None) -> Ending:
    """Tell the watch of a step, and decide.

    Parameters
    ----------
    n_iter, value, gap
        Where the solver stands.
    tol
        Stop when the gap is at most tol times the value.
    max_iter
        Stop after this many steps in any case.
    watch
        Told about the step; a true answer stops.
    """
    goal = tol * value
    stop = watch is not None and watch(Progress(n_iter, value, gap, gap / goal if goal > 0 else math.inf))
    if gap <= goal:
        return Ending(f"the certified gap fell to {tol:g} of the objective", converged=True)
    if stop:
        return Ending("stopped by the caller before the tolerance was reached")
    if n_iter >= max_iter:
        return Ending(f"stopped after max_iter = {max_iter} steps before the tolerance was reached")
    return Ending("")
