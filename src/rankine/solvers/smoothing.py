"""Newton's method on ever closer smooth stand-ins, for losses with corners such as the hinge.

The corner of the loss is rounded off over a window of margins, which leaves a squared hinge inside and a line beyond:
Newton's method knows what to do. The slopes of the stand-in are a feasible point of the dual problem of the *true*
loss, so every step yields a bound from below as well as a value, and the solver stops on the gap between the two. The
window shrinks when what smoothing costs, F(w) − F_window(w), outweighs what more steps at this window could gain, which
is at most ½ ‖∇F_window(w)‖² / μ; and by as much as the gap still has to fall. Where no window is narrow enough, cutting
planes take over, with all planes that are known by then.
"""

from __future__ import annotations

import math

import numpy as np

from rankine.data import Vector
from rankine.objectives import L2, Box, Objective, Point, Sum
from rankine.objectives.sum import SumPoint
from rankine.objectives.vectors import dot, norm
from rankine.solvers.bundle import Bundle
from rankine.solvers.certified import ending
from rankine.solvers.cg import Directions
from rankine.solvers.cutting_plane import cut
from rankine.solvers.descent import checked
from rankine.solvers.line_search import least_point
from rankine.solvers.newton import newton_direction
from rankine.solvers.solution import Solution, Watch

# Up to so many features, directions come from the factor of the Hessian, and from conjugate gradients beyond.
_MOST_FEATURES = 1000
_FIRST_WINDOW, _LAST_WINDOW = 1.0, 1e-8
# Conjugate gradients leave this share of the gradient: for three times as much, later windows pay five times over.
_LEFT = 0.03
# Weights to start from are looked at through so many windows, each a tenth of the last.
_WINDOWS = 3
# A window is left when more steps could gain less than this share of what smoothing costs.
_DONE = 0.1


def smoothing(
    loss: Objective,
    penalty: L2,
    start: Vector | None = None,
    *,
    tol: float = 1e-3,
    max_iter: int = 100,
    sample: Objective | None = None,
    single: bool = False,
    watch: Watch | None = None,
    box: Box | None = None,
) -> Solution:
    """Minimise F(w) = loss(w) + penalty(w).

    Parameters
    ----------
    loss
        Convex and not negative; once differentiable when `smoothed`.
    penalty
        What makes F strongly convex.
    start
        The weights to start from, those of the least penalty if None.
    tol
        Stop when the certified gap is at most tol · F(w).
    max_iter
        Stop after this many Newton steps in any case: 10 to 20 are usual for a gap of 1e-3.
    sample
        An estimate of the loss that is cheaper to take Hessians of; steps that it misleads are its last.
    single
        Whether Hessians may be summed in single precision while that serves.
    watch
        Told about every step; a true answer stops.
    box
        Where the weights may be, anywhere if None.
    """
    best, least = np.zeros(loss.n_features), math.inf
    bundle = Bundle(penalty, box)
    first = bundle.least() if start is None else bundle.box.nearest(start)
    walk = _Walk(loss, penalty, bundle.box, first, sample, single=single)
    if start is not None:
        walk.suit_window()
    while True:
        if walk.point.exact < least:
            best, least = walk.w, walk.point.exact
        of_loss = walk.point.parts[0]
        bundle.add(of_loss.offset, of_loss.gradient)
        gap = max(least - bundle.value, 0.0)
        end = ending(walk.n_iter, least, gap, tol=tol, max_iter=max_iter, watch=watch)
        if end.message:
            return Solution(best, least, gap, walk.n_iter, end.converged, end.message, "smoothing")
        if not walk.go(tol * least):
            # Where all pairs can be ordered, or nearly, the window would have to be narrower than rounding allows.
            options = {"n_iter": walk.n_iter, "told": walk.n_iter}
            both = "smoothing, cutting_plane"
            return cut(loss, bundle, best, tol=tol, max_iter=max_iter, watch=watch, solver=both, **options)


class _Walk:
    """Where Newton's method stands, on the stand-in of the present window."""

    def __init__(
        self, loss: Objective, penalty: L2, box: Box, w: Vector, sample: Objective | None, *, single: bool
    ) -> None:
        self.loss, self.penalty, self.box, self.sample, self.single = loss, penalty, box, sample, single
        self.directions = Directions(_LEFT)
        self.n_iter = 0
        self.w = w
        self._look(_FIRST_WINDOW)

    def _look(self, window: float) -> None:
        self.window = window
        self.smooth = Sum([self.loss.smoothed(window), self.penalty])
        self._stand(self.w, self.smooth.at(self.w))

    def suit_window(self) -> None:
        """Look through the window that tells most about the weights: near the optimum of the hinge, a narrow one."""
        best, bound = (self.window, self.smooth, self.point), self._bound()
        for exponent in range(1, _WINDOWS):
            self._look(_FIRST_WINDOW * 0.1**exponent)
            if self._bound() < bound:
                break
            best, bound = (self.window, self.smooth, self.point), self._bound()
        self.window, self.smooth = best[:2]
        self._stand(self.w, best[2])

    def _bound(self) -> float:
        """What the plane at the weights says of the least value."""
        plane = self.point.parts[0]
        return self.penalty.lower_bound(plane.offset, plane.gradient, self.box)

    def _stand(self, w: Vector, point: SumPoint) -> None:
        self.w, self.point = w, checked(point)

    def go(self, goal: float) -> bool:
        """One Newton step, after the window has shrunk as far as it must to leave a gap below `goal`."""
        while True:
            cost = self.point.exact - self.point.value
            room = self.box.seen_from(self.w)
            gain = -room.least(self.penalty.strong_convexity, self.point.gradient)
            if gain > _DONE * cost and self._step(room):
                self.n_iter += 1
                return True
            if self.window <= _LAST_WINDOW:
                return False
            self._look(self.window * min(max(0.25 * goal / max(cost, 1e-300), 0.1), 0.5))

    def _step(self, room: Box) -> bool:
        """Go along Newton's direction to the least point on it, but for a unit step that decreases enough."""
        direction = self._direction(room)
        slope = dot(self.point.gradient, direction)
        if not (math.isfinite(slope) and slope < 0):
            return False
        w = self.box.placed(self.w + direction, direction, room)
        there = self.smooth.at(w)
        if there.value > self.point.value + 0.25 * slope:
            most = 1.0 if self.box.bounded else math.inf
            w = self.box.nearest(self.w + least_point(self.point.along(direction), 0.1, most) * direction)
            there = self.smooth.at(w)
        if not there.value < self.point.value:
            return self._distrust() and self._step(room)
        if self.sample is not None and norm(there.gradient) > 0.7 * norm(self.point.gradient):
            self._distrust()
        self._stand(w, there)
        return True

    def _distrust(self) -> bool:
        """Do without the sample, or else without single precision; false if there was neither any more."""
        if self.sample is not None:
            self.sample = None
        elif self.single:
            self.single = False
        else:
            return False
        return True

    def _direction(self, room: Box) -> Vector:
        if len(self.w) > _MOST_FEATURES:
            return self.directions.find(self.point, self.point.gradient, room)[0]
        point: Point = self.point
        if self.sample is not None:
            point = Sum([self.sample.smoothed(self.window), self.penalty]).at(self.w)
        direction, self.single = newton_direction(point, self.point.gradient, self.w, self.box, single=self.single)
        return direction
