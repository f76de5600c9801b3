"""Columns that single people out by themselves though they are released as they are.

A column of which most values occur once (a serial number, an exact time, a free text) is a name in another spelling:
whoever has seen it once finds the record, whatever was done to the quasi-identifiers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kohort.errors import JobError, SchemaError
from kohort.frequency import people_in
from kohort.schema import Role

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kohort.engines.table import Table
    from kohort.schema import Schema


@dataclass(frozen=True, slots=True)
class Singling:
    """A column that singles out more than half of the records.

    Attributes:
        column: Its name.
        unique: Records whose value in it no other record has; with a person key, no other person.
        records: All records.
    """

    column: str
    unique: int
    records: int

    @property
    def share(self) -> float:
        """The share of records that it singles out."""
        return self.unique / self.records


def singling(table: Table, names: Sequence[str], person: str | None = None) -> tuple[Singling, ...]:
    """Those of the columns `names` that are unique for more than half of the records.

    >>> from kohort.io import read
    >>> import polars as pl
    >>> singling(read(pl.DataFrame({"ticket": ["a", "b", "c"], "day": ["Mo", "Mo", "Tu"]})), ["ticket", "day"])
    (Singling(column='ticket', unique=3, records=3),)
    """
    found = [Singling(name, _unique(table, name, person), table.records) for name in names]
    return tuple(one for one in found if 2 * one.unique > one.records)


def _unique(table: Table, name: str, person: str | None) -> int:
    """Records whose value no other person's record has."""
    column = table[name]
    counts = column.counts()
    if person is None:
        return int((counts == 1).sum())
    codes, whose = column.codes.astype(np.int64), table[person].codes.astype(np.int64)
    people = people_in(codes, counts.size, np.ones_like(codes), whose)
    return int(counts[people == 1].sum())


def refuse_singling(table: Table, schema: Schema, allowed: Collection[str] = ()) -> None:
    """Refuse to release an insensitive or undeclared column that singles out more than half of the records.

    A sensitive one is released all the same: an exact income is rarely known of anybody, and is what is released.

    Args:
        table: The records to release.
        schema: Over the table's columns; what it does not declare has the role of its rest.
        allowed: Columns that may.

    Raises:
        SchemaError: there is such a column.
        JobError: there are several, or an allowed one is not released as it is.
    """
    insensitive = [one.name for one in schema.with_role(Role.INSENSITIVE)]
    faults = [
        SchemaError(
            "there is nothing to allow: only insensitive columns are refused for singling people out",
            where=f"column {name}",
            hint="do not allow it",
        )
        for name in allowed
        if name not in insensitive
    ]
    judged = [name for name in insensitive if name not in allowed]
    faults += [_refused(one) for one in singling(table, judged, schema.person)]
    if faults:
        raise faults[0] if len(faults) == 1 else JobError("columns single people out", faults)


def _refused(one: Singling) -> SchemaError:
    """The error of one column."""
    return SchemaError(
        f"{one.unique:,} of {one.records:,} records have a value of their own, and can be told by it",
        where=f"column {one.column}",
        hint=f"make it quasi-identifying or drop it; to release it as it is: --allow-singling {one.column}"
        " (in a job file allow-singling = true, in Python Job.allow_singling)",
    )
