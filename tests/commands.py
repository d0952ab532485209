"""Commands, run in this process: exit code, standard output and standard error, or the JSON that they print."""

import json

from rankine.cli.app import main


def run(capsys, *tokens):
    capsys.readouterr()
    code = main([str(token) for token in tokens])
    out, err = capsys.readouterr()
    return code, out, err


def json_of(capsys, *tokens):
    code, out, err = run(capsys, *tokens, "--json")
    assert code == 0, err
    return json.loads(out)
