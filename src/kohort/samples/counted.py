"""A register from files of counts and trees: who has which education at what age, which profession, what income.

Three tables as CSV and four trees as JSON, in one folder or in its folders `csv` and `json`:

    education_distribution_by_age.csv   Age Range (18-24), then a column of odds for each education
    profession_by_education.csv         Education Level, Profession: a line for each pair that occurs
    average_annual_income.csv           Categories, and last a range of incomes ("22,000 - 34,000"): of a profession, or
                                        of a node above it
    cities.json, genders.json, educations.json, jobs.json
                                        trees in any form that `--hierarchy` takes
"""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Final

from kohort.errors import FileError, InputError
from kohort.errors.display import many
from kohort.samples.population import AGE_GROUPS, City, Population, Profession, drawn_from, tree_of
from kohort.schema.hierarchies import read_hierarchy
from kohort.schema.hierarchies.tree import to_tree

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kohort.schema.hierarchy import Hierarchy

_AGES: Final = "education_distribution_by_age.csv"
_JOBS: Final = "profession_by_education.csv"
_INCOMES: Final = "average_annual_income.csv"

#: The trees, by the columns that they are hierarchies of.
_TREES: Final = {
    "gender": "genders.json",
    "city": "cities.json",
    "education": "educations.json",
    "profession": "jobs.json",
}
_HINT: Final = "see kohort.samples.counted for the form"

#: No range of incomes.
_NONE: Final = (-1, -1)

_ages = re.compile(r"([0-9]{1,3})\s*-\s*([0-9]{1,3})").fullmatch
_incomes = re.compile(r"[^0-9]{0,9}([0-9][0-9,]{0,15})\s*[-–]\s*[^0-9]{0,9}([0-9][0-9,]{0,15})[^0-9]{0,9}").fullmatch


def is_counted(folder: Path) -> bool:
    """Whether the folder has such files: of the names that no other form has, one is enough."""
    return any(_at(folder, name).is_file() for name in (_AGES, _JOBS, _INCOMES, _TREES["profession"]))


def counted(folder: Path) -> tuple[Population, dict[str, object]]:
    """What a register is drawn from, and the hierarchies of its columns as trees.

    Cities, and the professions of an education, are drawn with equal odds; ages and names as in Italy.

    Raises:
        InputError: a file lacks, is not in its form, or does not go with the others.
        FileError: reading failed.
    """
    lacking = [name for name in (_AGES, _JOBS, _INCOMES, *_TREES.values()) if not _at(folder, name).is_file()]
    if lacking:
        raise InputError(f"the folder lacks {', '.join(lacking)}", where=str(folder), hint=_HINT)
    trees = {
        column: read_hierarchy(_at(folder, name), name=column, pad="down", keep="qualify")
        for column, name in _TREES.items()
    }
    genders, educations = trees["gender"].leaves, trees["education"].leaves
    if len(genders) != 2:  # noqa: PLR2004  names are of men or of women
        raise InputError(f"there are {len(genders)} genders, but names of only two", where=_TREES["gender"], hint=_HINT)
    cities = [City(name=name, inhabitants=1) for name in trees["city"].leaves]
    people = drawn_from(
        tree_of("names"),
        cities,
        _professions(folder, trees["profession"], educations),
        genders=genders,
        educations=educations,
        schooling=_schooling(folder, educations),
    )
    return people, {column: to_tree(tree) for column, tree in trees.items()}


def _at(folder: Path, name: str) -> Path:
    """Where a file is: in the folder, or in the one in it that is called by the file's form."""
    below = folder / name.rpartition(".")[2] / name
    return below if below.is_file() else folder / name


def _lines(folder: Path, name: str, *columns: str) -> list[dict[str, str]]:
    """The lines of a table that has these columns."""
    path = _at(folder, name)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [{key: cell or "" for key, cell in row.items() if key} for row in csv.DictReader(file)]
    except OSError as error:
        raise FileError(f"the file cannot be read: {error.strerror}", where=str(path)) from None
    except (ValueError, csv.Error):
        raise InputError("the file is not CSV in UTF-8", where=str(path), hint=_HINT) from None
    if not rows or not {*columns} <= rows[0].keys():
        raise InputError(f"some of the columns {', '.join(columns)} are missing", where=str(path), hint=_HINT)
    return rows


def _schooling(folder: Path, educations: tuple[str, ...]) -> list[list[int]]:
    """The odds of each education at each age, from the youngest on."""
    found: dict[int, list[int]] = {}
    for row in _lines(folder, _AGES, "Age Range", *educations):
        ages, odds = _ages(row["Age Range"].strip()), [row[name].strip() or "0" for name in educations]
        if not ages or not all(one.isdecimal() and len(one) <= 9 for one in odds) or not any(map(int, odds)):  # noqa: PLR2004
            raise InputError("a line is not a range of ages with its odds", where=_AGES, hint=_HINT)
        found |= {age: [int(one) for one in odds] for age in range(int(ages[1]), int(ages[2]) + 1)}
    years = [age for ages, _ in AGE_GROUPS for age in ages]
    if lacking := [age for age in years if age not in found]:
        what = f"of the ages from {years[0]} to {years[-1]} {many(len(lacking), 'has', 'have')} no odds"
        raise InputError(what, where=_AGES, hint=_HINT)
    return [found[age] for age in years]


def _professions(folder: Path, tree: Hierarchy, educations: tuple[str, ...]) -> list[Profession]:
    """The leaves of the tree, each with who has it and the incomes of its own line, or of the nearest node above."""
    holders: dict[str, dict[str, int]] = {name: {} for name in tree.leaves}
    unknown = 0
    for row in _lines(folder, _JOBS, "Education Level", "Profession"):
        name, degree = row["Profession"].strip(), row["Education Level"].strip()
        unknown += name not in holders or degree not in educations
        holders.get(name, {})[degree] = 1
    if unknown:
        what = f"{many(unknown, 'line')} with a profession or an education that is no leaf of its tree"
        raise InputError(what, where=_JOBS, hint="correct the lines or the tree")
    if idle := [degree for degree in educations if not any(degree in held for held in holders.values())]:
        raise InputError(f"no profession has holders of {', '.join(idle)}", where=_JOBS, hint="add a line")
    incomes = _ranges(folder)
    made = [
        Profession(name=leaf, holders=held, income=_income(tree, at, incomes))
        for at, (leaf, held) in enumerate(holders.items())
        if held
    ]
    if lacking := sum(one["income"] == _NONE for one in made):
        what = f"{many(lacking, 'profession has', 'professions have')} no income"
        raise InputError(what, where=_INCOMES, hint="add a line")
    return made


def _income(tree: Hierarchy, leaf: int, incomes: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    """The range of the lowest node over a leaf that has one."""
    path = [labels[int(nodes[leaf])] for labels, nodes in zip(tree.labels, tree.maps, strict=True)]
    return next((incomes[name] for name in path if name in incomes), _NONE)


def _ranges(folder: Path) -> dict[str, tuple[int, int]]:
    """The range of incomes of each category, by its first line."""
    found: dict[str, tuple[int, int]] = {}
    for row in _lines(folder, _INCOMES, "Categories"):
        ends = _incomes([*row.values()][-1].strip())
        if not ends:
            raise InputError("a line has no range of incomes", where=_INCOMES, hint=_HINT)
        least, most = (int(end.replace(",", "")) for end in ends.groups())
        if not 0 <= least <= most < 1 << 31:
            raise InputError("the ends of a range of incomes do not ascend", where=_INCOMES, hint=_HINT)
        found.setdefault(row["Categories"].strip(), (least, most))
    return found
