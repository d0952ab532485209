"""Time all metrics together on labels and scores like MSLR-WEB30K's, beside scikit-learn and ir-measures.

The peers measure the first queries only, and far fewer metrics; times are compared by the row. Run it as
`python benchmarks/metrics.py`. Compare the ratios within one run: the machine decides the rest.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from rankine.metrics import evaluate

ALL = (
    "nDCG nDCG@5 nDCG@10 MeanNDCG AP AP@10 P@10 R@10 RR RR@10 ERR ERR@20 pair_accuracy AUC domination_error "
    "kendall_tau spearman"
)
N_ROWS, N_QUERIES, N_PEER_QUERIES = 2_270_000, 19_000, 500


def draw() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels 0 to 4, scores that know something of them, and query ids; sizes of queries are log-normal."""
    rng = np.random.default_rng(0)
    share = rng.lognormal(0.0, 0.6, N_QUERIES)
    qid = np.sort(rng.choice(N_QUERIES, N_ROWS, p=share / share.sum()))
    label = rng.choice(5, N_ROWS, p=[0.52, 0.32, 0.13, 0.02, 0.01]).astype(float)
    return label, label / 2 + rng.normal(size=N_ROWS), qid


def seconds(call: Callable[[], Any], repeat: int = 3) -> float:
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


def main() -> None:
    label, score, qid = draw()
    shuffled = np.random.default_rng(1).permutation(N_ROWS)
    jobs = {
        f"all {len(ALL.split())} metrics": (lambda: evaluate(label, score, qid, ALL), N_ROWS),
        "the same, scores tied": (lambda: evaluate(label, np.round(score), qid, ALL), N_ROWS),
        "the same, rows shuffled": (lambda: evaluate(label[shuffled], score[shuffled], qid[shuffled], ALL), N_ROWS),
        "nDCG@10 alone": (lambda: evaluate(label, score, qid, "nDCG@10"), N_ROWS),
        "all as one query": (lambda: evaluate(label, score, None, ALL), N_ROWS),
    }
    part = qid < N_PEER_QUERIES
    for name, peer in [("scikit-learn: nDCG@10", scikit_learn), ("ir-measures: nDCG@10 AP P@10 RR", ir_measures)]:
        try:
            jobs[name] = (peer(label[part], score[part], qid[part]), int(part.sum()))
        except ImportError:
            print(f"{name}: not installed")
    ours = None
    print(f"{'':34}{'rows':>10}{'seconds':>10}{'ns/row':>10}{'ratio':>8}")
    for name, (job, n) in jobs.items():
        taken = seconds(job, 3 if n == N_ROWS else 1)
        ours = ours or taken / n
        print(f"{name:34}{n:10,}{taken:10.3f}{1e9 * taken / n:10.0f}{taken / n / ours:8.1f}")


if __name__ == "__main__":
    main()
