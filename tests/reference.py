"""Slow, obvious twins of what the library does fast: pairs are listed, formulas are written as in the papers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import scipy.optimize

# Losses ---------------------------------------------------------------------------------------------------------------


def margin_loss(name: str, m: float) -> tuple[float, float, float]:
    """Value, slope and (generalised) curvature of a margin loss."""
    if name == "squared_hinge":
        return (max(0.0, 1 - m) ** 2, -2 * max(0.0, 1 - m), 2.0 if m < 1 else 0.0)
    if name == "modified_huber":
        if m < -1:
            return (-4 * m, -4.0, 0.0)
        return margin_loss("squared_hinge", m)
    raise KeyError(name)


def list_pairs(y: np.ndarray, qid: np.ndarray, pairs: str = "all") -> Iterator[tuple[int, int]]:
    """Every (better, worse) pair of rows of one query."""
    for i in range(len(y)):
        for j in range(len(y)):
            if qid[i] != qid[j] or not y[i] > y[j]:
                continue
            between = (qid == qid[i]) & (y < y[i]) & (y > y[j])
            if pairs == "all" or not between.any():
                yield i, j


def pair_weights(
    y: np.ndarray,
    qid: np.ndarray,
    *,
    pairs: str = "all",
    pair_weight: str = "uniform",
    row_weight: str = "product",
    sample_weight: np.ndarray | None = None,
    query_weight: dict[object, float] | None = None,
) -> dict[tuple[int, int], float]:
    """The weight of every pair."""
    weights = {}
    for i, j in list_pairs(y, qid, pairs):
        c = 1.0
        if sample_weight is not None:
            c = sample_weight[i] * (sample_weight[j] if row_weight == "product" else 1.0)
        weights[i, j] = c
    if pair_weight == "query":
        mass: dict[object, float] = {}
        for (i, _), c in weights.items():
            mass[qid[i]] = mass.get(qid[i], 0.0) + c
        weights = {(i, j): c / mass[qid[i]] if mass[qid[i]] > 0 else 0.0 for (i, j), c in weights.items()}
    if query_weight is not None:
        weights = {(i, j): c * query_weight[qid[i]] for (i, j), c in weights.items()}
    return weights


def pairwise_loss(
    X: np.ndarray, weights: dict[tuple[int, int], float], w: np.ndarray, loss: str = "squared_hinge"
) -> tuple[float, np.ndarray, np.ndarray]:
    """Value, gradient and Hessian of a margin loss over listed pairs."""
    value, gradient, hessian = 0.0, np.zeros(X.shape[1]), np.zeros((X.shape[1], X.shape[1]))
    for (i, j), c in weights.items():
        d = X[i] - X[j]
        v, g, h = margin_loss(loss, float(d @ w))
        value += c * v
        gradient += c * g * d
        hessian += c * h * np.outer(d, d)
    return value, gradient, hessian


def ranksvm_optimum(
    X: np.ndarray, weights: dict[tuple[int, int], float], C: float, loss: str = "squared_hinge"
) -> tuple[np.ndarray, float]:
    """The minimiser of ½‖w‖² + C Σ loss, by another route: SciPy's BFGS polished by plain Newton steps."""

    def objective(w: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient, _ = pairwise_loss(X, weights, w, loss)
        return 0.5 * w @ w + C * value, w + C * gradient

    w = scipy.optimize.minimize(objective, np.zeros(X.shape[1]), jac=True, method="BFGS", options={"gtol": 1e-6}).x
    for _ in range(50):
        _, gradient, hessian = pairwise_loss(X, weights, w, loss)
        step = np.linalg.solve(np.eye(len(w)) + C * hessian, w + C * gradient)
        if objective(w - step)[0] >= objective(w)[0]:
            break
        w = w - step
    return w, objective(w)[0]


# Examination: what `rankine doctor` looks at --------------------------------------------------------------------------


def n_varying(X: np.ndarray, query_ptr: np.ndarray) -> list[int]:
    """The number of queries within which each column has two different values."""
    queries = [X[begin:end] for begin, end in itertools.pairwise(query_ptr)]
    return [sum(len(set(query[:, j])) > 1 for query in queries) for j in range(X.shape[1])]


def column_edges(x: np.ndarray) -> tuple[int, float, int, float]:
    """How often a column holds its least value and the value next to it, then the same for its greatest."""
    values = sorted(set(x))
    if len(values) < 2:
        return len(x), np.inf, len(x), -np.inf
    return int((x == values[0]).sum()), values[1], int((x == values[-1]).sum()), values[-2]


def first_equal(X: np.ndarray, query_ptr: np.ndarray) -> list[int]:
    """For each row, the first row of its query with the same cells."""
    return [
        next(k for k in range(begin, end) if (X[k] == X[i]).all())
        for begin, end in itertools.pairwise(query_ptr)
        for i in range(begin, end)
    ]


def feature_order(x: np.ndarray, y: np.ndarray, qid: np.ndarray) -> int:
    """The pairs that one feature orders right minus those that it orders wrong."""
    return sum(int(x[i] > x[j]) - int(x[i] < x[j]) for i, j in list_pairs(y, qid))
