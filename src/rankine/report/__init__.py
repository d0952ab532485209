"""What is told to people about data and models."""

from rankine.report.checks.finding import Finding
from rankine.report.doctor import examine

__all__ = ["Finding", "examine"]
