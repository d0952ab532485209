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
    if name == "hinge":
        return (max(0.0, 1 - m), -1.0 if m < 1 else 0.0, 0.0)
    if name == "logistic":
        e = np.exp(-abs(m))
        return (max(-m, 0.0) + np.log1p(e), -(e if m > 0 else 1.0) / (1 + e), e / (1 + e) ** 2)
    if name.startswith("smoothed hinge"):
        window = float(name.split()[-1])
        if m < 1 - window:
            return (1 - m - window / 2, -1.0, 0.0)
        return tuple(x / (2 * window) for x in margin_loss("squared_hinge", m))
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
    if pair_weight == "gain":
        weights = {(i, j): c * (2.0 ** y[i] - 2.0 ** y[j]) for (i, j), c in weights.items()}
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
    X: np.ndarray,
    weights: dict[tuple[int, int], float],
    C: float,
    loss: str = "squared_hinge",
    *,
    lower: np.ndarray | float = -np.inf,
    upper: np.ndarray | float = np.inf,
    centre: np.ndarray | float = 0.0,
    factors: np.ndarray | float = 1.0,
) -> tuple[np.ndarray, float]:
    """The minimiser of ½ Σ factor_j (w_j − centre_j)² + C Σ loss over lower ≤ w ≤ upper, by another route.

    SciPy's L-BFGS-B, polished by plain Newton steps of the weights that no bound holds.
    """
    lower, upper, factors = (np.full(X.shape[1], x, float) for x in (lower, upper, factors))

    def objective(w: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient, _ = pairwise_loss(X, weights, w, loss)
        away = w - centre
        return 0.5 * factors @ away**2 + C * value, factors * away + C * gradient

    w = scipy.optimize.minimize(
        objective,
        np.clip(np.zeros(X.shape[1]), lower, upper),
        jac=True,
        method="L-BFGS-B",
        bounds=np.column_stack([lower, upper]),
        options={"ftol": 1e-10, "gtol": 1e-6},
    ).x
    for _ in range(50):
        value, gradient = objective(w)
        hessian = np.diag(factors) + C * pairwise_loss(X, weights, w, loss)[2]
        free = np.flatnonzero(~(((w <= lower) & (gradient >= 0)) | ((w >= upper) & (gradient <= 0))))
        step = np.zeros_like(w)
        step[free] = np.linalg.solve(hessian[np.ix_(free, free)], gradient[free])
        there = np.clip(w - step, lower, upper)
        if np.abs(there - w).max() <= 1e-14 * np.abs(w).max() or objective(there)[0] > value * (1 + 1e-14):
            break
        w = there
    return w, objective(w)[0]


def hinge_optimum(X: np.ndarray, weights: dict[tuple[int, int], float], C: float) -> tuple[np.ndarray, float]:
    """The minimiser of ½‖w‖² + C Σ c_ij max(0, 1 − m_ij), by another route: an interior point method on its dual.

    That is max Σ α − ½‖Σ α (x_i − x_j)‖² with 0 ≤ α ≤ C c_ij; Newton's systems are solved by Woodbury's formula.
    """
    D = np.array([X[i] - X[j] for (i, j), c in weights.items() if c > 0])
    upper = C * np.array([c for c in weights.values() if c > 0])
    alpha = 0.5 * upper
    barrier = upper.sum() / len(upper)
    while barrier * len(upper) > 1e-12 * upper.sum():
        for _ in range(30):
            slope = D @ (D.T @ alpha) - 1 - barrier / alpha + barrier / (upper - alpha)
            inverse = 1 / (barrier / alpha**2 + barrier / (upper - alpha) ** 2)
            inner = np.eye(D.shape[1]) + D.T @ (inverse[:, None] * D)
            step = -inverse * slope + inverse * (D @ np.linalg.solve(inner, D.T @ (inverse * slope)))
            room = np.concatenate([-alpha[step < 0] / step[step < 0], ((upper - alpha) / step)[step > 0], [1.0]])
            alpha = alpha + min(1.0, 0.95 * room.min()) * step
            if np.abs(step / upper).max() < 1e-10:
                break
        barrier *= 0.2
    w = D.T @ alpha
    return w, 0.5 * w @ w + C * pairwise_loss(X, weights, w, "hinge")[0]


def hinge_optimum_in_box(
    X: np.ndarray,
    weights: dict[tuple[int, int], float],
    C: float,
    lower: np.ndarray,
    upper: np.ndarray,
    centre: np.ndarray,
    factors: np.ndarray,
) -> float:
    """The least Σ factor_j (w_j − centre_j)² + C Σ c_ij ξ_ij with ξ ≥ 0, ξ ≥ 1 − m and w in a box, by SciPy's SLSQP."""
    D, c = np.array([X[i] - X[j] for i, j in weights]), C * np.array(list(weights.values()))
    n = len(centre)
    first = np.clip(centre, lower, upper)
    start = np.concatenate([first, np.maximum(0, 1 - D @ first)])
    size = max(1.0, c.sum())

    def objective(z: np.ndarray) -> tuple[float, np.ndarray]:
        away = z[:n] - centre
        return (away @ (factors * away) + c @ z[n:]) / size, np.concatenate([2 * factors * away, c]) / size

    matrix = np.hstack([D, np.eye(len(D))])
    found = scipy.optimize.minimize(
        objective,
        start,
        jac=True,
        method="SLSQP",
        bounds=[*zip(lower, upper, strict=True), *[(0, None)] * len(D)],
        constraints={"type": "ineq", "fun": lambda z: matrix @ z - 1, "jac": lambda _: matrix},
        options={"ftol": 1e-15, "maxiter": 2000},
    )
    w = np.clip(found.x[:n], lower, upper)
    return objective(np.concatenate([w, np.maximum(0, 1 - D @ w)]))[0] * size


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


# Metrics --------------------------------------------------------------------------------------------------------------


def rankings(score: np.ndarray, label: np.ndarray, ties: str) -> Iterator[list[int]]:
    """Every order of rows that is meant by `ties`: one, or for "average" all that the scores allow."""
    rows = range(len(score))
    if ties == "average":
        for order in itertools.permutations(rows):
            if all(score[a] >= score[b] for a, b in itertools.pairwise(order)):
                yield list(order)
    elif ties == "worst":
        yield sorted(rows, key=lambda i: (-score[i], label[i]))
    else:
        yield sorted(rows, key=lambda i: (-score[i], i if ties == "input" else -i))


def place_metric(
    name: str,
    label: np.ndarray,
    score: np.ndarray,
    *,
    k: int | None = None,
    rel: float | None = None,
    max_rel: float = 4,
    gain: str = "exp2",
    flat_start: bool = False,
    ties: str = "average",
    short: str = "count",
    reachable: bool = False,
) -> float:
    """A metric of places in one query: the mean over all its orders; NaN without a relevant row."""
    of_order = [
        _place_metric(name, [float(label[i]) for i in order], k, rel, max_rel, gain, flat_start, short, reachable)
        for order in rankings(score, label, ties)
    ]
    return float(np.mean(of_order))


def _place_metric(name, label, k, rel, max_rel, gain, flat_start, short, reachable):
    n, cutoff = len(label), len(label) if k is None else k

    def dcg(labels):
        worth = [2**x - 1 if gain == "exp2" else x for x in labels]
        return sum(g / np.log2(max(2, i) if flat_start else i + 1) for i, g in enumerate(worth, 1))

    relevant = [x > 0 if rel is None else x >= rel for x in label]
    places = [i for i, hit in enumerate(relevant, 1) if hit]
    if not (max(label) > 0 if name in ("nDCG", "MeanNDCG", "ERR") else places):
        return float("nan")
    if short == "zero" and n < cutoff and name in ("nDCG", "P"):
        return 0.0
    ideal = sorted(label, reverse=True)
    if name == "nDCG":
        return dcg(label[:cutoff]) / dcg(ideal[:cutoff])
    if name == "MeanNDCG":
        return sum(dcg(label[:i]) / dcg(ideal[:i]) for i in range(1, n + 1)) / n
    if name == "AP":
        total = sum(sum(p <= place for p in places) / place for place in places if place <= cutoff)
        return total / (min(len(places), cutoff) if reachable else len(places))
    if name == "P":
        return sum(relevant[:cutoff]) / (min(cutoff, n) if short == "cut" else cutoff)
    if name == "R":
        return sum(relevant[:cutoff]) / len(places)
    if name == "RR":
        return 1 / places[0] if places[0] <= cutoff else 0.0
    assert name == "ERR"
    total, arrives = 0.0, 1.0
    for place, x in enumerate(label[:cutoff], 1):
        stops = (2**x - 1) / 2**max_rel
        total += arrives * stops / place
        arrives *= 1 - stops
    return total


def pair_accuracy(
    label: np.ndarray, score: np.ndarray, qid: np.ndarray, weight: np.ndarray | None = None, tied: float = 0.0
) -> float:
    """The share of listed pairs in the right order."""
    right = total = 0.0
    for i, j in list_pairs(label, qid):
        c = 1.0 if weight is None else weight[i] * weight[j]
        total += c
        right += c * (1.0 if score[i] > score[j] else tied if score[i] == score[j] else 0.0)
    return right / total if total > 0 else float("nan")


def domination_error(label: np.ndarray, score: np.ndarray, qid: np.ndarray) -> float:
    """The share of rows with a row below them, by label, that are not scored above all such rows."""
    below = [
        [score[j] for j in range(len(label)) if qid[i] == qid[j] and label[j] < label[i]] for i in range(len(label))
    ]
    fails = [max(b) >= score[i] for i, b in enumerate(below) if b]
    return float(np.mean(fails)) if fails else float("nan")


def auc(label: np.ndarray, score: np.ndarray, rel: float | None = None) -> float:
    """The share of (relevant, other) pairs of one query in the right order, a tie counting half."""
    hit = label > 0 if rel is None else label >= rel
    worth = [float(a > b) + 0.5 * float(a == b) for a in score[hit] for b in score[~hit]]
    return float(np.mean(worth)) if worth else float("nan")


# Text -----------------------------------------------------------------------------------------------------------------


def with_indicators(X: np.ndarray, features: list[int]) -> np.ndarray:
    """Each row with 0 for NaN, and behind it, for each of these features, 1 where it is NaN and 0 elsewhere."""
    return np.array([[0.0 if x != x else x for x in row] + [float(row[j] != row[j]) for j in features] for row in X])


def ranked(qid: list, score: list, top: int | None = None) -> list[tuple]:
    """Query, rank and row of the best rows of each query; queries by their first rows, ties by their rows."""
    out = []
    for query in dict.fromkeys(qid):
        rows = sorted((i for i in range(len(qid)) if qid[i] == query), key=lambda i: -score[i])
        out += [(query, place + 1, i) for place, i in enumerate(rows)][:top]
    return out


def read_letor(text: str) -> tuple[list[float], list[str], list[dict[int, float]], list[str]]:
    """Labels, query ids, features (counted from 0) and document ids of well-formed LETOR text."""
    labels, queries, rows, documents = [], [], [], []
    for line in text.replace("\r\n", "\n").split("\n"):
        body, _, comment = line.partition("#")
        words = body.split()
        if not words:
            continue
        labels.append(float(words[0]))
        pairs = [word.split(":", 1) for word in words[1:]]
        queries.append(next(value for key, value in pairs if key == "qid"))
        rows.append({int(key) - 1: float(value) for key, value in pairs if key != "qid"})
        words = comment.replace("docid =", "").replace("docid=", "").split()
        documents.append(words[0] if words else "")
    return labels, queries, rows, documents


# Standard errors ------------------------------------------------------------------------------------------------------


def ratio_and_error(s: np.ndarray, m: np.ndarray) -> tuple[float, float]:
    """Σ s / Σ m over queries with mass, and its standard error by linearisation: that of the mean of s − R m."""
    s, m = s[m > 0], m[m > 0]
    ratio = s.sum() / m.sum()
    residual = s - ratio * m
    return ratio, residual.std(ddof=1) / np.sqrt(len(s)) / m.mean()
