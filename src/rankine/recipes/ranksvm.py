"""Linear RankSVM with L2 loss, exactly over all pairs (Lee & Lin, *Large-scale Linear RankSVM*, 2014).

minimise ½ ‖w‖² + C Σ max(0, 1 − w·(x_i − x_j))²   over all pairs of a query with y_i > y_j
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from rankine.data import Dataset
from rankine.data.scales import scale_factors, scale_warning
from rankine.model import Model, Scaling
from rankine.objectives import Pairwise
from rankine.recipes.missing import Missing, filled, starting_weights
from rankine.recipes.parameters import Number
from rankine.recipes.recipe import Recipe, TrainingWarning, pairs_to_rank
from rankine.recipes.smooth import SolverName, solve
from rankine.solvers import Watch


@dataclass(frozen=True)
class RankSVM(Recipe):
    """Linear RankSVM: squared hinge over all pairs, to its optimum, with a certificate.

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
    """

    name: ClassVar[str] = "ranksvm"

    C: Annotated[float, Number(above=0)] = 1.0
    pairs: Literal["all", "adjacent"] = "all"
    pair_weight: Literal["uniform", "query"] = "uniform"
    row_weight: Literal["product", "winner"] = "product"
    scale: Literal["max", "std", "minmax"] | None = None
    missing: Missing = "error"
    solver: SolverName = "auto"
    tol: Annotated[float, Number(least=0)] = 1e-3
    max_iter: Annotated[int, Number(least=1)] = 100
    n_threads: Annotated[int, Number(least=1)] | None = None

    def fit(self, data: Dataset, watch: Watch | None = None, *, start: Model | None = None) -> Model:
        """Learn a model; see `Recipe.fit`."""
        began = time.perf_counter()
        whole, filling = filled(data, self.missing)
        loss = Pairwise(
            whole.suited(),
            C=self.C,
            pairs=self.pairs,
            pair_weight=self.pair_weight,
            row_weight=self.row_weight,
            n_threads=self.n_threads,
        )
        n_pairs = pairs_to_rank(loss)
        weights = None if start is None else starting_weights(start, data, filling)
        scaling = None
        if self.scale is not None:
            scaling = Scaling(self.scale, scale_factors(whole.grouped.rows, self.scale))
            weights = None if weights is None else weights / scaling.factor
        elif (advice := scale_warning(whole)) is not None:
            warnings.warn(advice, TrainingWarning, stacklevel=2)
        solution = solve(
            loss,
            None if scaling is None else scaling.factor,
            weights,
            solver=self.solver,
            tol=self.tol,
            max_iter=self.max_iter,
            watch=watch,
        )
        coef = solution.coef if scaling is None else solution.coef * scaling.factor
        return self.model(data, n_pairs, solution, coef, scaling, filling, time.perf_counter() - began)
