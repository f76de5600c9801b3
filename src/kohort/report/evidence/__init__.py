"""The dossier of a released table in the words of regulators: what was tried, what was found, and what is not shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from kohort.assessment.inspection.allowed import ALLOWED
from kohort.assessment.inspection.guesses import inspect_table
from kohort.assessment.inspection.safe_harbor import OLDEST
from kohort.assessment.risk.attacks import Outcome
from kohort.errors.display import Share  # noqa: TC001  pydantic reads what fields are
from kohort.report.evidence.criteria import CONTEXT, CRITERIA, ContextPart
from kohort.report.figures import Figures
from kohort.report.page.audience import Reader
from kohort.report.page.risks import RisksFigures, risks, risks_of
from kohort.report.page.verdict import TableVerdict, verdict
from kohort.report.release import attacked
from kohort.schema import Role
from kohort.schema.hierarchy import SUPPRESSED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kohort.assessment.inspection.safe_harbor import Finding
    from kohort.release import Release
    from kohort.schema.vocabulary.kinds import Kind

# ── techniques, by the names that ISO/IEC 20889 gives to them ────────────────────────────────────

#: What a release has in the place of a column's values.
Treatment: TypeAlias = Literal["removed", "pseudonyms", "generalized", "perturbed", "unchanged"]


#: What the standard calls a privacy model.
MODEL: Final = "formal privacy measurement model"


@dataclass(frozen=True, slots=True)
class Technique:
    """A technique, and what it is used on.

    Attributes:
        technique: As ISO/IEC 20889 calls it; empty of columns that are released unchanged.
        columns: The columns; empty of a technique for whole records, and of a privacy model.
        says: What it does here.
    """

    technique: str
    columns: tuple[str, ...]
    says: str


_DONE: Final[Mapping[Treatment, str]] = {
    "removed": "the columns are left out",
    "pseudonyms": "a keyed hash stands in their place; who has the key can make it again",
    "generalized": "values are put together until the records of a class look the same",
    "perturbed": "values are changed",
    "unchanged": "values are released as they are",
}


def treatments(release: Release) -> dict[str, tuple[Treatment, str]]:
    """What the release has in place of each column of the input, and the technique; "" where nothing is done."""
    job = release.job
    perturbed = {name: one.specification.technique for one in job.perturbations for name in one.columns}
    generalization = "generalization" if release.levels else "generalization: local generalization"
    found: dict[str, tuple[Treatment, str]] = {}
    for one in job.schema.attributes:
        if one.pseudonym:
            found[one.name] = "pseudonyms", "pseudonymization"
        elif not one.released:
            found[one.name] = "removed", "suppression: masking"
        elif one.name in perturbed:
            found[one.name] = "perturbed", perturbed[one.name]
        elif one.role is Role.QUASI:
            found[one.name] = "generalized", generalization
        else:
            found[one.name] = "unchanged", ""
    return found


def techniques(release: Release) -> tuple[Technique, ...]:
    """The techniques that are used, of columns, of cells and records, and the privacy models."""
    by_name: dict[tuple[Treatment, str], list[str]] = {}
    for column, one in treatments(release).items():
        by_name.setdefault(one, []).append(column)
    columns = (Technique(name, tuple(names), _DONE[treatment]) for (treatment, name), names in by_name.items())
    return (*columns, *_of_records(release))


def _of_records(release: Release) -> Iterator[Technique]:
    table, schema = release.table, release.job.schema
    starred = [one.name for one in schema.quasi if SUPPRESSED in {*table[one.name].values.to_list()}]
    if starred:
        yield Technique("suppression: local suppression", tuple(starred), f'cells become "{SUPPRESSED}"')
    if release.suppressed or release.incomplete:
        says = f"{release.suppressed + release.incomplete:,} records are left out"
        yield Technique("suppression: record suppression", (), says)
    for model in release.job.models:
        yield Technique(MODEL, (), f"every class satisfies {model.name}")


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


def dossier_of(release: Release, *, on_progress: Callable[[str], None] = lambda _: None) -> Dossier:
    """The dossier of a release; attacks are tried for it, and `on_progress` hears of each.

    >>> import kohort, polars as pl
    >>> people = pl.DataFrame({"zip": ["02139", "02138", "02141"] * 4, "birthday": ["1984-03-01"] * 12})
    >>> release = kohort.anonymize(people, quasi=["zip"], hierarchy={"zip": "mask:right"}, drop=["birthday"], k=12)
    >>> [(one.letter, one.becomes, one.kept) for one in dossier_of(release).identifiers]
    [('B', 'generalized', 'allowed'), ('C', 'removed', 'nothing')]
    """
    found = attacked(release, on_progress=on_progress)
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
