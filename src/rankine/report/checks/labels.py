"""Checks of labels that metrics will take for something else."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankine.data import Dataset
from rankine.report.checks.finding import Finding

# LightGBM and XGBoost stop here: the gain 2^31 - 1 is their greatest.
_HIGHEST_GRADE = 31


def odd_labels(data: Dataset) -> Iterator[Finding]:
    """Labels that are not grades from 0 up. A loss over pairs takes any label; it is metrics that do not."""
    label = data.grouped.label
    lowest, highest = float(label.min()), float(label.max())
    if lowest == highest:
        return
    whole = bool((label == np.floor(label)).all())
    details = {"lowest": lowest, "highest": highest}
    if lowest < 0:
        n = int((label < 0).sum())
        yield Finding(
            "warning",
            "negative-labels",
            f"The labels go down to {lowest:g}, with {n:,} ({n / len(label):.1%}) below 0.",
            "If -1 means not judged, as in LETOR's semi-supervised sets, leave those rows out. Pairs take any label, "
            "but metrics expect 0 for not relevant.",
            {**details, "count": n},
        )
    if whole and lowest >= 1 and highest <= 10:
        yield Finding(
            "warning",
            "shifted-labels",
            f"The labels are the grades {lowest:g} to {highest:g}, none of them 0.",
            "Pairs do not mind, but for metrics every row would be relevant: subtract the lowest grade if it means not "
            "relevant.",
            details,
        )
    if not whole:
        yield Finding(
            "note",
            "real-labels",
            f"The labels are not whole numbers: {lowest:g} to {highest:g}.",
            "Pairs take any. Measure with pair_accuracy, kendall_tau, or nDCG with gain='linear' (--gain linear); "
            "metrics of relevant rows take every label above 0 as relevant.",
            details,
        )
    if highest > _HIGHEST_GRADE:
        yield Finding(
            "note",
            "huge-labels",
            f"The highest label is {highest:g}: its gain in nDCG, 2^label - 1, drowns all others.",
            "Measure with pair_accuracy, kendall_tau, or nDCG with gain='linear' (--gain linear).",
            details,
        )
