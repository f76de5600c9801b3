"""Re-identification risks, of the input as it was and of the release."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kohort.assessment.classes import classes_of, sizes_of, tuples_of
from kohort.assessment.population import count_population
from kohort.assessment.risk.reidentification import THRESHOLD, by_size, marketer, marketer_among
from kohort.engines.table import Column, Table
from kohort.release.homogeneity import people_of

if TYPE_CHECKING:
    from kohort.assessment.risk.reidentification import Exposure
    from kohort.release import Release
    from kohort.report import Json
    from kohort.report.page.audience import Reader


class Found(NamedTuple):
    """The risks of one table.

    Attributes:
        records: How many there are.
        people: How many are in it; records, without a person key.
        prosecutor: The prosecutor's.
        marketer: The share of right links.
        uniques: How many are alone in their class.
        journalist: The journalist's; `None` without a population table.
        among: The marketer's among the population; likewise.
    """

    records: int
    people: int
    prosecutor: Exposure
    marketer: float
    uniques: int
    journalist: Exposure | None
    among: float | None


class Risks(NamedTuple):
    """Before and after; `None` of a table without records."""

    before: Found | None
    after: Found | None


def risks_of(release: Release) -> Risks:
    """The risks of the input's own quasi-identifiers, and of the released ones.

    Cost: one pass of hashing over the records of each; with a population table also its matching.
    """
    key, released, people = release.job.schema.person, release.table, people_of(release)
    if key is not None and people is not None:  # who they are was not released
        whose = Column(key, release.source[key].values, people.astype(np.uint32), release.source[key].dtype)
        released = Table((*released.columns, whose), released.records)
    return Risks(_found(release, release.source), _found(release, released))


def _found(release: Release, table: Table) -> Found | None:
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
        hierarchies = {one.name: one.hierarchy for one in schema.quasi if one.hierarchy is not None}
        columns = [table[name] for name in names]
        fits = np.maximum(count_population(columns, classes.codes, release.population, hierarchies).fitting, sizes)
        journalist = by_size(sizes_of(frequency, classes.of, fits), THRESHOLD)
        among = marketer_among(sizes, 1 / fits)
    return Found(
        table.records,
        mine.total,
        by_size(mine, THRESHOLD),
        marketer(sizes),
        int(mine.people[mine.sizes == 1].sum()),
        journalist,
        among,
    )


def risks(found: Risks, reader: Reader) -> dict[str, Json]:
    """Both as JSON; before is null where the reader may not know how many records there were.

    Each figure of a few records fewer would be a little other: together they would tell how many were left out.
    """
    known = found.before is not None and reader.counts_input
    before = _told(found.before, reader) if found.before is not None and known else None
    after = None if found.after is None else _told(found.after, reader)
    return {"threshold": float(THRESHOLD), "before": before, "after": after}


def _told(found: Found, reader: Reader) -> dict[str, Json]:
    """The risks of one table."""
    return {
        "people": reader.exactly(found.people, found.records),
        "prosecutor": _exposure(found.prosecutor, found.people, reader),
        "marketer": reader.share(found.marketer, found.people),
        "uniques": reader.people(found.uniques, found.people),
        "uniques_share": reader.part(found.uniques, found.people),
        "journalist": None if found.journalist is None else _exposure(found.journalist, found.people, reader),
        "journalist_marketer": None if found.among is None else reader.share(found.among, found.people),
    }


def _exposure(exposure: Exposure, people: int, reader: Reader) -> dict[str, Json]:
    """The figures of one attacker; a risk above one in `least` is told as that: its inverse counts people."""
    tells = reader.knows_all or exposure.highest * reader.least <= 1
    return {
        "highest": round(exposure.highest, 10) if tells else None,
        "average": reader.share(exposure.average, people),
        "over": reader.part(exposure.over * people, people),
    }
