"""A column before and after its release, on one line: each label stands for places, each as likely as the others.

Numbers lie on the line in steps of the column: whole multiples of the last decimal that it had before. Names lie on it
in their order, as 0, 1, 2, … So a range of numbers, a node of a hierarchy and a set are the same thing, stretches of
the line, and all of them are counted in one way.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kohort.errors import InputError
from kohort.schema import Scale
from kohort.tables.texts import ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Counts, Index, Mask, Shares
    from kohort.schema import Role
    from kohort.schema.domain import Domain
    from kohort.schema.hierarchy import Hierarchy
    from kohort.tables.table import CellCodes

#: Places on a line: float64; whole numbers but for single values between two steps.
Places: TypeAlias = NDArray[np.float64]

#: The first and the last place of a stretch, both included.
Stretch: TypeAlias = tuple[float, float]


def summed(of: NDArray[np.integer], amounts: NDArray[np.number], size: int) -> Shares:
    """(size,) the amounts of each kind, added up.

    >>> summed(np.array([0, 2, 0]), np.array([1.5, 4, 1]), 3).tolist()
    [2.5, 0.0, 4.0]
    """
    return np.bincount(of, amounts, size).astype(np.float64, copy=False)


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """What each of l labels stands for.

    Attributes:
        labels: l, how many labels there are.
        of: (p,) the label of each stretch, ascending; a label without a stretch stands for no value.
        low: (p,) its first place.
        high: (p,) its last place, which is included.
        share: (p,) which share of the label's places are in it.
    """

    labels: int
    of: Index
    low: Places
    high: Places
    share: Shares

    @classmethod
    def at(cls, places: Places) -> Stretches:
        """Labels that stand for a single place each, or for none where that is not a number."""
        of = np.flatnonzero(~np.isnan(places))
        return cls(places.size, of, places[of], places[of], np.ones(of.size))

    @classmethod
    def over(cls, meant: Sequence[Sequence[Stretch]]) -> Stretches:
        """Labels that stand for the stretches listed, of which no two of a label meet.

        >>> Stretches.over([[(2, 4), (9, 9)], []]).share.tolist()
        [0.75, 0.25]
        """
        of = np.repeat(np.arange(len(meant)), [len(one) for one in meant])
        ends = np.array([end for one in meant for end in one], dtype=np.float64).reshape(-1, 2)
        return cls.between(len(meant), of, ends[:, 0], ends[:, 1])

    @classmethod
    def between(cls, labels: int, of: Index, low: Places, high: Places) -> Stretches:
        """Labels that stand for stretches with these ends, of which no two of a label meet."""
        width = high - low + 1
        return cls(labels, of, low, high, width / summed(of, width, labels)[of])

    @classmethod
    def joined(cls, *parts: tuple[Index, Stretches]) -> Stretches:
        """Labels of which each part has some; its first half says which.

        >>> some, other = Stretches.over([[(2, 4), (9, 9)]]), Stretches.over([[(1, 1)], []])
        >>> Stretches.joined((np.array([1]), some), (np.array([0, 2]), other)).of.tolist()
        [0, 1, 1]
        """
        of = np.concatenate([at[part.of] for at, part in parts])
        order = np.argsort(of, kind="stable")
        low, high, share = (
            np.concatenate([named(part) for _, part in parts])[order]
            for named in (attrgetter("low"), attrgetter("high"), attrgetter("share"))
        )
        return cls(sum(at.size for at, _ in parts), of[order], low, high, share)

    @property
    def width(self) -> Places:
        """(p,) the places of each stretch."""
        return self.high - self.low + 1

    def centres(self) -> Places:
        """(l,) the mean place of each label: of a range its midpoint; not a number where it stands for no value.

        >>> Stretches.over([[(20, 29)], [(1, 1), (4, 4)], []]).centres().tolist()
        [24.5, 2.5, nan]
        """
        found = np.full(self.labels, np.nan)
        found[self.of] = 0.0
        np.add.at(found, self.of, self.share * (self.low / 2 + self.high / 2))
        return found

    def within(self, low: float, high: float) -> Shares:
        """(l,) which share of each label's places lies between two places, both included.

        >>> Stretches.over([[(20, 29)], [(1, 1), (4, 4)], []]).within(2, 24).tolist()
        [0.5, 0.5, 0.0]
        """
        near = np.flatnonzero((self.low <= high) & (self.high >= low))  # most labels lie elsewhere
        first, last = np.maximum(self.low[near], low), np.minimum(self.high[near], high)
        inside = np.maximum(np.floor(last) - np.ceil(first) + 1, 0) / self.width[near]
        inside[self.low[near] == self.high[near]] = 1.0
        return summed(self.of[near], inside * self.share[near], self.labels)

    def weights(self, records: Counts) -> Shares:
        """(p,) how many of the labels' records each stretch is expected to hold."""
        return records[self.of] * self.share

    def per_place(self, places: int, records: Counts) -> Shares:
        """(places,) how many records are expected at each of the places from 0 on.

        >>> Stretches.over([[(0, 3)], [(1, 1)]]).per_place(5, np.array([8, 1])).tolist()
        [2.0, 3.0, 2.0, 2.0, 0.0]
        """
        weights, single = self.weights(records), self.low == self.high
        low, high = self.low.astype(np.int64), self.high.astype(np.int64)
        found = summed(low[single], weights[single], places)
        each = (weights / self.width)[~single]
        begun = summed(low[~single], each, places + 1) - summed(high[~single] + 1, each, places + 1)
        return found + np.maximum(np.cumsum(begun)[:-1], 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """A column of one of the two tables, not read yet.

    Attributes:
        texts: (l,) its labels; "" is no value.
        codes: (n,) the label of each record.
        records: (l,) records with each label.
    """

    texts: Sequence[str]
    codes: CellCodes
    records: Counts

    def side(self, means: Stretches) -> Side:
        """The column, read."""
        return Side(self.texts, self.codes, self.records, means)


@dataclass(frozen=True, slots=True, eq=False)
class ColumnMetadata:
    """What is known of a column besides its cells.

    Attributes:
        name: Its name.
        role: Its role in the schema; `None` where the schema does not say.
        domain: The domain, where it is a quasi-identifier.
        hierarchy: The hierarchy of its values.
        dates: Whether its numbers are days.
    """

    name: str
    role: Role | None = None
    domain: Domain | None = None
    hierarchy: Hierarchy | None = None
    dates: bool = False

    def unreadable(self, labels: int, of: int) -> InputError:
        """The error of labels that mean nothing."""
        return InputError(
            f"{labels:,} of {of:,} different labels cannot be read",
            where=f"column {self.name}",
            hint="give the column's hierarchy, if there is one; is this a release of that table?",
        )


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """A column of one of the two tables, read.

    Attributes:
        texts: (l,) its labels; "" is no value.
        codes: (n,) the label of each record.
        records: (l,) records with each label.
        means: What each label stands for.
    """

    texts: Sequence[str]
    codes: CellCodes
    records: Counts
    means: Stretches

    @property
    def values(self) -> int:
        """Different labels; no value is not counted."""
        return len({*self.texts} - {""})

    @property
    def missing(self) -> int:
        """Records without a value."""
        return sum(count for text, count in zip(self.texts, self.records.tolist(), strict=True) if not text)

    @property
    def total(self) -> int:
        """All records."""
        return int(self.records.sum())

    @property
    def valued(self) -> Mask:
        """(l,) which labels stand for some place, and so have a value."""
        found = np.zeros(self.means.labels, np.bool_)
        found[self.means.of] = True
        return found

    @property
    def present(self) -> int:
        """Records whose label stands for some place."""
        return int(self.records[self.valued].sum())

    @property
    def single(self) -> int:
        """Records whose label stands for one place, or for none."""
        places = summed(self.means.of, self.means.width, self.means.labels)
        return int(self.records[places <= 1].sum())


@dataclass(frozen=True, slots=True, eq=False)
class ColumnLine:
    """A column before and after.

    Attributes:
        known: What is known of it.
        before: The table that was released.
        after: The release.
        numeric: Whether its values are numbers.
        digits: Decimals of a step on a line of numbers.
        places: (v,) the name at each place of a line of names; "" is the missing value, which is one of them.
        leaves: How many of these are the hierarchy's leaves: the first.
    """

    known: ColumnMetadata
    before: Side
    after: Side
    numeric: bool
    digits: int = 0
    places: tuple[str, ...] = ()
    leaves: int = 0

    @property
    def name(self) -> str:
        """Its name."""
        return self.known.name

    @property
    def of_dates(self) -> bool:
        """Whether its numbers are days."""
        return self.known.dates

    @property
    def scale(self) -> Scale:
        """Whether its values are numbers, names or days."""
        return Scale.DATE if self.of_dates else Scale.NUMERIC if self.numeric else Scale.CATEGORICAL

    @property
    def sides(self) -> tuple[Side, Side]:
        """Before and after."""
        return self.before, self.after

    def expected(self, side: Side) -> Shares:
        """(v,) records of a side that are expected to have each name."""
        return side.means.per_place(len(self.places), side.records)


#: Keys stay below this, so that they fit 64 bits.
_LARGEST: Final = 1 << 62


def keys_of(sides: Sequence[Side]) -> Index:
    """(n,) a number for each record: the same for equal cells, and in the order of their texts, column by column.

    Cost: some passes over the records; a sort of them where the columns have very many values together.
    """
    keys = np.zeros(sides[0].codes.size, np.int64)
    largest = 1
    for side in sides:
        rank = ranks(side.texts)
        values = int(rank.max(initial=-1)) + 1
        if largest * values > _LARGEST:
            kept, keys = np.unique(keys, return_inverse=True)
            largest = kept.size
        keys = keys * values + rank[side.codes]
        largest *= values
    return keys
