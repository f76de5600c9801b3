"""Released transactions against those they came from: nothing added, nothing gone but what was suppressed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.kernels import kernel
from kohort.transactions.database import Transactions, places_of
from kohort.verify.transactions.verdict import CoherenceCheck
from kohort.verify.verdict import fault

if TYPE_CHECKING:
    from kohort.arrays import Counts, Index, Items
    from kohort.verify.transactions.verdict import CoherenceClaim

#: What is counted of the transactions held against their source, by place in a tally.
_CHANGED, _LOST, _SUPPRESSED, _DISORDERED, _TOUCHED = range(5)

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
    rows, source = _Rows(database.starts, database.cells), _Rows(claim.source.starts, claim.source.cells)
    items = np.array(places_of(database.names, claim.source.names)[0], np.int32)  # the source's codes
    tally = np.zeros(5, np.int64)
    _hold(rows, source, lineage, items, _missing(claim), tally)
    changed, lost, suppressed, disordered, _ = tally.tolist()
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


class _Rows(NamedTuple):
    """Transactions, as in `Transactions`."""

    starts: Index
    cells: Items


@kernel
def _hold(  # noqa: PLR0917  a kernel takes arrays by position
    rows: _Rows, source: _Rows, lineage: Index, items: Items, missing: Items, tally: Counts
) -> None:
    """Walk through each transaction and its origin side by side."""
    for row in range(lineage.size):
        if row % _AHEAD == 0:
            tally[_TOUCHED] += _touch(source, lineage[row : row + _AHEAD])
        place, end = rows.starts[row], rows.starts[row + 1]
        changed = False
        for item in source.cells[source.starts[lineage[row]] : source.starts[lineage[row] + 1]]:
            if place < end and items[rows.cells[place]] == item:
                place += 1
            elif missing[item] == 1:
                tally[_LOST] += 1
            else:
                tally[_SUPPRESSED] += 1
                changed |= missing[item] == 0
        tally[_CHANGED] += changed or place < end  # what is left over was never met: it was added
        tally[_DISORDERED] += row > 0 and _precedes(rows, row)


@kernel
def _touch(source: _Rows, lineage: Index) -> int:
    """Look at the ends of some origins, which lie anywhere: where one wait after the other would take most of the time.

    What comes of it is only there to be kept, or no look would be taken.
    """
    seen = 0
    for row in lineage:
        start, end = source.starts[row], source.starts[row + 1]
        if start < end:
            seen += source.cells[start] + source.cells[end - 1]
    return int(seen)


@kernel
def _precedes(rows: _Rows, row: int) -> bool:
    """Whether a transaction's content comes before that of the transaction it follows."""
    before, start, end = rows.starts[row - 1], rows.starts[row], rows.starts[row + 1]
    for place in range(start, end):
        if before == start or rows.cells[before] < rows.cells[place]:
            return False
        if rows.cells[before] > rows.cells[place]:
            return True
        before += 1
    return bool(before < start)
