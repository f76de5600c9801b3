"""A public page is made of the release, its certificate and the job: one person moves it only as far as these."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kohort
from kohort import Attribute, Hierarchy, Job, KAnonymity, Optimal, Role, Schema, SuppressionLimit
from kohort.io import read
from kohort.report.page import Audience, page
from kohort.report.release import attacked
from kohort.tables.table import Column, Table
from kohort.transactions.report.page import transactions_page
from tests.jobs import freely
from tests.unit.report import releases
from tests.unit.transactions.coherent_release import release as coherent_release

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort import Release

SEXES: Final = Hierarchy.from_rows([["f", "*"], ["m", "*"]])

#: A person: age, sex, day of birth, illness, pay.
PERSON: Final = st.tuples(
    st.integers(0, 119),
    st.sampled_from("fm"),
    st.dates().map(str),
    st.sampled_from(["flu", "gout"]),
    st.sampled_from([1, 20_000, 30_000, 10**9]),
)
PEOPLE: Final = st.lists(PERSON, min_size=6, max_size=14)

Person: TypeAlias = "tuple[object, ...]"


def schema(*, lattice: bool) -> Schema:
    """Declared bounds, and grids or hierarchies."""
    return Schema(
        (
            Attribute("age", Role.QUASI, "numeric", "intervals:0..120:20,60" if lattice else None, bounds=(0, 120)),  # type: ignore[arg-type]
            Attribute("sex", Role.QUASI, hierarchy=SEXES),
            Attribute("birth", Role.DROP if lattice else Role.QUASI, grid=None if lattice else "century"),  # type: ignore[arg-type]
            Attribute("illness", Role.SENSITIVE),
            Attribute("pay", Role.SENSITIVE),
        )
    )


def released(people: list[Person], *, lattice: bool) -> Release:
    """A release, verified."""
    made = schema(lattice=lattice)
    if not lattice:
        ages = Attribute("age", Role.QUASI, grid=20, bounds=(0, 120))  # type: ignore[arg-type]
        made = made.changed([ages])
    algorithm = Optimal(limit=SuppressionLimit.of("40%")) if lattice else None
    return kohort.anonymize(table_of(people), freely(Job.of(made, KAnonymity(2), algorithm=algorithm)))


def table_of(people: list[Person]) -> pl.DataFrame:
    """The people as text."""
    names = ["age", "sex", "birth", "illness", "pay"]
    return pl.DataFrame([[str(cell) for cell in one] for one in people], schema=names, orient="row")


def public(release: Release) -> dict[str, Any]:
    """The page for anybody."""
    return page(release, audience=Audience.PUBLIC).as_json()


def shown(release: Release) -> str:
    """What anybody has besides the page: the released cells, the job, and how many records there were."""
    table = release.table
    cells = [[one.values[code] for code in one.codes.tolist()] for one in table.columns]
    return json.dumps([cells, release.suppressed, release.incomplete, release.job.described()])


def of_input(release: Release, table: Table) -> Release:
    """The same release, as if it had been made of another table."""
    return replace(release, records=replace(release.records, source=table, whole=table))


@given(people=PEOPLE, place=st.integers(0, 13), person=PERSON, lattice=st.booleans())
def test_a_page_does_not_look_at_the_input(people: list[Person], place: int, person: Person, *, lattice: bool) -> None:
    """The release of a table has the page that it would have if anybody's record, an extreme one too, were another."""
    release = released(people, lattice=lattice)
    place %= len(people)
    neighbour = read(table_of([*people[:place], person, *people[place + 1 :]]))
    assert public(of_input(release, neighbour)) == public(release)


@given(people=PEOPLE, place=st.integers(0, 13), person=PERSON, lattice=st.booleans())
def test_neighbouring_tables_of_one_release_have_one_page(
    people: list[Person], place: int, person: Person, *, lattice: bool
) -> None:
    """One record more, less, or another: what differs between two pages is what the releases show."""
    place %= len(people)
    before, after = people[:place], people[place + 1 :]
    one = released(people, lattice=lattice)
    for some in ([*before, *after], [*before, person, *after], [*people, person]):
        other = released(some, lattice=lattice)
        assert shown(one) != shown(other) or public(one) == public(other)


@given(people=PEOPLE, place=st.integers(0, 13), years=st.integers(0, 19), lattice=st.booleans())
def test_whoever_moves_within_a_public_cell_moves_no_page(
    people: list[Person], place: int, years: int, *, lattice: bool
) -> None:
    """The oldest and the youngest too: their cell is released; but levels are searched."""
    place %= len(people)
    age, *rest = people[place]
    moved = [*people]
    moved[place] = (int(str(age)) // 20 * 20 + years, *rest)
    one, other = (released(some, lattice=lattice) for some in (people, moved))
    assert lattice or shown(one) == shown(other)
    assert shown(one) != shown(other) or public(one) == public(other)


@pytest.mark.parametrize("make", [releases.mondrian, releases.lattice, releases.altered])
def test_a_public_page_is_the_same_of_a_strange_input(make: Callable[[], Release]) -> None:
    """Every column holds other values, each with another record."""

    def other(column: Column) -> Column:
        known = column.values.to_list()
        texts = [
            text and (str(int(text) * 3 + place) if text.isdigit() else text[::-1]) for place, text in enumerate(known)
        ]
        return Column(column.name, pl.Series(texts, dtype=pl.String), np.roll(column.codes, 1), column.dtype)

    release = make()
    strange = Table(tuple(map(other, release.source.columns)), release.source.records)
    assert public(of_input(release, strange)) == public(release)


def test_attacks_move_no_public_page() -> None:
    """What an attack on the input finds is told to the steward."""
    release = releases.mondrian()
    some: dict[str, Any] = page(release, audience=Audience.PUBLIC, attacks=attacked(release, ["linking"])).as_json()
    assert some["attacks"][0]["rate"] is None


def test_lengths_of_transactions_are_those_of_the_release() -> None:
    """Before is for the steward."""
    bins = transactions_page(coherent_release(), audience=Audience.PUBLIC).lengths.bins
    assert [one.before for one in bins] == [None] * len(bins)
