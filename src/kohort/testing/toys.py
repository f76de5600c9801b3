"""Random toy tables, already divided into classes of which some are merged: where counter-examples are looked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kohort.core.frequency import ClassProfile, FrequencySet, Histogram, people_in, profile
from kohort.schema.sensitive import SensitiveDomain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.arrays import Counts, Index
    from kohort.models.base import PrivacyModel

#: Most classes and most values of a toy: every counter-example that the literature prints is smaller.
_CLASSES, _VALUES = 4, 4


@dataclass(frozen=True, slots=True)
class Row:
    """Some equal records.

    Attributes:
        class_: Their class before merging.
        value: Their sensitive value; `None` where they have none.
        records: How many; 1 where people have several.
        person: Whose they are; `None` where every record is a person.
    """

    class_: int
    value: int | None
    records: int
    person: int | None = None


@dataclass(frozen=True, slots=True)
class Toy:
    """A table in classes, and coarser classes of it.

    Attributes:
        rows: The records.
        merged: Per class, the coarser class that it becomes part of.
        strangers: Per class, people of the population whom it fits and who have no record.
        outside: People of the population who fit no class; coarser class 0 fits them.
        numeric: Whether values are numbers.
        pairs: Whether values have a hierarchy: of pairs of neighbours.
    """

    rows: tuple[Row, ...]
    merged: tuple[int, ...]
    strangers: tuple[int, ...]
    outside: int
    numeric: bool
    pairs: bool

    @property
    def shared(self) -> bool:
        """Whether people have several records, and may so be in several classes."""
        return any(row.person is not None for row in self.rows)

    def fine(self, model: PrivacyModel) -> ClassProfile:
        """The profile of the classes, as far as the model says that it looks."""
        return self._profile(model, [row.class_ for row in self.rows], self.strangers, self.outside)

    def coarse(self, model: PrivacyModel) -> ClassProfile:
        """The profile of the coarser classes."""
        strangers = [0] * len(set(self.merged))
        for class_, people in zip(self.merged, self.strangers, strict=True):
            strangers[class_] += people
        strangers[0] += self.outside
        return self._profile(model, [self.merged[row.class_] for row in self.rows], tuple(strangers), 0)

    def records(self, class_: int) -> int:
        """Records of one of the classes."""
        return sum(row.records for row in self.rows if row.class_ == class_)

    def _profile(
        self, model: PrivacyModel, class_of: list[int], strangers: tuple[int, ...], outside: int
    ) -> ClassProfile:
        values = sorted({row.value for row in self.rows if row.value is not None})
        codes = np.array([len(values) if row.value is None else values.index(row.value) for row in self.rows], np.int64)
        counts = np.array([row.records for row in self.rows], np.int64)
        people = np.array([row.person for row in self.rows], np.int64) if self.shared else None
        domains: tuple[SensitiveDomain, ...] = ()
        if (name := model.declared.sensitive) is not None:
            reference = people_in(codes, len(values) + 1, counts, people)[:-1]
            domains = (self._domain(name, values, reference, numeric=self.numeric or model.declared.of_numbers),)
        sensitive = codes.astype(np.uint16)[:, None][:, : len(domains)]
        frequency = FrequencySet(np.empty((len(codes), 0), np.uint16), sensitive, counts, domains, people)
        known = profile(frequency, np.array(class_of, np.int64), len(strangers))
        if not model.declared.population:
            return known
        return replace(known, population=known.sizes + np.array(strangers, np.int64), outside=outside)

    def _domain(self, name: str, values: list[int], reference: Counts, *, numeric: bool) -> SensitiveDomain:
        levels: tuple[Index, ...] = ()
        if self.pairs and values:
            levels = (np.arange(len(values)), np.unique(np.array(values) // 2, return_inverse=True)[1].astype(np.int64))
        numbers = np.array(values, np.int64) if numeric else None
        return SensitiveDomain(name, reference, numeric, levels, numbers=numbers)

    def smaller(self) -> Iterator[Toy]:
        """Toys that lack something of this one; those that lack most come first."""
        for class_ in range(len(self.merged)) if len(self.merged) > 1 else ():
            yield self.without(class_)
        halves = tuple(replace(row, records=max(row.records // 2, 1)) for row in self.rows)
        if halves != self.rows:
            yield replace(self, rows=halves, strangers=tuple(people // 2 for people in self.strangers))
        for place, row in enumerate(self.rows):
            rest = (*self.rows[:place], *self.rows[place + 1 :])
            if any(other.class_ == row.class_ for other in rest):
                yield replace(self, rows=rest)
            if row.records > 1:
                yield replace(self, rows=(*rest[:place], replace(row, records=row.records - 1), *rest[place:]))
        for place, people in enumerate(self.strangers):
            if people:
                yield replace(self, strangers=(*self.strangers[:place], people - 1, *self.strangers[place + 1 :]))
        if self.outside:
            yield replace(self, outside=self.outside - 1)

    def without(self, gone: int) -> Toy:
        """The toy without one of its classes."""
        rows = tuple(replace(row, class_=row.class_ - (row.class_ > gone)) for row in self.rows if row.class_ != gone)
        strangers = (*self.strangers[:gone], *self.strangers[gone + 1 :])
        return replace(
            self, rows=rows, strangers=strangers, merged=_numbered([*self.merged[:gone], *self.merged[gone + 1 :]])
        )


def _numbered(classes: list[int]) -> tuple[int, ...]:
    """The same classes, numbered without a gap."""
    used = sorted(set(classes))
    return tuple(used.index(class_) for class_ in classes)


def reverse(one: ClassProfile) -> ClassProfile:
    """The same classes in the opposite order, and so their values and the nodes of a hierarchy."""
    histograms = tuple(
        Histogram(
            replace(
                held.domain,
                reference=held.domain.reference[::-1].copy(),
                levels=tuple((nodes.max() - nodes)[::-1].copy() for nodes in held.domain.levels),
                numbers=None if held.domain.numbers is None else held.domain.numbers[::-1].copy(),
            ),
            held.counts[::-1, ::-1].copy(),
        )
        for held in one.histograms
    )
    population = None if one.population is None else one.population[::-1].copy()
    return ClassProfile(one.sizes[::-1].copy(), histograms, population, one.outside)


def bare_of(one: ClassProfile) -> ClassProfile:
    """A single class with nothing but the values that it has, as if it were the whole table."""
    return replace(one, histograms=tuple(_bare(held) for held in one.histograms))


def _bare(held: Histogram) -> Histogram:
    used, counts = held.counts[0] > 0, held.counts[:, held.counts[0] > 0]
    numbers = None if held.domain.numbers is None else held.domain.numbers[used]
    return Histogram(SensitiveDomain(held.domain.name, counts[0], numeric=numbers is not None, numbers=numbers), counts)


def draw(random: np.random.Generator, least: int) -> Toy:
    """A toy some of whose classes have about `least` people; in every third, people have several records."""
    classes, values = int(random.integers(1, _CLASSES + 1)), int(random.integers(1, _VALUES + 1))
    cells = [(class_, value) for class_ in range(classes) for value in (*range(values), None)]
    most = int(random.choice([2, 4, 2 * least, 40]))
    rows = _shared(random, cells) if random.integers(3) == 0 else _apart(random, cells, most)
    class_of = _numbered([row.class_ for row in rows])
    used = max(class_of) + 1
    return Toy(
        rows=tuple(replace(row, class_=class_) for row, class_ in zip(rows, class_of, strict=True)),
        merged=_numbered([int(class_) for class_ in random.integers(0, max(used - 1, 1), used)]),
        strangers=tuple(int(people) for people in random.integers(0, most + 1, used)),
        outside=int(random.integers(3)),
        numeric=bool(random.integers(2)),
        pairs=bool(random.integers(2)),
    )


def _apart(random: np.random.Generator, cells: list[tuple[int, int | None]], most: int) -> list[Row]:
    """Records that are a person each, in about half of the cells and at least in one."""
    chosen = [cell for cell in cells if random.integers(2)] or cells[:1]
    return [Row(class_, value, int(random.integers(1, most + 1))) for class_, value in chosen]


def _shared(random: np.random.Generator, cells: list[tuple[int, int | None]]) -> list[Row]:
    """Records of a few people, each of whom may have several."""
    people = int(random.integers(1, 10))
    chosen = [cells[int(cell)] for cell in random.integers(0, len(cells), int(random.integers(1, 3 * people + 1)))]
    return [Row(class_, value, 1, int(random.integers(people))) for class_, value in chosen]
