"""Files to data in MB/s, and files to models in a fresh process, beside scikit-learn and liblinear-ranksvm.

MB/s are always those of the text, also where what is read is compressed or binary. Files are in the page cache. What
liblinear reads is told from its open files (see `benchmark_utils/liblinear.py`). A model from a file is timed as a
whole: the process starts, reads, trains, writes and ends.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import rankine
from benchmarks.benchmark_utils import liblinear
from benchmarks.benchmark_utils.scratch import as_text, synthetic_data, untouched
from benchmarks.settings import FOLDER, Settings
from rankine.objectives import L2, Pairwise, Sum
from rankine.recipes.ranksvm import RankSVM


def main(settings: Settings) -> dict[str, Any]:
    """Read and train from files of dense and of sparse rows."""
    shapes = [("mslr10", 0.02), ("rcv1", 0.01)] if settings.quick else [("mslr10", 1), ("rcv1", 0.25)]
    found = {}
    for shape, scale in shapes:
        if settings.wants_shape(shape):
            data = synthetic_data(shape, settings.scale * scale, 0, "train")
            title = f"{shape} × {settings.scale * scale:g}"
            found[title] = {"read": read(title, data, settings), "train": file_to_model(title, data, settings)}
    return found


def read(title: str, data: Any, settings: Settings) -> list[dict[str, Any]]:
    """Seconds of everything that reads the data set, as a table."""
    files = {name: as_text(data, ending) for name, ending in (("text", ".txt"), ("gzip", ".txt.gz"), ("npz", ".npz"))}
    megabytes = files["text"].stat().st_size / 1e6
    jobs: dict[tuple[str, str, int], Callable[[], Any]] = {
        ("rankine", name, n): lambda file=file, n=n: rankine.read(file, n_threads=n)
        for name, file in files.items()
        for n in (1, 2)
    }
    jobs["scikit-learn", "text", 1] = lambda: _load_svmlight(files["text"])
    jobs["the bytes alone", "text", 1] = lambda: _consume(files["text"])
    jobs["zlib alone", "gzip", 1] = lambda: _consume(files["gzip"], zlib.decompressobj(31).decompress)
    times = {name: min(_seconds(job) for _ in range(settings.rounds)) for name, job in jobs.items()}
    if liblinear.why_not() is None:
        times["liblinear-ranksvm", "text", 1] = min(_liblinear_reads(files["text"]) for _ in range(settings.rounds))
    ours = times["rankine", "text", 1], times["rankine", "text", 2]
    print(
        f"### {title}: {megabytes:.0f} MB of text\n\n|reader|file|threads|seconds|MB/s|× ours from text, 1 / 2 threads|"
    )
    print("|---|---|---|---|---|---|")
    rows = []
    for (reader, file, n), seconds in times.items():
        rows.append({"reader": reader, "file": file, "threads": n, "seconds": seconds, "MB/s": megabytes / seconds})
        against = f"{seconds / ours[0]:.2f} / {seconds / ours[1]:.2f}"
        print(f"|{reader}|{file}|{n}|{seconds:.3f}|{megabytes / seconds:,.0f}|{against}|")
    print(flush=True)
    return rows


def file_to_model(title: str, data: Any, settings: Settings) -> list[dict[str, Any]]:
    """Whole processes, with the objective that each model reached, as a table."""
    text = as_text(data)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "model.json"
        rankine_train = [Path(sys.executable).parent / "rankine", "train", text, "-o", out, "--C", "1"]
        commands = {("rankine train", n): [*rankine_train, "--n-threads", str(n)] for n in (1, 2)}
        if liblinear.why_not() is None:
            commands["liblinear-ranksvm train", 1] = [liblinear.program(), "-q", "-c", "1", text, out]
        function = Sum([Pairwise(untouched(data, "float64")), L2(data.n_features)])
        best = function.at(RankSVM(tol=1e-9, max_iter=100_000).fit(data).weights).value
        for (name, n), command in commands.items():
            runs = [_process(command, n) for _ in range(settings.rounds)]
            rankines = name.startswith("rankine")
            w = rankine.load(out).weights if rankines else liblinear.read_model(out, data.n_features)
            w = np.pad(w, (0, data.n_features - len(w)))
            seconds, memory = min(runs)
            gap = function.at(w).value / best - 1
            rows.append({"command": name, "threads": n, "seconds": seconds, "peak_MB": memory, "gap": gap})
    print(f"### {title}: from a text file to a model file, in a fresh process, C = 1\n")
    print("|command|threads|seconds|peak MB|relative gap|× ours, 1 / 2 threads|\n|---|---|---|---|---|---|")
    for row in rows:
        against = " / ".join(f"{row['seconds'] / mine['seconds']:.2f}" for mine in rows[:2])
        print(
            f"|{row['command']}|{row['threads']}|{row['seconds']:.3f}|{row['peak_MB']:,.0f}|{row['gap']:.0e}|{against}|"
        )
    print(flush=True)
    return rows


def _seconds(job: Callable[[], Any]) -> float:
    began = time.perf_counter()
    job()
    return time.perf_counter() - began


def _load_svmlight(path: Path) -> Any:
    from sklearn.datasets import load_svmlight_file

    return load_svmlight_file(path, query_id=True)


def _consume(path: Path, use: Callable[[bytes], Any] = len) -> None:
    """Read a file in blocks."""
    with path.open("rb", buffering=0) as file:
        while block := file.read(1 << 20):
            use(block)


def _liblinear_reads(path: Path) -> float:
    with tempfile.TemporaryDirectory() as folder:
        training = liblinear.Training(path, Path(folder) / "model", 1.0, 1e-3)
        training.kill()
    return training.seconds_to_read


def _process(command: list[Any], n_threads: int) -> tuple[float, float]:
    """Seconds and peak megabytes of a process."""
    threads = {f"{library}_NUM_THREADS": str(n_threads) for library in ("OMP", "OPENBLAS", "MKL")}
    launch = [sys.executable, "-S", str(FOLDER / "launch.py"), *map(str, command)]
    told = subprocess.run(launch, env=os.environ | threads, capture_output=True, text=True, check=False)
    if told.returncode:
        raise RuntimeError(told.stderr.strip())
    seconds, memory = map(float, told.stderr.split()[-2:])
    return seconds, memory / 1e6
