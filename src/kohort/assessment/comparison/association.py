"""How strongly columns go together, pair by pair, before and after.

Two columns of numbers: Pearson's correlation, of midpoints where there are ranges. Two columns of names: Cramér's V,
without correction for bias. Numbers and names: the correlation ratio, the root of the part of the numbers' variance
that lies between the names. Names are put together as in their distributions, the same before and after; a generalized
cell counts in parts for what it stands for. Records without a number are left out of pairs with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from kohort.assessment.comparison.line import summed
from kohort.tables.table import narrow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Counts, Mask, Shares
    from kohort.assessment.comparison.distribution import NameGroups
    from kohort.assessment.comparison.line import Line, Places, Side
    from kohort.tables.table import CellCodes

Measure: TypeAlias = Literal["correlation", "cramers v", "correlation ratio"]

#: By how many of the two are numbers.
_MEASURES: Final[tuple[Measure, ...]] = ("cramers v", "correlation ratio", "correlation")

#: Columns whose pairs are measured.
COLUMNS: Final = 12

#: Cells of a table of two columns' labels that are counted one by one; beyond, those that occur are sorted out.
_CELLS: Final = 1 << 22


@dataclass(frozen=True, slots=True)
class Association:
    """Two columns.

    Attributes:
        columns: Their names.
        measure: How it is measured: in -1..1 for two columns of numbers, else in 0..1.
        before: How strongly they went together; `None` where one of them does not vary.
        after: How strongly they do in the release.
    """

    columns: tuple[str, str]
    measure: Measure
    before: float | None
    after: float | None

    @property
    def change(self) -> float | None:
        """After less before."""
        return None if self.before is None or self.after is None else self.after - self.before


def associations(lines: Sequence[Line], groups: Sequence[NameGroups | None]) -> tuple[Association, ...]:
    """Every pair of the lines; `groups` are those of lines of names, `None` of numbers.

    Cost: some passes over the records for each pair.
    """
    sides = [
        [_column(side, names) for side, names in zip(both, groups, strict=True)]
        for both in zip(*(line.sides for line in lines), strict=True)
    ]
    return tuple(
        Association(
            (lines[one].name, lines[other].name),
            _MEASURES[lines[one].numeric + lines[other].numeric],
            *(strength(columns[one], columns[other]) for columns in sides),
        )
        for one, other in combinations(range(len(lines)), 2)
    )


@dataclass(frozen=True, slots=True, eq=False)
class NumberColumn:
    """A column of numbers.

    Attributes:
        amounts: (n,) less a whole number near their mean, so that sums of whole and half steps are exact and do not
            depend on the order of the records; not a number where a record has none.
        complete: Whether every record has one.
        total: Their sum; this and what follows only where they are complete.
        square: The sum of the squares of how far they are from their mean; 0 where they do not vary.
    """

    amounts: Places
    complete: bool = True
    total: float = field(init=False, default=0.0)
    square: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        """Add up."""
        if self.complete and self.amounts.size:
            object.__setattr__(self, "total", float(self.amounts.sum()))
            varies = self.amounts.min() < self.amounts.max()
            object.__setattr__(self, "square", self.times(self) if varies else 0.0)

    @classmethod
    def of(cls, side: Side) -> NumberColumn:
        """The column of one side of a line of numbers."""
        centres, valued = side.means.centres(), side.valued
        middle = np.rint(np.average(centres[valued], weights=side.records[valued])) if side.present else 0.0
        return cls((centres - middle)[side.codes], side.present == side.total)

    def where(self, chosen: Mask) -> NumberColumn:
        """The column of some records, all of which have a number."""
        return NumberColumn(self.amounts[chosen])

    def times(self, other: NumberColumn) -> float:
        """The sum of the products of how far both are from their means."""
        both = float(np.einsum("i,i->", self.amounts, other.amounts))  # in one thread, unlike a matrix product
        return both - self.total * other.total / self.amounts.size


@dataclass(frozen=True, slots=True, eq=False)
class NameColumn:
    """A column of names.

    Attributes:
        codes: (n,) the label of each record.
        records: (l,) records with each label.
        parts: (l, g) which share of each label is in each group.
    """

    codes: CellCodes
    records: Counts
    parts: Shares


def _column(side: Side, groups: NameGroups | None) -> NumberColumn | NameColumn:
    """What pairs need of a column; labels that stand for the same parts are one."""
    if groups is None:
        return NumberColumn.of(side)
    rows, parts = groups.parts(side.means)
    records = summed(rows, side.records, len(parts)).astype(np.int64)
    return NameColumn(narrow(rows, len(parts))[side.codes], records, parts)


def strength(one: NumberColumn | NameColumn, other: NumberColumn | NameColumn) -> float | None:
    """How strongly two columns go together; `None` where one of them does not vary."""
    if isinstance(one, NameColumn):
        return cramers_v(joint(one, other)) if isinstance(other, NameColumn) else correlation_ratio(other, one)
    return correlation_ratio(one, other) if isinstance(other, NameColumn) else pearson(one, other)


def pearson(one: NumberColumn, other: NumberColumn) -> float | None:
    """Pearson's correlation of the records that have both numbers; `None` where either does not vary.

    >>> column = NumberColumn(np.array([1.0, 2.0, 3.0]))
    >>> pearson(column, NumberColumn(np.array([7.0, 5.0, np.nan]), complete=False))
    -1.0
    """
    if not (one.complete and other.complete):
        both = ~(np.isnan(one.amounts) | np.isnan(other.amounts))
        one, other = one.where(both), other.where(both)
    if not (one.square and other.square):
        return None
    return float(np.clip(one.times(other) / np.sqrt(one.square * other.square), -1.0, 1.0))


def correlation_ratio(numbers: NumberColumn, names: NameColumn) -> float | None:
    """The correlation ratio of numbers by names; `None` where either does not vary."""
    codes, counts = names.codes, names.records
    if not numbers.complete:
        valued = ~np.isnan(numbers.amounts)
        numbers, codes = numbers.where(valued), codes[valued]
        counts = np.bincount(codes, minlength=counts.size)
    records, sums = names.parts.T @ counts, names.parts.T @ summed(codes, numbers.amounts, counts.size)
    some = records > 0
    if some.sum() <= 1 or not numbers.square:
        return None
    between = float((sums[some] ** 2 / records[some]).sum() - sums.sum() ** 2 / records.sum())
    return float(np.sqrt(np.clip(between / numbers.square, 0.0, 1.0)))


def joint(one: NameColumn, other: NameColumn) -> Shares:
    """(g, h) records expected in each group of one and each group of the other."""
    labels, others = len(one.parts), len(other.parts)
    if labels * others <= _CELLS:
        cells = np.multiply(one.codes, others, dtype=np.uint32)
        cells += other.codes
        table = np.bincount(cells, minlength=labels * others).reshape(labels, others) @ other.parts
    else:
        columns = [summed(one.codes, part[other.codes], labels) for part in other.parts.T]
        table = np.stack(columns, axis=1)
    return np.asarray(one.parts.T @ table)


def cramers_v(table: Shares) -> float | None:
    """Cramér's V of a table of counts, without correction for bias; `None` where a side has one group.

    >>> cramers_v(np.array([[3.0, 0.0], [0.0, 2.0]])), cramers_v(np.array([[1.0, 1.0], [1.0, 1.0]]))
    (1.0, 0.0)
    """
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    free = min(table.shape) - 1
    if free < 1:
        return None
    total = table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    return float(np.sqrt(np.clip(((table - expected) ** 2 / expected).sum() / total / free, 0.0, 1.0)))
