"""In what form a transaction database is read and written."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Form(StrEnum):
    """The formats of a transaction database. You name one; kohort never guesses it, a draft only proposes one."""

    BASKET = "basket"
    """A line for each transaction: its items, separated by blanks (FIMI) or by a separator; an empty line is a
    transaction of no items. There is no header and no quoting."""
    LONG = "long"
    """A table with a record for each cell: which transaction (or person), which item. An empty item cell tells of a
    transaction and of no item in it."""
    MATRIX = "matrix"
    """A record for each transaction, a 0 or 1 for each item; items are called 0, 1, 2, …"""
    MATRIX_HEADER = "matrix-header"
    """The same below a header that names the items."""
    LISTS = "lists"
    """Parquet or a frame with a column of lists of items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BasketOptions:
    """How to read a transaction database; see `kohort.io.options.ReadOptions` for delimited text.

    Attributes:
        form: The format.
        separator: The character between items or cells, in ASCII. If not given: blanks for basket lines, detected for
            the other formats.
        encoding: Any text encoding Python knows.
        key: Of the long form the column that says which transaction a record belongs to (the first if not given); of
            lists, a column of persons whose transactions are merged. Name a person's column, and all transactions of
            one person become one.
        item: The column of items (long form: the other one of two; lists: the only list column, if not given).
    """

    form: Form = Form.BASKET
    separator: str | None = None
    encoding: str = "utf-8"
    key: str | None = None
    item: str | None = None
