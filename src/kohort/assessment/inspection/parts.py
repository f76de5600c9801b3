"""Columns that are one: the year, month and day of one date, and two columns that say the same in other words."""

from __future__ import annotations

import re
from itertools import combinations
from math import lgamma, log
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from kohort.schema.vocabulary import joined

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kohort.arrays import Counts
    from kohort.assessment.inspection.evidence import ColumnEvidence
    from kohort.tables.table import Column

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


class DatePart(NamedTuple):
    """A column that is a part of a date whose other parts are columns, too.

    Attributes:
        unit: Which.
        year: The column of the year.
        others: The columns of the other parts.
    """

    unit: Unit
    year: str
    others: tuple[str, ...]


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
        name: DatePart(unit, parts["year"], tuple(other for other in parts.values() if other != name))
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
    """Whether all numbers may be such parts."""
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
