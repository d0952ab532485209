"""`rankine doctor`: text and JSON, test data, missing values, exit codes. Reading files is replaced."""

import json
import subprocess
import sys

import numpy as np
import pytest

from rankine.cli.app import main
from rankine.cli.reading import Reading
from rankine.data import DataError, Dataset, synthetic


@pytest.fixture
def files(monkeypatch):
    """Files by name: a file "worse" cannot be read."""
    rng = np.random.default_rng(0)
    X, y, qid = rng.normal(size=(300, 4)), rng.integers(0, 3, 300), np.repeat(np.arange(10), 30)
    holed = np.c_[X, np.ones(300)]
    holed[:2, 1] = np.nan
    leaky = np.c_[X, 2 * y, np.ones(300)]
    held = {
        "good": Dataset.from_arrays(X, y, qid, source="good"),
        "holed": Dataset.from_arrays(holed, y, qid, source="holed", missing="keep"),
        "leaky": Dataset.from_arrays(leaky, y, qid, source="leaky"),
        "other": synthetic.make("mslr10", scale=1e-3),
    }
    asked = []

    def read(how, paths):
        asked.append((paths, how.missing, how.n_features))
        if paths == ["worse"]:
            raise DataError(f"{paths[0]}:3:17: 'NULL' is no number; --missing zero reads it as 0")
        return held[paths[0]]

    monkeypatch.setattr(Reading, "__call__", read)
    return asked


@pytest.mark.usefixtures("files")
def test_a_clean_bill(capsys):
    assert main(["doctor", "good"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines() == [
        "good: <Dataset: 300 rows, 10 queries, 4 features, dense float64, labels 0 to 2>",
        "",
        "Nothing was found that should go wrong.",
    ]


def test_findings_are_told_worst_first_with_what_to_do(files, capsys):
    assert main(["doctor", "leaky", "second", "--n-features", "6"]) == 0
    assert files == [(["leaky", "second"], "keep", 6)]
    out = capsys.readouterr().out
    assert out.index("warning  leak") < out.index("feature 5 (100.00%)") < out.index("-> Is it made")
    assert out.index("-> Is it made") < out.index("note     constant-features") < out.index("1 warning, 1 note.")
    assert max(map(len, out.splitlines())) <= 110


@pytest.mark.usefixtures("files")
def test_json_is_one_object(capsys):
    assert main(["doctor", "leaky", "--test", "good", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {finding["code"] for finding in told["findings"]} >= {"leak", "constant-features", "queries-in-both"}
    assert told["findings"][0].keys() == {"level", "code", "sentence", "remedy", "details"}
    assert (told["data"]["features"], told["test"]["features"]) == (6, 4)
    assert main(["doctor", "good", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["findings"], told["test"]) == ([], None)


def test_several_test_files_are_one_data_set(files, capsys):
    assert main(["doctor", "good", "--test", "other", "--test", "more"]) == 0
    assert files[1][0] == ["other", "more"]
    assert "error    features-differ" in capsys.readouterr().out


def test_missing_values_are_reported_and_the_rest_is_examined(files, capsys):
    assert main(["doctor", "holed"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "error missing-values 2 values missing: feature 2 in 2 rows. -> Say what that means when you train:" in out
    assert "constant-features" in out
    assert main(["doctor", "good", "--test", "holed"]) == 0
    assert "warning  missing-in-test" in capsys.readouterr().out
    assert main(["doctor", "good", "--missing", "zero"]) == 0
    assert [missing for _, missing, _ in files] == ["keep", "keep", "keep", "zero"]


@pytest.mark.usefixtures("files")
def test_what_cannot_be_read_is_the_error_of_reading(capsys):
    assert main(["doctor", "worse"]) == 1
    caught = capsys.readouterr()
    assert caught.out == ""
    assert caught.err == "rankine: worse:3:17: 'NULL' is no number; --missing zero reads it as 0\n"


@pytest.mark.usefixtures("files")
def test_strict_fails_on_errors_and_warnings_alone(capsys):
    assert main(["doctor", "leaky", "--strict"]) == 1
    caught = capsys.readouterr()
    assert "warning  leak" in caught.out
    assert caught.err == "rankine: the data has 1 warning, and --strict allows none\n"
    assert main(["doctor", "good", "--strict"]) == 0


def test_the_doctor_needs_no_scikit_learn_and_no_frames():
    program = (
        "import sys; from rankine.data import synthetic; from rankine.report import examine; "
        "import rankine.cli.doctor; examine(synthetic.make('mslr10', scale=1e-3)); "
        "print([m for m in ('sklearn', 'pandas', 'narwhals', 'scipy') if m in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "[]"
