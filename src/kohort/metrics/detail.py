"""A finished release record by record: what metrics need that sums over quasi-identifiers do not tell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, assert_never

import numpy as np

from kohort.core.frequency import group
from kohort.core.recoding import FullDomain, Multidimensional
from kohort.schema import Label

if TYPE_CHECKING:
    from kohort.arrays import Codes, Counts, Index, Mask, Shares
    from kohort.core.frequency import FrequencySet
    from kohort.core.recoding import Recoding, RegionClasses
    from kohort.schema.domain import Domain


@dataclass(frozen=True, eq=False)
class Detail:
    """The tuples of a table, and the class that each was released in. Nothing is computed before a metric needs it.

    A *piece* is some records of one tuple in one class. Records that the schema suppressed before the search have no
    tuple and are in no piece.

    Attributes:
        frequency: The tuples of the table.
        domains: (d,) what the codes of each quasi-identifier mean.
        recoding: What became of every tuple.
        classes: The equivalence classes of the release.
    """

    frequency: FrequencySet
    domains: tuple[Domain, ...]
    recoding: Recoding
    classes: RegionClasses

    @cached_property
    def tuples(self) -> Index:
        """(m,) the tuple of each piece."""
        match self.recoding:
            case Multidimensional():
                return self.recoding.tuples
            case FullDomain():
                return np.arange(self.recoding.of.size)
            case _:
                assert_never(self.recoding)

    @cached_property
    def of(self) -> Index:
        """(m,) the class of each piece; -1 where it is suppressed."""
        match self.recoding:
            case Multidimensional():
                found: Index = self.classes.of[self.recoding.regions]
                return found
            case FullDomain():
                return np.append(self.classes.of, -1)[self.recoding.of]
            case _:
                assert_never(self.recoding)

    @cached_property
    def counts(self) -> Counts:
        """(m,) the records of each piece."""
        return self.recoding.counts if isinstance(self.recoding, Multidimensional) else self.frequency.counts

    @property
    def quasi(self) -> Codes:
        """(m, d) the original codes of each piece."""
        return self.frequency.quasi[self.tuples]

    @property
    def response(self) -> Index | None:
        """(m,) the code of the first sensitive attribute that a model looks at; a missing value has one, too."""
        if not self.frequency.sensitive_domains:
            return None
        codes: Index = self.frequency.sensitive[self.tuples, 0].astype(np.int64)
        return codes

    @cached_property
    def whole(self) -> Shares:
        """(d,) |A|, how many values each domain has."""
        return np.array([self._others(domain) + 1 for domain in self.domains])

    @cached_property
    def covered(self) -> Shares:
        """(c, d) M, how many values of its domain each class's label may stand for: 1 + loss · (|A| - 1)."""
        found = np.ones((self.classes.sizes.size, len(self.domains)))
        for column, (label, domain) in enumerate(zip(self.classes.labels, self.domains, strict=True)):
            np.maximum.at(found[:, column], self.classes.of, 1 + label.losses * self._others(domain))
        return found

    @property
    def spans(self) -> Mask:
        """(d,) whether labels are ranges, whose loss is that of their width; else sets, or nodes of a hierarchy."""
        return np.array([self._is_span(domain) for domain in self.domains], dtype=np.bool_)

    def _is_span(self, domain: Domain) -> bool:
        return isinstance(self.recoding, Multidimensional) and domain.label not in {Label.ANCESTOR, Label.SET}

    def _others(self, domain: Domain) -> float:
        """|A| - 1 as the loss of the released labels counts: of ranges the width of the domain, in its steps."""
        return domain.extent / float(domain.step) if self._is_span(domain) else domain.others

    @cached_property
    def cell_bits(self) -> float:
        """The sum over all records of log2(numbers in the record's cell), of every quasi-identifier on a grid."""
        total = 0.0
        for column, domain in enumerate(self.domains):
            if domain.label is Label.GRID and domain.upper.size:
                ends = [float(end) for end in domain.ends]
                wide = np.minimum(domain.upper - float(domain.step), ends[1]) - np.maximum(domain.positions, ends[0])
                bits = np.log2(np.maximum(wide, 0.0) / float(domain.step) + 1)
                of_code = np.bincount(self.frequency.quasi[:, column], self.frequency.counts, len(domain))
                total += float(np.dot(of_code, bits))
        return total

    def joint(self, values: Codes | Index) -> tuple[Index, Counts]:
        """The different combinations of class and values: (u,) the class of each, -1 suppressed, and its records.

        Args:
            values: (m, …) of each piece.
        """
        columns = values.reshape(self.of.size, -1)
        keys = np.column_stack([columns, self.of + 1]).astype(np.uint32)
        found = group(keys)
        records = np.bincount(found.of, weights=self.counts, minlength=found.first.size).astype(np.int64)
        return self.of[found.first], records
