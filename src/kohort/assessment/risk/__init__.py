"""The risk of a file as it stands: whom an attacker could find in it, and by what."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort import io
from kohort.assessment.risk.classes import classes_of, exposed, tuples_of
from kohort.assessment.risk.individual import individual_risks
from kohort.assessment.risk.knowledge import knowing
from kohort.assessment.risk.population import Crowd, crowd_of, matched, one_of
from kohort.assessment.risk.quasi_identifiers import find
from kohort.assessment.risk.reidentification import (
    THRESHOLD,
    by_estimate,
    by_size,
    marketer,
    marketer_among,
    threshold_of,
)
from kohort.assessment.risk.singling import singling
from kohort.assessment.risk.uniqueness import alone, counted, estimated
from kohort.engines.table import Table
from kohort.errors import InfeasibleError
from kohort.schema import Attribute, Role, Schema
from kohort.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.arrays import Counts
    from kohort.assessment.risk.classes import Classes, Exposed
    from kohort.assessment.risk.knowledge import Knowledge
    from kohort.assessment.risk.quasi_identifiers import Search
    from kohort.assessment.risk.reidentification import Exposure
    from kohort.assessment.risk.uniqueness import Uniqueness
    from kohort.core.frequency import FrequencySet
    from kohort.core.uniques import Singling
    from kohort.schema.hierarchy import Hierarchy
    from kohort.shown import Rows

__all__ = ["Journalist", "Risk", "assess"]

#: Classes at the highest risk whose cells are kept.
SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class Journalist:
    """The risks among the people of the population.

    Attributes:
        by: How the population is known: `"population table"` or `"estimate"`.
        exposure: The journalist's exposure.
        marketer: The expected share of right links when all records are linked with the population.
        unknown: People in classes that fit fewer people of the population table than they have themselves: the table
            lacks somebody, and a class then counts with its own size.
    """

    by: str
    exposure: Exposure
    marketer: float
    unknown: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Risk(Shown):
    """What an attacker could do with a file, in figures. See the module of each for what it means and assumes.

    Attributes:
        quasi: The columns that an attacker is taken to know of everybody.
        records: Records of the file.
        people: People, where a person key says whose a record is; they are counted then, else records are.
        sizes: (c,) people of each class.
        threshold: A risk above this counts as over.
        prosecutor: Of an attacker who knows that somebody is in the file.
        journalist: Of one who knows the population and not who is in the file; `None` where nothing is known of it.
        marketer: The expected share of right links when all is linked, with the file as all there is to know.
        uniqueness: Uniques of the file and of the population.
        knowledge: When only m quasi-identifiers are known; `None` where it was not asked for.
        undeclared: The columns that are neither quasi-identifying nor sensitive.
        alone: Minimal sets of them that single people out; places are in `undeclared`.
        together: The same with all quasi-identifiers known besides.
        singling: Columns released as they are that single people out by themselves.
        worst: Cells of up to five classes at the prosecutor's highest risk, each a value per quasi-identifier: they
            are records' values and belong in no report that leaves.
    """

    quasi: tuple[str, ...]
    records: int
    people: int | None
    sizes: Counts
    threshold: Fraction
    prosecutor: Exposure
    journalist: Journalist | None
    marketer: float
    uniqueness: Uniqueness
    knowledge: Knowledge | None
    undeclared: tuple[str, ...]
    alone: Search
    together: Search
    singling: tuple[Singling, ...]
    worst: tuple[tuple[str | None, ...], ...]

    def _shown(self) -> tuple[str, Rows]:
        exposures = [("prosecutor", self.prosecutor)]
        exposures += [("journalist", self.journalist.exposure)] if self.journalist is not None else []
        return "Risk", [
            ("Records", f"{self.records:,}"),
            *([] if self.people is None else [("People", f"{self.people:,}")]),
            ("Classes", f"{self.sizes.size:,}"),
            ("Unique", f"{self.uniqueness.sample:,}"),
            *((f"Highest risk, {who}", f"{one.highest:.1%}") for who, one in exposures),
            *((f"Average risk, {who}", f"{one.average:.1%}") for who, one in exposures),
            *((f"Above {float(self.threshold):g}, {who}", f"{one.over:.1%}") for who, one in exposures),
            ("Expected links of a marketer", f"{self.marketer:.1%}"),
            ("Quasi-identifiers", ", ".join(self.quasi)),
            ("Other columns that single people out", f"{len(self.singling):,}"),
        ]


def assess(
    source: object,
    quasi: Sequence[str],
    *,
    sensitive: Sequence[str] = (),
    person: str | None = None,
    population: object = None,
    population_size: int | None = None,
    sampling_fraction: object = None,
    threshold: object = THRESHOLD,
    known: int | None = None,
    hierarchies: Mapping[str, Hierarchy | str] | None = None,
    seed: int = 0,
) -> Risk:
    """The risk of a file, as it stands, released or raw.

    Args:
        source: A table, or what `kohort.io.read` takes: a path or a frame.
        quasi: The columns that an attacker may know of people.
        sensitive: Those that nobody can know beforehand; all others are looked at as quasi-identifiers undeclared.
        person: The column that says whose a record is; people count then.
        population: A table of the population with the quasi-identifying columns: its people are matched with a class
            by what the labels cover.
        population_size: How many people the file is a sample of, where there is no table.
        sampling_fraction: Or which share of them it is.
        threshold: The risk above which a record counts as over: 0.2 by default.
        known: Also say the risk when only so many of the quasi-identifiers are known.
        hierarchies: Of quasi-identifiers, to tell what a released label covers in the population table.
        seed: Of the samples that are drawn where there is too much to look at.

    Raises:
        SchemaError: a column that is not there, or none.
        UsageError: a parameter that cannot be right, or more than one of the population's.
        InputError: the file, or the population, cannot be read or has no records.

    >>> import polars as pl
    >>> people = pl.DataFrame({"city": ["Bari", "Bari", "Roma"], "age": ["30", "30", "41"]})
    >>> risk = assess(people, ["city", "age"], population_size=30)
    >>> risk.prosecutor.highest, risk.uniqueness.sample, round(risk.journalist.exposure.highest, 3)
    (1.0, 1, 0.256)
    """
    limit = threshold_of(threshold)
    one_of(population=population, size=population_size, fraction=sampling_fraction)
    table = _table(source)
    _check(table, quasi, sensitive, person)
    frequency = tuples_of(table, quasi, person)
    classes = classes_of(frequency)
    file = _File(frequency, classes, exposed(frequency, classes.of, classes.sizes), limit)
    if population is None:
        crowd = crowd_of(file.found.people, population_size, sampling_fraction)
    else:
        rows, others = frequency.quasi[classes.first], _table(population)
        crowd = Crowd(others.records, matched([table[name] for name in quasi], rows, others, hierarchies or {}))
    undeclared = tuple(name for name in table.names if name not in {*quasi, *sensitive, person})
    columns, base = ([table[name].codes for name in names] for names in (undeclared, quasi))
    people = None if person is None else table[person].codes.astype(np.int64)
    return Risk(
        quasi=tuple(quasi),
        records=table.records,
        people=None if person is None else file.found.people,
        sizes=classes.sizes,
        threshold=limit,
        prosecutor=by_size(file.found, limit),
        journalist=file.journalist(crowd),
        marketer=marketer(classes.sizes),
        uniqueness=file.uniqueness(crowd),
        knowledge=None if known is None else knowing(frequency, known, threshold=limit, seed=seed),
        undeclared=undeclared,
        alone=find(columns, people=people, seed=seed),
        together=find(columns, base=base, people=people, seed=seed),
        singling=singling(table, [name for name in table.names if name not in {*quasi, person}], people),
        worst=_worst(table, quasi, frequency, classes),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _File:
    """A file's classes, and how many hide among how many."""

    frequency: FrequencySet
    classes: Classes
    found: Exposed
    threshold: Fraction

    def journalist(self, crowd: Crowd | None) -> Journalist | None:
        """The exposure among the people of the population."""
        if crowd is None:
            return None
        sizes = self.classes.sizes
        if crowd.fits is None:
            fraction = Fraction(self.found.people, crowd.people)
            exposure = by_estimate(self.found, individual_risks(self.found.among, fraction), self.threshold)
            return Journalist("estimate", exposure, marketer_among(sizes, individual_risks(sizes, fraction)), 0)
        fits = np.maximum(crowd.fits, sizes)  # whoever is in the file is in the population, known or not
        exposure = by_size(exposed(self.frequency, self.classes.of, fits), self.threshold)
        unknown = int(sizes[crowd.fits < sizes].sum())
        return Journalist("population table", exposure, marketer_among(sizes, 1 / fits), unknown)

    def uniqueness(self, crowd: Crowd | None) -> Uniqueness:
        """Who is unique, as far as the population is known."""
        sizes = self.classes.sizes
        if crowd is None:
            return alone(sizes)
        if crowd.fits is not None:
            return counted(sizes, crowd.fits, crowd.people)
        return estimated(sizes, crowd.people, spread=int(sizes.sum()) != self.found.people)


def _table(source: object) -> Table:
    """The table, read where it is none yet."""
    return source if isinstance(source, Table) else io.read(source)


def _check(table: Table, quasi: Sequence[str], sensitive: Sequence[str], person: str | None) -> None:
    """Refuse columns that are not there, or have two roles, and a table of no records."""
    named = [Attribute(name, Role.QUASI) for name in quasi] + [Attribute(name, Role.SENSITIVE) for name in sensitive]
    key = [Attribute(name, Role.IDENTIFYING) for name in table.names if name == person]
    Schema((*named, *key), rest=Role.INSENSITIVE, person=person).over(table.names)
    if not table.records:
        raise InfeasibleError("there are 0 records", hint="bring a table with records")


def _worst(
    table: Table, quasi: Sequence[str], frequency: FrequencySet, classes: Classes
) -> tuple[tuple[str | None, ...], ...]:
    """The cells of some of the smallest classes, in the order of their texts."""
    smallest = classes.first[classes.sizes == classes.sizes.min()]
    columns = [table[name].values.to_list() for name in quasi]
    rows = [
        tuple(values[code] for values, code in zip(columns, row, strict=True))
        for row in frequency.quasi[smallest].tolist()
    ]
    return tuple(sorted(rows, key=lambda row: [text or "" for text in row])[:SHOWN])
