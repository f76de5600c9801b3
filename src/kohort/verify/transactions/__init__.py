"""Judge a released transaction database from its published bytes alone, by counting anew.

As with tables, nothing here comes from the search: the file is read again, every transaction is held against the one it
claims to have been, and all cohorts are counted by an algorithm of their own. Only the definition of coherence is
shared. What is checked is listed in `CoherenceCheck`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import gcd
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from kohort.errors import FileError
from kohort.io.baskets.options import BasketOptions
from kohort.verify.reading import content_of
from kohort.verify.transactions.cohorts import count_cohorts
from kohort.verify.transactions.lineage import check_items, check_lineage, check_number
from kohort.verify.transactions.reading import check_bytes, read_released
from kohort.verify.transactions.verdict import CoherenceCheck, CoherenceClaim, CoherenceVerdict
from kohort.verify.verdict import fault

if TYPE_CHECKING:
    from kohort.arrays import Mask
    from kohort.transactions.database import Transactions
    from kohort.verify.transactions.cohorts import Cohorts

__all__ = ["CoherenceCheck", "CoherenceClaim", "CoherenceVerdict", "verify_database", "verify_transactions"]


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
        content = content_of(file)
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
