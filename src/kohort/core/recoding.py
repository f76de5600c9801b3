"""A recoding: what a release says instead of each quasi-identifying value.

`Recoding` is a closed union; whoever matches on it must consider every kind. Labels are made here and nowhere
else, from the regions that the algorithm gave.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, assert_never

import numpy as np

from kohort.core.frequency import group
from kohort.core.labels import ANY, Labels, joined_labels, labels_at, labels_of, set_text
from kohort.schema.nesting import ABSENT
from kohort.system.workspace import HEAP, blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.arrays import Codes, Counts, Index, Numbers, Shares
    from kohort.core.frequency import FrequencySet
    from kohort.core.lattice import Node
    from kohort.schema.domain import Domain
    from kohort.system.workspace import Workspace

__all__ = [
    "ABSENT",
    "ANY",
    "FullDomain",
    "Labels",
    "Multidimensional",
    "Recoding",
    "RegionClasses",
    "classes_of",
    "joined_classes",
    "set_text",
]


@dataclass(frozen=True, slots=True, eq=False)
class Multidimensional:
    """Every record goes to one of r regions, boxes in the space of the quasi-identifiers (Mondrian, section 2).

    A tuple usually lies in one region; relaxed partitioning may deal its records to several, so membership is
    kept as m pieces. Regions may overlap. Where cuts are chosen by loss, an attribute that is released as a set has
    the values of the region's pieces, which need not follow one another: the region is a product of sets, and `low` and
    `high` only enclose it. Labels of sets and ancestors are made from the pieces. Where the classes of a full-domain
    release are refined, the pieces of what that release suppresses are in no region.

    Attributes:
        tuples: (m,) tuple of each piece, ascending; every tuple has at least one piece.
        regions: (m,) region of each piece; every region has at least one; -1 where it is suppressed.
        counts: (m,) records of the tuple that go to the region; they sum to the tuple's count.
        low: (r, d) least code of each region's tuples.
        high: (r, d) greatest code of each region's tuples.
        nodes: whether labels are nodes of the hierarchies, common ancestors, whatever the domains ask for.
    """

    tuples: Numbers
    regions: Numbers
    counts: Counts
    low: Codes
    high: Codes
    nodes: bool = False

    @property
    def released(self) -> Multidimensional:
        """The same without pieces that are suppressed."""
        if self.regions.min(initial=0) >= 0:
            return self
        kept = self.regions >= 0
        return replace(self, tuples=self.tuples[kept], regions=self.regions[kept], counts=self.counts[kept])


@dataclass(frozen=True, slots=True, eq=False)
class FullDomain:
    """Every quasi-identifier is generalized to one level of its hierarchy, and r regions are what falls together.

    Samarati (TKDE 2001), section 3. Records in classes that would fail are suppressed.

    Attributes:
        levels: (d,) the level of each quasi-identifier.
        nodes: (r, d) the hierarchy node of each region on that level.
        of: (t,) region of each tuple; -1 where it is suppressed.
    """

    levels: Node
    nodes: Index
    of: Index


Recoding: TypeAlias = Multidimensional | FullDomain


@dataclass(frozen=True, slots=True, eq=False)
class RegionClasses:
    """Equivalence classes: regions that are released alike are one class.

    Attributes:
        labels: (d,) the released values of each quasi-identifier, by region.
        of: (r,) class of each region.
        first: (c,) a region of each class.
        sizes: (c,) records in each class.
        regions: (r,) records in each region.
        suppressed: records in no region.
    """

    labels: tuple[Labels, ...]
    of: Index
    first: Index
    sizes: Counts
    regions: Counts
    suppressed: int = 0

    @property
    def lost(self) -> Shares:
        """(c,) the mean loss of a record's quasi-identifiers in each class; its regions' means may hide ranges."""
        each = np.empty(self.of.size)
        for some in blocks(self.of.size):
            each[some] = np.mean([label.shares[label.share_of[some]] for label in self.labels], axis=0)
        each *= self.regions
        return np.bincount(self.of, each, self.sizes.size) / self.sizes


def classes_of(
    recoding: Recoding, frequency: FrequencySet, domains: tuple[Domain, ...], workspace: Workspace = HEAP
) -> RegionClasses:
    """Label every region and merge those that are released alike.

    Cost: one sort of the regions per attribute; for sets also one of the pieces.
    """
    match recoding:
        case Multidimensional():
            kept = recoding.released
            labelled: Callable[[int], Labels] = lambda column: labels_of(  # noqa: E731
                kept, frequency.quasi[:, column], domains[column], column, workspace, people=frequency.people
            )
            labels = tuple(workspace.side_by_side(labelled, range(len(domains))))
            regions = np.zeros(len(recoding.low), np.int64)
            for some in blocks(kept.regions.size):
                np.add.at(regions, kept.regions[some].astype(np.intp), kept.counts[some])
        case FullDomain():
            labels = tuple(
                labels_at(domain, level, recoding.nodes[:, column])
                for column, (domain, level) in enumerate(zip(domains, recoding.levels, strict=True))
            )
            regions = np.bincount(recoding.of + 1, frequency.counts, len(recoding.nodes) + 1)[1:]
        case _:
            assert_never(recoding)
    return _merged(labels, regions.astype(np.int64), frequency.records)


def joined_classes(parts: Sequence[RegionClasses], domains: tuple[Domain, ...]) -> RegionClasses:
    """The classes of a table whose regions were labelled some at a time: those of the first part come first.

    Args:
        parts: The classes of some regions each; nothing is suppressed.
        domains: What the codes of the quasi-identifiers mean.
    """
    labels = tuple(
        joined_labels([part.labels[column] for part in parts], domain) for column, domain in enumerate(domains)
    )
    regions = np.concatenate([part.regions for part in parts])
    return _merged(labels, regions, int(regions.sum()))


def _merged(labels: tuple[Labels, ...], regions: Counts, records: int) -> RegionClasses:
    """The classes of labelled regions that hold so many records each, of so many in all."""
    released = np.empty((labels[0].of.size, len(labels)), np.uint32)
    for column, label in enumerate(labels):
        released[:, column] = label.of
    merged = group(released)
    sizes = np.bincount(merged.of, weights=regions).astype(np.int64)
    return RegionClasses(labels, merged.of, merged.first, sizes, regions, records - int(sizes.sum()))
