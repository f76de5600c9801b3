"""Whose records are they? A table that follows people over time has several records of each, at most one a period.

Of several keys the coarsest says it: each encounter has one patient. A household's number is coarser, but no person's.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.schema.vocabulary import parts_of, topics_of
from kohort.tables.people import person_codes

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kohort.arrays import Counts
    from kohort.tables.table import Column, Table, Texts

#: People and periods of a panel: fewer people are no table to release, more periods no panel.
FEWEST, MOST = 20, 200

#: Records of a person, on average: at least, and at most where no column of periods shows that they are a person's and
#: not those of a hospital, or of a city.
OFTEN, RECORDS = 2, 10

#: Pairs of records that would agree in two columns by chance, so that it is no chance where none does.
CHANCE: Final = 20

#: A key determines another one if at most one in so many of its values that repeat has several of the other.
EXCEPTIONS: Final = 20

#: Fewer values are no numbers of groups of people, such as households.
_GROUPS: Final = 5

#: Words of several people together, by their beginnings.
_TOGETHER: Final = (
    *("household", "hh", "famil", "haushalt", "menage", "foyer", "hogar", "nucleo", "couple", "dwelling", "cluster"),
    *("group", "class", "team"),
)

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


def coarsest(keys: Sequence[Column], missing: Collection[str], counts: Counts | None = None) -> tuple[str, ...]:
    """The keys that may say whose a record is: those that determine no other one. More than one has to be decided.

    Each encounter has one patient: the patient's number is the coarser key, and the encounter's determines it. Of keys
    that determine each other, and so count the same people, the first is taken.

    Args:
        keys: Columns of the same records.
        missing: The texts that mean no value.
        counts: (n,) how many records each stands for; `None`: for itself.
    """
    several = {(a.name, b.name): _several(a, b, missing, counts) for a, b in permutations(keys, 2)}
    names = [key.name for key in keys]
    finer = {a for a, b in several if _is_finer(*several[a, b], *several[b, a], first=names.index(a) < names.index(b))}
    return tuple(name for name in names if name not in finer) or tuple(names)


def either(names: Sequence[str]) -> str:
    """The names as alternatives.

    >>> either(["a"]), either(["a", "b"]), either(["a", "b", "c"])
    ('a', 'a or b', 'a, b or c')
    """
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _several(one: Column, other: Column, missing: Collection[str], counts: Counts | None) -> tuple[int, int]:
    """How many values of one column have several of the other, and how many repeat."""
    there = np.flatnonzero(~(one.absent(missing).take(one.codes) | other.absent(missing).take(other.codes)))
    own, others = (person_codes(column).take(there) for column in (one, other))
    pairs = np.unique(own * len(other.values) + others) // max(len(other.values), 1)
    repeating = np.bincount(own, None if counts is None else counts.take(there)) > 1
    return int(np.count_nonzero(np.bincount(pairs) > 1)), int(np.count_nonzero(repeating))


def _is_finer(several: int, repeat: int, back: int, back_repeat: int, *, first: bool) -> bool:
    """Whether a key determines another one, which does not determine it, or comes before it and is the same."""
    if several * EXCEPTIONS > repeat:
        return False
    if back * EXCEPTIONS > back_repeat:
        return True
    return several == 0 and (back > 0 or not first)


def is_group(table: Table, column: Column, missing: Collection[str]) -> bool:
    """Whether a column seems to number groups of people, such as households, and not people.

    It has codes that records share. Two of these say so: each stands in one run of records; a weight or an address is
    constant in each; the column is called so. The number of a patient or a customer is none.
    """
    absent = column.absent(missing)
    counts, called_so = column.counts()[~absent], any(part.startswith(_TOGETHER) for part in parts_of(column.name))
    if counts.size < _GROUPS or EXCEPTIONS * counts[counts > 1].sum() <= counts.sum():
        return False
    if ("person" in topics_of(column.name) and not called_so) or not are_codes(column.values.filter(~absent)):
        return False
    present = column.codes[~absent.take(column.codes)]
    in_runs = int(np.count_nonzero(np.diff(present.astype(np.int64)))) + 1 == counts.size
    return in_runs + called_so + _has_constant(table, column, missing) > 1


def _has_constant(table: Table, column: Column, missing: Collection[str]) -> bool:
    """Whether a weight or an address is the same in all records of each value, and not of all."""
    others = (one for one in table.columns if one.name != column.name and len(one.values) >= _GROUPS)
    named = (one for one in others if topics_of(one.name).keys() & {"contact"} or _is_weight(one.name))
    return any(_several(column, other, missing, None)[0] == 0 for other in named)


def _is_weight(name: str) -> bool:
    """Whether a column is called a weight."""
    return any("weight" in part or part in {"wgt", "wt", "peso", "poids", "gewicht"} for part in parts_of(name))
