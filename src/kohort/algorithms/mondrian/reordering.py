"""A new order of the classes of a division, and of the records of each: dividing it again never costs more.

Classes that share equal records, between which a border runs, are one block and keep their order. **Blocks**: among
BESIDE neighbouring blocks each is followed by the one that costs least together with it, ties the earlier. **Records**:
in a class those tuples come first that raise the cost of the class before it less than that of the one behind it,
compared by the difference, ties the earlier: a new border parts first what is better off next door. Tuples that lie in
several classes stay where they are.

Invariant: the records of each class still follow one another, equal records too, and those of a shared tuple are parted
where they were. So the old division is one of the new order, and the best of these costs no more.

Cost: O(n · d) for n tuples of d attributes, and O(c · BESIDE · d) for c blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.algorithms.mondrian.cost_kernels import WORD, add, ancestor_cost, clear, groups, joined_cost, span_cost
from kohort.algorithms.mondrian.costs import SET, SPAN
from kohort.kernels import inlined, kernel
from kohort.workspace import BLOCK, HEAP, blocks

if TYPE_CHECKING:
    from kohort.algorithms.mondrian.cost_kernels import Groups
    from kohort.algorithms.mondrian.costs import Costs, Priced
    from kohort.arrays import Codes, Counts, Index
    from kohort.workspace import Workspace

#: Blocks among which the next one is looked for. Of all would save little more: at k = 10 less than 1 % on a register.
BESIDE: Final = 32


def reordered(
    priced: Priced, order: Index, upto: Counts, ends: Index, first: int, *, workspace: Workspace = HEAP
) -> Index:
    """The tuples in an order in which every class of a division is still together.

    Args:
        priced: The different tuples, and what groups of them cost.
        order: (u,) the tuples as they are divided.
        upto: (u,) records up to the end of each.
        ends: (c,) records up to the end of each class.
        first: Blocks among which the first ones are looked for; behind them BESIDE each time.
        workspace: Where arrays as long as the order live.
    """
    last = np.searchsorted(upto, ends)  # (c,) the tuple that each class ends in
    whole = upto[last] == ends
    bounds = np.append(0, last[whole] + 1)
    line = workspace.taken(priced.places, order)  # from here on memory is read in order
    chain = np.arange(bounds.size - 1)
    follow(_hulls(line, bounds, priced.costs, workspace), priced.costs, chain, first)
    moved = workspace.counted_up(bounds[chain], np.diff(bounds)[chain])
    begins = workspace.zeros(order.size + 1, np.bool_)
    begins[:1] = begins[last + 1] = begins[last[~whole]] = True  # a shared tuple is a part by itself
    starts = np.append(np.flatnonzero(workspace.taken(begins, moved)), order.size)
    turned = _turned(workspace.taken(line, moved), starts, priced.costs, workspace)
    return workspace.taken(order, workspace.taken(moved, turned))


def _turned(line: Codes, starts: Index, costs: Costs, workspace: Workspace) -> Index:
    """The rows of each part, those first that are better off with the part before it than with the one behind it."""
    nearer, turned = (workspace.empty(len(line), np.int64) for _ in range(2))
    lean(line, starts, costs, _hulls(line, starts, costs, workspace), nearer)
    parts = starts.size - 1
    for some in blocks(parts, max(BLOCK * parts // max(len(line), 1), 1)):
        rows, sizes = slice(starts[some.start], starts[some.stop]), np.diff(starts[some.start : some.stop + 1])
        part: Index = np.repeat(np.arange(sizes.size), sizes)
        turned[rows] = starts[some.start] + np.lexsort((nearer[rows], part))
    return turned


def _hulls(line: Codes, starts: Index, costs: Costs, workspace: Workspace) -> Groups:
    some = groups(starts.size - 1, costs, workspace=workspace)
    gather(line, starts, costs, some)
    return some


@kernel
def gather(line: Codes, starts: Index, costs: Costs, some: Groups) -> None:
    """Put the rows from each start to the next into a group."""
    for one in range(starts.size - 1):
        clear(some, one)
        for row in range(starts[one], starts[one + 1]):
            add(some, one, line, row, costs)


@kernel
def follow(some: Groups, costs: Costs, chain: Index, first: int) -> None:
    """Let the groups follow one another, among neighbours, each time the one that costs least with the last."""
    begin, end = 0, min(first, chain.size)
    while begin < chain.size:
        for place in range(max(begin, 1), end):
            best, least = place, joined_cost(some, chain[place - 1], some, chain[place], costs)
            for other in range(place + 1, end):
                dear = joined_cost(some, chain[place - 1], some, chain[other], costs)
                if dear < least or (dear == least and chain[other] < chain[best]):
                    best, least = other, dear
            chain[place], chain[best] = chain[best], chain[place]
        begin, end = end, min(end + BESIDE, chain.size)


@kernel
def lean(line: Codes, starts: Index, costs: Costs, some: Groups, nearer: Index) -> None:
    """By how much more each row raises the cost of the part before its own than that of the part behind it.

    Args:
        line: (u, d) places of all tuples, in their order.
        starts: Where each part begins, and all end.
        costs: What groups cost.
        some: The parts.
        nearer: (u,) the answer; at the line's ends there is nothing to raise.
    """
    for part in range(starts.size - 1):
        for row in range(starts[part], starts[part + 1]):
            nearer[row] = 0
            if part > 0:
                nearer[row] += _raised(line, row, some, part - 1, costs)
            if part + 2 < starts.size:
                nearer[row] -= _raised(line, row, some, part + 1, costs)


@inlined
def _raised(places: Codes, row: int, some: Groups, one: int, costs: Costs) -> int:
    """By how much a tuple raises the cost of a group; all values but the second are worth the same to a set."""
    total = 0
    for attribute in range(places.shape[1]):
        place, kind = int(np.int64(places[row, attribute])), costs.kinds[attribute]
        low, high = int(some.low[one, attribute]), int(some.high[one, attribute])
        if kind == SET:
            word, first = some.bits[one, costs.words[attribute] + (place >> WORD)], costs.first[attribute]
            if word >> np.uint64(place & 63) & np.uint64(1) == 0:
                more = 0 if low == high else 1
                total += int(costs.ends[first + more + 1] - costs.ends[first + more])
            continue
        if low <= place <= high:
            continue
        below, above = min(low, place), max(high, place)
        if kind == SPAN:
            total += span_cost(costs, attribute, below, above) - span_cost(costs, attribute, low, high)
        else:
            total += ancestor_cost(costs, attribute, below, above) - ancestor_cost(costs, attribute, low, high)
    return total
