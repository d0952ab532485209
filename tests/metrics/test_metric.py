"""Names of metrics: parsed, printed and compared as objects; wrong ones get a sentence."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankine.metrics import Metric
from rankine.metrics.metric import _TAKES, split_names


@st.composite
def metrics(draw):
    name = draw(st.sampled_from(sorted(_TAKES)))
    takes, cutoff = _TAKES[name]
    given_ = {}
    if "dcg" in takes:
        given_["dcg"] = draw(st.sampled_from([None, "log2", "exp-log2"]))
    for key in {"rel", "max_rel"} & set(takes):
        given_[key] = draw(st.none() | st.integers(-3, 40).map(float) | st.floats(-1e6, 1e6))
    places = st.integers(1, 10**9)
    k = {"no": st.none(), "may": st.none() | places, "must": places}[cutoff]
    return Metric(name, draw(k), **given_)


@settings(deadline=None)
@given(metrics())
def test_what_is_printed_parses_to_the_same(metric):
    again = Metric.parse(str(metric))
    assert again == metric
    assert hash(again) == hash(metric)
    assert str(again) == str(metric)
    assert eval(repr(metric)) == metric
    assert split_names(f"RR {metric},AP") == ["RR", str(metric), "AP"]
    assert pickle.loads(pickle.dumps(metric)) == metric


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("nDCG", "nDCG"),
        ("NDCG@10", "nDCG@10"),
        ("ndcg@10", "nDCG@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("ndcg_cut_10", "nDCG@10"),
        (" nDCG @10", "nDCG@10"),
        ("nDCG@10 ", "nDCG@10"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@10"),
        ('nDCG(dcg="log2")', "nDCG(dcg='log2')"),
        ("Mean NDCG", "MeanNDCG"),
        ("mean_ndcg", "MeanNDCG"),
        ("MAP", "AP"),
        ("map", "AP"),
        ("map@100", "AP@100"),
        ("map_cut.100", "AP@100"),
        ("AP(rel=2)@10", "AP(rel=2)@10"),
        ("AP( rel = 2.0 )@10", "AP(rel=2)@10"),
        ("AP(rel=0.5)", "AP(rel=0.5)"),
        ("MRR", "RR"),
        ("MRR@10", "RR@10"),
        ("recip_rank", "RR"),
        ("precision@10", "P@10"),
        ("Precision@10", "P@10"),
        ("P.10", "P@10"),
        ("P_10", "P@10"),
        ("P(rel=2)@5", "P(rel=2)@5"),
        ("recall@10", "R@10"),
        ("recall_1000", "R@1000"),
        ("err@20", "ERR@20"),
        ("ERR(max_rel=2)@20", "ERR(max_rel=2)@20"),
        ("auc", "AUC"),
        ("ROC-AUC", "AUC"),
        ("pairwise_accuracy", "pair_accuracy"),
        ("PairAccuracy", "pair_accuracy"),
        ("kendall", "kendall_tau"),
        ("tau", "kendall_tau"),
        ("spearmanr", "spearman"),
        ("domination_error", "domination_error"),
    ],
)
def test_aliases(text, canonical):
    metric = Metric.parse(text)
    assert str(metric) == canonical
    assert Metric.parse(metric) is metric


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nDGC@10", "no metric is named 'nDGC@10'; did you mean 'nDCG@10'"),
        ("pair_acuracy", "did you mean 'pair_accuracy'"),
        ("xyzzy", "there are: nDCG, MeanNDCG, AP"),
        ("P", "P needs a cutoff: say P@10"),
        ("recall", "R needs a cutoff"),
        ("nDCG@0", "the cutoff of nDCG is '0'; it must be a whole number, 1 or more"),
        ("nDCG@-1", "the cutoff of nDCG is '-1'"),
        ("nDCG@x", "the cutoff of nDCG is 'x'"),
        ("nDCG@2.5", "the cutoff of nDCG is '2.5'"),
        ("nDCG@", "the cutoff of nDCG is ''"),
        ("MeanNDCG@10", "MeanNDCG takes no cutoff"),
        ("AUC@5", "AUC takes no cutoff"),
        ("AP(rel=x)", "rel of AP is 'x'; it must be a number"),
        ("AP(rel=nan)", "rel of AP is 'nan'"),
        ("AP(depth=3)", "AP takes rel=, not 'depth=3'"),
        ("nDCG(rel=2)", "nDCG takes dcg=, not 'rel=2'"),
        ("spearman(rel=2)", "spearman takes no parameter"),
        ("nDCG(dcg='exp')", "dcg is 'exp'; it must be 'log2'"),
        ("AP(rel=2", "'AP.rel=2' is not a metric's name"),
        ("", "'' is not a metric's name"),
        (10, "a metric's name is text such as 'nDCG@10', not 10"),
    ],
)
def test_wrong_names_are_sentences(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        Metric.parse(text)


def test_made_directly_it_is_checked_too():
    assert Metric("AP", 10, rel=2) == Metric.parse("map(rel=2)@10")
    for wrong, sentence in [
        ({"name": "map"}, "did you mean 'AP'"),
        ({"name": "P"}, "needs a cutoff"),
        ({"name": "AP", "cutoff": 0}, "the cutoff of AP is 0"),
        ({"name": "AP", "dcg": "log2"}, "AP takes rel=, not dcg="),
    ]:
        with pytest.raises(ValueError, match=sentence):
            Metric(**wrong)
