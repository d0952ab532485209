"""The application: which commands there are, what their failures look like, and what exit codes mean.

Exit codes: 0 done, 1 it failed, 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import tomllib
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cyclopts

from rankine import __version__

# Each command's function and what `rankine --help` says of it. One line here adds a command.
COMMANDS = {
    "train": ("rankine.cli.train:train", "Learn a model from judged rows."),
    "predict": ("rankine.cli.predict:predict", "Score the rows of a file, or rank them as a TREC run."),
    "evaluate": ("rankine.cli.evaluate:evaluate", "Measure how well a model ranks."),
    "inspect": ("rankine.cli.inspect:inspect", "Show what a model or a data file holds."),
    "convert": ("rankine.cli.convert:convert", "Write data in another format."),
    "doctor": ("rankine.cli.doctor:doctor", "Tell before training what will go wrong with some data."),
    "demo": ("rankine.cli.demo:demo", "Run the main job on data that the package makes itself."),
}
EPILOGUE = "Exit codes: 0 done, 1 it failed, 2 wrong usage, 130 interrupted."


class UsageError(Exception):
    """The command was asked for something that it cannot be asked for."""


def main(tokens: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    tokens = list(sys.argv[1:] if tokens is None else tokens)
    try:
        with _notes():
            _application(tokens)(tokens, exit_on_error=False, print_error=False, result_action="return_value")
            sys.stdout.flush()
        return 0
    except (cyclopts.CycloptsError, UsageError) as error:
        return _fail(str(error), 2)
    except KeyboardInterrupt:
        return _fail("interrupted; no file was changed", 130)
    except BrokenPipeError:
        # Whoever read our output has seen enough; what is left in the buffer has nowhere to go.
        sys.stdout = None  # type: ignore[assignment]
        return 0
    except MemoryError:
        return _fail("not enough memory for this data", 1)
    except OSError as error:
        return _fail(_sentence(error), 1)
    except (ValueError, ImportError, OverflowError) as error:
        from rankine.recipes.parameters import ParameterError

        return _fail(str(error), 2 if isinstance(error, ParameterError) else 1)


def console() -> None:
    """The entry point of the installed command."""
    # A polite kill ends commands as Ctrl-C does, so that half-written files are removed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())


def _application(tokens: Sequence[str]) -> cyclopts.App:
    app = cyclopts.App(
        name="rankine",
        help="Large-scale linear learning to rank.",
        help_epilogue=EPILOGUE,
        help_format="plaintext",
        version=f"rankine {__version__}",
        default_parameter=cyclopts.Parameter(
            name_transform=lambda name: name.replace("_", "-"), negative=(), show_env_var=False
        ),
        config=_config(tokens),
    )
    for name, (path, summary) in COMMANDS.items():
        if name == "train" and "train" in tokens[:1]:
            from rankine.cli.train import train_with

            command = train_with(option(tokens, "--learner"))
            app.command(command, name=name, help_format="markdown")
        else:
            app.command(path, name=name, help=summary, help_format="markdown")
    return app


def option(tokens: Sequence[str], flag: str) -> str | None:
    """The value of a flag, looked up before the command line is parsed because parsing depends on it."""
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token == flag:
            return following
        if token.startswith(f"{flag}="):
            return token.partition("=")[2]
    return None


def _config(tokens: Sequence[str]) -> Any:
    """The flags that a TOML file holds; the command line has the last word."""
    path = option(tokens, "--config")
    if path is None:
        return ()
    try:
        values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not TOML: {error}") from None
    return (cyclopts.config.Dict(values, use_commands_as_keys=False, source=path),)


@contextlib.contextmanager
def _notes() -> Iterator[None]:
    """Warnings become notes on standard error, without the place in the code that raised them."""

    def show(message: Warning | str, category: type[Warning], *_: Any) -> None:  # noqa: ARG001
        print(f"note: {message}", file=sys.stderr)  # noqa: T201

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show  # type: ignore[assignment]
        yield


def _sentence(error: OSError) -> str:
    if error.filename is None or error.strerror is None:
        return str(error)
    return f"{error.filename}: {error.strerror}"


def _fail(message: str, code: int) -> int:
    print(f"rankine: {message.strip()}", file=sys.stderr)  # noqa: T201
    return code
