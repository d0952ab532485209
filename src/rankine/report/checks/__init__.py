"""The checks of `rankine.report.doctor`, by subject. Each takes data and yields findings."""
