"""Cuts by what they save: the rows that the compiled core takes them from, and what it finds.

A row is all that is known of a tuple, so that few steps move it: its codes, in so many times BYTES as hold them, its
records, and which tuple it is. How candidates are found, and what that costs, is told in `kohort.native`, loss.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from kohort.algorithms.mondrian.costs import BITS, SET
from kohort.native.library import CARVE_BY_LOSS, LOSS_MEMORY, PROPOSE
from kohort.system.workspace import HEAP

if TYPE_CHECKING:
    from kohort.algorithms.mondrian.costs import Costs
    from kohort.arrays import Codes, Counts, Index
    from kohort.core.frequency import Words
    from kohort.system.workspace import Workspace

#: Values of an attribute that are told apart in one partition.
PLACES: Final = 128

#: Values of a set that are told apart exactly in one partition; loss.c merges pairs of 64 at most. With a bit for each
#: value of the table, and 128 merged, near-unique codes, dates and cities together took 22 s at 20,000 records, with a
#: mean loss of .01313; now .5 s, with .01326. Adult and the register, of 248 cities, lose the same as before.
LISTED: Final = 256

#: Bytes of codes that one vector instruction compares.
BYTES: Final = 16


class Rows(NamedTuple):
    """The tuples of a table, moved so that a partition is a range of rows.

    Attributes:
        words: (t, w) of each its codes, its records, and which tuple it is.
        codes: The same memory as codes. Those of a set that has more than LISTED values become their numbers in
            the partition that was looked at last.
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
        packing: Where groups hold the sets of an attribute: several small ones share a word, and none has over LISTED
            bits. (d, 2) the chunk of each set's first word, and the one behind that of its last; (d,) its bits, in each
            of its words.
        codes: The type of the codes of rows.
        memory: Of the compiled core.
        spans: (d, 2) least place of each attribute in the partition, and how many places it spans.
        sides: (d, PLACES) 1 for values in the second of the two groups of a set; while rows are moved, of any cut.
        found: The candidates.
    """

    costs: Costs
    packing: tuple[Index, Words]
    codes: np.dtype[Any]
    memory: Words
    spans: Index
    sides: Index
    found: Candidates

    @property
    def arrays(self) -> tuple[Index | Words, ...]:
        """All of it as the compiled core takes it."""
        return (*self.costs, *self.packing, self.memory, self.spans, self.sides, *self.found)


def propose(rows: Rows, part: tuple[int, int], rule: tuple[int, int, bool], scan: Scan) -> int:
    """Find candidates of the rows first..last; how many there are.

    Args:
        rows: The tuples.
        part: The first row, and the one behind the last.
        rule: Their records, those that each side needs, and whether all candidates are wanted, not the best alone.
        scan: Memory.
    """
    return PROPOSE(scan.arrays, rows.codes, *part, *rule)


def carve(  # noqa: PLR0917  the core takes arrays by position
    both: tuple[Rows, Rows], rule: tuple[int, int, bool], scan: Scan, places: Codes, stack: Index, leaves: Index
) -> int:
    """Cut the whole table down to its leaves; how many they are.

    Args:
        both: The tuples, and room for as many. Afterwards those of a leaf are together.
        rule: All records, those that each side needs, and whether the side that is nearer to the last finished leaf
            comes first; else the left one does.
        scan: Memory.
        places: (t, d) of the tuples.
        stack: (s, 4) room for open partitions: first and last row, records, depth.
        leaves: (r, 4) room for the leaves, in the order in which they are finished: first and last row, depth, and
            whether a cut may have been overlooked.
    """
    return CARVE_BY_LOSS(scan.arrays, *(rows.codes for rows in both), *rule, places, stack, leaves)


def packing(costs: Costs) -> tuple[Index, Words]:
    """Where the bits of sets are."""
    attributes, taken = costs.kinds.size, 0
    words, masks = np.zeros((attributes, 2), np.int64), [0] * attributes
    for attribute in np.flatnonzero(costs.kinds == SET).tolist():
        size = min(int(costs.levels[attribute, 1]), LISTED)
        shift = taken % BITS
        if shift + size > BITS:
            taken, shift = taken + BITS - shift, 0
        words[attribute] = taken // BITS, -(-(taken + size) // BITS)
        masks[attribute] = ((1 << min(size, BITS)) - 1) << shift
        taken += size if size <= BITS else -(-size // BITS) * BITS
    return words, np.array(masks, dtype=np.uint64)


def rows(places: Codes, counts: Counts, scan: Scan, workspace: Workspace = HEAP) -> Rows:
    """Tuples as rows, in their order."""
    attributes = scan.costs.kinds.size
    packs = -(-attributes * scan.codes.itemsize // BYTES)
    found = Rows.of(workspace.zeros((counts.size, packs * BYTES // 8 + 2), np.uint64), scan.codes)
    found.codes.reshape(counts.size, -1)[:, :attributes] = places
    found.counts[:], found.tuples[:] = counts, np.arange(counts.size)
    return found


def memory(costs: Costs) -> Scan:
    """Memory to look at one partition after another."""
    codes = np.dtype(np.uint16 if costs.levels[:, 1].max() <= 1 << 16 else np.uint32)
    attributes, packed = costs.kinds.size, packing(costs)
    chunks, most = max(-(-attributes * codes.itemsize // BYTES), int(packed[0].max())), attributes * (PLACES + 1)
    broadest = int(costs.levels[costs.kinds == SET, 1].max(initial=0))
    return Scan(
        costs=costs,
        packing=packed,
        codes=codes,
        memory=np.empty(LOSS_MEMORY(attributes, chunks, broadest), np.uint64),
        spans=np.ones((attributes, 2), np.int64),
        sides=np.zeros((attributes, PLACES), np.int64),
        found=Candidates(np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros((most, 2), np.int64)),
    )
