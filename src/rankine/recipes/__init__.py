"""Learners: one file each, described once. Everything above reads their parameters from here.

To add one, write its file after the pattern of `ranksvm.py` and name it in `RECIPES`.
"""

from __future__ import annotations

import difflib
import importlib

from rankine.recipes.recipe import Recipe, TrainingWarning

# Learners by the name that the command line and model files use; a module is loaded when its learner is asked for.
RECIPES = {
    "ranksvm": ("rankine.recipes.ranksvm", "RankSVM"),
}


def recipe_named(name: str) -> type[Recipe]:
    """The recipe of a learner.

    >>> recipe_named("ranksvm")(C=10).C
    10
    """
    if name not in RECIPES:
        near = difflib.get_close_matches(name.lower(), RECIPES, 1, 0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(RECIPES)}"
        raise ValueError(f"no learner is named {name!r}; {hint}")
    module, kind = RECIPES[name]
    found: type[Recipe] = getattr(importlib.import_module(module), kind)
    return found


__all__ = ["RECIPES", "Recipe", "TrainingWarning", "recipe_named"]
