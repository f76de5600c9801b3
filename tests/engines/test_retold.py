"""A column released as it is that gives generalized ones back is told of."""

from __future__ import annotations

import random
import warnings
from fractions import Fraction
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kohort
from kohort.engines.duckdb import DuckDB
from kohort.engines.elsewhere import ElsewhereEngine
from kohort.engines.retold import note_retold, note_retold_of
from kohort.engines.spark import Spark
from kohort.engines.spark_session import Cluster
from kohort.io import read
from kohort.pipeline import anonymize
from kohort.report.release import source_notes
from tests.engines.test_spark import MASTER, QUICK, needs_spark

if TYPE_CHECKING:
    from pathlib import Path

    from kohort.engines.relation import Relation
    from kohort.engines.sql import Database
    from kohort.release import Job

BASE = DuckDB.opened(None, None)

DRAW = random.Random(8)  # noqa: S311  no secret
COUNTRY = [DRAW.choice("abcdefghij") for _ in range(300)]
FRAME = pl.DataFrame(
    {
        "country": COUNTRY,
        "age": [str(DRAW.randint(20, 80)) for _ in COUNTRY],
        "code": [str(100 + ord(one)) for one in COUNTRY],
        "vote": [DRAW.choice(["yes", "no"]) for _ in COUNTRY],
    }
)


def job(*allowed: str) -> Job:
    """Country and age are generalized; a code of the country and the vote are not."""
    schema = kohort.Schema.of(quasi=["country", "age"], sensitive=["code", "vote"])
    return kohort.Job.of(schema, kohort.KAnonymity(5), allow_singling=allowed, no_model=("code", "vote"))


def elsewhere(frame: pl.DataFrame, base: Database = BASE, limit: int | None = None) -> Relation:
    """The records in a database."""
    return base.relation(frame, kohort.ReadOptions(allow_empty=True), limit)


def notes(frame: pl.DataFrame, job: Job) -> list[str]:
    """What is told: the same where the records lie elsewhere."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        note_retold(read(frame), job)
        here = [str(one.message) for one in told]
        note_retold_of(elsewhere(frame), job)
    assert [str(one.message) for one in told] == here + here
    return here


def test_a_code_that_stands_for_a_generalized_column_is_told_of() -> None:
    """With both names; the vote tells nothing, and a column that was allowed by name is not told of."""
    (told,) = notes(FRAME, job())
    assert told.startswith("code is released unchanged")
    assert "its value determines that of country, which the release hides:" in told
    assert notes(FRAME, job("code")) == []


def test_few_records_that_differ_do_not_hide_it() -> None:
    """A twentieth may be wrong; where a third is, the column no longer tells."""
    one = pl.Series([str(100 + ord(one)) if row % 20 else str(1000 + row % 7) for row, one in enumerate(COUNTRY)])
    assert len(notes(FRAME.with_columns(code=one), job())) == 1
    third = pl.Series([str(100 + ord(one)) if row % 3 else "107" for row, one in enumerate(COUNTRY)])
    assert notes(FRAME.with_columns(code=third), job()) == []


def test_what_chance_explains_is_not_told() -> None:
    """Values of one record go with one value of everything; so do all values with that of a constant column."""
    assert notes(FRAME.with_columns(code=pl.Series([str(row) for row in range(300)])), job()) == []
    assert notes(FRAME.with_columns(country=pl.lit("a"), vote=pl.lit("a")), job()) == []
    assert notes(FRAME.head(15), job()) == []


def test_no_records_tell_nothing() -> None:
    """An empty table is released where the options allow it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        note_retold(read(FRAME.head(0), kohort.ReadOptions(allow_empty=True)), job())
        note_retold_of(elsewhere(FRAME.head(0)), job())


def test_columns_of_too_many_values_are_left_out() -> None:
    """There, where they do not fit into memory."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        note_retold_of(elsewhere(FRAME, limit=100), job())


@pytest.mark.parametrize("base", ["duckdb", pytest.param("spark", marks=[needs_spark, pytest.mark.slow])])
@pytest.mark.parametrize("together", [None, 20])
def test_a_release_from_elsewhere_tells(base: str, together: int | None, tmp_path: Path) -> None:
    """A run by an engine does, too, whether all tuples are searched together or in parts; and the same of its lines."""
    source = tmp_path / "in.csv"
    source.write_text(FRAME.write_csv().rstrip("\n"), encoding="utf-8")
    database = BASE if base == "duckdb" else Spark.opened(Cluster(MASTER, QUICK))
    engine = ElsewhereEngine(database, together=together)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = anonymize(source, job(), target=tmp_path / "out.csv", engine=engine)
    said = [str(one.message) for one in told if "is released unchanged" in str(one.message)]
    assert ["determines that of country, which" in one for one in said] == [True]
    assert ("parts" in made.trace) == (together is not None)
    assert source_notes(made) == source_notes(anonymize(source, job("code"), target=tmp_path / "local.csv"))
    assert "ends within a line" in source_notes(made)[0]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 60)), min_size=20, max_size=60))
def test_it_is_told_by_its_definition(drawn: list[tuple[int, int]]) -> None:
    """The plain way: beyond what dealing the values anew gives, more than 90 %, and at least 20 records, are known."""
    records = [(one, other if other < 3 else one // 2) for one, other in drawn]
    frame = pl.DataFrame({"country": [f"c{two}" for _, two in records], "code": [f"x{one}" for one, _ in records]})
    schema = kohort.Schema.of(quasi=["country"], sensitive=["code"])
    told = notes(frame, kohort.Job.of(schema, kohort.KAnonymity(2), no_model=("code",)))
    groups = {one: [two for other, two in records if other == one] for one, _ in records}
    known = sum(len(group) for group in groups.values() if len(set(group)) == 1)
    shares = [sum(two == value for _, two in records) / len(records) for value in range(5)]
    chance = sum(len(group) * sum(share ** len(group) for share in shares) for group in groups.values())
    enough = known > 0.9 * len(records) and known - chance > 0.9 * (len(records) - chance)
    assert bool(told) == (enough and known - chance >= 20)


@pytest.mark.parametrize("allowed", [(), ("code",)])
def test_a_release_tells(allowed: tuple[str, ...]) -> None:
    """A run tells it; of a perturbed column too, since another that is not perturbed gives it back."""
    frame = FRAME.with_columns(pay=pl.Series([str(1000 + 10 * ord(one)) for one in COUNTRY]))
    schema = kohort.Schema.of(quasi=["age"], sensitive=["code", "pay"], drop=["country", "vote"])
    perturbed = (kohort.Rounding("pay", step=Fraction(500)),)
    made = kohort.Job.of(
        schema, kohort.KAnonymity(5), perturbations=perturbed, no_model=("code", "pay"), allow_singling=allowed
    )
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        kohort.anonymize(frame, made)
    found = [str(one.message).split(":")[0] for one in told]
    assert [one.endswith("that of pay, which the release hides") for one in found] == [True] * (not allowed)
