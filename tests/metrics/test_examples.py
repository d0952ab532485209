"""The examples in the docstrings of this room say what really happens."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize("module", ["", ".metric", ".dialects", ".evaluation", ".comparison"])
def test_examples(module):
    found = doctest.testmod(importlib.import_module(f"rankine.metrics{module}"))
    assert found.attempted > 0
    assert found.failed == 0
