"""What every page begins with, what verification found, and how far what is promised covers what is released."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal

from kohort.certificate.table import Described, not_promised
from kohort.core.uniques import Exposed, Singling
from kohort.errors.display import Number
from kohort.release.fit import unjudged_sensitive
from kohort.report.figures import Figures
from kohort.report.page.audience import FEWEST, OnPage, Reader
from kohort.verify.verdict import LOCAL

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kohort.io.objects import Address
    from kohort.release import Job, Release
    from kohort.verify import Verdict


#: The version of the page model; it changes when a key does.
FORM: Final = 2


class Heading(Figures, frozen=True):
    """What every page begins with.

    Attributes:
        form: The version of the page model.
        kind: What was released.
        audience: Who reads the page.
        least: The fewest people of a published count; null where everything is shown.
        name: The release's file name, without a folder.
        kohort: The version of kohort.
        notes: What is not shown, and why; for the steward, what of the source looks wrong.
    """

    form: Literal[2]
    kind: str
    audience: Literal["internal", "public"]
    least: int | None
    name: str | None
    kohort: str
    notes: tuple[str, ...]


class CheckFigures(Figures, frozen=True):
    """A check of the verifier, and how much it compared; internal only, for that counts records."""

    check: str
    count: int | None


#: Whom columns released as they are single out together; `over`: more than one in `limit`, `most`: over half.
_SINGLING: Final = OnPage(Singling, share=Number | None, over=bool, most=bool)

#: People whose exact value a label gives away, and by which kind of label; `over`: more than one in `limit`.
_EXPOSED: Final = OnPage(Exposed, over=bool)


class TableVerdict(Figures, frozen=True):
    """What verification found, and what follows from it.

    Perturbed columns count as released as they are: their values tell one person from all others.

    Attributes:
        verified: Whether the release was read again and verified.
        sha256: The digest of its bytes.
        bytes: How many bytes.
        checks: The checks.
        data_dependent: Whether cuts or hierarchies come from the data.
        standing: Good: the columns released as they are single no one out, alone or together, no label exposes anyone
            (for the public: no label depends on the data), and each sensitive column has a model or an explicit none.
            Bad: such a column or pair singles out more than half of the people, or a sensitive column has neither.
            Caution: what lies between. Null where nothing was verified.
        singling: Each column released as it is, then pairs of them.
        together: All of these columns together; then the same with the labels of the class. Empty where there is none.
        exposed: Whose exact value a label gives away; internal only, as the input decides it.
        promised: What holds of the release.
        not_promised: What does not follow.
        limit: k, but at least 3.
        unjudged: Sensitive columns without a model that the job does not exempt.
        no_model: Sensitive columns that need none by decision of the job.
    """

    verified: bool
    sha256: str | None
    bytes: int | None
    checks: tuple[CheckFigures, ...]
    data_dependent: bool | None
    standing: Literal["good", "caution", "bad"] | None
    singling: tuple[Annotated[Figures, _SINGLING], ...]
    together: tuple[Annotated[Figures, _SINGLING], ...]
    exposed: Annotated[Figures, _EXPOSED] | None
    promised: tuple[str, ...]
    not_promised: tuple[str, ...]
    limit: int
    unjudged: tuple[str, ...]
    no_model: tuple[str, ...]


class CertificateFigures(Figures, frozen=True):
    """What ties the page to the published bytes; `signed_by` is null where nobody signed the certificate."""

    name: str
    release: str
    sha256: str
    signed_by: str | None = None


def verdict(release: Release, reader: Reader) -> TableVerdict:
    """The verdict; of the public only the names of the checks, for what they compared counts records."""
    found, job = release.verdict, release.job
    engine = LOCAL if found is None else found.engine
    dependent = found is None or found.data_dependent
    unpromised = not_promised(Described.of(job), data_dependent=dependent, engine=engine)
    return TableVerdict(
        verified=found is not None,
        sha256=(found.sha256 or None) if found else None,
        bytes=None if found is None else found.checks.get("bytes"),
        checks=() if found is None else checks(found.checks, reader),
        data_dependent=None if found is None else found.data_dependent,
        standing=None if found is None else _standing(release, found, reader),
        singling=() if found is None else tuple(_singling(one, release, reader) for one in found.singling),
        together=() if found is None else tuple(_singling(one, release, reader) for one in found.together),
        exposed=_exposed(found, release) if found is not None and reader.knows_all else None,
        promised=tuple(f"Every equivalence class satisfies {model.name}." for model in job.models),
        not_promised=tuple(unpromised),
        limit=_limit(job),
        unjudged=tuple(unjudged_sensitive(job)),
        no_model=tuple(job.no_model),
    )


def checks(found: Mapping[str, int], reader: Reader) -> tuple[CheckFigures, ...]:
    """The checks; for the public without what they counted."""
    return tuple(CheckFigures(check=name, count=count if reader.knows_all else None) for name, count in found.items())


def _limit(job: Job) -> int:
    """One in so many people may be singled out."""
    return max(job.k, FEWEST)


def _standing(release: Release, found: Verdict, reader: Reader) -> Literal["good", "caution", "bad"]:
    """How far what is promised covers what is released; whom labels expose only the input shows."""
    if unjudged_sensitive(release.job) or any(one.most for one in found.singling):
        return "bad"
    exposes = found.exposed.people if reader.knows_all else found.data_dependent
    # Of `together` only the first set counts: with the labels of the class, any value may be somebody's alone.
    return "caution" if exposes or any(one.unique for one in (*found.singling, *found.together[:1])) else "good"


def _over(one: Singling, job: Job) -> bool:
    return one.unique * _limit(job) > one.people


def _people(found: Verdict) -> int:
    """How many people the release is of; records, without a person key."""
    return found.records if found.people is None else found.people


def _singling(one: Singling, release: Release, reader: Reader) -> Figures:
    return _SINGLING.of(
        one,
        reader,
        one.people,
        people=reader.exactly(one.people, release.records.data.records),
        share=reader.part(one.unique, one.people),
        over=_over(one, release.job),
        most=one.most,
    )


def _exposed(found: Verdict, release: Release) -> Figures:
    people = Singling((), found.exposed.people, _people(found))
    return _EXPOSED.of(found.exposed, Reader(), over=_over(people, release.job))


def certificate(
    path: Path | Address | None, certificate: Path | Address | None, sha256: str | None, signed_by: str | None
) -> CertificateFigures | None:
    """What ties the page to the published bytes; null while nothing is published."""
    if certificate is None or sha256 is None or path is None:
        return None
    return CertificateFigures(name=certificate.name, release=path.name, sha256=sha256, signed_by=signed_by)
