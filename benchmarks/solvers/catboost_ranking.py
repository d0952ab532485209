"""CatBoost's YetiRank and PairLogit: 100 trees, everything else as it comes."""

from __future__ import annotations

from typing import Any

import catboost
import numpy as np
from benchopt import BaseSolver
from scipy.sparse import csr_matrix


class Solver(BaseSolver):
    name = "CatBoost"
    requirements = ("pip::catboost",)
    sampling_strategy = "run_once"
    same_objective = False
    parameters = {"loss": ["YetiRank", "PairLogit"], "n_threads": [1, 2]}  # noqa: RUF012

    def skip(self, data: Any, **_: Any) -> tuple[bool, str | None]:
        largest = int(np.diff(data.grouped.query_ptr).max())
        return largest > 1023, f"it takes queries of at most 1,023 rows, not {largest:,}"

    def set_objective(self, data: Any, test: Any, **_: Any) -> None:
        g = data.grouped
        query = np.repeat(np.arange(data.n_queries), np.diff(g.query_ptr))
        # Labels of YetiRank lie in [0, 1].
        self.given = catboost.Pool(self._matrix(data), g.label / max(g.label.max(), 1.0), group_id=query)
        self.parts = (data, test)

    def run(self, stop_val: Any) -> None:  # noqa: ARG002
        self.model = catboost.CatBoost(
            {
                "loss_function": self.loss,
                "iterations": 100,
                "thread_count": self.n_threads,
                "verbose": False,
                "allow_writing_files": False,
            }
        )
        self.model.fit(self.given)

    def get_result(self) -> dict[str, Any]:
        return {"scores": [part.restore(self.model.predict(self._matrix(part))) for part in self.parts]}

    def _matrix(self, data: Any) -> Any:
        rows = data.grouped.rows
        return csr_matrix(rows.matrix) if rows.is_sparse else rows.matrix
