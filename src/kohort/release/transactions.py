"""A job on a transaction database, and the release that came of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from kohort.errors import UsageError
from kohort.io.baskets.options import BasketOptions, Form
from kohort.release import plain
from kohort.transactions.problem import MOST
from kohort.transactions.suppression import Greedy

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kohort.arrays import Index, Items
    from kohort.transactions.coherence import Coherence
    from kohort.transactions.database import Transactions
    from kohort.transactions.problem import Remedy, SuppressionAlgorithm
    from kohort.transactions.roles import RoleChoice, Roles
    from kohort.verify.transactions import CoherenceVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class BasketWriting:
    """How a released transaction database is written.

    Attributes:
        form: The form; `None`: the one it was read in.
        separator: Between items or cells; `None`: the one it was read with.
    """

    form: Form | None = None
    separator: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionJob:
    """Everything that decides a release but the transactions: equal jobs over equal transactions give equal bytes.

    Attributes:
        coherence: The promise.
        roles: Which items are public, which private.
        algorithm: How the suppression is found.
        min_support: Items in a smaller share of the transactions are removed first, public and private alike; 0: none.
        weights: Item names and how much a cell of each counts in the loss; 1 where not said.
        reading: How the input is read.
        writing: How the release is written.
        most: The sets of items that may be held in memory at once.
    """

    coherence: Coherence
    roles: RoleChoice
    algorithm: SuppressionAlgorithm = field(default_factory=Greedy)
    min_support: Fraction = Fraction(0)
    weights: tuple[tuple[str, Fraction], ...] = ()
    reading: BasketOptions = field(default_factory=BasketOptions)
    writing: BasketWriting = field(default_factory=BasketWriting)
    most: int = MOST

    def __post_init__(self) -> None:
        """Refuse what is no share, no weight and no limit."""
        if not 0 <= self.min_support < 1:
            raise UsageError(
                "a minimum support is a share, from 0 to below 1", where="min-support", hint="such as 0.001"
            )
        if any(weight <= 0 for _, weight in self.weights):
            raise UsageError("a weight must be above 0", where="weight")
        if self.most < 1:
            raise UsageError("the limit of sets must be at least 1", where="most")

    def described(self) -> str:
        """The job as canonical JSON: sorted keys; what the certificate keeps."""
        return json.dumps(plain(self), sort_keys=True, ensure_ascii=False)


@dataclass(frozen=True, slots=True, eq=False)
class TransactionRelease:
    """A release of a transaction database and what it cost.

    Attributes:
        job: What was asked.
        source: The database as read.
        database: The database that was searched: the source less the items below the minimum support.
        roles: The roles of the searched database's items.
        remedy: What is suppressed, and how that came about.
        released: The transactions in the order of their own content, with the items that are left.
        lineage: (n,) the source's transaction that each released one was; never published.
        dropped: (d,) items of `database` that no released transaction has, in the order in which they were dropped.
        distortion: The share of the (weighted) cells of `database` that the release lacks, exact.
        repeated: Cells of the input that named an item its transaction already had.
        seconds: Wall time of each stage.
        verdict: What verification found on the bytes.
        path: Where the release was published; `None` while it is only in memory.
        certificate: Where its certificate is; `None` likewise.
    """

    job: TransactionJob
    source: Transactions
    database: Transactions
    roles: Roles
    remedy: Remedy
    released: Transactions
    lineage: Index
    dropped: Items
    distortion: Fraction
    repeated: int
    seconds: Mapping[str, float]
    verdict: CoherenceVerdict | None = None
    path: Path | None = None
    certificate: Path | None = None
