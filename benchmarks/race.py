"""Rankine and its peers on the same data: time, objective and ranking quality, side by side.

Solvers take turns in rounds, each in a process of its own; a time is the best of all. Solvers of the same objective run
at many tolerances, from loose to tight, so that they can be compared at the same objective: the time to a gap is the
least time of a whole run, started from zero, that ended within this gap of the best objective that anyone found.
"""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.settings import ROOT, Settings

GAPS = (1e-3, 1e-6)
LONG = 20.0  # seconds: a run that takes longer is measured once
PATIENCE = 900.0  # seconds for reading, preparing and measuring beside solving
QUICK_PATIENCE = 6.0


@dataclass(frozen=True)
class Bout:
    """A data set, a C and a loss."""

    title: str
    dataset: tuple[str, dict[str, Any]]
    C: float
    loss: str = "squared_hinge"


@dataclass
class Contender:
    """A solver and what was measured of it.

    Parameters
    ----------
    label
        What people call it.
    file, parameters
        Its file in `solvers/`, and the parameters of the class there.
    same_objective
        Whether it minimises the same function as ours.
    skipped, unfinished
        Why it takes no part, or why it takes none any more.
    runs
        The fastest run with each tolerance.
    """

    label: str
    file: str
    parameters: dict[str, Any]
    same_objective: bool = True
    skipped: str | None = None
    unfinished: str | None = None
    runs: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def threads(self) -> int:
        """How many threads it may use."""
        return int(self.parameters.get("n_threads", 1))

    @property
    def default(self) -> dict[str, Any] | None:
        """Its run with the tolerance that its users get."""
        return next((run for run in self.runs.values() if run["default"]), None)

    def seconds_to(self, objective: float) -> float:
        """The least time of a run that ended at this objective or below; infinity if none did."""
        return min((run["seconds"] for run in self.runs.values() if run["value"] <= objective), default=math.inf)

    def add(self, run: dict[str, Any]) -> None:
        """Keep a run if it is the fastest with its tolerance."""
        key = str(run["tol"])
        if key not in self.runs or run["seconds"] < self.runs[key]["seconds"]:
            self.runs[key] = run


# Label, file in solvers/, parameters; of the others also the numbers of threads, none if it knows but one.
OURS = ("rankine auto", "rankine_ranksvm", {"solver": "auto"})
PEERS: tuple[tuple[str, str, dict[str, Any], tuple[int, ...]], ...] = (
    ("rankine newton", "rankine_ranksvm", {"solver": "newton"}, (1,)),
    ("rankine lbfgs", "rankine_ranksvm", {"solver": "lbfgs"}, (1,)),
    ("rankine cg", "rankine_ranksvm", {"solver": "cg"}, (1,)),
    ("rankine tron", "rankine_ranksvm", {"solver": "tron"}, (1,)),
    ("liblinear-ranksvm", "liblinear_ranksvm", {}, ()),
    ("LinearSVC on pairs", "listed_pairs", {}, ()),
    ("dlib svm_rank_trainer", "dlib_svm_rank", {}, ()),
    ("LightGBM lambdarank", "lightgbm_lambdarank", {}, (1, 2)),
    ("XGBoost rank:pairwise", "xgboost_pairwise", {"booster": "gbtree"}, (1, 2)),
    ("XGBoost rank:pairwise gblinear", "xgboost_pairwise", {"booster": "gblinear"}, (1, 2)),
    ("CatBoost YetiRank", "catboost_ranking", {"loss": "YetiRank"}, (1, 2)),
    ("CatBoost PairLogit", "catboost_ranking", {"loss": "PairLogit"}, (1, 2)),
)


def bouts(settings: Settings) -> list[Bout]:
    """The data sets to race on."""
    if settings.quick:
        shapes = [("mslr10", 0.01, 1.0), ("rcv1", 0.01, 1.0)]
    else:
        shapes = [("mslr10", 1, 1.0), ("mqlist", 1, 1.0), ("rcv1", 1, 1.0), ("ctr", 1, 1e-6), ("ctr", 1, 1.0)]
        shapes.append(("mslr30", 1, 8.0))
    found = [synthetic(shape, settings.scale * scale, C) for shape, scale, C in shapes]
    if settings.files:
        files = dict(zip(("train", "test"), settings.files, strict=False))
        found.append(Bout(f"{Path(settings.files[0]).name}, C = {settings.C:g}", ("letor", files), settings.C))
    if "RANKINE_MQ2008" in os.environ:
        found.append(Bout(f"MQ2008 fold 1, C = {settings.C:g}", ("mq2008", {}), settings.C))
    return [bout for bout in found if settings.wants_shape(bout.title)]


def synthetic(shape: str, scale: float, C: float, title: str = "", loss: str = "squared_hinge") -> Bout:
    """A bout on a synthetic shape."""
    dataset = ("synthetic", {"shape": shape, "scale": scale})
    return Bout(f"{title}{shape} × {scale:g}, C = {C:g}", dataset, C, loss)


def line_up(settings: Settings, peers: Any = PEERS, ours: Any = OURS) -> list[Contender]:
    """Ours with one thread and with two, then the others."""
    label, file, parameters = ours
    found = [Contender(label, file, {**parameters, "n_threads": n}) for n in (1, 2)]
    for label, file, parameters, threads in peers:
        if settings.wants_solver(label):
            each = [{"n_threads": n} for n in (threads[:1] if settings.quick else threads)] or [{}]
            found += [Contender(label, file, {**parameters, **extra}) for extra in each]
    return found


def main(settings: Settings) -> dict[str, Any]:
    """Race everything, and print a table for each data set."""
    return {bout.title: run_bout(bout, line_up(settings), settings) for bout in bouts(settings)}


def run_bout(bout: Bout, contenders: list[Contender], settings: Settings) -> dict[str, Any]:
    """All rounds of all solvers on one data set; prints the table, draws the plot and returns the numbers."""
    from benchmarks import plots, table

    label, file, parameters = OURS
    reference = Contender(f"{label}, to a tiny gap", file, {**parameters, "n_threads": 2})
    tiny = 1e-9 if bout.loss == "squared_hinge" else 1e-6  # of the gradient; of the gap
    data = send(reference, bout, settings, tolerances=[tiny]) or {}
    if not reference.runs:
        raise RuntimeError(f"{bout.title}: our own run failed: {reference.skipped or reference.unfinished}")
    best = min(run["value"] for run in reference.runs.values())
    for n_round in range(settings.rounds):
        for one in contenders:
            if one.skipped or one.unfinished:
                continue
            again = [run["tol"] for run in one.runs.values() if run["seconds"] < LONG]
            if n_round == 0 or again:
                _progress(f"{bout.title}: round {n_round + 1}, {one.label}, {one.threads} thread(s)")
                send(one, bout, settings, best=best, tolerances=again if n_round else None)
    _progress("")
    result = table.Result(bout.title, data, reference, contenders)
    print(table.markdown(result), flush=True)
    plots.gap_against_time(result, settings.results / f"{table.file_name(bout.title)}.png")
    return table.numbers(result)


def send(
    one: Contender,
    bout: Bout,
    settings: Settings,
    *,
    best: float | None = None,
    tolerances: list[float] | None = None,
) -> dict[str, Any] | None:
    """Let a solver run in a process of its own; returns what its data set is like."""
    job = {
        "dataset": bout.dataset,
        "C": bout.C,
        "loss": bout.loss,
        "solver": (one.file, one.parameters),
        "best": best,
        "goal": GAPS[-1],
        "tolerances": tolerances,
        "budget": settings.budget,
    }
    threads = {f"{library}_NUM_THREADS": str(one.threads) for library in ("OMP", "OPENBLAS", "MKL")}
    with tempfile.TemporaryDirectory() as folder:
        outcomes = Path(folder) / "outcomes"
        command = [sys.executable, "-m", "benchmarks.contender", json.dumps(job), str(outcomes)]
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=os.environ | threads,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        patience = settings.budget + (QUICK_PATIENCE if settings.quick else PATIENCE)
        ended = _wait(process, patience)
        told = [json.loads(line) for line in outcomes.read_text().splitlines()] if outcomes.exists() else []
    facts = None
    for outcome in told:
        if "skipped" in outcome:
            one.skipped = one.skipped or outcome["skipped"]
        elif "data" in outcome:
            facts, one.same_objective = outcome["data"], outcome["same_objective"]
        else:
            one.add(outcome)
    if one.default is None and not one.skipped:
        why = f"ended with exit code {process.returncode}" if ended else f"not done in {patience:.0f} s"
        one.unfinished = f"with the tolerance that it comes with, {why}"
    return facts


def _wait(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait for a process; after this time end it, and all that it started."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return False
    return True


def _progress(what: str) -> None:
    """Tell a person who watches what is going on."""
    if sys.stderr.isatty():
        print(f"\r\033[K{what}", end="", file=sys.stderr, flush=True)
