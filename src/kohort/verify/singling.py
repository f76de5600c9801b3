"""Whom the columns that are not generalized single out, and whose exact value a label gives away.

A value that nobody else has tells its person from all others, whatever was done to the quasi-identifiers; so does a
pair of values of two columns. A missing value counts as a value. A label gives a value away that it prints although it
stands for several, and that nobody else of the class has.
"""

from __future__ import annotations

import secrets
from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from kohort.core.uniques import Exposed, Singling
from kohort.errors import LimitError
from kohort.schema import Label
from kohort.system.workspace import HEAP, blocks, distinct, ordinals
from kohort.verify.classes import ReleasedClasses
from kohort.verify.people import People

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index, Mask, Numbers, Shares
    from kohort.system.workspace import Workspace
    from kohort.tables.table import CellCodes, Column, Table
    from kohort.verify.labels import Fit, Meaning
    from kohort.verify.verdict import Claim


#: Pairs of columns, by their places.
Pairs: TypeAlias = "Sequence[tuple[int, int]]"

#: Pairs that are told at most: those that single out most.
PAIRS: Final = 20

#: Columns of which every two are looked at, at most: two million pairs take a minute where records are few.
MOST_COLUMNS: Final = 2_000

#: Records of the sample that decides which pairs are counted: whoever is unique among all is unique in each sample.
SAMPLE: Final = 1 << 16

#: A pair is counted where one in so many of the sample's people is unique: at 4 % no pair of 5 % is missed.
_SELDOM: Final = 25


def singled_out(columns: Sequence[Column], people: Index | None = None) -> tuple[Singling, ...]:
    """Each of the columns, then the pairs that single out more than 5 % of the people and more than either alone.

    A column that singles out more than half of the people is in no pair: each pair with it would. Of more than twenty
    pairs those are told that single out most; where there are many people, most of a sample of them.

    Cost: one pass over the records for each column, and for each pair that is counted; a sort instead where most pairs
    of values do not occur.

    Args:
        columns: Cells of the release.
        people: (m,) whose each record is; `None` counts each record as a person.
    """
    if not columns:
        return ()
    every = _Records.of(columns, people)
    names = [column.name for column in columns]
    return singling_of(names, every.people.total, every.counts, every.unique, every.worst)


def together(
    tables: Iterable[Table],
    records: int,
    sets: Sequence[Sequence[str]],
    *,
    people: Index | None = None,
    workspace: Workspace = HEAP,
) -> tuple[Singling, ...]:
    """Whom each of some sets of columns singles out.

    Records are told apart by hashes of 64 bits under a key that nobody knows: two that differ have the same with a
    chance of 2^-64. Cost: a hash of each value, a pass over the records for each column of a set, a sort for each set.

    Args:
        tables: The release, or its parts in their order.
        records: How many records these have.
        sets: The columns of each.
        people: (m,) whose each record is; `None` counts each record as a person.
        workspace: Where arrays as long as the release live.
    """
    whose, seed = People.among(records, people), secrets.randbits(63)
    keys = [workspace.zeros(records, np.uint64) for _ in sets]
    start = 0
    for table in tables:
        for place, name in enumerate(dict.fromkeys(name for one in sets for name in one)):
            of_value, codes = table[name].values.hash(seed + place).to_numpy(), table[name].codes
            for some in blocks(table.records):
                here, of_cell = slice(start + some.start, start + some.stop), of_value.take(codes[some])
                for key, names in zip(keys, sets, strict=True):
                    if name in names:
                        key[here] ^= of_cell
        start += table.records
    return tuple(Singling(tuple(names), whose.apart(key), whose.total) for names, key in zip(sets, keys, strict=True))


def refuse_many(columns: int) -> None:
    """Raise if so many columns are to be released as they are that their pairs cannot all be looked at."""
    if columns > MOST_COLUMNS:
        what = f"{columns:,} columns would be released unchanged; pairs are checked for at most {MOST_COLUMNS:,}"
        raise LimitError(what, hint="drop columns (--rest drop), or release them in several tables")


def singling_of(
    names: Sequence[str],
    total: int,
    counts: Sequence[Counts],
    unique: Callable[..., int],
    worst: Callable[[Pairs], Pairs] = lambda pairs: pairs,
) -> tuple[Singling, ...]:
    """What `singled_out` says of the columns of so many people.

    Args:
        names: The columns.
        total: The number of people.
        counts: (v,) of each column, records with each value.
        unique: People with a value, or a pair of values, that nobody else has; of columns by their places.
        worst: The pairs that are to be counted.
    """
    alone = [Singling((name,), unique(place), total) for place, name in enumerate(names)]
    found: list[Singling] = []
    for pair in worst(likely(counts, alone)):
        one = Singling((names[pair[0]], names[pair[1]]), unique(*pair), total)
        if one.many and one.unique > max(alone[place].unique for place in pair):
            found.append(one)
    return (*alone, *sorted(found, key=lambda pair: -pair.unique)[:PAIRS])


def likely(counts: Sequence[Counts], alone: Sequence[Singling]) -> Pairs:
    """The pairs of columns that may have to be told, by what each column has and singles out alone."""
    refuse_many(len(counts))
    least = [max(single.people // 20, single.unique) for single in alone]
    few = np.array([not single.most for single in alone])
    found = np.triu(most(counts) > np.maximum.outer(least, least), 1) & np.logical_and.outer(few, few)
    return [(one, other) for one, other in np.argwhere(found).tolist()]


@dataclass(frozen=True, slots=True, eq=False)
class _Records:
    """Records in columns.

    Attributes:
        codes: (m,) of each column, the value of each record.
        counts: (v,) of each column, records with each value.
        people: Whose each record is.
    """

    codes: Sequence[CellCodes]
    counts: Sequence[Counts]
    people: People

    @classmethod
    def of(cls, columns: Sequence[Column], people: Index | None) -> _Records:
        codes = [column.codes for column in columns]
        return cls(codes, [column.counts() for column in columns], People.among(codes[0].size, people))

    def unique(self, *columns: int) -> int:
        if len(columns) == 1 and self.people.of is None:
            return int(np.count_nonzero(self.counts[columns[0]] == 1))
        first, *others = columns
        cells: NDArray[np.integer] = self.codes[first]
        size = self.counts[first].size
        for column in others:
            values = self.counts[column].size
            cells, size = cells * np.int64(values) + self.codes[column], size * values
        return self.people.unique(cells, size)

    def worst(self, pairs: Pairs) -> Pairs:
        """The pairs that are to be counted: all, or those that single out most of a sample, and not too few of it.

        The sample has all records of some of the people, drawn alike each time.
        """
        if self.codes[0].size <= 2 * SAMPLE:
            return pairs
        size = max(SAMPLE * self.people.total // self.codes[0].size, 1)
        records = drawn = drawn_of(self.people.total, size)
        if self.people.of is not None:
            records = np.flatnonzero(np.isin(self.people.of, drawn))
        sample = [codes.take(records) for codes in self.codes]
        return worst_of(pairs, size, _Records(sample, self.counts, self.people.taken(records)).unique)


def most(counts: Sequence[Counts]) -> Counts:
    """(c, c) no fewer than each two columns single out together.

    A value has one person at most for each value of the other column.

    Args:
        counts: (v,) of each column, records with each value.

    >>> most([np.array([7, 1, 1]), np.array([5, 4])]).tolist()
    [[5, 4], [4, 4]]
    """
    sizes, of = np.unique([one.size for one in counts], return_inverse=True)
    sums = np.array([_bounded(one, sizes) for one in counts]).take(of, axis=1)
    bounds: Counts = np.minimum(sums, sums.T)
    return bounds


def _bounded(counts: Counts, bounds: Counts) -> Counts:
    """The sum of the counts for each bound, where none counts for more than the bound."""
    ordered = np.sort(counts)
    below = np.searchsorted(ordered, bounds)
    sums: Counts = np.append(0, np.cumsum(ordered))[below] + bounds * (counts.size - below)
    return sums


def drawn_of(people: int, size: int) -> Index:
    """The places of so many people, drawn alike each time."""
    drawn: Index = np.random.default_rng(0).choice(people, size, replace=False)
    return drawn


def worst_of(pairs: Pairs, drawn: int, unique: Callable[..., int]) -> Pairs:
    """The pairs that single out most of a sample of so many people, and not too few of it."""
    found = {pair: unique(*pair) for pair in pairs}
    some = [pair for pair in pairs if _SELDOM * found[pair] > drawn]
    return sorted(some, key=lambda pair: -found[pair])[:PAIRS]


def exposure(
    table: Table,
    regions: Mapping[str, tuple[Meaning, Fit]],
    claim: Claim,
    classes: ReleasedClasses,
    people: Index | None,
    *,
    at_ends: Mask,
) -> Exposed:
    """Who is exposed, by what.

    Args:
        table: The release.
        regions: What the labels of its columns stand for, and how the records fit; nodes of a full-domain release are
            no data.
        claim: Which records of the input these are.
        classes: Its classes.
        people: (m,) whose each record is.
        at_ends: (m,) which alone in their class hold an end of a range of numbers; it is written to.
    """
    whose = People.among(table.records, people, claim.borne)
    room, counted = claim.workspace, whose.of is whose.weights is None  # each record is a person: those are `at_ends`
    by = {kind: room.zeros(table.records, np.bool_) for kind in (Label.RANGE, Label.SET, Label.MEAN)}
    if counted:
        by[Label.RANGE] = at_ends
    kinds = {
        name: meaning.values.label
        for name, (meaning, _) in regions.items()
        if meaning.values.label in by and not (counted and meaning.ranged)
    }
    printed = {name: _Printed.of(table[name], *regions[name]) for name in kinds}
    alone = {name: room.zeros(table.records, np.bool_) for name in kinds if regions[name][0].values.has_companions}

    def mark(one: tuple[slice, ReleasedClasses]) -> None:
        some, part = one
        lineage, persons = claim.lineage[some], whose.taken(some)
        for name, kind in kinds.items():
            values = partial(_taken, claim.original[name].codes, lineage)
            held, size = printed[name].held(some, table[name].codes[some], values, part)
            single = persons.alone(held, size, part)
            alone.get(name, by[kind])[some] |= printed[name].bare(single, table[name].codes[some], values)

    deque(room.side_by_side(mark, _parts(classes)), maxlen=0)
    for name, single in alone.items():
        values = _taken(claim.original[name].codes, claim.lineage)
        by[Label.SET] |= printed[name].unaccompanied(single, table[name].codes, values)
    every = room.zeros(table.records, np.bool_)
    for records in by.values():
        np.logical_or(every, records, out=every)
    return Exposed(whose.count(every), *(whose.count(records) for records in by.values()))


def _taken(values: CellCodes, lineage: Numbers) -> CellCodes:
    return values.take(lineage)


#: Records that are looked at together, with the rest of their classes.
_TOGETHER: Final = 1 << 18


def _parts(classes: ReleasedClasses) -> Iterator[tuple[slice, ReleasedClasses]]:
    """The records some whole classes at a time, and these classes: in a release they follow one another."""
    starts = classes.first
    ends = np.append(starts[1:], classes.of.size)[: starts.size]
    first = 0
    while first < ends.size:
        start = int(starts[first])
        last = max(int(np.searchsorted(ends, start + _TOGETHER, side="right")), first + 1)
        some, sizes = slice(start, int(ends[last - 1])), ends[first:last] - starts[first:last]
        of = np.repeat(np.arange(sizes.size), sizes)
        yield some, ReleasedClasses(of, sizes, starts[first:last] - start)
        first = last


@dataclass(frozen=True, slots=True, eq=False)
class _Printed:
    """What the labels of a column print.

    Attributes:
        meaning: What they stand for.
        found: How the records fit.
        absent: (u,) which values of the source are missing; `None` where none is.
        lists: (L,) which labels list several values.
        means: (L,) what each says; of means.
        amounts: (u,) what each value is; of means.
    """

    meaning: Meaning
    found: Fit
    absent: Mask | None
    lists: Mask
    means: Shares
    amounts: Shares

    @classmethod
    def of(cls, column: Column, meaning: Meaning, found: Fit) -> _Printed:
        means = amounts = np.empty(0)
        if meaning.values.label is Label.MEAN:
            means, amounts = meaning.means(column.values), meaning.values.amounts()
        absent = meaning.values.absent
        return cls(meaning, found, absent if absent.any() else None, _sets(column, meaning), means, amounts)

    def held(
        self, some: slice, labels: NDArray[np.integer], values_of: Callable[[], CellCodes], classes: ReleasedClasses
    ) -> tuple[NDArray[np.unsignedinteger], int]:
        """(m,) what each of some records has that its label prints, and how many such things there are.

        Who has that number has nothing. A label prints what stands for others too: the ends of a range, the members of
        a set, a mean.
        """
        meaning = self.meaning
        if meaning.values.label is Label.RANGE:
            low, high = self.found.among(self.found.at_low, some), self.found.among(self.found.at_high, some)
            ends = np.where(low, np.uint8(0), np.where(high, np.uint8(1), np.uint8(2)))
            return ends if self.absent is None else np.where(self.absent.take(values_of()), np.uint8(2), ends), 2
        values = values_of()
        rank, names = meaning.ranks.take(values), len(meaning.values.names)
        if meaning.values.label is Label.SET:
            printed = self.lists.take(labels)
        else:
            several = np.zeros(classes.sizes.size, np.bool_)
            several[classes.of[rank != rank.take(classes.first).take(classes.of)]] = True
            printed = (self.amounts.take(values) == self.means.take(labels)) & several.take(classes.of)
        printed = printed if self.absent is None else printed & ~self.absent.take(values)
        return np.where(printed, rank, names).astype(np.uint32), names

    def bare(self, single: Mask, labels: NDArray[np.integer], values_of: Callable[[], CellCodes]) -> Mask:
        """(m,) which of these records, whose value nobody else in the class has, nothing covers in their label.

        A branch of the hierarchy does that holds another value of the source, where the label stands for all of it.
        """
        values = self.meaning.values
        if values.hierarchy is None or not values.of_branches or not single.any():
            return single
        bare = np.flatnonzero(single)
        held, labels = values_of().take(bare), labels.take(bare).astype(np.int64)
        sets = np.repeat(np.arange(self.lists.size), np.diff(self.meaning.first))
        for level in range(1, values.hierarchy.height + 1):
            above, many = values.above(level), len(values.hierarchy.labels[level])
            under, listed = np.bincount(above[above >= 0], minlength=many), above.take(self.meaning.listed)
            inside, counts = np.unique((sets * many + listed)[listed >= 0], return_counts=True)
            whole = inside[(counts == under[inside % many]) & (counts > 1)]
            still = ~np.isin(labels * many + above.take(held), whole)
            bare, held, labels = bare[still], held[still], labels[still]
        found = np.zeros(single.size, np.bool_)
        found[bare] = True
        return found

    def unaccompanied(self, single: Mask, labels: NDArray[np.integer], values: NDArray[np.integer]) -> Mask:
        """(m,) which of these records have a value that no other one stands beside in all the sets of such records.

        Which values are companions is for the search to say: who has one is not told apart from who has the other.
        """
        alone, many, names = np.flatnonzero(single), self.lists.size, len(self.meaning.ranks)
        value, label = np.divmod(distinct(values.take(alone).astype(np.int64) * many + labels.take(alone)), many)
        starts, ends = self.meaning.first[:-1][label], self.meaning.first[1:][label]
        each: Counts = ends - starts
        most, sets = np.zeros(names, np.int64), np.bincount(value, minlength=names)
        for first, last in _by_value(value, each):
            sizes = each[first:last]
            of: Index = np.repeat(np.arange(first, last), sizes)
            listed = self.meaning.listed[starts[of] + ordinals(sizes)].astype(np.int64)
            other = self.meaning.ranks.take(listed) != self.meaning.ranks.take(value[of])
            pairs, counts = np.unique(value[of[other]] * names + listed[other], return_counts=True)
            np.maximum.at(most, pairs // names, counts)
        found = np.zeros(single.size, np.bool_)
        found[alone] = (most < sets)[values.take(alone)]
        return found


def _by_value(values: Index, sizes: Counts) -> Iterator[tuple[int, int]]:
    """Where ascending values begin and end, all of one value together: some at a time, of about `_TOGETHER` things."""
    firsts: Index = np.append(np.flatnonzero(np.append(-1, values[:-1]) != values), values.size)
    before: Index = np.append(0, np.cumsum(sizes))[firsts]
    at = 0
    while at < firsts.size - 1:
        last = max(int(np.searchsorted(before, int(before[at]) + _TOGETHER, side="right")) - 1, at + 1)
        yield int(firsts[at]), int(firsts[last])
        at = last


def _sets(column: Column, meaning: Meaning) -> Mask:
    ranks, listing = meaning.ranks.take(meaning.listed), np.flatnonzero(np.diff(meaning.first))
    several = np.zeros(meaning.low.size, np.bool_)
    if listing.size:
        starts = meaning.first[listing]
        several[listing] = np.minimum.reduceat(ranks, starts) < np.maximum.reduceat(ranks, starts)
    braced: Mask = column.values.fill_null("").str.starts_with("{").to_numpy()
    return several & braced
