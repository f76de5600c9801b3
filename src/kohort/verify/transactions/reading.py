"""A released transaction database read back from its bytes; what they hold beside its cells is a fault.

Basket lines are spelled out once more, letter by letter, and compared: there is one way to write each transaction, its
items in item order with one separator between two of them. The other forms are written again, and the bytes must be the
same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple, cast

import numpy as np

from kohort.errors import KohortError
from kohort.io.baskets import read_content, write_transactions
from kohort.io.baskets.options import BasketOptions, Form
from kohort.io.options import ReadOptions
from kohort.kernels import kernel
from kohort.verify.reading import Digest, digest
from kohort.verify.transactions.verdict import CoherenceCheck
from kohort.verify.verdict import fault

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kohort.arrays import Index, Items
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
    sha256 = digest(content)
    if options.form is Form.BASKET:
        plain = _is_spelled(content, database, options.separator or " ")
    else:
        again = Digest()
        write_transactions(database, cast("BinaryIO", again), options)
        plain = again.sha256 == sha256
    if not plain:
        raise fault(CoherenceCheck.BYTES, _NOT_PLAIN)
    return sha256


class _Letters(NamedTuple):
    """The bytes of some texts, one after the other."""

    starts: Index
    letters: NDArray[np.uint8]


def _is_spelled(content: Content, database: Transactions, separator: str) -> bool:
    """Whether basket lines are the plain ones."""
    texts = [name.encode() for name in database.names]
    starts = np.cumsum([0, *map(len, texts)])
    between = database.cells.size - int(np.count_nonzero(database.lengths))
    if len(content) != int(np.diff(starts) @ database.supports) + between + len(database):
        return False
    letters = _Letters(starts, np.frombuffer(b"".join(texts), np.uint8))
    return _follows(np.frombuffer(content, np.uint8), database.starts, database.cells, letters, ord(separator))


@kernel
def _follows(text: NDArray[np.uint8], starts: Index, cells: Items, names: _Letters, separator: int) -> bool:
    """Whether the text is that of the transactions, whose size it has."""
    at = 0
    for row in range(starts.size - 1):
        for cell in range(starts[row], starts[row + 1]):
            if cell > starts[row]:
                if text[at] != separator:
                    return False
                at += 1
            for place in range(names.starts[cells[cell]], names.starts[cells[cell] + 1]):
                if text[at] != names.letters[place]:
                    return False
                at += 1
        if text[at] != 10:  # LF  # noqa: PLR2004
            return False
        at += 1
    return True
