"""Items over moles: dropping the item of the highest score, and giving items back.

A score is a gain over a cost, gain = min(max(moles, least), most), where `moles` are the moles left that contain the
item: so one loop serves every score. Moles only become fewer and costs stay, so scores only fall. An item whose score,
counted anew, is still the highest of those last known is therefore the highest of all: the heap is lazy.

Reverse deletion: items that turned out to be dispensable are given back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.native.library import GIVE_BACK

if TYPE_CHECKING:
    from kohort.arrays import Counts, Items
    from kohort.transactions._rows import Incidence


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
    GIVE_BACK(*moles.sides, order, np.zeros(len(moles), np.int64), returned)
    return dropped[~np.isin(dropped, order[returned])], order[returned]


def by_loss(losses: Counts, items: Items) -> Items:
    """The items with the largest loss first, ties by item order."""
    return items[np.lexsort((items, -losses[items]))]
