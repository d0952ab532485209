"""`python -m benchmarks [PART …]` measures rankine beside its peers, in an environment that it makes for itself."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import environment
from benchmarks.settings import ROOT, Settings

PARTS = {
    "race": "linear rankers and trees on the same data: ratios of time, at equal threads and objective",
    "counting": "ways to count pairs, with PRSVM and PRSVM+: Figures 2 to 4 of the paper",
    "hinge": "the hinge, by smoothing and by cutting planes, beside dlib's trainer",
    "partial": "pairs of adjacent levels against all pairs: section 4.6 of the paper",
    "reading": "files to data in MB/s, and files to models in a fresh process",
    "operations": "one pass over the rows, in ns a row and GB/s beside what this machine can read",
    "metrics": "all metrics over millions of rows",
}


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    listed = "; ".join(f"{name}: {what}" for name, what in PARTS.items())
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="PART", help=f"all by default. {listed}")
    parser.add_argument("--quick", action="store_true", help="small scales, under two minutes: to see that it works")
    parser.add_argument("--liblinear", metavar="DIR", help="the folder of a built liblinear-ranksvm")
    parser.add_argument("--mq2008", metavar="DIR", help="the folder that holds Fold1 … Fold5, or its archive")
    parser.add_argument(
        "--data", nargs="+", default=[], metavar="FILE", help="race on a training (and a test) file too"
    )
    parser.add_argument("--C", type=float, default=1.0, help="the C for --data and --mq2008")
    parser.add_argument("--shapes", default="", help="only data sets whose titles contain one of these: mslr10,rcv1")
    parser.add_argument("--solvers", default="", help="only peers whose names contain one of these: liblinear,dlib")
    parser.add_argument("--scale", type=float, default=1.0, help="what multiplies the scale of every synthetic shape")
    parser.add_argument("--rounds", type=int, help="every time is the best of so many rounds: 3, or 1 with --quick")
    parser.add_argument("--budget", type=float, help="seconds of solving for one solver on one data set: 300, or 2")
    parser.add_argument("--without", default="", help="peers not to install, such as dlib, which is compiled")
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "bench-results", help="where results go")
    return parser.parse_args()


def words(text: str) -> tuple[str, ...]:
    """Words between commas."""
    return tuple(word for word in text.split(",") if word)


def main() -> None:
    """Make the environment, go there, measure, and write what was found."""
    given = arguments()
    if not environment.is_this():
        environment.make(without=words(given.without))
        environment.go_on_there()
    from benchmarks import machine

    for name, value in (("RANKINE_LIBLINEAR", given.liblinear), ("RANKINE_MQ2008", given.mq2008)):
        if value:
            os.environ[name] = str(Path(value).expanduser().resolve())
    settings = Settings(
        quick=given.quick,
        scale=given.scale,
        rounds=given.rounds or (1 if given.quick else 3),
        budget=given.budget or (2.0 if given.quick else 300.0),
        shapes=words(given.shapes),
        solvers=words(given.solvers),
        files=tuple(given.data),
        C=given.C,
        results=given.results.resolve(),
    )
    settings.results.mkdir(parents=True, exist_ok=True)
    now = datetime.now(UTC)
    found = {
        "date": f"{now:%Y-%m-%d}",
        "quick": settings.quick,
        "rounds": settings.rounds,
        "machine": machine.describe(),
    }
    print(f"{found['date']}, best of {settings.rounds} round(s). {machine.sentence(found['machine'])}", flush=True)
    for part in given.parts or PARTS:
        print(f"\n## {part}: {PARTS[part]}\n", flush=True)
        found[part] = importlib.import_module(f"benchmarks.{part}").main(settings)
    path = settings.results / f"{now:%Y-%m-%d-%H%M%S}.json"
    path.write_text(json.dumps(found, indent=1))
    print(f"\nAll numbers: {path}; plots beside it.", file=sys.stderr)


if __name__ == "__main__":
    main()
