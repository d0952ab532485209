"""Cutting planes with an exact line search, for losses with corners: Franc and Sonnenburg's OCAS.

The model penalty + max of the planes seen so far is least at some w′. The best weights move towards w′ as far as F
falls, by an exact search on the restriction; the next planes are cut at these weights and a little further on the way
to w′. Each step reads the rows twice and costs a sort for each trial of the line search.
"""

from __future__ import annotations

from rankine.data import Vector
from rankine.objectives import L2, Box, Objective, Sum
from rankine.solvers.bundle import Bundle
from rankine.solvers.certified import ending
from rankine.solvers.descent import checked
from rankine.solvers.line_search import least_point
from rankine.solvers.solution import Solution, Watch

# How far beyond the best weights the second plane is cut, of the way to w′.
_BEYOND = 0.1


def cutting_plane(
    loss: Objective,
    penalty: L2,
    start: Vector | None = None,
    *,
    tol: float = 1e-3,
    max_iter: int = 1000,
    watch: Watch | None = None,
    box: Box | None = None,
) -> Solution:
    """Minimise F(w) = loss(w) + penalty(w).

    Parameters
    ----------
    loss
        Convex and not negative, with a subgradient everywhere.
    penalty
        What makes F strongly convex.
    start
        The weights to start from, those of the least penalty if None.
    tol
        Stop when the certified gap is at most tol · F(w).
    max_iter
        Stop after this many steps in any case; hundreds are usual.
    watch
        Told about every step; a true answer stops.
    box
        Where the weights may be, anywhere if None.
    """
    bundle = Bundle(penalty, box)
    w = bundle.least() if start is None else bundle.box.nearest(start)
    return cut(loss, bundle, w, tol=tol, max_iter=max_iter, watch=watch)


def cut(
    loss: Objective,
    bundle: Bundle,
    w: Vector,
    *,
    tol: float,
    max_iter: int,
    watch: Watch | None,
    n_iter: int = 0,
    told: int = -1,
    solver: str = "cutting_plane",
) -> Solution:
    """Go on from weights and the planes that are known already.

    Parameters
    ----------
    loss
        See `cutting_plane`.
    bundle
        Planes, with the penalty and the box.
    w
        Weights in the box.
    tol, max_iter, watch
        See `cutting_plane`.
    n_iter
        Steps that led here, which count as well.
    told
        The last step that the watch was told about.
    solver
        What the solution shall be said to come from.
    """
    objective = Sum([loss, bundle.penalty])
    point = checked(objective.at(w))
    while True:
        bundle.add(point.parts[0].offset, point.parts[0].gradient)
        gap = max(point.value - bundle.value, 0.0)
        listener = watch if n_iter > told else None
        end = ending(n_iter, point.value, gap, tol=tol, max_iter=max_iter, watch=listener)
        if end.message:
            return Solution(w, point.value, gap, n_iter, end.converged, end.message, solver)
        n_iter += 1
        towards = bundle.least() - w
        phi = point.along(towards)
        t = least_point(phi, 1e-2, 1.0) if phi(0.0).slope < 0 else 0.0
        beyond = checked(objective.at(bundle.box.nearest(w + (t + _BEYOND * (1.0 - t)) * towards)))
        bundle.add(beyond.parts[0].offset, beyond.parts[0].gradient)
        if t > 0:
            nearer = bundle.box.nearest(w + t * towards)
            there = objective.at(nearer)
            if there.value < point.value:
                w, point = nearer, there
