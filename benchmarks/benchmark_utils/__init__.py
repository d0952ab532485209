"""What data sets and solvers share. benchopt puts this folder on the path under its own name, `benchmark_utils`."""
