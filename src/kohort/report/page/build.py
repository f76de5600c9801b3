"""The page of a release for an audience, built from the release or read back from a file.

What does not apply is null. What the public may not know is null too, or is left out of its list; `notes` tells why,
and `kohort.report.page.audience` which.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, Protocol, cast

from pydantic import JsonValue, ValidationError

from kohort.assessment.comparison import Association, comparison_of, lines_of
from kohort.assessment.comparison.grids import GridComparison
from kohort.errors import FileError, InputError, UsageError
from kohort.errors.display import Number
from kohort.release.job import Purpose
from kohort.release.members import members_of
from kohort.report.figures import HUGEST, PAGES, BoundFigures, Figures
from kohort.report.page.attributes import (
    LINKED,
    PageAttribute,
    PageEffect,
    attributes,
    perturbed,
    pseudonyms,
    released_attributes,
)
from kohort.report.page.audience import Audience, Reader, least_of
from kohort.report.page.request import RequestedTable, parameters, request
from kohort.report.page.result import (
    ClassSizeBand,
    LossFigures,
    MetricFigures,
    TableResult,
    counts_input,
    losses,
    metrics,
    result,
    sizes,
)
from kohort.report.page.risks import PageAttack, Risks, RisksFigures, attack_risks, risks, risks_of
from kohort.report.page.subgroups import SampleRecord, SubgroupFigures, samples, subgroups
from kohort.report.page.verdict import FORM, CertificateFigures, Heading, TableVerdict, certificate, verdict
from kohort.report.release import source_notes
from kohort.schema.hierarchies.tree import parse_json
from kohort.system.version import VERSION

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from kohort.assessment.risk.attacks import Outcome
    from kohort.io.objects import Address
    from kohort.release import Release
    from kohort.release.homogeneity import Homogeneity
    from kohort.report import Json


class TablePage(Heading, frozen=True):
    """The page of a table; only the steward's has what follows `certificate`.

    Attributes:
        attributes: Each released column that names nobody; null of a table without records.
        associations: Pairs of columns before and after; internal only, for of rare values they count.
        samples: Three records before and after; internal only.
        attacks: What attacks found; null where none was tried.
        parameters: The job's description, as its certificate has it.
        certificate: What ties the page to the published bytes; null while nothing is published.
        seconds: Wall time of each stage.
        public: The page of the same release for the public.
        grid: The release with grids and without; only where that was compared.
        bound: What no release can lose less than; only where that was asked for. Null: nothing was released.
        changes: What single changes of the job would give, in lines; only of the demo.
    """

    kind: Literal["table"]
    asked: RequestedTable
    done: TableResult
    verdict: TableVerdict
    sizes: tuple[ClassSizeBand, ...]
    metrics: tuple[MetricFigures, ...]
    losses: tuple[LossFigures, ...]
    attributes: tuple[PageAttribute, ...] | None
    associations: tuple[Association, ...]
    subgroups: SubgroupFigures | None
    risks: RisksFigures
    samples: tuple[SampleRecord, ...] | None
    attacks: tuple[PageAttack, ...] | None
    perturbed: tuple[PageEffect, ...]
    pseudonyms: tuple[Annotated[Figures, LINKED], ...]
    parameters: dict[str, JsonValue]
    purpose: Purpose
    certificate: CertificateFigures | None
    seconds: dict[str, Number] | None = None
    public: TablePage | None = None
    grid: GridComparison | None = None
    bound: BoundFigures | None = None
    changes: tuple[str, ...] = ()


class Page(Protocol):
    """The page model of a release of any kind, a `Heading` with these."""

    @property
    def kind(self) -> str:
        """What was released."""
        ...

    @property
    def audience(self) -> str:
        """Who reads the page."""
        ...

    @property
    def seconds(self) -> Mapping[str, Number] | None:
        """Wall time of each stage; only on a page for the steward."""
        ...

    @property
    def public(self) -> Page | None:
        """The page of the same release for the public; only on a page for the steward."""
        ...

    def as_json(self) -> dict[str, Json]:
        """The page as JSON."""
        ...


#: Sensitive columns of more values than these make no subgroups.
FEW_VALUES: Final = 50


def page(release: Release, *, audience: Audience, attacks: Sequence[Outcome] | None = None) -> TablePage:
    """The page of a release for an audience; with what attacks on the release found, if they were tried.

    The same release and audience give the same page but for `seconds`, which only the steward sees.
    """
    least, schema = least_of(release.job.models), release.job.schema
    anybody = Reader(least, counts_input=counts_input(release, least), one_each=schema.person is None)
    some = release.table.records > 0
    homogeneity, members = release.homogeneity if some else {}, members_of(release) if some else {}
    measured = risks_of(release), homogeneity, members
    public = _table(release, measured, attacks, anybody)
    if audience is Audience.PUBLIC:
        return public
    internal = _table(release, measured, attacks, Reader())
    return internal.model_copy(update={"seconds": rounded_seconds(release.seconds), "public": public})


def _table(
    release: Release,
    measured: tuple[Risks, Mapping[str, Homogeneity], Mapping[str, float]],
    attacks: Sequence[Outcome] | None,
    reader: Reader,
) -> TablePage:
    found, homogeneity, members = measured
    columns, associations, lost = _compared(release, homogeneity, reader)
    return TablePage(
        **dict(heading("table", release.path, reader, source_notes(release) if reader.knows_all else ())),
        asked=request(release.job),
        done=result(release, reader),
        verdict=verdict(release, reader),
        sizes=sizes(release, reader),
        metrics=metrics(release, reader),
        losses=losses(release, members, reader),
        attributes=columns,
        associations=associations,
        subgroups=lost,
        risks=risks(found, reader),
        samples=samples(release, reader),
        attacks=attack_risks(attacks, reader),
        perturbed=perturbed(release, reader),
        pseudonyms=pseudonyms(release, reader),
        parameters=parameters(release.job, reader),
        purpose=release.job.purpose or Purpose(),
        certificate=_certificate(release),
    )


def _certificate(release: Release) -> CertificateFigures | None:
    sha256 = None if release.verdict is None else release.verdict.sha256
    return certificate(release.path, release.certificate, sha256, release.signed_by)


def rounded_seconds(seconds: Mapping[str, float]) -> dict[str, Number]:
    """Wall time of each stage, as a page shows it."""
    return {stage: round(one, 4) for stage, one in seconds.items()}


def heading(kind: str, path: Path | Address | None, reader: Reader, noticed: tuple[str, ...] = ()) -> Heading:
    """What the page of a release at `path` begins with; `noticed`: what of the source looks wrong."""
    return Heading(
        form=FORM,
        kind=kind,
        audience=reader.audience.value,
        least=reader.least or None,
        name=None if path is None else path.name,
        kohort=VERSION,
        notes=(*_notes(reader), *noticed),
    )


def _compared(
    release: Release, homogeneity: Mapping[str, Homogeneity], reader: Reader
) -> tuple[tuple[Figures, ...] | None, tuple[Association, ...], SubgroupFigures | None]:
    """The columns and pairs of them before and after, and whose records lost most; for the public the release alone."""
    source, table, schema = release.source, release.table, release.job.schema
    if not table.records:
        return None, (), None
    if not reader.knows_all:
        return released_attributes(release, homogeneity, reader), (), None
    lines = {line.name: line for line in lines_of(source, table, schema=schema)}
    compared = comparison_of(source, table, [*lines.values()])
    few = [lines[one.name] for one in schema.sensitive if lines[one.name].before.values <= FEW_VALUES]
    lost = subgroups(release, [*(lines[one.name] for one in schema.quasi), *few], least_of(release.job.models))
    return attributes(compared.attributes, homogeneity), compared.associations, lost


def _notes(reader: Reader) -> tuple[str, ...]:
    if reader.knows_all:
        return ()
    least = reader.least
    notes = (
        f"This page contains no value of a record and no count of fewer than {least} people.",
        f"Counts of parts are rounded down to multiples of {least}; shares and means to steps of {least} people.",
        "It shows the release, its certificate, the job and the number of input records.",
        "It shows nothing else about the input.",
    )
    if reader.counts_input:
        return notes
    return (
        *notes,
        f"Fewer than {least} people were suppressed: neither their number nor figures that reveal it are shown.",
    )


#: Bytes of the largest file that is read: figures are few.
LARGEST: Final = 1 << 26

_HINT: Final = "figures are what --report FILE.json writes; ask this version of kohort for them again"


def read_page(path: str | os.PathLike[str]) -> Page:
    """The page in a file."""
    where = str(path)
    text = _text(Path(path), where)
    try:
        raw = parse_json(text, where=where)
    except InputError as fault:
        raise InputError(fault.what, where=where, hint=_HINT) from None
    found = cast("dict[str, object]", raw) if isinstance(raw, dict) else {}
    kind = PAGES.get(str(found.get("kind")))
    try:
        page: Page | None = None if kind is None else kind.model_validate_json(text)
    except ValidationError:
        page = None
    if page is None or not _is_whole(page) or not _is_drawable(page.as_json()):
        raise InputError("the file holds no figures of a release in this version's form", where=where, hint=_HINT)
    return page


def _is_whole(page: Page) -> bool:
    """Whether a page for the steward, and only that, has times and the page for the public."""
    if page.audience == "public":
        return page.public is None and page.seconds is None
    public = page.public
    return public is not None and page.seconds is not None and public.audience == "public" and _is_whole(public)


def _text(path: Path, where: str) -> str:
    if not path.is_file():
        what = "the figures are not a regular file" if path.exists() else "there is no such file"
        raise InputError(what, where=where, hint=_HINT)
    try:
        if path.stat().st_size > LARGEST:
            raise InputError(f"the file is larger than {LARGEST:,} bytes", where=where, hint=_HINT)
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("the figures are not UTF-8 text", where=where, hint=_HINT) from None
    except OSError as fault:
        raise FileError(f"the figures could not be read: {fault.strerror}", where=where) from None


def _is_drawable(part: Json) -> bool:
    """Whether every number can be drawn: it is finite, and no more than a float holds."""
    match part:
        case dict():
            return all(map(_is_drawable, part.values()))
        case list():
            return all(map(_is_drawable, part))
        case int() | float():
            return abs(part) < HUGEST
        case _:
            return True


def for_audience(page: Page, audience: Audience | None) -> Page:
    """The page for an audience; `None`: the audience that the page is for.

    Raises:
        UsageError: the page is public, and the steward's is requested.
    """
    if audience is None or audience == page.audience:
        return page
    if page.public is None:
        hint = "these figures are for the public: write those for the steward with --report FILE.json"
        raise UsageError("a public page lacks figures that an internal page shows", where="--audience", hint=hint)
    return page.public
