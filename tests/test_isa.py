"""One wheel for every CPU: nothing that is compiled for a wide instruction set may serve a narrow machine."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ON_X86 = platform.machine() in ("x86_64", "AMD64")
FLAGS = {
    "sse2": "",
    "avx2": "-mavx2 -mfma",
    "avx512": "-mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma",
}


def imported(isa: str) -> subprocess.CompletedProcess[str]:
    code = "from rankine import _core; print(_core.isa())"
    return subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "RANKINE_ISA": isa}, capture_output=True, text=True
    )


@pytest.mark.skipif(not ON_X86, reason="one instruction set on this machine")
def test_the_environment_lowers_the_choice():
    assert imported("sse2").stdout == "sse2\n"


def test_an_unknown_set_fails_the_import_with_the_choices():
    result = imported("mmx")
    assert result.returncode != 0
    assert "ImportError: RANKINE_ISA is 'mmx', but this machine has: " in result.stderr


@pytest.mark.skipif(not (ON_X86 and shutil.which("c++") and shutil.which("nm")), reason="needs a compiler and nm")
@pytest.mark.parametrize("isa", FLAGS)
@pytest.mark.parametrize("optimise", ["-O0", "-O3"])
def test_the_object_files_share_no_function(isa: str, optimise: str, tmp_path: Path):
    compiled = tmp_path / "kernels.o"
    command = ["c++", "-std=c++20", "-fno-exceptions", optimise, *FLAGS[isa].split(), f"-DRANKINE_ISA={isa}"]
    subprocess.run([*command, "-c", str(ROOT / "native/isa/compile.cpp"), "-o", str(compiled)], check=True)
    listed = subprocess.run(["nm", "--defined-only", str(compiled)], check=True, capture_output=True, text=True).stdout
    symbols = [line.split()[-2:] for line in listed.splitlines()]
    shared = [name for kind, name in symbols if kind not in "rtbd" and f"7rankine{len(isa)}{isa}" not in name]
    assert symbols
    assert not shared, "a symbol that the linker may keep for all instruction sets"
