"""Cuts by loss that models judge: rank the candidates of many partitions, count who is on each side, cut.

An open partition is a row of numbers: its first and last row, its records, its depth, and its block, which says what
its sensitive codes mean.

Cost per partition: finding its candidates (`loss_kernels`), and for those that are judged together one pass over its
rows for each of their attributes, besides the columns of their histograms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kohort.native.library import COUNT_SIDES, CUT, RANK

if TYPE_CHECKING:
    from kohort.algorithms.mondrian.loss_kernels import Rows, Scan
    from kohort.arrays import Codes, Counts, Index, Mask
    from kohort.core.frequency import Words

#: Where an open partition has its records, its depth and its block.
RECORDS: Final = 2
DEPTH: Final = 3
BLOCK: Final = 4


class Ranked(NamedTuple):
    """The candidates of some partitions, those of each from the best on, or room for them.

    Attributes:
        ends: (p,) where the candidates of each partition end.
        coarse: (p,) whether it may have others, since values were taken together.
        spans: (p, d, 2) of each, and of each attribute, its least place and how many it spans.
        at: (c, 2) the attribute of a candidate, and the value that is the last on the left; PLACES for two groups.
        left: (c,) records left of it.
        groups: (c, 2) of two groups, a bit for each value on the right.
    """

    ends: Index
    coarse: Mask
    spans: Index
    at: Index
    left: Counts
    groups: Words


def rank(rows: Rows, scan: Scan, open_: Index, least: int, room: Ranked) -> int:
    """Rank all candidates of the open partitions, as far as there is room; how many partitions have their turn."""
    return RANK(scan.arrays, rows.codes, open_, least, room)


def count_sides(  # noqa: PLR0917  the core takes arrays by position
    rows: Rows,
    scan: Scan,
    open_: Index,
    ranked: Ranked,
    asked: Index,
    held: tuple[Codes, Index],
    out: tuple[Counts, Counts],
) -> None:
    """Count the records left and right of some candidates, by sensitive value.

    Args:
        rows: The tuples.
        scan: Where a row has its places.
        open_: The partitions.
        ranked: Their candidates.
        asked: (q, 3) which partition, its first candidate that is asked for, and the one behind the last.
        held: (t, s) the column of each tuple's sensitive values; from the attribute's last column on, it has none. And
            (s + 1,) the first column of each attribute, and the one behind the last.
        out: (2c,) records and (2c, cells) histograms, of the left and the right side of each candidate in turn.
    """
    COUNT_SIDES(scan.arrays, rows.codes, open_, ranked, asked, *held, *out)


def cut(  # noqa: PLR0917  the same
    both: tuple[Rows, Rows], scan: Scan, open_: Index, ranked: Ranked, asked: Index, allowed: Mask, out: Index
) -> int:
    """Cut each partition by its first allowed candidate; how many partitions come of it.

    Args:
        both: The tuples, and room for as many.
        scan: Where a row has its places.
        open_: The partitions.
        ranked: Their candidates.
        asked: As for `count_sides`; the last column becomes -1 of a partition that was cut.
        allowed: (c,) whether each candidate that was asked for satisfies the models.
        out: (2 q, 5) room for the parts.
    """
    return CUT(scan.arrays, *(rows.codes for rows in both), open_, ranked, asked, allowed, out)
