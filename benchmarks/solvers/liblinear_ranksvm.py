"""liblinear-ranksvm (Tree-TRON, Lee & Lin, 2014): its own `train` program, without the time in which it reads."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from benchmark_utils import liblinear
from benchmark_utils.scratch import as_text
from benchopt import BaseSolver


class Solver(BaseSolver):
    name = "liblinear-ranksvm"
    sampling_strategy = "tolerance"
    default_tolerance = 1e-3
    same_objective = True

    def skip(self, loss: str, **_: Any) -> tuple[bool, str | None]:
        reason = liblinear.why_not() if loss == "squared_hinge" else f"it does not know the loss {loss!r}"
        return reason is not None, reason

    def set_objective(self, data: Any, C: float, **_: Any) -> None:
        self.text, self.C, self.n_features = as_text(data), C, data.n_features
        self.folder = tempfile.TemporaryDirectory()

    def pre_run_hook(self, stop_val: float) -> None:
        """Start the program and let it read."""
        self.training = liblinear.Training(self.text, Path(self.folder.name) / "model", self.C, stop_val)

    def run(self, stop_val: float) -> None:  # noqa: ARG002
        self.training.resume()
        self.cpu_seconds = self.training.cpu_seconds

    def get_result(self) -> dict[str, Any]:
        return {"weights": self.training.weights(self.n_features)}
