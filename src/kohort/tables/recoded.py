"""Released records that are made some at a time, from the labels of their classes and the source's cells."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from kohort.errors.display import Summary
from kohort.system.workspace import HEAP, Workspace, blocks
from kohort.tables.dataset import Values
from kohort.tables.table import Column, Table, narrow, room_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Counts, Index, Numbers
    from kohort.errors.display import Rows
    from kohort.tables.table import CellCodes


@dataclass(frozen=True, slots=True, eq=False)
class RecodedColumn:
    """A released column: the labels of classes, or the source's cells.

    Attributes:
        column: The label of each class, in the order of the release; or the source's column, with the values that the
            release still has.
        of_class: Whether it has one label for each class.
        place: (v,) where each value of the source is among the column's; `None` where all are, in their order.
    """

    column: Column
    of_class: bool = True
    place: CellCodes | None = None

    @classmethod
    def of(cls, column: Column, lineage: Numbers) -> RecodedColumn:
        """The source's cells of these records, with the values that still occur."""
        if lineage.size == column.codes.size:
            return cls(column, of_class=False)
        held = np.zeros(len(column.values), np.bool_)
        for some in blocks(lineage.size):
            held[column.codes.take(lineage[some])] = True
        used = np.flatnonzero(held)
        kept = replace(column, values=column.values.gather(used), labels=None)
        return cls(kept, of_class=False, place=narrow(np.cumsum(held) - held, used.size))

    def cells(self, classes: Index, records: Numbers) -> CellCodes:
        """The cells of these records of the source, which are in these classes."""
        codes = self.column.codes.take(classes if self.of_class else records)
        return codes if self.place is None else self.place.take(codes)


@dataclass(slots=True, eq=False, repr=False)
class RecodedTable(Summary):
    """m released records in the order of their own content; a `Dataset`.

    Attributes:
        parts: What each column is made of.
        sizes: (c,) records of each class, in the order of the release.
        lineage: (m,) the record of the source that each released one was.
        workspace: Where `collect` makes its columns.
    """

    parts: Sequence[RecodedColumn]
    sizes: Counts
    lineage: Numbers
    workspace: Workspace = HEAP
    _table: Table | None = field(default=None, init=False)
    _ends: Index = field(init=False)

    def __post_init__(self) -> None:
        """Where the records of each class end: every block asks."""
        self._ends = np.cumsum(self.sizes)

    @property
    def names(self) -> tuple[str, ...]:
        """The column names, in order."""
        return tuple(part.column.name for part in self.parts)

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.lineage.size

    def _shown(self) -> tuple[str, Rows]:
        return "Released table", [("Records", f"{self.records:,}"), ("Columns", ", ".join(self.names))]

    def distinct(self, name: str) -> Values:
        """The distinct values of a column, and the records with each."""
        column = self[name]
        return Values(column.values, column.counts())

    def head(self) -> Table:
        """The columns, with every value that occurs and without a record."""
        return Table(tuple(replace(part.column, codes=part.column.codes[:0]) for part in self.parts), 0)

    def block(self, some: slice) -> list[CellCodes]:
        """The cells of some records, by column."""
        if self._table is not None:
            return self._table.block(some)
        classes, records = self._classes(some), self.lineage[some]
        return [part.cells(classes, records) for part in self.parts]

    def part(self, some: slice) -> RecodedTable:
        """Some records, one after another, of columns with all their values; nothing is copied."""
        ends = np.clip(self._ends, some.start, some.stop)
        return RecodedTable(self.parts, np.diff(ends, prepend=some.start), self.lineage[some], self.workspace)

    def __getitem__(self, name: str) -> Column:
        """One column, made each time it is asked for."""
        part = self.parts[self.names.index(name)]
        codes = room_for(self.records, len(part.column.values), self.workspace)
        for some in blocks(self.records):
            codes[some] = part.cells(self._classes(some), self.lineage[some])
        return replace(part.column, codes=codes)

    def _classes(self, some: slice) -> Index:
        ends = self._ends
        start: int = some.start
        stop: int = some.stop
        first = int(np.searchsorted(ends, start, side="right"))
        last = int(np.searchsorted(ends, stop, side="left")) + 1
        inside: Index = np.clip(ends[first:last], start, stop)
        return np.repeat(np.arange(first, first + inside.size), np.diff(inside, prepend=start))

    def collect(self) -> Table:
        """All records in memory, or in files of the workspace; they are made once."""
        if self._table is None:
            head = self.head()
            codes = [room_for(self.records, len(one.values), self.workspace) for one in head.columns]
            for some in blocks(self.records):
                for held, cells in zip(codes, self.block(some), strict=True):
                    held[some] = cells
            columns = (replace(one, codes=held) for one, held in zip(head.columns, codes, strict=True))
            self._table = Table(tuple(columns), self.records)
        return self._table


def joined(tables: Sequence[Table], workspace: Workspace) -> Table:
    """The records of tables of the same columns, one table after another; their codes lie in the workspace."""
    if len(tables) == 1:
        return tables[0]
    columns = [_joined(parts, workspace) for parts in zip(*(table.columns for table in tables), strict=True)]
    return Table(tuple(columns), sum(table.records for table in tables))


def _joined(parts: Sequence[Column], workspace: Workspace) -> Column:
    """The cells of columns, one column after another."""
    texts = pl.concat([part.values for part in parts]).alias("text")
    values = texts.unique(maintain_order=True)
    numbered = values.to_frame().with_row_index("code")
    found = texts.to_frame().join(numbered, on="text", how="left", nulls_equal=True, maintain_order="left")
    place = found["code"].to_numpy()
    codes = room_for(sum(part.codes.size for part in parts), len(values), workspace)
    at = first = 0
    for part in parts:
        own = narrow(place[first : first + len(part.values)], len(values))
        for some in blocks(part.codes.size):
            codes[at + some.start : at + some.stop] = own.take(part.codes[some])
        at, first = at + part.codes.size, first + len(part.values)
    return replace(parts[0], values=values.alias(parts[0].values.name), codes=codes)
