"""A model for each C, from a path."""

from __future__ import annotations

from collections.abc import Iterable

from rankine.data import Dataset
from rankine.model import Model
from rankine.recipes import Recipe, recipe_named
from rankine.recipes.recipe import PATH
from rankine.solvers import Watch


def path(
    data: Dataset, strengths: Iterable[float] = PATH, learner: str | Recipe = "ranksvm", watch: Watch | None = None
) -> list[Model]:
    """Learn a model for each C, in the time of a few; each has its certificate.

    Parameters
    ----------
    data
        Judged rows.
    strengths
        The values of C: 2^-15, 2^-14, …, 2^10 if not given.
    learner
        A recipe, or the name of one with its default parameters.
    watch
        Told about every step of the solver; a true answer ends it at that C.

    Returns
    -------
    list of Model
        From small C to large.

    Examples
    --------
    >>> from rankine.data import synthetic
    >>> models = path(synthetic.make("mslr10", scale=0.005), [0.01, 1, 100])
    >>> [model.parameters["C"] for model in models]
    [0.01, 1.0, 100.0]
    """
    recipe = recipe_named(learner)() if isinstance(learner, str) else learner
    return list(recipe.path(data, strengths, watch))
