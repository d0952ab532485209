"""How learners with a loss over pairs and an L2 penalty are fitted: which solver, and what it is given.

All speak of raw weights but the solvers, which see v: raw weights are factor · v where features are scaled.

The hinge has a corner, and solvers of its own. For a smooth loss all solvers reach the same optimum; they differ in
what they read and keep. "auto" compares what they would cost, in passes over the rows, by counts that were taken on
dense and sparse data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from rankine.data import Vector
from rankine.objectives import L2, Box, Objective, Pairwise, Rescaled, Sum, sampled
from rankine.recipes.parameters import ParameterError
from rankine.solvers import Solution, Watch, cg, cutting_plane, lbfgs, newton, path, path_by, smoothing, tron

SolverName: TypeAlias = Literal["auto", "newton", "lbfgs", "cg", "tron", "smoothing", "cutting_plane"]

_SMOOTH, _FOR_CORNERS = ("newton", "lbfgs", "cg", "tron"), ("smoothing", "cutting_plane")
_WITH_HESSIAN = ("newton", "lbfgs", "smoothing")
_WITH_BOX = ("newton", "cg", "smoothing", "cutting_plane")
_MANY_CELLS = 1 << 22

# A sample has this share of the rows, this many rows a feature and this many queries, whichever is most. On MQ2008,
# 30 rows a feature took twice the steps that 60 do, and 120 save hardly any more.
_SHARE, _ROWS_A_FEATURE, _QUERIES = 0.02, 60, 20
_WORTH_SAMPLING = 0.25
# A smoothed corner is narrow: of a sample's pairs, few lie on it. With a tenth of the rows, steps are a few more than
# with all, and cost half.
_LEAST_SHARE_FOR_CORNERS = 0.1
# Above this many features a Hessian takes more memory than a default should.
_MOST_FEATURES = 1000


@dataclass(frozen=True, eq=False)
class Problem:
    """Minimise ½ Σ penalty_factor_j (v_j − centre_j / factor_j)² + losses(w) over the w = factor · v in a box.

    Parameters
    ----------
    loss
        The loss over pairs.
    beside
        A second one to add to it, None if there is none.
    factor
        What scales the features, None for ones.
    start, centre, box, penalty_factors
        In raw weights; None for zeros, zeros, no bounds and ones.
    """

    loss: Pairwise
    beside: Pairwise | None = None
    factor: Vector | None = None
    start: Vector | None = None
    centre: Vector | None = None
    box: Box | None = None
    penalty_factors: Vector | None = None

    def scaled(self, loss: Pairwise) -> Objective:
        """The losses as functions of v, with another first one."""
        both = loss if self.beside is None else Sum([loss, self.beside])
        return both if self.factor is None else Rescaled(both, self.factor)

    def sample(self, least_share: float = 0.0) -> Objective | None:
        """An estimate of the losses from some of the queries, None where they cannot be sampled."""
        share = max(sample_share(self.loss), least_share)
        some = sampled(self.loss, round(share * self.loss.data.n_rows))
        return None if some is None else self.scaled(some)

    @cached_property
    def penalty(self) -> L2:
        """The penalty on v."""
        return L2(self.loss.n_features, centre=self.in_v(self.centre), factors=self.penalty_factors)

    @cached_property
    def box_of_v(self) -> Box | None:
        """The box of v."""
        return self.box if self.box is None or self.factor is None else self.box.rescaled(self.factor)

    def in_v(self, raw: Vector | None) -> Vector | None:
        """The v of raw weights."""
        return raw if raw is None or self.factor is None else raw / self.factor

    def times(self, weight: float) -> Problem:
        """The problem with its losses multiplied."""
        beside = None if self.beside is None else self.beside.times(weight)
        return replace(self, loss=self.loss.times(weight), beside=beside)

    def in_raw(self, solution: Solution) -> Solution:
        """A solution in raw weights."""
        if self.factor is None:
            return solution
        raw = solution.coef * self.factor
        if self.box is not None and self.box_of_v is not None:
            raw = self.box.placed(raw, solution.coef, self.box_of_v)
        return replace(solution, coef=raw)


def solve(problem: Problem, *, solver: SolverName, tol: float, max_iter: int, watch: Watch | None) -> Solution:
    """Solve a problem by a solver, or by the one that suits it best."""
    loss, penalty = problem.loss, problem.penalty
    name = chosen(loss, solver, boxed=problem.box is not None)
    options: dict[str, Any] = {"tol": tol, "max_iter": max_iter, "watch": watch}
    if name in _WITH_HESSIAN:
        options["single"] = _is_large(loss)
    if name in _WITH_BOX:
        options["box"] = problem.box_of_v
    start = problem.in_v(problem.start)
    if name in _FOR_CORNERS:
        if name == "smoothing" and sample_share(loss) <= _WORTH_SAMPLING:
            options["sample"] = problem.sample(_LEAST_SHARE_FOR_CORNERS)
        for_corners: dict[str, Callable[..., Solution]] = {"smoothing": smoothing, "cutting_plane": cutting_plane}
        return problem.in_raw(for_corners[name](problem.scaled(loss), penalty, start, **options))
    if name == "lbfgs":
        sample = problem.sample()
        if sample is None:
            name = "newton"  # nothing to sample: one query, or as good as one
        else:
            options["sample"] = Sum([sample, penalty])
    smooth: dict[str, Callable[..., Solution]] = {"newton": newton, "lbfgs": lbfgs, "cg": cg, "tron": tron}
    return problem.in_raw(smooth[name](Sum([problem.scaled(loss), penalty]), start, origin=penalty.centre, **options))


def has_fast_path(problem: Problem) -> bool:
    """Whether `solve_path` knows a problem: a smooth loss and the plain penalty."""
    plain = problem.box is None and problem.centre is None and problem.penalty_factors is None
    return plain and problem.loss.loss != "hinge"


def solve_path(
    problem: Problem,
    weights: Sequence[float],
    *,
    solver: SolverName,
    tol: float,
    max_iter: int,
    watch: Watch | None,
) -> Iterator[Solution]:
    """Solve a problem with its losses multiplied by one weight after the other."""
    loss = problem.loss
    name = chosen(loss, solver)
    options: dict[str, Any] = {"tol": tol, "max_iter": max_iter, "watch": watch}
    start, objective = problem.in_v(problem.start), problem.scaled(loss)
    if name not in _WITH_HESSIAN:
        found = path_by({"cg": cg, "tron": tron}[name], objective, weights, start, **options)
    else:
        sample = problem.sample() if name == "lbfgs" else None
        if sample is not None:
            options |= {"sample": sample, "share": sample_share(loss)}
        found = path(objective, weights, start, single=_is_large(loss), **options)
    return map(problem.in_raw, found)


def _is_large(loss: Pairwise) -> bool:
    """Whether sums in single precision save enough time to be worth a way that depends on rounding."""
    return loss.data.n_rows * loss.n_features >= _MANY_CELLS


def chosen(loss: Pairwise, solver: SolverName, *, boxed: bool = False) -> str:
    """The name of the solver, which must suit the loss and the constraints."""
    has_corner = loss.loss == "hinge"
    able = _FOR_CORNERS if has_corner else _SMOOTH
    suited = [name for name in able if not boxed or name in _WITH_BOX]
    if solver == "auto":
        return suited[0] if has_corner else cheapest(loss, boxed=boxed)
    if solver not in suited:
        names = ", ".join(repr(name) for name in suited)
        what = f"loss {loss.loss!r}{' and constraints' if boxed else ''}"
        raise ParameterError(f"solver is {solver!r}; with {what} it must be 'auto' or one of {names}")
    return solver


def sample_share(loss: Pairwise) -> float:
    """The share of the rows that a sample needs to tell the Hessian of the whole; at most one."""
    size = np.diff(loss.data.grouped.query_ptr)[loss.pair_mass > 0]
    least = max(_ROWS_A_FEATURE * loss.n_features, _QUERIES * float(size.mean()))
    return min(1.0, max(_SHARE, least / float(size.sum())))


def cheapest(loss: Pairwise, *, boxed: bool = False) -> str:
    """The solver that "auto" means: the one that should cost the fewest passes over the rows.

    A Hessian costs about n / 20 passes over dense rows, and its factor n³ / 10 stored values. Newton's method takes
    about five of both; L-BFGS, which knows no box, ten passes, and Newton's method on its sample; conjugate gradients a
    hundred products.
    """
    n, rows = loss.n_features, loss.data.grouped.rows
    stored = max(rows.value.size, 1)
    if n > _MOST_FEATURES:
        return "cg"
    factors = n**3 / (10.0 * stored)
    hessian = n * n * rows.n_rows / (20.0 * stored)
    share = sample_share(loss)
    cost = {"newton": 5.0 * (1.0 + hessian + factors), "cg": 100.0}
    if share <= _WORTH_SAMPLING and not boxed:
        cost["lbfgs"] = 10.0 + 5.0 * (share * (1.0 + hessian) + factors)
    return min(cost, key=lambda name: cost[name])
