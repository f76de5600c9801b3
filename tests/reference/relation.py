"""The records of a table in memory, as verification by aggregation asks for them: the plain way to answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kohort.verify.aggregates import tuples_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.tables.dataset import Values
    from kohort.tables.table import Table
    from kohort.verify.aggregates import Hashed, Tuples


@dataclass(frozen=True, slots=True, eq=False)
class TableRelation:
    """The records of a table."""

    table: Table

    @property
    def names(self) -> tuple[str, ...]:
        """The column names, in order."""
        return self.table.names

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.table.records

    def distinct(self, name: str) -> Values:
        """The distinct values of a column, and the records with each."""
        return self.table.distinct(name)

    def collect(self) -> Table:
        """The table itself."""
        return self.table

    def tuples(self, columns: Sequence[str], hashed: Hashed | None = None) -> Tuples:
        """The distinct tuples of some columns."""
        return tuples_in(self.table, columns, hashed)
