"""An exact line search on a convex function of one variable, of which value, slope and curvature are known."""

from __future__ import annotations

import math

from rankine.objectives import Restriction


def least_point(phi: Restriction, relative: float = 1e-3, most: float = math.inf) -> float:
    """The least point of a convex φ with φ′(0) < 0 among t ≤ most ≥ 1, to where the slope is `relative` of φ′(0).

    Newton on φ′, kept inside a bracket. The tolerance is relative: an absolute one stops tiny steps too early. Where φ
    has a corner the slope never gets small: then a narrow bracket ends it.
    """
    start = phi(0.0)
    below, above, t = 0.0, math.inf, 1.0
    for _ in range(60):
        here = phi(t)
        if abs(here.slope) <= relative * abs(start.slope):
            return t
        if here.slope < 0:
            if t >= most:
                return most
            below = t
        else:  # upwards, or so far away that the slope overflows
            above = t
        t = t - here.slope / here.curvature if here.curvature > 0 else math.inf
        if above - below <= 1e-3 * relative * above:
            return below
        if not below < t < above:
            t = 0.5 * (below + above) if above < math.inf else 2.0 * below
        t = min(t, most)
    return below
