"""Linear RankSVM, exactly over all pairs (Lee & Lin, *Large-scale Linear RankSVM*, 2014).

minimise ½ ‖w‖² + C Σ loss(w·(x_i − x_j))   over all pairs of a query with y_i > y_j
"""

from __future__ import annotations

import math
import os
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar, Literal, Self

from rankine.data import DataError, Dataset
from rankine.data.gaps import Filling
from rankine.data.scales import scale_factors, scale_warning
from rankine.model import Model, Scaling, load
from rankine.objectives import Pairwise, preferred
from rankine.recipes.features import Bound, box_of, centre_of, factors_of
from rankine.recipes.missing import Missing, filled, starting_weights, with_indicators
from rankine.recipes.parameters import Number, ParameterError
from rankine.recipes.recipe import PATH, Recipe, TrainingWarning, along_c, nothing_to_rank
from rankine.recipes.solving import Problem, SolverName, has_fast_path, solve, solve_path
from rankine.solvers import Watch


@dataclass(frozen=True)
class RankSVM(Recipe):
    """Linear RankSVM: a margin loss over all pairs, to its optimum, with a certificate.

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
        names are numbered from 1. In a command: --constraint price=- --constraint ctr=0: --constraint legacy=0.
    prior
        A model to stay near, or its file: the penalty is ½‖w − w₀‖² with its weights w₀. Features are matched by name.
    penalty_factors
        What a feature's share of the penalty is multiplied with, by feature: {"price": 10}; 1 for all others. In a
        command: --penalty-factor price=10.
    n_threads
        How many threads to use, all by default. The model is the same, bit by bit, for any number.
    """

    name: ClassVar[str] = "ranksvm"
    search: ClassVar[Mapping[str, str]] = {"C": "2^-15..2^10"}

    C: Annotated[float, Number(above=0)] = 1.0
    loss: Literal["squared_hinge", "hinge", "modified_huber", "logistic"] = "squared_hinge"
    C_convention: Literal["pairs", "svm_rank", "treeranksvm", "mean"] = "pairs"
    pairs: Literal["all", "adjacent", "listed"] = "all"
    pair_weight: Literal["uniform", "query", "gain"] = "uniform"
    gain: Literal["exp2", "linear"] = "exp2"
    row_weight: Literal["product", "winner"] = "product"
    scale: Literal["max", "std", "minmax"] | None = None
    missing: Missing = "error"
    solver: SolverName = "auto"
    tol: Annotated[float, Number(least=0)] = 1e-3
    max_iter: Annotated[int, Number(least=1)] = 100
    constraints: Mapping[str | int, Bound] | None = None
    prior: Model | str | os.PathLike[str] | None = None
    penalty_factors: Mapping[str | int, Annotated[float, Number(above=0)]] | None = None
    n_threads: Annotated[int, Number(least=1)] | None = None

    @cached_property
    def prior_model(self) -> Model | None:
        """The prior, read if it is a file."""
        return self.prior if self.prior is None or isinstance(self.prior, Model) else load(self.prior)

    def fit(self, data: Dataset, watch: Watch | None = None, *, start: Model | None = None) -> Model:
        """Learn a model; see `Recipe.fit`."""
        began = time.perf_counter()
        problem, n_pairs, scaling, filling = self._problem(data, start)
        problem = problem.times(self._weight(data, n_pairs))
        solution = solve(problem, solver=self.solver, tol=self.tol, max_iter=self.max_iter, watch=watch)
        return self.model(data, n_pairs, solution, solution.coef, scaling, filling, time.perf_counter() - began)

    def path(
        self,
        data: Dataset,
        strengths: Iterable[float] = PATH,
        watch: Watch | None = None,
        *,
        start: Model | None = None,
    ) -> Iterator[Model]:
        """Learn a model for each C, one after the other; see `Recipe.path`."""
        began = time.perf_counter()
        recipes = along_c(self, strengths)
        problem, n_pairs, scaling, filling = self._problem(data, start)
        if not has_fast_path(problem):
            yield from super().path(data, [recipe.C for recipe in recipes], watch, start=start)
            return
        weights = [recipe._weight(data, n_pairs) for recipe in recipes]
        solutions = solve_path(problem, weights, solver=self.solver, tol=self.tol, max_iter=self.max_iter, watch=watch)
        for recipe, solution in zip(recipes, solutions, strict=True):
            yield recipe.model(data, n_pairs, solution, solution.coef, scaling, filling, time.perf_counter() - began)
            began = time.perf_counter()

    def for_all(self, share: float) -> Self:
        """The learner for all data, given that for a part; see `Recipe.for_all`. Means need no other C."""
        return super().for_all(share) if self.C_convention == "pairs" else self

    def _weight(self, data: Dataset, n_pairs: float) -> float:
        return weight_of_pairs(self.C, self.C_convention, data.n_queries, n_pairs)

    def _problem(self, data: Dataset, start: Model | None) -> tuple[Problem, float, Scaling | None, Filling | None]:
        """The problem with pairs of weight one, their total weight, and how features are scaled and gaps filled."""
        whole, filling = filled(data, self.missing)
        loss, *beside = losses = self._losses(whole.suited())
        n_pairs = sum(float(loss.pair_mass.sum()) for loss in losses)
        weights = None if start is None else starting_weights(start, data, filling)
        scaling = None
        if self.scale is not None:
            scaling = Scaling(self.scale, scale_factors(whole.grouped.rows, self.scale))
        elif (advice := scale_warning(whole)) is not None:
            warnings.warn(advice, TrainingWarning, stacklevel=3)
        prior, centre = self.prior_model, centre_of(self.prior_model, data)
        problem = Problem(
            loss,
            beside[0] if beside else None,
            factor=None if scaling is None else scaling.factor,
            start=weights,
            centre=None if prior is None or centre is None else with_indicators(centre, prior, data, filling),
            box=box_of(self.constraints, whole),
            penalty_factors=factors_of(self.penalty_factors, whole),
        )
        return problem, n_pairs, scaling, filling

    def _losses(self, data: Dataset) -> list[Pairwise]:
        """The losses over the pairs of labels and over preferences: those of the two that have pairs."""
        found: list[Pairwise] = []
        if self.pairs != "listed":
            by_label = Pairwise(
                data,
                self.loss,
                pairs=self.pairs,
                pair_weight=self.pair_weight,
                gain=self.gain,
                row_weight=self.row_weight,
                n_threads=self.n_threads,
            )
            found.append(by_label)
        if data.grouped.preferences is not None:
            found.append(Pairwise(preferred(data), self.loss, n_threads=self.n_threads))
        useful = [loss for loss in found if loss.pair_mass.any() and data.n_features > 0]
        if not useful:
            if self.pairs == "listed":
                raise DataError("nothing to rank: pairs='listed' learns from preferences alone, and the data has none")
            raise DataError(nothing_to_rank(by_label))
        return useful


def weight_of_pairs(C: float, convention: str, n_queries: int, n_pairs: float) -> float:
    """What multiplies the sum over pairs, for a C in the convention of some program.

    Parameters
    ----------
    C, convention
        See `RankSVM`.
    n_queries
        The number of queries, those without pairs among them, as svm_rank counts.
    n_pairs
        The total weight of the pairs.
    """
    factor = {
        "pairs": C,
        "svm_rank": C / n_queries,
        "treeranksvm": 1.0 / (C * n_pairs),
        "mean": C / n_pairs,
    }[convention]
    if not 0.0 < factor < math.inf:
        raise ParameterError(f"C is {C:g}; by the convention of {convention!r} the pairs would weigh {factor:g}")
    return factor
