"""The table of a race, in Markdown: seconds, objective reached, ranking quality, and ratios to our seconds."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, NamedTuple

from benchmarks.race import GAPS, Contender


@dataclass(frozen=True)
class Result:
    """What was measured on one data set.

    Parameters
    ----------
    title
        The data set and C.
    data
        What the data set is like.
    reference
        Our own run to a tiny gap.
    contenders
        Ours with one and with two threads, then the others.
    """

    title: str
    data: dict[str, Any]
    reference: Contender
    contenders: list[Contender]

    @property
    def best(self) -> float:
        """The best objective that anyone found."""
        every = [self.reference, *self.contenders]
        return min((run["value"] for one in every if one.same_objective for run in one.runs.values()), default=math.nan)

    def gap(self, run: dict[str, Any]) -> float:
        """How far above the best objective a run ended, relative to it."""
        return float(run["value"] / self.best - 1.0)


class Ratio(NamedTuple):
    """How many times as long as ours with one thread, and with two, something takes; None where it is not compared."""

    one: float | None
    two: float | None

    def __str__(self) -> str:
        return "–" if self == (None, None) else " / ".join("–" if x is None else _times(x) for x in self)


def ratio(seconds: float, n_threads: int, ours: tuple[float, float]) -> Ratio:
    """Equal threads: one against one; two against two. And, with that said, one against our two."""
    one, two = (seconds / mine if math.isfinite(mine) and math.isfinite(seconds) else None for mine in ours)
    return Ratio(one if n_threads == 1 else None, two)


HEAD = (
    *("solver", "threads", "cores used", "s as it comes", "gap", "s to 1e-3", "s to 1e-6"),
    *("× as it comes", "× at its gap", "× to 1e-3", "× to 1e-6", "test pairs", "test nDCG@10"),
)


def markdown(result: Result) -> str:
    """The table, and under it who did not take part, and where a peer wins."""
    data, reference = result.data, result.reference
    lines = [f"### {result.title}", ""]
    if data:
        lines.append(
            ", ".join(f"{data[what]:,} {what}" for what in ("rows", "queries", "features", "pairs"))
            + f". Best objective found: {result.best:.9g}{_certificate(result)}."
        )
        lines.append("")
    lines += ["|" + "|".join(HEAD) + "|", "|" + "---|" * len(HEAD)]
    lines += ["|" + "|".join(_row(result, one)) + "|" for one in result.contenders if not one.skipped]
    notes = [
        f"- {one.label}, {one.threads} thread(s): {one.skipped or one.unfinished}"
        for one in result.contenders
        if one.skipped or one.unfinished
    ]
    if notes:
        lines += ["", "Not measured:", "", *notes]
    wins = _wins(result)
    if not reference.skipped:
        lines += ["", "Where another wins: " + ("; ".join(wins) if wins else "nowhere here") + "."]
    return "\n".join([*lines, ""])


def numbers(result: Result) -> dict[str, Any]:
    """All that was measured, as plain values."""
    return {
        "data": result.data,
        "best_objective": result.best,
        "contenders": [
            {
                "solver": one.label,
                "threads": one.threads,
                "same_objective": one.same_objective,
                "skipped": one.skipped,
                "runs": [
                    {name: None if value != value else value for name, value in run.items()}  # JSON knows no NaN
                    | ({"gap": result.gap(run)} if one.same_objective else {})
                    for run in one.runs.values()
                ],
            }
            for one in [result.reference, *result.contenders]
        ],
    }


def file_name(title: str) -> str:
    """A title as a file is named."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", title).strip("-")


def _ours(result: Result, objective: float | None) -> tuple[float, float]:
    """Our seconds with one and with two threads: to an objective, or as it comes."""
    seconds = []
    for one in result.contenders[:2]:
        if objective is None:
            seconds.append(one.default["seconds"] if one.default else math.inf)
        else:
            seconds.append(one.seconds_to(objective))
    return seconds[0], seconds[1]


def _ratios(result: Result, one: Contender) -> dict[str, Ratio]:
    """Ratios by what is compared."""
    run = one.default
    found = {}
    if run is not None:
        found["as it comes"] = ratio(run["seconds"], one.threads, _ours(result, None))
    if run is not None and one.same_objective:
        found["at its gap"] = ratio(run["seconds"], one.threads, _ours(result, run["value"]))
    if one.same_objective:
        for gap in GAPS:
            goal = result.best * (1 + gap)
            found[f"to 1e-{-math.log10(gap):.0f}"] = ratio(one.seconds_to(goal), one.threads, _ours(result, goal))
    return found


def _row(result: Result, one: Contender) -> list[str]:
    run = one.default
    is_ours = one in result.contenders[:2]
    ratios = {} if is_ours else _ratios(result, one)
    to = [one.seconds_to(result.best * (1 + gap)) if one.same_objective else math.inf for gap in GAPS]
    name = [f"**{one.label}**" if is_ours else one.label, str(one.threads)]
    if run is None:
        shown = [*map(_seconds, to), "–", "–", *(str(ratios.get(f"to 1e-{k}", "–")) for k in (3, 6))]
        return [*name, "–", "–", "–", *shown, "–", "–"]
    return [
        *name,
        f"{run['cores']:.1f}" if run["cores"] > 0.05 else "–",
        _seconds(run["seconds"]),
        f"{max(result.gap(run), 0.0):.0e}" if one.same_objective else "another objective",
        *map(_seconds, to),
        *(str(ratios[name]) if name in ratios else "–" for name in ("as it comes", "at its gap", "to 1e-3", "to 1e-6")),
        f"{run['test_pair_accuracy']:.4f}",
        f"{run['test_nDCG10']:.4f}" if "test_nDCG10" in run else "–",
    ]


def _wins(result: Result) -> list[str]:
    """Sentences for ratios below one, and for better ranking."""
    ours = result.contenders[0].default
    found = []
    for one in result.contenders[2:]:
        for what, found_ratio in _ratios(result, one).items():
            # At equal threads: one against one, two against two.
            fair = found_ratio.one if one.threads == 1 else found_ratio.two
            if fair is not None and fair < 1:
                found.append(f"{one.label} with {one.threads} thread(s) takes {fair:.2f} of our time {what}")
        for gap in GAPS:
            goal = result.best * (1 + gap)
            if one.same_objective and math.isfinite(one.seconds_to(goal)) and not math.isfinite(_ours(result, goal)[0]):
                found.append(f"{one.label} reached {gap:g}, which ours did not in its budget")
        for name, words in (("test_pair_accuracy", "pair accuracy"), ("test_nDCG10", "nDCG@10")):
            if ours and one.default and name in ours and one.default[name] > ours[name] + 5e-4:
                found.append(f"{one.label} has better {words}, {one.default[name]:.4f} against {ours[name]:.4f}")
    return list(dict.fromkeys(found))


def _certificate(result: Result) -> str:
    """How sure the best objective is: F(w) − min F ≤ ½‖∇F(w)‖² for whoever found it."""
    every = [run for one in [result.reference, *result.contenders] if one.same_objective for run in one.runs.values()]
    bounds = [run["value"] - run["bound"] for run in every]
    if not bounds:
        return ""
    return f", within {max(1e-15, result.best / max(bounds) - 1.0):.0e} of the optimum by certificate"


def _seconds(seconds: float) -> str:
    if not math.isfinite(seconds):
        return "–"
    return f"{seconds:.4f}" if seconds < 0.1 else f"{seconds:.3f}" if seconds < 10 else f"{seconds:.1f}"


def _times(x: float) -> str:
    shown = f"{x:.2f}" if x < 1 else f"{x:.1f}" if x < 100 else f"{x:.0f}"
    return f"**{shown}**" if x < 1 else shown
