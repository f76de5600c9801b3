"""Basket lines: a line for each transaction, its items by their names, neither header nor quotes.

One pass finds the names and codes them. Eight bytes at a time are compared with all that can end a name: the separator
and whatever is below a blank, which but for tabs and line ends is refused anyway. A name of up to seven bytes is a
number, as a word of the text has it, and is looked up by that alone; a longer one by a number made of its words, with
the bytes of its first occurrence to tell it from others. What concerns names alone is checked once for each of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kohort.errors import InputError, KohortError, LimitError
from kohort.io import records
from kohort.io.baskets.cells import UNPRINTABLE, Coded
from kohort.io.source import CR, LF, WORD, line_of
from kohort.kernels import kernel

if TYPE_CHECKING:
    from kohort.arrays import Index, Items
    from kohort.io.source import Bytes, Text, Words

#: Hash table: (a power of two,) uint64, pairs of a name's number, 0 where a pair is free, and its code.
Slots: TypeAlias = NDArray[np.uint64]

#: The bytes of the line end at a place: compiled, for the loops below.
line_end_at: Final = kernel(records.line_end_at)

BLANK: Final = ord(" ")
TAB: Final = ord("\t")

#: Names that an empty table has room for; half of its pairs stay free.
_NAMES: Final = 1 << 10

#: Bytes of a transaction where nothing is known; more room is made where that is wrong.
_TRANSACTION: Final = 16

_ZERO: Final = np.uint64(0)
_ONE: Final = np.uint64(1)
_SEVEN: Final = np.uint64(7)
_EIGHT: Final = np.uint64(8)
_HALF: Final = np.uint64(32)
_LAST: Final = np.uint64(56)
_ONES: Final = np.uint64(0x0101_0101_0101_0101)
_TOPS: Final = np.uint64(0x8080_8080_8080_8080)
_BLANKS: Final = np.uint64(0x2020_2020_2020_2020)
#: An odd number without pattern: a product's upper bits depend on all lower bits of its factors.
_MIX: Final = np.uint64(0x9E37_79B9_7F4A_7C15)
#: The first byte of a long name's number is NUL and the number is not 0, so that it is no short name's.
_LONG: Final = np.uint64(0x100)

#: What no name may start or end with, or hold.
_QUOTE: Final = re.compile('^"', re.MULTILINE)
_EDGE: Final = re.compile("^ | $", re.MULTILINE)


@kernel
def name_at(words: Words, at: int, separators: np.uint64) -> tuple[np.uint64, int]:
    """The number of the name at a place, and how many bytes it has: 0 where there stands what ends a name.

    A byte of x is below n where (x - n) & ~x has its top bit set; borrows make that wrong only above the first such
    byte, and only the first is used (see `find` in `kohort.native`).
    """
    number, end = _ZERO, at
    while True:
        past = end - words.size  # behind its last byte the text goes on with zeros, which end a name
        word = words[end] if past < 0 else (words[words.size - 1] >> np.uint64(past * WORD)) >> _EIGHT
        other = word ^ separators
        stops = (((word - _BLANKS) & ~word) | ((other - _ONES) & ~other)) & _TOPS
        if stops != _ZERO:
            break
        number = (number ^ word) * _MIX
        number ^= number >> _HALF
        end += WORD
    below = (stops - _ONE) & ~stops
    word &= below >> _SEVEN
    length = end - at + int(((below & _ONES) * _ONES) >> _LAST) - 1
    if end == at:
        return word, length
    number = (number ^ word) * _MIX
    return ((number ^ (number >> _HALF)) << _EIGHT) | _LONG, length


@kernel
def is_same(words: Words, one: int, other: int, length: int) -> bool:
    """Whether two names of eight bytes or more are the same."""
    for k in range(0, length, WORD):
        place = min(k, length - WORD)
        if words[one + place] != words[other + place]:
            return False
    return True


@kernel
def code_names(  # noqa: C901, PLR0917  a kernel takes arrays and numbers by position, and its loop stays in one piece
    words: Words,
    data: Bytes,
    at: int,
    separator: int,
    line_end: int,
    slots: Slots,
    shift: int,
    first: Index,
    lengths: Index,
    starts: Index,
    cells: Items,
    so_far: Index,
) -> tuple[int, bool]:
    """Code the names from `at` on until the text ends, is at fault, or the room for something.

    Args:
        words: The text, eight bytes at a time.
        data: The text.
        at: Where a name or line end stands.
        separator: The byte between names; a blank means runs of blanks and tabs.
        line_end: LF where lines end in LF or CRLF, CR where they end in CR alone.
        slots: The hash table.
        shift: The bits of a product that no pair of the table is found by.
        first: Written: where each name occurred first.
        lengths: Written: its bytes.
        starts: Written: where each transaction's cells start. One more than it has room for is never written here.
        cells: Written: codes of names.
        so_far: Read and written: transactions, cells and names.

    Returns:
        The byte not yet looked at, and whether it is at fault.
    """
    row, cell, used = so_far[0], so_far[1], so_far[2]
    separators, mask = np.uint64(separator) * _ONES, slots.size // 2 - 1
    fault = False
    while at < data.size:
        number, length = name_at(words, at, separators)
        if length == 0:
            if separator == BLANK and (data[at] == BLANK or data[at] == TAB):
                at += 1
                continue
            ended = line_end_at(data, at, line_end)
            fault = ended == 0 or (separator != BLANK and at > 0 and data[at - 1] == separator)
            if fault or row + 2 == starts.size:
                break
            row += 1
            starts[row] = cell
            at += ended
            continue
        if used == first.size:
            break
        pair = int((number * _MIX) >> np.uint64(shift)) & mask
        while slots[2 * pair] != _ZERO:
            code = int(slots[2 * pair + 1])
            if slots[2 * pair] == number and (
                length < WORD or (lengths[code] == length and is_same(words, at, first[code], length))
            ):
                break
            pair = (pair + 1) & mask
        if slots[2 * pair] == _ZERO:
            slots[2 * pair], slots[2 * pair + 1] = number, np.uint64(used)
            first[used], lengths[used] = at, length
            used += 1
        cells[cell] = slots[2 * pair + 1]
        cell += 1
        at += length
        if at < data.size and data[at] == separator:
            at += 1
        elif at < data.size and data[at] == line_end and row + 2 < starts.size:
            row += 1
            starts[row] = cell
            at += 1
    so_far[0], so_far[1], so_far[2] = row, cell, used
    return at, fault


@kernel
def enter(old: Slots, new: Slots, shift: int) -> None:
    """Enter every pair of `old` into the larger, empty `new`."""
    mask = new.size // 2 - 1
    for one in range(0, old.size, 2):
        if old[one] != _ZERO:
            pair = int((old[one] * _MIX) >> np.uint64(shift)) & mask
            while new[2 * pair] != _ZERO:
                pair = (pair + 1) & mask
            new[2 * pair], new[2 * pair + 1] = old[one], old[one + 1]


class _Room:
    """What `code_names` writes to; it grows."""

    def __init__(self, size: int) -> None:
        self.slots: Slots = np.zeros(4 * _NAMES, np.uint64)
        self.first = np.empty(_NAMES, np.int64)
        self.lengths = np.empty(_NAMES, np.int64)
        self.starts = np.empty(size // _TRANSACTION + 4, np.int64)
        self.starts[0] = 0
        self.cells = np.empty(size // 2 + 1, np.int32)  # as many as there can be: what is not used takes no memory
        self.so_far = np.zeros(3, np.int64)

    @property
    def shift(self) -> int:
        """64 less the bits of a pair's number."""
        return 66 - self.slots.size.bit_length()

    def grow(self) -> None:
        """Make twice as much room where there is none."""
        row, _, used = self.so_far.tolist()
        if row + 2 == self.starts.size:
            self.starts = np.concatenate((self.starts, np.empty_like(self.starts)))
        if used == self.first.size:
            self.first = np.concatenate((self.first, np.empty_like(self.first)))
            self.lengths = np.concatenate((self.lengths, np.empty_like(self.lengths)))
            old, self.slots = self.slots, np.zeros(2 * self.slots.size, np.uint64)
            enter(old, self.slots, self.shift)


def read_lines(text: Text, separator: str | None, max_cell: int) -> Coded:
    """The transactions in basket lines.

    Args:
        text: The lines.
        separator: Between names; runs of blanks and tabs where it is none, or a blank.
        max_cell: The most bytes of a name.

    Raises:
        InputError: the text is not well formed, or a name cannot be one.
        LimitError: a name is too long.
    """
    sign, data = ord(separator or " "), text.data
    line_end = _line_end(data)
    room, at, fault = _Room(data.size), 0, False
    while at < data.size and not fault:
        if at:
            room.grow()
        table = room.slots, room.shift, room.first, room.lengths
        at, fault = code_names(text.words, data, at, sign, line_end, *table, room.starts, room.cells, room.so_far)
    rows, cells, used = room.so_far.tolist()
    if fault or (at == data.size and sign not in {BLANK, LF, CR} and data[-1] == sign):
        raise _fault(text, at, sign)
    if data[-1] not in {LF, CR}:
        rows += 1
        room.starts[rows] = cells
    names = _names(text, room.first[:used], room.lengths[:used], max_cell)
    return Coded(names, room.starts[: rows + 1], room.cells[:cells])


def _line_end(data: Bytes) -> int:
    """LF where the first line ends in LF or CRLF, or where none ends; CR where it ends in CR alone."""
    found = re.compile(b"\r\n|\r|\n").search(data.data)
    return CR if found and found[0] == b"\r" else LF


def _fault(text: Text, at: int, separator: int) -> InputError:
    """What the byte at `at` means, which cannot stand there."""
    where = f"{text.name}, line {line_of(text.data, at)}"
    byte = int(text.data[at]) if at < text.data.size else LF
    ends = byte == separator or (byte in {LF, CR} and at > 0 and text.data[at - 1] == separator)
    if separator != BLANK and ends:
        hint = "two separators follow each other, or one starts or ends the line: is the separator right?"
        return InputError("an item without a name", where=where, hint=hint)
    if byte in {LF, CR}:
        return InputError("a line end unlike that of the first line", where=where, hint="correct the line")
    what = "a control character" if byte else "a NUL byte"
    return InputError(what, where=where, hint="name the encoding of the file (--encoding)")


def _names(text: Text, first: Index, lengths: Index, max_cell: int) -> tuple[str, ...]:
    """The names, once they are known to be fit for names, in the order in which they occurred."""

    def faulty(name: int, kind: type[KohortError], what: str, hint: str) -> KohortError:
        return kind(what, where=f"{text.name}, line {line_of(text.data, int(first[name]))}", hint=hint)

    if not first.size:
        return ()
    if lengths.max() > max_cell:
        what = f"a name of more than {max_cell} bytes"
        raise faulty(int(np.argmax(lengths > max_cell)), LimitError, what, "is the separator right?")
    view = text.data.data
    cells = zip(first.tolist(), (first + lengths).tolist(), strict=True)
    spelled = b"\n".join([view[start:end] for start, end in cells])
    try:
        names = spelled.decode()
    except UnicodeDecodeError as error:
        name = spelled.count(b"\n", 0, error.start)
        hint = records.hint(np.frombuffer(spelled, np.uint8), error.start)
        raise faulty(name, InputError, "a byte that is not UTF-8", hint) from None
    kept = "basket lines have no quotes: names are kept as written; use the long form for such names"
    for pattern, what, hint in (
        (_QUOTE, "a name that starts with a quote", kept),
        (_EDGE, "a name that starts or ends with a blank", f"remove blanks beside separators and at line ends; {kept}"),
        (UNPRINTABLE, "a name that holds control characters", kept),
    ):
        found = pattern.search(names)
        if found:
            raise faulty(names.count("\n", 0, found.start()), InputError, what, hint)
    return tuple(names.split("\n"))
