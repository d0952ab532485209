"""Metrics against slow twins and scipy, what must not change them, edge cases, and sentences for bad input."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import rankine
import reference
from rankine import _core
from rankine.metrics import Dialect, Metric, evaluate, evaluation, pair_accuracy

ALL = (
    "nDCG nDCG@1 nDCG@3 nDCG(dcg='log2')@4 MeanNDCG AP AP(rel=2) AP@2 P@1 P@3 P(rel=2)@9 R@2 R@3 RR RR@2 RR(rel=3) "
    "ERR ERR@2 ERR(max_rel=5) pair_accuracy AUC AUC(rel=2) domination_error kendall_tau spearman"
)
PLACES = [name for name in ALL.split() if Metric.parse(name).name in {"nDCG", "MeanNDCG", "AP", "P", "R", "RR", "ERR"}]

queries = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=6)
problems = st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 2), st.integers(0, 3)), min_size=1, max_size=30)


def same(found, expected):
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-14, nan_ok=True)


def arrays(rows):
    return (np.array(column, float) for column in zip(*rows, strict=True))


@settings(max_examples=60, deadline=None)
@given(queries, st.sampled_from(["input", "reverse", "worst", "average"]))
def test_places_are_what_listed_orders_give(query, ties):
    label, score = arrays(query)
    found = evaluate(label, score, None, PLACES, ties=ties)
    for text in PLACES:
        m = Metric.parse(text)
        gain = "linear" if m.dcg == "log2" else "exp2"
        more = {"rel": m.rel, "max_rel": m.max_rel or 4, "gain": gain, "ties": ties}
        same(found[text], reference.place_metric(m.name, label, score, k=m.cutoff, **more))


@settings(max_examples=60, deadline=None)
@given(problems, st.sampled_from([0.0, 0.5]), st.booleans())
def test_pairs_are_what_listing_gives(rows, tied, weighted):
    label, score, qid = arrays(rows)
    weight = np.arange(len(label)) % 4 * 0.75 if weighted else None
    ties = "half" if tied else "zero"
    same(
        pair_accuracy(label, score, qid, sample_weight=weight, ties=ties),
        reference.pair_accuracy(label, score, qid, weight, tied),
    )
    found = evaluate(label, score, qid, ["domination_error", "pair_accuracy"], ties="half" if tied else None)
    same(found["domination_error"], reference.domination_error(label, score, qid))
    same(found["pair_accuracy"], reference.pair_accuracy(label, score, qid, None, tied))


@settings(max_examples=60, deadline=None)
@given(problems)
@pytest.mark.filterwarnings("ignore::scipy.stats.ConstantInputWarning")
def test_correlations_are_scipys_and_auc_is_the_share_of_pairs(rows):
    label, score, qid = arrays(rows)
    found = evaluate(label, score, qid, ["kendall_tau", "spearman", "AUC", "AUC(rel=2)"], per_query=True)
    for q, value in enumerate(found.qid):
        y, s = label[qid == value], score[qid == value]
        same(found["kendall_tau"][q], scipy.stats.kendalltau(y, s).statistic if len(y) > 1 else math.nan)
        same(found["spearman"][q], scipy.stats.spearmanr(y, s).statistic if len(y) > 1 else math.nan)
        same(found["AUC"][q], reference.auc(y, s))
        same(found["AUC(rel=2)"][q], reference.auc(y, s, 2))


def test_many_levels_and_long_queries():
    rng = np.random.default_rng(0)
    for n_levels, n_scores in [(12, 300), (13, 300), (40, 20), (300, 300), (2, 1)]:
        label, score = rng.integers(0, n_levels, 300).astype(float), rng.integers(0, n_scores, 300) / 7
        qid = np.zeros(300)
        same(pair_accuracy(label, score), reference.pair_accuracy(label, score, qid))
        found = evaluate(label, score, None, "kendall_tau spearman domination_error pair_accuracy", ties="half")
        same(found["pair_accuracy"], reference.pair_accuracy(label, score, qid, None, 0.5))
        same(found["domination_error"], reference.domination_error(label, score, qid))
        if n_scores > 1:
            same(found["kendall_tau"], scipy.stats.kendalltau(label, score).statistic)
            same(found["spearman"], scipy.stats.spearmanr(label, score).statistic)


def test_expected_err_of_long_tied_runs_is_what_random_orders_give():
    rng = np.random.default_rng(0)
    label = rng.choice([0.0, 1.0, 4.0], 60, p=[0.7, 0.2, 0.1])
    score = np.repeat([3.0, 2.0, 1.0], [5, 50, 5])
    drawn = []
    for _ in range(20_000):
        order = np.lexsort((rng.random(60), -score))
        stops = (2 ** label[order] - 1) / 16
        arrives = np.concatenate([[1.0], np.cumprod(1 - stops)[:-1]])
        drawn.append(np.cumsum(arrives * stops / np.arange(1, 61)))
    for name, places in [("ERR", 60), ("ERR@20", 20), ("ERR@7", 7)]:
        values = np.array(drawn)[:, places - 1]
        error = values.std() / len(values) ** 0.5
        assert evaluate(label, score, None, name)[name] == pytest.approx(values.mean(), abs=5 * error)


@pytest.mark.parametrize("n", [10, 3000])
def test_expected_err_of_one_relevant_row_among_ties_is_in_closed_form(n):
    label = np.zeros(n)
    label[n // 3] = 2.0
    harmonic = sum(1 / i for i in range(1, n + 1))
    same(evaluate(label, np.zeros(n), None, "ERR")["ERR"], 3 / 16 * harmonic / n)
    same(evaluate(label, np.zeros(n), None, "RR")["RR"], harmonic / n)
    same(evaluate(label, np.zeros(n), None, "AP")["AP"], harmonic / n)


def test_expected_err_of_equal_rows_does_not_depend_on_ties():
    for n, label in [(2000, 1.0), (700, 3.0)]:
        labels = np.full(n, label)
        same(
            evaluate(labels, np.zeros(n), None, "ERR")["ERR"],
            evaluate(labels, np.arange(n), None, "ERR")["ERR"],
        )


def random_rows(seed=0, n=400, n_queries=25):
    rng = np.random.default_rng(seed)
    label = rng.choice(5, n, p=[0.5, 0.3, 0.1, 0.05, 0.05]).astype(float)
    qid = rng.integers(0, n_queries, n)
    label[qid % 7 == 0] = 0.0
    return label, np.round(label / 3 + rng.normal(size=n), 1), qid


def test_no_bit_depends_on_the_order_of_rows_and_queries():
    label, score, qid = random_rows()
    expected = evaluate(label, score, qid, ALL)
    rng = np.random.default_rng(1)
    for _ in range(3):
        order = rng.permutation(len(label))
        assert evaluate(label[order], score[order], qid[order], ALL) == expected
    assert evaluate(label, score, [f"q{q}" for q in qid], ALL) == expected


def test_no_bit_depends_on_the_number_of_threads(monkeypatch):
    label, score, qid = random_rows(n=40_000, n_queries=900)
    found = []
    for n_threads in (1, 2, 5):
        monkeypatch.setattr(evaluation, "thread_count", lambda _, n=n_threads: n)
        found.append(evaluate(label, score, qid, ALL))
    assert found[0] == found[1] == found[2]


def test_what_must_not_change_a_metric():
    label, score, qid = random_rows(2)
    expected = evaluate(label, score, qid, ALL)
    for mapped in (
        3 * score - 100,
        np.exp(score / 4),
        score**3 + score,
        np.argsort(np.argsort(np.unique(score)))[np.unique(score, return_inverse=True)[1]],
    ):
        assert evaluate(label, mapped, qid, ALL) == expected
    twice = evaluate(np.tile(label, 2), np.tile(score, 2), np.concatenate([qid, qid + 1000]), ALL)
    same(twice, expected)


def test_a_perfect_ranking_is_exactly_one():
    rng = np.random.default_rng(0)
    label = rng.integers(0, 4, 200).astype(float)
    for score in (label, label + 0.1 * (np.arange(200) % 3 == 0)):
        found = evaluate(
            label, score, rng.integers(0, 9, 200), "nDCG nDCG@5 MeanNDCG AP RR AUC pair_accuracy nDCG(dcg='log2')"
        )
        assert set(found.values()) == {1.0}
    assert evaluate(label, label, None, "kendall_tau spearman domination_error") == {
        "kendall_tau": 1.0,
        "spearman": 1.0,
        "domination_error": 0.0,
    }
    assert evaluate(label, -label, None, "kendall_tau pair_accuracy AUC domination_error") == {
        "kendall_tau": -1.0,
        "pair_accuracy": 0.0,
        "AUC": 0.0,
        "domination_error": 1.0,
    }


def test_labels_may_be_huge():
    rng = np.random.default_rng(0)
    for shift in (60, 1100, 1e6):
        label = rng.integers(0, 5, 30) + shift
        score = rng.normal(size=30)
        gain = 2.0 ** (label - label.max())
        discount = 1 / np.log2(np.arange(2, 32))
        expected = (gain[np.argsort(-score)] * discount).sum() / (np.sort(gain)[::-1] * discount).sum()
        same(evaluate(label, score, None, "nDCG")["nDCG"], expected)
    ranks = rng.permutation(1200).astype(float)
    assert evaluate(ranks, ranks, None, "nDCG@10") == {"nDCG@10": 1.0}
    assert 0.0 <= evaluate(ranks, -ranks, None, "nDCG")["nDCG"] < 0.2
    for scale in (1e304, 1e-320):
        same(evaluate(ranks * scale, ranks, None, "nDCG(dcg='log2')")["nDCG(dcg='log2')"], 1.0)


def test_real_labels():
    label, score = np.array([0.0, 0.25, 0.5, 0.01]), np.array([1.0, 2.0, 0.5, 3.0])
    found = evaluate(label, score, None, "nDCG AP AP(rel=0.25) pair_accuracy")
    same(found["nDCG"], reference.place_metric("nDCG", label, score))
    same(found["AP"], (1 + 1 + 3 / 4) / 3)
    same(found["AP(rel=0.25)"], (1 / 2 + 2 / 4) / 2)
    same(found["pair_accuracy"], 2 / 6)


def test_empty_queries():
    label, score, qid = [0, 0, 1, 0, 0], [1, 2, 3, 1, 2], [0, 0, 1, 1, 2]
    for empty, share in [(None, 1.0), ("skip", 1.0), ("zero", 1 / 3), ("half", 2 / 3), ("one", 1.0)]:
        for name in ("nDCG@10", "MeanNDCG", "AP", "R@5", "RR"):
            same(evaluate(label, score, qid, name, empty=empty)[name], share)
    found = evaluate(label, score, qid, "nDCG P@2 ERR AUC pair_accuracy domination_error", per_query=True)
    np.testing.assert_array_equal(found["nDCG"], [np.nan, 1, np.nan])
    np.testing.assert_array_equal(found["P@2"], [np.nan, 0.5, np.nan])
    np.testing.assert_array_equal(found["ERR"], [np.nan, 1 / 16, np.nan])
    np.testing.assert_array_equal(found["AUC"], [np.nan, 1, np.nan])
    np.testing.assert_array_equal(found["pair_accuracy"], [np.nan, 1, np.nan])
    np.testing.assert_array_equal(found["domination_error"], [np.nan, 0, np.nan])
    assert all(map(math.isnan, evaluate([0, 0], [1, 2], None, ALL).values()))
    assert math.isnan(pair_accuracy([1, 1], [1, 2]))
    assert math.isnan(pair_accuracy([1, 2], [1, 2], sample_weight=[1, 0]))


def test_one_row():
    found = evaluate([2], [0.5], None, "nDCG nDCG@10 AP P@1 P@2 R@1 RR ERR MeanNDCG")
    ones = {"nDCG", "nDCG@10", "AP", "P@1", "R@1", "RR", "MeanNDCG"}
    assert found == {**dict.fromkeys(ones, 1.0), "P@2": 0.5, "ERR": 3 / 16}
    for name in ("AUC", "pair_accuracy", "domination_error", "kendall_tau", "spearman"):
        assert math.isnan(evaluate([2], [0.5], None, name)[name])


def test_pools_and_means():
    label, score, qid = [1, 0, 1, 1, 0, 0], [2, 1, 1, 4, 3, 2], [0, 0, 1, 1, 1, 1]
    found = evaluate(label, score, qid, ["pair_accuracy", "AUC", "domination_error"], per_query=True)
    np.testing.assert_array_equal(found["pair_accuracy"], [1, 0.5])
    np.testing.assert_array_equal(found["domination_error"], [0, 0.5])
    total = evaluate(label, score, qid, ["pair_accuracy", "AUC", "domination_error"])
    same(list(total.values()), [3 / 5, 0.75, 1 / 3])


def test_infinite_scores_sort():
    assert evaluate([0, 1, 2], [-np.inf, 0.0, np.inf], None, "nDCG pair_accuracy") == {
        "nDCG": 1.0,
        "pair_accuracy": 1.0,
    }


def test_per_query_is_in_the_order_of_first_rows():
    found = rankine.evaluate([1, 0, 1, 1], [1, 2, 3, 4], ["z", "a", "a", "z"], ["RR", "P@1"], per_query=True)
    assert isinstance(found, dict)
    assert found.qid.tolist() == ["z", "a"]
    np.testing.assert_array_equal(found["RR"], [1.0, 1.0])
    assert found["RR"].dtype == np.float64


def test_names_come_back_as_asked_for():
    found = evaluate([1, 0], [1, 2], None, ["MRR", "recip_rank", "RR", "ndcg@1"])
    assert found == {"MRR": 0.5, "recip_rank": 0.5, "RR": 0.5, "ndcg@1": 0.0}
    assert list(evaluate([1, 0], [1, 2], None, "map, P@1 nDCG(dcg='log2')@3")) == ["map", "P@1", "nDCG(dcg='log2')@3"]
    assert evaluate([1, 0], [1, 2], None, Metric("RR")) == {"RR": 0.5}
    assert list(evaluate([1, 0], [1, 2])) == ["pair_accuracy", "nDCG@5", "nDCG@10", "AP", "RR"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_series_are_understood(library):
    frames = pytest.importorskip(library)
    label, score, qid = random_rows()
    series = [frames.Series(x) for x in (label, score, qid)]
    assert evaluate(*series, ALL) == evaluate(label, score, qid, ALL)
    assert evaluate(label.astype(int)[:, None], score.tolist(), qid, ALL) == evaluate(label, score, qid, ALL)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([1, 0], [1.0]), "label has 2 rows, but score has 1"),
        (([], []), "label and score are empty"),
        (([1, 0], [1.0, np.nan]), "score of row 1 is NaN"),
        (([np.nan, 0], [1.0, 2.0]), "label of row 0 is nan; every row needs a finite number"),
        (([np.inf, 0], [1.0, 2.0]), "label of row 0 is inf"),
        (([1, 0], [1.0, 2.0], [1]), "qid has shape .1,., but label has 2 rows"),
        (([1, 0], [1.0, 2.0], [1, None]), "qid of row 1 is missing"),
        (([[1, 0]], [1.0]), r"label has shape \(1, 2\)"),
        ((["a", "b"], [1.0, 2.0]), "label has values that are not numbers"),
        ((None, [1.0, 2.0]), "label is None"),
        (([1, 0], [1.0, 2.0j]), "score has complex numbers"),
    ],
)
def test_bad_data_is_a_sentence(arguments, sentence):
    with pytest.raises(rankine.data.DataError, match=sentence):
        evaluate(*arguments)
    with pytest.raises(rankine.data.DataError, match=sentence):
        pair_accuracy(*arguments)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"metrics": []}, "no metric is asked for"),
        ({"metrics": "nDGC@10"}, "did you mean 'nDCG@10'"),
        ({"dialect": "trec-eval"}, "dialect is 'trec-eval'; did you mean 'trec_eval'"),
        ({"gain": "exp"}, "gain is 'exp'; did you mean 'exp2'"),
        ({"empty": "nothing"}, "empty is 'nothing'; it must be one of: skip, zero, half, one"),
        ({"ties": "best"}, "ties is 'best'"),
        ({"label": [1, -1]}, "nDCG@10 needs labels of at least 0, but that of row 1 is -1"),
        ({"label": [-1, 9], "metrics": "ERR"}, "ERR needs labels of at least 0"),
        ({"label": [1, 6.5], "metrics": "ERR@9"}, r"that of row 1 is 6.5: say what it is, as in ERR\(max_rel=7\)@9"),
    ],
)
def test_wrong_wishes_are_sentences(more, sentence):
    with pytest.raises(ValueError, match=sentence):
        evaluate(**{"label": [1, 0], "score": [1.0, 2.0], "metrics": "nDCG@10", **more})


def test_wrong_weights_are_sentences():
    for weight, sentence in [
        ([1.0], "sample_weight has 1 entries, but label has 2 rows"),
        ([1.0, -1.0], r"sample_weight\[1\] is -1"),
        ([np.nan, 1.0], r"sample_weight\[0\] is nan"),
    ]:
        with pytest.raises(rankine.data.DataError, match=sentence):
            pair_accuracy([1, 0], [1.0, 2.0], sample_weight=weight)
    with pytest.raises(ValueError, match="ties is 'worst'"):
        pair_accuracy([1, 0], [1.0, 2.0], ties="worst")


def test_negative_labels_are_fine_where_only_order_counts():
    found = evaluate([-1, 0, 1], [1, 2, 3], None, "AP RR pair_accuracy AUC kendall_tau spearman domination_error")
    assert found.pop("domination_error") == 0.0
    assert set(found.values()) == {1.0}


def test_the_core_refuses_what_does_not_fit():
    measure = evaluation._measure(Metric("RR"), Dialect())
    label, ptr = np.zeros(3), np.array([0, 3])
    for arguments in [
        (label, np.zeros(2), None, ptr, [measure], "average", 1),
        (label, label, np.zeros(2), ptr, [measure], "average", 1),
        (label, label, None, np.array([0, 2]), [measure], "average", 1),
        (label, label, None, ptr, [measure], "best", 1),
    ]:
        with pytest.raises(ValueError, match=r"."):
            _core.measure(*arguments)
    sums, masses = _core.measure(np.zeros(0), np.zeros(0), None, np.array([0, 0]), [measure], "average", 2)
    assert (sums, masses) == ([0.0], [0.0])
