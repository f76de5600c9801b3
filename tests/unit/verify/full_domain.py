"""The small release made by hand, full-domain: each quasi-identifier on one level, classes that fail left out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from kohort.models.k_anonymity import KAnonymity
from kohort.schema import Attribute, Label, Missing, Role, Schema
from kohort.schema.hierarchy import Hierarchy
from tests.unit.verify.people import COLUMNS, PEOPLE, SCHEMA, Draft

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Labels that look like ranges of numbers, closed and half-open ones, and are names.
AGES = Hierarchy.from_rows(
    [
        *([str(age), "20-29", "[20-40)", "*"] for age in range(20, 30)),
        *([str(age), "30-39", "[20-40)", "*"] for age in range(30, 40)),
        *([str(age), "50-79", "[50-79]", "*"] for age in range(50, 80)),
    ]
)

REGIONS = Hierarchy.from_rows(
    [
        ["Milan", "North", "*"],
        ["Turin", "North", "*"],
        ["Rome", "Centre", "*"],
        ["rome", "Centre", "*"],
        ["Bari", "South", "*"],
        ["Naples", "South", "*"],
    ]
)

HIERARCHIES = {"age": AGES, "city": REGIONS}

TWENTIES, THIRTIES, SILENT = ("20-29", "Centre"), ("30-39", "North"), ("", "North")

#: Classes of two and of one, which fail: the older ones, and who lives in Naples.
OLD, OLD_SOUTH, ALONE = ("50-79", "Centre"), ("50-79", "South"), ("20-29", "South")


def schema_of(missing: Missing = Missing.VALUE, **age: object) -> Schema:
    """The schema; `age` is what else it says of that column."""
    of_age = Attribute("age", Role.QUASI, hierarchy=AGES, label=Label.ANCESTOR, missing=missing, **age)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    city = Attribute("city", Role.QUASI, hierarchy=REGIONS, label=Label.ANCESTOR)
    return Schema((SCHEMA.attributes[0], of_age, city, *SCHEMA.attributes[3:]))


def label_of(column: str, level: int, cell: str) -> str:
    """The node above a value on a level; a missing value has one of its own below the root."""
    hierarchy = HIERARCHIES[column]
    if not cell:
        return hierarchy.labels[-1][0] if level == hierarchy.height else ""
    row = next(row for row in hierarchy.rows() if row[0] == cell)
    return row[level]


def full_domain(
    people: tuple[tuple[str, ...], ...] = PEOPLE,
    levels: Mapping[str, int] | None = None,
    k: int = 3,
    missing: Missing = Missing.VALUE,
) -> Draft:
    """A correct release: everybody below the nodes of these levels, but those whose class is smaller than k."""
    levels = {"age": 1, "city": 1} if levels is None else levels
    quasi = [(name, level, COLUMNS.index(name)) for name, level in levels.items()]
    labels = [tuple(label_of(name, level, row[place]) for name, level, place in quasi) for row in people]
    asked = [place for place, row in enumerate(people) if row[1] or missing is Missing.VALUE]
    sizes = Counter(labels[place] for place in asked)
    kept = [place for place in asked if sizes[labels[place]] >= k]
    return Draft(
        people,
        COLUMNS[1:],
        tuple((*labels[place], *people[place][3:]) for place in kept),
        tuple(kept),
        schema_of(missing),
        (KAnonymity(max(k, 2)),),
        len(people) - len(kept),
        levels=levels,
        limit=len(asked) - len(kept),
    ).ordered()
