"""Released columns that hold cells of identifying ones: what is told, and what is left to chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from kohort import Job, KAnonymity, Schema, anonymize
from kohort.errors import JobError, SchemaError
from kohort.io import read
from kohort.schema import Attribute, Role
from kohort.tables.dataset import Values
from kohort.verify.identifiers import SHARE, Leak, leaks, suspects

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: People of the table.
PEOPLE = 400

#: Names and numbers that one has, of which the first names are of many.
LAST = [f"Sur{chr(97 + place // 26)}{chr(97 + place % 26)}" for place in range(PEOPLE)]
NAMES = [f"{('Ada', 'Bruno', 'Carla')[place % 3]} {last}" for place, last in enumerate(LAST)]
IDS = [str(place + 1) for place in range(PEOPLE)]
LONG_IDS = [str(70_001 + place) for place in range(PEOPLE)]
CODES = [f"PT-{place:04}" for place in range(PEOPLE)]
FINE = ["all is well with nothing to add"] * PEOPLE


def found(
    identifying: Mapping[str, Sequence[str]],
    released: Sequence[str],
    *,
    quasi: bool = False,
    k: int = 5,
    person: str | None = None,
    allowed: Sequence[str] = (),
) -> list[Leak]:
    """What of identifying columns a released one holds."""
    table = read(
        pl.DataFrame({**identifying, "note": released, "age": [str(place % 9) for place in range(len(released))]})
    )
    names = ["age", "note"] if quasi else ["age"]
    schema = Schema.of(
        identifying=[*identifying], quasi=names, insensitive=[] if quasi else ["note"], person=person
    ).over(table.names)
    return [*leaks(schema, table, table, np.arange(table.records), k=k, allowed=allowed)]


def noted(*notes: tuple[int, str]) -> list[str]:
    """Notes of some people among others."""
    made = [*FINE]
    for place, text in notes:
        made[place] = text
    return made


@pytest.mark.parametrize(
    ("identifying", "note"),
    [
        ({"name": NAMES}, f"talked to {NAMES[7].upper()}, who is well"),
        ({"code": CODES}, f"see {CODES[9]}."),
        ({"code": CODES}, CODES[9]),
    ],
)
def test_a_whole_identifier_is_told_wherever_it_stands(identifying: Mapping[str, Sequence[str]], note: str) -> None:
    """A name of two words, or a code, is found in anybody's cell, once is enough, and whatever its case."""
    (name,) = identifying
    assert found(identifying, noted((3, note))) == [Leak(name, "note", 1, own=False)]
    assert found(identifying, noted((3, note)), allowed=["note"]) == []


@pytest.mark.parametrize(
    ("identifying", "notes"),
    [
        ({"last": LAST}, [(3, "Mrs Surad is well again"), (5, "the Suraf family is well")]),
        ({"name": NAMES}, [(3, "Mrs Surad is well again"), (5, "the Suraf family is well")]),
        ({"id": LONG_IDS}, [(3, "file 70004 was closed today"), (5, "file 70006 was closed today")]),
    ],
)
def test_names_and_numbers_of_their_own_are_told(
    identifying: Mapping[str, Sequence[str]], notes: list[tuple[int, str]]
) -> None:
    """A last name, alone in its column or not, and a long number: where more people's notes hold it than chance has."""
    (name,) = identifying
    assert found(identifying, noted(*notes)) == [Leak(name, "note", 2, own=True)]
    moved = [(place + 50, text) for place, text in notes]
    assert found(identifying, noted(*moved)) == []


@pytest.mark.parametrize("quasi", [False, True])
def test_a_copy_is_told(quasi: bool) -> None:  # noqa: FBT001  pytest passes it
    """Numbers too, however short, generalized or not."""
    assert found({"id": IDS}, IDS, quasi=quasi) == [Leak("id", "note", PEOPLE, own=True)]
    half = [number if place % 2 else "x" for place, number in enumerate(IDS)]
    assert found({"id": IDS}, half, quasi=quasi) == [Leak("id", "note", PEOPLE // 2, own=True)]


def test_short_texts_name_people_where_more_than_one_in_twenty_has_its_own() -> None:
    """Just one in twenty is not told, though another's cell holds one more."""
    own = PEOPLE // SHARE
    notes = [number if place < own else "x" for place, number in enumerate(IDS)]
    notes[own + 1] = IDS[own]
    assert found({"id": IDS}, notes) == []
    notes[own] = IDS[own]
    assert found({"id": IDS}, notes) == [Leak("id", "note", own + 1, own=True)]


def test_chance_is_not_told() -> None:
    """Row numbers among ages, a first name that is also a city, and a table too small to tell."""
    ages = [str(1 + place * 37 % PEOPLE) for place in range(PEOPLE)]
    assert found({"row": IDS}, ages) == []
    first = ["Paris" if place == 5 else name for place, name in enumerate(NAMES)]
    assert found({"first": first}, ["Paris" if place % 9 else "Rome" for place in range(PEOPLE)]) == []
    assert found({"id": IDS[:3]}, IDS[:3]) == []


def test_what_many_have_names_nobody() -> None:
    """The city of an address is one of many people; where it is of few, it is told unless it is generalized."""
    cities = [f"City{chr(97 + place % 20)}" for place in range(PEOPLE)]
    address = [f"Way {place}, {city}" for place, city in enumerate(cities)]
    assert found({"address": address}, cities) == []
    villages = [f"Village{place // 2}" for place in range(PEOPLE)]
    address = [f"Way {place}, {village}" for place, village in enumerate(villages)]
    assert found({"address": address}, villages) == [Leak("address", "note", PEOPLE, own=True)]
    assert found({"address": address}, villages, quasi=True) == []


def test_a_decimal_holds_no_number() -> None:
    """12 is a word of `file 12`, and none of 12.5."""
    assert found({"id": LONG_IDS}, [f"{number}.5" for number in LONG_IDS]) == []


def test_people_are_counted_with_a_person_key() -> None:
    """Who has several records is one of those whom the texts name, and is told once."""
    ids = [number for number in LONG_IDS[:100] for _ in range(4)]
    assert found({"id": ids}, [*ids], person="id", k=2) == [Leak("id", "note", 100, own=True)]
    assert found({"id": ids}, [*ids], k=2) == []


def test_without_words_there_is_nothing_to_find() -> None:
    """Missing cells, and cells of marks alone, have no words."""
    assert found({"name": ["", "?", *NAMES[2:]]}, ["", "?", *FINE[2:]]) == []
    assert found({"name": [""] * 9}, ["-"] * 9) == []


def test_a_release_is_refused_before_any_search() -> None:
    """With the column, a count and the flag, and no value; several columns at once; allowed by name it is released."""
    table = pl.DataFrame(
        {"name": NAMES, "age": [str(place % 9) for place in range(PEOPLE)], "note": noted((3, NAMES[3]), (4, NAMES[4]))}
    )
    schema = Schema.of(identifying=["name"], quasi=["age"], insensitive=["note"])
    with pytest.raises(SchemaError) as caught:
        anonymize(table, Job.of(schema, KAnonymity(5)))
    assert caught.value.what == "cells of 2 people hold cells or words of the identifying column name"
    assert (caught.value.where, caught.value.exit_status) == ("column note", 2)
    assert "--allow-singling note" in caught.value.hint
    assert "Sur" not in str(caught.value)
    assert anonymize(table, Job.of(schema, KAnonymity(5), allow_singling=("note",))).verdict
    two = Schema.of(identifying=["name"], quasi=["age"], insensitive=["note", "again"])
    with pytest.raises(JobError) as several:
        anonymize(table.with_columns(again=table["note"]), Job.of(two, KAnonymity(5)))
    assert len(several.value.exceptions) == 2


def test_what_cannot_be_a_leak_is_not_looked_up() -> None:
    """Told by the values of each column: short numbers of few people in a column of many are no suspects."""
    schema = Schema((Attribute("id", Role.IDENTIFYING), Attribute("age", Role.INSENSITIVE)))

    def values(*texts: str, each: int) -> Values:
        return Values(pl.Series(texts), np.full(len(texts), each))

    ages = {"age": values("31", "45", each=50)}
    few = {"id": values("31", "7001", each=1)}
    assert not [*suspects(schema, few, ages, few=3, allowed=())]
    many = {"id": values("31", "45", each=2)}
    assert not [*suspects(schema, many, ages, few=3, allowed=())]
    assert [*suspects(schema, many, {"age": values("31", "45", each=20)}, few=3, allowed=())] == [("id", "age")]
    assert not [*suspects(schema, many, {"age": values("31", "45", each=20)}, few=2, allowed=())]
    assert not [*suspects(schema, many, ages, few=3, allowed=("age",))]
    long = {"age": values("70010", "45", each=50)}
    assert [*suspects(schema, {"id": values("70010", each=1)}, long, few=3, allowed=())] == [("id", "age")]
