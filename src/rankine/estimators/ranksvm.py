"""The scikit-learn face of the recipe RankSVM."""

from __future__ import annotations

from typing import ClassVar, Literal

from rankine.estimators.ranker import Ranker
from rankine.recipes import Recipe
from rankine.recipes.ranksvm import RankSVM as Recipe_


class RankSVM(Ranker):
    """Linear RankSVM: squared hinge over all pairs, to its optimum, with a certificate.

        minimise ½ ‖w‖² + C Σ max(0, 1 − w·(x_i − x_j))²   over all pairs of a query with y_i > y_j

    Parameters
    ----------
    C
        Weight of the pairs' loss against the penalty ½‖w‖²: larger fits closer, smaller generalises more.
    pairs
        "all" pairs of rows of a query whose labels differ, or those of "adjacent" levels only.
    pair_weight
        "uniform": every pair counts the same. "query": every query that has pairs counts the same.
    row_weight
        "product": a pair weighs the product of its rows' weights, so that weight 2 is a row given twice and 0 a row
        left out. "winner": a pair weighs what its better row does, as inverse click propensities want.
    scale
        Learn on features divided by their greatest size ("max"), standard deviation ("std") or range ("minmax"). The
        model's weights are for raw features all the same.
    missing
        What a value that is missing (NaN) counts as: "error", "zero", or a number. "indicator": as 0, and each feature
        that has such gaps gets a second weight, for an indicator that is 1 where its value is missing and 0 elsewhere;
        learning then works on a copy of the rows. The model takes them for the same.
    solver
        "newton": the Hessian of all queries at each step, in few passes over the rows. "lbfgs": the Hessian of a sample
        of the queries, once; the steps teach the rest, and Newton's method takes over if the sample was unlike it.
        "cg": conjugate gradients with a diagonal preconditioner, for many features. "tron": the plain trust region
        method of the paper, to compare with. "auto" picks one of the first three by size, and the model says which.
        All reach the same optimum.
    tol
        Stop when the gradient is this much smaller than at zero weights. Smaller is more exact: 1e-10 is the optimum.
    max_iter
        Stop after this many steps of the solver in any case; those of "lbfgs" cost least, those of "cg" and "tron" take
        many products each.
    n_threads
        How many threads to use, all by default. The model is the same, bit by bit, for any number.

    Attributes
    ----------
    coef_
        The weights, for raw features, and then those of indicators (`missing="indicator"`); `model_.name_of` names
        them.
    gap_
        A certificate: the objective is at most this far above its optimum.
    n_iter_
        Steps of the solver done.
    model_
        The `Model`: save it, inspect it, score with it.
    n_features_in_, feature_names_in_
        What it was fitted on.

    Examples
    --------
    >>> import numpy as np
    >>> from rankine import RankSVM
    >>> rng = np.random.default_rng(0)
    >>> X, qid = rng.normal(size=(200, 3)), np.repeat(np.arange(20), 10)
    >>> y = np.round(X @ [2, -1, 0])
    >>> ranker = RankSVM(C=1).fit(X, y, qid)
    >>> round(ranker.score(X, y, qid=qid), 2)
    1.0
    """

    _recipe: ClassVar[type[Recipe]] = Recipe_

    def __init__(
        self,
        C: float = 1.0,
        *,
        pairs: Literal["all", "adjacent"] = "all",
        pair_weight: Literal["uniform", "query"] = "uniform",
        row_weight: Literal["product", "winner"] = "product",
        scale: Literal["max", "std", "minmax"] | None = None,
        missing: Literal["error", "zero", "indicator"] | float = "error",
        solver: Literal["auto", "newton", "lbfgs", "cg", "tron"] = "auto",
        tol: float = 1e-3,
        max_iter: int = 100,
        n_threads: int | None = None,
    ):
        self.C = C
        self.pairs = pairs
        self.pair_weight = pair_weight
        self.row_weight = row_weight
        self.scale = scale
        self.missing = missing
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.n_threads = n_threads
