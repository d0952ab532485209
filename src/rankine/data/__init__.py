"""Data: the frozen, query-grouped `Dataset`, how it is read and written, and data that the package makes itself."""

from rankine.data.dataset import Dataset, Grouped
from rankine.data.errors import DataError
from rankine.data.files import read, write
from rankine.data.rows import Rows, Vector

__all__ = ["DataError", "Dataset", "Grouped", "Rows", "Vector", "read", "write"]
