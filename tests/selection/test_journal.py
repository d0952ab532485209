"""The journal of a search."""

import json

import pytest

from rankine.selection.journal import Journal, JournalError, key_of
from rankine.selection.tally import Tally

ONE, TWO = {"nDCG@10": Tally(3, 1.5, 3.0, 0.8, 1.5, 3.0)}, {"AP": Tally(1, 0.1 + 0.2, 1.0, 0.5, 0.5, 1.0)}


def filled(path):
    journal = Journal(path)
    journal.add("a", {"parameters": {"C": 1.0, "scale": None}, "fold": 0}, ONE)
    journal.add("b", {"fold": 1}, TWO)
    return path.read_bytes()


def test_what_was_taken_down_is_found_again(tmp_path):
    filled(tmp_path / "j")
    again = Journal(tmp_path / "j")
    assert again.get("a", ["nDCG@10"]) == ONE
    assert again.get("b", ["AP"]) == TWO
    assert again.get("b", ["AP", "nDCG@10"]) is None
    assert again.get("c", ["AP"]) is None
    again.add("b", {"fold": 1}, ONE)
    assert Journal(tmp_path / "j").get("b", ["AP", "nDCG@10"]) == {**TWO, **ONE}


def test_a_crash_at_any_byte_loses_one_line_at_most(tmp_path):
    path = tmp_path / "j"
    content = filled(path)
    for size in range(len(content) + 1):
        path.write_bytes(content[:size])
        journal = Journal(path)
        lines = content[:size].count(b"\n")
        assert (journal.get("a", ["nDCG@10"]) is not None) == (lines >= 2)
        assert (journal.get("b", ["AP"]) is not None) == (lines >= 3)
        journal.add("c", {}, ONE)
        assert Journal(path).get("c", ["nDCG@10"]) == ONE
        assert all(json.loads(line) for line in path.read_text().splitlines())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"0 qid:1 1:0.5\n", "is not a journal of a search, and will not be overwritten"),
        (b"no line ends", "is not a journal"),
        (b"[]\n", "is not a journal"),
        (b'{"format": "rankine-model"}\n', "is not a journal"),
        (b'{"format": "rankine-journal", "version": 2}\n', "version 2"),
        (b'{"format": "rankine-journal", "version": 1}\n{"key": 1}\n', "line 2 is damaged"),
        (b'{"format": "rankine-journal", "version": 1}\n{"key": "a", "metrics": {"AP": ["x"]}}\n', "line 2"),
        (b'{"format": "rankine-journal", "version": 1}\nxx\n', "line 2"),
        (b"\xff\xfe\n", "is not a journal"),
    ],
)
def test_other_files_are_left_alone(tmp_path, content, message):
    path = tmp_path / "j"
    path.write_bytes(content)
    with pytest.raises(JournalError, match=message):
        Journal(path)
    assert path.read_bytes() == content


def test_places_that_cannot_be_written_are_told_at_once(tmp_path):
    with pytest.raises(FileNotFoundError, match="no directory"):
        Journal(tmp_path / "nowhere" / "j")
    with pytest.raises(IsADirectoryError):
        Journal(tmp_path)


def test_without_a_file_it_remembers():
    journal = Journal()
    journal.add("a", {}, ONE)
    assert journal.get("a", ["nDCG@10"]) == ONE


def test_keys_tell_values_apart_and_not_their_order():
    assert key_of({"a": 1, "b": None}) == key_of({"b": None, "a": 1})
    assert key_of({"a": 1}) != key_of({"a": 2})
