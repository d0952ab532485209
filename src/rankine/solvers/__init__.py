"""Solvers: one file each. They see objectives, never rows or losses, and return a `Solution`."""

from rankine.solvers.cg import cg
from rankine.solvers.cutting_plane import cutting_plane
from rankine.solvers.lbfgs import lbfgs
from rankine.solvers.newton import newton
from rankine.solvers.path import path, path_by
from rankine.solvers.smoothing import smoothing
from rankine.solvers.solution import Progress, Solution, Watch
from rankine.solvers.tron import tron

__all__ = [
    "Progress",
    "Solution",
    "Watch",
    "cg",
    "cutting_plane",
    "lbfgs",
    "newton",
    "path",
    "path_by",
    "smoothing",
    "tron",
]
