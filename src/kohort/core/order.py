"""The order of records by their content: keys packed into machine words, which sort fast."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kohort.system.workspace import HEAP, blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Mask
    from kohort.system.workspace import Workspace

#: Bits of a machine word.
WORD = 64

#: Records that are put in order together by what the first word has no room for.
TOGETHER = 1 << 20

#: Bits of the keys that a later word has room for: besides it holds two numbers of these records.
PIECE = WORD - 2 * (TOGETHER - 1).bit_length()


@dataclass(frozen=True, slots=True, eq=False)
class SortKey:
    """A number for each of n records: `ranks[codes]`; without codes, `ranks` itself.

    Attributes:
        ranks: (v,) or (n,) the numbers, not negative where they are looked up.
        codes: (n,) which of them each record has.
    """

    ranks: NDArray[np.integer]
    codes: NDArray[np.integer] | None = None

    @property
    def records(self) -> int:
        """How many there are numbers for."""
        return self.ranks.size if self.codes is None else self.codes.size

    @property
    def bits(self) -> int:
        """Bits that hold every number."""
        return int(self.ranks.max(initial=0)).bit_length()

    def of(self, rows: slice | NDArray[np.integer]) -> NDArray[np.integer]:
        """The numbers of some records."""
        return self.ranks[rows] if self.codes is None else self.ranks[self.codes[rows]]


class _Piece(NamedTuple):
    """Some bits of a key."""

    key: SortKey
    shift: int
    bits: int

    def onto(self, words: NDArray[np.uint64], rows: slice | NDArray[np.integer]) -> None:
        """Put them behind what words of these records hold."""
        words <<= np.uint64(self.bits)
        words |= self.key.of(rows).astype(np.uint64) >> np.uint64(self.shift) & np.uint64((1 << self.bits) - 1)


def order_by(keys: Sequence[SortKey], workspace: Workspace = HEAP) -> NDArray[np.uint32]:
    """The records in the order of several keys, first key first; equal ones as they come.

    One word holds as much of the keys as there is room for, and the record's number behind it: sorting words is
    sorting records. Those that are alike so far are sorted by more of their keys, TOGETHER at a time: in a word the
    number of their run, PIECE bits of the keys, and where they stand.

    Cost: 12 bytes a record, and one more where a word does not hold the keys.

    >>> order_by([SortKey(np.array([1, 0, 1])), SortKey(np.array([7, 5]), np.array([0, 1, 1]))]).tolist()
    [1, 2, 0]
    """
    records = keys[0].records
    number = max(records - 1, 0).bit_length()
    parts = _parted(keys, WORD - number)
    order, words = workspace.numbers(records), workspace.empty(records, np.uint64)
    _fill(words, parts[0], None, number)
    words.sort()
    for rows in blocks(records):
        order[rows] = words[rows] & np.uint64((1 << number) - 1)
    if len(parts) == 1:
        return order
    tied = workspace.empty(records, np.bool_)
    tied[:] = True
    _part(tied, words, number)
    del words
    for part in parts[1:]:
        for some in _runs(tied):
            if tied[some].any():
                _refine(order[some], tied[some], part, workspace)
    return order


def _parted(keys: Sequence[SortKey], room: int) -> list[list[_Piece]]:
    """The bits of the keys, in as few runs as words need: the first has so much room, the others PIECE."""
    parts: list[list[_Piece]] = [[]]
    for key in keys:
        left = key.bits
        while left:
            if not room:
                parts.append([])
                room = PIECE
            taken = min(left, room)
            left, room = left - taken, room - taken
            parts[-1].append(_Piece(key, left, taken))
    return parts


def _fill(
    words: NDArray[np.uint64],
    part: Sequence[_Piece],
    records: NDArray[np.uint32] | None,
    number: int,
    runs: Mask | None = None,
) -> None:
    """Put into each word the run, some bits of the keys, and its place in so many lowest bits.

    Args:
        words: (m,) of the records.
        part: These bits.
        records: (m,) which they are; `None` for all in their order.
        number: Bits of a place.
        runs: (m,) which are the first of a run; `None` where there is one.
    """
    before = -1
    for rows in blocks(words.size):
        some = words[rows]
        some[:] = 0
        if runs is not None:
            some[:] = before + np.cumsum(runs[rows])
            before = int(some[-1])
        for piece in part:
            piece.onto(some, rows if records is None else records[rows])
        some <<= np.uint64(number)
        some |= np.arange(rows.start, rows.stop, dtype=np.uint64)


def _part(tied: Mask, words: NDArray[np.uint64], number: int) -> None:
    """Note which sorted words differ from the one before, but for so many lowest bits; the first always does."""
    tied[:1] = False
    for rows in blocks(words.size):
        some = words[max(rows.start - 1, 0) : rows.stop] >> np.uint64(number)
        tied[max(rows.start, 1) : rows.stop] &= some[1:] == some[:-1]


def _runs(tied: Mask) -> Iterator[slice]:
    """Whole runs of records that are alike so far: TOGETHER records of them at most, or a single one."""
    start = 0
    while start < tied.size:
        stop = min(start + TOGETHER, tied.size)
        if stop < tied.size and tied[stop]:
            begins = np.flatnonzero(~tied[start + 1 : stop])
            stop = start + 1 + int(begins[-1]) if begins.size else _next(tied, stop)
        yield slice(start, stop)
        start = stop


def _next(tied: Mask, start: int) -> int:
    for some in blocks(tied.size - start):
        found = np.flatnonzero(~tied[start + some.start : start + some.stop])
        if found.size:
            return start + int(some.start + found[0])
    return tied.size


def _refine(order: NDArray[np.uint32], tied: Mask, part: Sequence[_Piece], workspace: Workspace) -> None:
    """Put the records of each run in the order of more bits, and note which are still alike."""
    number = (order.size - 1).bit_length()
    words, known = workspace.empty(order.size, np.uint64), workspace.copied(order)
    _fill(words, part, known, number, ~tied if order.size <= TOGETHER else None)
    words.sort()
    for rows in blocks(order.size):
        order[rows] = known[words[rows] & np.uint64((1 << number) - 1)]
    _part(tied, words, number)
