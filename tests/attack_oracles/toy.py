"""Toy worlds: every table that there can be, what is released of each, and what the release tells of the table.

The attacker of these oracles knows all but the records: the values there are, how many records were given, the job, the
algorithm and the release. What is true of every table that gives the same release, its preimages, he knows for certain.
Nothing is searched cleverly: all tables are made and released by the package's own algorithms.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import combinations, combinations_with_replacement, product
from operator import add
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kohort.algorithms.problem import Problem
from kohort.core.frequency import FrequencySet
from kohort.core.recoding import Multidimensional, classes_of
from kohort.engines.exposure import downcoded
from kohort.errors import InfeasibleError
from kohort.schema import Attribute, Role
from kohort.schema.domain import resolve
from kohort.schema.sensitive import SensitiveDomain
from kohort.schema.sensitive import resolve as resolve_sensitive

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kohort.algorithms.problem import Algorithm
    from kohort.arrays import Index
    from kohort.core.recoding import Recoding, RegionClasses
    from kohort.models.base import PrivacyModel
    from kohort.schema.domain import Domain

#: The values of one record: quasi-identifying ones, then the sensitive one where there is one.
Record: TypeAlias = tuple[str, ...]

#: The records of a table, in any order that is always the same.
Rows: TypeAlias = tuple[Record, ...]

#: A class as it is printed: the label of each quasi-identifier, how many records, and their sensitive values.
Printed: TypeAlias = tuple[Record, int, tuple[tuple[str, int], ...]]

#: Shares that differ by less are equal: they are quotients of small counts.
NOISE = 1e-12

ILLNESS = Attribute("illness", Role.SENSITIVE)


@dataclass(frozen=True)
class Released:
    """A release, and what only the steward sees: which records are in each class.

    Attributes:
        printed: The classes, in the order of their content.
        dealings: What may be in these classes: of each, how many records have each tuple of values. Where records that
            the algorithm does not tell apart, of one cell of a grid, are dealt to several, that is every way to do it.
        told: How many cells of each column the labels alone give away, by the package's own count.
    """

    printed: tuple[Printed, ...]
    dealings: tuple[tuple[Counter[Record], ...], ...] = field(compare=False)
    told: tuple[int, ...] = field(compare=False)


@dataclass(frozen=True)
class World:
    """What the attacker knows before he sees a release.

    Attributes:
        name: What the world is called in a table of figures.
        attributes: The quasi-identifiers.
        values: The values that each can have.
        algorithm: How the recoding is found.
        models: What every class satisfies.
    """

    name: str
    attributes: tuple[Attribute, ...]
    values: tuple[tuple[str, ...], ...]
    algorithm: Algorithm
    models: tuple[PrivacyModel, ...]

    def tables(self, records: int) -> Iterator[Rows]:
        """Every table of so many records; their order tells nothing, so that each multiset is one."""
        return combinations_with_replacement(tuple(product(*self.values)), records)

    def released(self, rows: Rows) -> Released | None:
        """What is released of a table; `None` where nothing can be."""
        width = len(self.attributes)
        columns = [
            resolved(attribute, tuple(sorted(Counter(column).items())))
            for attribute, column in zip(self.attributes, zip(*rows, strict=True), strict=False)
        ]
        alike: defaultdict[Record, Counter[Record]] = defaultdict(Counter)  # what has the same codes is one tuple
        codes = [{value: f"{code[value]:02}" for value in code} for _, code in columns]
        for row in rows:
            of = (code[value] for code, value in zip(codes, row[:width], strict=True))
            alike[*of, *row[width:]][row] += 1
        tuples = sorted(alike)
        quasi = np.array([[int(code) for code in one[:width]] for one in tuples], dtype=np.uint16)
        counts = np.array([alike[one].total() for one in tuples], dtype=np.int64)
        sensitive = _sensitive([one[width] for one in tuples], counts) if len(rows[0]) > width else None
        domain, held = (
            ((), np.empty((len(tuples), 0))) if sensitive is None else ((sensitive[0],), sensitive[1][:, None])
        )
        frequency = FrequencySet(quasi, held.astype(np.uint16), counts, domain)
        return self._solved(frequency, tuple(domain for domain, _ in columns), [alike[one] for one in tuples])

    def _solved(
        self, frequency: FrequencySet, domains: tuple[Domain, ...], tuples: Sequence[Counter[Record]]
    ) -> Released | None:
        try:
            recoding = self.algorithm.solve(Problem(frequency, domains, self.models)).recoding
        except InfeasibleError:
            return None
        classes = classes_of(recoding, frequency, domains)
        dealt = _dealt(_pieces(recoding, frequency, classes), tuples, classes.sizes.size)
        region = classes.first.tolist()
        labels = [tuple(label.texts[label.of[first]] for label in classes.labels) for first in region]
        told = downcoded(recoding, frequency, domains, classes) if isinstance(recoding, Multidimensional) else ()
        shown = [printed(label, held, len(domains)) for label, held in zip(labels, dealt[0], strict=True)]
        order = sorted(range(len(shown)), key=shown.__getitem__)
        dealings = tuple(tuple(one[place] for place in order) for one in dealt)
        return Released(tuple(shown[one] for one in order), dealings, tuple(told))

    def preimages(self, tables: Iterable[Rows]) -> dict[Released, dict[Rows, Released]]:
        """The tables that give each release, and what is in its classes then."""
        found: defaultdict[Released, dict[Rows, Released]] = defaultdict(dict)
        for rows in tables:
            released = self.released(rows)
            if released is not None:
                found[released][rows] = released
        return dict(found)


def printed(labels: Record, inside: Counter[Record], width: int) -> Printed:
    """A class as everybody sees it."""
    illnesses = Counter[str]()
    for row, count in inside.items():
        for illness in row[width:]:
            illnesses[illness] += count
    return labels, inside.total(), tuple(sorted(illnesses.items()))


@lru_cache(maxsize=10_000)
def resolved(attribute: Attribute, counts: tuple[tuple[str, int], ...]) -> tuple[Domain, Mapping[str, int]]:
    """The domain over observed values, and the code of each."""
    values = [value for value, _ in counts]
    domain, codes = resolve(attribute, values, np.array([count for _, count in counts]), frozenset({""}))
    return domain, dict(zip(values, codes.tolist(), strict=True))


def _sensitive(held: Sequence[str], counts: Index) -> tuple[SensitiveDomain, Index]:
    """The domain of the sensitive values of some tuples, and the code of each tuple's."""
    values = sorted(set(held))
    records = np.array([sum(counts[place] for place, one in enumerate(held) if one == value) for value in values])
    domain, codes = resolve_sensitive(ILLNESS, values, records, frozenset({""}))
    return domain, codes[[values.index(one) for one in held]]


# ── Downcoding ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Downcoding:
    """What the releases of all tables of one size give back.

    Attributes:
        cells: Cells whose label is not the value itself, over all tables.
        certain: Those whose value the attacker knows for certain to be in the class, for that many records.
    """

    cells: int
    certain: int

    @cached_property
    def rate(self) -> float:
        """The share of generalized cells that are certain."""
        return self.certain / self.cells if self.cells else 0.0


def certain_cells(same: Iterable[Released], column: int) -> list[Counter[str]]:
    """Of each class of a release: the values of which in every preimage at least so many records have each.

    Records of a class are alike to the attacker; who says that two of them are 20 claims no more than that.
    """
    least: list[Counter[str]] = []
    for dealing in (dealing for released in same for dealing in released.dealings):
        seen = [Counter[str]() for _ in dealing]
        for of, inside in zip(seen, dealing, strict=True):
            for row, count in inside.items():
                of[row[column]] += count
        least = [a & b for a, b in zip(least, seen, strict=True)] if least else seen
    return least


def downcoding(world: World, records: int, column: int = 0) -> Downcoding:
    """How many cells of a column of all tables of so many records the attacker gets back."""
    cells = certain = 0
    for released, same in world.preimages(world.tables(records)).items():
        known = certain_cells(same.values(), column)
        for (labels, size, _), least in zip(released.printed, known, strict=True):
            if size and labels[column] not in world.values[column]:
                cells += size * len(same)
                certain += least.total() * len(same)
    return Downcoding(cells, certain)


# ── Minimality ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Minimality:
    """What the releases of all assignments of illnesses to known people tell of these people.

    Attributes:
        releases: Assignments that can be released.
        breached: Those after whose release somebody has some illness more surely than was promised.
        gained: Those after which somebody has some illness more surely than any class of the release shows.
        surest: The greatest probability of an illness of somebody, over all releases.
        naive: The same for an attacker who sees the classes and does not think of the algorithm.
    """

    releases: int
    breached: int
    gained: int
    surest: float
    naive: float


def minimality(world: World, people: Rows, illnesses: Sequence[str], promise: float) -> Minimality:
    """Posteriors of an attacker who knows everybody's quasi-identifiers and how the release was made.

    Every assignment of illnesses to people is as likely as another before the release (Wong et al., 2007).
    """
    tables = [
        tuple((*one, ill) for one, ill in zip(people, held, strict=True))
        for held in product(illnesses, repeat=len(people))
    ]
    releases = breached = gained = 0
    surest = naive = 0.0
    for released, same in world.preimages(tables).items():
        worst = max(
            sum(rows[person][-1] == illness for rows in same) / len(same)
            for person in range(len(people))
            for illness in illnesses
        )
        shown = max(count / size for _, size, held in released.printed for _, count in held)
        releases += len(same)
        breached += len(same) * (worst > promise + NOISE)
        gained += len(same) * (worst > shown + NOISE)
        surest, naive = max(surest, worst), max(naive, shown)
    return Minimality(releases, breached, gained, surest, naive)


def _dealt(
    pieces: Sequence[tuple[int, int, int]], tuples: Sequence[Counter[Record]], classes: int
) -> list[tuple[Counter[Record], ...]]:
    """What may be in the classes, in each way to deal the records of tuples that lie in several."""
    parts: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for place, of, count in pieces:
        parts[place][of] += count
    found: list[tuple[Counter[Record], ...]] = [(Counter[Record](),) * classes]
    for place, into in parts.items():
        ways = [[way.get(of, Counter()) for of in range(classes)] for way in _ways(tuples[place], list(into.items()))]
        found = [tuple(map(add, inside, way)) for inside in found for way in ways]
    return found


def _ways(records: Counter[Record], into: Sequence[tuple[int, int]]) -> Iterator[dict[int, Counter[Record]]]:
    """Every way to put so many of the records into each class."""
    (of, count), *rest = into
    for chosen in sorted(set(combinations(sorted(records.elements()), count))):
        taken = Counter(chosen)
        for others in _ways(records - taken, rest) if rest else ({},):
            yield {**others, of: taken}


def _pieces(recoding: Recoding, frequency: FrequencySet, classes: RegionClasses) -> list[tuple[int, int, int]]:
    """The tuple, the class and the records of each piece that is released."""
    if isinstance(recoding, Multidimensional):
        of = classes.of[recoding.regions].tolist()
        return list(zip(recoding.tuples.tolist(), of, recoding.counts.tolist(), strict=True))
    kept = np.flatnonzero(recoding.of >= 0)
    of = classes.of[recoding.of[kept]].tolist()
    return list(zip(kept.tolist(), of, frequency.counts[kept].tolist(), strict=True))
