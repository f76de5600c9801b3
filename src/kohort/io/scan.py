"""One pass over delimited text that proves it well formed and finds the bounds of every cell.

By RFC 4180 with nothing forgiven: every record has as many cells as the first one, a quote occurs only in a quoted cell
and is doubled there, and nothing but a separator or a line end follows a closing quote. The loop is compiled
(`kohort.native`) and looks for marks in 64 bytes at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kohort.io.source import CR, LF
from kohort.native.library import SCAN

if TYPE_CHECKING:
    from kohort.io.source import Bytes

#: First byte of every cell, as an offset into the text: (columns, records), int64.
Starts: TypeAlias = NDArray[np.int64]

#: Bytes of every cell, without the quotes round it: (columns, records), int32.
Lengths: TypeAlias = NDArray[np.int32]

#: Where a scan ended: (5,) int64 of the kind of fault, column, first byte of the record, first byte of the cell, and
#: the place where the next record starts; after a fault, the byte that shows it.
Fault: TypeAlias = NDArray[np.int64]

#: Kinds of fault.
NONE: Final = 0
UNENDED: Final = 1  # the cell does not end as a cell of its column ends
UNCLOSED: Final = 2  # a quoted cell that the text's end cuts off
OVERLONG: Final = 3  # a cell of more bytes than allowed
BLANK: Final = 4  # a line without any byte

#: What becomes of a line without any byte.
KEEP: Final = 0  # it is a record of one empty cell
REFUSE: Final = 1
SKIP: Final = 2


def line_end_at(data: Bytes, at: int, line_end: int) -> int:
    """The bytes of the line end at `at`, 0 if there is none; the text's end is one, also between CR and LF."""
    if at >= data.size or data[at] == line_end:
        return 1
    if data[at] == CR and line_end == LF and (at + 1 == data.size or data[at + 1] == LF):
        return 2
    return 0


def scan(  # noqa: PLR0917  the core's own order
    data: Bytes,
    at: int,
    separator: int,
    quote: int,
    line_end: int,
    blank: int,
    longest: int,
    starts: Starts,
    lengths: Lengths,
    fault: Fault,
) -> int:
    """Fill `starts` and `lengths` with the records from `at` on, until they are full, the text ends or is at fault.

    Args:
        data: The text.
        at: Where a record starts.
        separator: The byte between cells.
        quote: The byte round cells; -1 where there is no quoting.
        line_end: LF where lines end in LF or CRLF, CR where they end in CR alone.
        blank: KEEP, REFUSE or SKIP.
        longest: The most bytes of a cell.
        starts: Written: where cells start.
        lengths: Written: their bytes, doubled quotes counted twice.
        fault: Written: where it ended, and whether at a fault.

    Returns:
        The records found.
    """
    return SCAN(data, at, separator, quote, line_end, blank, longest, starts, lengths, len(starts), fault)
