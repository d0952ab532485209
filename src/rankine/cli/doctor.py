"""`rankine doctor DATA`: what will go wrong, told before any training."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

from rankine.cli.console import emit, emit_json, working
from rankine.cli.inspect import data_summary
from rankine.cli.reading import READING, Paths, Reading
from rankine.data import DataError
from rankine.report.checks.finding import Finding, count_of
from rankine.report.doctor import LEVELS, examine


def doctor(
    data: Paths,
    *,
    test: list[str] | None = None,
    strict: bool = False,
    json: bool = False,
    reading: Reading = READING,
) -> None:
    """Tell before training what will go wrong with some data, and what to do.

    It looks for queries that teach nothing, features that cannot rank, marks for missing values, wild scales, labels
    that metrics misread, features that give the label away, repeated rows and documents; and, given test data, for
    features that differ and for queries in both.

    Parameters
    ----------
    data
        Files to train on, read as one data set.
    test
        A file to test on; given several times, the files are read as one data set.
    strict
        Fail (exit code 1) if there are errors or warnings.
    json
        Print one JSON object instead of text for people.
    """
    reading = reading.with_gaps()
    rows = reading(data)
    against = reading(test) if test else None
    with working("looking at the data"):
        found = examine(rows, against)
    if json:
        summary = {"data": data_summary(rows), "test": None if against is None else data_summary(against)}
        emit_json({"findings": [asdict(finding) for finding in found], **summary})
    else:
        emit(f"{rows.source}: {rows!r}")
        if against is not None:
            emit(f"{against.source}: {against!r}")
        emit()
        emit(_told(found))
    serious = [finding for finding in found if finding.level != "note"]
    if strict and serious:
        raise DataError(f"the data has {_counts(serious)}, and --strict allows none")


def _told(found: Sequence[Finding]) -> str:
    if not found:
        return "Nothing was found that should go wrong."
    blocks = []
    for finding in found:
        lines = (f"{finding.level:8} {finding.code}", finding.sentence, f"-> {finding.remedy}")
        indents = (("", ""), (" " * 9, " " * 9), (" " * 9, " " * 12))
        blocks += [
            textwrap.fill(
                line, 110, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
            )
            for line, (first, rest) in zip(lines, indents, strict=True)
        ]
    return "\n".join([*blocks, "", f"{_counts(found)}."])


def _counts(found: Sequence[Finding]) -> str:
    """How many findings there are of each level: "1 error, 2 notes"."""
    of_level = Counter[str](finding.level for finding in found)
    return ", ".join(count_of(of_level[level], level) for level in LEVELS if of_level[level])
