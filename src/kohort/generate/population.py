"""What the register of Italy is drawn from: names, places and professions, and the odds of each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, TypeAlias, TypedDict, cast

from kohort.generate.draw import Draw, evenly

if TYPE_CHECKING:
    from collections.abc import Sequence

#: A tree of names as JSON holds it: a name and, above the leaves, a list of children under the name of their level.
Tree: TypeAlias = dict[str, "str | list[Tree]"]

GENDERS: Final = ("male", "female")
GENDER_ODDS: Final = (48, 52)

EDUCATIONS: Final = ("High School", "Bachelor", "Master", "Doctoral")

#: Years of age, hundredths of a percent of all people.
AGE_GROUPS: Final = (
    (range(18, 30), 1224),
    (range(30, 40), 1365),
    (range(40, 50), 1435),
    (range(50, 60), 1576),
    (range(60, 70), 1694),
    (range(70, 80), 1553),
    (range(80, 91), 1153),
)

#: Years of age, relative odds of each of `EDUCATIONS`.
EDUCATION_BY_AGE: Final = (
    (range(18, 25), (80, 10, 0, 0)),
    (range(25, 35), (70, 25, 3, 2)),
    (range(35, 45), (60, 30, 5, 5)),
    (range(45, 55), (55, 25, 10, 10)),
    (range(55, 65), (50, 20, 15, 15)),
    (range(65, 75), (45, 15, 20, 20)),
    (range(75, 91), (40, 10, 25, 25)),
)

YOUNGEST: Final = 18

_CITY_LEVELS = ("macro_areas", "regions", "provinces", "cities")
_PROFESSION_LEVELS = ("sectors", "fields", "professions")
_EDUCATION_LEVELS = ("stages", "degrees")


class City(TypedDict):
    """A leaf of cities.json; inhabitants are rough thousands."""

    name: str
    inhabitants: int


class Profession(TypedDict):
    """A leaf of professions.json: relative odds among the holders of each education, and least and greatest income."""

    name: str
    holders: dict[str, int]
    income: tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """The names, places and professions that a register is drawn from, and how; outcomes index the lists."""

    male_names: list[str]
    female_names: list[str]
    last_names: list[str]
    cities: list[City]
    professions: list[Profession]
    gender: Draw
    first_name: Draw  # given the gender; female names count on from the male ones
    last_name: Draw
    city: Draw
    age: Draw  # counted from the youngest
    education: Draw  # given the age
    profession: Draw  # given the education


@cache
def population() -> Population:
    """The population, read once from the tables beside this module."""
    names = cast("dict[str, list[str]]", tree_of("names"))
    male, female, last_names = names["male"], names["female"], names["last"]
    cities = cast("list[City]", leaves(tree_of("cities"), _CITY_LEVELS))
    professions = cast("list[Profession]", leaves(tree_of("professions"), _PROFESSION_LEVELS))
    schooling = [odds for years, odds in EDUCATION_BY_AGE for _ in years]
    return Population(
        male_names=male,
        female_names=female,
        last_names=last_names,
        cities=cities,
        professions=professions,
        gender=Draw.of([GENDER_ODDS]),
        first_name=Draw.of([[1] * len(male), [0] * len(male) + [1] * len(female)]),
        last_name=Draw.of([[1] * len(last_names)]),
        city=Draw.of([[city["inhabitants"] for city in cities]]),
        age=Draw.of([evenly(AGE_GROUPS)]),
        education=Draw.of(schooling),
        profession=Draw.of([[p["holders"].get(degree, 0) for p in professions] for degree in EDUCATIONS]),
    )


def italy_hierarchies() -> dict[str, Tree]:
    """The generalization hierarchies of city, profession and education as JSON trees of equal depth.

    >>> [area["name"] for area in italy_hierarchies()["city"]["macro_areas"]]
    ['Nord-ovest', 'Nord-est', 'Centro', 'Sud', 'Isole']
    """
    return {
        "city": names_only(tree_of("cities"), _CITY_LEVELS),
        "profession": names_only(tree_of("professions"), _PROFESSION_LEVELS),
        "education": names_only(tree_of("education"), _EDUCATION_LEVELS),
    }


def tree_of(name: str) -> Tree:
    """The table of this name beside this module."""
    return cast("Tree", json.loads((files("kohort.generate") / "data" / f"{name}.json").read_text(encoding="utf-8")))


def leaves(tree: Tree, levels: Sequence[str]) -> list[Tree]:
    """The leaves in tree order; `levels` names the lists of children from the root down."""
    nodes = [tree]
    for level in levels:
        nodes = [child for node in nodes for child in cast("list[Tree]", node[level])]
    return nodes


def names_only(tree: Tree, levels: Sequence[str]) -> Tree:
    """The tree without what its leaves say besides their names."""
    if not levels:
        return {"name": tree["name"]}
    children = cast("list[Tree]", tree[levels[0]])
    return {"name": tree["name"], levels[0]: [names_only(child, levels[1:]) for child in children]}
