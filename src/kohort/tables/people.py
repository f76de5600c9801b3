"""Whose a record is: keys that a reader takes for one key are one person's, however they are spelled."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

import numpy as np
import polars as pl

from kohort.errors import InputError, SourceNote
from kohort.errors.display import many
from kohort.tables.dataset import Values
from kohort.tables.texts import evened

if TYPE_CHECKING:
    from collections.abc import Collection

    from kohort.arrays import Index
    from kohort.tables.table import Column

#: What two spellings of a key may differ in.
_ALIKE: Final = "keys that differ only by case, blanks, width, invisible letters or the form of a number count as equal"

#: What was found of columns that are still in use: a run asks for its people some ten times.
_OWNERS: Final = WeakKeyDictionary["Column", "Index | None"]()


def person_codes(column: Column) -> Index:
    """(n,) the person of each record, as the place of one of the person's keys among the column's values.

    >>> from kohort.io.cells import encode
    >>> one, same, other, alike, third = person_codes(
    ...     encode("id", pl.Series(["p2", "P2 ", "01", "1.0", "2"]), pl.String())
    ... ).tolist()
    >>> one == same, other == alike, len({one, other, third})
    (True, True, 3)
    """
    owners = owners_of(column)
    return (column.codes if owners is None else owners.take(column.codes)).astype(np.int64)


def owners_of(column: Column) -> Index | None:
    """(v,) the place of the first spelling, by its bytes, of each key; `None` where no two keys are alike.

    Cost: once for a column some 0.2 s for a million plain keys, 5 s where they are full of accents.
    """
    if column not in _OWNERS:
        _OWNERS[column] = _owners(column.values.fill_null(""))
    return _OWNERS[column]


def _owners(keys: pl.Series) -> Index | None:
    even = evened(keys, numbers=True)
    if even is None:
        return None
    found = pl.DataFrame({"even": even, "key": keys}).with_row_index("at")
    return found.select(pl.col("at").sort_by("key").first().over("even")).to_series().to_numpy().astype(np.int64)


def different_keys(values: Values, missing: Collection[str]) -> Values:
    """The different keys among some values, in one spelling each, and the records with each; none that is missing."""
    absent = values.texts.is_in([*missing]).fill_null(value=True)
    keys, counts = values.texts.filter(~absent), values.counts[~absent.to_numpy()]
    even = evened(keys, numbers=True)
    if even is None:
        return Values(keys, counts)
    found = pl.DataFrame({"key": even, "n": counts}).group_by("key", maintain_order=True).sum()
    return Values(found["key"], found["n"].to_numpy())


def note_spellings(column: Column) -> None:
    """Say, as a `SourceNote`, how many spellings were counted as fewer people."""
    found, people = _spellings(column)
    if found:
        note = f"{found:,} spellings of {column.name} were counted as {many(people, 'person', 'people')}: {_ALIKE}"
        warnings.warn(SourceNote(note), stacklevel=3)


def refuse_spellings(column: Column, where: str, result: str) -> None:
    """Refuse keys that are alike, where each spelling would be taken for a key of its own."""
    found, keys = _spellings(column)
    if found:
        raise respelled(found, keys, where, result)


def respelled(found: int, keys: int, where: str, result: str) -> InputError:
    """The error of keys that are alike."""
    what = f"{found:,} spellings mean only {many(keys, 'key')}, and {result}: {_ALIKE}"
    return InputError(what, where=where, hint="spell each key in one way, and different keys differently")


def _spellings(column: Column) -> tuple[int, int]:
    """How many keys are spelled otherwise than another one that is alike, and how many keys these are."""
    owners = owners_of(column)
    keys = np.bincount(() if owners is None else owners)
    return int(keys[keys > 1].sum()), int(np.count_nonzero(keys > 1))
