"""Columns for sensitive values: of many a partition has few, and then needs a column for each of these alone.

Small partitions are cut apart from the large ones. Each gets a block: which value each of its columns is of.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kohort.core.frequency import ClassProfile, Histogram

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.arrays import Codes, Counts, Index, Mask
    from kohort.models.base import PrivacyModel
    from kohort.schema.sensitive import SensitiveDomain

#: From this many columns of a histogram on, partitions that cannot need but few of them are cut apart …
MANY_VALUES = 64

#: … once they have so many times fewer rows …
FEWER = 4

#: … with those of up to so many times fewer rows than the largest of them.
ALIKE = 4


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """What the columns of histograms mean, those of one sensitive attribute after those of another.

    Attributes:
        domains: (s,) the sensitive values.
        sizes: (s,) columns of each; that is also the code of a missing value.
        blocks: (s,) of each attribute (b, w), the value that each column of each block is of; none where each value has
            a column of its own.
    """

    domains: tuple[SensitiveDomain, ...]
    sizes: Index
    blocks: tuple[Index, ...] = ()

    @classmethod
    def of(cls, domains: tuple[SensitiveDomain, ...]) -> Columns:
        """A column for each value."""
        return cls(domains, np.array([len(domain) for domain in domains], np.int64))

    @property
    def cells(self) -> int:
        """All columns."""
        return int(self.sizes.sum())

    def few(self, models: Sequence[PrivacyModel]) -> int:
        """Rows of the largest partition that is cut apart; 0 where none is, or where a model looks at all values."""
        if self.cells < MANY_VALUES * len(self.domains) or not self.domains:
            return 0
        looks = (model.declared for model in models if model.declared.sensitive is not None)
        return self.cells // (FEWER * len(self.domains)) if all(one.some_values for one in looks) else 0

    def narrowed(self, codes: Codes, at: tuple[Index, Index, Index]) -> Columns:
        """The columns of partitions that get a block each; their sensitive codes become columns of it.

        Args:
            codes: The codes of all rows.
            at: (n,) the rows of the partitions, (n,) the partition of each, and (s,) which columns of `codes` are
                sensitive. A partition's block has its number.
        """
        rows, of, columns = at
        sizes, number = self.sizes.copy(), int(of[-1]) + 1
        blocks: list[Index] = []
        for one, size in enumerate(self.sizes.tolist()):
            occur, place = np.unique(of * (size + 1) + codes[rows, columns[one]], return_inverse=True)
            block, value = np.divmod(occur, size + 1)
            rank, present = np.arange(occur.size) - np.searchsorted(block, block), value < size
            sizes[one] = rank[present].max(initial=-1) + 1
            means = np.zeros((number, int(sizes[one])), np.int64)
            means[block[present], rank[present]] = value[present]
            blocks.append(means)
            codes[rows, columns[one]] = np.where(present, rank, sizes[one])[place]
        return Columns(self.domains, sizes, tuple(blocks))

    def after(self, wider: Columns, of: Index) -> Columns:
        """The same columns, where values were columns of the `wider` ones: of the block `of` each, (b,)."""
        if not wider.blocks:
            return self
        pairs = zip(wider.blocks, self.blocks, strict=True)
        return replace(self, blocks=tuple(np.take_along_axis(old[of], new, axis=1) for old, new in pairs))

    def counted(self, codes: Codes, counts: Counts, of: Index, classes: int) -> Counts:
        """(c, cells) the people of each class with the value of each column.

        Args:
            codes: (n, s) columns.
            counts: (n,) people of each row.
            of: (n,) its class.
            classes: How many there are.
        """
        starts = np.cumsum(self.sizes) - self.sizes
        found = np.zeros((classes, self.cells), np.int64)
        for one, (start, size) in enumerate(zip(starts.tolist(), self.sizes.tolist(), strict=True)):
            has = np.flatnonzero(codes[:, one] < size)
            np.add.at(found, (of[has], start + codes[has, one].astype(np.int64)), counts[has])
        return found

    def profile(self, sizes: Counts, counts: Counts, of: Index) -> ClassProfile:
        """What models may know of classes.

        Args:
            sizes: (c,) people of each.
            counts: (c, cells or more) those with the value of each column.
            of: (c,) the block of each class.
        """
        histograms: list[Histogram] = []
        ends = np.cumsum(self.sizes).tolist()
        for one, (domain, end) in enumerate(zip(self.domains, ends, strict=True)):
            part = np.ascontiguousarray(counts[:, end - int(self.sizes[one]) : end])
            histograms.append(Histogram(domain, part, self.blocks[one][of] if self.blocks else None))
        return ClassProfile(sizes, tuple(histograms))


def both_sides(models: Sequence[PrivacyModel], classes: ClassProfile) -> Mask:
    """(c,) whether both sides of each cut satisfy all models; `classes` are the left and the right side of each."""
    sides = np.logical_and.reduce([model.satisfied(classes) for model in models])
    allowed: Mask = sides[0::2] & sides[1::2]
    return allowed


def alike(open_: Index) -> Iterator[Index]:
    """(p, 2 or more) partitions, from their first to their last row, those together that have about as many rows."""
    rows = open_[:, 1] - open_[:, 0]
    order = np.argsort(-rows, kind="stable")
    open_, less, first = open_[order], -rows[order], 0
    while first < less.size:
        last = int(np.searchsorted(less, int(less[first]) // ALIKE, side="right"))
        yield open_[first:last]
        first = last


def rows_of(open_: Index) -> tuple[Index, Index]:
    """(n,) all rows of some partitions, and (n,) the number of the partition that each is in."""
    sizes = open_[:, 1] - open_[:, 0]
    of = np.repeat(np.arange(len(open_)), sizes)
    return np.arange(of.size) + np.repeat(open_[:, 0] - np.cumsum(sizes) + sizes, sizes), of
