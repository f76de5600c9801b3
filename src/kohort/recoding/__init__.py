"""A recoding: what a release says instead of each quasi-identifying value.

`Recoding` is a closed union; whoever matches on it must consider every kind. Labels are made here and nowhere
else, from the regions that the algorithm gave.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kohort.frequency import group
from kohort.recoding.labels import ABSENT, ANY, Labels, labels_of, set_text

if TYPE_CHECKING:
    from kohort.arrays import Codes, Counts, Index
    from kohort.domain import Domain
    from kohort.frequency import FrequencySet

__all__ = ["ABSENT", "ANY", "Classes", "Labels", "Multidimensional", "Recoding", "classes_of", "set_text"]


@dataclass(frozen=True, slots=True, eq=False)
class Multidimensional:
    """Every record goes to one of r regions, boxes in the space of the quasi-identifiers (Mondrian, section 2).

    A tuple usually lies in one region; relaxed partitioning may deal its records to several, so membership is
    kept as m pieces.

    Attributes:
        tuples: (m,) tuple of each piece, ascending; every tuple has at least one piece.
        regions: (m,) region of each piece; every region has at least one.
        counts: (m,) records of the tuple that go to the region; they sum to the tuple's count.
        low: (r, d) least code of each region's tuples.
        high: (r, d) greatest code of each region's tuples.
    """

    tuples: Index
    regions: Index
    counts: Counts
    low: Codes
    high: Codes


Recoding: TypeAlias = Multidimensional


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """Equivalence classes: regions that are released alike are one class.

    Attributes:
        labels: (d,) the released values of each quasi-identifier, by region.
        of: (r,) class of each region.
        first: (c,) a region of each class.
        sizes: (c,) records in each class.
        regions: (r,) records in each region.
    """

    labels: tuple[Labels, ...]
    of: Index
    first: Index
    sizes: Counts
    regions: Counts


def classes_of(recoding: Recoding, frequency: FrequencySet, domains: tuple[Domain, ...]) -> Classes:
    """Label every region and merge those that are released alike.

    Cost: one sort of the regions per attribute; for sets also one of the pieces.
    """
    labels = tuple(
        labels_of(recoding, frequency.quasi[:, column], domain, column) for column, domain in enumerate(domains)
    )
    merged = group(np.stack([label.of.astype(np.uint32) for label in labels], axis=1))
    regions = np.bincount(recoding.regions, weights=recoding.counts, minlength=len(recoding.low)).astype(np.int64)
    sizes = np.bincount(merged.of, weights=regions).astype(np.int64)
    return Classes(labels, merged.of, merged.first, sizes, regions)
