"""The mapping of a full-domain release: what became of every value."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import polars as pl
import pytest

from kohort import (
    Attribute,
    Hierarchy,
    Job,
    KAnonymity,
    ReadOptions,
    Release,
    Role,
    Schema,
    SuppressionLimit,
    UsageError,
    anonymize,
)
from kohort.algorithms.lattice.datafly import Datafly
from kohort.algorithms.lattice.given import GivenNode
from kohort.report.mapping import mapping, writer

CITIES = Hierarchy.from_rows(
    [["Bari", "South", "*"], ["Lecce", "South", "*"], ["Como", "Lake, north", "*"], ["Pisa", "Centre", "*"]]
)
PEOPLE = pl.DataFrame({"city": ["Bari", "Lecce", "Como", "Como", None], "sex": ["F", "F", "M", "M", "M"]})


def released(node: tuple[int, int]) -> Release:
    """The release of five people at the levels of city and sex."""
    attributes = (Attribute("city", Role.QUASI, hierarchy=CITIES), Attribute("sex", Role.QUASI, hierarchy="suppress"))
    algorithm = GivenNode(node, SuppressionLimit(2))
    return anonymize(PEOPLE, Job.of(Schema(attributes), KAnonymity(2), algorithm=algorithm))


def test_every_value_of_the_domain_has_its_released_value() -> None:
    """Values that no record holds are there too; a missing value is the empty text below the root."""
    mapped = mapping(released((1, 0)))
    assert mapped == {
        "city": {"Bari": "South", "Lecce": "South", "Como": "Lake, north", "Pisa": "Centre", "": ""},
        "sex": {"F": "F", "M": "M"},
    }
    assert set(mapping(released((2, 1)))["city"].values()) == {"*"}


def test_the_release_holds_what_the_mapping_says() -> None:
    """Each released record is its source record, mapped."""
    release = released((1, 1))
    mapped = mapping(release)
    frame = release.frame()
    assert isinstance(frame, pl.DataFrame)
    originals = PEOPLE[release.lineage.tolist()].with_columns(pl.col("city").fill_null("")).rows(named=True)
    expected = [{name: mapped[name][value] for name, value in row.items()} for row in originals]
    assert frame.with_columns(pl.col("city").fill_null("")).rows(named=True) == expected


def test_csv_and_json_say_the_same() -> None:
    """Labels with commas survive both forms; each says first whom it is for, a table in a column of its own."""
    release = released((1, 0))
    lines = list(csv.reader(StringIO(writer(Path("m.csv"))(release).decode())))
    assert lines[0] == ["audience", "attribute", "value", "released"]
    told = json.loads(writer(Path("m.json"))(release))
    assert list(told.items()) == [("audience", "internal"), ("mapping", mapping(release))]
    pairs = [(name, *pair) for name, of in told["mapping"].items() for pair in of.items()]
    assert [tuple(line) for line in lines[1:]] == [("internal", *pair) for pair in pairs]


def test_only_full_domain_releases_have_one() -> None:
    """Mondrian may release one value differently in every class."""
    release = anonymize(PEOPLE, Job.of(Schema.of(quasi=["city", "sex"]), KAnonymity(2)))
    with pytest.raises(UsageError, match="mondrian may release one value in many ways"):
        mapping(release)


def test_a_table_of_no_records_has_an_empty_mapping() -> None:
    """It has no domains."""
    schema = Schema((Attribute("city", Role.QUASI, hierarchy=CITIES),))
    job = Job(schema, (KAnonymity(2),), Datafly(), reading=ReadOptions(allow_empty=True))
    assert mapping(anonymize(PEOPLE.select("city").clear(), job)) == {}


def test_the_form_is_known_by_the_name() -> None:
    """A name that asks for no form is refused before any work."""
    with pytest.raises(UsageError, match=r"written as \.csv or \.json"):
        writer(Path("m.txt"))
