"""The examples in docstrings run, in every module."""

import doctest
import importlib
import pkgutil

import pytest

import rankine

MODULES = [name for _, name, _ in pkgutil.walk_packages(rankine.__path__, "rankine.") if not name.endswith("__main__")]


@pytest.mark.parametrize("name", ["rankine", *MODULES])
def test_examples(name):
    module = importlib.import_module(name)
    found = doctest.testmod(module)
    assert found.failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    assert sum(len(test.examples) > 0 for name in MODULES for test in finder.find(importlib.import_module(name))) > 20
