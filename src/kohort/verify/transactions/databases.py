"""Judge a released transaction database from its published bytes alone, by counting anew.

As with tables, nothing here comes from the search: the file is read again, every transaction is held against the one it
claims to have been, and all cohorts are counted by an algorithm of their own. Only the definition of coherence is
shared. What is checked is listed in `CoherenceCheck`.

A released transaction database read back from its bytes; what they hold beside its cells is a fault.

What was read is written again, and the bytes must be the same: there is one way to write a database in each form.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import gcd
from typing import TYPE_CHECKING, BinaryIO, Final, cast

import numpy as np

from kohort import system
from kohort.errors import FileError, KohortError, UsageError
from kohort.io.baskets import read_content, write_transactions
from kohort.io.baskets.options import BasketOptions, Form
from kohort.io.options import ReadOptions
from kohort.verify.reading import digest
from kohort.verify.transactions.cohorts import count_cohorts
from kohort.verify.transactions.lineage import check_items, check_lineage, check_number
from kohort.verify.transactions.verdict import CoherenceCheck, CoherenceClaim, CoherenceVerdict
from kohort.verify.verdict import fault

if TYPE_CHECKING:
    from kohort.arrays import Mask
    from kohort.io.source import Content
    from kohort.transactions.database import Transactions
    from kohort.verify.transactions.cohorts import Cohorts


def verify_transactions(file: BinaryIO, claim: CoherenceClaim) -> CoherenceVerdict:
    r"""What is true of the transaction database in `file`, an open file at its start.

    Cost: reading it, one pass over its cells and its source's, and the counting of its cohorts.

    Raises:
        VerificationError: a check fails; the message names it and counts.
        FileError: the system failed to read.

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
    try:
        content = system.mapped(file)
        read = read_released(content, claim.writing)
        check_number(read, claim)
        database = check_items(read, claim)
        sha256 = check_bytes(content, database, claim.writing)
    except OSError as error:
        raise FileError(f"reading the release failed: {error.strerror or type(error).__name__}") from None
    return _judged(database, claim, sha256, len(content))


def verify_database(database: Transactions, claim: CoherenceClaim) -> CoherenceVerdict:
    """What is true of a transaction database that is still in memory. There are no bytes to check.

    Raises:
        VerificationError: a check fails.
    """
    claim = replace(claim, writing=BasketOptions())
    check_number(database, claim)
    return _judged(check_items(database, claim), claim)


def _judged(database: Transactions, claim: CoherenceClaim, sha256: str = "", size: int = 0) -> CoherenceVerdict:
    """Every check of what the bytes say."""
    held = check_lineage(database, claim)
    cohorts = _check_coherence(database, claim)
    if held.disordered:
        what = f"{held.disordered:,} transactions stand after one that their content comes before"
        raise fault(CoherenceCheck.ORDER, what)
    n, cells, supports = len(database), database.cells.size, database.supports
    protected = ~_named(database, claim.public)
    share = gcd(cohorts.together, cohorts.support)
    checks = Counter(
        {
            CoherenceCheck.BYTES: size,
            CoherenceCheck.TRANSACTIONS: n,
            CoherenceCheck.ITEMS: len(database.names),
            CoherenceCheck.LINEAGE: cells + held.suppressed,
            CoherenceCheck.PRIVATE: int(supports[protected].sum()),
            CoherenceCheck.COHERENCE: cohorts.sets,
            CoherenceCheck.ORDER: n,
        }
    )
    return CoherenceVerdict(
        transactions=n,
        items=int(np.count_nonzero(supports)),
        cells=cells,
        cohorts=cohorts.sets,
        smallest=cohorts.smallest,
        confidence=(cohorts.together // share, cohorts.support // share),
        sha256=sha256,
        checks={check.value: number for check, number in checks.items() if number},
    )


def _check_coherence(database: Transactions, claim: CoherenceClaim) -> Cohorts:
    """No set of public items that occurs is a mole, not even the empty one."""
    model = claim.coherence
    public, private = _named(database, claim.public), _named(database, claim.private)
    cohorts = count_cohorts(database, public, private, p=model.p, least=model.k)
    if cohorts.sets and model.is_rare(cohorts.smallest):
        what = f"a set of public items is in only {cohorts.smallest:,} transactions, and k is {model.k:,}"
        raise fault(CoherenceCheck.COHERENCE, what)
    if model.is_breached(cohorts.support, cohorts.together):
        what = f"a private item is in {cohorts.together:,} of the {cohorts.support:,} transactions of a cohort"
        raise fault(CoherenceCheck.COHERENCE, f"{what}, and h is {model.h}")
    return cohorts


def _named(database: Transactions, names: frozenset[str]) -> Mask:
    """(m,) which items have these names."""
    return np.fromiter((name in names for name in database.names), np.bool_, len(database.names))


#: There may be no transactions, and names of any size that has a number.
_LIMITS: Final = ReadOptions(allow_empty=True, max_cell=(1 << 31) - 1)

#: What the fault of bytes that hold more than their cells is called.
_NOT_PLAIN: Final = (
    "the bytes are not the plain form of their transactions: other blanks or line ends, another order, notes"
)


def read_released(content: Content, options: BasketOptions) -> Transactions:
    """The transactions that the bytes hold.

    Raises:
        VerificationError: they cannot be read, or a transaction names an item twice.
    """
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


def check_bytes(content: Content, database: Transactions, options: BasketOptions) -> str:
    """The bytes say these transactions, items in this order, and nothing more; gives their digest."""
    again = _Again(content)
    try:
        write_transactions(database, cast("BinaryIO", again), options)
    except UsageError:  # nobody would write names like these in this form
        again.same = False
    if not (again.same and again.size == len(content)):
        raise fault(CoherenceCheck.BYTES, _NOT_PLAIN)
    return digest(content)


class _Again:
    """A file that keeps nothing of what is written to it but its size, and whether some content starts with it."""

    def __init__(self, content: Content) -> None:
        """Nothing is written yet."""
        self._content = memoryview(content)
        self.size = 0
        self.same = True

    def write(self, data: bytes | memoryview) -> int:
        """Compare the bytes."""
        piece = memoryview(data).cast("B")
        before, self.size = self.size, self.size + len(piece)
        self.same = self.same and np.array_equal(self._content[before : self.size], piece)
        return len(piece)
