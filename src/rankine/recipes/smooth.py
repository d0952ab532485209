"""How learners with a smooth loss over pairs and an L2 penalty are fitted: which solver, and what it is given.

All speak of raw weights but the solvers, which see v: raw weights are factor · v where features are scaled.

All solvers reach the same optimum; they differ in what they read and keep. "auto" compares what they would cost, in
passes over the rows, by counts that were taken on dense and sparse data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from rankine.data import Vector
from rankine.objectives import L2, Box, Objective, Pairwise, Rescaled, Sum, sampled
from rankine.recipes.parameters import ParameterError
from rankine.solvers import Solution, Watch, cg, lbfgs, newton, tron

SolverName: TypeAlias = Literal["auto", "newton", "lbfgs", "cg", "tron"]

_WITH_HESSIAN = ("newton", "lbfgs")
_WITH_BOX = ("newton", "cg")
# From so many cells on, sums in single precision save enough time to be worth a way that depends on rounding.
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
    box: Box | None,
    centre: Vector | None,
    penalty_factors: Vector | None,
    solver: SolverName,
    tol: float,
    max_iter: int,
    watch: Watch | None,
) -> Solution:
    """Minimise ½ Σ penalty_factor_j (v_j − centre_j / factor_j)² + loss(w) over w = factor · v in the box."""
    if box is not None and solver not in ("auto", *_WITH_BOX):
        raise ParameterError(f"solver={solver!r} knows no constraints; name 'newton', 'cg' or 'auto', which do")
    within = box
    if factor is not None:
        start, centre = (None if raw is None else raw / factor for raw in (start, centre))
        within = None if box is None else box.rescaled(factor)

    def penalised(loss: Pairwise) -> Objective:
        penalty = L2(loss.n_features, centre=centre, factors=penalty_factors)
        return Sum([loss if factor is None else Rescaled(loss, factor), penalty])

    name = cheapest(loss, boxed=box is not None) if solver == "auto" else solver
    objective = penalised(loss)
    options: dict[str, Any] = {"tol": tol, "max_iter": max_iter, "watch": watch, "origin": centre}
    if name in _WITH_HESSIAN:
        options["single"] = loss.data.n_rows * loss.n_features >= _MANY_CELLS
    if name in _WITH_BOX:
        options["box"] = within
    if name == "lbfgs":
        sample = sampled(loss, round(sample_share(loss) * loss.data.n_rows))
        if sample is None:
            name = "newton"  # nothing to sample: one query, or as good as one
        else:
            options["sample"] = penalised(sample)
    solvers: dict[str, Callable[..., Solution]] = {"newton": newton, "lbfgs": lbfgs, "cg": cg, "tron": tron}
    solution = solvers[name](objective, start, **options)
    if factor is None:
        return solution
    raw = solution.coef * factor
    if box is not None and within is not None:
        raw = box.placed(raw, solution.coef, within)
    return replace(solution, coef=raw)


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
    if share <= 0.25 and not boxed:
        cost["lbfgs"] = 10.0 + 5.0 * (share * (1.0 + hessian) + factors)
    return min(cost, key=lambda name: cost[name])
