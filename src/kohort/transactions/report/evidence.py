"""The dossier of released transactions: attacks by criterion, identifiers among items, techniques, context."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Final, Literal

from kohort.assessment.inspection.safe_harbor import found_among
from kohort.errors.display import ToldAs, many, rounded
from kohort.report.evidence import MODEL, Technique
from kohort.report.evidence.criteria import CONTEXT, ContextPart, Criterion
from kohort.report.figures import Figures
from kohort.report.page.audience import Reader
from kohort.transactions.pipeline import claim_of
from kohort.transactions.problem import CellSuppression
from kohort.transactions.report.page import TransactionVerdict, verdict
from kohort.transactions.risk import Tried, cohort_attacks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kohort.transactions.release import TransactionRelease

#: The criteria, which share out all attacks of `kohort.transactions.risk`.
CRITERIA: Final = (
    Criterion(
        "Singling out",
        "Can someone who knows some items of a person isolate that person's transaction?",
        {"singling out": "claims a transaction where only one has all known items"},
    ),
    Criterion(
        "Linkability",
        "Can someone who knows some items of a person find the person's transaction?",
        {"linking": "looks up the transactions that have all known items, and picks one of them"},
    ),
    Criterion(
        "Inference",
        "Can someone who knows some items of a person learn that the person has a private item?",
        {"inference": "claims the private item that most of these transactions have"},
    ),
)

#: What no dossier of transactions shows.
NOT_SHOWN: Final = tuple(
    """\
That the release is anonymous in the sense of a law, or meets HIPAA, ISO/IEC 20889 or ISO/IEC 27559: people decide that.
Attackers who know private items, items that are neither public nor private, or items that a person does not have.
Other releases of the same people.
Identifiers that the form of an item does not give away: names of people and places, plain numbers, words of a text.
What Safe Harbor asks beside its list: no actual knowledge of how to identify someone by what remains.
""".splitlines()
)


#: What is said of transactions in place of three of them, by how their parts begin.
_OF_TRANSACTIONS: Final = {
    "Threats": {"covered": "Attackers who know some or all public items of a person were tried, each beside controls."},
    "Data": {
        "covered": "Items are public, private or neither, as the job says; what seems to identify people is listed.",
        "missing": "Whether the roles are right, and which other sources tell what a person has.",
    },
    "Identifiability": {"covered": "Cohorts, inferences and what attacks found are measured; techniques are listed."},
}

#: The parts, as a dossier of transactions answers them.
TRANSACTION_CONTEXT: Final = tuple(
    replace(one, **_OF_TRANSACTIONS.get(one.part.partition(":")[0], {})) for one in CONTEXT
)


def _attack(one: Tried) -> dict[str, object]:
    """An attack as it is written: beside its rate those of the two controls."""
    found = one.attack
    return {
        "attack": found.attack,
        "known": one.known,
        "targets": found.targets,
        "claims": found.claims,
        "rate": rounded(found.rate),
        "interval": tuple(map(rounded, found.interval)),
        "baseline": rounded(found.baseline),
        "positive": rounded(one.positive.rate),
        "negative": rounded(one.negative.rate),
    }


@dataclass(frozen=True, slots=True)
class ItemIdentifier:
    """An identifier of HIPAA Safe Harbor that items of the input seem to hold; no item is named.

    Attributes:
        letter: Its place in the list of the rule.
        title: What it is.
        reason: Which form the items have, or mention.
        holding: How many items of the input do.
        released: How many of them the release has.
    """

    letter: str
    title: str
    reason: str
    holding: int
    released: int


class TransactionDossier(Figures, frozen=True):
    """What can be said of released transactions to those who must judge them; for the steward.

    Attributes:
        audience: Whom it is for.
        p: Attackers who know at most so many public items are those whom the model is about.
        criteria: What attacks found, by the criteria of the Article 29 Working Party.
        identifiers: The identifiers of HIPAA Safe Harbor that items of the input seem to hold.
        techniques: What was done, in the terms of ISO/IEC 20889.
        context: What ISO/IEC 27559 asks about, and how far it is answered here.
        verdict: What verification found.
        not_shown: What none of it shows.
    """

    audience: Literal["internal"]
    p: int
    criteria: dict[str, tuple[Annotated[Tried, ToldAs(_attack)], ...]]
    identifiers: tuple[ItemIdentifier, ...]
    techniques: tuple[Technique, ...]
    context: tuple[ContextPart, ...]
    verdict: TransactionVerdict
    not_shown: tuple[str, ...]


def transaction_dossier_of(
    release: TransactionRelease, *, on_progress: Callable[[str], None] = lambda _: None
) -> TransactionDossier:
    """The dossier of released transactions; attacks are tried for it, and `on_progress` hears of each round.

    >>> from kohort import Coherence, Listed, TransactionJob, Transactions, anonymize_transactions
    >>> shop = [["tea", "mail ada@example.org"], ["tea", "jam"], ["tea", "jam", "pill"], ["jam", "tea"]] * 3
    >>> job = TransactionJob(coherence=Coherence.of(h=0.5, k=4, p=1), roles=Listed(private=("pill",)))
    >>> dossier = transaction_dossier_of(anonymize_transactions(Transactions.of(shop), job))
    >>> [(one.letter, one.holding, one.released) for one in dossier.identifiers]
    [('F', 1, 0)]
    >>> [one.technique for one in dossier.techniques]
    ['suppression: masking', 'formal privacy measurement model']
    """
    here, claim, p = release.here(), claim_of(release), release.job.coherence.p
    roles = claim.public, claim.private
    found = cohort_attacks(here.source, here.released, release.lineage, *roles, p, on_progress=on_progress)
    return TransactionDossier(
        audience="internal",
        p=p,
        criteria={one.name: tuple(each for each in found if each.attack.attack in one.attacks) for one in CRITERIA},
        identifiers=_identifiers(release),
        techniques=tuple(_techniques(release)),
        context=TRANSACTION_CONTEXT,
        verdict=verdict(release, Reader()),
        not_shown=NOT_SHOWN,
    )


def _identifiers(release: TransactionRelease) -> tuple[ItemIdentifier, ...]:
    here = release.here()
    left = {name for name, support in zip(here.released.names, here.released.supports.tolist(), strict=True) if support}
    return tuple(
        ItemIdentifier(one.letter, one.title, one.plural, len(one.texts), len({*one.texts} & left))
        for one in found_among(here.source.names)
    )


def _techniques(release: TransactionRelease) -> Iterator[Technique]:
    rare, dropped = len(release.source.names) - len(release.database.names), release.dropped.size
    if rare + dropped:
        says = f"{many(rare + dropped, 'item is', 'items are')} left out of every transaction"
        yield Technique("suppression: masking", (), says)
    if isinstance(release.solution.suppression, CellSuppression):
        says = "items are left out of some transactions and stay in others"
        yield Technique("suppression: local suppression", (), says)
    says = f"every set of public items that an attacker may know satisfies {release.job.coherence.name}"
    yield Technique(MODEL, (), says)
