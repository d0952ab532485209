"""The notation of grids."""

import pytest

from rankine.recipes import recipe_named
from rankine.recipes.parameters import ParameterError
from rankine.selection.space import Axis, axes, value

RECIPE = recipe_named("ranksvm")()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("C=2^-15..2^10", tuple(2.0**k for k in range(-15, 11))),
        ("C=10^-1..10^1", (0.1, 1.0, 10.0)),
        ("C=8", (8.0,)),
        ("C=8,0.5,2^2..2^4,8", (0.5, 4.0, 8.0, 16.0)),
        ("max_iter=1..4", (1, 2, 3, 4)),
        ("max-iter=7,5", (5, 7)),
        ("scale=none,std", (None, "std")),
        ("pairs=adjacent", ("adjacent",)),
    ],
)
def test_notation(text, values):
    (axis,) = axes(RECIPE, text)
    assert axis.values == values
    assert [type(x) for x in axis.values] == [type(x) for x in values]


def test_several_parameters_in_any_form():
    expected = [Axis("C", (0.5, 1.0), True), Axis("scale", (None, "std"))]
    assert axes(RECIPE, "C=2^-1..2^0 scale=none,std") == expected
    assert axes(RECIPE, ["C=2^-1..2^0", "scale=none,std"]) == expected
    assert axes(RECIPE, {"C": "2^-1..2^0", "scale": [None, "std"]}) == expected
    assert axes(RECIPE, {axis.name: axis for axis in expected}) == expected
    assert axes(RECIPE)[0] == Axis("C", tuple(2.0**k for k in range(-15, 11)), True)


def test_beyond_an_edge_the_ratio_there_goes_on():
    axis = Axis("C", (0.25, 1.0, 10.0))
    assert axis.beyond(2) == (100.0, 1000.0)
    assert axis.beyond(-2) == (0.0625, 0.015625)


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ("C", "'C' is not a parameter and its values"),
        ("C=", "is not a parameter and its values"),
        ("", "nothing to search"),
        ({}, "nothing to search"),
        ({"C": []}, "no values of C"),
        ("D=1", "has no parameter 'D' to search; it has C, loss"),
        ("C=1 C=2", "the values of C are given twice"),
        ("C=-1,2", "C is -1.0; it must be a number above 0"),
        ("C=one", "C is 'one'; it must be a number"),
        ("C=2^5..2^-5", "smaller end stands first"),
        ("C=2^1..3^5", "is no range"),
        ("C=1..2.5", "is no range"),
        ("C=2^9999", "C is "),
        ("scale=nne", "it must be 'max' or 'std'"),
        ("max_iter=1.5", "max_iter is 1.5"),
    ],
)
def test_what_is_wrong_is_named(grid, message):
    with pytest.raises(ParameterError, match=message):
        axes(RECIPE, grid)


def test_values_as_they_are_written():
    assert [value(text) for text in ("none", "True", "-3", "2^-1", "1e3", "word")] == [None, True, -3, 0.5, 1e3, "word"]
