"""The dossier of a released table in the words of regulators: what was tried, what was found, and what is not shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from kohort.assessment.inspection.allowed import ALLOWED
from kohort.assessment.inspection.guesses import inspect_table
from kohort.assessment.inspection.safe_harbor import OLDEST
from kohort.assessment.risk.attacks import Outcome
from kohort.report.evidence.criteria import CONTEXT, CRITERIA, ContextPart
from kohort.report.evidence.techniques import Technique, Treatment, techniques, treatments
from kohort.report.figures import Figures
from kohort.report.page.audience import Reader
from kohort.report.page.risks import RisksFigures, risks, risks_of
from kohort.report.page.verdict import TableVerdict, verdict
from kohort.report.release import attacked
from kohort.schema.hierarchy import SUPPRESSED
from kohort.shown import Share  # noqa: TC001  pydantic reads what fields are

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.assessment.inspection.safe_harbor import Finding
    from kohort.release import Release
    from kohort.schema.vocabulary.kinds import Kind

# ── identifiers of HIPAA Safe Harbor ─────────────────────────────────────────────────────────────

#: Whether the release keeps what the rule removes: nothing of it, what the rule lets stay, that a person must judge,
#: or that it does.
Kept: TypeAlias = Literal["nothing", "allowed", "to judge", "kept"]


_FINE: Final = "tells more than the year"
_COARSE: Final = "tells years at most"

#: What follows from that, by the kind of what a column holds …
_SAYS: Final[Mapping[Kept, Mapping[Kind, str]]] = {
    "nothing": {},
    "allowed": {
        "date": _COARSE,
        "month": _COARSE,
        "age": f"tells of ages over {OLDEST} in one category at most",
        "postal code": "shows three digits at most, none of an area of 20,000 people or fewer by the census of 2000",
    },
    "to judge": {
        "area": "may name areas smaller than a state: a person must judge that",
        "birthday": f"{_COARSE}: a person must judge whether one tells an age over {OLDEST}",
        "birth year": f"tells years of birth, and so ages: a person must judge whether any is over {OLDEST}",
    },
    "kept": {
        "date": _FINE,
        "birthday": _FINE,
        "month": _FINE,
        "age": f"tells of ages over {OLDEST} in more than one category",
        "postal code": "shows more than three digits, or an area of 20,000 people or fewer by the census of 2000",
    },
}

#: … and else.
_OTHERWISE: Final[Mapping[Kept, str]] = {
    "nothing": "is not in the release",
    "allowed": "",
    "to judge": "may still identify someone: a person must judge that",
    "kept": "is in the release",
}


@dataclass(frozen=True, slots=True)
class Identifier:
    """One identifier in one column of the input.

    Attributes:
        letter: Its place in the list of the rule.
        title: What it is.
        column: The column.
        reasons: Why it seems to hold it.
        share: Share of the different values that have the form, where a form was found.
        becomes: What the release has in its place.
        kept: Whether that is what the rule removes.
        says: The same as a sentence.
    """

    letter: str
    title: str
    column: str
    reasons: tuple[str, ...]
    share: Share | None
    becomes: Treatment
    kept: Kept
    says: str


def identifiers(release: Release) -> tuple[Identifier, ...]:
    """What the input of a release seems to hold of the list, by letters, and what becomes of it."""
    guesses = inspect_table(release.source, missing=release.job.schema.missing)
    treated = treatments(release)
    found = [_figures(release, one, guess.name, treated[guess.name][0]) for guess in guesses for one in guess.findings]
    return tuple(sorted(found, key=lambda one: one.letter))


def _figures(release: Release, one: Finding, column: str, treatment: Treatment) -> Identifier:
    labels = _labels(release, column)
    kept = _kept(one.kind, labels, treatment)
    says = _SAYS[kept].get(one.kind, _OTHERWISE[kept])
    return Identifier(one.letter, one.title, column, one.reasons, one.share, treatment, kept, says)


def _labels(release: Release, column: str) -> list[str]:
    """The different cells of a released column; none of one that is not released."""
    if column not in release.table.names:
        return []
    return [text or "" for text in release.table[column].values.to_list()]


def _kept(kind: Kind, labels: Sequence[str], treatment: Treatment) -> Kept:
    if {*labels} <= {"", SUPPRESSED}:
        return "nothing"
    if kind in ALLOWED:
        allowed: Kept = "to judge" if kind == "birthday" else "allowed"  # its year tells an age
        return allowed if ALLOWED[kind](labels) else "kept"
    return "kept" if treatment == "unchanged" and kind != "birth year" else "to judge"


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
    identifiers: tuple[Identifier, ...]
    techniques: tuple[Technique, ...]
    context: tuple[ContextPart, ...]
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
