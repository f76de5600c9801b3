"""The order cut, compiled: a chain through the tuples of each leaf, and the best division of an order into classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kohort.algorithms.mondrian.cost_kernels import Groups, add, clear, cost, pair_cost
from kohort.kernels import kernel

if TYPE_CHECKING:
    from kohort.algorithms.mondrian.costs import Costs
    from kohort.arrays import Codes, Counts, Index, Mask

#: What no division costs.
NEVER: Final = 1 << 62


class Line(NamedTuple):
    """Tuples in an order, equal ones as one run of records.

    Attributes:
        places: (u, d) the place of each run's tuple.
        ends: (u + 1,) records before each run, and all.
        costs: What groups cost.
        group: Room for one group.
    """

    places: Codes
    ends: Index
    costs: Costs
    group: Groups


class Division(NamedTuple):
    """The best division of each beginning of the line.

    Attributes:
        total: (n + 1,) what the first records cost, divided as well as may be; NEVER where they cannot be divided.
        last: (n + 1,) records before the last class of that division.
    """

    total: Index
    last: Index


@kernel
def chain(places: Codes, costs: Costs, starts: Index, order: Index) -> None:
    """Let the tuples of each leaf follow one another, each time the one that costs least with the last, ties the first.

    Args:
        places: (u, d) of the tuples.
        costs: What pairs cost.
        starts: (r + 1,) where each leaf begins in the order.
        order: (u,) the tuples, leaf by leaf; afterwards in the new order.
    """
    for leaf in range(starts.size - 1):
        for place in range(max(int(starts[leaf]), 1), starts[leaf + 1]):
            best, least = place, NEVER
            for other in range(place, starts[leaf + 1]):
                dear = pair_cost(places, order[place - 1], order[other], costs)
                if dear < least or (dear == least and order[other] < order[best]):
                    best, least = other, dear
            order[place], order[best] = order[best], order[place]


@kernel
def divide(line: Line, k: int, dear: Index, out: Division) -> None:
    """Divide every beginning of the line into classes of k to 2k - 1 records, at least cost.

    f(0) = 0, f(e) = min over k <= e - s <= 2k - 1 of f(s) + (e - s) · cost(records s..e), ties to the smaller class.
    That is exact for the order: a cost is monotone, so that a class of 2k records or more is never better than two.
    Tuples that are equal are looked at once: the cost is the same wherever in a run a class begins or ends.
    """
    out.total[0] = 0
    for run in range(line.ends.size - 1):
        before = int(line.ends[run])
        clear(line.group, 0)
        runs = 0
        while runs <= run and line.ends[run - runs + 1] > before + 2 - 2 * k:
            add(line.group, 0, line.places, run - runs, line.costs)
            dear[runs] = cost(line.group, 0, line.costs)
            runs += 1
        for end in range(before + 1, line.ends[run + 1] + 1):
            best, last = NEVER, 0
            for back in range(runs):
                least = max(int(line.ends[run - back]), end - 2 * k + 1)
                for start in range(min(int(line.ends[run - back + 1]) - 1, end - k), least - 1, -1):
                    if out.total[start] < NEVER:
                        whole = int(out.total[start]) + (end - start) * int(dear[back])
                        if whole < best:
                            best, last = whole, start
            out.total[end], out.last[end] = best, last


@kernel
def divide_judged(line: Line, window: tuple[int, int, int], runs: Index, allowed: Mask, out: Division) -> None:
    """Divide some more beginnings of the line into classes of those that are allowed.

    Args:
        line: The line.
        window: The first and the last beginning, and k.
        runs: (n,) the run of each record.
        allowed: (b, w) whether the k, k + 1, … records before each beginning's end may be a class.
        out: The divisions of all shorter beginnings; these are added.
    """
    first, last, k = window
    for end in range(first, last + 1):
        out.total[end], out.last[end] = NEVER, 0
        clear(line.group, 0)
        dear, seen = 0, -1
        for size in range(1, min(end, k + allowed.shape[1] - 1) + 1):
            start = end - size
            if runs[start] != seen:
                seen = runs[start]
                add(line.group, 0, line.places, seen, line.costs)
                dear = cost(line.group, 0, line.costs)
            if size >= k and allowed[end - first, size - k] and out.total[start] < NEVER:
                whole = int(out.total[start]) + size * dear
                if whole < out.total[end]:
                    out.total[end], out.last[end] = whole, start


@kernel
def total(places: Codes, regions: tuple[Index, Index, Counts], costs: Costs, room: Groups) -> int:
    """Records times cost, over regions.

    Args:
        places: (u, d) of the tuples.
        regions: The tuples of all regions, one after another; where each begins, and their end; the records of each.
        costs: What groups cost.
        room: For one group.
    """
    (tuples, starts, records), whole = regions, 0
    for region in range(records.size):
        clear(room, 0)
        for piece in range(starts[region], starts[region + 1]):
            add(room, 0, places, tuples[piece], costs)
        whole += int(records[region]) * cost(room, 0, costs)
    return whole
