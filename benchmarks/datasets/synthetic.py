"""The five shapes that rankine makes itself: dense and sparse, many queries and one, few levels and all distinct."""

from __future__ import annotations

from typing import Any

from benchmark_utils.scratch import synthetic_data
from benchopt import BaseDataset


class Dataset(BaseDataset):
    name = "synthetic"
    parameters = {  # noqa: RUF012
        "shape": ["mslr10", "mqlist", "rcv1", "ctr", "mslr30"],
        "scale": [0.01],
        "seed": [0],
    }

    def get_data(self) -> dict[str, Any]:
        return {part: synthetic_data(self.shape, self.scale, self.seed, part) for part in ("train", "test")}
