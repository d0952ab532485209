"""Benchmarks, side by side with others, as ratios within one run: see README.md. `python -m benchmarks --help`."""
