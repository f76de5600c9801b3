"""The loop of local recoding: what it saves to part the records below each node from the rest of their class."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kohort.algorithms.mondrian.cost_kernels import add, clear, cost, join, joined_cost
from kohort.kernels import kernel

if TYPE_CHECKING:
    from kohort.algorithms.mondrian.cost_kernels import Groups
    from kohort.algorithms.mondrian.costs import Costs
    from kohort.arrays import Codes, Counts, Index


class Rows(NamedTuple):
    """The tuples of a class.

    Attributes:
        places: (m, d) the leaf of each in each attribute.
        counts: (m,) its records.
        order: (m, d) the tuples by their leaf in each attribute.
    """

    places: Codes
    counts: Counts
    order: Index


class Hulls(NamedTuple):
    """What is known of the tuples on either side of those below a node, in the order of their leaves.

    Attributes:
        before: (m + 1) the first so many tuples.
        after: (m + 1) all but the first so many.
        below: (1) those below the node.
    """

    before: Groups
    after: Groups
    below: Groups


class Nodes(NamedTuple):
    """Nodes whose records can be parted from the rest of the class.

    Attributes:
        at: (c, 3) the attribute, and the first and the last of the order's tuples below it, which is left out.
        gains: (c,) what the parting saves.
    """

    at: Index
    gains: Counts


@kernel
def propose(rows: Rows, least: int, costs: Costs, hulls: Hulls, out: Nodes) -> int:
    """Find every node below which, and outside which, there are at least so many records; how many there are.

    They come attribute by attribute, from the leaves up, and on each level in leaf order. A node that has the same
    records below it as one of its children is left out, and so is what saves nothing.
    """
    records = found = 0
    for row in range(rows.counts.size):
        records += rows.counts[row]
    for number in range(1, hulls.below.looked[0] + 1):
        attribute = hulls.below.looked[number]
        order, known = rows.order[:, attribute], False
        low, high = int(rows.places[order[0], attribute]), int(rows.places[order[-1], attribute])
        at, leaves = costs.levels[attribute, 0], costs.levels[attribute, 1]
        while costs.nodes[at + low] != costs.nodes[at + high]:
            lower = at if at == costs.levels[attribute, 0] else at - leaves
            first = 0
            while first < order.size:
                last, size = _below(rows, (attribute, first), costs, at)
                one, other = int(rows.places[order[first], attribute]), int(rows.places[order[last - 1], attribute])
                is_child = lower < at and costs.nodes[lower + one] == costs.nodes[lower + other]
                if size >= least and records - size >= least and not is_child:
                    if not known:
                        _sides(rows, order, costs, hulls)
                        known = True
                    gain = _saved(rows, (attribute, first, last), (size, records), costs, hulls)
                    if gain > 0:
                        out.at[found, 0], out.at[found, 1], out.at[found, 2] = attribute, first, last
                        out.gains[found] = gain
                        found += 1
                first = last
            at += leaves
    return found


@kernel
def _below(rows: Rows, start: tuple[int, int], costs: Costs, at: int) -> tuple[int, int]:
    """Where the tuples end that have the node of an attribute's tuple at a place, on a level; and their records."""
    attribute, last = start
    node, size = costs.nodes[at + int(rows.places[rows.order[last, attribute], attribute])], 0
    while last < rows.counts.size:
        row = rows.order[last, attribute]
        if costs.nodes[at + int(rows.places[row, attribute])] != node:
            break
        size += int(rows.counts[row])
        last += 1
    return last, size


@kernel
def _saved(rows: Rows, node: tuple[int, int, int], sizes: tuple[int, int], costs: Costs, hulls: Hulls) -> int:
    """What it saves to part the tuples from the first to before the last place of an order from the others."""
    attribute, first, last = node
    size, records = sizes
    clear(hulls.below, 0)
    for place in range(first, last):
        add(hulls.below, 0, rows.places, rows.order[place, attribute], costs)
    rest = (records - size) * joined_cost(hulls.before, first, hulls.after, last, costs)
    return int(records * cost(hulls.after, 0, costs) - size * cost(hulls.below, 0, costs) - rest)


@kernel
def _sides(rows: Rows, order: Index, costs: Costs, hulls: Hulls) -> None:
    """What is known of all tuples before each place of an order, and from it on."""
    tuples = order.size
    clear(hulls.before, 0)
    for place in range(tuples):
        clear(hulls.before, place + 1)
        join(hulls.before, place + 1, hulls.before, place)
        add(hulls.before, place + 1, rows.places, order[place], costs)
    clear(hulls.after, tuples)
    for place in range(tuples - 1, -1, -1):
        clear(hulls.after, place)
        join(hulls.after, place, hulls.after, place + 1)
        add(hulls.after, place, rows.places, order[place], costs)
