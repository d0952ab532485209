"""Rankine's RankSVM, by each of its solvers."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_args, get_type_hints

from benchmark_utils.scratch import untouched
from benchopt import BaseSolver

from rankine.recipes.ranksvm import RankSVM


def solvers_offered() -> tuple[str, ...]:
    """The solvers that this version of rankine can be asked for by name."""
    named = any(field.name == "solver" for field in fields(RankSVM))
    return get_args(get_type_hints(RankSVM)["solver"]) if named else ("auto",)


class Solver(BaseSolver):
    name = "rankine"
    requirements = ("numpy", "scipy")
    sampling_strategy = "tolerance"
    default_tolerance = 1e-3
    same_objective = True
    parameters = {  # noqa: RUF012
        "solver": ["auto", "newton", "lbfgs", "cg", "tron"],
        "n_threads": [1, 2],
        "dtype": ["float32"],
    }

    def skip(self, **_: Any) -> tuple[bool, str | None]:
        missing = self.solver not in solvers_offered()
        return missing, f"this version of rankine has no solver {self.solver!r}" if missing else None

    def set_objective(self, data: Any, C: float, **_: Any) -> None:
        self.given = untouched(data, self.dtype)
        self.options = {"C": C, "n_threads": self.n_threads, "max_iter": 100_000}
        if len(solvers_offered()) > 1:
            self.options["solver"] = self.solver

    def pre_run_hook(self, stop_val: float) -> None:  # noqa: ARG002
        self.data = untouched(self.given)

    def run(self, stop_val: float) -> None:
        self.model = RankSVM(tol=min(stop_val, 1.0), **self.options).fit(self.data)

    def get_result(self) -> dict[str, Any]:
        return {"weights": self.model.weights}
