"""Rankine's RankSVM, by each of its solvers."""

from __future__ import annotations

from typing import Any

from benchmark_utils.scratch import untouched
from benchopt import BaseSolver

from rankine.recipes.ranksvm import RankSVM


class Solver(BaseSolver):
    name = "rankine"
    requirements = ("numpy", "scipy")
    sampling_strategy = "tolerance"
    default_tolerance = 1e-3
    same_objective = True
    parameters = {  # noqa: RUF012
        "solver": ["auto", "newton", "lbfgs", "cg", "tron", "smoothing", "cutting_plane"],
        "n_threads": [1, 2],
        "dtype": ["float32"],
    }

    def skip(self, loss: str, **_: Any) -> tuple[bool, str | None]:
        wrong = self.solver != "auto" and (self.solver in ("smoothing", "cutting_plane")) != (loss == "hinge")
        return wrong, f"it is not for the loss {loss!r}" if wrong else None

    def set_objective(self, data: Any, C: float, loss: str, **_: Any) -> None:
        self.given = untouched(data, self.dtype)
        self.options = {"C": C, "loss": loss, "solver": self.solver, "n_threads": self.n_threads, "max_iter": 100_000}

    def pre_run_hook(self, stop_val: float) -> None:  # noqa: ARG002
        self.data = untouched(self.given)

    def run(self, stop_val: float) -> None:
        self.model = RankSVM(tol=min(stop_val, 1.0), **self.options).fit(self.data)

    def get_result(self) -> dict[str, Any]:
        return {"weights": self.model.weights}
