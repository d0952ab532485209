"""Pairs of adjacent levels against all pairs, where every row has a level of its own: section 4.6 of Lee & Lin.

C is chosen on validation rows for each, as the paper does; quality is that on unseen rows, over all pairs.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import rankine
from benchmarks.settings import Settings
from rankine.data import synthetic
from rankine.recipes.ranksvm import RankSVM


def main(settings: Settings) -> dict[str, Any]:
    """Choose C, learn and measure with each kind of pairs; prints a table."""
    scale = settings.scale * (0.02 if settings.quick else 0.5)
    train, unseen = (synthetic.make("mqlist", scale=scale, part=part) for part in ("train", "test"))
    half = unseen.n_queries // 2
    valid, test = unseen.take_queries(range(half)), unseen.take_queries(range(half, unseen.n_queries))
    lines = [
        f"### mqlist × {scale:g}",
        "",
        "|pairs|how many|C chosen|s to learn with it|test pairs right|",
        "|---|---|---|---|---|",
    ]
    found: dict[str, Any] = {}
    for pairs in ("all", "adjacent"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            search = rankine.tune(train, RankSVM(pairs=pairs), valid=valid, metrics="pair_accuracy", grow=False)
        C = search.choices["pair_accuracy"].best.parameters["C"]
        seconds = []
        for _ in range(settings.rounds):
            began = time.perf_counter()
            model = RankSVM(C=C, pairs=pairs).fit(train)
            seconds.append(time.perf_counter() - began)
        right = rankine.metrics.pair_accuracy(test.label, model.score(test), test.qid)
        n_pairs = model.data.pairs if model.data else 0.0
        found[pairs] = {"C": C, "pairs": n_pairs, "seconds": min(seconds), "test_pair_accuracy": right}
        lines.append(f"|{pairs}|{n_pairs:,.0f}|{C:g}|{min(seconds):.3f}|{right:.2%}|")
    print("\n".join(lines), flush=True)
    return {"mqlist": found}
