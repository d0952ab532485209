"""What this machine is and how fast it reads memory: the limit that kernels are held against."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

PACKAGES = ("rankine", "numpy", "scipy", "scikit-learn", "lightgbm", "xgboost-cpu", "catboost", "dlib", "benchopt")


def describe() -> dict[str, Any]:
    """The processor, memory and software; no name of a host or user."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_GB": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": {name: found for name in PACKAGES if (found := _version(name))},
        "commit": _commit(),
        "load_before": round(os.getloadavg()[0], 2),
        "read_GB_per_s": {str(n): round(read_bandwidth(n), 1) for n in (1, 2)},
    }


def sentence(machine: dict[str, Any]) -> str:
    """The description in one line."""
    speed = " / ".join(f"{gigabytes:g}" for gigabytes in machine["read_GB_per_s"].values())
    return (
        f"{machine['processor']}, {machine['cores']} cores, {machine['memory_GB']:g} GB, reads memory at {speed} GB/s "
        f"on 1 / 2 threads; load {machine['load_before']:g} before the run; commit {machine['commit']}"
    )


@cache
def read_bandwidth(n_threads: int) -> float:
    """GB/s of reading memory in a stream: the faster of NumPy's max and BLAS's dot over half a gigabyte."""
    stream = np.ones(1 << 26)
    pieces = np.array_split(stream, 8 * n_threads)
    best = np.inf
    with threadpool_limits(1), ThreadPoolExecutor(n_threads) as pool:
        for work in (np.max, lambda piece: np.dot(piece, piece)):
            for _ in range(5):
                began = time.perf_counter()
                list(pool.map(work, pieces))
                best = min(best, time.perf_counter() - began)
    return stream.nbytes / best / 1e9


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    told = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parent)
    return told.stdout.strip() or "unknown"
