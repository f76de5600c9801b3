"""The distinct values of one column, found cell by cell, each copied once.

Quotes inside a quoted cell are doubled and occur in no other cell (`scan` saw to that), so two cells hold the same
value exactly if their bytes between the quotes are equal. And since every cell equals some distinct value, what
concerns cells alone (UTF-8, NUL bytes) is checked on those only.

The values lie one after the other, each followed by a NUL byte: cells are compared with what lies close together, and
of a text that was passed no page is needed again. Open addressing with linear probing, at most half full; a slot holds
32 bits of hash above the value's code plus one. Measured at 8 to 20 ns a cell for tens of values, 30 to 60 ns for
10,000, 70 to 100 ns for 100,000; least where equal cells stand together.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kohort.errors import InputError
from kohort.io.encodings import hint
from kohort.io.source import WORD, line_of, words_of
from kohort.kernels import kernel
from kohort.tables.table import Column, narrow, room_for
from kohort.workspace import HEAP

if TYPE_CHECKING:
    from kohort.io.records import RecordLayout
    from kohort.io.scan import Lengths, Starts
    from kohort.io.source import Bytes, Text, Words
    from kohort.tables.table import CellCodes
    from kohort.workspace import Workspace

#: Any array.
A = TypeVar("A", bound=NDArray[Any])

#: Hash table: (a power of two,) uint64; 0 is free, else hash << 32 | code + 1.
Slots: TypeAlias = NDArray[np.uint64]

#: The first bytes of values, up to eight: (values,) uint64. Most values are told apart by them.
Heads: TypeAlias = NDArray[np.uint64]

#: Codes of the cells of one chunk of records: (records,) uint32.
ChunkCodes: TypeAlias = NDArray[np.uint32]

#: Slots of an empty dictionary: few, so that tens of thousands of columns stay small.
_SLOTS: Final = 32

#: Bytes for the values of an empty dictionary, and few likewise.
_OWN: Final = 128

#: Bytes of values up to which Python divides them: a call of the data-frame library takes as long.
_SHORT: Final = 1 << 12

#: Bytes of values that are turned into text at a time: each of the few copies this takes is about as large.
_TURNED: Final = 1 << 22

_ZERO: Final = np.uint64(0)
_ONE: Final = np.uint64(1)
_HALF: Final = np.uint64(32)
_LOW: Final = np.uint64(0xFFFF_FFFF)
#: Odd numbers without pattern: a product's upper bits depend on all lower bits of its factors.
_MIX: Final = np.uint64(0x9E37_79B9_7F4A_7C15)
_STIR: Final = np.uint64(0xD6E8_FEB8_6659_FD93)


@kernel
def piece(words: Words, at: int, left: int) -> np.uint64:
    """Up to eight bytes of the text as a number: those at `at`, but no more than `left`; zero above them."""
    last = words.size - 1
    beyond = min(max(at - last, 0), WORD - 1)  # none of a piece of no bytes is looked at, wherever it is
    word: np.uint64 = words[min(at, last)] >> np.uint64(8 * beyond)
    if left < WORD:
        word &= (_ONE << np.uint64(8 * left)) - _ONE
    return word


@kernel
def same(words: Words, one: int, own: Words, other: int, length: int) -> bool:
    """Whether the `length` bytes at two places, of two texts, are equal."""
    for k in range(0, length, WORD):  # noqa: SIM110  Numba knows no generator inside a kernel
        if piece(words, one + k, length - k) != piece(own, other + k, length - k):
            return False
    return True


@kernel
def is_rest(words: Words, start: int, length: int, own: Words, one: int, other: int) -> bool:  # noqa: PLR0917
    """Whether a cell is the value between two ends, where their first bytes are the same."""
    if other - one != length + 1:
        return False
    return length <= WORD or same(words, start + WORD, own, one + WORD, length - WORD)


@kernel
def look_up(  # noqa: PLR0917  a kernel takes arrays and numbers by position
    words: Words,
    starts: Starts,
    lengths: Lengths,
    row: int,
    slots: Slots,
    first: Starts,
    heads: Heads,
    ends: Starts,
    own: Words,
    used: int,
    codes: ChunkCodes,
) -> tuple[int, int]:
    """Code the cells from `row` on, adding values that are new, until the last cell or until no value fits in.

    Equal cells often stand together, so the last value met is tried before the table is asked.

    Args:
        words: The text.
        starts: Where the cells start in it.
        lengths: Their bytes.
        row: The first cell to code.
        slots: The hash table.
        first: Where each value occurred first.
        heads: Its first bytes.
        ends: Before each value the bytes of all earlier ones, with a NUL byte after each; and the bytes of all.
        own: The values themselves, from all eight bytes on.
        used: How many there are.
        codes: Written: the code of each cell.

    Returns:
        The cells done, and the number of values.
    """
    mask = slots.size - 1
    code = 0
    for at in range(row, starts.size):
        start, length = int(starts[at]), int(lengths[at])
        head = piece(words, start, length)
        if heads[code] == head and is_rest(words, start, length, own, int(ends[code]), int(ends[code + 1])):
            codes[at] = code
            continue
        if used == first.size or int(ends[used]) + length >= own.size:
            return at, used
        mixed = (np.uint64(length) ^ head) * _MIX
        mixed ^= mixed >> _HALF
        for k in range(WORD, length, WORD):
            mixed = (mixed ^ piece(words, start + k, length - k)) * _MIX
            mixed ^= mixed >> _HALF
        tag = (mixed * _STIR) >> _HALF
        place = int(tag) & mask
        code = used
        while slots[place] != _ZERO:
            slot = slots[place]
            if slot >> _HALF == tag:
                code = int(slot & _LOW) - 1
                if heads[code] == head and is_rest(words, start, length, own, int(ends[code]), int(ends[code + 1])):
                    break
            code = used
            place = (place + 1) & mask
        if code == used:
            for k in range(0, length + 1, WORD):
                own[int(ends[used]) + k] = piece(words, start + k, length - k)
            first[used], heads[used], ends[used + 1] = start, head, ends[used] + length + 1
            used += 1
            slots[place] = (tag << _HALF) | np.uint64(used)
        codes[at] = code
    return starts.size, used


@kernel
def rehash(old: Slots, new: Slots) -> None:
    """Enter every value of `old` into the larger, empty `new`."""
    mask = new.size - 1
    for slot in old:
        if slot != _ZERO:
            place = int(slot >> _HALF) & mask
            while new[place] != _ZERO:
                place = (place + 1) & mask
            new[place] = slot


def longer(array: A, size: int, workspace: Workspace = HEAP) -> A:
    """The array with room for more. What cells say stays in memory: no file of a workspace has it."""
    made = workspace.like(array, size)
    made[: array.size] = array
    return made


class Dictionary:
    """The values of one column so far, and the codes of its cells.

    Takes the bounds of well-formed cells, chunk by chunk; gives the column once all are in. A value's code is the
    number of values that occurred before it.
    """

    __slots__ = ("_codes", "_ends", "_first", "_heads", "_own", "_records", "_slots", "_used", "_workspace")

    def __init__(self, workspace: Workspace = HEAP) -> None:
        """Start without values."""
        self._workspace = workspace
        self._codes: CellCodes = np.empty(0, np.uint8)
        self._records = 0
        self._slots: Slots = np.zeros(_SLOTS, np.uint64)
        self._first: Starts = np.empty(_SLOTS // 2, np.int64)
        self._heads: Heads = np.empty(_SLOTS // 2, np.uint64)
        self._ends: Starts = np.zeros(_SLOTS // 2 + 1, np.int64)
        self._own: Bytes = np.empty(_OWN, np.uint8)
        self._used = 0

    def add(self, words: Words, starts: Starts, lengths: Lengths, expected: int = 0) -> None:
        """Code the cells of the column in one chunk of records; so many records are expected in all."""
        codes: ChunkCodes = np.empty(starts.size, np.uint32)
        done = 0
        while True:
            own, values = words_of(self._own), (self._slots, self._first, self._heads, self._ends)
            done, self._used = look_up(words, starts, lengths, done, *values, own, self._used, codes)
            if done == starts.size:
                break
            if self._used == self._first.size:
                self._grow()
            else:
                self._own = longer(self._own, max(2 * self._own.size, self._own.size + int(lengths[done])))
        self._keep(codes, expected)

    def _keep(self, codes: ChunkCodes, expected: int) -> None:
        """Put codes behind those that are there, with room for as many again, but for no more than are expected."""
        size = self._records + codes.size
        if size > self._codes.size or narrow(codes[:0], self._used).dtype != self._codes.dtype:
            held = room_for(max(size, min(2 * size, expected), self._codes.size), self._used, self._workspace)
            held[: self._records] = self._codes[: self._records]
            self._codes = held
        self._codes[self._records : size] = codes
        self._records = size

    def _grow(self) -> None:
        """Make room for twice as many values."""
        room = 2 * self._first.size
        self._heads = longer(self._heads, room)
        self._first = longer(self._first, room, self._workspace)
        self._ends = longer(self._ends, room + 1, self._workspace)
        slots = self._workspace.zeros(2 * room, np.uint64)
        rehash(self._slots, slots)
        self._slots = slots

    def column(self, text: Text, layout: RecordLayout, name: str) -> Column:
        """The finished column; the dictionary lets go of what it has.

        Raises:
            InputError: a cell holds a NUL byte or is not UTF-8.
        """
        codes, self._codes = self._codes[: self._records], np.empty(0, np.uint8)
        self._slots = self._heads = np.empty(0, np.uint64)
        ends = self._ends[: self._used + 1]
        cuts: list[int] = np.searchsorted(ends, np.arange(_TURNED, int(ends[-1]), _TURNED)).tolist()
        parts = pairwise([0, *cuts, self._used])
        texts = [self._texts(text, layout, name, one, other) for one, other in parts if one < other]
        values = pl.concat(texts, rechunk=True) if texts else pl.Series(dtype=pl.String)
        self._own, self._first, self._ends = np.empty(0, np.uint8), ends[:0], ends[:0]
        return Column(name, values, codes, pl.String())

    def _texts(self, text: Text, layout: RecordLayout, name: str, one: int, other: int) -> pl.Series:
        """The values from `one` to before `other`, once they are known to be text."""
        ends = self._ends[one : other + 1] - self._ends[one]
        out = self._own[self._ends[one] : self._ends[other]]
        nuls = np.flatnonzero(out == 0)
        try:
            if nuls.size == ends.size - 1:
                joined = layout.plain(out[:-1].tobytes().decode())
                if len(joined) < _SHORT:
                    return pl.Series(joined.split("\0"), dtype=pl.String)
                return pl.Series([joined]).str.split("\0").explode()
            what, flaw = "a NUL byte", int(nuls[np.argmax(nuls[: ends.size - 1] != ends[1:] - 1)])
        except UnicodeDecodeError as error:
            what, flaw = "a byte that is not UTF-8", error.start
        value = int(np.searchsorted(ends, flaw, "right")) - 1
        offset = int(self._first[one + value] + flaw - ends[value])
        where = f"{text.name}, line {line_of(text.data, offset)}, column {name!r}"
        raise InputError(what, where=where, hint=hint(text.data, offset))
