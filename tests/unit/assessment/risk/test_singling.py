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
from kohort.assessment.risk.singling import (
    RoundingProposal,
    Singling,
    proposed,
    refuse_needless,
    refuse_singling,
    rounding_step,
    singling,
)
from kohort.errors import JobError, SchemaError
from kohort.io import read
from kohort.perturbation.rounding import Rounding
from kohort.schema import Attribute, Role, Schema
from kohort.tables.perturbing import perturb
from kohort.verify.singling import singled_out
from tests.unit.assessment.risk.tables import frame

if TYPE_CHECKING:
    from kohort.tables.table import Table


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
        texts, counts = table["pay"].values.to_list(), table["pay"].counts()
        assert rounding_step(texts, counts, missing=missing) == found


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
    assert rounding_step(values, [1] * len(values)) is None


def test_none_is_proposed_where_few_stand_alone() -> None:
    """At most 5 % may stand alone as it is."""
    assert rounding_step(["1", "2"], [1, 19]) is None


def test_missing_people_stand_alone_still() -> None:
    """Who alone lacks a value stands alone whatever the step."""
    numbers = [str(place) for place in range(39)]
    found = rounding_step([*numbers, None], [1] * 40)
    assert found is not None
    assert found == replace(rounding_step([*numbers, "?"], [1] * 40, missing=["?"]) or found)
    assert found.after >= 1


def test_what_it_helps_and_costs_is_said() -> None:
    """In one phrase, with the value of `--perturb`."""
    one = RoundingProposal(Fraction(1, 2), 90, 1, 90, 1234.4, 0.0123)
    assert one.perturbation("weight") == "weight=rounding:step=0.5"
    assert one.told == (
        "1 person is unique instead of 90; values change by 1,234 on average, 1.2 % of their standard deviation"
    )
