"""Explicit preferences: beside labels and alone, by rows, document ids and files, in every loss."""

import numpy as np
import pytest

import reference
from problems import random_problem
from rankine.data import DataError, Dataset
from rankine.recipes.parameters import ParameterError
from rankine.recipes.ranksvm import RankSVM


def problem(seed=1):
    X, y, qid = random_problem(seed)
    rng = np.random.default_rng(seed)
    pairs = []
    while len(pairs) < 12:
        a, b = rng.integers(0, len(y), 2)
        if a != b and qid[a] == qid[b]:
            pairs.append((int(a), int(b), float(rng.integers(0, 4))))
    return X, y, qid, pairs


def weights_with(y, qid, pairs, *, graded=True, C_query=None):
    weights = reference.pair_weights(y, qid, query_weight=C_query) if graded else {}
    for a, b, weight in pairs:
        weights[a, b] = weights.get((a, b), 0.0) + weight * (1.0 if C_query is None else C_query[qid[a]])
    return weights


@pytest.mark.parametrize("graded", [True, False])
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
@pytest.mark.parametrize("solver", ["auto", "newton", "lbfgs", "cg", "tron"])
def test_preferences_are_pairs_of_the_same_objective(graded, loss, solver):
    X, y, qid, pairs = problem()
    query_weight = {qid[0]: 2.0}
    for q in dict.fromkeys(qid.tolist()):
        query_weight.setdefault(q, 0.5)
    weights = weights_with(y, qid, pairs, graded=graded, C_query=query_weight)
    w, best = reference.ranksvm_optimum(X, weights, 0.7, loss)
    order = list(dict.fromkeys(qid.tolist()))
    data = Dataset.from_arrays(X, y, qid, query_weight=[query_weight[q] for q in order]).with_preferences(pairs)
    recipe = RankSVM(C=0.7, loss=loss, solver=solver, tol=1e-10, pairs="all" if graded else "listed")
    model = recipe.fit(data)
    np.testing.assert_allclose(model.outcome.objective, best, rtol=1e-9)
    np.testing.assert_allclose(model.weights, w, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(model.data.pairs, sum(weights.values()))


@pytest.mark.parametrize("solver", ["smoothing", "cutting_plane"])
@pytest.mark.parametrize("scale", [None, "std"])
def test_preferences_under_the_hinge(solver, scale):
    X, y, qid, pairs = problem()
    size = 1.0 if scale is None else X.std(0)
    _, best = reference.hinge_optimum(X / size, weights_with(y, qid, pairs), 0.5)
    data = Dataset.from_arrays(X, y, qid).with_preferences(pairs)
    model = RankSVM(C=0.5, loss="hinge", solver=solver, scale=scale, tol=1e-6, max_iter=500).fit(data)
    np.testing.assert_allclose(model.outcome.objective, best, rtol=2e-6)


def test_labels_that_are_all_alike_leave_the_preferences():
    X, y, qid, pairs = problem()
    data = Dataset.from_arrays(X, np.zeros_like(y), qid).with_preferences(pairs)
    both, alone = (RankSVM(pairs=which, tol=1e-10).fit(data).weights for which in ("all", "listed"))
    np.testing.assert_allclose(both, alone, rtol=1e-9)


def test_queries_keep_their_preferences():
    X, y, qid, pairs = problem()
    data = Dataset.from_arrays(X, y, qid).with_preferences(pairs)
    which = [2, 0]
    kept = data.take_queries(which)
    chosen = np.isin(qid, data.query_ids[which])
    number = np.cumsum(chosen) - 1
    again = [(number[a], number[b], weight) for a, b, weight in pairs if chosen[a]]
    other = Dataset.from_arrays(X[chosen], y[chosen], qid[chosen]).with_preferences(again)
    a, b = (RankSVM(pairs="listed", tol=1e-10).fit(d).weights for d in (kept, other))
    np.testing.assert_allclose(a, b, rtol=1e-8)
    assert data.fingerprint != Dataset.from_arrays(X, y, qid).fingerprint


def test_documents_are_named_by_ids_and_by_files(tmp_path):
    X, y, qid, pairs = problem()
    names = [f"d{i}" for i in range(len(y))]
    data = Dataset.from_arrays(X, y, qid, doc_ids=names)
    file = tmp_path / "preferences.txt"
    lines = [f"{qid[a]} {names[a]} {names[b]} {weight}" for a, b, weight in pairs]
    file.write_text("# made up\n\n" + "\n".join(lines) + "  # the last\n")
    by_name = [(names[a], names[b], weight) for a, b, weight in pairs]
    models = [RankSVM(tol=1e-9).fit(data.with_preferences(given)).weights for given in (pairs, by_name, file)]
    assert (models[0] == models[1]).all()
    assert (models[0] == models[2]).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([(0, 0)], r"preferences\[0\]: a row cannot be preferred to itself"),
        ([(0, 2), (0, 99)], r"preferences\[1\]: 99 is no row; rows have numbers from 0 to 3"),
        ([(0, 1)], r"preferences\[0\] compares rows of two queries, a and b"),
        ([(0, 2, -1)], r"preferences\[0\]: the weight is -1; it must be finite and not negative"),
        ([(0, 2, "x")], r"preferences\[0\]: the weight is 'x'; it must be a number"),
        ([(0,)], r"preferences\[0\] is \(0,\); \(winner, loser\) or"),
        ([("u", "w")], r"preferences\[0\]: several rows have the document id 'u'"),
        ([("u9", "w")], r"preferences\[0\]: no document is 'u9'"),
    ],
)
def test_wrong_preferences_are_errors(given, message):
    data = Dataset.from_arrays(np.eye(4), [0, 0, 1, 1], ["a", "b", "a", "b"], doc_ids=["u", "u", "v", "w"])
    with pytest.raises(DataError, match=message):
        data.with_preferences(given)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a u", "line 2 has 2 words; `qid winner loser \\[weight\\]` is expected"),
        ("c u v", "line 2: no query is 'c' in the data"),
        ("a u w", "line 2: query 'a' has no document 'w' in the data"),
        ("a u v -2", "line 2: the weight is -2"),
        ("a v v", "line 2: a row cannot be preferred to itself"),
    ],
)
def test_wrong_lines_are_errors(tmp_path, line, message):
    data = Dataset.from_arrays(np.eye(4), [0, 0, 1, 1], ["a", "b", "a", "b"], doc_ids=["u", "u", "v", "w"])
    file = tmp_path / "p.txt"
    file.write_text(f"a u v\n{line}\n")
    with pytest.raises(DataError, match=message):
        data.with_preferences(str(file))


def test_listed_pairs_need_preferences():
    with pytest.raises(DataError, match="pairs='listed' learns from preferences alone, and the data has none"):
        RankSVM(pairs="listed").fit(Dataset.from_arrays(np.eye(2), [0, 1]))
    with pytest.raises(ParameterError, match="pairs is 'list'"):
        RankSVM(pairs="list")
