"""scikit-learn's LinearSVC on listed pairs, what its users do today: the same objective, one row a pair.

Listing the pairs is not timed. Both classes must occur, so every other difference is turned around.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from benchmark_utils.listed import count_pairs, list_pairs
from benchmark_utils.scratch import stored_values
from benchopt import BaseSolver
from sklearn.svm import LinearSVC

# The differences and what they are made of in double precision, and LIBLINEAR's own copy of 16 bytes a value.
MOST_BYTES = 6e9


class Solver(BaseSolver):
    name = "LinearSVC on pairs"
    requirements = ("pip::scikit-learn",)
    sampling_strategy = "tolerance"
    default_tolerance = 1e-4
    same_objective = True

    def skip(self, data: Any, loss: str, **_: Any) -> tuple[bool, str | None]:
        if loss != "squared_hinge":
            return True, f"it does not know the loss {loss!r}"
        per_row = 2 if data.grouped.rows.is_sparse else 1
        needed = 40.0 * per_row * count_pairs(data) * stored_values(data) / data.n_rows
        return needed > MOST_BYTES, f"its pairs would take about {needed / 1e9:.0f} GB"

    def set_objective(self, data: Any, C: float, **_: Any) -> None:
        better, worse = list_pairs(data)
        X = data.grouped.rows.matrix.astype(np.float64)
        self.signs = np.where(np.arange(len(better)) % 2, 1.0, -1.0)
        D = X[better] - X[worse]
        self.D = D * self.signs[:, None] if isinstance(D, np.ndarray) else D.multiply(self.signs[:, None]).tocsr()
        if not isinstance(self.D, np.ndarray):  # LIBLINEAR takes no longer indices
            self.D.indices, self.D.indptr = self.D.indices.astype(np.int32), self.D.indptr.astype(np.int32)
        self.C = C

    def run(self, stop_val: float) -> None:
        svc = LinearSVC(C=self.C, loss="squared_hinge", fit_intercept=False, dual=False, tol=stop_val, max_iter=10_000)
        self.weights = svc.fit(self.D, self.signs).coef_[0]

    def get_result(self) -> dict[str, Any]:
        return {"weights": self.weights}
