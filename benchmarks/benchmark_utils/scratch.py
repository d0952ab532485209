"""Data that benchmarks make once and keep: in `build/bench-data`, or where RANKINE_BENCH_DATA says.

Nothing here is timed. Files are named after what they hold, so they are never stale.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

import rankine
from rankine.data import Dataset, Rows, synthetic

ROOT = Path(__file__).resolve().parents[2]


def folder() -> Path:
    """The folder of data that can be made again."""
    path = Path(os.environ.get("RANKINE_BENCH_DATA", ROOT / "build" / "bench-data"))
    path.mkdir(parents=True, exist_ok=True)
    return path


def synthetic_data(shape: str, scale: float, seed: int, part: str) -> Dataset:
    """A synthetic data set: drawn once, then read."""
    path = folder() / f"{shape}-{scale:g}-{seed}-{part}.npz"
    if not path.exists():
        rankine.write(synthetic.make(shape, scale=scale, seed=seed, part=part), path)
    return rankine.read(path)


def as_text(data: Dataset, ending: str = ".txt") -> Path:
    """A data set as a LETOR file; the ending may also be .txt.gz or .npz."""
    path = folder() / f"{data.fingerprint}{ending}"
    if not path.exists():
        rankine.write(data, path)
    return path


def untouched(data: Dataset, dtype: str | None = None) -> Dataset:
    """The same arrays in new objects, which remember nothing: a second fit must not profit from the first.

    Parameters
    ----------
    data
        The data set.
    dtype
        Copy the features to this precision.
    """
    rows = data.grouped.rows
    value = rows.value if dtype is None else rows.value.astype(np.dtype(dtype), copy=False)
    new = Rows(value, rows.row_ptr, rows.index, rows.n_features if rows.is_sparse else None)
    return replace(data, grouped=replace(data.grouped, rows=new))


def stored_values(data: Dataset) -> int:
    """How many features values are stored: all cells when dense."""
    return int(data.grouped.rows.value.size)
