"""What hospital stays are drawn from: patients, places and diagnoses, and the odds of each.

The diagnoses are invented, and so are their names: a code is a letter for its chapter, two digits for its group and one
after the point, as in a classification of diseases. `data/diagnoses.json` says of each chapter the odds by sex and age
(of the groups of `AGES`), the wards and the outcomes (of `OUTCOMES`, in a hundred); of each group its share in a
hundred of the chapter and how long its stays are (`STAYS`); of each code its share in ten of the group and its least
and greatest charge in euro. A city's postal codes, or those of a small one's province,
are the whole range that `data/postal_codes.json` names.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Final, TypedDict, cast

import numpy as np

from kohort.samples.population import RandomDraw, evenly, names_only, population, tree_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Index

SEXES: Final = ("male", "female")
SEX_ODDS: Final = (47, 53)

#: Completed years of age on the day before the first, with the odds among men and among women.
AGE_BY_SEX: Final = (
    (range(15), (10, 8)),
    (range(15, 30), (9, 13)),
    (range(30, 45), (11, 14)),
    (range(45, 60), (19, 14)),
    (range(60, 75), (29, 22)),
    (range(75, 95), (22, 29)),
)

#: Completed years of age from which on a patient is of the next group; the first group are children.
AGES: Final = (15, 30, 45, 60, 75)

#: Every stay lies within these days.
FIRST_DAY: Final = date(2020, 1, 1)
LAST_DAY: Final = date(2024, 12, 31)

#: Patients who are drawn together.
BLOCK: Final = 100

#: Stays, and how many of a hundred patients have so many: few have most.
PATIENTS_BY_STAYS: Final = (
    (1, 61),
    (2, 15),
    (3, 7),
    (4, 4),
    (5, 3),
    (6, 2),
    (7, 2),
    (8, 1),
    (9, 1),
    (10, 1),
    (12, 1),
    (15, 1),
    (20, 1),
)

#: Kinds of stays: nights from admission to discharge, with their odds.
STAYS: Final[dict[str, tuple[tuple[range, int], ...]]] = {
    "day": ((range(1), 60), (range(1, 2), 30), (range(2, 4), 10)),
    "short": ((range(1, 3), 50), (range(3, 6), 40), (range(6, 10), 10)),
    "medium": ((range(2, 5), 30), (range(5, 10), 50), (range(10, 20), 20)),
    "long": ((range(5, 10), 25), (range(10, 20), 50), (range(20, 45), 25)),
}

#: Nights of the longest stay.
LONGEST: Final = 44

WARDS: Final = ("Medicine", "Surgery", "Cardiology", "Psychiatry", "Maternity", "Intensive care", "Paediatrics")

#: Where children are, whatever the diagnosis.
WARDS_OF_CHILDREN: Final = {"Paediatrics": 9, "Intensive care": 1}

#: How a stay ends; only a patient's last can end in death.
OUTCOMES: Final = ("home", "home care", "other hospital", "died")

#: Digits of a postal code.
_DIGITS: Final = 5

#: How many of them the labels of their hierarchy keep, from the root down. Three would tell apart what two do.
_PREFIXES: Final = (1, 2, 4)

_DIAGNOSIS_LEVELS = ("chapters", "groups", "codes")


class Code(TypedDict):
    """A leaf of diagnoses.json."""

    name: str
    odds: int
    charge: tuple[int, int]


class Group(TypedDict):
    """A group of diagnoses of one kind of stay."""

    name: str
    odds: int
    stay: str
    codes: list[Code]


class Chapter(TypedDict):
    """A chapter of groups."""

    name: str
    odds: dict[str, list[int]]
    wards: dict[str, int]
    outcomes: list[int]
    groups: list[Group]


@dataclass(frozen=True, slots=True, eq=False)
class Hospital:
    """What stays are drawn from, and how; outcomes of draws index the lists."""

    first_names: list[str]
    last_names: list[str]
    diagnoses: list[str]
    chapters: Index  # of each diagnosis
    kinds: Index  # of each diagnosis: which of `STAYS`
    charges: Index  # (diagnoses, 2) the least and the greatest
    postal_codes: Index  # (cities, 2) the first and the last
    sex: RandomDraw
    first_name: RandomDraw  # given the sex
    last_name: RandomDraw
    age: RandomDraw  # on the day before the first, given the sex
    city: RandomDraw
    diagnosis: RandomDraw  # given the sex and the group of age: six conditions of men, then six of women
    nights: RandomDraw  # given the kind of stay
    ward: RandomDraw  # given the chapter, or that it is a child: the condition after the chapters
    outcome: (
        RandomDraw  # given the chapter and whether the stay is the patient's last: twice the chapter, and one if so
    )


@cache
def hospital() -> Hospital:
    """The hospital, read once from the tables beside this module."""
    people = population()
    inhabitants = {city["name"]: city["inhabitants"] for city in people.cities}
    codes_of = postal_codes()
    chapters = cast("list[Chapter]", tree_of("diagnoses")["chapters"])
    codes = [(at, group, code) for at, of in enumerate(chapters) for group in of["groups"] for code in group["codes"]]
    wards = [*(chapter["wards"] for chapter in chapters), WARDS_OF_CHILDREN]
    return Hospital(
        first_names=people.male_names + people.female_names,
        last_names=people.last_names,
        diagnoses=[code["name"] for *_, code in codes],
        chapters=np.array([at for at, *_ in codes]),
        kinds=np.array([list(STAYS).index(group["stay"]) for _, group, _ in codes]),
        charges=np.array([code["charge"] for *_, code in codes]),
        postal_codes=np.array(list(codes_of.values())),
        sex=RandomDraw.of([SEX_ODDS]),
        first_name=people.first_name,
        last_name=people.last_name,
        age=RandomDraw.of([evenly([(years, odds[sex]) for years, odds in AGE_BY_SEX]) for sex in range(len(SEXES))]),
        city=RandomDraw.of([[inhabitants[city] for city in codes_of]]),
        diagnosis=RandomDraw.of(_diagnoses(chapters, codes)),
        nights=RandomDraw.of([[*[0] * bands[0][0].start, *evenly(bands)] for bands in STAYS.values()]),
        ward=RandomDraw.of([[odds.get(ward, 0) for ward in WARDS] for odds in wards]),
        outcome=RandomDraw.of(
            [odds for chapter in chapters for odds in ([*chapter["outcomes"][:-1], 0], chapter["outcomes"])]
        ),
    )


def postal_codes() -> dict[str, tuple[int, int]]:
    """The first and the last postal code of each city, as numbers.

    >>> postal_codes()["Roma"]
    (118, 199)
    """
    ranges = cast("dict[str, list[str]]", tree_of("postal_codes"))
    return {city: (int(first), int(last)) for city, (first, last) in ranges.items()}


def places_of_stays() -> Index:
    """(3, stays) what the stays of a hundred patients are: whose, which of the patient's, and of how many.

    >>> places_of_stays()[:, 60:64].tolist()
    [[60, 61, 61, 62], [0, 0, 1, 0], [1, 2, 2, 2]]
    """
    stays, patients = np.array(PATIENTS_BY_STAYS).T
    have = np.repeat(stays, patients)
    whose = np.repeat(np.arange(BLOCK), have)
    turn = np.arange(whose.size) - (np.cumsum(have) - have)[whose]
    return np.stack([whose, turn, have[whose]])


def admissions_hierarchies() -> dict[str, object]:
    """The generalization hierarchies of diagnosis and postal code as JSON trees: by what their texts begin with.

    >>> tree = admissions_hierarchies()["diagnosis"]
    >>> [group["name"] for group in tree["chapters"][0]["groups"]][:2]
    ['A10 Chest infections', 'A11 Gut infections']
    """
    codes = [f"{code:0{_DIGITS}}" for first, last in postal_codes().values() for code in range(first, last + 1)]
    diagnoses = names_only(tree_of("diagnoses"), _DIAGNOSIS_LEVELS)
    return {"diagnosis": diagnoses, "postal_code": {"*": _prefixes(codes, _PREFIXES)}}


def _prefixes(codes: Sequence[str], lengths: Sequence[int]) -> object:
    """Codes below what they begin with, in so many digits on each level."""
    if not lengths:
        return list(codes)
    length, *longer = lengths
    shared = dict.fromkeys(code[:length] for code in codes)
    return {
        f"{text:*<{_DIGITS}}": _prefixes([code for code in codes if code.startswith(text)], longer) for text in shared
    }


def _diagnoses(chapters: Sequence[Chapter], codes: Sequence[tuple[int, Group, Code]]) -> list[list[int]]:
    """The odds of each code, first of men of each group of age, then of women; groups and codes have fixed shares."""
    return [
        [chapters[at]["odds"][sex][age] * group["odds"] * code["odds"] for at, group, code in codes]
        for sex in SEXES
        for age in range(len(AGES) + 1)
    ]
