"""A released transaction database read back from its bytes; what they hold beside its cells is a fault.

What was read is written again, and the bytes must be the same: there is one way to write a database in each form.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO, Final, cast

import numpy as np

from kohort.errors import KohortError, UsageError
from kohort.io.baskets import read_content, write_transactions
from kohort.io.baskets.options import BasketOptions, Form
from kohort.io.options import ReadOptions
from kohort.verify.reading import digest
from kohort.verify.transactions.verdict import CoherenceCheck
from kohort.verify.verdict import fault

if TYPE_CHECKING:
    from kohort.io.source import Content
    from kohort.transactions.database import Transactions

#: There may be no transactions, and names of any size that has a number.
_LIMITS: Final = ReadOptions(allow_empty=True, max_cell=(1 << 31) - 1)

#: What the fault of bytes that hold more than their cells is called.
_NOT_PLAIN: Final = (
    "the bytes are not the plain form of their transactions: other blanks or line ends, another order, notes"
)


def read_released(content: Content, options: BasketOptions) -> Transactions:
    """The transactions that the bytes hold.

    Raises:
        VerificationError: they cannot be read, or a transaction names an item twice.
    """
    if options.form is not Form.BASKET:  # else what is between cells would be found out
        options = replace(options, separator=options.separator or ",")
    try:
        reading = read_content("the release", content, options, limits=_LIMITS)
    except KohortError as error:
        raise fault(CoherenceCheck.BYTES, f"the file is not well formed: {error.what} ({error.where})") from None
    if reading.repeated:
        what = f"{reading.repeated:,} cells name an item that their transaction already has"
        raise fault(CoherenceCheck.BYTES, what)
    return reading.database


def check_bytes(content: Content, database: Transactions, options: BasketOptions) -> str:
    """The bytes say these transactions, items in this order, and nothing more; gives their digest."""
    again = _Again(content)
    try:
        write_transactions(database, cast("BinaryIO", again), options)
    except UsageError:  # nobody would write names like these in this form
        again.same = False
    if not (again.same and again.size == len(content)):
        raise fault(CoherenceCheck.BYTES, _NOT_PLAIN)
    return digest(content)


class _Again:
    """A file that keeps nothing of what is written to it but its size, and whether some content starts with it."""

    def __init__(self, content: Content) -> None:
        """Nothing is written yet."""
        self._content = memoryview(content)
        self.size = 0
        self.same = True

    def write(self, data: bytes | memoryview) -> int:
        """Compare the bytes."""
        piece = memoryview(data).cast("B")
        before, self.size = self.size, self.size + len(piece)
        self.same = self.same and np.array_equal(self._content[before : self.size], piece)
        return len(piece)
