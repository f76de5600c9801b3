"""The dossier of a release in the words of regulators: what was tried, what was found, and what is not shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from kohort.assessment.risk.attacks import Outcome
from kohort.report.attacks import attacked
from kohort.report.evidence.context import CONTEXT, Question
from kohort.report.evidence.criteria import CRITERIA
from kohort.report.evidence.identifiers import IdentifierFigures, identifiers
from kohort.report.evidence.techniques import TechniqueFigures, techniques
from kohort.report.evidence.transactions import TransactionDossier, transaction_dossier_of
from kohort.report.figures import Figures
from kohort.report.page.audience import Reader
from kohort.report.page.risks import RisksFigures, risks, risks_of
from kohort.report.page.verdict import TableVerdict, verdict

if TYPE_CHECKING:
    from kohort.release import Release

__all__ = ["Dossier", "TransactionDossier", "dossier_of", "transaction_dossier_of"]


# ── the dossier of a release ─────────────────────────────────────────────────────────────────────

#: What no dossier shows.
NOT_SHOWN: Final = tuple(
    """\
That the release is anonymous in the sense of a law, or meets HIPAA, ISO/IEC 20889 or ISO/IEC 27559: people decide that.
Attackers who know more than the quasi-identifiers of the job, or other releases of the same people.
Identifiers that neither a column's name nor the form of its values gives away, and what free text or pictures hold.
Whether a place is smaller than a state, or five digits are a ZIP code; areas of few people are of the census of 2000.
What Safe Harbor asks beside its list: no actual knowledge of how to identify someone by what remains.
""".splitlines()
)


class Dossier(Figures, frozen=True):
    """The evidence about a release for those who must judge it; for its steward, since it is also made from the input.

    Attributes:
        audience: Its readers.
        criteria: The results of attacks, by the criteria of the Article 29 Working Party; see `criteria.CRITERIA`.
        identifiers: The identifiers of HIPAA Safe Harbor that the input seems to contain, and what happens to each.
        techniques: The techniques applied, in the terms of ISO/IEC 20889.
        context: The questions of ISO/IEC 27559, and how far kohort answers them.
        verdict: The result of verification.
        risks: The risks of the input and of the release.
        not_shown: What none of it shows.
    """

    audience: Literal["internal"]
    criteria: dict[str, tuple[Outcome, ...]]
    identifiers: tuple[IdentifierFigures, ...]
    techniques: tuple[TechniqueFigures, ...]
    context: tuple[Question, ...]
    verdict: TableVerdict
    risks: RisksFigures
    not_shown: tuple[str, ...]


def dossier_of(release: Release) -> Dossier:
    """The dossier of a release; attacks are tried for it.

    >>> import kohort, polars as pl
    >>> people = pl.DataFrame({"zip": ["02139", "02138", "02141"] * 4, "birthday": ["1984-03-01"] * 12})
    >>> release = kohort.anonymize(people, quasi=["zip"], hierarchy={"zip": "mask:right"}, drop=["birthday"], k=12)
    >>> [(one.letter, one.becomes, one.kept) for one in dossier_of(release).identifiers]
    [('B', 'generalized', 'allowed'), ('C', 'removed', 'nothing')]
    """
    found = attacked(release)
    return Dossier(
        audience="internal",
        criteria={one.name: tuple(each for each in found if each.attack in one.attacks) for one in CRITERIA},
        identifiers=identifiers(release),
        techniques=techniques(release),
        context=CONTEXT,
        verdict=verdict(release, Reader()),
        risks=risks(risks_of(release), Reader()),
        not_shown=NOT_SHOWN,
    )
