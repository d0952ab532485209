"""`python -m rankine` is the command `rankine`."""

from rankine.cli import console

if __name__ == "__main__":
    console()
