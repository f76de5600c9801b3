"""Columns that single people out though they are released as they are."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort import Job, KAnonymity, anonymize
from kohort.assessment.risk import singling as singling_module
from kohort.assessment.risk.singling import (
    RoundingProposal,
    Singling,
    proposed,
    refuse_needless,
    refuse_singling,
    roundings,
    singling,
)
from kohort.errors import JobError, SchemaError
from kohort.io import read
from kohort.perturbation.rounding import Rounding
from kohort.schema import Attribute, Role, Schema
from kohort.tables.perturbing import perturb
from kohort.tables.table import Column, Table
from kohort.verify.singling import singled_out
from tests.unit.assessment.risk.tables import frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Index


TABLE = frame(
    age=["1", "1", "2", "2"], ticket=["a", "b", "c", "c"], stamp=["p", "q", "r", "s"], income=["4", "5", "6", "7"]
)


def table() -> Table:
    """Four people whose stamps and incomes, but not tickets, are all their own."""
    return read(TABLE)


def job(rest: Role, *allowed: str, sensitive: str = "income") -> Job:
    """A job over the table's columns."""
    schema = Schema((Attribute("age", Role.QUASI), Attribute(sensitive, Role.SENSITIVE)), rest=rest)
    return Job.of(schema, KAnonymity(2), allow_singling=allowed, no_model=(sensitive,))


def test_more_than_half_must_be_unique() -> None:
    """Half of the people with a value of their own is not more than half."""
    found = singling(table(), ["age", "ticket", "stamp", "income"])
    assert found == (Singling(("stamp",), 4, 4), Singling(("income",), 4, 4))
    assert (found[0].share, Singling(("age",), 0, 0).share) == (1, 0)


@pytest.mark.parametrize("name", ["stamp", "income"])
def test_a_column_that_singles_out_is_refused(name: str) -> None:
    """Whatever its role, it is refused with the flag that allows it, and no value is told."""
    with pytest.raises(SchemaError) as caught:
        refuse_singling(table(), ["age", "ticket", name])
    assert caught.value.where == f"column {name}"
    assert "4 of 4 records" in caught.value.what
    assert f"--allow-singling {name}" in caught.value.hint
    assert "round a measure" not in caught.value.hint
    assert caught.value.exit_status == 2
    with pytest.raises(JobError) as several:
        refuse_singling(table(), ["stamp", "income"])
    assert len(several.value.exceptions) == 2


def test_a_near_unique_measure_is_refused_with_a_rounding() -> None:
    """The hint names the perturbation that would do, and what it costs."""
    incomes = read(frame(income=[str(1000 + 7 * place) for place in range(100)]))
    with pytest.raises(SchemaError) as caught:
        refuse_singling(incomes, ["income"])
    proposal = "--perturb income=rounding:step=20 (1 person is unique instead of 100; values change by 5"
    assert proposal in caught.value.hint


def test_only_what_is_released_can_be_allowed() -> None:
    """A column that is not released, or only as a pseudonym, and one that is not there, are nothing to allow."""
    schema = Schema(
        (
            Attribute("name", Role.IDENTIFYING),
            Attribute("code", Role.IDENTIFYING, pseudonym=True),
            Attribute("age", Role.QUASI),
            Attribute("pay", Role.SENSITIVE),
            Attribute("shoe", Role.INSENSITIVE),
        )
    )
    refuse_needless(schema, ["age", "pay", "shoe"])
    with pytest.raises(SchemaError, match="nothing to allow"):
        refuse_needless(schema, ["pay", "name"])
    with pytest.raises(JobError) as caught:
        refuse_needless(schema, ["code", "tiket"])
    assert len(caught.value.exceptions) == 2


def test_a_value_of_one_person_singles_out() -> None:
    """With a person key, what all records of one person and nobody else's have singles that person out."""
    visits = read(frame(who=[*"aabb"], age=["1"] * 4, bed=["7", "7", "8", "8"]))
    people = np.array([5, 5, 9, 9])
    assert singling(visits, ["bed"]) == ()
    assert singling(visits, ["bed"], people) == (Singling(("bed",), 2, 2),)
    with pytest.raises(SchemaError, match="2 of 2 people"):
        refuse_singling(visits, ["bed"], people=people)
    keyed = Schema.of(identifying=["who"], quasi=["age"], insensitive=["bed"], person="who")
    with pytest.raises(SchemaError, match="2 of 2 people"):
        anonymize(visits_frame(), Job.of(keyed, KAnonymity(2)))


def visits_frame() -> object:
    """Two people in two beds."""
    return frame(who=[*"aabb"], age=["1"] * 4, bed=["7", "7", "8", "8"])


def test_a_release_is_refused_before_any_search() -> None:
    """`anonymize` refuses sensitive columns and others alike, unless the job allows them by name."""
    with pytest.raises(JobError) as caught:
        anonymize(TABLE, job(Role.INSENSITIVE))
    assert len(caught.value.exceptions) == 2
    with pytest.raises(SchemaError, match="4 of 4 records"):
        anonymize(TABLE, job(Role.INSENSITIVE, "stamp"))
    assert anonymize(TABLE, job(Role.INSENSITIVE, "stamp", "income")).verdict
    with pytest.raises(SchemaError, match="nothing to allow"):
        anonymize(TABLE, job(Role.IDENTIFYING, "stamp", "income"))


def test_a_perturbed_column_is_judged_as_it_is_released() -> None:
    """Rounded far enough it is released; rounded too little it is refused, after the search."""
    only = job(Role.IDENTIFYING)
    rounded = replace(only, perturbations=(Rounding("income", Fraction(10)),))
    assert anonymize(TABLE, rounded).verdict
    with pytest.raises(SchemaError, match="4 of 4 records"):
        anonymize(TABLE, replace(only, perturbations=(Rounding("income", Fraction(1)),)))


def of_values(values: Sequence[str | None], counts: Sequence[int], *missing: str) -> RoundingProposal | None:
    """What is proposed where only the values and their records are known."""
    column = Column("", pl.Series(values, dtype=pl.String), np.arange(len(values), dtype=np.uint32), pl.String())
    return proposed(column, missing=missing, weights=np.array(counts, np.int64))


#: Cells of a measure: whole numbers and decimals, near and far, some missing, some that mean none.
CELLS = st.lists(
    st.one_of(
        st.integers(-200, 2_000).map(str),
        st.integers(0, 100_000).map(lambda cents: f"{cents / 100:.2f}"),
        st.sampled_from(["", "999", "1000"]),
    ),
    min_size=20,
    max_size=120,
)


@given(CELLS, st.none() | st.integers(2, 60))
def test_the_bound_holds_after_that_very_rounding(cells: list[str], each: int | None) -> None:
    """Rounded by the perturbation that is proposed, at most 5 % stand alone, as many as is said, and no step before."""
    table = read(pl.DataFrame({"pay": cells}))
    people = None if each is None else np.arange(len(cells)) % each
    missing = frozenset({"", "999"})
    found = proposed(table["pay"], missing=missing, people=people)
    (before,) = singled_out(table.columns, people)
    if found is None:
        return
    assert (found.before, found.people) == (before.unique, before.people)
    assert 20 * before.unique > before.people

    def alone(step: Fraction) -> int:
        made, _ = perturb(table, [Rounding("pay", step)], missing=missing, seed=None)
        (after,) = singled_out(made.columns, people)
        return after.unique

    assert alone(found.step) == found.after <= found.people / 20
    lesser = [lead * Fraction(10) ** power for lead in (1, 2, 5) for power in range(-2, 5)]
    assert all(20 * alone(step) > found.people for step in lesser if step < found.step)
    if each is None:
        texts, counts = table["pay"].values.to_list(), table["pay"].counts().tolist()
        assert of_values(texts, counts, *missing) == found


@pytest.mark.parametrize(
    "values",
    [
        [*"abcdefghij"],
        [str(2**60 + place) for place in range(40)],
        ["1"],
        [str(3**place) for place in range(30)],
        ["007", *map(str, range(30))],
        [],
    ],
)
def test_none_is_proposed_where_none_would_do(values: list[str]) -> None:
    """Names, codes, numbers too large, one value, or ones so far apart that only a standard deviation would do."""
    assert of_values(values, [1] * len(values)) is None


def test_none_is_proposed_where_few_stand_alone() -> None:
    """At most 5 % may stand alone as it is."""
    assert of_values(["1", "2"], [1, 19]) is None


def test_missing_people_stand_alone_still() -> None:
    """Who alone lacks a value stands alone whatever the step."""
    numbers = [str(place) for place in range(39)]
    found = of_values([*numbers, None], [1] * 40)
    assert found is not None
    assert found == of_values([*numbers, "?"], [1] * 40, "?")
    assert found.after >= 1


def test_what_it_helps_and_costs_is_said() -> None:
    """In one phrase, with the value of `--perturb`."""
    one = RoundingProposal(Fraction(1, 2), 90, 1, 90, 1234.4, 0.0123)
    assert one.perturbation("weight") == "weight=rounding:step=0.5"
    assert one.told == (
        "1 person is unique instead of 90; values change by 1,234 on average, 1.2 % of their standard deviation"
    )


# ── numbers that are released together ───────────────────────────────────────────────────────────


def numbers_of(records: int, seed: int = 5, **columns: float) -> Table:
    """Log-normal numbers, each column of such a spread, and one of them far beyond all others."""
    random = np.random.default_rng(seed)
    made = {name: np.exp(random.normal(8, spread, records)).round(2) for name, spread in columns.items()}
    for numbers in made.values():
        numbers[3] *= 100
    return read(pl.DataFrame(made).cast(pl.String))


def unique_of(table: Table, found: dict[str, RoundingProposal], people: Index | None = None) -> tuple[int, list[int]]:
    """Who is unique by all columns once they are perturbed, and how few people have either end of a rounded one."""
    made, _ = perturb(table, [one.method(name) for name, one in found.items()], missing=frozenset({""}), seed=None)
    whose = np.arange(table.records) if people is None else people
    holders: dict[tuple[str, ...], set[int]] = {}
    for row, person in zip(zip(*(one.cells().to_list() for one in made.columns), strict=True), whose, strict=True):
        holders.setdefault(row, set()).add(int(person))
    alone = {person for held in holders.values() if len(held) == 1 for person in held}
    ends = list[int]()
    for name in found:
        cells = np.array(made[name].cells().to_list(), np.float64)
        ends += [np.unique(whose[cells == end]).size for end in (cells.min(), cells.max())]
    return len(alone), ends


@pytest.mark.parametrize("k", [2, 10, 25])
@pytest.mark.parametrize("persons", [False, True])
def test_numbers_are_rounded_so_that_few_are_unique_by_all_of_them(k: int, *, persons: bool) -> None:
    """At most 5 % of the people are, counted the plain way, and k people at least have each end of each column."""
    table = numbers_of(2_700, pay=0.4, rent=0.3)
    people = np.arange(2_700) // 3 if persons else None
    found, left = roundings(table.columns, k=k, people=people)
    assert not left
    unique, ends = unique_of(table, found, people)
    assert {one.after for one in found.values()} == {unique}
    assert 20 * unique <= (900 if persons else 2_700)
    assert min(ends) >= k
    assert all(one.columns == 2 and one.before > 200 and one.top is not None for one in found.values())


def test_one_share_of_a_deviation_is_sought_for_all() -> None:
    """Each column moves by about as much of its own spread, and a single outlier does not make the steps coarse."""
    found, _ = roundings(numbers_of(2_000, pay=0.4, rent=0.4).columns, k=5)
    assert 0.4 <= float(found["pay"].step / found["rent"].step) <= 2.5
    assert all(float(one.step) < 2_000 for one in found.values())  # 0.4 of 3,000 is 1,300; with the outlier 9,000
    alone, _ = roundings(numbers_of(2_000, pay=0.4).columns, k=5)
    assert alone["pay"].step < found["pay"].step


def test_ends_of_few_people_become_their_mean() -> None:
    """A value that one person has, beyond all others, is made that of ten, though few are unique as it is."""
    cells = [str(place % 30) for place in range(600)] + ["250000"]
    found, left = roundings(read(frame(pay=cells)).columns, k=25)
    assert (found["pay"].perturbation("pay"), left) == ("pay=rounding:step=1,bottom=2,top=27", ())
    assert unique_of(read(frame(pay=cells)), found) == (0, [40, 41])


def test_what_no_share_helps_is_left_out() -> None:
    """Of four numbers of 300 people as many stay as can; a survey's weight goes first; names are not looked at."""
    table = numbers_of(300, one=0.5, two=0.5, three=0.5, four=0.5)
    found, left = roundings(table.columns, k=10)
    assert left
    assert {*found} | {*left} == {"one", "two", "three", "four"}
    assert 20 * unique_of(Table(tuple(table[name] for name in found), 300), found)[0] <= 300
    _, first = roundings(table.columns, k=10, first_out=["three"])
    assert first[0] == "three"
    assert roundings(read(frame(name=[*"abcdef"])).columns, k=2) == ({}, ())


def test_what_else_must_hold_is_asked_of_the_released_columns() -> None:
    """A share is taken only if the columns as they are released are safe otherwise, too; else they are left out."""
    table = numbers_of(900, pay=0.4)
    free, _ = roundings(table.columns, k=3)
    coarse, _ = roundings(table.columns, k=3, safe=lambda made: len(made[0].values) < 15)
    assert coarse["pay"].step > free["pay"].step
    assert roundings(table.columns, k=3, safe=lambda _: False) == ({}, ("pay",))


def test_of_many_records_the_smallest_share_is_found_by_halving(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the one that trying all of them finds."""
    table = numbers_of(900, pay=0.4, rent=0.3)
    every = roundings(table.columns, k=5)
    monkeypatch.setattr(singling_module, "_TRIED", 0)
    assert roundings(table.columns, k=5) == every


def test_fewer_people_than_two_ends_are_rounded_all_the_same() -> None:
    """Where not k people are at each end, no bounds are made."""
    found, left = roundings(read(frame(pay=[str(7 * place) for place in range(12)])).columns, k=10)
    assert all(one.bottom is one.top is None for one in found.values())
    assert {*found} | {*left} == {"pay"}
