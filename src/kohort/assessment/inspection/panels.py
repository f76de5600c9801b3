"""Whose records are they? A table that follows people over time has several records of each, at most one a period.

Of several keys the coarsest says it: each encounter has one patient. A household's number is coarser, but no person's.
"""

from __future__ import annotations

import re
from itertools import combinations, permutations
from math import lgamma, log
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from kohort.schema.vocabulary.topics import joined, parts_of, topics_of
from kohort.tables.people import person_codes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from kohort.arrays import Counts
    from kohort.assessment.inspection.evidence import ColumnEvidence
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
    return any("weight" in part or part in {"wgt", "wt", "peso", "poids", "gewicht"} for part in parts_of(name))


#: A part of a date.
Unit: TypeAlias = Literal["year", "month", "day"]

#: What names a part, at either end of a column's name, in five languages: longer words first.
_UNITS: Final[Mapping[Unit, str]] = {
    "year": "annee|year|anno|jahr|ano|yr|an",
    "month": "month|monat|mnth|mese|mois|mth|mon|mes|mo",
    "day": "giorno|mday|jour|day|tag|dia|dy|da",
}

#: Between which numbers a part lies.
_RANGES: Final[Mapping[Unit, tuple[tuple[int, int], ...]]] = {
    "year": ((0, 99), (1800, 2100)),
    "month": ((1, 12),),
    "day": ((1, 31),),
}

#: How unlikely two columns must be one to one by chance: one in a million.
_CHANCE: Final = log(1e6)


#: A column that is a part of a date whose other parts are columns, too: which; the column of the year; the other parts.
DatePart: TypeAlias = tuple[Unit, str, tuple[str, ...]]


def date_parts(columns: Sequence[ColumnEvidence]) -> dict[str, DatePart]:
    """The columns that are parts of one date, by name: a year, and a month or a day, whose names are else the same.

    `yrdth`, `modth` and `dadth` are one date, `birth_year` and `birth_month` another.
    """
    dates: dict[str, dict[Unit, str]] = {}
    for evidence in columns:
        for unit, stem in _stems(joined(evidence.name)):
            if evidence.whole and _lies_in(evidence, unit):
                dates.setdefault(stem, {}).setdefault(unit, evidence.name)
    return {
        name: (unit, parts["year"], tuple(other for other in parts.values() if other != name))
        for parts in dates.values()
        if "year" in parts and len(parts) > 1
        for unit, name in parts.items()
    }


def _stems(name: str) -> Iterator[tuple[Unit, str]]:
    """Which part of a date a name may speak of, and what is left of it."""
    for unit, words in _UNITS.items():
        for found in (re.match(rf"(?:{words})", name), re.search(rf"(?:{words})$", name)):
            stem = "s" if found is None else name[: found.start()] + name[found.end() :]
            if stem != "s":  # years and months are a duration
                yield unit, stem


def _lies_in(evidence: ColumnEvidence, unit: Unit) -> bool:
    numbers = evidence.values.cast(float)
    return any(bool(((low <= numbers) & (numbers <= high)).all()) for low, high in _RANGES[unit])


def same(columns: Sequence[Column]) -> list[tuple[str, str]]:
    """The pairs of columns that say the same: each value of one goes with one value of the other, and the reverse.

    A missing value is a value, and one value says nothing. Where each record has its own values, any two columns are
    one to one: what counts is how unlikely it is that two columns of these frequencies divide the records alike by
    chance, which is one in n! / (product of n_v! and of m_s!), where n_v records have value v, and m_s values have s.

    Cost: of columns with the same frequencies, one pass over the records for each two.
    """
    alike: dict[bytes, list[Column]] = {}
    for column in columns:
        sizes = np.sort(column.counts())
        if sizes.size > 1 and _surprise(sizes) > _CHANCE:
            alike.setdefault(sizes.tobytes(), []).append(column)
    return [
        (one.name, other.name)
        for group in alike.values()
        for one, other in combinations(group, 2)
        if _one_to_one(one, other)
    ]


def _surprise(sizes: Counts) -> float:
    """The logarithm of how many ways there are to divide the records into groups of these sizes."""
    several = np.unique(sizes, return_counts=True)
    of_values = sum(int(many) * lgamma(size + 1) + lgamma(many + 1) for size, many in zip(*several, strict=True))
    return lgamma(int(sizes.sum()) + 1) - of_values


def _one_to_one(one: Column, other: Column) -> bool:
    """Whether each value of one column goes with one of another, which has as many."""
    held = np.zeros(len(one.values), np.int64)
    held[one.codes] = other.codes  # some record's: another record that differs from it shows that there are several
    return bool((held.take(one.codes) == other.codes).all()) and np.unique(held).size == held.size
