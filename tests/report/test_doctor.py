"""The doctor: for every finding data that has it and says where, and healthy data of all shapes that has none."""

import itertools
import json
import re
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from rankine.data import Dataset, synthetic
from rankine.report import doctor, examine
from rankine.report.checks.leaks import _accuracy, _sampled


def healthy(seed=0, n_queries=30, n_rows=20, **changes):
    """Arrays of data without a fault, some of them replaced."""
    rng = np.random.default_rng([seed, 7])
    n = n_queries * n_rows
    X = rng.normal(size=(n, 6))
    qid = np.repeat(np.arange(n_queries) + 1000 * seed, n_rows)
    y = np.clip(np.round(X @ [1, -1, 0.5, 0, 0, 0] / 2 + rng.normal(size=n) / 2 + 1), 0, 3)
    y[::n_rows], y[1::n_rows] = 0, 1
    documents = np.array([f"d{seed}-{i}" for i in range(n)])
    return {"X": X, "y": y, "qid": qid, "doc_ids": documents, **changes}


def found(arrays, test=None):
    """The findings by code."""
    data = Dataset.from_arrays(**arrays)
    findings = examine(data, None if test is None else Dataset.from_arrays(**test))
    json.dumps([asdict(finding) for finding in findings], allow_nan=False)  # plain values
    levels = [doctor.LEVELS.index(finding.level) for finding in findings]
    assert levels == sorted(levels)
    for finding in findings:
        assert finding.sentence.endswith(".")
        assert not finding.sentence[0].islower()
        assert finding.remedy.rstrip(".?") != finding.remedy
    return {finding.code: finding for finding in findings}


def test_healthy_data_has_no_finding():
    assert found(healthy(), healthy(1)) == {}
    sparse = scipy.sparse.random_array((600, 40), density=0.4, rng=np.random.default_rng(0), format="csr")
    assert found(healthy(X=sparse)) == {}


@pytest.mark.parametrize("shape", synthetic.SHAPES)
def test_synthetic_data_has_no_error_and_no_false_leak(shape):
    scale = 0.002 if shape == "mslr30" else 0.02
    train, test = (synthetic.make(shape, scale=scale, part=part) for part in ("train", "test"))
    codes = {finding.code: finding.level for finding in examine(train, test)}
    assert set(codes.values()) <= {"note"}
    assert set(codes) <= {"huge-labels", "real-labels", "constant-features"}


# What each finding is triggered by, its level, and what its sentence names.

NAMES = ("bm25", "age", "links", "clicks", "length", "price")


def with_column(values, j=2, **changes):
    arrays = healthy(**changes)
    arrays["X"][:, j] = values(arrays) if callable(values) else values
    return arrays


def with_cells(rows, value, j=2):
    arrays = healthy()
    arrays["X"][rows, j] = value
    return arrays


def repeated_row(label):
    arrays = healthy()
    arrays["X"][44], arrays["y"][44], arrays["y"][42] = arrays["X"][42], label, 1
    return arrays


def one_label(n_queries):
    arrays = healthy()
    arrays["y"][: 20 * n_queries] = 2
    return arrays


def huge_query():
    arrays = healthy()
    rng = np.random.default_rng(3)
    arrays["X"] = np.r_[arrays["X"], rng.normal(size=(400, 6))]
    arrays["y"] = np.r_[arrays["y"], rng.integers(0, 4, 400)]
    arrays["qid"] = np.r_[arrays["qid"], np.full(400, 77)]
    del arrays["doc_ids"]
    return arrays


def single_rows():
    arrays = healthy()
    arrays["qid"][5], arrays["qid"][25] = 98, 99
    return arrays


def twice(document):
    arrays = healthy()
    arrays["doc_ids"][[3, 7]] = document
    return arrays


def single(arrays):
    return {**arrays, "X": arrays["X"].astype(np.float32)}


def with_missing(seed):
    X = healthy(seed)["X"]
    X[:2, 2] = X[1, 4] = np.nan
    return healthy(seed, X=X, missing="keep")


CASES = [
    ("missing-values", "error", with_missing(0), "3 values missing: feature 3 in 2 rows, 5 in 1 row"),
    ("no-rows", "error", healthy(X=np.zeros((0, 6)), y=[], qid=[], doc_ids=None), "no rows"),
    ("no-features", "error", healthy(X=np.zeros((600, 0))), "no features"),
    ("labels-equal", "error", healthy(y=np.full(600, 2.0)), "all labels are 2"),
    ("labels-equal", "error", healthy(y=None), "all labels are 0"),
    ("queries-of-one-row", "error", healthy(qid=np.arange(600)), "query id of its own"),
    ("queries-of-one-label", "error", healthy(y=np.repeat(np.arange(30) % 4, 20)), "never within one"),
    ("queries-of-one-label", "note", one_label(3), r"3 of 30 queries \(10.0%\): queries 0, 1, 2"),
    ("queries-of-one-label", "note", single_rows(), "2 of 32 queries .* 2 of them: queries 98"),
    ("queries-of-one-label", "warning", one_label(16), r"16 of 30 queries \(53.3%\)"),
    ("query-that-decides", "note", huge_query(), "One query of 31 holds 9.*: query 77"),
    ("scattered-queries", "note", healthy(qid=np.r_[np.repeat(np.arange(29), 20), [5] * 20]), "1 query .*: query 5"),
    (
        "no-feature-varies",
        "error",
        healthy(X=np.repeat(np.random.default_rng(0).normal(size=(30, 2)), 20, 0)),
        "0 of 2",
    ),
    ("constant-features", "note", with_column(7.5), "1 of 6 features: feature 3"),
    ("constant-features", "note", with_column(0.0, feature_names=NAMES), "feature 'links'"),
    ("query-features", "note", with_column(lambda a: a["qid"] % 5), "1 of 6 features: feature 3"),
    ("negative-labels", "warning", healthy(y=healthy()["y"] - 1), "down to -1, with"),
    ("shifted-labels", "warning", healthy(y=healthy()["y"] + 1), "grades 1 to 4"),
    ("real-labels", "note", healthy(y=healthy()["y"] / 8), "0 to 0.375"),
    ("huge-labels", "note", healthy(y=healthy()["y"] * 20), "highest label is 60"),
    ("leak", "warning", with_column(lambda a: 3 * a["y"] + 1), r"feature 3 \(100.00%\)"),
    (
        "leak",
        "warning",
        with_column(lambda a: -(a["y"] ** 3), feature_names=NAMES),
        r"'links' \(100.00%, lower is better",
    ),
    ("leak", "note", with_column(lambda a: a["y"] + a["X"][:, 2] / 2), r"feature 3 \(9\d.\d\d%\)"),
    ("sentinels", "warning", with_cells(slice(0, 30), -999), "feature 3 is -999 in 30 rows, and its next value is -"),
    ("sentinels", "warning", with_cells(slice(0, 30), 1e9), r"feature 3 is 1e\+09 in 30 rows"),
    ("sentinels", "warning", with_cells(slice(0, 5), 1.797e308), r"feature 3 is 1.797e\+308 in 5 rows"),
    ("sentinels", "warning", with_cells(slice(0, 5), np.finfo(float).min), "feature 3 is -1.79769e.308 in 5 rows"),
    ("sentinels", "warning", with_column(np.r_[[-1] * 9, np.arange(591) % 300]), "feature 3 is -1 in 9 rows"),
    (
        "sentinels",
        "warning",
        with_column(np.r_[[999] * 9, np.arange(591)]),
        "is 999 in 9 rows, and its next value is 590",
    ),
    ("wild-scales", "warning", with_column(lambda a: 1e6 * a["X"][:, 2]), r"10\^6.*feature 3 \("),
    ("far-from-zero", "warning", with_column(lambda a: 1.7e9 + a["X"][:, 2]), "feature 3 is about 1.7e.09 but"),
    (
        "far-from-zero",
        "warning",
        single(with_column(lambda a: 2e5 + a["X"][:, 2])),
        "float32 .*: feature 3 is about 2e.05",
    ),
    ("equal-rows", "note", repeated_row(1), r"same label, by 1 row \(0.2%\): rows 43 and 45 of query 2"),
    ("contradicting-rows", "warning", repeated_row(3), "another label, by 1 row .*: rows 43 and 45 of query 2"),
    ("documents-given-twice", "warning", twice("d9"), r"1 row \(0.2%\): document 'd9' in row 8, of query 0"),
    ("rows-in-order-of-labels", "note", healthy(y=np.tile(3 - np.arange(20) // 5, 30)), r"best first \(100.00%"),
    ("rows-in-order-of-labels", "note", healthy(y=np.tile(np.arange(20) // 5, 30)), "best last"),
]


@pytest.mark.parametrize(("code", "level", "arrays", "sentence"), CASES)
def test_a_fault_is_found_and_said_where(code, level, arrays, sentence):
    findings = found(arrays)
    assert code in findings
    assert findings[code].level == level
    assert re.search(sentence, findings[code].sentence), findings[code].sentence
    # Nothing else is found, but for what follows from the fault.
    follows = {
        "no-feature-varies": {"equal-rows", "contradicting-rows"},
        "sentinels": {"wild-scales"},
        "queries-of-one-label": {"scattered-queries"},
    }
    assert set(findings) - {code} <= follows.get(code, set())


COMPARED = [
    ("missing-in-test", "warning", with_missing(1), "some rows of 2 features .*: features 3, 5"),
    ("features-differ", "error", healthy(1, X=np.random.default_rng(1).normal(size=(600, 7))), "6 features, .* data 7"),
    (
        "features-differ",
        "warning",
        healthy(1, X=np.random.default_rng(1).normal(size=(600, 5))),
        "6 features, .* data 5",
    ),
    ("ranges-apart", "warning", healthy(1, X=healthy(1)["X"] + [0, 0, 50, 0, 0, 0]), "1 feature: feature 3 is -"),
    ("ranges-apart", "warning", healthy(1, X=healthy(1)["X"] * [1, 1, 1, 1, 1, 1e3]), "1 feature: feature 6 is -"),
    ("ranges-apart", "warning", healthy(1, X=healthy(1)["X"] * [1, 0, 1, 1, 1, 1]), "feature 2 .* 0 to 0 in testing"),
    ("queries-in-both", "warning", healthy(1, qid=healthy(1)["qid"] - 980), r"10 of 30 queries .*: queries 20, 21, 22"),
    ("queries-in-both", "warning", healthy(1, qid=(healthy(1)["qid"] - 980).astype(str)), "10 of 30 queries"),
    ("queries-copied", "error", healthy(X=healthy()["X"][::-1], qid=healthy(1)["qid"]), "30 of 30 queries"),
]


@pytest.mark.parametrize(("code", "level", "test", "sentence"), COMPARED)
def test_training_data_is_compared_with_test_data(code, level, test, sentence):
    findings = found(healthy(), test)
    assert findings.keys() == {code}
    assert findings[code].level == level
    assert re.search(sentence, findings[code].sentence), findings[code].sentence


def test_named_features_are_compared_by_name():
    train = healthy(feature_names=NAMES)
    turned = healthy(1, X=healthy(1)["X"][:, ::-1] * [1, 1, 1, 1, 1, 1000], feature_names=NAMES[::-1])
    assert "feature 'bm25' is" in found(train, turned)["ranges-apart"].sentence
    other = found(train, healthy(1, feature_names=[*NAMES[:5], "cost"]))["features-differ"]
    assert other.level == "error"
    assert other.sentence == "The test data lacks feature 'price' and alone has feature 'cost'."
    nothing_shared = found(train, healthy(1, feature_names=list("uvwxyz")))
    assert nothing_shared.keys() == {"features-differ"}


def test_documents_in_both():
    finding = found(healthy(), healthy(1, qid=healthy()["qid"], doc_ids=healthy()["doc_ids"]))["queries-in-both"]
    assert "with 600 documents in common" in finding.sentence


def test_no_comparison_fails_on_empty_data():
    empty = healthy(X=np.zeros((0, 6)), y=[], qid=[], doc_ids=None)
    assert found(healthy(), empty) == {}
    assert found(empty, healthy()).keys() == {"no-rows"}
    assert found(empty, empty).keys() == {"no-rows"}


# What must not be taken for a fault.


@pytest.mark.parametrize(
    "values",
    [
        lambda a: a["qid"] % 2 * 999.0,  # two values
        np.arange(600) % 3 - 1.0,  # a sign
        np.where(np.arange(600) % 2, 0.0, 2000.0 + np.arange(600) % 20),  # zeros
        np.r_[-1.0, -1.0, np.arange(598)],  # too rare
        np.minimum(np.arange(600.0) % 250, 99),  # cut off, with a neighbour
        lambda a: np.exp(np.abs(a["X"][:, 2]) * 2),  # a long tail
    ],
)
def test_customary_values_are_no_sentinels(values):
    assert "sentinels" not in found(with_column(values))


@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(2, 12))
def test_chance_in_short_lists_is_no_leak(seed, n_queries, n_rows):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n_queries * n_rows, 50)), rng.integers(0, 3, n_queries * n_rows)
    findings = found({"X": X, "y": y, "qid": np.repeat(np.arange(n_queries), n_rows)})
    assert not {"leak", "rows-in-order-of-labels"} & findings.keys()


def test_a_document_without_an_id_is_not_a_repeated_one():
    assert found(twice("")) == {}
    arrays = healthy()
    arrays["doc_ids"] = arrays["doc_ids"].astype(object)
    arrays["doc_ids"][10:50] = None
    assert found(arrays) == {}


def test_a_document_may_answer_several_queries():
    assert found(healthy(doc_ids=np.tile(np.arange(20), 30))) == {}


@given(seed=st.integers(0, 2**32))
def test_any_data_can_be_examined(seed):
    """Extreme values, empty queries, no rows, no features: findings or none, but never a failure."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(0, 30)), int(rng.integers(0, 6))
    extremes = [
        0,
        -0.0,
        1,
        -1,
        999,
        -999,
        2**31,
        3.4e38,
        -3.4e38,
        1e-40,
        *([] if seed % 3 else [1.797e308, -1.797e308]),
    ]
    X = rng.choice(np.array(extremes, float), (n, m))
    X = scipy.sparse.csr_array(X) if seed % 2 else X.astype(np.float32 if seed % 3 else np.float64)
    y = rng.choice([0, 1, 2, -1, 0.5, 1e308, -1e308], n)
    group = np.diff(np.r_[0, np.sort(rng.integers(0, n + 1, 3)), n])
    arrays = {"X": X, "y": y, "group": group, "doc_ids": rng.choice(["a", "b", ""], n)}
    found(arrays, arrays)
    found(healthy(), arrays)
    found(arrays, healthy())


# Names and numbers are the caller's, whatever the order of the rows.


def test_rows_are_numbered_in_the_callers_order():
    arrays = repeated_row(3)
    order = np.random.default_rng(5).permutation(600)
    mixed = {name: values[order] for name, values in arrays.items()}
    findings = found(mixed)
    rows = sorted((np.flatnonzero((order == 42) | (order == 44)) + 1).tolist())
    assert findings["contradicting-rows"].details["rows"] == [rows]
    assert findings.keys() == {"contradicting-rows", "scattered-queries"}


def test_query_ids_of_any_type_are_plain_in_details():
    days = np.repeat(np.arange("2024-01-01", "2024-01-31", dtype="datetime64[D]"), 20)
    arrays = one_label(1)
    assert found({**arrays, "qid": days})["queries-of-one-label"].details["queries"] == ["2024-01-01"]
    names = [f"q{i}" for i in arrays["qid"]]
    assert "query 'q0'" in found({**arrays, "qid": names})["queries-of-one-label"].sentence


def test_long_lists_are_cut():
    X = np.c_[healthy()["X"], np.zeros((600, 300))]
    finding = found(healthy(X=X))["constant-features"]
    assert "features 7, 8, 9, 10, 11 and 295 more" in finding.sentence
    assert (finding.details["count"], len(finding.details["features"])) == (300, 100)


def test_every_check_is_tested():
    source = "".join(path.read_text() for path in Path(doctor.__file__).parent.rglob("*.py"))
    codes = set(re.findall(r'^ +"([a-z]+(?:-[a-z]+)*)",$', source, re.MULTILINE)) - set(doctor.LEVELS)
    assert len(codes) > 15
    assert codes <= {code for code, *_ in [*CASES, *COMPARED]}


# The statistics behind leaks.


@pytest.mark.parametrize("sparse", [False, True])
def test_accuracy_is_that_of_listed_pairs(sparse):
    arrays = healthy(n_queries=4, n_rows=9)
    X, y, qid = np.round(arrays["X"]), arrays["y"], arrays["qid"]
    data = Dataset.from_arrays(scipy.sparse.csr_array(X) if sparse else X, y, qid)
    right = pairs = 0.0
    for i, j in itertools.product(range(36), repeat=2):
        if qid[i] == qid[j] and y[i] > y[j]:
            right, pairs = right + (np.sign(X[i] - X[j]) + 1) / 2, pairs + 1
    accuracy, _ = _accuracy(data.grouped.rows, data.grouped.label, data.grouped.query_ptr)
    np.testing.assert_allclose(accuracy, right / pairs)


def test_deviations_are_those_of_random_orders():
    rng = np.random.default_rng(0)
    label = np.r_[rng.integers(0, 3, 30), rng.integers(0, 2, 50)].astype(float)
    data = Dataset.from_arrays(rng.normal(size=(80, 4000)), label, np.repeat([0, 1], [30, 50]))
    _, beyond = _accuracy(data.grouped.rows, data.grouped.label, data.grouped.query_ptr)
    assert abs(beyond.mean()) < 0.06
    assert abs(beyond.std() - 1) < 0.06


@given(
    sizes=st.lists(st.integers(0, 30), min_size=1, max_size=40), n_queries=st.integers(1, 9), n_rows=st.integers(9, 50)
)
def test_a_sample_is_rows_of_whole_data_by_query(sizes, n_queries, n_rows):
    n = sum(sizes)
    if n == 0:
        return
    data = Dataset.from_arrays(np.arange(n, dtype=float)[:, None], np.arange(n), group=sizes)
    rows, label, ptr = _sampled(data, n_queries, n_rows)
    at = label.astype(int)
    assert ptr[-1] == len(at) <= n_rows + n_queries
    assert (np.diff(at) > 0).all()
    np.testing.assert_array_equal(rows.value[:, 0], at)
    query = np.repeat(np.arange(len(sizes)), sizes)[at]
    assert all(len(set(query[a:b])) == 1 for a, b in itertools.pairwise(ptr))
    assert len(set(query)) == len(ptr) - 1
    spacing = (n - 1) / max(n_queries - 1, 1)
    assert set(np.flatnonzero(np.array(sizes) > spacing)) <= set(query)


def test_a_leak_in_one_huge_query_among_many_small_ones_is_found():
    rng = np.random.default_rng(0)
    y = np.r_[rng.integers(0, 2, 100_000), rng.integers(0, 5, 100_000)].astype(float)
    X = rng.normal(size=(200_000, 3)).astype(np.float32)
    X[100_000:, 1] = y[100_000:]
    data = Dataset.from_arrays(X, y, np.r_[np.repeat(np.arange(10_000), 10), np.full(100_000, -1)])
    (leak,) = [finding for finding in examine(data) if finding.code == "leak"]
    assert "feature 2 (" in leak.sentence
