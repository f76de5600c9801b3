"""Strict Mondrian for any model, the compiled part: propose cuts of many partitions, and make those that were allowed.

Rows lie in the buffer of `kernel`, behind each row's quasi-identifiers its sensitive codes. The models judge
class profiles in arrays, many at once, so cuts are proposed for many partitions before any is judged; a partition of
which no proposed cut was allowed proposes its next ones, farther from the middle or in its next dimension.

An open partition is a row of numbers: its first and last row, its records, its depth, how many cuts of its widest
dimension were not allowed, which block says what its sensitive codes mean, and the width of each dimension still to be
tried, else 0; -1 where they are not known yet.

The loops are in the compiled core (`kohort.native`, waves.h). Cost per round and partition: one pass over its rows to
count a column's values, and one to count who has which sensitive value before, between and after the cuts; where people
are counted, the square of a person's rows, for each sensitive attribute.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kohort.native.library import CORNERS, PROFILE_CUTS, PROPOSE_CUTS, SETTLE_CUTS

if TYPE_CHECKING:
    from kohort.algorithms.mondrian.kernel import Buffer, Rule
    from kohort.arrays import Codes, Counts, Index, Mask

#: Where an open partition has its depth, its cuts tried, its block, and its first width.
DEPTH: Final = 3
TRIED: Final = 4
BLOCK: Final = 5
WIDTHS: Final = 6


class Values(NamedTuple):
    """Memory of one thread.

    Attributes:
        codes: (m + 1,) a column's codes, then the different ones ascending.
        upto: (m + 1,) records of each, then records up to each.
        tally: (w,) records by code, from the least.
        lines: (w + 2,) which cut comes next, by code.
        low: (w,) the least code of each column.
        high: (w,) the greatest.
    """

    codes: Index
    upto: Counts
    tally: Counts
    lines: Index
    low: Codes
    high: Codes


class Cuts(NamedTuple):
    """Proposed cuts, or room for them: those of one partition after another, in each by value.

    Attributes:
        of: (p, 3) where each partition would be cut, -1 for nowhere, it is a leaf; where its cuts end; whether the
            dimension has no more.
        at: (c, 2) a row is left of the cut if its code is less than this; the records that are left of it.
    """

    of: Index
    at: Index


class Sensitive(NamedTuple):
    """Where a row's sensitive codes are, and where each attribute's values begin in a histogram.

    Attributes:
        places: (s, 3) column of the row; number of values, which is the code of a missing one; first place in the
            histogram. Where people are counted, the last attribute says whose the row is, and has one place.
        person: Column that says whose a row is, where people are counted: rows of one are then neighbours; else -1.
    """

    places: Index
    person: int


class Profiles(NamedTuple):
    """Class profiles, or room for them: of the left and the right side of each cut.

    Attributes:
        sizes: (2c,) people, or records.
        histograms: (2c, v) likewise by sensitive value.
    """

    sizes: Counts
    histograms: Counts


def propose(buffer: Buffer, rule: Rule, values: Values, open_: Index, asked: tuple[Cuts, int]) -> int:
    """Propose the next cuts of the open partitions, as far as there is room; how many partitions have their turn.

    Args:
        buffer: The rows.
        rule: Where they may be cut.
        values: Memory.
        open_: (p, 6 + d) the partitions; a leaf proposes no cut.
        asked: Room for the cuts, and how many values a class profile has.
    """
    cuts, cells = asked
    return PROPOSE_CUTS(buffer, *rule.arguments, values, open_, *cuts, cells)


def profile(buffer: Buffer, sensitive: Sensitive, values: Values, open_: Index, of: tuple[Cuts, Profiles]) -> None:
    """Count the records left and right of each partition's cuts; or the people: somebody may be on both sides."""
    cuts, out = of
    PROFILE_CUTS(buffer, values, open_, open_.shape[1] - WIDTHS, cuts, *sensitive, *out)


def settle(buffer: Buffer, open_: Index, cuts: Cuts, allowed: Mask, out: Index) -> int:
    """Make the allowed cut nearest the middle of each partition that proposed some; how many are open after it."""
    return SETTLE_CUTS(buffer, open_, open_.shape[1] - WIDTHS, cuts, allowed, out)


def corners(buffer: Buffer, leaves: Index, values: Values, low: Codes, high: Codes) -> None:
    """The least and the greatest code of each leaf in each dimension."""
    CORNERS(buffer, leaves, values, low, high)
