"""Columns that single people out though they are released as they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kohort import Job, KAnonymity, anonymize
from kohort.errors import JobError, SchemaError
from kohort.io import read
from kohort.risk.singling import Singling, refuse_singling, singling
from kohort.schema import Role, Schema
from tests.unit.risk.tables import frame

if TYPE_CHECKING:
    from kohort.engines.table import Table

TABLE = frame(
    age=["1", "1", "2", "2"], ticket=["a", "b", "c", "c"], stamp=["p", "q", "r", "s"], income=["4", "5", "6", "7"]
)


def table() -> Table:
    """Four people whose stamps, but not tickets, are all their own."""
    return read(TABLE)


def schema(rest: Role | None = None, **roles: list[str]) -> Schema:
    """A schema over the table's columns."""
    named = Schema.of(quasi=["age"], sensitive=["income"], **roles)  # type: ignore[arg-type]
    return Schema(named.attributes, rest=rest).over(["age", "ticket", "stamp", "income"])


def test_more_than_half_must_be_unique() -> None:
    """Half of the records with a value of their own is not more than half."""
    found = singling(table(), ["age", "ticket", "stamp", "income"])
    assert found == (Singling("stamp", 4, 4), Singling("income", 4, 4))
    assert found[0].share == 1


@pytest.mark.parametrize("declared", [True, False])
def test_an_insensitive_column_that_singles_out_is_refused(declared: bool) -> None:  # noqa: FBT001  pytest passes it
    """Named or left to the rest, it is refused with the flag that allows it; a sensitive one is not."""
    named = schema(insensitive=["ticket", "stamp"]) if declared else schema(Role.INSENSITIVE)
    with pytest.raises(SchemaError) as caught:
        refuse_singling(table(), named)
    assert caught.value.where == "column stamp"
    assert "4 of 4 records" in caught.value.what
    assert "--allow-singling stamp" in caught.value.hint
    assert caught.value.exit_status == 2
    refuse_singling(table(), named, ["stamp"])


def test_an_identifying_column_is_not_released() -> None:
    """What is dropped singles nobody out."""
    refuse_singling(table(), schema(identifying=["stamp", "ticket"]))


def test_all_faults_come_at_once() -> None:
    """Several columns, and names that are nothing to allow, are told together."""
    own = read(TABLE.with_columns(ticket=TABLE["stamp"]))
    with pytest.raises(JobError) as caught:
        refuse_singling(own, schema(Role.INSENSITIVE), ["income", "tiket"])
    assert [str(fault).count("\n") for fault in caught.value.exceptions] == [2] * 4


def test_a_value_of_one_person_singles_out() -> None:
    """With a person key, what all records of one person and nobody else's have singles that person out."""
    visits = read(frame(who=[*"aabb"], age=["1"] * 4, bed=["7", "7", "8", "8"]))
    keyed = Schema.of(identifying=["who"], quasi=["age"], insensitive=["bed"], person="who").over(["who", "age", "bed"])
    assert singling(visits, ["bed"]) == ()
    assert singling(visits, ["bed"], "who") == (Singling("bed", 4, 4),)
    with pytest.raises(SchemaError, match="4 of 4"):
        refuse_singling(visits, keyed)


def test_a_release_is_refused_before_any_search() -> None:
    """`anonymize` refuses what the job does not allow, and a name that is nothing to allow."""
    job = Job.of(schema(Role.INSENSITIVE), KAnonymity(2))
    with pytest.raises(SchemaError, match="4 of 4 records"):
        anonymize(TABLE, job)
    assert anonymize(TABLE, replace(job, allow_singling=("stamp",))).verdict
    with pytest.raises(SchemaError, match="nothing to allow"):
        anonymize(TABLE, Job.of(schema(Role.IDENTIFYING), KAnonymity(2), allow_singling=("stamp",)))
