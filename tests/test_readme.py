"""The README's code runs: Python in one session, commands in one shell, in a folder of their own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    found = re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
    assert found
    return found


def run(command: list[str], folder: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(command, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_python(tmp_path):
    pytest.importorskip("sklearn")
    (tmp_path / "readme.py").write_text("\n".join(blocks("python")), encoding="utf-8")
    run([sys.executable, "-W", "error", "readme.py"], tmp_path)


def test_commands(tmp_path):
    lines = [line.removeprefix("$ ") for block in blocks("console") for line in block.splitlines()]
    assert all("rankine" in line for line in lines)
    run(["bash", "-ec", "\n".join(lines)], tmp_path)
    assert {"model.json", "scores.txt", "run.trec", "train.npz"} <= {path.name for path in tmp_path.iterdir()}
