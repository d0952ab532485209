"""The estimator: scikit-learn's checks, its recipe's parameters, frames, searches, pickles, forks and threads."""

import dataclasses
import inspect
import multiprocessing
import pickle
import threading

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import rankine
import reference
from problems import random_problem, with_gaps
from rankine.recipes import RECIPES, recipe_named


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        rankine.RankSVM(),
        rankine.RankSVM(pair_weight="query"),
        rankine.RankSVM(solver="lbfgs"),
        rankine.RankSVM(constraints={1: "+"}, penalty_factors={"1": 2.0}),
        rankine.RankSVM(missing="indicator"),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", RECIPES)
def test_an_estimator_has_the_parameters_of_its_recipe(name):
    recipe = recipe_named(name)
    estimator = getattr(rankine, recipe.__name__)
    theirs = {p.name: p.default for p in list(inspect.signature(estimator).parameters.values())}
    assert theirs == {field.name: field.default for field in dataclasses.fields(recipe)}
    for field in dataclasses.fields(recipe):
        assert f"\n    {field.name}\n" in estimator.__doc__
        assert f"\n    {field.name}\n" in recipe.__doc__


def frames():
    X, y, qid = random_problem(0)
    return X, y, qid


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_with_a_query_column(library):
    frame_library = pytest.importorskip(library)
    X, y, qid = frames()
    columns = {"bm25": X[:, 0], "qid": qid, "age": X[:, 1], "links": X[:, 2], "clicks": X[:, 3]}
    make = frame_library.table if library == "pyarrow" else frame_library.DataFrame
    frame = make(columns)
    plain = rankine.RankSVM().fit(X, y, qid)
    ranker = rankine.RankSVM().fit(frame, y)
    np.testing.assert_array_equal(ranker.coef_, plain.coef_)
    assert ranker.feature_names_in_.tolist() == ["bm25", "age", "links", "clicks"]
    np.testing.assert_array_equal(ranker.predict(frame), plain.predict(X))
    np.testing.assert_array_equal(ranker.rank(frame), plain.rank(X, qid))
    assert ranker.score(frame, y) == plain.score(X, y, qid=qid)
    with pytest.raises(ValueError, match="given twice"):
        ranker.fit(frame, y, qid)
    with pytest.raises(ValueError, match="given twice"):
        ranker.score(frame, y, qid=qid)


def test_missing_values():
    X, y, qid = frames()
    holed = with_gaps(X, [1, 3])
    by_hand = rankine.RankSVM().fit(reference.with_indicators(holed, [1, 3]), y, qid)
    ranker = rankine.RankSVM(missing="indicator").fit(holed, y, qid)
    np.testing.assert_array_equal(ranker.coef_, by_hand.coef_)
    np.testing.assert_array_equal(ranker.rank(holed, qid), by_hand.rank(reference.with_indicators(holed, [1, 3]), qid))
    with pytest.raises(ValueError, match=r"NaN in row .*, column 1; replace it first.*missing='indicator'"):
        rankine.RankSVM().fit(holed, y, qid)
    with pytest.raises(ValueError, match="trained without missing values"):
        rankine.RankSVM().fit(X, y, qid).predict(holed)


def test_any_order_and_type_of_query_ids_and_group_sizes():
    X, y, qid = frames()
    order = np.argsort(qid, kind="stable")
    base = rankine.RankSVM(tol=1e-10).fit(X, y, qid)
    names = np.array(["x", "yy", "z"])[qid]
    for other in (qid.astype(float) + 0.5, names, names.astype(object), list(names), qid.astype(np.uint8)):
        np.testing.assert_array_equal(rankine.RankSVM(tol=1e-10).fit(X, y, other).coef_, base.coef_)
    grouped = rankine.RankSVM(tol=1e-10).fit(X[order], y[order], group=np.bincount(qid))
    np.testing.assert_allclose(grouped.coef_, base.coef_, rtol=1e-6)


def test_ranks_count_from_one_in_every_query():
    X, y, qid = frames()
    ranker = rankine.RankSVM().fit(X, y, qid)
    ranks, scores = ranker.rank(X, qid), ranker.predict(X)
    for q in np.unique(qid):
        mine = qid == q
        expected = np.argsort(np.argsort(-scores[mine], kind="stable"), kind="stable") + 1
        np.testing.assert_array_equal(ranks[mine], expected)


def test_score_is_weighted_pairwise_accuracy():
    X, y, qid = frames()
    ranker = rankine.RankSVM().fit(X, y, qid)
    s, weight = ranker.predict(X), np.random.default_rng(0).random(len(y))
    right = total = 0.0
    for i in range(len(y)):
        for j in range(len(y)):
            if qid[i] == qid[j] and y[i] > y[j]:
                total += weight[i] * weight[j]
                right += weight[i] * weight[j] * (s[i] > s[j])
    assert ranker.score(X, y, qid, sample_weight=weight) == pytest.approx(right / total, rel=1e-12)
    with pytest.raises(TypeError):
        ranker.score(X, y, qid, weight)
    with pytest.warns(UserWarning, match="got no qid"):
        ranker.score(X, y)


@pytest.mark.usefixtures("routing")
def test_searches_over_pipelines_keep_queries_whole():
    X, y, qid = random_problem(3, n_rows=300, n_queries=30)
    explicit = rankine.RankSVM().set_fit_request(qid=True).set_score_request(qid=True)
    for estimator in (rankine.RankSVM(), explicit):
        pipeline = make_pipeline(StandardScaler(), estimator)
        search = GridSearchCV(pipeline, {"ranksvm__C": [0.01, 1.0]}, cv=GroupKFold(3))
        search.fit(X, y, qid=qid, groups=qid)
        rows = next(iter(GroupKFold(3).split(X, y, qid)))
        part = make_pipeline(StandardScaler(), rankine.RankSVM(C=0.01)).fit(X[rows[0]], y[rows[0]], qid=qid[rows[0]])
        expected = part.score(X[rows[1]], y[rows[1]], qid=qid[rows[1]])
        assert search.cv_results_["split0_test_score"][0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.usefixtures("routing")
def test_scorers_and_query_folds():
    X, y, qid = random_problem(3, n_rows=300, n_queries=30)
    scorer = rankine.ranking_scorer("nDCG@10")
    search = GridSearchCV(rankine.RankSVM(), {"C": [0.01, 1.0]}, cv=rankine.QueryKFold(3), scoring=scorer)
    search.fit(X, y, qid=qid)
    train, test = next(iter(rankine.QueryKFold(3).split(X, qid=qid)))
    assert not set(qid[train]) & set(qid[test])
    ranker = rankine.RankSVM(C=0.01).fit(X[train], y[train], qid[train])
    expected = rankine.evaluate(y[test], ranker.predict(X[test]), qid[test], ["nDCG@10"])["nDCG@10"]
    assert search.cv_results_["split0_test_score"][0] == pytest.approx(expected, rel=1e-12)
    with pytest.raises(ValueError, match="got no qid"):
        scorer(ranker, X, y)
    with pytest.raises(ValueError, match="query ids"):
        next(iter(rankine.QueryKFold(3).split(X)))
    for metric, knobs in (("nDGC@10", {}), ("nDCG@10", {"gain": "exp"}), ("nDCG@10", {"dialect": "letor5"})):
        with pytest.raises(ValueError, match="did you mean"):
            rankine.ranking_scorer(metric, **knobs)
    error = rankine.evaluate(y, ranker.predict(X), qid, ["domination_error"])["domination_error"]
    assert rankine.ranking_scorer("domination_error")(ranker, X, y, qid=qid) == -error


def test_frames_need_no_routing():
    pandas = pytest.importorskip("pandas")
    X, y, qid = random_problem(3, n_rows=300, n_queries=30)
    frame = pandas.DataFrame(X, columns=list("abcd")).assign(qid=qid)
    scores = cross_val_score(rankine.RankSVM(), frame, y, groups=qid, cv=GroupKFold(3))
    train, test = next(iter(GroupKFold(3).split(X, y, qid)))
    ranker = rankine.RankSVM().fit(X[train], y[train], qid[train])
    assert scores[0] == ranker.score(X[test], y[test], qid=qid[test])


def test_clone_and_pickle():
    X, y, qid = frames()
    ranker = rankine.RankSVM(C=3.0).fit(X, y, qid)
    assert clone(ranker).get_params() == ranker.get_params()
    again = pickle.loads(pickle.dumps(ranker))
    np.testing.assert_array_equal(again.predict(X), ranker.predict(X))
    with pytest.raises(NotFittedError):
        clone(ranker).predict(X)


def test_constraints_a_prior_and_penalty_factors_are_those_of_the_recipe():
    pandas = pytest.importorskip("pandas")
    X, y, qid = frames()
    frame = pandas.DataFrame(X, columns=["bm25", "age", "links", "clicks"])
    prior = rankine.RankSVM(C=0.1).fit(frame, y, qid).model_
    options = {"constraints": {"age": "-", "links": 0, "clicks": (0.1, None)}, "penalty_factors": {"bm25": 5}}
    ranker = rankine.RankSVM(prior=prior, tol=1e-9, **options)
    again = clone(ranker)
    assert again.get_params()["constraints"] == options["constraints"]
    ranker.fit(frame, y, qid)
    data = rankine.Dataset.from_arrays(frame, y, qid)
    model = recipe_named("ranksvm")(prior=prior, tol=1e-9, **options).fit(data)
    np.testing.assert_array_equal(ranker.coef_, model.weights)
    np.testing.assert_array_equal(again.fit(frame, y, qid).coef_, model.weights)  # its prior is a copy
    assert ranker.coef_[1] <= 0 == ranker.coef_[2] < 0.1 <= ranker.coef_[3]
    with pytest.raises(ValueError, match="did you mean 'clicks'"):
        ranker.set_params(constraints={"click": "+"}).fit(frame, y, qid)


@pytest.mark.usefixtures("routing")
def test_searches_over_constraints():
    X, y, qid = random_problem(3, n_rows=300, n_queries=30)
    grid = {"constraints": [None, {1: 0, 2: "-"}], "penalty_factors": [None, {3: 100.0}]}
    search = GridSearchCV(rankine.RankSVM(), grid, cv=rankine.QueryKFold(3)).fit(X, y, qid=qid)
    assert len(search.cv_results_["params"]) == 4
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_not_converged_is_a_warning():
    X, y, qid = frames()
    y = (X[:, 0] > 0).astype(float)
    with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
        ranker = rankine.RankSVM(C=100.0, tol=1e-12, max_iter=1).fit(X, y, qid)
    assert ranker.n_iter_ == 1


def test_bad_input_is_a_sentence():
    X, y, qid = frames()
    bad = X.copy()
    bad[5, 2] = np.nan
    with pytest.raises(ValueError, match="NaN in row 5, column 2"):
        rankine.RankSVM().fit(bad, y, qid)
    with pytest.raises(ValueError, match=r"sample_weight\[3\] is -1"):
        rankine.RankSVM().fit(X, y, qid, sample_weight=np.where(np.arange(len(y)) == 3, -1.0, 1.0))
    with pytest.raises(ValueError, match="query_weight has shape"):
        rankine.RankSVM().fit(X, y, qid, query_weight=[1.0])
    with pytest.raises(ValueError, match="qid has shape"):
        rankine.RankSVM().fit(X, y, qid[:-1])
    with pytest.raises(ValueError, match="pass them as qid"):
        rankine.RankSVM().fit(X, y, group=qid)
    with pytest.raises(ValueError, match="qid or group, not both"):
        rankine.RankSVM().fit(X, y, qid, group=[len(y)])
    with pytest.raises(ValueError, match="C is -1"):
        rankine.RankSVM(C=-1).fit(X, y, qid)


def _coef(queue, X, y, qid):
    queue.put(rankine.RankSVM().fit(X, y, qid).coef_)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fits_in_a_forked_child_and_in_threads():
    X, y, qid = random_problem(3, n_rows=3000, n_queries=100)
    expected = rankine.RankSVM().fit(X, y, qid).coef_
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_coef, args=(queue, X, y, qid))
    child.start()
    np.testing.assert_array_equal(queue.get(timeout=60), expected)
    child.join()
    found = []
    threads = [threading.Thread(target=lambda: found.append(rankine.RankSVM().fit(X, y, qid).coef_)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((coef == expected).all() for coef in found)
    assert len(found) == 4
