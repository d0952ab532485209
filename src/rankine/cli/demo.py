"""`rankine demo`: the main job, end to end, on data that the package makes itself."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from rankine.cli.console import emit, working

Shape = Literal["mslr10", "mslr30", "mqlist", "ctr", "rcv1"]


def demo(
    *,
    data: Shape = "mslr10",
    scale: Annotated[float, Parameter(validator=Number(gt=0))] = 0.1,
    seed: Annotated[int, Parameter(validator=Number(gte=0))] = 0,
    output: Annotated[str, Parameter(name=["--output", "-o"])] = "demo",
) -> None:
    """Write synthetic training and test data to a folder, then examine, train, tune, evaluate, predict and inspect.

    Every command is shown above its output, so that it can be run again by hand.

    Parameters
    ----------
    data
        What the data is like: mslr10 and mslr30 are web search with 136 features, mqlist fully ordered lists, ctr one
        huge sparse query of click rates, rcv1 sparse text.
    scale
        The size of the data: 1 is the real thing.
    seed
        Another seed is other data.
    output
        The folder for the files.
    """
    from rankine.data import synthetic, write

    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    names = ("train.txt", "test.txt", "model.json", "tuned.json", "scores.txt")
    train, test, model, tuned, scores = (str(folder / name) for name in names)
    for path, part in ((train, "train"), (test, "test")):
        with working(f"writing {path}"):
            rows = synthetic.make(data, scale=scale, seed=seed, part="train" if part == "train" else "test")
            write(rows, path)
        emit(f"{path}: {rows!r}")
    _run("doctor", train, "--test", test)
    _run("train", train, "--output", model)
    _run("evaluate", model, test, "--metrics", _metrics(data))
    if data in ("ctr", "rcv1"):
        tuned = model  # one query, which no folds can share
    else:
        _run("tune", train, "--output", tuned, "--grid", "C=2^-15..2^0", "--folds", "3", "--metrics", "pair_accuracy")
        _run("evaluate", tuned, test, "--metrics", _metrics(data))
    _run("predict", tuned, test, "--output", scores)
    _show_head(scores)
    _run("inspect", tuned, "--top", "10")
    emit(f"\nThe model is {tuned}; the scores of {test} are {scores}. Next: rankine train --help")


def _metrics(shape: Shape) -> str:
    # Grades are what nDCG is for; lists that are fully ordered, and clicks, are about pairs.
    return "pair_accuracy nDCG@5 nDCG@10 AP" if shape.startswith("mslr") else "pair_accuracy AUC kendall_tau"


def _run(*tokens: str) -> None:
    """Show a command and run it as the shell would, but in this process."""
    from rankine.cli.app import run

    emit(f"\n$ {shlex.join(['rankine', *tokens])}")
    run(tokens)


def _show_head(path: str, n_lines: int = 3) -> None:
    emit(f"\n$ head -n {n_lines} {shlex.quote(path)}")
    with Path(path).open(encoding="utf-8") as stream:
        for _ in range(n_lines):
            emit(stream.readline().rstrip("\n"))
