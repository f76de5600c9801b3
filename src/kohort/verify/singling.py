"""Whom the columns that are not generalized single out, counted on the cells of the release.

A value that nobody else has tells its person from all others, whatever was done to the quasi-identifiers; so does a
pair of values of two columns. A missing value counts as a value: nobody else may lack one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.core.uniques import Singling
from kohort.verify.lone import People

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Counts, Index
    from kohort.engines.table import CellCodes, Column

#: Pairs that are told at most: those that single out most.
PAIRS: Final = 20

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
    names, total = [column.name for column in columns], every.people.total
    alone = [Singling((name,), every.unique(place), total) for place, name in enumerate(names)]
    found: list[Singling] = []
    few = [place for place, single in enumerate(alone) if not single.most]
    least = {pair: max(alone[place].unique for place in pair) for pair in combinations(few, 2)}
    for pair in every.worst([pair for pair in least if every.most(*pair) > max(total // 20, least[pair])]):
        one = Singling((names[pair[0]], names[pair[1]]), every.unique(*pair), total)
        if one.many and one.unique > least[pair]:
            found.append(one)
    return (*alone, *sorted(found, key=lambda pair: -pair.unique)[:PAIRS])


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
        """Those of a release."""
        codes = [column.codes for column in columns]
        return cls(codes, [column.counts() for column in columns], People.among(codes[0].size, people))

    def unique(self, *columns: int) -> int:
        """People with a value, or a pair of values, that nobody else has."""
        cells, size = self.codes[columns[0]].astype(np.int64), self.counts[columns[0]].size
        for column in columns[1:]:
            cells, size = cells * self.counts[column].size + self.codes[column], size * self.counts[column].size
        return self.people.unique(cells, size)

    def most(self, one: int, other: int) -> int:
        """No fewer than the pair can single out: a value has one person at most for each value of the other column."""
        bounds = ((self.counts[one], self.counts[other].size), (self.counts[other], self.counts[one].size))
        return min(int(np.minimum(counts, values).sum()) for counts, values in bounds)

    def worst(self, pairs: Sequence[tuple[int, int]]) -> Sequence[tuple[int, int]]:
        """The pairs that are to be counted: all, or those that single out most of a sample, and not too few of it."""
        if self.codes[0].size <= 2 * SAMPLE:
            return pairs
        drawn, sample = self._sample()
        found = {pair: sample.unique(*pair) for pair in pairs}
        some = [pair for pair in pairs if _SELDOM * found[pair] > drawn]
        return sorted(some, key=lambda pair: -found[pair])[:PAIRS]

    def _sample(self) -> tuple[int, _Records]:
        """All records of some of the people, drawn alike each time, and how many people these are."""
        size = max(SAMPLE * self.people.total // self.codes[0].size, 1)
        drawn = np.random.default_rng(0).choice(self.people.total, size, replace=False)
        records = drawn
        if self.people.of is not None:
            chosen = np.zeros(self.people.total, np.bool_)
            chosen[drawn] = True
            records = np.flatnonzero(chosen[self.people.of])
        return size, _Records([codes.take(records) for codes in self.codes], self.counts, self.people.taken(records))
