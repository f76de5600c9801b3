"""People and populations as the local engine counts them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from kohort.errors import InputError, SchemaError
from kohort.io.typed import from_frame
from kohort.schema import Attribute, Missing, Role, Schema
from kohort.tables.coded import CodedTable

STAYS = pl.DataFrame(
    {
        "patient": ["p2", "p1", "p1", "p3", "p1"],
        "age": ["30", "31", "31", "40", "40"],
        "illness": ["flu", "flu", "gout", "", "Flu"],
    }
)
SCHEMA = Schema.of(identifying=["patient"], quasi=["age"], sensitive=["illness"], person="patient")


def test_tuples_say_whose_they_are() -> None:
    """With a person key no tuple is of two people, and people are numbered by their keys' text, not by the rows."""
    for shuffled in (STAYS, STAYS.reverse()):
        frequency = CodedTable(from_frame(shuffled), SCHEMA).count(["illness"], distinct=True)
        assert frequency.people is not None
        codes = np.column_stack([frequency.quasi, frequency.sensitive, frequency.people, frequency.counts])
        found: list[list[int]] = codes.tolist()
        assert sorted(found) == [
            [0, 0, 1, 1],
            [1, 0, 0, 1],
            [1, 1, 0, 1],
            [2, 0, 0, 1],
            [2, 2, 2, 1],
        ]


def test_the_reference_counts_people() -> None:
    """With a person key the distribution in the whole table counts each person once for each value."""
    (domain,) = CodedTable(from_frame(STAYS), SCHEMA).count(["illness"]).sensitive_domains
    assert domain.reference.tolist() == [2, 1]


def test_records_of_nobody_are_refused() -> None:
    """A record without a person key is an error that counts it."""
    stays = STAYS.with_columns(patient=pl.Series(["p1", "", "p1", None, "p1"]))
    with pytest.raises(InputError, match="2 records have no person key") as caught:
        CodedTable(from_frame(stays), SCHEMA).count()
    assert caught.value.where == "column patient"


def test_a_released_person_key_is_refused() -> None:
    """A key that would be released, and link a person's records, is refused, whether it is named or the rest."""
    with pytest.raises(SchemaError, match="not an identifying column"):
        Schema.of(quasi=["age"], insensitive=["patient"], person="patient")
    rest = Schema((Attribute("age", Role.QUASI),), rest=Role.INSENSITIVE, person="patient")
    with pytest.raises(SchemaError, match="not an identifying column"):
        rest.over(["patient", "age", "illness"])
    with pytest.raises(SchemaError, match="no column is called patent") as caught:
        Schema.of(quasi=["age"], identifying=["patient"], sensitive=["illness"], person="patent").over(STAYS.columns)
    assert "patient" in caught.value.hint


def test_missing_sensitive_values_may_suppress_their_records() -> None:
    """Where the schema says so, a record without a sensitive value is suppressed."""
    attributes = (*SCHEMA.attributes[:2], Attribute("illness", Role.SENSITIVE, missing=Missing.SUPPRESS))
    engine = CodedTable(from_frame(STAYS), Schema(attributes))
    assert engine.suppressed == 1
    assert engine.count(["illness"]).records == 4


# --- populations ------------------------------------------------------------------------------------------------------


def test_a_population_shares_the_domains() -> None:
    """Values that only the population has get codes too; its tuples are counted in the codes of the domains."""
    people = pl.DataFrame({"age": ["40", "35", "35", "31"], "name": ["a", "b", "c", "d"]})
    engine = CodedTable(from_frame(STAYS), SCHEMA, known=from_frame(people))
    assert engine.domains[0].texts == ("30", "31", "35", "40")
    assert sorted(engine.count().quasi[:, 0].tolist()) == [0, 1, 3, 3]
    assert engine.population is not None
    found = zip(engine.population.quasi[:, 0].tolist(), engine.population.counts.tolist(), strict=True)
    assert dict(found) == {1: 1, 2: 2, 3: 1}
    assert CodedTable(from_frame(STAYS), SCHEMA).population is None


def test_people_of_the_population_who_would_be_suppressed_do_not_count() -> None:
    """Where missing values suppress records of the table, people who lack the value are no match for any class."""
    attributes = (SCHEMA.attributes[0], Attribute("age", Role.QUASI, missing=Missing.SUPPRESS), SCHEMA.attributes[2])
    known = from_frame(pl.DataFrame({"age": ["40", "", "31"]}))
    engine = CodedTable(from_frame(STAYS), Schema(attributes), known=known)
    assert engine.population is not None
    assert engine.population.records == 2


def test_a_value_that_only_the_population_has_must_have_a_place_too() -> None:
    """A number of the population outside the bounds is told as the population's; the table's own as its own."""
    schema = Schema((SCHEMA.attributes[0], Attribute("age", Role.QUASI, bounds=(20, 50)), SCHEMA.attributes[2]))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="values of the population table are outside the domain"):
        CodedTable(from_frame(STAYS), schema, known=from_frame(pl.DataFrame({"age": ["40", "90"]})))
    older = from_frame(STAYS.with_columns(age=pl.lit("99")))
    with pytest.raises(InputError, match="5 records lie outside"):
        CodedTable(older, schema, known=from_frame(pl.DataFrame({"age": ["40"]})))


def test_a_population_without_a_quasi_identifier_is_refused() -> None:
    """The population must have every quasi-identifying column."""
    with pytest.raises(SchemaError, match="no column age") as caught:
        CodedTable(from_frame(STAYS), SCHEMA, known=from_frame(pl.DataFrame({"sex": ["m"]})))
    assert caught.value.where == "population"
