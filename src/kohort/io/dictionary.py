"""The distinct values of one column, found cell by cell, each copied once.

Quotes inside a quoted cell are doubled and occur in no other cell (`scan` saw to that), so two cells hold the same
value exactly if their bytes between the quotes are equal. And since every cell equals some distinct value, what
concerns cells alone (UTF-8, NUL bytes) is checked on those only.

The values lie one after the other, each followed by a NUL byte: cells are compared with what lies close together, and
of a text that was passed no page is needed again. Open addressing with linear probing, at most half full; a slot holds
32 bits of hash above the value's code plus one. The loop is compiled (`kohort.native`): the hashes of some cells are
taken before any is looked up, so that memory is read ahead.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kohort.errors import InputError
from kohort.errors.display import NONCHARACTER
from kohort.io.records import hint
from kohort.io.source import line_of
from kohort.native.library import LOOK_UP, MEMBERS, REHASH
from kohort.system.workspace import HEAP
from kohort.tables.table import Column, narrow, room_for
from kohort.tables.texts import spelled

if TYPE_CHECKING:
    from kohort.arrays import Index
    from kohort.io.records import Lengths, RecordLayout, Starts
    from kohort.io.source import Bytes, Text
    from kohort.system.workspace import Workspace
    from kohort.tables.table import CellCodes

#: Any array.
A = TypeVar("A", bound=NDArray[Any])

#: Hash table: (a power of two,) uint64; 0 is free, else hash << 32 | code + 1.
Slots: TypeAlias = NDArray[np.uint64]

#: The first bytes of values, up to eight: (values,) uint64. Most values are told apart by them.
Heads: TypeAlias = NDArray[np.uint64]

#: Codes of the cells of one chunk of records: (records,) uint32.
ChunkCodes: TypeAlias = NDArray[np.uint32]

#: Whether a value that is not there yet becomes one; else its code is the largest number.
_KEPT: Final = 1
_ABSENT: Final = 0

#: Slots of an empty dictionary: few, so that tens of thousands of columns stay small.
_SLOTS: Final = 32

#: Bytes for the values of an empty dictionary, and few likewise.
_OWN: Final = 128

#: Bytes of values up to which Python divides them: a call of the data-frame library takes as long.
_SHORT: Final = 1 << 12

#: In UTF-8, every code point that is no character has one of these; few others do.
_ODD: Final = (b"\xef\xb7", b"\xbf\xbe", b"\xbf\xbf")

#: What stands for a value that is not there.
_UNKNOWN: Final = (1 << 32) - 1

#: Bytes by which room for values is doubled at most; beyond, it grows by a quarter.
_AT_ONCE: Final = 1 << 26

#: Bytes of values that are turned into text at a time: each of the few copies this takes is about as large.
_TURNED: Final = 1 << 22


def _parted(joined: str) -> pl.Series:
    """The texts between NUL characters."""
    if len(joined) < _SHORT:
        return pl.Series(joined.split("\0"), dtype=pl.String)
    found = pl.Series([joined]).str.split("\0").explode()
    return found.gather(np.arange(len(found)))  # polars sets 16 bytes aside for each letter that it parts


def longer(array: A, size: int, workspace: Workspace = HEAP) -> A:
    """The array with room for more. What cells say stays in memory: no file of a workspace has it."""
    made = workspace.like(array, size)
    made[: array.size] = array
    return made


class Known:
    """Distinct texts among which others are looked up.

    >>> known = Known(pl.Series(["b", "a"]))
    >>> known.places(np.frombuffer(b"abc", np.uint8), np.array([0, 1, 2]), np.array([1, 1, 1])).tolist()
    [1, 0, -1]
    """

    __slots__ = ("_values",)

    def __init__(self, texts: pl.Series) -> None:
        """Know these, none of them null."""
        text, ends = spelled(texts, "")
        size = len(texts)
        slots = np.zeros(max(1 << (2 * size).bit_length(), 2), np.uint64)
        kept = np.empty(size, np.int64), np.empty(size, np.uint64), np.zeros(size + 1, np.int64)
        self._values = slots, *kept, np.empty(text.size + size, np.uint8), np.zeros(1, np.int64)
        lengths = np.diff(ends).astype(np.int32)
        LOOK_UP(text, ends[:-1], lengths, 0, *self._values, np.empty(size, np.uint32), _KEPT)

    def places(self, data: Bytes, starts: Starts, lengths: Index) -> Index:
        """Which of the texts stands at each place; -1 where it is none of them."""
        found: ChunkCodes = np.empty(starts.size, np.uint32)
        LOOK_UP(data, starts, lengths.astype(np.int32), 0, *self._values, found, _ABSENT)
        return np.where(found == _UNKNOWN, -1, found.astype(np.int64))

    def members(self, sets: pl.Series) -> tuple[NDArray[np.uint32], Index]:
        """The members of sets, `{a, b}`, each set's ascending, and (s,) how many each has.

        Of a text with other members, or spelled in another way, that is -1, and 0 of one without braces.

        >>> members, sizes = Known(pl.Series(["a", "b", "c"])).members(pl.Series(["{a, c}", "b", "{b, a}", "{a}"]))
        >>> members.tolist(), sizes.tolist()
        ([0, 2], [2, 0, -1, -1])
        """
        text, ends = spelled(sets, "")
        found, sizes = np.empty(text.size // 2, np.uint32), np.empty(len(sets), np.int64)
        return found[: MEMBERS(text, ends, *self._values, found, sizes)], sizes


class Values:
    """The distinct values of cells so far; the code of each is the number of those that occurred before it.

    Attributes:
        first: Where each value occurred first.
        ends: Before each value the bytes of all earlier ones, and behind the last one those of all.
        own: The values one after the other, each followed by a NUL byte.
        used: How many there are: beyond them the arrays have room for more.
    """

    __slots__ = ("_heads", "_slots", "_workspace", "ends", "first", "own", "used")

    def __init__(self, workspace: Workspace = HEAP) -> None:
        """Start with none."""
        self._workspace = workspace
        self._slots: Slots = np.zeros(_SLOTS, np.uint64)
        self._heads: Heads = np.empty(_SLOTS // 2, np.uint64)
        self.first: Starts = np.empty(_SLOTS // 2, np.int64)
        self.ends: Starts = np.zeros(_SLOTS // 2 + 1, np.int64)
        self.own: Bytes = np.empty(_OWN, np.uint8)
        self.used = 0

    def code(self, data: Bytes, starts: Starts, lengths: Lengths) -> ChunkCodes:
        """The codes of some cells, whose values are kept."""
        codes: ChunkCodes = np.empty(starts.size, np.uint32)
        used, done = np.array([self.used]), 0
        while True:
            values = self._slots, self.first, self._heads, self.ends, self.own, used
            done = LOOK_UP(data, starts, lengths, done, *values, codes, _KEPT)
            self.used = int(used[0])
            if done == starts.size:
                return codes
            if self.used == self.first.size:
                self._grow()
            else:
                more = max(min(self.own.size, _AT_ONCE), self.own.size // 4, int(lengths[done]))
                self.own = longer(self.own, self.own.size + more)

    def _grow(self) -> None:
        room = 2 * self.first.size
        self._heads = longer(self._heads, room)
        self.first = longer(self.first, room, self._workspace)
        self.ends = longer(self.ends, room + 1, self._workspace)
        slots = self._workspace.zeros(2 * room, np.uint64)
        REHASH(self._slots, slots)
        self._slots = slots

    def end(self) -> None:
        """Let go of what only further cells need."""
        self._slots = self._heads = np.empty(0, np.uint64)


class Dictionary:
    """The values of one column so far, and the codes of its cells.

    Takes the bounds of well-formed cells, chunk by chunk; gives the column once all are in.
    """

    __slots__ = ("_codes", "_records", "_values", "_workspace")

    def __init__(self, workspace: Workspace = HEAP) -> None:
        """Start without values."""
        self._workspace = workspace
        self._codes: CellCodes = np.empty(0, np.uint8)
        self._records = 0
        self._values = Values(workspace)

    def add(self, data: Bytes, starts: Starts, lengths: Lengths, expected: int = 0) -> None:
        """Code the cells of the column in one chunk of records; so many records are expected in all."""
        self._keep(self._values.code(data, starts, lengths), expected)

    def _keep(self, codes: ChunkCodes, expected: int) -> None:
        """Put codes behind those that are there, with room for as many again, but for no more than are expected."""
        size = self._records + codes.size
        if size > self._codes.size or narrow(codes[:0], self._values.used).dtype != self._codes.dtype:
            held = room_for(max(size, min(2 * size, expected), self._codes.size), self._values.used, self._workspace)
            held[: self._records] = self._codes[: self._records]
            self._codes = held
        self._codes[self._records : size] = codes
        self._records = size

    def column(self, text: Text, layout: RecordLayout, name: str) -> Column:
        """The finished column; the dictionary lets go of what it has.

        Raises:
            InputError: a cell holds a NUL byte, a code point that is not a character, or is not UTF-8.
        """
        codes, self._codes = self._codes[: self._records], np.empty(0, np.uint8)
        kept = self._values
        kept.end()
        ends = kept.ends[: kept.used + 1]
        cuts: list[int] = np.searchsorted(ends, np.arange(_TURNED, int(ends[-1]), _TURNED)).tolist()
        parts = pairwise([0, *cuts, kept.used])
        texts = [self._texts(text, layout, name, one, other) for one, other in parts if one < other]
        values = pl.concat(texts, rechunk=True) if texts else pl.Series(dtype=pl.String)
        kept.own, kept.first, kept.ends = np.empty(0, np.uint8), ends[:0], ends[:0]
        return Column(name, values, codes, pl.String())

    def _texts(self, text: Text, layout: RecordLayout, name: str, one: int, other: int) -> pl.Series:
        """The values from `one` to before `other`, once they are known to be text."""
        kept = self._values
        ends = kept.ends[one : other + 1] - kept.ends[one]
        out = kept.own[kept.ends[one] : kept.ends[other]]
        nuls = np.flatnonzero(out == 0)
        try:
            if nuls.size == ends.size - 1:
                spelled_out = (content := out[:-1].tobytes()).decode()
                odd = NONCHARACTER.search(spelled_out) if any(mark in content for mark in _ODD) else None
                if odd is None:
                    return _parted(layout.plain(spelled_out))
                what, flaw = "a code point that is not a character", len(spelled_out[: odd.start()].encode())
            else:
                what, flaw = "a NUL byte", int(nuls[np.argmax(nuls[: ends.size - 1] != ends[1:] - 1)])
        except UnicodeDecodeError as error:
            what, flaw = "a byte that is not UTF-8", error.start
        value = int(np.searchsorted(ends, flaw, "right")) - 1
        offset = int(kept.first[one + value] + flaw - ends[value])
        where = f"{text.name}, line {line_of(text.data, offset)}, column {name!r}"
        raise InputError(what, where=where, hint=hint(text.data, offset))
