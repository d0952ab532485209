"""Objective against time: one line a solver, one point a tolerance, a ring where its users would stop."""

from __future__ import annotations

from pathlib import Path

from benchmarks.race import GAPS
from benchmarks.table import Result

FLOOR = 1e-10


def gap_against_time(result: Result, path: Path) -> None:
    """Draw the relative gap against seconds, for solvers of the same objective."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    for i, one in enumerate(one for one in result.contenders if one.same_objective and one.runs):
        runs = sorted(one.runs.values(), key=lambda run: -run["value"])
        points = [(run["seconds"], max(result.gap(run), FLOOR)) for run in runs]
        (line,) = axes.loglog(*zip(*points, strict=True), marker=".", linestyle="-" if i < 10 else "--")
        line.set_label(f"{one.label}, {one.threads} thread{'s' * (one.threads > 1)}")
        if one.default:
            where = (one.default["seconds"], max(result.gap(one.default), FLOOR))
            axes.loglog(*where, "o", markersize=9, fillstyle="none", color=line.get_color())
    for gap in GAPS:
        axes.axhline(gap, color="grey", linewidth=0.5, linestyle=":")
    axes.set(xlabel="seconds", ylabel="objective above the best, relative", title=result.title)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize="small")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)
