"""The error for data that cannot be used."""


class DataError(ValueError):
    """The data given cannot be ranked or learned from; the message says where and what would be right."""
