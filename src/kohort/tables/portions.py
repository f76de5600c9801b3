"""Tables in portions: some records of one to be written, and those of several joined to one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from kohort.tables.table import Column, Table, narrow, room_for
from kohort.workspace import blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.tables.recoded import RecodedTable
    from kohort.tables.table import CellCodes
    from kohort.workspace import Workspace


@dataclass(frozen=True, slots=True, eq=False)
class Portion:
    """Some records of a table, one after another; nothing is copied."""

    whole: Table | RecodedTable
    start: int
    records: int

    @property
    def names(self) -> tuple[str, ...]:
        """The column names, in order."""
        return self.whole.names

    def head(self) -> Table:
        """The columns of the whole, with all their values and without a record."""
        return self.whole.head()

    def block(self, some: slice) -> list[CellCodes]:
        """The cells of some of the records, by column."""
        return self.whole.block(slice(self.start + some.start, self.start + some.stop))

    def collect(self) -> Table:
        """The records in memory."""
        return self.whole.collect().take(np.arange(self.start, self.start + self.records))


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
