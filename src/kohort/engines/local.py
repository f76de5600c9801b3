"""The engine of one machine: NumPy over the dictionary codes of an encoded table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from kohort.domain import Domain, resolve
from kohort.engines.base import Recoded
from kohort.engines.order import Key, blocks, order_by, ranks_of
from kohort.engines.table import Column, Table, narrow
from kohort.errors import HierarchyError, InputError
from kohort.frequency import FrequencySet, group
from kohort.recoding import FullDomain
from kohort.schema import Missing, Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Codes, Counts, Index
    from kohort.engines.table import CellCodes
    from kohort.recoding import Classes, Recoding
    from kohort.schema import Attribute, Schema


@dataclass(slots=True, eq=False)
class LocalEngine:
    """Counts and recodes one table in memory.

    Attributes:
        table: The encoded input, n records.
        schema: A schema over exactly the table's columns.
        domains: (d,) the domain of each quasi-identifier.
    """

    table: Table
    schema: Schema
    domains: tuple[Domain, ...] = field(init=False)
    _codes: tuple[Index, ...] = field(init=False, repr=False)
    _kept: Index | None = field(init=False, repr=False)
    _tuples: int = field(init=False, repr=False)
    _tuple_of: Index | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Resolve the domains; set aside the records that the schema suppresses.

        Raises:
            InputError: values that have no place in their domain; those of several columns at once.
        """
        resolved: list[tuple[Domain, Index]] = []
        faults: list[InputError] = []
        for attribute in self.schema.quasi:
            try:
                resolved.append(self._resolve(attribute))
            except InputError as fault:
                faults.append(fault)
        if faults:
            raise faults[0] if len(faults) == 1 else _all_of(faults)
        self.domains = tuple(domain for domain, _ in resolved)
        self._codes = tuple(codes for _, codes in resolved)
        self._kept = self._keep()

    def _resolve(self, attribute: Attribute) -> tuple[Domain, Index]:
        column = self.table[attribute.name]
        return resolve(attribute, column.values.to_list(), column.counts(), self.schema.missing)

    def _keep(self) -> Index | None:
        """The records to release, ascending; `None` for all."""
        suppressing = [
            (codes < 0)[self.table[attribute.name].codes]
            for attribute, codes in zip(self.schema.quasi, self._codes, strict=True)
            if attribute.missing is Missing.SUPPRESS and (codes < 0).any()
        ]
        return np.flatnonzero(~np.logical_or.reduce(suppressing)) if suppressing else None

    @property
    def suppressed(self) -> int:
        """Records that the schema suppresses for their missing values."""
        return 0 if self._kept is None else self.table.records - self._kept.size

    def count(self, sensitive: Sequence[str] = (), *, distinct: bool = False) -> FrequencySet:
        """The frequency set; one pass of hashing over the records.

        Cost: 2 to 4 bytes per record and column, 8 per record for the tuple it has.
        """
        quasi = [Key(codes, self._rows(name.name)) for codes, name in zip(self._codes, self.schema.quasi, strict=True)]
        matrix = _matrix([*quasi, *map(self._key, sensitive)], self.table.records - self.suppressed)
        grouping = group(matrix, give_up=not distinct)
        self._tuples = grouping.first.size
        every_its_own = self._tuples == len(matrix)  # groups are numbered as they appear
        self._tuple_of = None if every_its_own else grouping.of
        tuples = matrix if every_its_own else matrix[grouping.first]
        sizes = tuple(len(self.table[name].values) for name in sensitive)
        d = len(quasi)
        return FrequencySet(tuples[:, :d].copy() if sizes else tuples, tuples[:, d:], grouping.counts, sizes)

    def recode(self, recoding: Recoding, classes: Classes) -> Recoded:
        """Apply the recoding; the output is ordered by its own content, labels first, so that order tells nothing.

        Records in no region come first in that order, and are cut off: they, and values that only they had, are gone.

        Cost: one sort of the records and one of the classes; besides the output some 16 bytes per record.
        """
        others = [self._key(attribute.name) for attribute in self.schema.released if attribute.role is not Role.QUASI]
        labels = self._labels_of(classes)
        by_labels = order_by([Key(ranks_of(column.values), column.codes) for column in labels.values()])
        rank = np.empty_like(by_labels)
        rank[by_labels] = np.arange(rank.size)
        order = order_by([self._classes(recoding, rank[classes.of] + 1, others), *others])[classes.suppressed :]
        lineage = order if self._kept is None else self._kept[order]
        sizes = classes.sizes[by_labels]
        columns = tuple(
            _repeated(labels[name], by_labels, sizes) if name in labels else self._taken(name, lineage)
            for name in (attribute.name for attribute in self.schema.released)
        )
        return Recoded(Table(columns, lineage.size), lineage)

    def _rows(self, name: str) -> CellCodes:
        """The column's codes of the kept records."""
        codes = self.table[name].codes
        return codes if self._kept is None else codes[self._kept]

    def _key(self, name: str) -> Key:
        """The column as a key to order records by: as text, missing first."""
        return Key(ranks_of(self.table[name].values), self._rows(name))

    def _classes(self, recoding: Recoding, rank: Index, others: Sequence[Key]) -> Key:
        """The rank of each kept record's class, from that of each region; 0 where the recoding suppresses it.

        Records of a tuple that lies in several regions are dealt to them by what else they hold.
        """
        if isinstance(recoding, FullDomain):
            return Key(np.append(rank, 0)[recoding.of], self._tuple_of)
        ranks = rank[recoding.regions]
        if recoding.tuples.size == self._tuples:
            return Key(ranks, self._tuple_of)
        by_content = order_by([Key(np.arange(self._tuples), self._tuple_of), *others])
        dealt = np.empty_like(by_content)
        dealt[by_content] = np.repeat(ranks, recoding.counts)
        return Key(dealt)

    def _labels_of(self, classes: Classes) -> dict[str, Column]:
        """The released values of each quasi-identifier, with the one of each class."""
        columns: dict[str, Column] = {}
        for attribute, labels in zip(self.schema.quasi, classes.labels, strict=True):
            values = pl.Series(attribute.name, labels.texts, dtype=pl.String)
            if self.table[attribute.name].values.null_count():
                values = values.set(values == "", None)
            codes = narrow(labels.of[classes.first], len(values))
            columns[attribute.name] = Column(attribute.name, values, codes, pl.String())
        return columns

    def _taken(self, name: str, rows: Index) -> Column:
        """The column's cells of `rows`, with the values that still occur."""
        column = self.table[name]
        codes = column.codes[rows]
        if rows.size == self.table.records:
            return Column(name, column.values, codes, column.dtype)
        used, renumbered = np.unique(codes, return_inverse=True)
        return Column(name, column.values.gather(used), narrow(renumbered, used.size), column.dtype)


def _all_of(faults: Sequence[InputError]) -> InputError:
    """One error that says what each of several says."""
    told = "; ".join(f"{fault.where}: {fault.what}" for fault in faults)
    hints = " / ".join(dict.fromkeys(fault.hint for fault in faults if fault.hint))
    kind = HierarchyError if all(isinstance(fault, HierarchyError) for fault in faults) else InputError
    return kind(told, where=f"{len(faults)} columns", hint=hints)


def _matrix(columns: Sequence[Key], records: int) -> Codes:
    """(m, columns) the rows' codes; filled a few rows at a time, while they are in the cache."""
    large = max(column.bits for column in columns) > np.iinfo(np.uint16).bits
    matrix = np.empty((records, len(columns)), np.uint32) if large else np.empty((records, len(columns)), np.uint16)
    narrowed = [Key(column.ranks.astype(matrix.dtype), column.codes) for column in columns]
    for rows in blocks(records):
        for place, column in enumerate(narrowed):
            matrix[rows, place] = column.of(rows)
    return matrix


def _repeated(column: Column, order: Index, times: Counts) -> Column:
    """The column's cells in some order, each so many times."""
    return Column(column.name, column.values, column.codes[order].repeat(times), column.dtype)
