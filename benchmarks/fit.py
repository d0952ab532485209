"""How long RankSVM takes on synthetic shapes: seconds, passes over the rows, and beside LinearSVC on listed pairs.

The listed pairs are what scikit-learn's users do today. It solves the same problem (squared hinge, no intercept) and is
stopped at the same relative gap of 1e-3 where it gets there; where the pairs do not fit in memory it is left out.

The environment variable TREE_TRON may name a liblinear-ranksvm `train` program, which is then timed from file to model
beside `rankine train`, one thread each.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import rankine
from rankine.data import synthetic
from rankine.recipes.ranksvm import RankSVM

SHAPES = {"mslr10": (1.0, 1.0), "mqlist": (0.2, 1.0), "ctr": (0.2, 1e-6), "rcv1": (0.2, 1.0)}  # scale and C
MOST_PAIRS = 2_000_000


def best(work, repeat=3):
    times = []
    for _ in range(repeat):
        began = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - began)
    return min(times), result


def listed_pairs(data):
    """Differences of all pairs, better minus worse."""
    g = data.grouped
    better, worse = [], []
    for begin, end in zip(g.query_ptr[:-1], g.query_ptr[1:], strict=True):
        i, j = np.nonzero(g.label[begin:end, None] > g.label[None, begin:end])
        better.append(i + begin)
        worse.append(j + begin)
    X = g.rows.matrix
    return X[np.concatenate(better)] - X[np.concatenate(worse)]


def linear_svc(data, C):
    from sklearn.svm import LinearSVC

    D = listed_pairs(data)
    signs = np.where(np.arange(D.shape[0]) % 2, 1.0, -1.0)  # both classes must occur
    D = D * signs[:, None] if isinstance(D, np.ndarray) else D.multiply(signs[:, None]).tocsr()
    return LinearSVC(C=C, loss="squared_hinge", fit_intercept=False, dual=False, tol=1e-4).fit(D, signs)


def main():
    print(
        f"{'shape':8} {'rows':>9} {'pairs':>14}  {'1 thread':>9} {'2 threads':>9} {'steps':>5} {'passes':>7}  LinearSVC"
    )
    for shape, (scale, C) in SHAPES.items():
        data = synthetic.make(shape, scale=scale)
        seconds = [best(lambda n=n: RankSVM(C=C, n_threads=n).fit(data))[0] for n in (1, 2)]
        model = RankSVM(C=C).fit(data)
        one_pass = best(lambda: data.grouped.rows.scores(model.weights, 1))[0]
        peer = "-"
        if model.data.pairs <= MOST_PAIRS:
            took, _ = best(lambda: linear_svc(data, C), 1)
            peer = f"{took:.2f} s = {took / seconds[0]:.0f} x"
        print(
            f"{shape:8} {data.n_rows:9,} {model.data.pairs:14,.0f}  {seconds[0]:8.3f}s {seconds[1]:8.3f}s "
            f"{model.outcome.n_iter:5} {seconds[0] / one_pass:7.0f}  {peer}"
        )
    small = synthetic.make("mslr10", scale=0.05)
    ours, _ = best(lambda: RankSVM(C=1.0, n_threads=1).fit(small))
    theirs, _ = best(lambda: linear_svc(small, 1.0), 1)
    print(f"mslr10 x 0.05, pairs listed: LinearSVC {theirs:.2f} s = {theirs / ours:.0f} x our {ours:.3f} s")
    if "TREE_TRON" in os.environ:
        file_to_model(os.environ["TREE_TRON"])


def file_to_model(tree_tron):
    with tempfile.TemporaryDirectory() as folder:
        text, out = Path(folder) / "train.txt", Path(folder) / "model"
        rankine.write(synthetic.make("mslr10"), text)
        command = [sys.executable, "-m", "rankine", "train", text, "-o", out, "--C", "1", "--n-threads", "1"]
        ours, _ = best(lambda: subprocess.run(command, check=True, capture_output=True))
        theirs, _ = best(lambda: subprocess.run([tree_tron, "-q", text, out], check=True, capture_output=True))
        print(f"mslr10 text to model: Tree-TRON {theirs:.2f} s = {theirs / ours:.1f} x our {ours:.2f} s")


if __name__ == "__main__":
    main()
