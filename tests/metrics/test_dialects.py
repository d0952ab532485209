"""Dialects say what the tools themselves say: LETOR's by hand, those that pip can install by running them."""

import importlib
import itertools
import math
import re

import numpy as np
import pytest

import reference
from rankine.metrics import DIALECTS, Metric, dialects, evaluate


def problem(kind):
    """Labels 0 to 3, scores and query sizes; rows lie together by query."""
    rng = np.random.default_rng(sum(kind.encode()))
    sizes = rng.integers(2, 45, 40)
    if kind == "single":
        sizes[rng.random(40) < 0.4] = 1
    n = sizes.sum()
    label = rng.choice(4, n, p=[0.6, 0.2, 0.1, 0.1]).astype(float)
    score = rng.normal(size=n) + label / 2
    if kind == "tied":
        score = np.round(score)
    if kind == "one score":
        score[:] = 0.25
    if kind == "empty":
        label[np.repeat(rng.random(40) < 0.4, sizes)] = 0.0
    return label, score, sizes


PROBLEMS = ["random", "tied", "one score", "empty", "single"]
every_problem = pytest.mark.parametrize("kind", PROBLEMS)
of_peers = pytest.mark.filterwarnings("ignore")  # theirs


def by_query(sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


def agree(found, expected, rel=1e-10):
    assert found == pytest.approx(expected, rel=rel, abs=1e-12)


# LETOR ----------------------------------------------------------------------------------------------------------------


def test_letor_by_hand():
    # Query a, by score: labels 1 0 2 0; query b has nothing relevant; query c has two rows only: 0 2.
    label = [1, 0, 2, 0, 0, 0, 0, 0, 2]
    score = [4, 3, 2, 1, 3, 2, 1, 2, 1]
    qid = list("aaaabbbcc")
    for name in ("letor3", "letor4", "mslr"):
        found = evaluate(label, score, qid, "NDCG@1 NDCG@2 NDCG@3 NDCG@4 MeanNDCG", dialect=name, per_query=True)
        third = (1 + 3 / math.log2(3)) / (3 + 1)
        agree(found["NDCG@1"], [1 / 3, 0, 0])
        agree(found["NDCG@2"], [1 / 4, 0, 1.0])  # the second row counts in full
        agree(found["NDCG@3"], [third, 0, 0])
        agree(found["NDCG@4"], [third, 0, 0])
        agree(found["MeanNDCG"], [(1 / 3 + 1 / 4 + 2 * third) / 4, 0, 1 / 2])
    three = evaluate(label, score, qid, "P@2 P@3 MAP", dialect="letor3", per_query=True)
    four = evaluate(label, score, qid, "P@2 P@3 MAP", dialect="letor4", per_query=True)
    mslr = evaluate(label, score, qid, "P@2 P@3 MAP", dialect="mslr", per_query=True)
    agree(three["P@2"], [1 / 2, 0, 1 / 2])
    agree(three["P@3"], [2 / 3, 0, 0])
    agree(four["P@3"], [2 / 3, 0, 1 / 3])
    agree(mslr["P@3"], [1 / 3, 0, 1 / 3])
    agree(three["MAP"], [(1 + 2 / 3) / 2, 0, 1 / 2])
    agree(four["MAP"], three["MAP"])
    agree(mslr["MAP"], [1 / 3, 0, 1 / 2])


def test_letor_takes_ties_as_they_come():
    assert evaluate([0, 1], [1, 1], None, "NDCG@1", dialect="letor4") == {"NDCG@1": 0.0}
    assert evaluate([1, 0], [1, 1], None, "NDCG@1", dialect="letor4") == {"NDCG@1": 1.0}


def test_yahoo_by_hand():
    found = evaluate([0, 0, 4, 0], [1, 2, 1, 2], list("aabb"), "nDCG@10 ERR", dialect="yahoo", per_query=True)
    agree(found["nDCG@10"], [1 / 2, 1 / math.log2(3)])
    agree(found["ERR"], [0, 15 / 16 / 2])


# Tools that pip can install -------------------------------------------------------------------------------------------


@every_problem
@of_peers
def test_sklearn(kind):
    sklearn = pytest.importorskip("sklearn.metrics")
    label, score, sizes = problem(kind)
    found = evaluate(label, score, by_query(sizes), "nDCG nDCG@1 nDCG@5", dialect="sklearn", per_query=True)
    ends = np.cumsum(sizes)
    for q, (begin, end) in enumerate(zip(ends - sizes, ends, strict=True)):
        if end - begin == 1:  # it refuses
            continue
        y, s = label[None, begin:end], score[None, begin:end]
        for name, k in [("nDCG", None), ("nDCG@1", 1), ("nDCG@5", 5)]:
            agree(found[name][q], sklearn.ndcg_score(y, s, k=k))


@every_problem
@of_peers
def test_lightgbm(kind):
    lightgbm = pytest.importorskip("lightgbm")
    label, score, sizes = problem(kind)
    names = {"ndcg": "nDCG", "map": "AP"}
    data = lightgbm.Dataset(np.zeros((len(label), 1)), label, group=sizes, init_score=score, params={"verbose": -1})
    parameters = {"objective": "lambdarank", "metric": list(names), "eval_at": [1, 3, 10, 50], "verbose": -1}
    for _, text, value, _ in lightgbm.Booster(parameters, data).eval_train():
        name, k = text.split("@")
        agree(evaluate(label, score, by_query(sizes), f"{names[name]}@{k}", dialect="lightgbm").popitem()[1], value)


@every_problem
@of_peers
def test_xgboost(kind):
    xgboost = pytest.importorskip("xgboost")
    label, score, sizes = problem(kind)

    def theirs(labels, metric, **more):
        data = xgboost.DMatrix(np.zeros((len(labels), 1)), labels)
        data.set_group(sizes)
        data.set_base_margin(score)
        text = xgboost.Booster({"objective": "rank:ndcg", "eval_metric": metric, **more}, [data]).eval(data)
        return float(text.split(":")[-1])

    binary = (label > 0).astype(float)  # which is all that its map and pre take
    qid = by_query(sizes)
    for k in ("@1", "@3", "@10", "@50"):
        ours = evaluate(label, score, qid, f"nDCG{k} AP{k} P{k}", dialect="xgboost")
        agree(ours[f"nDCG{k}"], theirs(label, f"ndcg{k}"))
        agree(ours[f"AP{k}"], theirs(binary, f"map{k}"))
        agree(ours[f"P{k}"], theirs(binary, f"pre{k}"))
        ours = evaluate(label, score, qid, f"nDCG{k} AP{k}", dialect="xgboost", empty="zero")
        agree(ours[f"nDCG{k}"], theirs(label, f"ndcg{k}-"))
        agree(ours[f"AP{k}"], theirs(binary, f"map{k}-"))
        ours = evaluate(label, score, qid, f"nDCG{k}", dialect="xgboost", gain="linear")
        agree(ours[f"nDCG{k}"], theirs(label, f"ndcg{k}", ndcg_exp_gain=False))
    ours = evaluate(label, score, qid, "nDCG@32 AP@32", dialect="xgboost")
    agree(ours["nDCG@32"], theirs(label, "ndcg"))  # no cutoff is that of its pairs
    agree(ours["AP@32"], theirs(binary, "map"))


@every_problem
@of_peers
def test_catboost(kind):
    utils = pytest.importorskip("catboost.utils")
    label, score, sizes = problem(kind)
    qid = by_query(sizes)
    names = {
        "NDCG": "nDCG",
        "NDCG:top=1": "nDCG@1",
        "NDCG:top=5": "nDCG@5",
        "NDCG:type=Exp": "nDCG(dcg='exp-log2')",
        "NDCG:top=5;type=Exp": "nDCG(dcg='exp-log2')@5",
        "MAP": "AP",
        "MAP:top=5": "AP@5",
        "PrecisionAt:top=5": "P@5",
        "RecallAt:top=5": "R@5",
        "MRR": "RR",
        "MRR:top=2": "RR@2",
    }
    found = evaluate(label, score, qid, names.values(), dialect="catboost")
    for theirs, ours in names.items():
        agree(found[ours], utils.eval_metric(label, score, theirs, group_id=qid)[0])
    pairs = np.array(list(reference.list_pairs(label, qid)))
    accuracy = utils.eval_metric(label, score, "PairAccuracy", group_id=qid, pairs=pairs)[0]
    agree(evaluate(label, score, qid, "pair_accuracy", dialect="catboost")["pair_accuracy"], accuracy)


@every_problem
@of_peers
def test_trec_eval(kind):
    ir_measures = pytest.importorskip("ir_measures")
    label, score, sizes = problem(kind)
    qid = by_query(sizes)
    documents = [f"d{i:06}" for i in range(len(label))]  # numbered in row order: ties are then "reverse"
    qrels = [ir_measures.Qrel(str(q), d, int(x)) for q, d, x in zip(qid, documents, label, strict=True)]
    run = [ir_measures.ScoredDoc(str(q), d, float(s)) for q, d, s in zip(qid, documents, score, strict=True)]
    names = ["nDCG", "nDCG@5", "AP", "AP@5", "AP(rel=2)@10", "P@1", "P@50", "P(rel=2)@5", "R@5", "RR", "RR(rel=2)"]
    rounded = ["ERR@20", "nDCG(dcg='exp-log2')@5"]  # by gdeval.pl, which prints five digits
    theirs = ir_measures.calc_aggregate([ir_measures.parse_measure(name) for name in names + rounded], qrels, run)
    found = evaluate(label, score, qid, names + rounded, dialect="trec_eval")
    for measure, value in theirs.items():
        name = str(Metric.parse(str(measure)))
        assert found[name] == pytest.approx(value, abs=1e-5 if name in rounded else 1e-12), name
    assert len(theirs) == len(found)


@of_peers
def test_trec_eval_takes_negative_labels_as_irrelevant_and_scores_as_float32():
    pytrec_eval = pytest.importorskip("pytrec_eval")
    label, score = [-1, 0, 1, 2, -2, 1], [4.0, 2.0, 1.0 + 1e-9, 3.0, 2.5, 1.0]
    qrels = {"q": {f"d{i}": x for i, x in enumerate(label)}}
    run = {"q": {f"d{i}": x for i, x in enumerate(score)}}
    names = {"ndcg": "nDCG", "map": "AP", "recip_rank": "RR", "P_5": "P_5", "ndcg_cut_5": "ndcg_cut_5"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, set(names)).evaluate(run)["q"]
    found = evaluate(label, score, None, names.values(), dialect="trec_eval")
    for name, ours in names.items():
        agree(found[ours], theirs[name])


# The table ------------------------------------------------------------------------------------------------------------


def test_the_table_of_all_dialects():
    label, score, sizes = problem("empty")
    table = dialects(label, score, by_query(sizes), ["nDCG@3", "P@20"])
    assert list(table) == ["rankine", *DIALECTS]
    assert len(table) == 10
    assert table["xgboost"] == evaluate(label, score, by_query(sizes), ["nDCG@3", "P@20"], dialect="xgboost")
    lines = repr(table).splitlines()
    assert lines[0].split() == ["dialect", "nDCG@3", "P@20"]
    assert len({len(line) for line in lines}) == 1
    for line, name in zip(lines[1:], table, strict=True):
        assert line.split() == [name, *(f"{x:.4f}" for x in table[name].values())]
    assert repr(dialects([1, 0], [2, 1], metric=Metric("RR"))).startswith("dialect")


def test_a_knob_overrides_its_dialect():
    label, score, qid = [0, 0, 2, 1, 0], [1, 2, 1, 1, 2], list("aabbb")
    for name, gain, empty, ties in itertools.product(
        DIALECTS, ["exp2", "linear"], ["skip", "zero", "half", "one"], ["input", "reverse", "worst", "average"]
    ):
        knobs = {"gain": gain, "empty": empty, "ties": ties}
        found = evaluate(label, score, qid, "nDCG AP P@1", dialect=name, **knobs, per_query=True)
        expected = {"skip": np.nan, "zero": 0.0, "half": 0.5, "one": 1.0}[empty]
        assert all(np.array_equal(values[0], expected, equal_nan=True) for values in found.values())
        more = {"gain": gain, "ties": ties, "flat_start": name in ("letor3", "letor4", "mslr")}
        theirs = reference.place_metric("nDCG", np.array([2.0, 1, 0]), np.array([1.0, 1, 2]), **more)
        agree(found["nDCG"][1], theirs)


def test_every_dialect_is_documented():
    documentation = importlib.import_module("rankine.metrics.dialects").__doc__
    for name, dialect in DIALECTS.items():
        row = next(line for line in documentation.splitlines() if line.startswith(f"``{name}``"))
        cells = re.split(r"\s{2,}", row)
        assert cells[1] == dialect.gain
        assert cells[2] == ("log2(max(2,i))" if dialect.flat_start else "log2(i+1)")
        assert dialect.empty in cells[3]
        assert cells[4] == dialect.ties
        assert ("nDCG@k" in row) == (dialect.short_ndcg == "zero")
        assert ("P@k" in row) == (dialect.short_precision != "count")
        assert ("≥ 2" in row) == (dialect.relevant == 2.0)
        assert re.search(rf"^{name}$|^letor3, {name}$|^{name}, letor4$", documentation, re.MULTILINE)
