"""The certificate of a transaction database. It counts items and names none: a rare one's name can tell of a person."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from kohort.certificate.form import Certified, certified, disks_of
from kohort.errors.calls import verb
from kohort.transactions.problem import CellSuppression

if TYPE_CHECKING:
    from kohort.transactions.release import TransactionJob, TransactionRelease
    from kohort.transactions.verify import CoherenceVerdict

#: What coherence does not promise, whatever its h, k and p.
NOT_PROMISED: Final = (
    "More knowledge: somebody who knows more than p public items of a person may find that person's transaction.",
    "Absence: somebody who also knows items that a person does not have may be left with fewer than k transactions.",
    "Private and unlisted items: only public ones are taken for known; anyone who knows another may learn the rest.",
    "Private items together: h limits each alone; that a person has one of several may be inferred with more than h.",
    "Knowledge of the world: h limits the share in this release; with other knowledge, more may be inferred.",
    "Several releases: each may be coherent by itself, but not all of them together, if they are of the same people.",
    "Several transactions of a person: unless they were merged, their items together may identify the person.",
    "Right roles: an item that the steward wrongly called private or unlisted is not taken for known by an attacker.",
)

#: What coherence does not promise besides where single cells are suppressed.
NOT_PROMISED_OF_CELLS: Final = (
    "Suppressed cells: an item missing from a transaction may have been there; the promise is about what is left.",
    "The original: a private item may be in more than the share h of the transactions that once had the same items.",
)


def not_promised(*, cells: bool, engine: str) -> tuple[str, ...]:
    """What does not follow, where whole items are suppressed or single `cells`, and an engine counted."""
    return NOT_PROMISED + (NOT_PROMISED_OF_CELLS if cells else ()) + disks_of(engine)


@dataclass(frozen=True, slots=True, kw_only=True)
class CoherenceCertificate(Certified):
    """What is certified of a transaction database.

    Attributes:
        model: The model's name with its numbers, met.
        h: The greatest share of a cohort that may have a private item, exact.
        k: The smallest number of transactions that a cohort may have.
        p: The greatest number of public items that the attacker is assumed to know.
        transactions: Transactions released: all of the input.
        items: Number of items that occur in them.
        cells: Number of cells in them.
        suppressed: What is suppressed: `items` everywhere, or single `cells`.
        cohorts: Sets of 0 to p public items that occur in the released bytes, recounted; none is a mole.
        smallest: Transactions of the smallest cohort.
        confidence: The greatest share of a cohort that has the same private item, rounded.
        confidence_exact: The same as a fraction in lowest terms.
        verified: How the file was compared with the input: `record by record`, or `by aggregation`.
        engine: The engine that counted the input for verification: `local`, or another engine and its version.
    """

    model: str
    h: str
    k: int
    p: int
    transactions: int
    items: int
    cells: int
    suppressed: str
    cohorts: int
    smallest: int
    confidence: float
    confidence_exact: str
    verified: str
    engine: str
    kind: str = "transactions"

    @property
    def promised(self) -> tuple[str, ...]:
        """The model with its numbers, met."""
        return (self.model,)

    @property
    def rows(self) -> int:
        """Transactions released."""
        return self.transactions

    @property
    def unit(self) -> str:
        """What these are."""
        return "transactions"

    def asked(self) -> TransactionJob:
        """The job, in which a name stands for all items that have a role.

        Raises:
            InputError: kohort would not accept it, or not describe it in these words.
        """
        return verb(CoherenceCertificate.asked)(self)


def certificate(release: TransactionRelease, verdict: CoherenceVerdict, name: str) -> bytes:
    """The certificate of the file called `name`, as it is written."""
    model = release.job.coherence
    cells = isinstance(release.solution.suppression, CellSuppression)
    together, support = verdict.confidence
    limits = not_promised(cells=cells, engine=verdict.engine)
    return CoherenceCertificate(
        **certified(name, release.job.described(), limits, sha256=verdict.sha256, checks=verdict.checks),
        model=model.name,
        h=str(model.h),
        k=model.k,
        p=model.p,
        transactions=verdict.transactions,
        items=verdict.items,
        cells=verdict.cells,
        suppressed="cells" if cells else "items",
        cohorts=verdict.cohorts,
        smallest=verdict.smallest,
        confidence=float(Fraction(together, support)),
        confidence_exact=f"{together}/{support}",
        verified=verdict.way,
        engine=verdict.engine,
    ).encode()
