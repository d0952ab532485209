"""Time all metrics together on labels and scores like MSLR-WEB30K's, beside scikit-learn and ir-measures.

The peers measure the first queries only, and far fewer metrics; times are compared by the row.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.settings import Settings
from rankine.metrics import evaluate

ALL = (
    "nDCG nDCG@5 nDCG@10 MeanNDCG AP AP@10 P@10 R@10 RR RR@10 ERR ERR@20 pair_accuracy AUC domination_error "
    "kendall_tau spearman"
)
N_ROWS, N_QUERIES, N_PEER_QUERIES = 2_270_000, 19_000, 500


def draw(scale: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels 0 to 4, scores that know something of them, and query ids; sizes of queries are log-normal."""
    rng = np.random.default_rng(0)
    n_rows, n_queries = round(N_ROWS * scale), round(N_QUERIES * scale)
    share = rng.lognormal(0.0, 0.6, n_queries)
    qid = np.sort(rng.choice(n_queries, n_rows, p=share / share.sum()))
    label = rng.choice(5, n_rows, p=[0.52, 0.32, 0.13, 0.02, 0.01]).astype(float)
    return label, label / 2 + rng.normal(size=n_rows), qid


def seconds(call: Callable[[], Any], repeat: int) -> float:
    """The best of some runs."""
    best = np.inf
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def scikit_learn(label: np.ndarray, score: np.ndarray, qid: np.ndarray) -> Callable[[], Any]:
    """nDCG@10 of each query."""
    from sklearn.metrics import ndcg_score

    ptr = np.flatnonzero(np.diff(qid, prepend=-1, append=-1))
    return lambda: [ndcg_score(label[None, a:b], score[None, a:b], k=10) for a, b in itertools.pairwise(ptr)]


def ir_measures(label: np.ndarray, score: np.ndarray, qid: np.ndarray) -> Callable[[], Any]:
    """Four metrics by trec_eval; rows are made into its records beforehand."""
    import ir_measures as ir

    names = [str(i) for i in range(len(label))]
    queries = [str(q) for q in qid]
    qrels = [ir.Qrel(q, d, int(x)) for q, d, x in zip(queries, names, label, strict=True)]
    run = [ir.ScoredDoc(q, d, float(s)) for q, d, s in zip(queries, names, score, strict=True)]
    measures = [ir.parse_measure(name) for name in ("nDCG@10", "AP", "P@10", "RR")]
    return lambda: ir.calc_aggregate(measures, qrels, run)


def main(settings: Settings) -> list[dict[str, Any]]:
    """Measure everything, and print a table."""
    label, score, qid = draw(settings.scale * (0.1 if settings.quick else 1.0))
    n_rows = len(label)
    shuffled = np.random.default_rng(1).permutation(n_rows)
    jobs = {
        f"all {len(ALL.split())} metrics": (lambda: evaluate(label, score, qid, ALL), n_rows),
        "the same, scores tied": (lambda: evaluate(label, np.round(score), qid, ALL), n_rows),
        "the same, rows shuffled": (lambda: evaluate(label[shuffled], score[shuffled], qid[shuffled], ALL), n_rows),
        "nDCG@10 alone": (lambda: evaluate(label, score, qid, "nDCG@10"), n_rows),
        "all as one query": (lambda: evaluate(label, score, None, ALL), n_rows),
    }
    part = qid < (N_PEER_QUERIES // 5 if settings.quick else N_PEER_QUERIES)
    for name, peer in [("scikit-learn: nDCG@10", scikit_learn), ("ir-measures: nDCG@10 AP P@10 RR", ir_measures)]:
        try:
            jobs[name] = (peer(label[part], score[part], qid[part]), int(part.sum()))
        except ImportError:
            print(f"{name}: not installed")
    print("|what|rows|seconds|ns a row|× all metrics|\n|---|---|---|---|---|")
    rows = []
    for name, (job, n) in jobs.items():
        taken = seconds(job, settings.rounds if n == n_rows else 1)
        rows.append({"what": name, "rows": n, "seconds": taken, "ns_per_row": 1e9 * taken / n})
        times = rows[-1]["ns_per_row"] / rows[0]["ns_per_row"]
        print(f"|{name}|{n:,}|{taken:.3f}|{rows[-1]['ns_per_row']:.0f}|{times:.1f}|", flush=True)
    return rows
