"""A sample of queries: fair in expectation, deterministic, and honest about what cannot be sampled."""

import numpy as np
import pytest

from problems import random_problem
from rankine.data import Dataset
from rankine.objectives import Pairwise, sampled


def unequal(seed=0, **weights):
    """Queries of 2 to 200 rows."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(150), np.maximum(2, 200 / np.arange(1, 151)).astype(int))
    X, y = rng.normal(size=(len(qid), 3)), rng.integers(0, 3, len(qid)).astype(float)
    return Dataset.from_arrays(X, y, qid, **weights)


@pytest.mark.parametrize("pair_weight", ["uniform", "query"])
@pytest.mark.parametrize("weighted", [False, True])
def test_samples_estimate_the_whole(pair_weight, weighted):
    rng = np.random.default_rng(1)
    weights = {"sample_weight": rng.random(1098), "query_weight": rng.random(150)} if weighted else {}
    whole = Pairwise(unequal(**weights), pair_weight=pair_weight)
    few = [sampled(whole, 400, seed) for seed in range(200)]
    assert all(one.pair_mass.sum() == pytest.approx(whole.pair_mass.sum()) for one in few)
    w = np.array([0.5, -0.2, 0.1])
    gradients = np.array([one.at(w).gradient for one in few])
    size = np.linalg.norm(whole.at(w).gradient)
    error = np.linalg.norm(gradients.mean(0) - whole.at(w).gradient)
    assert error < 4 * np.linalg.norm(gradients.std(0)) / 200**0.5 + 0.02 * size


def test_a_query_with_a_great_share_of_the_pairs_is_always_taken_as_it_is():
    whole = Pairwise(unequal())
    for seed in range(20):
        one = sampled(whole, 400, seed)
        largest = int(np.flatnonzero(one.data.query_ids == 0)[0])
        assert one.data.grouped.query_weight[largest] == 1
        assert 200 <= one.data.n_rows <= 800


def test_a_seed_gives_one_sample_and_not_the_first_queries():
    whole = Pairwise(unequal())
    a, b, c = sampled(whole, 400), sampled(whole, 400), sampled(whole, 400, seed=1)
    np.testing.assert_array_equal(a.data.query_ids, b.data.query_ids)
    assert set(a.data.query_ids) != set(c.data.query_ids)
    assert max(a.data.query_ids) > 100


def test_what_cannot_be_sampled():
    X, y, qid = random_problem(0)
    assert sampled(Pairwise(Dataset.from_arrays(X, y)), 10) is None  # one query
    assert sampled(Pairwise(Dataset.from_arrays(X, y, qid)), 40) is None  # all that there is
    assert sampled(Pairwise(Dataset.from_arrays(X, np.zeros(40), qid)), 10) is None  # no pairs
    two = np.where(np.arange(40) < 38, 0, 1)
    assert sampled(Pairwise(Dataset.from_arrays(X, y, two)), 5) is None  # one query is nearly all
