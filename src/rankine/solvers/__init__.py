"""Solvers: one file each. They see objectives, never rows or losses, and return a `Solution`."""

from rankine.solvers.newton import newton
from rankine.solvers.solution import Progress, Solution, Watch

__all__ = ["Progress", "Solution", "Watch", "newton"]
