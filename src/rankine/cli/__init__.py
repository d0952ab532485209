"""The command line: one file a command. Nothing of a command is loaded before it is asked for."""

from __future__ import annotations

import os
import signal
from typing import Any


def console() -> None:
    """The entry point of the installed command."""

    def leave(*_: Any) -> None:
        os._exit(130)

    # While the application itself is being loaded there is nothing to tidy up, and nobody to catch an exception.
    signal.signal(signal.SIGINT, leave)
    from rankine.cli.app import start

    start()
