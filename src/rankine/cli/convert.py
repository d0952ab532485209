"""`rankine convert IN OUT`: the same data in another format."""

from __future__ import annotations

from rankine.cli.console import emit, working
from rankine.cli.reading import READING, Paths, Reading


def convert(files: Paths, *, reading: Reading = READING) -> None:
    """Read data and write it in another format, told from the name of the new file: .parquet, .npz, or text.

    Parameters
    ----------
    files
        One or more files to read as one data set, and last the file to write: .parquet, .npz, or LETOR text, which
        .gz, .bz2 or .xz compresses.
    """
    from rankine.cli.flags import UsageError
    from rankine.data import write
    from rankine.data.atomic import writable

    if len(files) < 2:
        raise UsageError("convert needs a file to read and a file to write: rankine convert IN OUT")
    *sources, target = files
    writable(target)
    rows = reading(sources)
    with working(f"writing {target}"):
        write(rows, target)
    emit(f"{target}: {rows!r}")
