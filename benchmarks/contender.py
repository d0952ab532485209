"""One solver on one data set, in a process of its own: `python -m benchmarks.contender JOB OUTCOMES`.

The race writes the job as JSON. Each measured run becomes one line of JSON in the file OUTCOMES at once, so that what
was measured survives when the process is ended for taking too long. Data sets, solvers and referee are benchopt's.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import benchmark_utils
from benchmarks.benchmark_utils.listed import count_pairs

sys.modules["benchmark_utils"] = benchmark_utils  # the name that benchopt gives it

SHORT = 1.0  # seconds: shorter runs are repeated within a round
REPEATS = 3


class Skipped(Exception):
    """Why a solver does not take part."""


def instance(module: str, name: str, parameters: dict[str, Any]) -> Any:
    """One of benchopt's objects, with the first of the values that it lists for what is not given.

    Its file alone is loaded: loading them all, as benchopt does, takes seconds.
    """
    try:
        found = getattr(importlib.import_module(f"benchmarks.{module}"), name)
    except ModuleNotFoundError as error:
        raise Skipped(f"{error.name} is not installed") from None
    return found.get_instance(**{key: values[0] for key, values in found.parameters.items()} | parameters)


def ladder(default: float) -> list[float]:
    """Tolerances to run, from loose to tight, the solver's own among them; closer where users stop."""
    decades = [float(f"1e-{k}") for k in range(1, 13)]
    return sorted({default, *decades, 3e-3, 3e-4, 3e-5}, reverse=True)


def measure(solver: Any, tol: float) -> tuple[float, float]:
    """The least seconds of one or some runs, and how many cores were kept busy in that run."""
    seconds, cores = float("inf"), 0.0
    for _ in range(REPEATS):
        solver.pre_run_hook(tol)
        cpu, began = time.process_time(), time.perf_counter()
        solver.run(tol)
        took, cpu = time.perf_counter() - began, time.process_time() - cpu
        result = solver.get_result()
        cpu = getattr(solver, "cpu_seconds", cpu)  # of another process
        if took < seconds:
            seconds, cores, solver.result = took, cpu / took, result
        if took > SHORT:
            break
    return seconds, cores


def compete(job: dict[str, Any], tell: Any) -> None:
    """Do a job, and tell every outcome."""
    file, parameters = job["solver"]
    solver = instance(f"solvers.{file}", "Solver", parameters)
    file, parameters = job["dataset"]
    data = instance(f"datasets.{file}", "Dataset", parameters).get_data()
    referee = instance("objective", "Objective", {"C": job["C"], "loss": job["loss"]})
    skips, reason = referee.skip(**data)
    if skips:
        raise Skipped(reason)
    referee.set_data(**data)
    problem = referee.get_objective()
    skips, reason = solver.skip(**problem)
    if skips:
        raise Skipped(reason)
    solver.set_objective(**problem)
    tell({"same_objective": solver.same_objective, "data": facts(problem["data"])})
    solver.warm_up()

    default = getattr(solver, "default_tolerance", None)
    tolerances = job["tolerances"] or (ladder(default) if solver.same_objective else [default])
    spent = 0.0
    for tol in tolerances:
        if spent > job["budget"] and tol != default:
            continue
        seconds, cores = measure(solver, tol)
        spent += seconds
        outcome = {name.removeprefix("objective_"): value for name, value in referee(solver.result)[0].items()}
        tell({"tol": tol, "default": tol == default, "seconds": seconds, "cores": cores, **outcome})
        near = job["best"] and outcome["value"] <= job["best"] * (1 + job["goal"])
        if not job["tolerances"] and near and tol < default:
            break


def facts(data: Any) -> dict[str, Any]:
    """What a data set is like."""
    return {"rows": data.n_rows, "queries": data.n_queries, "features": data.n_features, "pairs": count_pairs(data)}


def main() -> None:
    """Do the job that the command line names."""
    outcomes = Path(sys.argv[2]).open("w", buffering=1)  # noqa: SIM115  (lines are on disk at once)

    def tell(what: dict[str, Any]) -> None:
        outcomes.write(json.dumps(what) + "\n")

    try:
        compete(json.loads(sys.argv[1]), tell)
    except Skipped as reason:
        tell({"skipped": str(reason)})
    except Exception as error:
        tell({"skipped": f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error) else ''}"})


if __name__ == "__main__":
    main()
