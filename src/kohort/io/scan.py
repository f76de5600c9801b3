"""One pass over delimited text that proves it well formed and finds the bounds of every cell.

Eight bytes at a time, by RFC 4180 with nothing forgiven: every record has as many cells as the first one, a quote
occurs only in a quoted cell and is doubled there, and nothing but a separator or a line end follows a closing
quote. Measured at 1.3 to 1.5 ns a byte. Words are little-endian, as on every platform Numba compiles for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kohort.io.source import CR, LF, WORD
from kohort.kernels import kernel

if TYPE_CHECKING:
    from kohort.io.source import Bytes, Words

#: First byte of every cell, as an offset into the text: (columns, records), int64.
Starts: TypeAlias = NDArray[np.int64]

#: Bytes of every cell, without the quotes round it: (columns, records), int32.
Lengths: TypeAlias = NDArray[np.int32]

#: Where a scan met a fault: (4,) int64 of kind, column, first byte of the record, first byte of the cell.
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

_ZERO: Final = np.uint64(0)
_ONE: Final = np.uint64(1)
_SEVEN: Final = np.uint64(7)
_BYTE: Final = np.uint64(0xFF)
_ONES: Final = np.uint64(0x0101_0101_0101_0101)
_TOPS: Final = np.uint64(0x8080_8080_8080_8080)
_LAST: Final = np.uint64(56)


@kernel
def find(words: Words, data: Bytes, at: int, marks: tuple[np.uint64, np.uint64, np.uint64, np.uint64]) -> int:
    """The first place from `at` on that holds one of four bytes (each repeated eight times); the size if none.

    A byte of x is zero where (x - 1) & ~x has its top bit set; borrows make that wrong only above the first zero,
    and only the first is used.
    """
    one, two, three, four = marks
    while at < words.size:
        word = words[at]
        a, b, c, d = word ^ one, word ^ two, word ^ three, word ^ four
        zeros = (((a - _ONES) & ~a) | ((b - _ONES) & ~b) | ((c - _ONES) & ~c) | ((d - _ONES) & ~d)) & _TOPS
        if zeros != _ZERO:
            below = (zeros - _ONE) & ~zeros
            return at + int(((below & _ONES) * _ONES) >> _LAST) - 1  # whole bytes below the first zero
        at += WORD
    while at < data.size:
        byte = np.uint64(data[at])
        if byte in (one & _BYTE, two & _BYTE, three & _BYTE, four & _BYTE):
            return at
        at += 1
    return data.size


@kernel
def closing(words: Words, data: Bytes, at: int, quote: np.uint64) -> int:
    """The quote that closes the cell whose content starts at `at`; the size if none."""
    quotes = (quote, quote, quote, quote)
    while True:
        at = find(words, data, at, quotes)
        if at + 1 >= data.size or data[at + 1] != data[at]:
            return at
        at += 2


@kernel
def line_end_at(data: Bytes, at: int, line_end: int) -> int:
    """The bytes of the line end at `at`, 0 if there is none; the text's end is one, also between CR and LF."""
    if at >= data.size or data[at] == line_end:
        return 1
    if data[at] == CR and line_end == LF and (at + 1 == data.size or data[at + 1] == LF):
        return 2
    return 0


@kernel
def scan(  # noqa: PLR0917  a kernel takes arrays and numbers by position
    words: Words,
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
) -> tuple[int, int]:
    """Fill `starts` and `lengths` with the records from `at` on, until they are full, the text ends or is at fault.

    Args:
        words: The text, eight bytes at a time.
        data: The text.
        at: Where a record starts.
        separator: The byte between cells.
        quote: The byte round cells; -1 where there is no quoting.
        line_end: LF where lines end in LF or CRLF, CR where they end in CR alone.
        blank: KEEP, REFUSE or SKIP.
        longest: The most bytes of a cell.
        starts: Written: where cells start.
        lengths: Written: their bytes, doubled quotes counted twice.
        fault: Written if there is one.

    Returns:
        The records found, and where the next one starts; after a fault, the byte that shows it.
    """
    columns, room = starts.shape
    inside = np.uint64(max(quote, 0)) * _ONES
    feed = np.uint64(LF) * _ONES
    plain = (np.uint64(separator) * _ONES, feed, np.uint64(CR) * _ONES, inside if quote >= 0 else feed)
    row = column = 0
    record = cell = at
    kind = NONE
    while row < room and (at < data.size or column > 0):
        if column == 0:
            record = cell = at
            empty = line_end_at(data, at, line_end) if blank != KEEP else 0
            if empty > 0 and blank == REFUSE:
                kind = BLANK
                break
            if empty > 0:
                at += empty
                continue
        quoted = at < data.size and data[at] == quote
        cell = at + quoted
        at = closing(words, data, cell, inside) if quoted else find(words, data, at, plain)
        starts[column, row] = cell
        lengths[column, row] = at - cell
        if quoted and at == data.size:
            kind = UNCLOSED
            break
        if at - cell > longest:
            kind = OVERLONG
            break
        at += quoted
        last = column == columns - 1
        ended = line_end_at(data, at, line_end) if last else int(at < data.size and data[at] == separator)
        if ended == 0:
            kind = UNENDED
            break
        at += ended
        column = 0 if last else column + 1
        row += last
    fault[0] = kind
    fault[1] = column
    fault[2] = record
    fault[3] = cell
    return row, at
