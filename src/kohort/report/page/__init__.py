"""The page of a release: everything that its HTML shows, as one JSON object, for the steward or for the public.

`page` and `transactions_page` make it; HTML and charts are drawn from nothing else, so it is called their twin. The
same release and audience give the same twin but for what stands under `seconds`, which only the steward is told. A key
that does not apply is null. A count, figure or label that the public may not know is null too, or is left out of its
list; `notes` says so. See `kohort.report.page.audience` for what that is.

Keys of a table's page:

    form            2; it changes when a key does
    kind            "table"
    audience        "internal" or "public"
    least           the fewest people that the page tells of; null where it tells everything
    name            the release's file name, without a folder
    kohort          the version
    notes           [sentence]: what is not told, and why
    asked           k, models [name], method {name, and its parameters}, max_suppression ("20", "5%"),
                    columns [{name, role, how, declared (false: its role is that of the rest)}]
    done            records, released, incomplete (left out before counting), suppressed, suppressed_share, people (null
                    without a person key), classes, smallest, largest (records of a class), node {column: level} (null
                    but for lattice methods), proven
    verdict         verified, sha256, bytes, checks [{check, count}], data_dependent, promised [sentence],
                    not_promised [sentence], and what `kohort.report.page.verdict` tells
    sizes           [{low, high, classes, records}], ascending bands of class sizes that have a class
    metrics         [{name, value, says}]
    losses          [{column, loss, level, height, members}] of each quasi-identifier; level and height of lattice
                    methods; members: how many values the sets of a column that is released as sets print, on average
    attributes      null of a table without records, or one for each released column that names nobody, see
                    `kohort.report.page.attributes`
    associations    [{columns [a, b], measure, before, after, change}]; internal only, for of rare values they count
    risks           threshold, before and after: {people, prosecutor {highest, average, over}, marketer, uniques,
                    uniques_share, journalist {highest, average, over}, journalist_marketer}; the last two are null
                    without a population table
    subgroups       suppressed, distorted, overall; see `kohort.report.page.subgroups`
    perturbed       [the parts of `kohort.perturb.effect.Effect`]
    pseudonyms      [{column, records, linked}]
    samples         [{class, records, cells [{column, before, after}]}]: a record of the smallest, of the median and of
                    the largest class, and how many records that has; before is null of identifying columns, after of
                    those that are not released; internal only, for these are records
    attacks         null where none was tried; see `kohort.report.page.attacks`
    purpose         purpose, recipient, legal_basis, requested_by, approved_by: the job's words
    parameters      the job's description, as its certificate has it
    certificate     {name, release, sha256}; null while nothing is published
    seconds         {stage: wall seconds}; internal only
    public          the public twin of the same release; internal only
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kohort import __version__
from kohort.assessment.comparison import comparison_of, lines_of
from kohort.release.members import members_of
from kohort.report.comparison import numbers
from kohort.report.page import transactions
from kohort.report.page.altered import perturbed, pseudonyms
from kohort.report.page.asked import asked, parameters, purpose
from kohort.report.page.attacks import attacks as attacks_told
from kohort.report.page.attributes import attributes, public_attributes
from kohort.report.page.audience import FEWEST, Audience, Reader, least_of
from kohort.report.page.cost import losses, metrics
from kohort.report.page.done import counts_input, done, sizes
from kohort.report.page.groups import groups_of, public_groups
from kohort.report.page.risks import Risks, risks, risks_of
from kohort.report.page.samples import samples
from kohort.report.page.subgroups import subgroups, tallies
from kohort.report.page.verdict import certificate, verdict
from kohort.schema import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.assessment.comparison import Comparison
    from kohort.assessment.comparison.line import Line
    from kohort.assessment.risk.attacks import Outcome
    from kohort.release import Release
    from kohort.release.homogeneity import Homogeneity
    from kohort.release.transactions import TransactionRelease
    from kohort.report import Json
    from kohort.report.page.groups import Groups, Tally
    from kohort.schema import Attribute

__all__ = ["FORM", "Audience", "page", "transactions_page"]

#: The form of the twin; it changes when a key does.
FORM: Final = 2

#: Sensitive columns of more values than these make no subgroups.
FEW_VALUES: Final = 50


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What is measured once for both audiences.

    Attributes:
        risks: Of the input and of the release.
        comparison: Both, compared; `None` of a table without records.
        alike: How alike the sensitive values in classes are.
        lines: The columns whose values make subgroups.
        tallied: What became of the records with each of their values.
        members: How many values sets print.
        attacks: What attacks found; `None` where none was tried.
    """

    risks: Risks
    comparison: Comparison | None
    alike: Mapping[str, Homogeneity]
    lines: Mapping[str, Line]
    tallied: Mapping[str, Tally]
    members: Mapping[str, float]
    attacks: Sequence[Outcome] | None


def found_in(release: Release, attacks: Sequence[Outcome] | None) -> Found:
    """Measure a release."""
    if not release.table.records:
        return Found(risks_of(release), None, {}, {}, {}, {}, attacks)
    schema = release.job.schema
    read = lines_of(release.source, release.table, schema=schema)
    comparison = comparison_of(release.source, release.table, read)
    lines = {line.name: line for line in read}
    tallied, members = tallies(release, [*lines]), members_of(release)
    return Found(risks_of(release), comparison, release.homogeneity, lines, tallied, members, attacks)


def page(release: Release, *, audience: Audience, attacks: Sequence[Outcome] | None = None) -> dict[str, Json]:
    """The twin of a release's page, for an audience; with what attacks on the release found, if they were tried."""
    least, schema = least_of(release.job.models), release.job.schema
    anybody = Reader(least, counts_input=counts_input(release, least), one_each=schema.person is None)
    found = found_in(release, attacks)
    return _told(release, "table", audience, anybody, lambda reader: _table(release, found, reader))


def transactions_page(release: TransactionRelease, *, audience: Audience) -> dict[str, Json]:
    """The twin of the page of a transaction database; its sections are told in `kohort.report.page.transactions`."""
    least = max(FEWEST, release.job.coherence.k)
    anybody = Reader(least, counts_input=transactions.counts_input(release, least))
    return _told(release, "transactions", audience, anybody, lambda reader: transactions.sections(release, reader))


def _told(
    release: Release | TransactionRelease,
    kind: str,
    audience: Audience,
    anybody: Reader,
    sections: Callable[[Reader], dict[str, Json]],
) -> dict[str, Json]:
    """What an audience is told; the steward also what the public would be."""

    def twin(reader: Reader) -> dict[str, Json]:
        return {
            "form": FORM,
            "kind": kind,
            "audience": reader.audience.value,
            "least": reader.least or None,
            "name": None if release.path is None else release.path.name,
            "kohort": __version__,
            "notes": _notes(reader),
            **sections(reader),
            "purpose": purpose(release.job),
            "certificate": certificate(release),
        }

    if audience is Audience.PUBLIC:
        return twin(anybody)
    seconds: dict[str, Json] = {stage: round(seconds, 4) for stage, seconds in release.seconds.items()}
    return {**twin(Reader()), "seconds": seconds, "public": twin(anybody)}


def _table(release: Release, found: Found, reader: Reader) -> dict[str, Json]:
    """The sections of a table."""
    return {
        "asked": asked(release.job),
        "done": done(release, reader),
        "verdict": verdict(release, reader),
        "sizes": [*sizes(release, reader)],
        "metrics": metrics(release, reader),
        "losses": losses(release, found.members, reader),
        **_compared(release, found, reader),
        "risks": risks(found.risks, reader),
        "samples": samples(release, reader),
        "attacks": attacks_told(found.attacks, reader),
        "perturbed": perturbed(release, reader),
        "pseudonyms": pseudonyms(release, reader),
        "parameters": parameters(release.job, reader),
    }


def _compared(release: Release, found: Found, reader: Reader) -> dict[str, Json]:
    """The columns before and after, and whose records lost most."""
    if found.comparison is None:
        return {"attributes": None, "associations": [], "subgroups": None}
    pairs: Json = []
    if reader.knows_all:
        groups, figures = _steward_groups(release, found), numbers(found.comparison)
        told, pairs = attributes(figures, found.alike), figures["associations"]
    else:
        groups = _public_groups(found, reader)
        told = public_attributes(found.comparison, found.alike, found.tallied, groups, reader)
    by_quasi = {one.name: groups[one.name] for one in _grouping(release) if one.name in groups}
    return {
        "attributes": told,
        "associations": pairs,
        "subgroups": subgroups(release, found.tallied, by_quasi, reader, least_of(release.job.models)),
    }


def _grouping(release: Release) -> tuple[Attribute, ...]:
    """The columns whose values make subgroups."""
    return (*release.job.schema.quasi, *release.job.schema.sensitive)


def _steward_groups(release: Release, found: Found) -> dict[str, Groups]:
    """Those of all quasi-identifiers, and of sensitive columns of few values."""
    return {
        one.name: groups_of(line)
        for one in _grouping(release)
        for line in [found.lines[one.name]]
        if one.role is Role.QUASI or line.before.values <= FEW_VALUES
    }


def _public_groups(found: Found, reader: Reader) -> dict[str, Groups]:
    """Those that anybody may be told; none, where records are not people."""
    if not reader.one_each:
        return {}
    told = {name: public_groups(line, found.tallied[name], reader) for name, line in found.lines.items()}
    return {name: groups for name, groups in told.items() if groups is not None}


def _notes(reader: Reader) -> list[Json]:
    """What the reader is not told."""
    if reader.knows_all:
        return []
    least = reader.least
    told: list[Json] = [
        f"No value of a record and no count of fewer than {least} people is in this page.",
        f"Counts of parts are rounded down to multiples of {least}; shares, losses, means to steps of {least} people.",
    ]
    if not reader.counts_input:
        told.append(f"What was left out is of fewer than {least} people: neither how many nor what tells it is here.")
    return told
