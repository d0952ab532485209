"""Rows ranked as they come: what a sort of all of them gives, whatever the blocks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from rankine.cli import ranking as module
from rankine.cli.ranking import Ranking, Scattered, Scored
from rankine.data.grouping import runs_of


def run(ranking, ids, score, size, doc_ids=None):
    """All rows that are ranked, and the most rows that waited."""
    found, most = [], 0

    def keep(ranked):
        if ranked is not None:
            ids = [ranked.ids[q] for q in ranked.query.tolist()]
            found.extend(zip(ids, ranked.rank.tolist(), ranked.row.tolist(), ranked.documents.tolist(), strict=True))
            assert ranked.score.tolist() == [score[row] for row in ranked.row.tolist()]

    for a in range(0, len(ids), size):
        part = slice(a, a + size)
        docs = None if doc_ids is None else doc_ids[part]
        keep(ranking.add(Scored(runs_of(ids[part]), score[part], docs, a)))
        most = max(most, sum(len(rows.row) for rows in ranking._waiting))
    keep(ranking.finish())
    return found, most


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_any_blocks_are_ranked_as_one(data):
    ids = np.array(data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=40)))
    hold, named, top = data.draw(st.booleans()), data.draw(st.booleans()), data.draw(st.none() | st.integers(1, 4))
    ids = ids if hold else np.sort(ids)
    score = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=len(ids), max_size=len(ids))), float)
    doc_ids = np.array([f"d{i}" if i % 3 else "" for i in range(len(ids))]) if named else None
    ranking = Ranking(top, hold=hold)
    ranking._most = 2
    found, _ = run(ranking, ids, score, data.draw(st.integers(1, 45)), doc_ids)
    documents = [f"d{i}" if i % 3 else str(i + 1) for i in range(len(ids))] if named else range(1, len(ids) + 1)
    expected = reference.ranked(ids.tolist(), score.tolist(), top)
    assert found == [(query, rank, row, documents[row]) for query, rank, row in expected]


def test_only_open_queries_wait(monkeypatch):
    monkeypatch.setattr(module, "_MANY", 50)
    score = np.zeros(1000)
    _, most = run(Ranking(), np.arange(1000) // 20, score, 30)
    assert most <= 50
    _, most = run(Ranking(5), np.zeros(1000, int), score, 30)
    assert most <= 80


def test_a_query_that_goes_on_after_it_was_ranked():
    ids, score = np.array(["a", "a", "b", "c", "a"]), np.zeros(5)
    with pytest.raises(Scattered, match="query 'a' goes on in row 5, after rows of other queries"):
        run(Ranking(), ids, score, 2)
    expected = reference.ranked(ids.tolist(), score.tolist())
    for ranking, size in ((Ranking(hold=True), 2), (Ranking(), 5)):  # within a block nothing was ranked before
        assert [row[:3] for row in run(ranking, ids, score, size)[0]] == expected
