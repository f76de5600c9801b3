"""Hitting sets at the least weight made smaller, without losing the optimum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kohort.kernels import kernel
from kohort.transactions._rows import Incidence

if TYPE_CHECKING:
    from kohort.arrays import Counts, Items, Mask
    from kohort.transactions._greedy import Sides


@dataclass(frozen=True, slots=True, eq=False)
class Reduced:
    """What is left to decide.

    Attributes:
        forced: (f,) items that some optimum drops.
        sets: The sets that these do not hit, of two or more items each, no two alike; some optimum drops `forced` and
            an optimal choice for these.
    """

    forced: Items
    sets: Incidence


def reduced(sets: Incidence, losses: Counts) -> Reduced:
    """The sets less what need not be looked at.

    - An item of which every set also has one other item, the same for all, that loses no more is dispensable: that
      other one may be dropped in its stead. Of two with the same sets and losses the first in item order stays.
    - The only item left in a set must go, and takes all its sets with it.
    - Equal sets count once.

    Each makes room for the others, so they take turns until nothing changes.
    """
    forced: list[Items] = []
    while True:
        width = sets.items.size
        spare = np.zeros(losses.size, np.bool_)
        mark_dispensable((sets.starts, sets.items, sets.firsts, sets.sets), losses, np.zeros_like(losses), spare)
        sets = _without(sets, spare)
        lone = np.unique(sets.items[sets.starts[:-1]][np.diff(sets.starts) == 1])
        forced.append(lone)
        sets = _distinct(_unhit(sets, lone))
        if sets.items.size == width:
            return Reduced(np.concatenate(forced), sets)


def _without(sets: Incidence, spare: Mask) -> Incidence:
    """The sets less these items."""
    keep = ~spare[sets.items]
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(keep)])[sets.starts]
    return Incidence.over(np.diff(ends), sets.items[keep], spare.size)


def _unhit(sets: Incidence, items: Items) -> Incidence:
    """The sets that have none of these items."""
    m, sizes = sets.firsts.size - 1, np.diff(sets.starts)
    hit = np.zeros(len(sets), np.bool_)
    for item in items.tolist():
        hit[sets.sets[sets.firsts[item] : sets.firsts[item + 1]]] = True
    return Incidence.over(sizes[~hit], sets.items[np.repeat(~hit, sizes)], m)


def _distinct(sets: Incidence) -> Incidence:
    """Each set once, the smaller ones first; items stay as they stand, ascending."""
    m, sizes = sets.firsts.size - 1, np.diff(sets.starts)
    groups = [
        np.unique(sets.items[np.repeat(sizes == size, sizes)].reshape(-1, size), axis=0)
        for size in np.unique(sizes).tolist()
    ]
    return Incidence.of(groups, m)


@kernel
def mark_dispensable(sides: Sides, losses: Counts, together: Counts, spare: Mask) -> None:
    """Mark the items of which every set has some other, better item.

    An item is better than another one if it is in all sets of that one, loses no more, and is not just its like behind
    it in item order. That orders the items, so a best one stays for every item that is marked. `together` has m zeros.
    """
    starts, items, firsts, sets = sides
    for item in range(losses.size):
        first, last = firsts[item], firsts[item + 1]
        if first == last:
            continue
        for place in range(first, last):
            for cell in range(starts[sets[place]], starts[sets[place] + 1]):
                together[items[cell]] += 1
        for cell in range(starts[sets[first]], starts[sets[first] + 1]):
            other = items[cell]
            if other == item or together[other] < last - first or losses[other] > losses[item]:
                continue
            alike = losses[other] == losses[item] and firsts[other + 1] - firsts[other] == last - first
            spare[item] |= not alike or other < item
        for place in range(first, last):
            for cell in range(starts[sets[place]], starts[sets[place] + 1]):
                together[items[cell]] = 0
