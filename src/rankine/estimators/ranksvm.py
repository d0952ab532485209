"""The scikit-learn face of the recipe RankSVM."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import ClassVar, Literal

from rankine.estimators.ranker import Ranker
from rankine.model import Model
from rankine.recipes import Recipe
from rankine.recipes.features import Bound
from rankine.recipes.ranksvm import RankSVM as Recipe_


class RankSVM(Ranker):
    """Linear RankSVM: a margin loss over all pairs, to its optimum, with a certificate.

        minimise ½ ‖w‖² + C Σ loss(w·(x_i − x_j))   over all pairs of a query with y_i > y_j

    Parameters
    ----------
    C
        Weight of the pairs' loss against the penalty ½‖w‖²: larger fits closer, smaller generalises more.
    loss
        What a pair of margin m = w·(x_i − x_j) costs. "squared_hinge": max(0, 1 − m)². "hinge": max(0, 1 − m), the L1
        loss. "modified_huber": the squared hinge, but no steeper than at m = −1. "logistic": log(1 + exp(−m)), which
        alone visits its pairs one by one: time grows with the pairs (a few nanoseconds each), memory does not.
    C_convention
        Whose C it is, for numbers from other programs. "pairs": C multiplies the sum over pairs, as in liblinear.
        "svm_rank": C / number of queries does. "treeranksvm": it is that program's λ, and 1 / (λ · number of pairs)
        does. "mean": C multiplies the mean over pairs.
    pairs
        "all" pairs of rows of a query whose labels differ, those of "adjacent" levels only, or only the "listed" ones:
        the preferences that come with the data. Preferences count beside the others, too.
    pair_weight
        "uniform": every pair counts the same. "query": every query that has pairs counts the same. "gain": a pair
        weighs the difference of its labels' gains, as nDCG has them.
    gain
        For pair_weight="gain". "exp2": the gain of a label is 2^label − 1. "linear": it is the label.
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
        The hinge has a corner, so it has solvers of its own: "smoothing", which "auto" picks, is Newton's method on
        ever closer smooth losses, and "cutting_plane" the paper's rival. All reach the same optimum; with constraints,
        all but "lbfgs" and "tron" do.
    tol
        Stop when the gradient is this much smaller than at zero weights, or at the prior; for the hinge, when the
        certified gap is this small beside the objective. Smaller is more exact: 1e-10 is the optimum.
    max_iter
        Stop after this many steps of the solver in any case; those of "lbfgs" cost least, those of "cg" and "tron" take
        many products each, and "cutting_plane" may need hundreds.
    constraints
        Where weights may be, by feature: {"price": "-", "bm25": "+", "ctr": (0, None), "legacy": 0} for at most zero,
        at least zero, between two bounds of which None is open, and fixed. They hold for raw weights. Features without
        names are numbered from 1.
    prior
        A model to stay near, or its file: the penalty is ½‖w − w₀‖² with its weights w₀. Features are matched by name.
    penalty_factors
        What a feature's share of the penalty is multiplied with, by feature: {"price": 10}; 1 for all others.
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
        loss: Literal["squared_hinge", "hinge", "modified_huber", "logistic"] = "squared_hinge",
        C_convention: Literal["pairs", "svm_rank", "treeranksvm", "mean"] = "pairs",
        pairs: Literal["all", "adjacent", "listed"] = "all",
        pair_weight: Literal["uniform", "query", "gain"] = "uniform",
        gain: Literal["exp2", "linear"] = "exp2",
        row_weight: Literal["product", "winner"] = "product",
        scale: Literal["max", "std", "minmax"] | None = None,
        missing: Literal["error", "zero", "indicator"] | float = "error",
        solver: Literal["auto", "newton", "lbfgs", "cg", "tron", "smoothing", "cutting_plane"] = "auto",
        tol: float = 1e-3,
        max_iter: int = 100,
        constraints: Mapping[str | int, Bound] | None = None,
        prior: Model | str | os.PathLike[str] | None = None,
        penalty_factors: Mapping[str | int, float] | None = None,
        n_threads: int | None = None,
    ):
        self.C = C
        self.loss = loss
        self.C_convention = C_convention
        self.pairs = pairs
        self.pair_weight = pair_weight
        self.gain = gain
        self.row_weight = row_weight
        self.scale = scale
        self.missing = missing
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.constraints = constraints
        self.prior = prior
        self.penalty_factors = penalty_factors
        self.n_threads = n_threads
