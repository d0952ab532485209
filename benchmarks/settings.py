"""What the command line decides, and where results go."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent


@dataclass(frozen=True)
class Settings:
    """How to measure.

    Parameters
    ----------
    quick
        Small scales, to see that everything works: the ratios of large data are others.
    scale
        What multiplies the scale of every synthetic data set.
    rounds
        Every time is the best of this many rounds, in which all solvers take turns.
    budget
        Seconds of solving that one solver may use up on one data set and round.
    shapes, solvers
        Only those whose names contain one of these; all if empty.
    files
        A training and perhaps a test file, to race on as well.
    C
        The C for these files and MQ2008.
    results
        The folder that tables, plots and numbers are written to.
    """

    quick: bool
    scale: float
    rounds: int
    budget: float
    shapes: tuple[str, ...]
    solvers: tuple[str, ...]
    files: tuple[str, ...]
    C: float
    results: Path

    def wants_shape(self, name: str) -> bool:
        """Whether a data set of this name takes part."""
        return not self.shapes or any(part in name for part in self.shapes)

    def wants_solver(self, name: str) -> bool:
        """Whether a solver of this name takes part."""
        return not self.solvers or any(part.lower() in name.lower() for part in self.solvers)
