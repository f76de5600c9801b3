"""The loops over moles and items: dropping the item of the highest score, and giving items back.

A score is a gain over a cost, gain = min(max(moles, least), most), where `moles` are the moles left that contain the
item: so one loop serves every score. Moles only become fewer and costs stay, so scores only fall. An item whose score,
counted anew, is still the highest of those last known is therefore the highest of all: the heap is lazy.

Reverse deletion: items that turned out to be dispensable are given back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kohort.kernels import kernel

if TYPE_CHECKING:
    from kohort.arrays import Counts, Index, Items, Mask
    from kohort.transactions._rows import Incidence

    #: starts, items, firsts, sets of an `Incidence`.
    Sides: TypeAlias = tuple[Index, Items, Index, Items]


@kernel
def compared(gain: int, cost: int, other_gain: int, other_cost: int) -> int:
    """1 if gain/cost is above the other, 0 if both are equal, -1 if it is below; costs at least 1.

    As continued fractions are compared: whole parts first, then the rests upside down, which swaps the two. Products
    could leave 64 bits.
    """
    while True:
        whole, other_whole = gain // cost, other_gain // other_cost
        if whole != other_whole:
            return 1 if whole > other_whole else -1
        rest, other_rest = gain % cost, other_gain % other_cost
        if rest == 0 or other_rest == 0:
            return int(rest > 0) - int(other_rest > 0)
        gain, cost, other_gain, other_cost = other_cost, other_rest, cost, rest


@kernel
def is_first(item: int, other: int, gains: Counts, costs: Counts) -> bool:
    """Whether an item is dropped before another: by score as known, then by item order."""
    order = compared(gains[item], costs[item], gains[other], costs[other])
    return order > 0 or (order == 0 and item < other)


@kernel
def sink(heap: Items, size: int, place: int, gains: Counts, costs: Counts) -> None:
    """Let the item at `place` sink below all that are dropped before it."""
    item = heap[place]
    while 2 * place + 1 < size:
        below = 2 * place + 1
        if below + 1 < size and is_first(heap[below + 1], heap[below], gains, costs):
            below += 1
        if is_first(item, heap[below], gains, costs):
            break
        heap[place] = heap[below]
        place = below
    heap[place] = item


@kernel
def hit(sides: Sides, item: int, done: Mask, counts: Counts) -> int:
    """Do away with the moles of an item, and count them no more; how many there were."""
    starts, items, firsts, sets = sides
    found = 0
    for place in range(firsts[item], firsts[item + 1]):
        mole = sets[place]
        if done[mole]:
            continue
        done[mole] = True
        found += 1
        for cell in range(starts[mole], starts[mole + 1]):
            counts[items[cell]] -= 1
    return found


@kernel
def drop_greedily(
    sides: Sides, costs: Counts, bounds: tuple[int, int], work: tuple[Items, Counts, Counts, Mask], out: Counts
) -> int:
    """Drop the item of the highest score until no score is above 0; how many are dropped.

    Args:
        sides: Moles and items.
        costs: (m,) the score's denominators.
        bounds: The least and the most that an item gains.
        work: The items to choose from; (m,) the moles of each item; (m,) zeros; (s,) which moles are done with: none.
        out: (m, 3) rows to fill: the item, its moles, the moles left.
    """
    heap, counts, gains, done = work
    least, most = bounds
    size, left, dropped = heap.size, done.size, 0
    for item in heap:
        gains[item] = min(max(counts[item], least), most)
    for place in range(size // 2 - 1, -1, -1):
        sink(heap, size, place, gains, costs)
    while size > 0 and gains[heap[0]] > 0:
        item = heap[0]
        gain = min(max(counts[item], least), most)
        if gain == gains[item]:
            found = hit(sides, item, done, counts)
            left -= found
            out[dropped, 0], out[dropped, 1], out[dropped, 2] = item, found, left
            dropped += 1
            size -= 1
            heap[0] = heap[size]
        else:
            gains[item] = gain
        sink(heap, max(size, 1), int(np.int64(0)), gains, costs)  # of a literal 0 it would be compiled once more
    return dropped


@kernel
def return_items(sides: Sides, order: Items, hits: Counts, returned: Mask) -> None:
    """Give each item back, in turn, of whose moles every one has another item that is dropped.

    Args:
        sides: Moles and items.
        order: The dropped items, in the order in which they are tried.
        hits: (s,) zeros.
        returned: One for each item of `order`, all False.
    """
    _, _, firsts, sets = sides
    for item in order:
        for place in range(firsts[item], firsts[item + 1]):
            hits[sets[place]] += 1
    for number in range(order.size):
        item = order[number]
        spare = True
        for place in range(firsts[item], firsts[item + 1]):
            spare = spare and hits[sets[place]] > 1
        if spare:
            returned[number] = True
            for place in range(firsts[item], firsts[item + 1]):
                hits[sets[place]] -= 1


def give_back(moles: Incidence, losses: Counts, dropped: Items) -> tuple[Items, Items]:
    """The dropped items that are needed, in their order, and those that are given back, in theirs.

    A greedy search may drop an item whose moles the items dropped later hit too. Items are tried by their loss, the
    largest first, ties by item order. One is given back if every mole that contains it has another item that stays
    dropped. That the moles are hit is all that coherence asks for (`kohort.transactions.suppression`); and as what is
    dropped only becomes less, an item that was needed when it was tried stays needed: no single item of the result can
    be spared.

    Args:
        moles: The minimal moles that have to be hit.
        losses: (m,) what dropping an item loses.
        dropped: Items that hit every mole.
    """
    order = by_loss(losses, dropped)
    returned = np.zeros(order.size, np.bool_)
    return_items(moles.sides, order, np.zeros(len(moles), np.int64), returned)
    return dropped[~np.isin(dropped, order[returned])], order[returned]


def by_loss(losses: Counts, items: Items) -> Items:
    """The items with the largest loss first, ties by item order."""
    return items[np.lexsort((items, -losses[items]))]
