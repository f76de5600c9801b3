"""Released transactions against those they came from: nothing added, nothing gone but what was suppressed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.kernels import kernel
from kohort.transactions.database import Transactions, places_of
from kohort.verify.transactions.verdict import CoherenceCheck
from kohort.verify.verdict import fault

if TYPE_CHECKING:
    from kohort.arrays import Index, Items
    from kohort.verify.transactions.verdict import CoherenceClaim

#: Origins whose cells are fetched at once: enough for the waits to overlap, few enough to stay in the nearest cache.
_AHEAD: Final = 64


class Held(NamedTuple):
    """What was found when released transactions were held against their source.

    Attributes:
        suppressed: Cells that the release lacks.
        disordered: Transactions that stand before one of smaller content.
    """

    suppressed: int
    disordered: int


def check_number(database: Transactions, claim: CoherenceClaim) -> None:
    """There are as many transactions as the input had."""
    if len(database) != len(claim.source):
        what = f"{len(database):,} transactions where the input had {len(claim.source):,}"
        raise fault(CoherenceCheck.TRANSACTIONS, what)


def check_items(database: Transactions, claim: CoherenceClaim) -> Transactions:
    """Every item is one of the input's, and none is one that was suppressed everywhere; then they get its order.

    A matrix without a header calls its items by their places, so there suppressed ones have to keep theirs.
    """
    _, foreign = places_of(database.names, claim.source.names)
    if foreign:
        raise fault(CoherenceCheck.ITEMS, f"{len(foreign):,} items are none of the input's")
    gone = claim.removed | claim.dropped
    supports = zip(database.names, database.supports.tolist(), strict=True)
    left = sum(1 for name, support in supports if name in gone and (support or not claim.places))
    if left:
        raise fault(CoherenceCheck.ITEMS, f"{left:,} items are left that were to be suppressed everywhere")
    if claim.places and database.names != claim.source.names:
        what = f"{len(database.names):,} columns where the input had {len(claim.source.names):,}"
        raise fault(CoherenceCheck.ITEMS, what)
    return _in_order_of(database, claim.source.names)


def _in_order_of(database: Transactions, names: tuple[str, ...]) -> Transactions:
    """The same transactions with items in the order in which they are among `names`."""
    places = np.array(places_of(database.names, names)[0], np.int64)
    order = np.argsort(places)
    if (np.diff(order) > 0).all():
        return database
    ascending: list[int] = order.tolist()
    code = np.empty(order.size, np.int32)
    code[order] = np.arange(order.size)
    rows = np.repeat(np.arange(len(database)), database.lengths)
    cells = code[database.cells]
    ordered = cells[np.lexsort((cells, rows))]
    return Transactions(tuple(database.names[place] for place in ascending), database.starts, ordered)


def check_lineage(database: Transactions, claim: CoherenceClaim) -> Held:
    """Every transaction is an input transaction of its own, less what may be missing from it."""
    lineage = np.asarray(claim.lineage, np.int64)
    n = len(database)
    if lineage.shape != (n,):
        raise fault(CoherenceCheck.LINEAGE, f"{lineage.size:,} origins are claimed for {n:,} transactions")
    used = np.zeros(n, np.bool_)
    used[lineage[(lineage >= 0) & (lineage < n)]] = True
    unused = n - int(used.sum())
    if unused:
        raise fault(CoherenceCheck.LINEAGE, f"{unused:,} input transactions are claimed by no released one")
    source, code = claim.source, np.full(len(claim.source.names), -1, np.int32)
    code[places_of(database.names, source.names)[0]] = np.arange(len(database.names))
    rows = database.starts, database.cells, source.starts, source.cells
    changed, lost, suppressed, disordered, _ = _hold(*rows, lineage, code, _missing(claim))
    if changed:
        raise fault(CoherenceCheck.LINEAGE, f"{changed:,} transactions are not the input's less what was suppressed")
    protected = len(claim.dropped - claim.public)
    if protected:
        raise fault(CoherenceCheck.PRIVATE, f"{protected:,} items that are not public were suppressed")
    if lost:
        raise fault(CoherenceCheck.PRIVATE, f"{lost:,} cells of items that are not public are missing")
    return Held(suppressed, disordered)


def _missing(claim: CoherenceClaim) -> Items:
    """(m,) of each of the input's items: 2 if it may be missing; 1 if it may not, and is not public; else 0."""
    gone = claim.removed | claim.dropped
    may_go = gone | claim.public if claim.cells else gone
    kinds = (2 if name in may_go else 0 if name in claim.public else 1 for name in claim.source.names)
    return np.fromiter(kinds, np.int32, len(claim.source.names))


@kernel
def _hold(  # noqa: PLR0917  a kernel takes arrays by position
    starts: Index,
    cells: Items,
    source_starts: Index,
    source_cells: Items,
    lineage: Index,
    code: Items,
    missing: Items,
) -> tuple[int, int, int, int, int]:
    """Walk through each transaction and its origin side by side.

    Origins lie anywhere: where one wait after the other would take most of the time, some are fetched ahead.

    Args:
        starts: Where each transaction's cells start.
        cells: The items.
        source_starts: The same of the source.
        source_cells: Likewise.
        lineage: The origin of each transaction.
        code: Of each of the source's items the number of the same item here, -1 if it is none.
        missing: What it means if an item is missing: see `_missing`.

    Returns:
        Transactions that are not what they may be, cells missing that are not public, cells missing that may be,
        transactions that stand before one of smaller content; and what was seen ahead, or no look would be taken.
    """
    changed = lost = suppressed = disordered = seen = before = 0
    for row in range(lineage.size):
        if row % _AHEAD == 0:
            for ahead in range(row, min(row + _AHEAD, lineage.size)):
                at = source_starts[lineage[ahead]]
                seen += int(source_cells[at]) if at < source_cells.size else 0
        start, end = starts[row], starts[row + 1]
        place, wrong = start, False
        for at in range(source_starts[lineage[row]], source_starts[lineage[row] + 1]):
            item = source_cells[at]
            if place < end and cells[place] == code[item]:
                place += 1
            elif missing[item] == 1:
                lost += 1
            else:
                suppressed += 1
                wrong |= missing[item] == 0
        changed += wrong or place < end  # what is left over was never met: it was added
        place, other = start, before
        while place < end and other < start and cells[place] == cells[other]:
            place += 1
            other += 1
        disordered += other < start and (place == end or cells[place] < cells[other])
        before = start
    return changed, lost, suppressed, disordered, seen
