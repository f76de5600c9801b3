"""Cuts by what they save: the rows that the compiled core takes them from, and what it finds.

A row is all that is known of a tuple, in chunks, so that few steps move it and one vector instruction compares several
attributes. A chunk is its codes of as many attributes as BYTES hold, 64 bits of its sets, and its records; behind the
chunks is which tuple it is. How candidates are found, and what that costs, is told in `kohort.native`, loss.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from kohort.algorithms.mondrian.cost_kernels import WORD
from kohort.algorithms.mondrian.costs import BITS, SET
from kohort.native.library import CARVE_BY_LOSS, LOSS_MEMORY, PROPOSE
from kohort.workspace import HEAP

if TYPE_CHECKING:
    from kohort.algorithms.mondrian.costs import Costs
    from kohort.arrays import Codes, Counts, Index
    from kohort.core.frequency import Words
    from kohort.workspace import Workspace

#: Values of an attribute that are told apart in one partition.
PLACES: Final = 128

#: Bytes of the codes of a chunk, and words of all of it.
BYTES: Final = 16
CHUNK: Final = BYTES // 8 + 2


class Rows(NamedTuple):
    """The tuples of a table, moved so that a partition is a range of rows.

    Attributes:
        words: (t, w) of each its chunks, and which tuple it is.
        codes: The same memory as codes.
    """

    words: Words
    codes: Codes

    @classmethod
    def of(cls, words: Words, codes: np.dtype[Any]) -> Rows:
        """Such words as rows of such codes."""
        return cls(words, words.reshape(-1).view(codes))

    @property
    def counts(self) -> Counts:
        """(t,) the records of each."""
        return self.words[:, -2].view(np.int64)

    @property
    def tuples(self) -> Index:
        """(t,) which tuple each is."""
        return self.words[:, -1].view(np.int64)


class Packing(NamedTuple):
    """Where the chunks hold the sets of an attribute: several small ones share a word.

    Attributes:
        words: (d, 2) the chunk of each set's first word, and the one behind that of its last.
        shifts: (d,) its first bit.
        masks: (d,) its bits, in each of its words.
    """

    words: Index
    shifts: Index
    masks: Words


class Candidates(NamedTuple):
    """Cuts of a partition whose sides are both large enough.

    Attributes:
        gains: (c,) records times cost of the partition, less that of both sides.
        left: (c,) records left of the cut.
        at: (c, 2) the attribute, and the value that is the last on the left; PLACES for the two groups of a set.
    """

    gains: Index
    left: Counts
    at: Index


class Scan(NamedTuple):
    """Memory to look at a partition.

    Attributes:
        costs: What groups cost.
        packing: Where the bits of sets are.
        codes: The type of the codes of rows.
        chunks: Chunks of a row.
        memory: Of the compiled core.
        spans: (d, 2) least place of each attribute in the partition, and how many places it spans.
        sides: (d, PLACES) 1 for values in the second of the two groups of a set; while rows are moved, of any cut.
        found: The candidates.
    """

    costs: Costs
    packing: Packing
    codes: np.dtype[Any]
    chunks: int
    memory: Words
    spans: Index
    sides: Index
    found: Candidates

    @property
    def arrays(self) -> tuple[Index | Words, ...]:
        """All of it as the compiled core takes it."""
        packed = self.packing.words, self.packing.masks
        return (*self.costs, *packed, self.memory, self.spans, self.sides, *self.found)


def propose(rows: Rows, part: tuple[int, int], rule: tuple[int, int, bool], scan: Scan) -> int:
    """Find candidates of the rows first..last; how many there are.

    Args:
        rows: The tuples.
        part: The first row, and the one behind the last.
        rule: Their records, those that each side needs, and whether all candidates are wanted, not the best alone.
        scan: Memory.
    """
    return PROPOSE(scan.arrays, rows.codes, *part, *rule)


def carve(both: tuple[Rows, Rows], rule: tuple[int, int, bool], scan: Scan, stack: Index, leaves: Index) -> int:
    """Cut the whole table down to its leaves; how many they are.

    Args:
        both: The tuples, and room for as many. Afterwards those of a leaf are together.
        rule: All records, those that each side needs, and whether the side that is nearer to the last finished leaf
            comes first; else the left one does.
        scan: Memory.
        stack: (s, 4) room for open partitions: first and last row, records, depth.
        leaves: (r, 4) room for the leaves, in the order in which they are finished: first and last row, depth, and
            whether a cut may have been overlooked.
    """
    return CARVE_BY_LOSS(scan.arrays, *(rows.codes for rows in both), *rule, stack, leaves)


def packing(costs: Costs) -> Packing:
    """Where the bits of sets are."""
    attributes, taken = costs.kinds.size, 0
    words, shifts, masks = np.zeros((attributes, 2), np.int64), np.zeros(attributes, np.int64), [0] * attributes
    for attribute in np.flatnonzero(costs.kinds == SET).tolist():
        size = int(costs.levels[attribute, 1])
        shift = taken % BITS
        if shift + size > BITS:
            taken, shift = taken + BITS - shift, 0
        words[attribute], shifts[attribute] = (taken // BITS, -(-(taken + size) // BITS)), shift
        masks[attribute] = ((1 << min(size, BITS)) - 1) << shift
        taken += size if size <= BITS else -(-size // BITS) * BITS
    return Packing(words, shifts, np.array(masks, dtype=np.uint64))


def rows(places: Codes, counts: Counts, scan: Scan, workspace: Workspace = HEAP) -> Rows:
    """Tuples as rows, in their order."""
    packed, each = scan.packing, 8 // scan.codes.itemsize
    words = workspace.zeros((counts.size, scan.chunks * CHUNK + 1), np.uint64)
    chunk, lane = np.divmod(np.arange(scan.costs.kinds.size), BYTES // 8 * each)
    found = Rows.of(words, scan.codes)
    found.codes.reshape(counts.size, -1)[:, chunk * CHUNK * each + lane] = places
    for attribute in np.flatnonzero(scan.costs.kinds == SET).tolist():
        bit = places[:, attribute].astype(np.int64) + packed.shifts[attribute]
        word = (packed.words[attribute, 0] + (bit >> WORD)) * CHUNK + BYTES // 8
        words[np.arange(counts.size), word] |= np.uint64(1) << (bit & (BITS - 1)).astype(np.uint64)
    words[:, CHUNK - 1 : -1 : CHUNK], words[:, -1] = counts[:, np.newaxis], np.arange(counts.size)
    return found


def memory(costs: Costs) -> Scan:
    """Memory to look at one partition after another."""
    codes = np.dtype(np.uint16 if costs.levels[:, 1].max() <= 1 << 16 else np.uint32)
    attributes, packed = costs.kinds.size, packing(costs)
    chunks, most = max(-(-attributes * codes.itemsize // BYTES), int(packed.words.max())), attributes * (PLACES + 1)
    return Scan(
        costs=costs,
        packing=packed,
        codes=codes,
        chunks=chunks,
        memory=np.empty(LOSS_MEMORY(attributes, chunks), np.uint64),
        spans=np.ones((attributes, 2), np.int64),
        sides=np.zeros((attributes, PLACES), np.int64),
        found=Candidates(np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros((most, 2), np.int64)),
    )
