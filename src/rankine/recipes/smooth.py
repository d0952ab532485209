"""How learners with a smooth loss over pairs and an L2 penalty are fitted: which solver, and what it is given.

All solvers reach the same optimum; they differ in what they read and keep. "auto" compares what they would cost, in
passes over the rows, by counts that were taken on dense and sparse data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from rankine.data import Vector
from rankine.objectives import L2, Objective, Pairwise, Rescaled, Sum, sampled
from rankine.solvers import Solution, Watch, cg, lbfgs, newton, path, path_by, tron

SolverName: TypeAlias = Literal["auto", "newton", "lbfgs", "cg", "tron"]

_WITH_HESSIAN = ("newton", "lbfgs")
_MANY_CELLS = 1 << 22

# A sample has this share of the rows, this many rows a feature and this many queries, whichever is most. On MQ2008,
# 30 rows a feature took twice the steps that 60 do, and 120 save hardly any more.
_SHARE, _ROWS_A_FEATURE, _QUERIES = 0.02, 60, 20
# Above this many features a Hessian takes more memory than a default should.
_MOST_FEATURES = 1000


def solve(
    loss: Pairwise,
    factor: Vector | None,
    start: Vector | None,
    *,
    solver: SolverName,
    tol: float,
    max_iter: int,
    watch: Watch | None,
) -> Solution:
    """Minimise ½‖v‖² + loss(factor · v); factor None is one for every feature."""

    def penalised(loss: Pairwise) -> Objective:
        return Sum([loss if factor is None else Rescaled(loss, factor), L2(loss.n_features)])

    name = cheapest(loss) if solver == "auto" else solver
    objective = penalised(loss)
    options: dict[str, Any] = {"tol": tol, "max_iter": max_iter, "watch": watch}
    if name in _WITH_HESSIAN:
        options["single"] = _is_large(loss)
    if name == "lbfgs":
        sample = sampled(loss, round(sample_share(loss) * loss.data.n_rows))
        if sample is not None:
            return lbfgs(objective, start, sample=penalised(sample), **options)
        name = "newton"  # nothing to sample: one query, or as good as one
    solve_by: Callable[..., Solution] = {"newton": newton, "cg": cg, "tron": tron}[name]
    return solve_by(objective, start, **options)


def solve_path(
    loss: Pairwise,
    strengths: Sequence[float],
    factor: Vector | None,
    start: Vector | None,
    *,
    solver: SolverName,
    tol: float,
    max_iter: int,
    watch: Watch | None,
) -> Iterator[Solution]:
    """Minimise ½‖v‖² + C loss(factor · v) for one C after the other."""

    def scaled(loss: Pairwise) -> Objective:
        return loss if factor is None else Rescaled(loss, factor)

    name = cheapest(loss) if solver == "auto" else solver
    options: dict[str, Any] = {"tol": tol, "max_iter": max_iter, "watch": watch}
    if name not in _WITH_HESSIAN:
        return path_by({"cg": cg, "tron": tron}[name], scaled(loss), strengths, start, **options)
    if name == "lbfgs":
        share = sample_share(loss)
        sample = sampled(loss, round(share * loss.data.n_rows))
        if sample is not None:
            options |= {"sample": scaled(sample), "share": share}
    return path(scaled(loss), strengths, start, single=_is_large(loss), **options)


def _is_large(loss: Pairwise) -> bool:
    """Whether sums in single precision save enough time to be worth a way that depends on rounding."""
    return loss.data.n_rows * loss.n_features >= _MANY_CELLS


def sample_share(loss: Pairwise) -> float:
    """The share of the rows that a sample needs to tell the Hessian of the whole; at most one."""
    size = np.diff(loss.data.grouped.query_ptr)[loss.pair_mass > 0]
    least = max(_ROWS_A_FEATURE * loss.n_features, _QUERIES * float(size.mean()))
    return min(1.0, max(_SHARE, least / float(size.sum())))


def cheapest(loss: Pairwise) -> str:
    """The solver that "auto" means: the one that should cost the fewest passes over the rows.

    A Hessian costs about n / 20 passes over dense rows, and its factor n³ / 10 stored values. Newton's method takes
    about five of both; L-BFGS ten passes, and Newton's method on its sample; conjugate gradients a hundred products.
    """
    n, rows = loss.n_features, loss.data.grouped.rows
    stored = max(rows.value.size, 1)
    if n > _MOST_FEATURES:
        return "cg"
    factors = n**3 / (10.0 * stored)
    hessian = n * n * rows.n_rows / (20.0 * stored)
    share = sample_share(loss)
    cost = {"newton": 5.0 * (1.0 + hessian + factors), "cg": 100.0}
    if share <= 0.25:
        cost["lbfgs"] = 10.0 + 5.0 * (share * (1.0 + hessian) + factors)
    return min(cost, key=lambda name: cost[name])
