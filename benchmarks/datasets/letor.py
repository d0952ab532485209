"""Any LETOR, SVMrank or svmlight file, also .npz and Parquet: benchopt run -d "letor[train='a.txt',test='b.txt']"."""

from __future__ import annotations

from typing import Any

from benchopt import BaseDataset

import rankine


class Dataset(BaseDataset):
    name = "letor"
    parameters = {"train": [None], "test": [None]}  # noqa: RUF012

    def get_data(self) -> dict[str, Any]:
        """Read the files; without a test file, quality is measured on the training rows."""
        if self.train is None:
            return {"train": None, "test": None}
        train = rankine.read(self.train)
        return {
            "train": train,
            "test": train if self.test is None else rankine.read(self.test, n_features=train.n_features),
        }
