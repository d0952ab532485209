"""What commands say: tables or one JSON object on standard output, and progress where standard error is a terminal."""

from __future__ import annotations

import contextlib
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from rankine.model import Model
from rankine.solvers import Progress, Watch


def emit_json(value: Any) -> None:
    """Print one JSON object. NaN and infinity, which JSON lacks, become null."""
    sys.stdout.write(json.dumps(_plain(value), indent=2, allow_nan=False, ensure_ascii=False) + "\n")


def emit(text: str = "") -> None:
    """Print a line for people."""
    sys.stdout.write(text + "\n")


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> str:
    """Columns under a header; the first `left` columns are aligned to the left, the others to the right."""
    cells = [list(header), *(list(row) for row in rows)]
    widths = [max(len(row[j]) for row in cells) for j in range(len(header))]
    lines = [
        "  ".join(
            cell.ljust(w) if j < left else cell.rjust(w) for j, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    ]
    return "\n".join(line.rstrip() for line in [lines[0], "  ".join("-" * w for w in widths), *lines[1:]])


def power(value: Any) -> str:
    """A value in few characters: powers of two as such, other numbers by six digits, None as it is written in grids.

    >>> [power(x) for x in (2.0**-15, 8, 0.3, None, "std")]
    ['2^-15', '2^3', '0.3', 'none', 'std']
    """
    if value is None:
        return "none"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    mantissa, exponent = math.frexp(value)
    return f"2^{exponent - 1}" if mantissa == 0.5 and not 1 <= value <= 2 else f"{value:.6g}"


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Names and values, one a line."""
    pairs = list(pairs)
    width = max(len(name) for name, _ in pairs)
    return "\n".join(f"{name.ljust(width)}  {value}" for name, value in pairs)


def summary_of_fit(model: Model) -> list[tuple[str, str]]:
    """What people want to know of a fit."""
    lines = []
    if model.data is not None:
        d = model.data
        lines.append(("data", f"{d.source}: {d.rows:,} rows, {d.queries:,} queries, {d.features:,} features"))
        lines.append(("pairs", f"{d.pairs:,.0f}" if d.pairs >= 1 else f"{d.pairs:g}"))
    if model.recipe:
        changed = ", ".join(f"{k}={v}" for k, v in model.parameters.items() if v is not None)
        lines.append(("learner", f"{model.recipe}: {changed}"))
    if model.filling is not None:
        told = (
            f", and {model.filling.n_indicators:,} features have a weight for it"
            if model.filling.indicators is not None
            else ""
        )
        lines.append(("missing values", f"count as {model.filling.value:g}{told}"))
    if model.outcome is not None:
        o = model.outcome
        relative = o.gap / abs(o.objective) if o.objective else 0.0
        # Where the bound says no more than that objectives are not negative, it would only alarm.
        bound = f", certified within {relative:.1e} of the optimum" if relative < 0.99 else ""
        lines.append(("objective", f"{o.objective:.9g}{bound}"))
        by = f" of {o.solver}" if o.solver else ""
        lines.append(("stopped", f"{o.message} ({o.n_iter} steps{by}, {o.seconds:.3g} s)"))
    return lines


@contextlib.contextmanager
def working(what: str) -> Iterator[None]:
    """Show on a terminal that something takes its time."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(what):
        yield


@contextlib.contextmanager
def growing(header: Sequence[str]) -> Iterator[Callable[[Sequence[Sequence[str]]], None]]:
    """Show the last rows of a table on a terminal while it grows; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True)
    with Live(console=console, transient=True) as live:

        def show(rows: Sequence[Sequence[str]]) -> None:
            live.update(Text(table(header, rows[-max(console.height - 4, 1) :]), no_wrap=True))

        yield show


@contextlib.contextmanager
def training(tol_name: str = "tolerance") -> Iterator[Watch]:
    """A watch that draws a progress bar on a terminal, and does nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _: False
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("training", total=1.0)
        first: list[float] = []

        def watch(progress: Progress) -> bool:
            # The criterion falls to 1 about geometrically: its logarithm is what moves evenly.
            first.append(max(math.log(max(progress.criterion, 1.0)), 1e-9))
            done = 1.0 - min(first[-1] / first[0], 1.0)
            text = f"step {progress.n_iter}: objective {progress.value:.6g}, {progress.criterion:.3g} x {tol_name}"
            bar.update(task, completed=done, description=text)
            return False

        yield watch


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
