"""What is left of a transaction database once items, or cells, are suppressed: in an order that tells nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

import numpy as np

from kohort.transactions.order import arranged, content_order
from kohort.transactions.problem import CellSuppression, ItemSuppression

if TYPE_CHECKING:
    from kohort.arrays import Index, Items
    from kohort.transactions.database import Transactions
    from kohort.transactions.problem import Suppression


@dataclass(frozen=True, slots=True, eq=False)
class Recoded:
    """A database less what was suppressed.

    Attributes:
        database: The n transactions in the order of their own content, over the items that are left.
        lineage: (n,) the transaction that each one was.
        dropped: (d,) the items that are left nowhere; items that occurred nowhere before are not among them.
    """

    database: Transactions
    lineage: Index
    dropped: Items


def recode(database: Transactions, suppression: Suppression) -> Recoded:
    """The database less what `suppression` takes.

    >>> from kohort.transactions.database import Transactions
    >>> baskets = Transactions.of([["tea"], ["jam", "tea"], ["jam"]])
    >>> recoded = recode(baskets, ItemSuppression(np.array([1], np.int32)))
    >>> recoded.database.sets(), recoded.lineage.tolist()
    ([[], ['jam'], ['jam']], [0, 1, 2])
    """
    match suppression:
        case ItemSuppression(items):
            left, dropped = database, items
        case CellSuppression(keep):
            left = database.kept(keep)
            dropped = np.flatnonzero((left.supports == 0) & (database.supports > 0)).astype(np.int32)
        case _:
            assert_never(suppression)
    stays = np.ones(len(database.names), np.bool_)
    stays[dropped] = False
    narrow = left.only(stays)
    lineage = content_order(narrow)
    return Recoded(arranged(narrow, lineage), lineage, dropped)
