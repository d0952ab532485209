"""The referee: ½‖w‖² + C Σ loss(w·(x_i − x_j)) over all pairs, the hinge or its square, and how unseen rows are ranked.

Rankine's own exact objective measures every solver's weights, on features in float64, whatever the solver computed in.
Solvers of other objectives give scores instead; for them the value is NaN, and time and ranking quality are compared.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from benchmark_utils.scratch import untouched
from benchopt import BaseObjective

from rankine.metrics import evaluate
from rankine.objectives import L2, Pairwise, Sum
from rankine.solvers.bundle import Bundle


class Objective(BaseObjective):
    name = "RankSVM"
    min_benchopt_version = "1.8"
    requirements = ("numpy", "scipy")
    parameters = {"C": [1.0], "loss": ["squared_hinge", "hinge"]}  # noqa: RUF012  (benchopt's way)
    test_dataset_name = "synthetic"

    def skip(self, train: Any, **_: Any) -> tuple[bool, str | None]:
        return (True, "its file or folder was not given") if train is None else (False, None)

    def set_data(self, train: Any, test: Any) -> None:
        self.train, self.test = train, test
        loss = Pairwise(untouched(train, "float64"), self.loss, C=self.C)
        self.function = Sum([loss, L2(train.n_features)])
        # Gains of 2^label − 1 overflow for labels that are ranks.
        self.metrics = ["pair_accuracy"] + ["nDCG@10"] * bool(train.label.max() < 32)

    def get_objective(self) -> dict[str, Any]:
        return {"data": self.train, "test": self.test, "C": self.C, "loss": self.loss}

    def evaluate_result(self, weights: Any = None, scores: Any = None) -> dict[str, float]:
        """Measure weights, or the scores of the training and of the test rows."""
        measured = {"value": np.nan}
        if weights is not None:
            w = np.ascontiguousarray(weights, np.float64)
            point = self.function.at(w)
            measured = {"value": point.value, "bound": self.bound(w, point)}
            scores = [data.restore(data.grouped.rows.scores(weights)) for data in (self.train, self.test)]
        for part, data, score in zip(("train", "test"), (self.train, self.test), scores, strict=True):
            found = evaluate(data.label, score, data.qid, self.metrics)
            measured |= {f"{part}_{name.replace('@', '')}": float(found[name]) for name in self.metrics}
        return measured

    def bound(self, w: np.ndarray, point: Any) -> float:
        """How far F(w) can be above its least value."""
        if self.loss == "squared_hinge":
            return 0.5 * float(point.gradient @ point.gradient)  # because of the term ½‖w‖²
        loss, penalty = self.function.parts
        planes = Bundle(penalty)  # the slopes of smoothed hinges are feasible points of the dual problem
        for exponent in range(7):
            below = loss.smoothed(10.0**-exponent).at(w)
            planes.add(below.offset, below.gradient)
        return point.value - planes.value

    def get_one_result(self) -> dict[str, Any]:
        return {"weights": np.zeros(self.train.n_features)}
