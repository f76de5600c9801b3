"""Re-identification risks of the input and of the release, and what attacks on the release found."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kohort.assessment.classes import classes_of, sizes_of, tuples_of
from kohort.assessment.population import count_population
from kohort.assessment.risk.attacks import Attack
from kohort.assessment.risk.reidentification import THRESHOLD, by_size, marketer, marketer_among
from kohort.release.homogeneity import people_of
from kohort.report.attacks import attack_figures
from kohort.report.figures import Figures
from kohort.shown import Number, rounded
from kohort.tables.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.assessment.risk.attacks import Outcome
    from kohort.assessment.risk.reidentification import Exposure
    from kohort.release import Release
    from kohort.report.page.audience import Reader


class ExposureFigures(Figures, frozen=True):
    """The risk of being found: the highest, the average, and the share of people over the threshold."""

    highest: Number | None
    average: Number
    over: Number | None


class TableRisks(Figures, frozen=True):
    """The risks of a table; those among a population are null without a population table."""

    people: int | None
    prosecutor: ExposureFigures
    marketer: Number
    uniques: int | None
    uniques_share: Number | None
    journalist: ExposureFigures | None
    journalist_marketer: Number | None


class RisksFigures(Figures, frozen=True):
    """Re-identification risks of the input and of the release."""

    threshold: Number
    before: TableRisks | None
    after: TableRisks | None


class PageAttack(Figures, frozen=True):
    """An attack, as `kohort.report.risk` has it but for controls.

    The public sees rates and baselines, where it may count the input and records are people.
    """

    attack: str
    untried: str | None
    of: str | None
    unit: str | None
    targets: int | None
    claims: int | None
    right: Number | None
    rate: Number | None
    interval: tuple[Number, Number] | None
    baseline: Number | None
    precision: Number | None


class MeasuredRisks(NamedTuple):
    """The risks of one table as they are; `journalist` and `among` are `None` without a population table."""

    records: int
    people: int
    prosecutor: Exposure
    marketer: float
    uniques: int
    journalist: Exposure | None
    among: float | None


class Risks(NamedTuple):
    """Before and after; `None` of a table without records."""

    before: MeasuredRisks | None
    after: MeasuredRisks | None


def risks_of(release: Release) -> Risks:
    """The risks of the input's own quasi-identifiers, and of the released ones.

    Cost: one pass of hashing over the records of each; with a population table also its matching.
    """
    key, released, people = release.job.schema.person, release.table, people_of(release)
    if key is not None and people is not None:  # who they are was not released
        whose = Column(key, release.source[key].values, people.astype(np.uint32), release.source[key].dtype)
        released = Table((*released.columns, whose), released.records)
    return Risks(_found(release, release.source), _found(release, released))


def _found(release: Release, table: Table) -> MeasuredRisks | None:
    """The risks of one of the tables."""
    if not table.records:
        return None
    schema = release.job.schema
    names = [one.name for one in schema.quasi]
    frequency = tuples_of(table, names, schema.person)
    classes = classes_of(frequency)
    sizes = classes.sizes
    mine = sizes_of(frequency, classes.of, sizes)
    journalist, among = None, None
    if release.population is not None:
        columns, others = [table[name] for name in names], release.population.collect()
        fits = np.maximum(count_population(columns, classes.codes, others, release.job.of_people).fitting, sizes)
        journalist = by_size(sizes_of(frequency, classes.of, fits), THRESHOLD)
        among = marketer_among(sizes, 1 / fits)
    return MeasuredRisks(
        table.records,
        mine.total,
        by_size(mine, THRESHOLD),
        marketer(sizes),
        int(mine.people[mine.sizes == 1].sum()),
        journalist,
        among,
    )


def risks(found: Risks, reader: Reader) -> RisksFigures:
    """Both; before is null for the public, since it is of the input."""
    return RisksFigures(
        threshold=float(THRESHOLD),
        before=None if found.before is None or not reader.knows_all else _risks(found.before, reader),
        after=None if found.after is None else _risks(found.after, reader),
    )


def _risks(found: MeasuredRisks, reader: Reader) -> TableRisks:
    """The risks of one table."""
    return TableRisks(
        people=reader.exactly(found.people, found.records),
        prosecutor=_exposure(found.prosecutor, found.people, reader),
        marketer=reader.share(found.marketer, found.people),
        uniques=reader.people(found.uniques, found.people),
        uniques_share=reader.part(found.uniques, found.people),
        journalist=None if found.journalist is None else _exposure(found.journalist, found.people, reader),
        journalist_marketer=None if found.among is None else reader.share(found.among, found.people),
    )


def _exposure(exposure: Exposure, people: int, reader: Reader) -> ExposureFigures:
    """The figures of one attacker; null for a risk above one in `least`: its inverse counts people."""
    tells = reader.knows_all or exposure.highest * reader.least <= 1
    return ExposureFigures(
        highest=rounded(exposure.highest) if tells else None,
        average=reader.share(exposure.average, people),
        over=reader.part(exposure.over * people, people),
    )


# ── Attacks ──────────────────────────────────────────────────────────────────────────────────────


def attack_risks(outcomes: Sequence[Outcome] | None, reader: Reader) -> tuple[PageAttack, ...] | None:
    """Each attack; null where none was tried.

    The public sees which were tried: their rates are of the input.
    """
    if outcomes is None:
        return None
    if reader.knows_all:
        return tuple(_attack(dict(one)) for one in attack_figures(outcomes))
    return tuple(_attack(_public(one)) for one in outcomes)


def _attack(known: Mapping[str, object]) -> PageAttack:
    """An attack; null for what does not apply, or is not shown."""
    return PageAttack.model_validate({name: known.get(name) for name in PageAttack.model_fields})


def _public(one: Outcome) -> dict[str, object]:
    """An attack for the public."""
    if not isinstance(one, Attack):
        return {"attack": one.name, "untried": one.reason}
    return {"attack": one.name, "of": one.of or None, "unit": one.unit}
