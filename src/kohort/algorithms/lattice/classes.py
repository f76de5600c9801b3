"""The classes of a node as models judge them: whose records they hold, what is sensitive, whom they fit.

All that is known of a class besides its key adds up when classes are merged: its records, those with each sensitive
value, the people of the population table. They are the columns of one matrix, its tallies. People do not add up: who
is in two classes is one person in both together. Where they are counted, what is rolled up is hence parts of classes,
each all records of one person in a class.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from kohort.core.frequency import ClassProfile, Histogram
from kohort.errors import LimitError
from kohort.system.workspace import HEAP, blocks, tallied

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index
    from kohort.core.frequency import FrequencySet, Words
    from kohort.core.lattice import Node
    from kohort.schema.sensitive import SensitiveDomain
    from kohort.system.workspace import Workspace

    #: What is counted in each class besides its records, (c, v); narrow wherever the table allows it.
    Tallies: TypeAlias = NDArray[np.int32 | np.int64]

#: Bytes of the tallies of the finest classes, and of a node as large, at most.
MOST_BYTES: Final = 1 << 31

#: From so many records or people on tallies need 64 bits.
NARROW: Final = 1 << 31


@dataclass(frozen=True, slots=True, eq=False)
class Rolled:
    """The classes of one node, before anything is suppressed; or, where people are counted, their parts.

    Attributes:
        node: The level of each quasi-identifier.
        keys: (c, w) what the records of each class have in common.
        sizes: (c,) records of each class.
        tallies: (c, v) what else is counted, as `Layout` says.
    """

    node: Node
    keys: Words
    sizes: Counts
    tallies: Tallies

    @property
    def bytes(self) -> int:
        """Memory that it takes."""
        return self.keys.nbytes + self.sizes.nbytes + self.tallies.nbytes


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """What the columns of tallies count: who has each value of each sensitive attribute, and the population.

    Attributes:
        domains: The sensitive attributes, whose values come one after the other.
        starts: The first column of each, and the column after the last.
        population: Whether one more column counts people of the population table.
    """

    domains: tuple[SensitiveDomain, ...]
    starts: tuple[int, ...]
    population: bool

    @classmethod
    def of(cls, domains: tuple[SensitiveDomain, ...], *, population: bool) -> Layout:
        """The layout for some attributes."""
        return cls(domains, tuple(accumulate(map(len, domains), initial=0)), population)

    @property
    def values(self) -> int:
        """Columns of sensitive values."""
        return self.starts[-1]

    @property
    def width(self) -> int:
        """All columns."""
        return self.starts[-1] + self.population

    def tallied(
        self, frequency: FrequencySet, population: FrequencySet | None, of: Index, workspace: Workspace = HEAP
    ) -> Tallies:
        """(c, v) the tallies of classes, given the class of each tuple, first those of the table.

        Raises:
            LimitError: They would take too much memory.
        """
        classes = int(of.max(initial=-1)) + 1
        wide = max(frequency.records, population.records if population else 0) >= NARROW
        kind = np.dtype(np.int64 if wide else np.int32)
        if 2 * classes * self.width * kind.itemsize > MOST_BYTES:
            raise self._too_many(classes)
        shape = classes, self.width
        out: Tallies = workspace.zeros(shape, np.int64) if wide else workspace.zeros(shape, np.int32)
        tuples = frequency.counts.size
        for column, (domain, start) in enumerate(zip(self.domains, self.starts, strict=False)):
            for some in blocks(tuples):
                codes = frequency.sensitive[some, column].astype(np.int64)
                has = codes < len(domain)  # others are missing
                cells = of[some][has] * self.width + start + codes[has]
                np.add.at(out.reshape(-1), cells, frequency.counts[some][has].astype(kind))
        if population is not None:
            out[:, self.values] = tallied(of[tuples:], classes, population.counts, workspace)
        return out

    def _too_many(self, classes: int) -> LimitError:
        widest = max(self.domains, key=len, default=None)
        return LimitError(
            f"{classes:,} classes and {self.width:,} sensitive values are too many to count",
            where="population" if widest is None else f"column {widest.name}",
            hint="round or group the values",
        )


@dataclass(frozen=True, slots=True, eq=False)
class NodeClasses:
    """The classes of one node.

    Attributes:
        rolled: Their keys, records and tallies, in which people count once.
        people: (c,) people of each; records, where it is not known whose they are.
        layout: What the tallies count.
    """

    rolled: Rolled
    people: Counts
    layout: Layout

    def profile(self, chosen: Index) -> ClassProfile:
        """What models may know of some of them; nothing is said of people who fit none."""
        layout, tallies = self.layout, self.rolled.tallies
        histograms = tuple(Histogram(one, np.empty((chosen.size, len(one)), np.int64)) for one in layout.domains)
        for some in blocks(chosen.size if histograms else 0):
            part = tallies.take(chosen[some], axis=0)  # several times as fast as an index
            for one, start in zip(histograms, layout.starts, strict=False):
                one.counts[some] = part[:, start : start + len(one.domain)]
        population = tallies[chosen, -1].astype(np.int64) if layout.population else None
        return ClassProfile(self.people[chosen], histograms, population)
