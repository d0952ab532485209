"""An objective over a few queries that estimates the objective over all of them.

Queries that hold more than a fair share of the pairs are all taken as they are: an estimate without them would be far
off. Of the others a few are drawn at random, wherever they lie in the file, and weigh as much as all of them do.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankine.data.rows import freeze
from rankine.objectives.pairwise import Pairwise


def sampled(objective: Pairwise, n_rows: int, seed: int = 0) -> Pairwise | None:
    """The objective over a sample of the queries; None where the queries are too few or too unequal to be sampled.

    Parameters
    ----------
    objective
        The objective over all queries.
    n_rows
        About how many rows the sample shall have. It has at most twice as many.
    seed
        Which sample.
    """
    data, mass = objective.data, objective.pair_mass
    size = np.diff(data.grouped.query_ptr)
    useful = mass > 0
    fair = float(mass.sum()) * float(size[useful].mean()) / n_rows if useful.any() else 0.0
    taken = useful & (mass > fair)
    others = np.random.default_rng(seed).permutation(np.flatnonzero(useful & ~taken))
    left = n_rows - int(size[taken].sum())
    drawn = others[: max(1, int(np.searchsorted(np.cumsum(size[others]), max(left, n_rows // 2), side="right")))]
    which = np.sort(np.concatenate([np.flatnonzero(taken), drawn]))
    if len(drawn) in (0, len(others)) or int(size[which].sum()) > 2 * n_rows:
        return None
    sample = data.take_queries(which)
    weight = np.ones(len(size)) if data.grouped.query_weight is None else data.grouped.query_weight.copy()
    weight[drawn] *= mass[others].sum() / mass[drawn].sum()
    grouped = replace(sample.grouped, query_weight=freeze(weight[which]))
    return replace(objective, data=replace(sample, grouped=grouped))
