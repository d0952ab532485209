"""Scores of rows that come in blocks: to the last bit those of all rows at once, and features matched as they are."""

import numpy as np
import pytest
import scipy.sparse

from rankine.data import DataError, Rows
from rankine.model import Model
from rankine.model import scorer as module
from rankine.model.scorer import Scorer

rng = np.random.default_rng(0)
MODEL = Model(rng.normal(size=21))
X = rng.normal(size=(50, 21)) * (rng.random((50, 21)) < 0.5)


@pytest.mark.parametrize("cuts", [[], [1, 2, 3], [13, 49], list(range(1, 50))])
@pytest.mark.parametrize("first", [np.array, scipy.sparse.csr_array])
def test_equal_rows_get_equal_scores_in_any_block(monkeypatch, cuts, first):
    monkeypatch.setattr(module, "_CELLS", 100)
    whole = Scorer(MODEL)(Rows.of(first(X)))
    np.testing.assert_allclose(whole, X @ MODEL.weights, rtol=1e-12)
    scorer, parts = Scorer(MODEL), np.split(X, cuts)
    kinds = [first] + [scipy.sparse.csr_array, np.array] * 25
    found = [scorer(Rows.of(kind(part))) for kind, part in zip(kinds, parts, strict=False)]
    np.testing.assert_array_equal(np.concatenate(found), whole)


@pytest.mark.parametrize("kind", [np.array, scipy.sparse.csr_array])
def test_features_by_number(kind):
    wide, narrow = np.hstack([X, np.ones((50, 2))]), X[:, :20]
    for block in (wide, narrow):
        with pytest.raises(DataError, match=r"^a.txt has \d\d features, but the model has 21; --help$"):
            Scorer(MODEL, "a.txt", remedy="; --help")(Rows.of(kind(block)))
    scorer = Scorer(MODEL, "a.txt", allow_missing=True)
    with pytest.warns(UserWarning, match=r"a.txt has features beyond the 21 of the model: .* left out"):
        found = scorer(Rows.of(kind(wide)))
    np.testing.assert_array_equal(found, Scorer(MODEL)(Rows.of(kind(X))))
    scorer(Rows.of(kind(np.hstack([wide, wide]))))  # it was told once: here a warning is an error
    with pytest.warns(UserWarning, match="a.txt has 20 features, but the model has 21: what is lacking counts as 0"):
        np.testing.assert_allclose(scorer(Rows.of(kind(narrow))), narrow @ MODEL.weights[:20], rtol=1e-12)


def test_features_by_name():
    model = Model(np.array([1.0, 10.0, 100.0]), ("a", "b", "c"))
    rows = Rows.of(np.array([[1.0, 2.0, 3.0]]))
    assert Scorer(model)(rows, ("c", "a", "b")) == [132]
    with pytest.raises(
        DataError, match=r"X lacks the feature 'b', which .*, and has the feature 'd', which .*; drop it .*; --help"
    ):
        Scorer(model, remedy="; --help")(rows, ("c", "d", "a"))
    scorer = Scorer(model, allow_missing=True)
    with pytest.warns(UserWarning, match="lacks the feature 'b'.* has the feature 'd'.* counts as 0"):
        assert scorer(rows, ("c", "d", "a")) == [103]
    scorer(rows, ("d", "a", "c"))  # it was told once
