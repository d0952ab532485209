"""What a solver asks of the rows, one operation at a time: ns a row, and GB/s of stored features.

Beside it the speed at which this machine reads memory in a stream with as many threads, which nothing that reads every
row from memory can beat. Shapes that fit a cache may.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.benchmark_utils.scratch import synthetic_data
from benchmarks.machine import read_bandwidth
from benchmarks.settings import Settings
from rankine.objectives import Pairwise
from rankine.recipes.ranksvm import RankSVM

MOST_FEATURES = 1000  # of an explicit Hessian


def main(settings: Settings) -> list[dict[str, Any]]:
    """Measure every operation on every shape, with one thread and with two."""
    shapes = [("mslr10", 0.1), ("mqlist", 0.05), ("rcv1", 0.05), ("ctr", 0.1)]
    if not settings.quick:
        shapes = [("mslr10", 1), ("mslr30", 1), ("mqlist", 1), ("rcv1", 1), ("ctr", 1)]
    print("|data|operation|threads|ns a row|GB/s|of the machine's|\n|---|---|---|---|---|---|")
    rows = []
    for shape, scale in shapes:
        if settings.wants_shape(shape):
            size = settings.scale * scale
            rows += measure(f"{shape} × {size:g}", synthetic_data(shape, size, 0, "train"), settings)
    return rows


def measure(title: str, data: Any, settings: Settings) -> list[dict[str, Any]]:
    """The operations on one data set; prints as it goes."""
    # Near an optimum scores are spread, and sorted blocks are like those that solvers meet.
    C = 1e-6 if data.n_queries == 1 else 1.0
    w = RankSVM(C=C, tol=1e-2).fit(data).weights
    v = np.random.default_rng(0).normal(size=data.n_features)
    rows = data.grouped.rows
    stored = rows.value.nbytes + (rows.index.nbytes if rows.index is not None else 0)
    found = []
    for n in (1, 2):
        loss = Pairwise(data, C=C, n_threads=n)
        point = loss.at(w)
        step = loss.at(w).along(v)
        jobs: dict[str, Callable[[], Any]] = {
            "scores": lambda n=n: rows.scores(w, n),
            "value and gradient": lambda loss=loss: loss.at(w).gradient,
            "Hessian product": lambda point=point: point.hessian_product(v),
            "diagonal": lambda point=point: point.diagonal(),
            "line search, each trial": lambda step=step: step(0.5),
        }
        if hasattr(point, "hessian") and data.n_features <= MOST_FEATURES:
            jobs["Hessian, float32"] = lambda point=point: point.hessian(single=True)
            jobs["Hessian, float64"] = lambda point=point: point.hessian()
        for name, job in jobs.items():
            seconds = _best(job, 2 + 3 * settings.rounds)
            speed = stored / seconds / 1e9
            reads = name != "line search, each trial"
            row = {"data": title, "operation": name, "threads": n, "ns_per_row": 1e9 * seconds / data.n_rows}
            found.append(row | ({"GB_per_s": speed, "share": speed / read_bandwidth(n)} if reads else {}))
            told = f"{speed:.1f}|{speed / read_bandwidth(n):.0%}" if reads else "–|–"
            print(f"|{title}|{name}|{n}|{row['ns_per_row']:.1f}|{told}|", flush=True)
    return found


def _best(job: Callable[[], Any], repeats: int) -> float:
    best = np.inf
    for _ in range(repeats):
        began = time.perf_counter()
        job()
        best = min(best, time.perf_counter() - began)
    return best
