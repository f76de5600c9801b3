"""Groups of tuples and what they cost, compiled: grown tuple by tuple, or joined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.algorithms.mondrian.costs import BEYOND, SET, SPAN
from kohort.kernels import inlined, kernel
from kohort.workspace import HEAP

if TYPE_CHECKING:
    from kohort.algorithms.mondrian.costs import Costs
    from kohort.arrays import Codes, Index
    from kohort.core.frequency import Words
    from kohort.workspace import Workspace

#: A word has 1 << WORD bits.
WORD: Final = 6

#: As in `costs`; and how many attributes are looked at, then which: what all groups share costs nothing to compare.
Groups = NamedTuple("Groups", [("low", "Index"), ("high", "Index"), ("bits", "Words"), ("looked", "Index")])  # noqa: UP014  until `lattice.local` needs no Numba


def groups(number: int, costs: Costs, looked: Index | None = None, workspace: Workspace = HEAP) -> Groups:
    """Room for so many groups, of which nothing is known; all attributes are looked at, unless others are named."""
    attributes, words = costs.kinds.size, max(int(costs.words[-1]), 1)
    low, high = (workspace.zeros((number, attributes), np.int64) for _ in range(2))
    every = np.array([attributes, *range(attributes)])
    return Groups(low, high, workspace.zeros((number, words), np.uint64), every if looked is None else looked)


@inlined
def clear(some: Groups, one: int) -> None:
    """Empty a group."""
    for attribute in range(some.low.shape[1]):
        some.low[one, attribute] = BEYOND
        some.high[one, attribute] = -1
    for word in range(some.bits.shape[1]):
        some.bits[one, word] = np.uint64(0)


@inlined
def add(some: Groups, one: int, places: Codes, row: int, costs: Costs) -> None:
    """Put a tuple into a group."""
    for number in range(1, some.looked[0] + 1):
        attribute = some.looked[number]
        place = np.int64(places[row, attribute])
        some.low[one, attribute] = min(some.low[one, attribute], place)
        some.high[one, attribute] = max(some.high[one, attribute], place)
        if costs.kinds[attribute] == SET:
            word = costs.words[attribute] + (place >> WORD)
            some.bits[one, word] |= np.uint64(1) << np.uint64(place & 63)


@kernel
def join(into: Groups, one: int, other: Groups, second: int) -> None:
    """Put all tuples of a group into another."""
    for number in range(1, into.looked[0] + 1):
        attribute = into.looked[number]
        into.low[one, attribute] = min(into.low[one, attribute], other.low[second, attribute])
        into.high[one, attribute] = max(into.high[one, attribute], other.high[second, attribute])
    for word in range(into.bits.shape[1]):
        into.bits[one, word] |= other.bits[second, word]


@inlined
def ones(word: np.uint64) -> int:
    """How many bits of a word are set."""
    pairs = word - ((word >> np.uint64(1)) & np.uint64(0x5555_5555_5555_5555))
    fours = (pairs & np.uint64(0x3333_3333_3333_3333)) + ((pairs >> np.uint64(2)) & np.uint64(0x3333_3333_3333_3333))
    bytes_ = (fours + (fours >> np.uint64(4))) & np.uint64(0x0F0F_0F0F_0F0F_0F0F)
    return int(np.int64((bytes_ * np.uint64(0x0101_0101_0101_0101)) >> np.uint64(56)))


@inlined
def _set_cost(some: Groups, one: int, other: Groups, second: int, of: tuple[Costs, int]) -> int:
    """The cost of the set of both groups' values."""
    costs, attribute = of
    members = -1
    for word in range(costs.words[attribute], costs.words[attribute + 1]):
        members += ones(some.bits[one, word] | other.bits[second, word])
    return int(costs.ends[costs.first[attribute] + members])


@inlined
def ancestor_cost(costs: Costs, attribute: int, low: int, high: int) -> int:
    """The cost of the lowest node above both leaves."""
    at, leaves = costs.levels[attribute, 0], costs.levels[attribute, 1]
    while costs.nodes[at + low] != costs.nodes[at + high]:
        at += leaves
    return int(costs.above[at + low])


@inlined
def span_cost(costs: Costs, attribute: int, low: int, high: int) -> int:
    """The cost of a range or an interval; a missing value and numbers together leave nothing to tell.

    A cell of a grid may stand for several values by itself.
    """
    whole, first = int(costs.whole[attribute]), costs.first[attribute]
    if low == costs.gaps[attribute]:
        return whole if high > low else 0
    return min(max(int(costs.ends[np.uint64(first + high)]) - int(costs.starts[np.uint64(first + low)]), 0), whole)


@inlined
def joined_cost(some: Groups, one: int, other: Groups, second: int, costs: Costs) -> int:
    """What two groups would cost as one, as far as attributes are looked at."""
    total = 0
    for number in range(1, some.looked[0] + 1):
        attribute = some.looked[number]
        low = min(int(some.low[one, attribute]), int(other.low[second, attribute]))
        high = max(int(some.high[one, attribute]), int(other.high[second, attribute]))
        kind = costs.kinds[attribute]
        if kind == SPAN:
            total += span_cost(costs, attribute, low, high)
        elif low < high and kind == SET:
            total += _set_cost(some, one, other, second, (costs, attribute))
        elif low < high:
            total += ancestor_cost(costs, attribute, low, high)
    return total


@kernel
def cost(some: Groups, one: int, costs: Costs) -> int:
    """What a group costs that is not empty."""
    return joined_cost(some, one, some, one, costs)
