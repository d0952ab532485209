"""The hinge, by smoothing and by cutting planes, beside dlib's trainer, which minimises the same function."""

from __future__ import annotations

from typing import Any

from benchmarks import race
from benchmarks.settings import Settings

OTHERS = (
    ("rankine cutting_plane", "rankine_ranksvm", {"solver": "cutting_plane"}, (1,)),
    ("dlib svm_rank_trainer", "dlib_svm_rank", {}, ()),
)


def main(settings: Settings) -> dict[str, Any]:
    """Race on the shapes of the targets."""
    shapes = [("mslr10", 1, 1.0), ("mslr10", 1, 1e-3), ("mqlist", 1, 1.0), ("rcv1", 1, 1.0)]
    if settings.quick:
        shapes = [("mslr10", 0.01, 1.0)]
    found = {}
    for shape, scale, C in shapes:
        bout = race.synthetic(shape, settings.scale * scale, C, "hinge on ", "hinge")
        if settings.wants_shape(bout.title):
            found[bout.title] = race.run_bout(bout, race.line_up(settings, OTHERS), settings)
    return found
