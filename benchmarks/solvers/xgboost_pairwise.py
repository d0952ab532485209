"""XGBoost's rank:pairwise: 100 rounds of trees, or of its linear booster, everything else as it comes."""

from __future__ import annotations

from typing import Any

import numpy as np
import xgboost
from benchopt import BaseSolver


class Solver(BaseSolver):
    name = "XGBoost rank:pairwise"
    requirements = ("pip::xgboost-cpu",)
    sampling_strategy = "run_once"
    same_objective = False
    parameters = {"booster": ["gbtree", "gblinear"], "n_threads": [1, 2]}  # noqa: RUF012

    def set_objective(self, data: Any, test: Any, **_: Any) -> None:
        self.parts = (data, test)

    def pre_run_hook(self, stop_val: Any) -> None:  # noqa: ARG002
        g = self.parts[0].grouped
        self.given = self._matrix(self.parts[0])
        self.given.set_info(label=g.label, group=np.diff(g.query_ptr))

    def run(self, stop_val: Any) -> None:  # noqa: ARG002
        options = {"objective": "rank:pairwise", "booster": self.booster, "nthread": self.n_threads, "verbosity": 0}
        self.model = xgboost.train(options, self.given, 100)

    def get_result(self) -> dict[str, Any]:
        return {"scores": [part.restore(self.model.predict(self._matrix(part))) for part in self.parts]}

    def _matrix(self, data: Any) -> xgboost.DMatrix:
        X = data.grouped.rows.matrix
        return xgboost.DMatrix(X, missing=np.nan, nthread=self.n_threads)
