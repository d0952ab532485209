"""Benchmarks: each is a script that prints ratios taken within one run, best of several."""
