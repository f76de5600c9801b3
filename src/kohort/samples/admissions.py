"""Synthetic hospital stays: every stay is a function of the seed and a row number.

Stays come in blocks: those of a hundred patients, of whom exactly as many have one stay, two or more as `hospital`
declares, in random order. Row r takes eight 64-bit words from the counter-based generator Philox, patient p eight
words of a stream apart, each one word per attribute. A stretch of rows is made from the blocks that it touches: batches
of any size, and the first rows of a longer table, are the same stays, and memory stays constant however many there are.

The odds, as integers (`hospital` holds them):

    sex           47 male, 53 female                        diagnosis  by sex and age at admission
    first name    by sex, uniform                           nights     by the diagnosis's group
    last name     uniform                                   ward       by the diagnosis's chapter; children's own
    birth date    age by sex, uniform in the year           charge     by diagnosis, uniform in its range
    postal code   city by inhabitants, uniform in the city  outcome    by the diagnosis's chapter

What is a patient's is the same in all of the patient's stays. The period is shared out evenly among the stays of a
patient, and each lies in its share, admitted on any day that leaves room for the longest stay: they do not overlap, and
none follows a death.
"""

from __future__ import annotations

from datetime import date
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import polars as pl

from kohort.samples.hospital import (
    AGES,
    BLOCK,
    FIRST_DAY,
    LAST_DAY,
    LONGEST,
    OUTCOMES,
    SEXES,
    WARDS,
    admissions_hierarchies,
    hospital,
    places_of_stays,
)
from kohort.samples.population import (
    BATCH,
    below,
    csv_of,
    dated,
    json_of,
    key_of,
    numbered,
    pick,
    stretches,
    words_of,
    write_folder,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from kohort.arrays import Index
    from kohort.samples.population import Words

#: The columns in order, with what each tells about a patient.
ROLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "stay_id": "identifying",
        "patient_id": "identifying",
        "patient_name": "identifying",
        "sex": "quasi",
        "birth_date": "quasi",
        "postal_code": "quasi",
        "admission_date": "quasi",
        "discharge_date": "quasi",
        "ward": "sensitive",
        "diagnosis": "sensitive",
        "charge": "sensitive",
        "outcome": "sensitive",
    }
)

#: The privacy model of each sensitive column, as the job file says it.
MODELS: Final[Mapping[str, str]] = MappingProxyType(
    {"ward": "l = 2", "diagnosis": "l = 2", "charge": "t = 0.3", "outcome": "t = 0.3"}
)

#: How columns generalize, as `--hierarchy` takes it: a file beside the table, or a rule. That of diagnoses measures
#: distances between them for t-closeness, too.
HIERARCHIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "sex": "suppress",
        "birth_date": "dates:year,decade",
        "postal_code": "postal_code.json",
        "admission_date": "dates:month,quarter,year",
        "discharge_date": "dates:month,quarter,year",
        "diagnosis": "diagnosis.json",
    }
)

#: The job that comes with the table; `{columns}` stands for a line of each.
_JOB: Final = """\
# What a steward would write for these stays. Change it, then   kohort run job.toml --overwrite
[input]
path = "admissions.csv"

[output]
path = "release.csv"

[privacy]
k = 5

# A patient counts once, however many stays there are.
[person]
key = "patient_id"

[columns]
{columns}

# An exact charge identifies a patient to anyone who knows the amount.
[perturb.columns.charge]
method = "rounding"
step = 500
"""

#: Which stream of the generator makes patients; the first makes stays.
_PATIENTS = 1


class _Patients(NamedTuple):
    """Patients, column by column."""

    number: Index
    name: pl.Series
    sex: Index
    born: Index  # days
    postal_code: Index


def admissions(records: int, *, seed: int) -> pl.DataFrame:
    """A table of `records` hospital stays; the same seed gives the same stays.

    >>> admissions(3_000, seed=7).head(100).equals(admissions(100, seed=7))
    True
    """
    return pl.concat(admissions_batches(records, seed=seed), rechunk=True)


def admissions_batches(records: int, *, seed: int, batch: int = BATCH) -> Iterator[pl.DataFrame]:
    """The table of `admissions` in frames of `batch` rows, the last one shorter; a single empty one for no records.

    >>> [len(frame) for frame in admissions_batches(25, seed=7, batch=10)]
    [10, 10, 5]
    """
    rows = stretches(records, seed=seed, batch=batch)
    key = key_of(seed)
    return (_stays(key, first, number) for first, number in rows)


def write_admissions(
    folder: Path, records: int, *, seed: int, overwrite: bool = False, progress: Callable[[int], object] | None = None
) -> tuple[Path, ...]:
    """Write the stays as admissions.csv into `folder`, made if needed, with their hierarchies and a job file.

    All else is as of `kohort.samples.italy.write_italy`; the paths written come back, the table first.
    """
    stays = csv_of(admissions_batches(records, seed=seed), progress)
    trees = {f"{column}.json": json_of(tree) for column, tree in admissions_hierarchies().items()}
    files = {"admissions.csv": stays, **trees, "job.toml": [job_text().encode()]}
    return write_folder(folder, files, overwrite=overwrite)


def job_text() -> str:
    """A job file for these stays: what `ROLES`, `HIERARCHIES` and `MODELS` say, with k = 5 and rounded charges."""
    lines: list[str] = []
    for column, role in ROLES.items():
        hierarchy = f', hierarchy = "{HIERARCHIES[column]}"' if role == "quasi" else ""
        model = f", {MODELS[column]}" if column in MODELS else ""
        lines.append(f'{column} = {{ role = "{role}"{hierarchy}{model} }}')
    return _JOB.format(columns="\n".join(lines))


def _stays(key: Words, first: int, rows: int) -> pl.DataFrame:
    """The stays of so many rows from `first` on."""
    whose, turn, have = places_of_stays()
    block = whose.size
    start, end = first // block, -(-(first + rows) // block)  # the blocks touched
    words = words_of(key, start * block, (end - start) * block)
    place = _shuffled(words[0], block)
    people = _patients(key, start, end - start)
    before = BLOCK * np.arange(end - start, dtype=np.int64)  # patients before each block
    patient = whose[place] + before.repeat(block)
    mine = slice(first - start * block, first - start * block + rows)
    table = _drawn(words[:, mine], people, patient[mine], turn[place][mine], have[place][mine])
    return table.insert_column(0, numbered("S", np.arange(first, first + rows)).alias("stay_id"))


def _patients(key: Words, first: int, blocks: int) -> _Patients:
    """The patients of so many blocks from block `first` on, numbered in random order within each."""
    draws = hospital()
    words = words_of(key, first * BLOCK, blocks * BLOCK, stream=_PATIENTS)
    sex = draws.sex(words[1])
    names = pick(draws.first_names, draws.first_name(words[2], given=sex))
    year = FIRST_DAY.year - 1 - draws.age(words[4], given=sex)
    born = _new_year(year)
    lowest, highest = draws.postal_codes[draws.city(words[6])].T
    return _Patients(
        number=_shuffled(words[0], BLOCK) + BLOCK * np.arange(first, first + blocks, dtype=np.int64).repeat(BLOCK),
        name=names + " " + pick(draws.last_names, draws.last_name(words[3])),
        sex=sex,
        born=born + below(words[5], _new_year(year + 1) - born),
        postal_code=lowest + below(words[7], highest - lowest + 1),
    )


def _drawn(words: Words, people: _Patients, patient: Index, turn: Index, have: Index) -> pl.DataFrame:
    """What (8, n) random words make of stays, given whose each is, which of the patient's it is and of how many."""
    draws = hospital()
    share = ((LAST_DAY - FIRST_DAY).days + 1) // have
    admitted = _day(FIRST_DAY) + turn * share + below(words[1], share - LONGEST)
    sex, born = people.sex[patient], people.born[patient]
    age = np.searchsorted(AGES, _years(born, admitted), side="right")
    diagnosis = draws.diagnosis(words[2], given=sex * (len(AGES) + 1) + age)
    chapter = draws.chapters[diagnosis]
    least, most = draws.charges[diagnosis].T
    child = draws.chapters[-1] + 1  # the condition of wards after the last chapter
    outcome = draws.outcome(words[6], given=2 * chapter + (turn == have - 1))
    return pl.DataFrame(
        {
            "patient_id": numbered("P", people.number[patient]),
            "patient_name": people.name.gather(patient),
            "sex": pick(SEXES, sex),
            "birth_date": dated(born),
            "postal_code": pl.Series(people.postal_code[patient]).cast(pl.String).str.zfill(5),
            "admission_date": dated(admitted),
            "discharge_date": dated(admitted + draws.nights(words[3], given=draws.kinds[diagnosis])),
            "ward": pick(WARDS, draws.ward(words[4], given=np.where(age == 0, child, chapter))),
            "diagnosis": pick(draws.diagnoses, diagnosis),
            "charge": least + below(words[5], most - least + 1),
            "outcome": pick(OUTCOMES, outcome),
        }
    )


def _shuffled(words: Words, block: int) -> Index:
    """(n,) the numbers below `block` in random order, anew for each block of so many words."""
    return np.argsort(words.reshape(-1, block), kind="stable").ravel()


def _day(day: date) -> int:
    """A day as dates are counted here: from 1970 on."""
    return (day - date(1970, 1, 1)).days


def _new_year(years: Index) -> Index:
    """The first day of each year."""
    return (years - 1970).astype("datetime64[Y]").astype("datetime64[D]").astype(np.int64)


def _years(born: Index, days: Index) -> Index:
    """Completed years from birth to a day.

    >>> _years(np.array([_day(date(2000, 2, 29))] * 2), np.array([_day(date(2001, 2, 28)), _day(date(2001, 3, 1))]))
    array([0, 1])
    """
    dates = np.stack([born, days]).astype("datetime64[D]")
    months = dates.astype("datetime64[M]")
    birth, now = (dates - months).astype(np.int64)  # days of the month
    first, last = months.astype(np.int64)
    completed: Index = (last - first - (now < birth)) // 12
    return completed
