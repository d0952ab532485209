"""MQ2008 (LETOR 4.0), if RANKINE_MQ2008 names its folder, which holds Fold1 … Fold5, or its archive."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path
from typing import Any

from benchmark_utils import scratch
from benchopt import BaseDataset

import rankine


class Dataset(BaseDataset):
    name = "MQ2008"
    parameters = {"fold": [1]}  # noqa: RUF012

    def get_data(self) -> dict[str, Any]:
        place = os.environ.get("RANKINE_MQ2008")
        if not place or not Path(place).exists():
            return {"train": None, "test": None}
        files = {part: self._file(Path(place), part) for part in ("train", "test")}
        return {part: rankine.read(file, n_features=46) for part, file in files.items()}

    def _file(self, place: Path, part: str) -> Path:
        name = f"Fold{self.fold}/{part}.txt"
        if place.is_dir():
            return place / name
        with tarfile.open(place) as archive:
            member = next(member for member in archive.getnames() if member.endswith(name))
            folder = scratch.folder() / "mq2008"
            if not (folder / member).exists():
                archive.extract(member, folder, filter="data")
            return folder / member
