"""LightGBM's lambdarank: 100 trees, everything else as it comes. Binning is part of its training."""

from __future__ import annotations

from typing import Any

import lightgbm
import numpy as np
from benchopt import BaseSolver


class Solver(BaseSolver):
    name = "LightGBM lambdarank"
    requirements = ("pip::lightgbm",)
    sampling_strategy = "run_once"
    same_objective = False
    parameters = {"n_threads": [1, 2]}  # noqa: RUF012

    def skip(self, data: Any, **_: Any) -> tuple[bool, str | None]:
        if data.label.max() > 30 or (data.label % 1).any():
            return True, "its labels are whole numbers up to 30"
        largest = int(np.diff(data.grouped.query_ptr).max())
        return largest > 10_000, f"it takes queries of at most 10,000 rows, not {largest:,}"

    def set_objective(self, data: Any, test: Any, **_: Any) -> None:
        g = data.grouped
        self.X, self.label, self.size = g.rows.matrix, g.label, np.diff(g.query_ptr)
        self.parts = (data, test)

    def run(self, stop_val: Any) -> None:  # noqa: ARG002
        options = {"objective": "lambdarank", "num_threads": self.n_threads, "verbose": -1}
        self.model = lightgbm.train(options, lightgbm.Dataset(self.X, self.label, group=self.size), 100)

    def get_result(self) -> dict[str, Any]:
        return {"scores": [part.restore(self.model.predict(part.grouped.rows.matrix)) for part in self.parts]}
