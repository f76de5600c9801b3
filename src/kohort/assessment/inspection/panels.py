"""Whose records are they? A table that follows people over time has several records of each, at most one a period."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from kohort.tables.table import Column, Table, Texts

#: People and periods of a panel: fewer people are no table to release, more periods no panel.
FEWEST, MOST = 20, 200

#: Records of a person, on average: at least, and at most where no column of periods shows that they are a person's and
#: not those of a hospital, or of a city.
OFTEN, RECORDS = 2, 10

#: Pairs of records that would agree in two columns by chance, so that it is no chance where none does.
CHANCE: Final = 20

#: A whole number or a code; no telephone number, e-mail or IP address, which people share.
_CODE: Final = r"^(?:[\w-]*[0-9][\w-]*|-?[0-9]+\.0+)$"


def are_codes(values: Texts) -> bool:
    """Whether all are whole numbers or codes.

    >>> import polars as pl
    >>> [are_codes(pl.Series(values)) for values in (["P-7", "P-8"], ["7.0", "8.0"], ["7.5"], ["Rome"])]
    [True, True, False, False]
    """
    return bool(values.str.contains(_CODE).all())


def period_of(table: Table, name: str) -> str | None:
    """The column, such as the year, that tells apart all records with the same value of this one.

    Where it exists, the column says whose the records are, and the other when they were made. Of several the one with
    fewest values is taken. Two columns of v and p values that have nothing to do with each other agree in about
    n·(n - 1) / (2·v·p) pairs of n records, so a table with too few records for that to be `CHANCE` proves nothing.

    Cost: O(c·v) for c columns, and O(n log n) for each in which no value is more frequent than a panel allows.
    """
    column, n = table[name], table.records
    if len(column.values) < FEWEST or len(column.values) * OFTEN > n:
        return None
    others = [one for one in table.columns if one.name != name and _may_be_period(one, column, n)]
    others.sort(key=lambda one: len(one.values))
    return next((one.name for one in others if _tells_apart(one, column)), None)


def _may_be_period(other: Column, column: Column, n: int) -> bool:
    """Whether the counts of values allow it; a missing value is one more value."""
    people, periods = (one.counts() for one in (column, other))
    if not OFTEN <= len(periods) <= min(MOST, len(people)) or n * (n - 1) < 2 * CHANCE * len(people) * len(periods):
        return False
    return int(people.max()) <= len(periods) and int(periods.max()) <= len(people)


def _tells_apart(other: Column, column: Column) -> bool:
    """Whether no two records agree in both."""
    pairs = column.codes.astype(np.int64) * len(other.values) + other.codes
    return np.unique(pairs).size == pairs.size
