"""MQ2008 (LETOR 4.0), for tests that check published figures; they skip when it is absent.

Set RANKINE_MQ2008 to the folder that holds Fold1 … Fold5, or to its archive.
"""

from __future__ import annotations

import os
import tarfile
import tempfile
from functools import cache
from pathlib import Path

import pytest

import rankine

ROOT = Path(__file__).resolve().parents[1]
PLACES = [os.environ.get("RANKINE_MQ2008", ""), ROOT.parent / "shared" / "data" / "MQ2008.tar.xz"]
FOUND = next((Path(place) for place in PLACES if place and Path(place).exists()), None)
needed = pytest.mark.skipif(FOUND is None, reason="MQ2008 is not here: set RANKINE_MQ2008")


@cache
def read(fold: int, part: str) -> rankine.Dataset:
    """One file of a fold."""
    assert FOUND is not None
    if FOUND.is_dir():
        return rankine.read(FOUND / f"Fold{fold}" / f"{part}.txt", dtype="float64")
    with tempfile.TemporaryDirectory() as folder, tarfile.open(FOUND) as archive:
        member = next(name for name in archive.getnames() if name.endswith(f"Fold{fold}/{part}.txt"))
        archive.extract(member, folder, filter="data")
        return rankine.read(Path(folder) / member, dtype="float64")
