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

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from kohort.errors import FileError, TargetError, UsageError
from kohort.generate.population import EDUCATIONS, GENDERS, YOUNGEST, italy_hierarchies, population

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from kohort.arrays import Index
    from kohort.generate.population import Words

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

#: Words a person takes, and the counter steps that give them.
_WORDS, _STEPS = 8, 2

#: Rows made at once unless told otherwise: 4 MiB of random words.
BATCH = 1 << 16


def italy(records: int, *, seed: int) -> pl.DataFrame:
    """A register of `records` people; the same seed gives the same people.

    Raises:
        UsageError: A negative number of records or seed.

    >>> italy(30_000, seed=7).head(1_000).equals(italy(1_000, seed=7))
    True
    """
    return pl.concat(italy_batches(records, seed=seed), rechunk=True)


def italy_batches(records: int, *, seed: int, batch: int = BATCH) -> Iterator[pl.DataFrame]:
    """The register of `italy` in frames of `batch` rows, the last one shorter; a single empty one for no records.

    Raises:
        UsageError: A negative number of records or seed, or a batch of no rows.

    >>> [len(frame) for frame in italy_batches(25, seed=7, batch=10)]
    [10, 10, 5]
    """
    for name, value, least in (("records", records, 0), ("seed", seed, 0), ("batch", batch, 1)):
        if value < least:
            raise UsageError(f"{name} must be at least {least}, not {value}")
    key = np.random.SeedSequence(seed).generate_state(2, np.uint64).astype(np.uint64)
    starts = range(0, max(records, 1), batch)
    return (_people(_words(key, start, min(batch, records - start)), first=start + 1) for start in starts)


def write_italy(
    folder: Path,
    records: int,
    *,
    seed: int,
    overwrite: bool = False,
    progress: Callable[[int], object] | None = None,
) -> tuple[Path, ...]:
    """Write the register as people.csv into `folder`, made if needed, and its hierarchies as JSON beside it.

    Every file takes its name only when it is complete.

    Args:
        folder: Where the files go.
        records: How many people.
        seed: The same seed gives the same people.
        overwrite: Whether files of these names may be replaced.
        progress: Called after each batch with the number of records it held.

    Returns:
        The paths written, the register first.

    Raises:
        UsageError: A negative number of records or seed.
        TargetError: A file of such a name exists, and `overwrite` is not set.
        FileError: Writing failed.
    """
    batches = italy_batches(records, seed=seed)
    trees = italy_hierarchies()
    people, *hierarchies = (folder / name for name in ("people.csv", *(f"{column}.json" for column in trees)))
    taken = [path.name for path in (people, *hierarchies) if path.exists()]
    if taken and not overwrite:
        where = f"{folder}: {', '.join(taken)}"
        raise TargetError("the output exists", where=where, hint="replace it with --overwrite")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, tree in zip(hierarchies, trees.values(), strict=True):
            text = json.dumps(tree, ensure_ascii=False, indent=2) + "\n"
            _write(path, iter([text.encode()]))
        _write(people, _csv(batches, progress or (lambda _: None)))
    except OSError as error:
        raise FileError(f"the register could not be written: {error.strerror}", where=str(folder)) from error
    return (people, *hierarchies)


def _csv(batches: Iterator[pl.DataFrame], progress: Callable[[int], object]) -> Iterator[bytes]:
    for number, frame in enumerate(batches):
        yield frame.write_csv(include_header=number == 0).encode()
        progress(len(frame))


def _write(path: Path, chunks: Iterator[bytes]) -> None:
    """Write beside `path` and move into place, so that a half-written file never bears the name."""
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as file:
            file.writelines(chunks)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _words(key: Words, start: int, rows: int) -> Words:
    """(8, rows) random words of the people from row `start` on, one line per attribute."""
    stream = np.random.Philox(key=key, counter=[_STEPS * start, 0, 0, 0])
    return np.ascontiguousarray(stream.random_raw(rows * _WORDS).reshape(rows, _WORDS).T)


def _people(words: Words, *, first: int) -> pl.DataFrame:
    """The people that (8, n) random words make; `first` numbers the first of them."""
    people = population()
    gender = people.gender(words[0])
    age = people.age(words[4])
    education = people.education(words[5], given=age)
    profession = people.profession(words[6], given=education)
    ranges = np.array([held["income"] for held in people.professions], dtype=np.uint64)  # (professions, 2)
    least, most = ranges[profession].T
    above = (words[7] >> np.uint64(32)) * (most - least + np.uint64(1)) >> np.uint64(32)  # both factors are below 2^32
    number = pl.Series(np.arange(first, first + len(gender))).cast(pl.String).str.zfill(9)
    return pl.DataFrame(
        {
            "person_id": "IT" + number,
            "first_name": _pick(people.male_names + people.female_names, people.first_name(words[1], given=gender)),
            "last_name": _pick(people.last_names, people.last_name(words[2])),
            "gender": _pick(GENDERS, gender),
            "city": _pick([city["name"] for city in people.cities], people.city(words[3])),
            "age": age + YOUNGEST,
            "education": _pick(EDUCATIONS, education),
            "profession": _pick([held["name"] for held in people.professions], profession),
            "annual_income": (least + above).astype(np.int64),
        }
    )


def _pick(values: Sequence[str], index: Index) -> pl.Series:
    return pl.Series(values).gather(index)
