"""Judge a released transaction database from its published bytes alone, by counting anew.

As with tables, nothing here comes from the search: the file is read again, every transaction is held against the one it
claims to have been, and all cohorts are counted by an algorithm of their own. What was read is written again, and the
bytes must be the same: there is one way to write a database in each form. Checks are listed in `CoherenceCheck`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import gcd
from typing import TYPE_CHECKING, BinaryIO, Final, cast

import numpy as np

from kohort import system
from kohort.errors import KohortError, UsageError
from kohort.errors.display import Summary
from kohort.io.options import ReadOptions
from kohort.native.library import DESCENTS, HOLD
from kohort.transactions.database import Transactions, held, places_of
from kohort.transactions.io import read_content
from kohort.transactions.io.options import BasketOptions, Form
from kohort.transactions.io.write import write_transactions
from kohort.transactions.verify.cohorts import count_cohorts
from kohort.verify.reading import Digest, digest
from kohort.verify.verdict import BY_RECORD, LOCAL, fault, reading_release

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.arrays import Index, Items, Mask
    from kohort.errors.display import Rows
    from kohort.io.source import Content
    from kohort.transactions.coherence import Coherence
    from kohort.transactions.database import Database
    from kohort.transactions.verify.cohorts import Cohorts


class CoherenceCheck(StrEnum):
    """What is checked, from the bytes inwards; an error names the first that fails."""

    BYTES = "bytes"
    """The file holds its transactions as plainly as can be, and nothing else."""
    TRANSACTIONS = "transactions"
    """There are as many transactions as the input had."""
    ITEMS = "items"
    """Every item is one of the input's; a dropped or removed one occurs nowhere."""
    LINEAGE = "lineage"
    """Every released transaction is an input transaction less what was suppressed, and no two are the same one."""
    PRIVATE = "private"
    """No private cell is missing, nor one of an item that is neither public nor private."""
    COHERENCE = "coherence"
    """No set of public items is a mole, counted anew from the bytes."""
    ORDER = "order"
    """Transactions stand in the order of their own content."""


@dataclass(frozen=True, slots=True, eq=False)
class CoherenceClaim:
    """The claims of a release to verify.

    Attributes:
        source: The input as read.
        coherence: The promise.
        public: Names of the public items.
        private: Names of the private items.
        removed: Names of the items below the minimum support, public and private: they occur nowhere.
        dropped: Names of the items that are suppressed everywhere.
        cells: Whether single public cells may be suppressed too.
        lineage: (n,) for every released transaction, in file order, the input transaction it claims to be: a witness.
            Nobody looks at it where transactions are not in memory.
        writing: The form and separator of the file.
    """

    source: Database
    coherence: Coherence
    public: frozenset[str]
    private: frozenset[str]
    dropped: frozenset[str]
    lineage: Index
    removed: frozenset[str] = frozenset()
    cells: bool = False
    writing: BasketOptions = field(default_factory=BasketOptions)

    @property
    def places(self) -> bool:
        """Whether the file calls its items by their places, so that none of them can be left out."""
        return self.writing.form is Form.MATRIX


@dataclass(frozen=True, slots=True, repr=False)
class CoherenceVerdict(Summary):
    """The result of verifying a release that passed every check.

    Attributes:
        transactions: Transactions released.
        items: Number of items that occur.
        cells: Number of cells.
        cohorts: Sets of 0 to p public items that occur: each was recounted, and none is a mole.
        smallest: Transactions of the smallest cohort of any such set.
        confidence: The greatest share of a cohort that has one private item: numerator and denominator.
        sha256: The digest of the file's bytes; empty for a database in memory.
        checks: The number of comparisons of each check, by name.
        way: Whether each transaction was compared with its original, or sums of their hashes.
        engine: The engine that counted: kohort itself, or a database and its version.
    """

    transactions: int
    items: int
    cells: int
    cohorts: int
    smallest: int
    confidence: tuple[int, int]
    sha256: str
    checks: Mapping[str, int]
    way: str = BY_RECORD
    engine: str = LOCAL

    def _shown(self) -> tuple[str, Rows]:
        having, all_ = self.confidence
        return "CoherenceVerdict", [
            ("Transactions", f"{self.transactions:,}"),
            ("Items", f"{self.items:,}"),
            ("Cells", f"{self.cells:,}"),
            ("Sets of public items", f"{self.cohorts:,}"),
            ("Smallest cohort", f"{self.smallest:,}"),
            ("Greatest share of a private item", f"{having:,} of {all_:,}"),
        ]


def verify_transactions(file: BinaryIO, claim: CoherenceClaim) -> CoherenceVerdict:
    r"""What is true of the transaction database in `file`, an open file at its start.

    Cost: reading it, one pass over its cells and its source's, and the counting of its cohorts.

    >>> import io
    >>> from kohort.transactions.coherence import Coherence
    >>> from kohort.transactions.database import Transactions
    >>> source = Transactions.of([["milk", "pill"], ["bread", "milk"], ["milk"]])
    >>> claim = CoherenceClaim(source, Coherence.of(h="0.5", k=2, p=2), public=frozenset({"milk", "bread"}),
    ...     private=frozenset({"pill"}), dropped=frozenset({"bread"}), lineage=np.array([1, 2, 0]))
    >>> verdict = verify_transactions(io.BytesIO(b"milk\nmilk\nmilk pill\n"), claim)
    >>> verdict.cohorts, verdict.smallest, verdict.confidence
    (2, 3, (1, 3))
    """
    with reading_release():
        content = system.mapped(file)
        read = read_released(content, claim.writing)
        check_number(len(read), claim)
        database = check_items(read, claim)
        sha256 = check_bytes(content, database, claim.writing)
    return _judged(database, claim, sha256, len(content))


def verify_database(database: Transactions, claim: CoherenceClaim) -> CoherenceVerdict:
    """What is true of a transaction database that is still in memory. There are no bytes to check."""
    claim = replace(claim, writing=BasketOptions())
    check_number(len(database), claim)
    return _judged(check_items(database, claim), claim)


def _judged(database: Transactions, claim: CoherenceClaim, sha256: str = "", size: int = 0) -> CoherenceVerdict:
    disordered = check_lineage(database, claim)
    cohorts = _check_coherence(database, claim)
    if disordered:
        what = f"{disordered:,} transactions are out of order"
        raise fault(CoherenceCheck.ORDER, what)
    items = dict(zip(database.names, database.supports.tolist(), strict=True))
    return verdict_of(len(database), items, claim, cohorts, sha256=sha256, size=size)


def verdict_of(
    n: int, items: Mapping[str, int], claim: CoherenceClaim, cohorts: Cohorts, *, sha256: str, size: int
) -> CoherenceVerdict:
    """What is said of a release that passed every check: of n transactions, and so many that contain each item."""
    cells, share = sum(items.values()), gcd(cohorts.together, cohorts.support)
    private = sum(support for name, support in items.items() if name not in claim.public)
    return CoherenceVerdict(
        transactions=n,
        items=sum(support > 0 for support in items.values()),
        cells=cells,
        cohorts=cohorts.sets,
        smallest=cohorts.smallest,
        confidence=(cohorts.together // share, cohorts.support // share),
        sha256=sha256,
        checks=comparisons(n, len(items), cells, size=size, private=private, cohorts=cohorts.sets),
    )


def comparisons(n: int, items: int, cells: int, *, size: int, private: int, cohorts: int) -> dict[str, int]:
    """How many comparisons each check of n transactions makes, by its name; one that makes none is left out."""
    found = dict(zip(CoherenceCheck, (size, n, items, cells, private, cohorts, n), strict=True))
    return {check.value: number for check, number in found.items() if number}


def _check_coherence(database: Transactions, claim: CoherenceClaim) -> Cohorts:
    model = claim.coherence
    public, private = _named(database.names, claim.public), _named(database.names, claim.private)
    cohorts = count_cohorts(database, public, private, p=model.p, least=model.k)
    refuse_moles(cohorts, model)
    return cohorts


def refuse_moles(cohorts: Cohorts, model: Coherence) -> None:
    """Refuse cohorts of which one is too small, or has too many transactions with a private item."""
    if cohorts.sets and model.is_rare(cohorts.smallest):
        what = f"a set of public items is in only {cohorts.smallest:,} transactions, and k is {model.k:,}"
        raise fault(CoherenceCheck.COHERENCE, what)
    if model.is_breached(cohorts.support, cohorts.together):
        what = f"a private item is in {cohorts.together:,} of the {cohorts.support:,} transactions of a cohort"
        raise fault(CoherenceCheck.COHERENCE, f"{what}, and h is {model.h}")


def _named(items: tuple[str, ...], names: frozenset[str]) -> Mask:
    return np.fromiter((name in names for name in items), np.bool_, len(items))


#: There may be no transactions, and names of any size that has a number.
_LIMITS: Final = ReadOptions(allow_empty=True, max_cell=(1 << 31) - 1)


def read_released(content: Content, options: BasketOptions) -> Transactions:
    """The transactions that the bytes hold."""
    if options.form is not Form.BASKET:  # else what is between cells would be found out
        options = replace(options, separator=options.separator or ",")
    try:
        reading = read_content("the release", content, options, limits=_LIMITS)
    except KohortError as error:
        raise fault(CoherenceCheck.BYTES, f"the file is not well formed: {error.what} ({error.where})") from None
    if reading.repeated:
        what = f"{reading.repeated:,} cells name an item that their transaction already has"
        raise fault(CoherenceCheck.BYTES, what)
    return reading.database


def check_bytes(content: Content, database: Transactions, options: BasketOptions, before: int = 0) -> str:
    """The bytes say these transactions, which follow others, and nothing more; gives their digest."""
    sha256 = digest(content)
    if plain_digest(database, options, before) != sha256:
        what = "the bytes are not the plain form of their transactions: other blanks or line ends, another order, notes"
        raise fault(CoherenceCheck.BYTES, what)
    return sha256


def plain_digest(database: Transactions, options: BasketOptions, before: int = 0) -> str:
    """The digest of transactions in their plain form; empty where nobody would write names like theirs in it."""
    again = Digest()
    try:
        write_transactions(database, cast("BinaryIO", again), options, before)
    except UsageError:
        return ""
    return again.sha256


def check_number(found: int, claim: CoherenceClaim) -> None:
    """There are as many transactions as the input had."""
    if found != len(claim.source):
        what = f"{found:,} transactions instead of {len(claim.source):,}"
        raise fault(CoherenceCheck.TRANSACTIONS, what)


def check_suppressed(claim: CoherenceClaim) -> None:
    """Only public items are suppressed everywhere."""
    protected = len(claim.dropped - claim.public)
    if protected:
        raise fault(CoherenceCheck.PRIVATE, f"{protected:,} items that are not public were suppressed")


def check_items(database: Transactions, claim: CoherenceClaim) -> Transactions:
    """Every item is one of the input's, and none is one that was suppressed everywhere; then they get its order.

    A matrix without a header calls its items by their places, so there suppressed ones have to keep theirs.
    """
    _, foreign = places_of(database.names, claim.source.names)
    if foreign:
        raise fault(CoherenceCheck.ITEMS, f"{len(foreign):,} items do not occur in the input")
    gone = claim.removed | claim.dropped
    supports = zip(database.names, database.supports.tolist(), strict=True)
    left = sum(1 for name, support in supports if name in gone and (support or not claim.places))
    if left:
        raise fault(CoherenceCheck.ITEMS, f"{left:,} items remain that had to be suppressed everywhere")
    if claim.places and database.names != claim.source.names:
        what = f"{len(database.names):,} columns instead of {len(claim.source.names):,}"
        raise fault(CoherenceCheck.ITEMS, what)
    return in_order_of(database, claim.source.names)


def in_order_of(database: Transactions, names: tuple[str, ...]) -> Transactions:
    """The transactions with their items in the order that these have among the names."""
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


def check_lineage(database: Transactions, claim: CoherenceClaim) -> int:
    """Every transaction is an input transaction of its own, less what may be missing from it.

    Returns:
        Transactions that stand before one of smaller content.
    """
    lineage = np.asarray(claim.lineage, np.int64)
    n = len(database)
    if lineage.shape != (n,):
        raise fault(CoherenceCheck.LINEAGE, f"{lineage.size:,} origins are claimed for {n:,} transactions")
    unused = n - int(np.count_nonzero(np.bincount(lineage[(lineage >= 0) & (lineage < n)])))
    if unused:
        raise fault(CoherenceCheck.LINEAGE, f"{unused:,} input transactions are claimed by no released one")
    source, code = held(claim.source, "to follow each transaction"), np.full(len(claim.source.names), np.int32(-1))
    code[places_of(database.names, source.names)[0]] = np.arange(len(database.names))
    rows = database.starts, database.cells, source.starts, source.cells
    found = np.empty(2, np.int64)
    HOLD(*rows, lineage, code, _missing(claim), found)
    changed, lost = found.tolist()
    if changed:
        raise fault(CoherenceCheck.LINEAGE, f"{changed:,} transactions are not the input's less what was suppressed")
    check_suppressed(claim)
    if lost:
        raise fault(CoherenceCheck.PRIVATE, f"{lost:,} cells of items that are not public are missing")
    return DESCENTS(database.starts, database.cells)


def _missing(claim: CoherenceClaim) -> Items:
    """(m,) of each of the input's items: 2 if it may be missing; 1 if it may not, and is not public; else 0."""
    gone = claim.removed | claim.dropped
    may_go = gone | claim.public if claim.cells else gone
    kinds = (2 if name in may_go else 0 if name in claim.public else 1 for name in claim.source.names)
    return np.fromiter(kinds, np.int32)
