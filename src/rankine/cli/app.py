"""The application: which commands there are, what their failures look like, and what exit codes mean.

Exit codes: 0 done, 1 it failed, 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import cyclopts

from rankine import __version__
from rankine.cli import flags

# Each command's function and what `rankine --help` says of it. One line here adds a command.
COMMANDS = {
    "train": ("rankine.cli.train:train", "Learn a model from judged rows."),
    "path": ("rankine.cli.path:path", "Learn models for many C in the time of a few."),
    "tune": ("rankine.cli.tune:tune", "Find the best parameters by queries that were held out."),
    "predict": ("rankine.cli.predict:predict", "Score the rows of a file, or rank them as a TREC run."),
    "evaluate": ("rankine.cli.evaluate:evaluate", "Measure how well a model ranks."),
    "inspect": ("rankine.cli.inspect:inspect", "Show what a model or a data file holds."),
    "convert": ("rankine.cli.convert:convert", "Write data in another format."),
    "doctor": ("rankine.cli.doctor:doctor", "Tell before training what will go wrong with some data."),
    "demo": ("rankine.cli.demo:demo", "Run the main job on data that the package makes itself."),
}
# Commands that take the parameters of a learner for flags.
WITH_LEARNER = ("train", "path", "tune")
EPILOGUE = (
    "Exit codes: 0 done, 1 it failed, 2 wrong usage, 130 interrupted. --version --json tells what the kernels run on."
)


def main(tokens: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    tokens = list(sys.argv[1:] if tokens is None else tokens)
    try:
        with _notes():
            run(tokens)
            sys.stdout.flush()
        return 0
    except (cyclopts.CycloptsError, flags.UsageError) as error:
        return _fail(str(error), 2)
    except KeyboardInterrupt:
        return _fail("interrupted: no file was left half-written", 130)
    except BrokenPipeError:  # whoever read our output has seen enough
        _discard_output()
        return 0
    except MemoryError:
        return _fail("not enough memory for this data", 1)
    except OSError as error:
        _discard_output()
        return _fail(_sentence(error), 1)
    except ImportError as error:  # a command's own module hides why it could not be loaded
        return _fail(str(error.__cause__ or error), 1)
    except (ValueError, OverflowError) as error:
        from rankine.recipes.parameters import ParameterError

        return _fail(str(error), 2 if isinstance(error, ParameterError) else 1)


def run(tokens: Sequence[str]) -> None:
    """Run one command; what fails is raised."""
    if sorted(tokens) == ["--json", "--version"]:
        _emit_versions()
        return
    held = flags.config(tokens)
    app = _application(tokens, held)
    app(flags.checked(app, tokens, held), exit_on_error=False, print_error=False, result_action="return_value")


def _emit_versions() -> None:
    """What runs here: versions, and the instruction set that the kernels use."""
    import platform

    import numpy as np

    from rankine import _core
    from rankine.cli.console import emit_json
    from rankine.data.rows import thread_count

    versions = {"rankine": __version__, "numpy": np.__version__, "python": platform.python_version()}
    emit_json({**versions, "isa": _core.isa(), "threads": thread_count(None)})


def start() -> None:
    """Run the command of this process and leave with its exit code."""
    for name in ("stdout", "stderr"):  # closed by the caller: nobody wants to read it
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115
    # A polite kill ends commands as Ctrl-C does, so that half-written files are removed.
    for kind in (signal.SIGINT, signal.SIGTERM):
        signal.signal(kind, signal.default_int_handler)
    sys.exit(main())


def _application(tokens: Sequence[str], held: flags.Config) -> cyclopts.App:
    app = cyclopts.App(
        name="rankine",
        help="Large-scale linear learning to rank.",
        help_epilogue=EPILOGUE,
        help_format="plaintext",
        version=f"rankine {__version__}",
        default_parameter=cyclopts.Parameter(
            name_transform=lambda name: name.replace("_", "-"), negative=(), show_env_var=False, converter=flags.exact
        ),
        config=cyclopts.config.Dict(held.values, use_commands_as_keys=False, source=held.path) if held.values else (),
        suppress_keyboard_interrupt=False,
    )
    for name, (path, summary) in COMMANDS.items():
        if name in WITH_LEARNER and name in tokens:
            from rankine.cli.learner import with_learner

            command = with_learner(path, flags.value(tokens, "--learner") or held.values.get("learner"))
            app.command(command, name=name, help_format="markdown")
        else:
            app.command(path, name=name, help=summary, help_format="markdown")
    return app


@contextlib.contextmanager
def _notes() -> Iterator[None]:
    """Warnings become notes on standard error, without the place in the code that raised them."""

    def show(message: Warning | str, category: type[Warning], *_: Any) -> None:  # noqa: ARG001
        print(f"note: {message}", file=sys.stderr)  # noqa: T201

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show  # type: ignore[assignment]
        yield


def _discard_output() -> None:
    """Whatever is still in the buffer of standard output has nowhere to go, and must not fail again at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _sentence(error: OSError) -> str:
    if error.strerror is None:
        return str(error)
    return f"{error.filename or 'standard output'}: {error.strerror}"


def _fail(message: str, code: int) -> int:
    print(f"rankine: {message.strip()}", file=sys.stderr)  # noqa: T201
    return code
