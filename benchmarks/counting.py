"""Time the counters of active pairs against the number of label levels (as Figure 4 of Lee & Lin compares them).

Rows have one feature, so that the sweeps are nearly all of the time: `product` is a Hessian product, whose order and
windows are known, `at` a value and gradient, sort included. Queries are many and differ, lest branch predictors learn
one by heart; the last lines are one query, which all threads share. Run it as `python benchmarks/counting.py`, and
compare within one run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from rankine.data import Dataset
from rankine.objectives import Pairwise
from rankine.objectives.pairwise import COUNTINGS

N_ROWS = 400_000
LEVELS = (2, 4, 8, 16, 64, 256, 1024)
ONE_QUERY_LEVELS = (2, 8, 64, 1024, N_ROWS)


def draw(n_queries: int, n_levels: int) -> Dataset:
    """Queries of log-normal sizes whose levels are as many as asked, or as their rows."""
    rng = np.random.default_rng(n_levels)
    share = rng.lognormal(0.0, 0.4, n_queries)
    qid = np.sort(rng.choice(n_queries, N_ROWS, p=share / share.sum()))
    x = rng.normal(size=N_ROWS)
    utility = np.argsort(np.argsort(x + 2 * rng.normal(size=N_ROWS))) / N_ROWS
    return Dataset.from_arrays(x[:, None], np.floor(utility * n_levels), qid)


def nanoseconds(call: Callable[[], Any], repeat: int) -> float:
    """The best of some runs, by the row."""
    best = np.inf
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best / N_ROWS * 1e9


def row(data: Dataset, n_levels: int, n_threads: int) -> str:
    """One line of the table."""
    w = np.ones(1)
    cells, at = [], 0.0
    for counting in COUNTINGS:
        if counting == "direct" and n_levels > 2048:
            cells.append(f"{'-':>15}")
            continue
        objective = Pairwise(data, counting=counting, n_threads=n_threads)
        point = objective.at(w)
        cells.append(f"{nanoseconds(lambda p=point: p.hessian_product(w), 5):15.1f}")
        if counting == "auto":
            at = nanoseconds(lambda o=objective: o.at(w).value, 3)
    return f"{n_levels:8,}{n_threads:8}{at:8.1f}{''.join(cells)}"


def main() -> None:
    header = f"{'levels':>8}{'threads':>8}{'at':>8}{''.join(f'{c:>15}' for c in COUNTINGS)}"
    print(f"ns/row, {N_ROWS:,} rows in 400 queries\n{header}")
    for n_levels in LEVELS:
        print(row(draw(400, n_levels), n_levels, 1), flush=True)
    print(f"one query of {N_ROWS:,} rows\n{header}")
    for n_levels in ONE_QUERY_LEVELS:
        data = draw(1, n_levels)
        for n_threads in (1, 2):
            print(row(data, n_levels, n_threads), flush=True)


if __name__ == "__main__":
    main()
