"""The frequency set: the distinct tuples of a table and their counts, the waist of the hourglass.

LeFevre, DeWitt, Ramakrishnan: Incognito (SIGMOD 2005), section 1.1. Everything an algorithm, a model or a
metric knows of a table is here, as integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

import numpy as np

from kohort.native.library import COUNT_VALUES, GROUP, SHARED
from kohort.system.workspace import HEAP, TALLIED, blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from kohort.arrays import Codes, Counts, Index, Mask, Numbers
    from kohort.schema.sensitive import SensitiveDomain
    from kohort.system.workspace import Workspace

    #: Rows as 64-bit words: (n, w).
    Words: TypeAlias = NDArray[np.uint64]

#: What numbers of groups are made of.
N = TypeVar("N", np.uint32, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class FrequencySet:
    """Weighted tuples of quasi-identifying and sensitive codes.

    Grouping is a saving, not a promise: equal tuples may stand more than once (a table of near-unique tuples is not
    grouped at all), and their order means nothing. Every consumer adds up counts and so sees no difference.

    Attributes:
        quasi: (t, d) codes of the quasi-identifiers.
        sensitive: (t, s) codes of the sensitive attributes that the models look at; s may be 0.
        counts: (t,) records with this tuple.
        sensitive_domains: (s,) what the sensitive codes mean.
        people: (t,) whose records they are, where the schema has a person key: then no tuple is of two people.
    """

    quasi: Codes
    sensitive: Codes
    counts: Counts
    sensitive_domains: tuple[SensitiveDomain, ...] = ()
    people: Index | None = None

    @property
    def records(self) -> int:
        """The number of records that the tuples stand for."""
        return int(self.counts.sum())

    def records_by_code(self, column: int, values: int) -> Counts:
        """(values,) the records with each code of a quasi-identifier."""
        return np.bincount(self.quasi[:, column], self.counts, values).astype(np.int64)

    def take(self, chosen: Numbers | Mask, counts: Counts) -> FrequencySet:
        """Some of the tuples, with so many records each."""
        people = None if self.people is None else self.people[chosen]
        return FrequencySet(self.quasi[chosen], self.sensitive[chosen], counts, self.sensitive_domains, people)


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """Who has which value of a sensitive attribute, by class.

    Of thousands of values a class has few: then w columns are enough for those that some class has at most.

    Attributes:
        domain: The v values there are, and who has them in the whole input table.
        counts: (c, v) people of each class with each value, C-contiguous; who has none is in no column. (c, w) where
            there are `places`: of the values that the class has, then 0.
        places: (c, w) which value each count is of, ascending; 0 where it is of none. `None`: of every value in turn.
    """

    domain: SensitiveDomain
    counts: Counts
    places: Index | None = None

    @classmethod
    def of_few(cls, domain: SensitiveDomain, cells: Index, people: Counts, classes: int) -> Histogram:
        """The histogram of the values that occur.

        Args:
            domain: The v values there are.
            cells: (m,) class · v + value of each pair that occurs, ascending.
            people: (m,) people of the class with the value.
            classes: How many classes there are.

        >>> from kohort.schema.sensitive import SensitiveDomain
        >>> income = SensitiveDomain("income", np.array([5, 1, 7]))
        >>> few = Histogram.of_few(income, np.array([1, 3, 5]), np.array([1, 2, 4]), 2)
        >>> few.counts.tolist(), few.places.tolist()
        ([[1, 0], [2, 4]], [[1, 0], [0, 2]])
        """
        of, values = np.divmod(cells, max(len(domain), 1))
        starts = np.searchsorted(of, np.arange(classes))
        column = np.arange(of.size) - starts[of]
        counts = np.zeros((classes, int(column.max(initial=-1)) + 1), np.int64)
        places = np.zeros_like(counts)
        counts[of, column], places[of, column] = people, values
        return cls(domain, counts, places)

    def number_of_values(self) -> Counts:
        """(c,) how many different values each class has."""
        found = np.empty(len(self.counts), np.int64)
        COUNT_VALUES(self.counts, self.counts.shape[1], found)
        return found

    def few(self) -> Histogram:
        """The same people, counted by the values that their class has."""
        people = self.counts.reshape(-1)
        cells = np.flatnonzero(people)
        return Histogram.of_few(self.domain, cells, people[cells], len(self.counts))

    def take(self, chosen: Mask) -> Histogram:
        """Some of the classes."""
        return Histogram(self.domain, self.counts[chosen], None if self.places is None else self.places[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class ClassProfile:
    """What a privacy model may know of equivalence classes: how large they are and what is sensitive in them.

    People are counted where the schema has a person key: somebody with several records counts once in a class, and once
    for each different value. Without one every record is a person.

    Attributes:
        sizes: (c,) people of each class.
        histograms: One per sensitive attribute that a model looks at.
        population: (c,) people of the population table whom the class's released values fit; `None` without a table.
        outside: People of the population table who fit no class.
    """

    sizes: Counts
    histograms: tuple[Histogram, ...] = ()
    population: Counts | None = None
    outside: int = 0

    def of(self, sensitive: str | None) -> Histogram:
        """The histogram of the sensitive attribute called so; `KeyError` when there is none."""
        for histogram in self.histograms:
            if histogram.domain.name == sensitive:
                return histogram
        raise KeyError(sensitive)

    def take(self, chosen: Mask) -> ClassProfile:
        """Some of the classes."""
        histograms = tuple(one.take(chosen) for one in self.histograms)
        population = None if self.population is None else self.population[chosen]
        return ClassProfile(self.sizes[chosen], histograms, population, self.outside)


def profile(frequency: FrequencySet, class_of: Index, classes: int, *, few: bool = False) -> ClassProfile:
    """The profile of `classes` classes, where tuple i belongs to class `class_of[i]`; it knows no population.

    Its histograms have a column for each value, or for those that a class has: `few`.

    Cost: one pass over the tuples per sensitive attribute, with people one of hashing, and classes x values of memory.
    """
    histograms = tuple(
        histogram_of(frequency, column, class_of, classes, few=few)
        for column in range(len(frequency.sensitive_domains))
    )
    return ClassProfile(people_in(class_of, classes, frequency.counts, frequency.people), histograms)


def histogram_of(
    frequency: FrequencySet, column: int, class_of: Index, classes: int, *, few: bool = False
) -> Histogram:
    """The histogram of one sensitive attribute, with a place for each value, or for those that a class has: `few`."""
    domain, codes, people = frequency.sensitive_domains[column], frequency.sensitive[:, column], frequency.people
    size = len(domain)
    if people is None and codes.size > TALLIED and not few:
        found = np.zeros((classes, size + 1), np.int64)  # a missing value is in the last column
        for some in blocks(codes.size):
            np.add.at(found, (class_of[some].astype(np.intp), codes[some].astype(np.intp)), frequency.counts[some])
        return Histogram(domain, np.ascontiguousarray(found[:, :size]))
    present = codes < size
    cells, counts = class_of * size + codes, frequency.counts
    if not present.all():
        cells, counts, people = cells[present], counts[present], None if people is None else people[present]
    if few:
        occur, cells = np.unique(cells, return_inverse=True)
        return Histogram.of_few(domain, occur, people_in(cells, occur.size, counts, people), classes)
    return Histogram(domain, people_in(cells, classes * size, counts, people).reshape(classes, size))


def people_in(cells: Index, size: int, counts: Counts, people: Index | None) -> Counts:
    """(size,) different people whose tuples are in each cell; records, where it is not known whose they are."""
    if people is None and cells.size > TALLIED:
        found = np.zeros(size, np.int64)
        for some in blocks(cells.size):
            np.add.at(found, cells[some].astype(np.intp), counts[some])
        return found
    if people is None:
        return np.bincount(cells, weights=counts, minlength=size).astype(np.int64)
    pairs = np.stack([cells, people], axis=1).astype(np.uint64)
    return np.bincount(cells[group(pairs).first], minlength=size).astype(np.int64)


def shared(values: NDArray[np.unsignedinteger], starts: Index, size: int) -> NDArray[np.uint32]:
    """(m,) how many records of its class have each record's value; 0 where it is none.

    Cost: two passes over the records, 8 bytes for each value and 4 for each record.

    Args:
        values: (m,) uint8, uint16 or uint32: the value of each record; none from `size` on.
        starts: (c + 1,) where the records of each class begin, then their number: they follow one another.
        size: How many values there are.

    >>> shared(np.array([0, 1, 0, 0, 9], np.uint8), np.array([0, 3, 5]), 2).tolist()
    [2, 1, 2, 1, 0]
    """
    found = np.zeros(values.size, np.uint32)
    SHARED(values, starts, np.zeros(size, np.uint64), found)
    return found


#: Classes times values that are counted together: 128 MiB.
CELLS: Final = 1 << 24

#: From so many values on, those are counted that a class has …
FEW: Final = 1 << 9

#: … of so many records together: squared, that is the room that the worst of classes take.
TOGETHER: Final = 1 << 12


def batches(sizes: Counts, values: int, *, some_values: bool) -> Iterator[tuple[slice, bool]]:
    """Consecutive classes whose sensitive values are to be counted together, and whether only those that they have.

    Thousands of classes and of values are more than there is room or time for, and most of them never meet.

    Args:
        sizes: (c,) records of each class.
        values: How many there are.
        some_values: Whether those that nobody has may be left out.

    >>> [classes for classes, _ in batches(np.array([3000, 1000, 4000]), 1000, some_values=True)]
    [slice(0, 2, None), slice(2, 3, None)]
    """
    if not some_values or values <= FEW:
        step = max(CELLS // max(values, 1), 1)
        yield from ((slice(first, min(first + step, sizes.size)), False) for first in range(0, sizes.size, step))
        return
    upto, first = np.cumsum(sizes), 0
    while first < sizes.size:
        before = int(upto[first - 1]) if first else 0
        last = max(int(np.searchsorted(upto, before + TOGETHER, side="right")), first + 1)
        yield slice(first, last), True
        first = last


#: Rows that are looked at before grouping is given up: enough to tell, few enough to cost nothing.
PROBE = 1 << 17

#: Share of distinct rows among the probe from which grouping saves less than it costs.
NEAR_UNIQUE = 0.9

#: Slots of the first hash table: it fits the second-level cache, and many tables need no more.
FEWEST_SLOTS = 1 << 15


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Equal rows of a code matrix, found by hashing.

    Attributes:
        first: (g,) the first row of each group, ascending: groups are numbered as they appear.
        of: (n,) the group of each row.
    """

    first: Index
    of: Index

    @property
    def counts(self) -> Counts:
        """(g,) rows of each group."""
        return np.bincount(self.of, minlength=self.first.size)


def group(codes: Codes | Words, *, give_up: bool = False, workspace: Workspace = HEAP) -> Grouping:
    """Group the equal rows of `codes`; with `give_up`, leave near-unique rows as groups of one.

    Cost: one hash and, mostly, one comparison per row; 8 bytes per row, 16 to 32 per group.

    >>> grouping = group(np.array([[1, 2], [3, 4], [1, 2]], dtype=np.uint16))
    >>> grouping.first.tolist(), grouping.of.tolist()
    ([0, 1], [0, 1, 0])
    """
    found = numbered(codes, workspace.empty(len(codes), np.int64), give_up=give_up, workspace=workspace)
    if found is None:
        every = np.arange(len(codes))
        return Grouping(every, every)
    return Grouping(*found)


def numbered(
    codes: Codes | Words, of: NDArray[N], *, give_up: bool = False, workspace: Workspace = HEAP
) -> tuple[Index, NDArray[N]] | None:
    """The same, the numbers of the groups written to `of`; `None` where that is given up.

    Cost: as `group`, but for the bytes of `of`.
    """
    words = _words(codes, workspace)
    if give_up and len(words) > PROBE:
        probe = np.empty(PROBE, of.dtype)
        if _grouped(words[:PROBE], probe).size > NEAR_UNIQUE * PROBE:
            return None
    return _grouped(words, of), of


def _words(codes: Codes | Words, workspace: Workspace) -> Words:
    """The same rows as (n, w) 64-bit words, padded with zeros, so that a row is compared in few steps."""
    per_word = 8 // codes.itemsize
    rows, width = codes.shape
    if width % per_word == 0 and width and codes.flags.c_contiguous:
        return codes.view(np.uint64)
    padded = workspace.zeros((rows, max(-(-width // per_word), 1) * per_word), codes.dtype)
    padded[:, :width] = codes
    return padded.view(np.uint64)


def _grouped(words: Words, of: NDArray[N]) -> Index:
    """Open addressing, at most half full; when it is, a larger table takes the groups found so far."""
    rows, first, slots = len(words), np.empty(0, np.int64), FEWEST_SLOTS
    done = np.zeros(2, np.int64)  # rows and groups
    while done[0] < rows:
        groups, table = first.size, np.full(slots, -1, np.int32)
        GROUP(words[first], words.shape[1], np.empty(groups, of.dtype), np.empty(groups, np.int64), table, done * 0)
        first = np.append(first, np.empty(slots // 2 - groups, np.int64))
        GROUP(words, words.shape[1], of, first, table, done)
        first = first[: done[1]]
        expected = min(first.size * rows // int(done[0]), rows)  # new groups become rarer: rarely are there more
        slots = max(2 * slots, 1 << (2 * expected).bit_length())
    return first
