"""Singling out: columns released as they are by which most people can be found.

A column most of whose values occur once (a serial number, an exact time, an exact income, a free text) identifies as a
name does: anyone who has seen the value once finds the record, however the quasi-identifiers are generalized. The
column's role makes no difference to that, nor does a model that limits what classes reveal of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.assessment.risk.rounding import proposed
from kohort.core.uniques import Singling
from kohort.errors import JobError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kohort.arrays import Index
    from kohort.schema import Schema
    from kohort.tables.table import Column, Table

__all__ = ["Singling", "refuse_needless", "refuse_singling", "singling"]


def singling(table: Table, names: Sequence[str], people: Index | None = None) -> tuple[Singling, ...]:
    """Those of the columns `names` that are unique for more than half of the people.

    Args:
        table: The records.
        names: The columns to look at.
        people: (n,) the person of each record; `None` counts each record as a person.

    >>> from kohort.io import read
    >>> import polars as pl
    >>> singling(read(pl.DataFrame({"ticket": ["a", "b", "c"], "day": ["Mo", "Mo", "Tu"]})), ["ticket", "day"])
    (Singling(columns=('ticket',), unique=3, people=3),)
    """
    total = table.records if people is None else np.unique(people).size
    found = [Singling((name,), _unique(table[name], people), total) for name in names]
    return tuple(one for one in found if one.most)


def _unique(column: Column, people: Index | None) -> int:
    """People with a value that nobody else has."""
    if people is None:
        return int((column.counts() == 1).sum())
    least = np.full(len(column.values), np.iinfo(np.int64).max)
    most = np.full(len(column.values), -1)
    np.minimum.at(least, column.codes, people)
    np.maximum.at(most, column.codes, people)
    return int(np.unique(least[least == most]).size)


def refuse_needless(schema: Schema, allowed: Collection[str]) -> None:
    """Raise if a column is allowed to single out that is not released anyway.

    Args:
        schema: Over the table's columns.
        allowed: Columns that may single people out.

    Raises:
        SchemaError: One of them is not released, or only as a pseudonym.
        JobError: Several are.
    """
    released = [one.name for one in schema.released if not one.pseudonym]
    faults = [
        SchemaError(
            "there is nothing to allow: its values are not released", where=f"column {name}", hint="do not allow it"
        )
        for name in allowed
        if name not in released
    ]
    if faults:
        raise faults[0] if len(faults) == 1 else JobError("there is nothing to allow", faults)


def refuse_singling(
    table: Table, names: Sequence[str], *, missing: Collection[str] = (), people: Index | None = None
) -> None:
    """Raise if columns to release single out more than half of the people.

    Args:
        table: The records to release.
        names: The columns that are released as they stand in it, and are not allowed to.
        missing: Texts that mean no value.
        people: (n,) the person of each record; `None` counts each record as a person.

    Raises:
        SchemaError: There is such a column.
        JobError: There are several.
    """
    faults = [_refused(one, table[one.columns[0]], missing, people) for one in singling(table, names, people)]
    if faults:
        raise faults[0] if len(faults) == 1 else JobError("columns single people out", faults)


def _refused(one: Singling, column: Column, missing: Collection[str], people: Index | None) -> SchemaError:
    """The error of one column, with the rounding that would do."""
    step = proposed(column, missing=missing, people=people)
    rounding = "" if step is None else f"; round a measure: --perturb {step.perturbation(column.name)} ({step.told})"
    who = "records" if people is None else "people"
    return SchemaError(
        f"{one.unique:,} of {one.people:,} {who} have a value of their own and can be identified by it",
        where=f"column {column.name}",
        hint=f"make it quasi-identifying or drop it{rounding}; to release it as it is: --allow-singling {column.name}"
        " (in a job file allow-singling = true, in Python Job.allow_singling)",
    )
