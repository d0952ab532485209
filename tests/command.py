"""The command line, run in this process, and as one of its own."""

import json
import sys
from pathlib import Path

from rankine.cli.app import main

RANKINE = str(Path(sys.executable).with_name("rankine"))


def run(capsys, *tokens):
    capsys.readouterr()
    code = main([str(token) for token in tokens])
    out, err = capsys.readouterr()
    return code, out, err


def json_of(capsys, *tokens):
    code, out, err = run(capsys, *tokens, "--json")
    assert code == 0, err
    return json.loads(out)
