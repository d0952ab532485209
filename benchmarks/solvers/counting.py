"""One trust region Newton method, the pairs counted in different ways: Figure 4 of Lee & Lin, and PRSVM and PRSVM+.

"direct" counters cost O(levels) a row; "selection_tree" is the paper's choice; "fenwick" and "wide" are other trees;
"auto" is rankine's choice by the number of levels. PRSVM lists the pairs, PRSVM+ sums over levels; both are written in
NumPy and SciPy here, so their times compare growth, not programming languages.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from benchmark_utils.listed import ListedPairs, TwoLevels, count_pairs, count_two_levels
from benchmark_utils.scratch import untouched
from benchopt import BaseSolver

from rankine import solvers
from rankine.objectives import L2, Pairwise, Sum

MOST_ENTRIES = 3e7  # pairs of PRSVM, rows of the two-level sets of PRSVM+: about 100 bytes each
COUNTED = {"PRSVM": (ListedPairs, count_pairs), "PRSVM+": (TwoLevels, count_two_levels)}


class Solver(BaseSolver):
    name = "counting"
    requirements = ("numpy", "scipy")
    sampling_strategy = "tolerance"
    default_tolerance = 1e-3
    same_objective = True
    parameters = {  # noqa: RUF012
        "counting": ["auto", "direct", "selection_tree", "fenwick", "wide", "PRSVM", "PRSVM+"],
        "n_threads": [1],
    }

    def skip(self, data: Any, **_: Any) -> tuple[bool, str | None]:
        if self.counting in COUNTED:
            entries = COUNTED[self.counting][1](data)
            return entries > MOST_ENTRIES, f"it would list {entries:.3g} entries"
        missing = self.counting != "auto" and not any(field.name == "counting" for field in fields(Pairwise))
        return missing, "this version of rankine has one way to count" if missing else None

    def set_objective(self, data: Any, C: float, **_: Any) -> None:
        self.given, self.C = data, C

    def pre_run_hook(self, stop_val: float) -> None:  # noqa: ARG002
        """Listing and sorting into sets is not timed, nor is making rankine's queries."""
        data = untouched(self.given)
        if self.counting in COUNTED:
            loss = COUNTED[self.counting][0](data, self.C)
        else:
            choice = {} if self.counting == "auto" else {"counting": self.counting}
            loss = Pairwise(data, C=self.C, n_threads=self.n_threads, **choice)
        self.function = Sum([loss, L2(data.n_features)])

    def run(self, stop_val: float) -> None:
        minimise = getattr(solvers, "tron", solvers.newton)
        self.solution = minimise(self.function, tol=min(stop_val, 1.0), max_iter=10_000)

    def get_result(self) -> dict[str, Any]:
        return {"weights": self.solution.coef}
