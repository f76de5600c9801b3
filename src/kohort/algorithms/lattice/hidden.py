"""What generalizing hides, by the counts of each quasi-identifier alone; and nodes as metrics see them."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from kohort.algorithms.lattice.rollup import levels_of
from kohort.metrics.base import Levels, Outcome
from kohort.native.library import WEIGH, WEIGHED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kohort.algorithms.lattice.classes import NodeClasses
    from kohort.algorithms.lattice.rollup import Fields
    from kohort.algorithms.problem import Problem
    from kohort.arrays import Counts, Index, Mask, Shares
    from kohort.native.library import Array

#: What no metric looks at that does not look at classes.
NO_CLASSES: Counts = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Hidden:
    """What the values of each quasi-identifier hide on each level.

    A value *tells* log2(records / records with it) bits about a record; suppressed, the record would tell none. Widths
    are whole numbers, and no sums of bits are subtracted: the rounding of floats takes no digits of small costs.

    Attributes:
        fields: Where each quasi-identifier lies in a key.
        records: The records that the search sees, but at least 1.
        suppressed_by_schema: Those that the schema has suppressed already.
        k: The size that every class was asked to have.
        weights: (d,) how much each quasi-identifier counts.
        varying: (d,) which of them have several values.
        others: (d,) |A| - 1, but at least 1.
        heights: (d,) height of each hierarchy.
        places: (d,) 0, 1, 2 …
        of_value: (entries, 2) for each entry of `Fields.stands`, but people's: M - 1, and bits told.
        widths: (d, levels) M - 1 summed over all records.
        bits: (d, levels) bits told on level 0 and not on this one, summed over all records.
        widest: (d, levels) the greatest M - 1 of a value on the level.
        told: (d, levels) the fewest bits that a value on the level tells.
        table: The fields and `of_value` as the core takes them.
    """

    fields: Fields
    records: int
    suppressed_by_schema: int
    k: int
    weights: Shares
    varying: Mask
    others: Shares
    heights: Index
    places: Index
    of_value: Shares
    widths: Shares
    bits: Shares
    widest: Shares
    told: Shares
    table: Array

    @classmethod
    def of(cls, problem: Problem, fields: Fields) -> Hidden:
        """Count the records with each value of each quasi-identifier."""
        domains, counted = problem.domains, _counted(problem, fields)
        return cls(
            fields,
            max(problem.frequency.records, 1),
            problem.suppressed_by_schema,
            problem.k,
            np.array([float(domain.attribute.weight) for domain in domains]),
            np.array([domain.varies for domain in domains], np.bool_),
            np.array([max(domain.others, 1.0) for domain in domains]),
            np.array([len(levels_of(domain, domain.leaves)) - 1 for domain in domains]),
            np.arange(len(domains)),
            *counted,
            fields.table(WEIGHED, counted[0]),
        )

    @property
    def whole(self) -> int:
        """n, the records of the input."""
        return self.records + self.suppressed_by_schema

    def outcome(self, classes: NodeClasses, failing: Mask, suppressed: int) -> Outcome:
        """The node that has these classes as the metrics see it, when those that fail are suppressed."""
        rolled = classes.rolled
        levels, places = np.array(rolled.node), self.places
        weighed = np.zeros((levels.size, 3))  # M - 1, bits, and what their rounding has left out
        if suppressed:
            WEIGH(self.table, rolled.keys, rolled.sizes, failing, self.fields.starts[places, levels], weighed)
        losses = (self.widths[places, levels] - weighed[:, 0]) / self.others
        full = Levels(levels, self.heights, self.bits[places, levels] + weighed[:, 1])
        sizes = rolled.sizes[~failing] if suppressed else rolled.sizes
        return self._of_all(suppressed, sizes, losses, full)

    def least(self, levels: Index, suppressed: int = 0) -> Outcome:
        """The outcomes of nodes, (..., d), if each suppressed so many records that lose least by it.

        No node above has an outcome that a monotone metric prefers, if it suppresses as many or more. It hides at
        least as much of every record that it releases; one that it suppresses loses 1, in place of at most the widest
        loss on the level, and tells nothing, in place of at least the fewest bits. To suppress still more only adds.
        """
        places = self.places
        widths = self.widths[places, levels]
        losses = (widths - np.minimum(widths, suppressed * self.widest[places, levels])) / self.others
        bits = self.bits[places, levels] + (suppressed * self.told[places, levels] if suppressed else 0.0)
        full = Levels(levels, self.heights, bits)
        return self._of_all(suppressed, NO_CLASSES, losses, full)

    def _of_all(self, suppressed: int, sizes: Counts, losses: Shares, full: Levels) -> Outcome:
        """The outcome for the whole input, when the search suppresses so many records."""
        gone = suppressed + self.suppressed_by_schema
        return Outcome(self.whole, gone, self.k, sizes, losses, self.weights, full, varying=self.varying)


def _counted(problem: Problem, fields: Fields) -> tuple[Shares, Shares, Shares, Shares, Shares]:
    """What is said of every value, and of every level: the five attributes of `Hidden` from `of_value` on."""
    records = max(problem.frequency.records, 1)
    of_value = np.empty((fields.stands.size, 2))
    widths, bits, widest, told = (np.zeros((len(problem.domains), fields.starts.shape[1])) for _ in range(4))
    for place, domain in enumerate(problem.domains):
        assert domain.hierarchy is not None  # noqa: S101  a job with a lattice method has one for each
        order = np.argsort(domain.leaves)
        codes, weights = problem.alone(place)
        counts = np.bincount(codes, weights=weights, minlength=order.size)[order]
        own = _tells(counts, records)
        for level, nodes in enumerate(levels_of(domain, domain.leaves[order])):
            width = (domain.hierarchy.covered(level) - 1)[nodes]
            tells = _tells(np.bincount(nodes, weights=counts)[nodes], records)
            start = fields.starts[place, level]
            of_value[start : start + nodes.size] = np.stack([width, tells], axis=1)
            widths[place, level] = width @ counts  # of whole numbers, which no order of the terms changes
            bits[place, level] = fsum(((own - tells) * counts).tolist())
            widest[place, level], told[place, level] = width.max(initial=0), tells.min(initial=np.inf)
    return of_value, widths, bits, widest, told


def _tells(counts: NDArray[np.number], records: int) -> Shares:
    """The bits that values with so many records tell; a value of the domain may have no record, and tells them all."""
    told: Shares = np.log2(records) - np.log2(np.maximum(counts, 1))
    return told
