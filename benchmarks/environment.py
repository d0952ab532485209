"""A scratch environment for the peers, in `build/bench-env`: never the project's own. Needs the standard library alone.

Peers come from PyPI, one by one, so that one that cannot be installed is told and left out. Rankine is built from this
tree, as a user would have it, and built again at each start: that takes a moment when nothing changed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "bench-env"
PYTHON = FOLDER / "bin" / "python"
INSTALLED = FOLDER / "peers.json"

TOOLS = ("cmake>=3.26", "ninja", "nanobind>=2.9", "scikit-build-core>=0.11", "setuptools>=77", "matplotlib")
# dlib is compiled, which takes some ten minutes once.
PEERS = ("benchopt>=1.8", "ir-measures>=0.3.6", "lightgbm>=4.5", "xgboost-cpu>=2.1", "catboost>=1.2.7", "dlib>=19.24")


def is_this() -> bool:
    """Whether this Python is that of the environment."""
    return Path(sys.prefix).resolve() == FOLDER.resolve()


def make(*, without: tuple[str, ...] = ()) -> None:
    """Make the environment, or bring it up to date.

    Parameters
    ----------
    without
        Peers not to install, by name.
    """
    if not PYTHON.exists():
        print(f"making {FOLDER.relative_to(ROOT)}", flush=True)
        venv.create(FOLDER, with_pip=True)
        _install(*TOOLS)
    outcome = json.loads(INSTALLED.read_text()) if INSTALLED.exists() else {}
    for peer in PEERS:
        name = peer.split(">=")[0]
        if peer not in outcome and name not in without:
            print(f"installing {name}", flush=True)
            outcome[peer] = _install(peer, must=False)
            INSTALLED.write_text(json.dumps(outcome, indent=1))
        if outcome.get(peer):
            print(f"{name} could not be installed and is left out: {outcome[peer]}", flush=True)
    _install("--no-build-isolation", "-Cbuild-dir=build/bench-rankine", ".")


def go_on_there() -> None:
    """Run the same command in the environment, in place of this process."""
    os.execv(PYTHON, [str(PYTHON), "-m", "benchmarks", *sys.argv[1:]])


def _install(*what: str, must: bool = True) -> str:
    """Why it failed, if it did."""
    command = [str(PYTHON), "-m", "pip", "install", "-q", "--disable-pip-version-check", *what]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if told.returncode == 0:
        return ""
    if must:
        sys.exit(f"{' '.join(command)} failed:\n{told.stdout}{told.stderr}")
    errors = [line.strip() for line in told.stderr.splitlines() if "error" in line.lower()]
    return errors[-1] if errors else "pip failed"
