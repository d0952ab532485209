"""What a command cost: seconds by phase, and the most memory that the process has held."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator


class Clock:
    """Seconds by phase, in the order of the phases."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextlib.contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Count the time of a block to a phase."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began


def peak_memory() -> int | None:
    """The most bytes that this process has held in memory; None where the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
