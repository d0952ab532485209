"""dlib's svm_rank_trainer: the hinge instead of its square, by cutting planes.

dlib knows two levels. All pairs of more levels are those of {y > r} with {y = r}, over r, so each query becomes a
"query" for each of its levels but the last. dlib divides the loss by the number of pairs, so its C is ours times that.
"""

from __future__ import annotations

from typing import Any

import dlib
import numpy as np
from benchmark_utils.listed import count_pairs, count_two_levels
from benchopt import BaseSolver

MOST_VALUES = 2e8  # 8 bytes each when dense and 16 when sparse


class Solver(BaseSolver):
    name = "dlib svm_rank_trainer"
    requirements = ("pip::dlib",)
    sampling_strategy = "tolerance"
    default_tolerance = 1e-3
    same_objective = False  # unless the loss is the hinge

    def skip(self, data: Any, **_: Any) -> tuple[bool, str | None]:
        values = count_two_levels(data) * data.grouped.rows.value.size / data.n_rows
        return values > MOST_VALUES, f"its two-level queries would hold {values:.3g} values"

    def set_objective(self, data: Any, C: float, loss: str, **_: Any) -> None:
        self.same_objective = loss == "hinge"
        g = data.grouped
        self.n_features = data.n_features
        self.sparse = g.rows.is_sparse
        self.C = C * count_pairs(data)
        vectors = _sparse_vectors(g.rows) if self.sparse else [dlib.vector(row.tolist()) for row in g.rows.value]
        self.queries = dlib.sparse_ranking_pairs() if self.sparse else dlib.ranking_pairs()
        for begin, end in zip(g.query_ptr[:-1], g.query_ptr[1:], strict=True):
            level = g.level[begin:end]
            for r in range(int(level.max())):
                pair = dlib.sparse_ranking_pair() if self.sparse else dlib.ranking_pair()
                pair.relevant.extend([vectors[i] for i in begin + np.flatnonzero(level > r)])
                pair.nonrelevant.extend([vectors[i] for i in begin + np.flatnonzero(level == r)])
                self.queries.append(pair)

    def run(self, stop_val: float) -> None:
        trainer = dlib.svm_rank_trainer_sparse() if self.sparse else dlib.svm_rank_trainer()
        trainer.c = self.C
        trainer.epsilon = min(stop_val, 1.0)
        self.weights = trainer.train(self.queries).weights

    def get_result(self) -> dict[str, Any]:
        weights = np.zeros(self.n_features)
        if self.sparse:
            for pair in self.weights:
                weights[pair.first] = pair.second
        else:
            weights[:] = np.array(self.weights)[: self.n_features]
        return {"weights": weights}


def _sparse_vectors(rows: Any) -> list[Any]:
    vectors = []
    for begin, end in zip(rows.row_ptr[:-1], rows.row_ptr[1:], strict=True):
        vector = dlib.sparse_vector()
        pairs = zip(rows.index[begin:end].tolist(), rows.value[begin:end].tolist(), strict=True)
        vector.extend([dlib.pair(j, value) for j, value in pairs])
        vectors.append(vector)
    return vectors
