"""Ways to count pairs, under one trust region Newton method: Figures 2 to 4 of Lee & Lin's paper.

Direct counters grow with rows × levels, order-statistic trees with rows × log levels, PRSVM with the pairs and PRSVM+
with the rows of its two-level sets. All minimise the same function; the table shows the objective that each reached.
"""

from __future__ import annotations

from typing import Any

from benchmarks import race
from benchmarks.settings import Settings

OURS = ("auto", "counting", {"counting": "auto"})
OTHERS = tuple(
    (name.replace("_", " "), "counting", {"counting": name}, (1,))
    for name in ("direct", "selection_tree", "fenwick", "wide", "PRSVM", "PRSVM+")
)


def main(settings: Settings) -> dict[str, Any]:
    """Race the counters on few levels, on rows that are all distinct, and on one query."""
    shapes = [("mslr10", 1, 1.0), ("mqlist", 0.05, 1.0), ("mqlist", 1, 1.0), ("ctr", 0.1, 1e-6)]
    if settings.quick:
        shapes = [("mslr10", 0.01, 1.0), ("mqlist", 0.005, 1.0)]
    found = {}
    for shape, scale, C in shapes:
        bout = race.synthetic(shape, settings.scale * scale, C, "counting on ")
        if settings.wants_shape(bout.title):
            found[bout.title] = race.run_bout(bout, race.line_up(settings, OTHERS, OURS), settings)
    return found
