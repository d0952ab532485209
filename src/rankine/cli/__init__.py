"""The command line: one file a command. Nothing of a command is loaded before it is asked for."""

from rankine.cli.app import main

__all__ = ["main"]
