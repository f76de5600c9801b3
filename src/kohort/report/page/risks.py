"""Re-identification risks of the input and of the release, and what attacks on the release found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

import numpy as np

from kohort.assessment.classes import file_classes, sizes_of, tuples_of
from kohort.assessment.population import count_population
from kohort.assessment.risk.attacks import Attack, Untried
from kohort.assessment.risk.figures import FIGURES, figures_of
from kohort.assessment.risk.reidentification import THRESHOLD, Exposure, by_size, marketer, marketer_among
from kohort.errors.display import NOT_ON_PAGES, Number, Share
from kohort.release.release import people_of
from kohort.report.figures import Figures
from kohort.report.page.audience import OnPage
from kohort.tables.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.assessment.risk.attacks import Outcome
    from kohort.release import Release
    from kohort.report.page.audience import Reader


@dataclass(frozen=True, slots=True)
class TableRisks:
    """The risks of a table; those among a population are `None` without a population table.

    Attributes:
        records: Its records.
        people: Its people: records without a person key.
        prosecutor: The exposure where attackers know who is in the table.
        marketer: The expected share of right links when all records are linked at once.
        uniques: People alone in their class.
        uniques_share: Their share.
        journalist: The exposure where attackers know the population.
        journalist_marketer: The expected share of right links with the population.
        figures: Further figures, by key: of both tables they are rows on a page.
    """

    records: int = field(metadata=NOT_ON_PAGES)
    people: int
    prosecutor: Exposure
    marketer: Share = field(metadata={"public": "share"})
    uniques: int = field(metadata={"public": "people"})
    uniques_share: Share = field(metadata={"public": "part_of"})
    journalist: Exposure | None
    journalist_marketer: Share | None = field(metadata={"public": "share"})
    figures: dict[str, float | None] = field(metadata=NOT_ON_PAGES)


_TABLE: Final = OnPage(TableRisks)
_ATTACK: Final = OnPage(Untried, Attack)

#: An attack on a page; the public sees which were tried: what they found is of the input.
PageAttack: TypeAlias = Annotated[Figures, _ATTACK]


class RiskRow(Figures, frozen=True):
    """A risk figure of the input and of the release, as it describes itself; see `kohort.assessment.risk.figures`."""

    name: str
    caption: str
    says: str
    unit: Literal["share", "count"]
    before: Share | None
    after: Share | None


class RisksFigures(Figures, frozen=True):
    """Re-identification risks of the input and of the release; pages of older versions have no further `figures`."""

    threshold: Number
    before: Annotated[Figures, _TABLE] | None
    after: Annotated[Figures, _TABLE] | None
    figures: tuple[RiskRow, ...] = ()


#: Before and after; `None` of a table without records.
Risks: TypeAlias = tuple[TableRisks | None, TableRisks | None]


def risks_of(release: Release) -> Risks:
    """The risks of the input's own quasi-identifiers, and of the released ones.

    Cost: one pass of hashing over the records of each; with a population table also its matching.
    """
    key, released, people = release.job.schema.person, release.table, people_of(release)
    if key is not None and people is not None:  # who they are was not released
        whose = Column(key, release.source[key].values, people.astype(np.uint32), release.source[key].dtype)
        released = Table((*released.columns, whose), released.records)
    return _found(release, release.source), _found(release, released)


def _found(release: Release, table: Table) -> TableRisks | None:
    if not table.records:
        return None
    schema = release.job.schema
    names = [one.name for one in schema.quasi]
    file = file_classes(tuples_of(table, names, schema.person))
    frequency, classes, mine = file
    sizes = classes.sizes
    journalist, among = None, None
    if release.population is not None:
        columns, others = [table[name] for name in names], release.population.collect()
        fits = np.maximum(count_population(columns, classes.codes, others, release.job.of_people).fitting, sizes)
        journalist = by_size(sizes_of(frequency, classes.of, fits), THRESHOLD)
        among = marketer_among(sizes, 1 / fits)
    uniques = int(mine.people[mine.sizes == 1].sum())
    return TableRisks(
        records=table.records,
        people=mine.total,
        prosecutor=by_size(mine, THRESHOLD),
        marketer=marketer(sizes),
        uniques=uniques,
        uniques_share=uniques / max(mine.total, 1),
        journalist=journalist,
        journalist_marketer=among,
        figures=figures_of(file),
    )


def risks(found: Risks, reader: Reader) -> RisksFigures:
    """Both; before is null for the public, since it is of the input."""
    before, after = found if reader.knows_all else (None, found[1])
    return RisksFigures(
        threshold=float(THRESHOLD),
        before=_risks(before, reader),
        after=_risks(after, reader),
        figures=tuple(_rows(before, after, reader)),
    )


def _rows(before: TableRisks | None, after: TableRisks | None, reader: Reader) -> Iterator[RiskRow]:
    for name, one in FIGURES.items():
        was, is_ = (_seen(name, table, reader) for table in (before, after))
        yield RiskRow(name=name, caption=one.caption, says=one.sentence, unit=one.unit, before=was, after=is_)


def _seen(name: str, table: TableRisks | None, reader: Reader) -> float | None:
    value, public = None if table is None else table.figures[name], FIGURES[name].public
    if table is None or value is None or reader.knows_all:
        return value
    return getattr(reader, public)(value, table.people) if public else None


def _risks(found: TableRisks | None, reader: Reader) -> Figures | None:
    if found is None:
        return None
    whole = reader.exactly(found.people, found.records)
    shown: dict[str, Any] = _TABLE.of(found, reader, found.people, people=whole).as_json()
    for one in filter(None, (shown["prosecutor"], shown["journalist"])):  # rounded, a mean may exceed the greatest
        one["average"] = min(one["average"], one["highest"] or 1.0)
    return _TABLE.made(**shown)


def attack_risks(outcomes: Sequence[Outcome] | None, reader: Reader) -> tuple[PageAttack, ...] | None:
    """Each attack; null where none was tried."""
    return None if outcomes is None else tuple(_ATTACK.of(one, reader) for one in outcomes)
