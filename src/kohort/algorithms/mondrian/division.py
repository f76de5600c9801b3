"""The best division of a line of records into classes, record by record: see `ordered` for what is divided.

f(0) = 0, f(e) = min over s of f(s) + (e - s) · cost(records s..e), ties to the smaller class. Where sizes decide, s is
from e - 2k + 1 to e - k. That is exact for the order: a cost is monotone, so that a class of 2k records or more is
never better than two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.native.library import DIVIDE, TRACE

if TYPE_CHECKING:
    from kohort.algorithms.mondrian.costs import Costs
    from kohort.arrays import Codes, Index, Mask
    from kohort.system.workspace import Workspace

#: What no division costs.
NEVER: Final = 1 << 62


class Line(NamedTuple):
    """Tuples in an order, equal ones as one run of records.

    Attributes:
        places: (u, d) the place of each run's tuple.
        ends: (u + 1,) records before each run, and all.
        costs: What groups cost.
    """

    places: Codes
    ends: Index
    costs: Costs


class Window(NamedTuple):
    """What the classes cost that end with the record read last, whichever of the w records up to it is their first.

    The record r is kept at r modulo w, a power of two.

    Attributes:
        dear: (w,) what the class costs that begins with the record.
        low: (d, w) of spans: where the span of that class begins.
        high: (d, w) of spans: where it ends; of sets: its values more than one; of ancestors: its level, as what comes
            before the level's nodes.
        last: the record that each place was last seen in, an attribute's places after those of the one before it; only
            of sets.
    """

    dear: Index
    low: Index
    high: Index
    last: Index

    @classmethod
    def of(cls, width: int, costs: Costs) -> Window:
        """Room for classes of at most so many records; nothing has been read."""
        slots = 1 << (width - 1).bit_length()
        low, high = (np.zeros((costs.kinds.size, slots), np.int64) for _ in range(2))
        return cls(np.zeros(slots, np.int64), low, high, np.full(costs.ends.size, -1))


class Division(NamedTuple):
    """The best division of each beginning of the line.

    Attributes:
        total: (n + 1,) what the first records cost, divided as well as may be; NEVER where they cannot be divided.
        last: (n + 1,) records before the last class of that division.
    """

    total: Index
    last: Index

    @classmethod
    def none(cls, records: int, workspace: Workspace) -> Division:
        """Room for divisions of so many records; no records cost nothing."""
        total, last = (workspace.zeros(records + 1, np.int64) for _ in range(2))
        total[1:] = NEVER
        return cls(total, last)

    @property
    def ends(self) -> Index:
        """(c,) where the classes of the best division end; none where there is no division."""
        if self.total[-1] == NEVER:
            return np.empty(0, np.int64)
        ends = np.empty(TRACE(self.last, np.empty(0, np.int64)), np.int64)
        TRACE(self.last, ends)
        return ends[::-1]


def divide(line: Line, some: tuple[int, int, int, int], allowed: Mask, seen: Window, out: Division) -> None:
    """Divide some more beginnings of the line into classes of at least k records, at least cost.

    Args:
        line: The line.
        some: The first and the last of these beginnings, k, and the run of the first one's last record.
        allowed: (b, w) whether the k, k + 1, … records before each beginning's end may be a class; (0, w): all may.
        seen: What has been read so far; room for k + w - 1 records.
        out: The divisions of all shorter beginnings; these are added.
    """
    DIVIDE(line.costs, line.places, line.ends, *some, allowed.shape[1], allowed, seen, *out)
