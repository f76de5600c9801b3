"""Columns that single people out though they are released as they are."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kohort import Job, KAnonymity, anonymize
from kohort.assessment.risk.singling import Singling, refuse_needless, refuse_singling, singling
from kohort.errors import JobError, SchemaError
from kohort.io import read
from kohort.perturbation.rounding import Rounding
from kohort.schema import Attribute, Role, Schema
from tests.unit.assessment.risk.tables import frame

if TYPE_CHECKING:
    from kohort.engines.table import Table

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
