"""Complete records, without those that lack a value or are suppressed: which enter a release, or are counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from kohort.errors import InfeasibleError
from kohort.schema.nesting import SUPPRESSED

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kohort.arrays import Index, Mask
    from kohort.schema import Schema
    from kohort.tables.table import Table

#: The columns in which a record must have a value to enter: all of the table, or those named; none for no such policy.
Complete: TypeAlias = "tuple[str, ...] | Literal['all']"


def could_enter(people: Table, schema: Schema, complete: Complete) -> Table:
    """The people of a population table of whom a complete record can be: those with a value in these columns.

    Args:
        people: A population table: of the columns it has the quasi-identifying ones.
        schema: Over the columns of the table to release.
        complete: The columns of complete records.
    """
    named = {*people.names} if complete == "all" else {*complete} & {*people.names}
    names = [one.name for one in schema.quasi if one.name in named]
    rows = np.flatnonzero(_with_values(people, names, schema.missing))
    return people if rows.size == people.records else people.take(rows)


def _with_values(table: Table, names: Sequence[str], missing: Collection[str]) -> Mask:
    kept = np.ones(table.records, np.bool_)
    for name in names:
        column = table[name]
        kept &= ~column.absent(missing).take(column.codes)
    return kept


def entered(table: Table, complete: Complete, missing: Collection[str]) -> tuple[Table, Index | None]:
    """The records of `table` that have a value in all of these columns, and where they stand in it.

    All enter where there is no such column: then no places are said.

    Raises:
        InfeasibleError: no record has.
    """
    if not complete:
        return table, None
    rows = np.flatnonzero(_with_values(table, table.names if complete == "all" else complete, missing))
    refuse_none(rows.size)
    return (table if rows.size == table.records else table.take(rows)), rows


def refuse_none(complete: int) -> None:
    """Refuse a release of complete records where there are none."""
    if not complete:
        hint = "name fewer columns (--complete-records A,B), or correct the missing tokens"
        raise InfeasibleError("no record is complete", where="complete records", hint=hint)


def unsuppressed(table: Table, quasi: Sequence[str], missing: Collection[str]) -> Table:
    """The records without those that other programs suppress: `*` in each of these columns, which tells nothing.

    All records stay where it means that a value is missing, or where every record is so.
    """
    if SUPPRESSED in missing or not quasi or not {*quasi} <= {*table.names}:
        return table
    kept = np.zeros(table.records, np.bool_)
    for name in quasi:
        told = (table[name].values == SUPPRESSED).fill_null(value=False)
        kept |= ~told.to_numpy().take(table[name].codes)
    return table if kept.all() or not kept.any() else table.take(np.flatnonzero(kept))
