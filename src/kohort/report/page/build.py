"""The page of a release for an audience, built from the release or read back from a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from pydantic import TypeAdapter, ValidationError

from kohort.assessment.comparison import comparison_of, lines_of
from kohort.errors import FileError, InputError, UsageError
from kohort.release import Release
from kohort.release.job import Purpose
from kohort.release.members import members_of
from kohort.report.comparison import comparison_figures
from kohort.report.page import transactions
from kohort.report.page.attributes import attributes, perturbed, pseudonyms
from kohort.report.page.audience import FEWEST, Audience, Reader, least_of
from kohort.report.page.model import FORM, Heading, InternalTablePage, PublicTablePage, TablePage
from kohort.report.page.released import released_attributes
from kohort.report.page.request import parameters, request
from kohort.report.page.result import counts_input, losses, metrics, result, sizes
from kohort.report.page.risks import Risks, attack_risks, risks, risks_of
from kohort.report.page.subgroups import groups_of, samples, subgroups, tallies
from kohort.report.page.transactions import InternalTransactionPage, PublicTransactionPage
from kohort.report.page.verdict import certificate, verdict
from kohort.report.release import source_notes
from kohort.schema import Role
from kohort.schema.hierarchies.tree import parse_json
from kohort.version import VERSION

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from kohort.assessment.comparison import Comparison
    from kohort.assessment.comparison.line import ColumnLine
    from kohort.assessment.risk.attacks import Outcome
    from kohort.release.homogeneity import Homogeneity
    from kohort.release.transactions import TransactionRelease
    from kohort.report import Json
    from kohort.report.comparison import AssociationFigures
    from kohort.report.page.attributes import PageAttribute
    from kohort.report.page.subgroups import SubgroupFigures, Subgroups, Tally
    from kohort.report.page.transactions import TransactionPage
    from kohort.schema import Attribute
    from kohort.shown import Number


PublicPage: TypeAlias = PublicTablePage | PublicTransactionPage
Page: TypeAlias = InternalTablePage | InternalTransactionPage | PublicPage

#: Sensitive columns of more values than these make no subgroups.
FEW_VALUES: Final = 50


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """What is measured once for both audiences.

    Attributes:
        risks: Of the input and of the release.
        comparison: Both, compared; `None` of a table without records, and for the public.
        homogeneity: How alike the sensitive values in classes are.
        lines: The columns whose values make subgroups.
        tallied: What became of the records with each of their values.
        members: How many values sets print.
        attacks: What attacks found; `None` where none was tried.
    """

    risks: Risks
    comparison: Comparison | None
    homogeneity: Mapping[str, Homogeneity]
    lines: Mapping[str, ColumnLine]
    tallied: Mapping[str, Tally]
    members: Mapping[str, float]
    attacks: Sequence[Outcome] | None


def _measured(release: Release, attacks: Sequence[Outcome] | None, audience: Audience) -> Measured:
    """Measure a release; for the public it is not compared with its input."""
    homogeneity, members = (release.homogeneity, members_of(release)) if release.table.records else ({}, {})
    if audience is Audience.PUBLIC or not release.table.records:
        return Measured(risks_of(release), None, homogeneity, {}, {}, members, attacks)
    read = lines_of(release.source, release.table, schema=release.job.schema)
    comparison = comparison_of(release.source, release.table, read)
    lines = {line.name: line for line in read}
    return Measured(risks_of(release), comparison, homogeneity, lines, tallies(release, [*lines]), members, attacks)


def page(
    release: Release, *, audience: Audience, attacks: Sequence[Outcome] | None = None
) -> InternalTablePage | PublicTablePage:
    """The page of a release for an audience; with what attacks on the release found, if they were tried.

    The same release and audience give the same page but for `seconds`, which only the steward sees.
    """
    least, schema = least_of(release.job.models), release.job.schema
    anybody = Reader(least, counts_input=counts_input(release, least), one_each=schema.person is None)
    measured = _measured(release, attacks, audience)
    public = PublicTablePage(**dict(_table(release, measured, anybody)))
    if audience is Audience.PUBLIC:
        return public
    internal = _table(release, measured, Reader())
    return InternalTablePage(**dict(internal), seconds=_seconds(release), public=public)


def transactions_page(
    release: TransactionRelease, *, audience: Audience
) -> InternalTransactionPage | PublicTransactionPage:
    """The page of a transaction database for an audience."""
    least = max(FEWEST, release.job.coherence.k)
    public = PublicTransactionPage(**dict(_transactions(release, Reader(least))))
    if audience is Audience.PUBLIC:
        return public
    internal = _transactions(release, Reader())
    return InternalTransactionPage(**dict(internal), seconds=_seconds(release), public=public)


def _seconds(release: Release | TransactionRelease) -> dict[str, Number]:
    """Wall time of each stage."""
    return {stage: round(seconds, 4) for stage, seconds in release.seconds.items()}


def _heading(release: Release | TransactionRelease, kind: Literal["table", "transactions"], reader: Reader) -> Heading:
    """What every page begins with."""
    return Heading(
        form=FORM,
        kind=kind,
        audience=reader.audience.value,
        least=reader.least or None,
        name=None if release.path is None else release.path.name,
        kohort=VERSION,
        notes=(*_notes(reader), *_noticed(release, reader)),
    )


def _table(release: Release, measured: Measured, reader: Reader) -> TablePage:
    """The page of a table for a reader."""
    compared = _compared(release, measured, reader)
    return TablePage(
        **dict(_heading(release, "table", reader)),
        asked=request(release.job),
        done=result(release, reader),
        verdict=verdict(release, reader),
        sizes=sizes(release, reader),
        metrics=metrics(release, reader),
        losses=losses(release, measured.members, reader),
        attributes=compared.attributes,
        associations=compared.associations,
        subgroups=compared.subgroups,
        risks=risks(measured.risks, reader),
        samples=samples(release, reader),
        attacks=attack_risks(measured.attacks, reader),
        perturbed=perturbed(release, reader),
        pseudonyms=pseudonyms(release, reader),
        parameters=parameters(release.job, reader),
        purpose=release.job.purpose or Purpose(),
        certificate=certificate(release),
    )


def _transactions(release: TransactionRelease, reader: Reader) -> TransactionPage:
    """The page of a transaction database for a reader."""
    return transactions.transaction_page(release, _heading(release, "transactions", reader), reader)


class PageComparison(NamedTuple):
    """The columns before and after, pairs of them, and whose records lost most."""

    attributes: tuple[PageAttribute, ...] | None
    associations: tuple[AssociationFigures, ...]
    subgroups: SubgroupFigures | None


def _compared(release: Release, measured: Measured, reader: Reader) -> PageComparison:
    """Both tables compared, for the public the release alone; nothing of a table without records."""
    if not release.table.records:
        return PageComparison(None, (), None)
    if not reader.knows_all or measured.comparison is None:
        return PageComparison(released_attributes(release, measured.homogeneity, reader), (), None)
    groups, figures = _steward_groups(release, measured), comparison_figures(measured.comparison)
    columns = attributes(figures.attributes, measured.homogeneity)
    by_quasi = {one.name: groups[one.name] for one in _grouping(release) if one.name in groups}
    lost = subgroups(release, measured.tallied, by_quasi, least_of(release.job.models))
    return PageComparison(columns, figures.associations, lost)


def _grouping(release: Release) -> tuple[Attribute, ...]:
    """The columns whose values make subgroups."""
    return (*release.job.schema.quasi, *release.job.schema.sensitive)


def _steward_groups(release: Release, measured: Measured) -> dict[str, Subgroups]:
    """Those of all quasi-identifiers, and of sensitive columns of few values."""
    return {
        one.name: groups_of(line)
        for one in _grouping(release)
        for line in [measured.lines[one.name]]
        if one.role is Role.QUASI or line.before.values <= FEW_VALUES
    }


def _noticed(release: Release | TransactionRelease, reader: Reader) -> tuple[str, ...]:
    """What the steward should know of the source."""
    return source_notes(release) if reader.knows_all and isinstance(release, Release) else ()


def _notes(reader: Reader) -> tuple[str, ...]:
    """What the page does not show, and why."""
    if reader.knows_all:
        return ()
    least = reader.least
    notes = (
        f"This page contains no value of a record and no count of fewer than {least} people.",
        f"Counts of parts are rounded down to multiples of {least}; shares and means to steps of {least} people.",
        "It shows the release, its certificate and the job; of the input only how many records there were.",
    )
    if reader.counts_input:
        return notes
    return (
        *notes,
        f"Fewer than {least} people were suppressed: neither their number nor figures that reveal it are shown.",
    )


#: Beyond this nothing can be drawn: floats end at 1.8e308.
HUGEST: Final = 1e300

#: Bytes of the largest file that is read: figures are few.
LARGEST: Final = 1 << 26

_HINT: Final = "figures are what --report FILE.json writes; ask this version of kohort for them again"


def read_page(path: str | os.PathLike[str]) -> Page:
    """The page in a file."""
    where = str(path)
    text = _text(Path(path), where)
    try:
        parse_json(text, where=where)
    except InputError as fault:
        raise InputError(fault.what, where=where, hint=_HINT) from None
    try:
        page = TypeAdapter[Page](Page).validate_json(text)
    except ValidationError:
        page = None
    if page is None or not _is_drawable(page.as_json()):
        raise InputError("the file holds no figures of a release in this version's form", where=where, hint=_HINT)
    return page


def _text(path: Path, where: str) -> str:
    """What the file holds."""
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
    if isinstance(page, (PublicTablePage, PublicTransactionPage)):
        hint = "these figures are for the public: write those for the steward with --report FILE.json"
        raise UsageError("a public page lacks figures that an internal page shows", where="--audience", hint=hint)
    return page.public
