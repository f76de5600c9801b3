"""The identifiers of HIPAA Safe Harbor that a table seems to hold, and what becomes of each in its release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from kohort.assessment.inspection.allowed import ALLOWED
from kohort.assessment.inspection.guesses import inspect_table
from kohort.assessment.inspection.safe_harbor import OLDEST
from kohort.report.evidence.techniques import Treatment, treatments
from kohort.report.figures import Figures
from kohort.schema.hierarchy import SUPPRESSED
from kohort.shown import Share

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.assessment.inspection.safe_harbor import Finding
    from kohort.release import Release
    from kohort.schema.vocabulary.kinds import Kind

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


class IdentifierFigures(Figures, frozen=True):
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


def identifiers(release: Release) -> tuple[IdentifierFigures, ...]:
    """What the input of a release seems to hold of the list, by letters, and what becomes of it."""
    guesses = inspect_table(release.source, missing=release.job.schema.missing)
    treated = treatments(release)
    found = [
        _figures(release, one, guess.name, treated[guess.name].treatment) for guess in guesses for one in guess.findings
    ]
    return tuple(sorted(found, key=lambda one: one.letter))


def _figures(release: Release, one: Finding, column: str, treatment: Treatment) -> IdentifierFigures:
    labels = _labels(release, column)
    kept = _kept(one.kind, labels, treatment)
    return IdentifierFigures(
        letter=one.letter,
        title=one.title,
        column=column,
        reasons=one.reasons,
        share=one.share,
        becomes=treatment,
        kept=kept,
        says=_SAYS[kept].get(one.kind, _OTHERWISE[kept]),
    )


def _labels(release: Release, column: str) -> list[str]:
    """The different cells of a released column; none of one that is not released."""
    if column not in release.table.names:
        return []
    return [text or "" for text in release.table[column].values.to_list()]


def _kept(kind: Kind, labels: Sequence[str], treatment: Treatment) -> Kept:
    """Whether released labels keep what the rule removes."""
    if {*labels} <= {"", SUPPRESSED}:
        return "nothing"
    if kind in ALLOWED:
        allowed: Kept = "to judge" if kind == "birthday" else "allowed"  # its year tells an age
        return allowed if ALLOWED[kind](labels) else "kept"
    return "kept" if treatment == "unchanged" and kind != "birth year" else "to judge"
