"""What a released transaction database claims, and what is said when every check holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from kohort.io.baskets.options import BasketOptions, Form
from kohort.shown import Shown
from kohort.verify.verdict import BY_RECORD, LOCAL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.arrays import Index
    from kohort.shown import Rows
    from kohort.transactions.coherence import Coherence
    from kohort.transactions.database import Database


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
    """What a release says of itself, for the verifier to doubt.

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
class CoherenceVerdict(Shown):
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
