"""A synthetic register of people in Italy: every person is a function of the seed and a row number.

Row r of seed s takes the eight 64-bit words that the counter-based generator Philox gives for key s at counter 2r
(one counter step gives four words), one word per attribute. So any stretch of rows can be made alone: batches of any
size, and the first rows of a longer register, are the same people, and memory stays constant however many there are.

The odds, as integers (`population` holds them):

    gender        male 48, female 52                       city        by inhabitants
    age           by age group, uniform inside             education   by age
    first name    by gender, uniform                       profession  by education
    last name     uniform                                  income      by profession, uniform in its range
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from kohort.samples.counted import counted, is_counted
from kohort.samples.population import (
    BATCH,
    NONE,
    YOUNGEST,
    below,
    csv_of,
    italy_hierarchies,
    json_of,
    key_of,
    numbered,
    pick,
    population,
    population_of,
    stretches,
    words_of,
    write_folder,
)
from kohort.samples.tables import own_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from kohort.samples.population import Population, Words

__all__ = ["BATCH", "HIERARCHIES", "ROLES", "italy", "italy_batches", "italy_hierarchies", "write_italy"]

#: The register's columns in order, with what each tells about a person.
ROLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "person_id": "identifying",
        "first_name": "identifying",
        "last_name": "identifying",
        "gender": "quasi",
        "city": "quasi",
        "age": "quasi",
        "education": "quasi",
        "profession": "quasi",
        "annual_income": "sensitive",
    }
)

#: How each quasi-identifier generalizes, as `--hierarchy` takes it: a file beside the register, or a rule.
HIERARCHIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "gender": "suppress",
        "city": "city.json",
        "age": "intervals:5,10,20",
        "education": "education.json",
        "profession": "profession.json",
    }
)


def italy(records: int, *, seed: int) -> pl.DataFrame:
    """A register of `records` people; the same seed gives the same people.

    Raises:
        UsageError: A negative number of records or seed.

    >>> italy(30_000, seed=7).head(1_000).equals(italy(1_000, seed=7))
    True
    """
    return pl.concat(italy_batches(records, seed=seed), rechunk=True)


def italy_batches(
    records: int, *, seed: int, batch: int = BATCH, people: Population | None = None
) -> Iterator[pl.DataFrame]:
    """The register of `italy` in frames of `batch` rows, the last one shorter; a single empty one for no records.

    Args:
        records: How many people.
        seed: The same seed gives the same people.
        batch: Rows of a frame.
        people: What they are drawn from; the built-in population if not given.

    Raises:
        UsageError: A negative number of records or seed, or a batch of no rows.

    >>> [len(frame) for frame in italy_batches(25, seed=7, batch=10)]
    [10, 10, 5]
    """
    rows = stretches(records, seed=seed, batch=batch)
    key, drawn_from = key_of(seed), people or population()
    return (_people(words_of(key, first, number), drawn_from, first=first) for first, number in rows)


def write_italy(
    folder: Path,
    records: int,
    *,
    seed: int,
    overwrite: bool = False,
    progress: Callable[[int], object] | None = None,
    tables: Path | None = None,
) -> tuple[Path, ...]:
    """Write the register as people.csv into `folder`, made if needed, and its hierarchies as JSON beside it.

    No file takes its name before all are complete.

    Args:
        folder: Where the files go.
        records: How many people.
        seed: The same seed gives the same people.
        overwrite: Whether files of these names may be replaced.
        progress: Called after each batch with the number of records it held.
        tables: A folder of tables of one's own: see `kohort.samples.tables` and `kohort.samples.counted`.

    Returns:
        The paths written, the register first.

    Raises:
        UsageError: A negative number of records or seed.
        TargetError: A file of such a name exists, and `overwrite` is not set.
        FileError: Writing failed.
        InputError: A table of one's own is not in its form.
    """
    drawn_from, hierarchies = _register(tables)
    people = csv_of(italy_batches(records, seed=seed, people=drawn_from), progress)
    trees = {f"{column}.json": json_of(tree) for column, tree in hierarchies.items()}
    return write_folder(folder, {"people.csv": people, **trees}, overwrite=overwrite)


def _register(tables: Path | None) -> tuple[Population, Mapping[str, object]]:
    """What a register is drawn from, and its hierarchies: the built-in ones, or those of a folder in either form."""
    if tables is not None and is_counted(tables):
        return counted(tables)
    own = NONE if tables is None else own_tables(tables)
    return population_of(own) if own else population(), italy_hierarchies(own)


def _people(words: Words, people: Population, *, first: int) -> pl.DataFrame:
    """The people that (8, n) random words make; `first` is the row of the first of them."""
    gender = people.gender(words[0])
    age = people.age(words[4])
    education = people.education(words[5], given=age)
    profession = people.profession(words[6], given=education)
    least, most = np.array([held["income"] for held in people.professions])[profession].T
    return pl.DataFrame(
        {
            "person_id": numbered("IT", np.arange(first, first + len(gender))),
            "first_name": pick(people.male_names + people.female_names, people.first_name(words[1], given=gender)),
            "last_name": pick(people.last_names, people.last_name(words[2])),
            "gender": pick(people.genders, gender),
            "city": pick([city["name"] for city in people.cities], people.city(words[3])),
            "age": age + YOUNGEST,
            "education": pick(people.educations, education),
            "profession": pick([held["name"] for held in people.professions], profession),
            "annual_income": least + below(words[7], most - least + 1),
        }
    )
