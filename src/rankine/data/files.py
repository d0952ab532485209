"""Reading and writing data sets."""


def read() -> None:
    """Read."""


def write() -> None:
    """Write."""
