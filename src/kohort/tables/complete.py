"""Complete records: which records enter a release, where those that lack a value are left out before counting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from kohort.errors import InfeasibleError

if TYPE_CHECKING:
    from collections.abc import Collection

    from kohort.arrays import Index
    from kohort.tables.table import Table

#: The columns in which a record must have a value to enter: all of the table, or those named; none for no such policy.
Complete: TypeAlias = "tuple[str, ...] | Literal['all']"


@dataclass(frozen=True, slots=True, eq=False)
class Entered:
    """The records that enter.

    Attributes:
        table: Those records.
        whole: The table that they are of.
        rows: (n,) where each stands in it.
    """

    table: Table
    whole: Table
    rows: Index

    @property
    def incomplete(self) -> int:
        """How many records were left out."""
        return self.whole.records - self.table.records


def entered(table: Table, complete: Complete, missing: Collection[str]) -> Entered:
    """The records of `table` that have a value in all of these columns.

    Args:
        table: The records.
        complete: The columns, all of which the table has.
        missing: The texts that mean: no value.

    Raises:
        InfeasibleError: there is no such record.
    """
    kept = np.ones(table.records, np.bool_)
    for name in table.names if complete == "all" else complete:
        column = table[name]
        kept &= ~column.absent(missing).take(column.codes)
    rows = np.flatnonzero(kept)
    if not rows.size:
        hint = "name fewer columns (--complete-records A,B), or correct the missing tokens"
        raise InfeasibleError("no record is complete", where="complete records", hint=hint)
    return Entered(table if rows.size == table.records else table.take(rows), table, rows)
