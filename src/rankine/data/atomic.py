"""Files that are written whole or not at all.

What is written goes to a new file beside the target, which replaces it at the end: a crash, a kill, Ctrl-C or a full
disk at any moment leaves the old file or the new one, never half of one.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any


def writable(path: str | os.PathLike[str]) -> Path:
    """Where a file of this name would be written (links are followed), or an error that says why it cannot be.

    Ask before long work whose result would have nowhere to go.
    """
    if os.fspath(path) in ("", "-"):
        raise ValueError(f"{os.fspath(path)!r} names no file to write to")
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a directory; name a file")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: there is no directory {target.parent}")
    new = not target.exists() or target.is_file()
    if not os.access(target.parent if new else target, os.W_OK):
        raise PermissionError(f"{path} cannot be written: permission denied")
    return target


@contextlib.contextmanager
def open_atomically(path: str | os.PathLike[str], *, binary: bool = False) -> Iterator[IO[Any]]:
    """Open a file for writing (UTF-8 text, unless binary) that appears at `path` when the block ends well.

    A device or a pipe has nothing to replace and is written directly.
    """
    target = writable(path)
    options: dict[str, Any] = {} if binary else {"encoding": "utf-8", "newline": ""}
    with _naming(path):
        if target.exists() and not target.is_file():
            with target.open("wb" if binary else "w", **options) as stream:
                yield stream
            return
        part = target.with_name(f".{target.name[:200]}.{secrets.token_hex(4)}.part")
        try:
            with part.open("xb" if binary else "x", **options) as stream:
                if target.exists():
                    part.chmod(stat.S_IMODE(target.stat().st_mode))
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


@contextlib.contextmanager
def _naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """A full disk is told with the file's name, which the system leaves out."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
