"""`import rankine` and `rankine --help` load no heavy library."""

import subprocess
import sys

import pytest

HEAVY = ["sklearn", "scipy", "pandas", "polars", "pyarrow", "narwhals", "matplotlib", "dask", "safetensors", "optuna"]


@pytest.mark.parametrize(
    "code",
    [
        "import rankine",
        "import rankine; dir(rankine); rankine.__version__",
        "from rankine.cli.app import main; main(['--help'])",
        "from rankine.cli.app import main; main(['--version'])",
    ],
)
def test_light(code):
    code += f"\nimport sys\nsys.exit(' '.join(name for name in {HEAVY} if name in sys.modules) or 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_help_does_not_even_load_numpy():
    code = "from rankine.cli.app import main; main(['--help'])\nimport sys\nsys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


def test_every_public_name_is_there():
    import rankine

    assert all(getattr(rankine, name) is not None for name in rankine.__all__)
    assert set(rankine.__all__) <= set(dir(rankine))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = rankine.nonsense
