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

from kohort.algorithms.mondrian.costs import Groups
from kohort.native.library import FOLLOW, GATHER, LEAN
from kohort.system.workspace import BLOCK, HEAP, blocks

if TYPE_CHECKING:
    from kohort.algorithms.mondrian.costs import Costs, Priced
    from kohort.arrays import Codes, Counts, Index
    from kohort.system.workspace import Workspace

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
    FOLLOW(priced.costs, _hulls(line, bounds, priced.costs, workspace), chain, first, BESIDE)
    moved = workspace.counted_up(bounds[chain], np.diff(bounds)[chain])
    begins = workspace.zeros(order.size + 1, np.bool_)
    begins[:1] = begins[last + 1] = begins[last[~whole]] = True  # a shared tuple is a part by itself
    starts = np.append(np.flatnonzero(workspace.taken(begins, moved)), order.size)
    turned = _turned(workspace.taken(line, moved), starts, priced.costs, workspace)
    return workspace.taken(order, workspace.taken(moved, turned))


def _turned(line: Codes, starts: Index, costs: Costs, workspace: Workspace) -> Index:
    """The rows of each part, those first that are better off with the part before it than with the one behind it."""
    nearer, turned = (workspace.empty(len(line), np.int64) for _ in range(2))
    LEAN(costs, line, starts, _hulls(line, starts, costs, workspace), nearer)
    parts = starts.size - 1
    for some in blocks(parts, max(BLOCK * parts // max(len(line), 1), 1)):
        rows, sizes = slice(starts[some.start], starts[some.stop]), np.diff(starts[some.start : some.stop + 1])
        part: Index = np.repeat(np.arange(sizes.size), sizes)
        turned[rows] = starts[some.start] + np.lexsort((nearer[rows], part))
    return turned


def _hulls(line: Codes, starts: Index, costs: Costs, workspace: Workspace) -> Groups:
    """A group of the rows from each start to the next."""
    some = Groups.empty(starts.size - 1, costs, workspace)
    GATHER(costs, line, starts[:0], starts, some)
    return some
