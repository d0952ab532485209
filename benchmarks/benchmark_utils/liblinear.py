"""The `train` program of liblinear-ranksvm, timed from the moment when it has read its file.

The program reads, trains and writes in one run. It closes its data file exactly between reading and training: there it
is stopped (SIGSTOP), and its training is timed from SIGCONT until its model file is written and closed. Files are
watched once a millisecond in /proc, so a time is right to about two milliseconds, and needs Linux.

The folder is given in RANKINE_LIBLINEAR (`python -m benchmarks --liblinear DIR`). It must hold the program, built as
its own README says.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def why_not() -> str | None:
    """Why the program cannot be run, if it cannot."""
    given = os.environ.get("RANKINE_LIBLINEAR")
    if not given:
        return "no folder of liblinear-ranksvm is given: --liblinear DIR"
    if not os.access(program(), os.X_OK):
        return f"{program()} is not there: build it as its README says"
    if not Path("/proc/self/fd").is_dir():
        return "its files are watched in /proc, which this system has not"
    return None


def program() -> Path:
    """The `train` program."""
    return Path(os.environ["RANKINE_LIBLINEAR"]).expanduser().resolve() / "train"


class Training:
    """One run of the program, stopped when it has read its data.

    Parameters
    ----------
    data
        The LETOR file.
    model
        Where the model goes.
    C, tol
        The parameters -c and -e.
    """

    def __init__(self, data: Path, model: Path, C: float, tol: float):
        self.data, self.model = data.resolve(), model.resolve()
        self.model.unlink(missing_ok=True)
        command = [program(), "-c", repr(C), "-e", repr(tol), "-q", self.data, self.model]
        began = time.perf_counter()
        self.process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL)
        while not self._holds(self.data):
            self._still_alive()
        while self._holds(self.data):
            time.sleep(0.001)
        self.seconds_to_read = time.perf_counter() - began
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Go on, and return when the model is written."""
        before = self._cpu_seconds()
        self.process.send_signal(signal.SIGCONT)
        while not (self._written() and not self._holds(self.model)) and self.process.poll() is None:
            time.sleep(0.001)
        self.cpu_seconds = self._cpu_seconds() - before

    def weights(self, n_features: int) -> NDArray[np.float64]:
        """Wait for the program to end, and read its model."""
        if self.process.wait() != 0:
            raise RuntimeError(f"{program()} ended with exit code {self.process.returncode}")
        return read_model(self.model, n_features)

    def kill(self) -> None:
        """End it now."""
        self.process.kill()
        self.process.wait()

    def _cpu_seconds(self) -> float:
        """What it has used so far; NaN when it is gone."""
        with contextlib.suppress(OSError):
            return int(Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[0]) / 1e9
        return float("nan")

    def _still_alive(self) -> None:
        if self.process.poll() is not None:
            raise RuntimeError(f"{program()} ended with exit code {self.process.returncode} before it read {self.data}")

    def _written(self) -> bool:
        return self.model.exists() and self.model.stat().st_size > 0

    def _holds(self, path: Path) -> bool:
        """Whether the program has this file open."""
        with contextlib.suppress(OSError):
            for link in Path(f"/proc/{self.process.pid}/fd").iterdir():
                with contextlib.suppress(OSError):
                    if link.readlink() == path:
                        return True
        return False


def read_model(path: Path, n_features: int) -> NDArray[np.float64]:
    """The weights of a model file; features that the data file never names have none, and get zero."""
    lines = path.read_text().split("\n")
    found = np.array([float(line) for line in lines[lines.index("w") + 1 :] if line.strip()])
    weights = np.zeros(n_features)
    weights[: len(found)] = found
    return weights
