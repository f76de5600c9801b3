"""Distributions of a table's columns: coarse, whole, and without values or numbers of few people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort import io
from kohort.assessment.inspection.distribution import Bar, distributions
from kohort.assessment.inspection.guesses import inspect_table
from kohort.errors import UnsupportedError
from kohort.report.columns import distributions_picture
from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path


def of(*missing: str, **columns: list[str]) -> dict[str, tuple[Bar, ...]]:
    """The distributions of columns, by name."""
    table = io.read(pl.DataFrame(columns))
    tokens = frozenset({"", *missing})
    return distributions(table, inspect_table(table, missing=tokens), tokens)


def test_names_are_shown_by_their_number() -> None:
    """The most frequent first; those of fewer than ten records together; gaps at the end."""
    found = of("-", ward=["b"] * 30 + ["a"] * 30 + ["rare"] * 9 + ["alone"] * 4 + ["-"] * 12 + ["few"] * 10)
    assert found["ward"] == (
        Bar("a", 30),
        Bar("b", 30),
        Bar("few", 10),
        Bar("2 other values", 13),
        Bar("no value", 12),
    )


def test_ten_names_have_a_bar() -> None:
    """What is less frequent than the tenth is among the others."""
    found = of(ward=[f"w{at:02}" for at in range(13) for _ in range(40 - at)])
    assert [bar.label for bar in found["ward"]] == [*(f"w{at:02}" for at in range(10)), "3 other values"]


def test_numbers_are_put_into_round_intervals() -> None:
    """In order, without a gap; small numbers are not told; blanks around cells and `?` are no values."""
    found = of(age=[" 21"] * 20 + [" 38"] * 15 + [" 79"] * 3 + [" ?"] * 10)
    bars = found["age"]
    assert (bars[0], bars[-1]) == (Bar("[20-25)", 20), Bar("no value", 10))
    assert bars[-2] == Bar("[75-80)", None)
    assert len(bars) == 13


def test_a_single_number_has_a_single_bar() -> None:
    """There is no interval where all values are equal, and no bar where there is no value."""
    assert of(days=["7"] * 20)["days"] == (Bar("7", 20),)
    assert of(days=["7"] * 5)["days"] == (Bar("1 other value", None),)
    assert of(days=[""] * 20, age=["1", "2"] * 10)["days"] == (Bar("no value", 20),)


def test_columns_that_identify_people_are_not_drawn() -> None:
    """Names, numbers of people and what is undecided stay out."""
    found = of(
        name=[f"person {at}" for at in range(40)], sex=["f", "m"] * 20, code=[f"{at * 7:05}" for at in range(40)]
    )
    assert [*found] == ["sex"]


@given(st.lists(st.sampled_from([*"abcdefghijklmno", "", "?"]), min_size=1, max_size=300))
def test_bars_are_of_all_records_and_of_no_few(cells: list[str]) -> None:
    """The bars of a column add up to its records, but for the numbers that are not told; none is of 1 to 9."""
    for one in of("?", ward=cells).values():
        told = sum(bar.records or 0 for bar in one)
        hidden = sum(bar.records is None for bar in one)
        assert told <= len(cells) <= told + 9 * hidden
        assert all(bar.records is None or bar.records >= 10 for bar in one)
        rare = {cell for cell in cells if cells.count(cell) < 10}
        assert rare.isdisjoint(bar.label for bar in one)


# --- the picture ------------------------------------------------------------------------------------------------------


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A table with a name, a number and two words."""
    path = tmp_path / "people.csv"
    rows = [f"person {at},{20 + at % 30},{'north' if at % 3 else 'south'},{'f' if at % 2 else 'm'}" for at in range(90)]
    path.write_text("name,age,region,sex\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_inspect_draws_what_it_looked_at(people: Path) -> None:
    """A picture of every column but the names, the same again, in words too; it is not overwritten unasked."""
    pytest.importorskip("matplotlib")
    picture = people.with_name("p.svg")
    ran = kohort("inspect", people, "--picture", picture)
    assert (ran.status, ran.out) == (0, kohort("inspect", people).out)
    before = picture.read_text(encoding="utf-8")
    assert "Distributions of 90 records" in before
    assert "region. north: 60. south: 30." in before
    assert "Not drawn, because they may identify people: name." in before
    assert "person 1" not in before
    assert kohort("inspect", people, "--picture", picture).status == 7
    assert kohort("inspect", people, "--picture", people, "--overwrite").status == 2
    assert kohort("inspect", people, "--picture", picture, "--overwrite").status == 0
    assert picture.read_text(encoding="utf-8") == before
    piped = kohort("inspect", "-", "--picture", people.with_name("p.png"), stdin=people.read_bytes())
    assert piped.status == 0
    assert people.with_name("p.png").read_bytes().startswith(b"\x89PNG")


def test_a_picture_of_transactions_is_refused(people: Path) -> None:
    """It is of tables; nothing else is written."""
    ran = kohort("inspect", people, "--transactions", "--picture", people.with_name("p.svg"))
    assert (ran.status, "is only for tables" in ran.err) == (2, True)


def test_where_everything_identifies_there_is_no_picture(people: Path) -> None:
    """A table of names has nothing to draw, which is told; one without names leaves nothing out."""
    pytest.importorskip("matplotlib")
    with pytest.raises(UnsupportedError, match="none is drawn"):
        distributions_picture({}, ["name"], 9, "svg")
    drawn = distributions_picture(of(sex=["f", "m"] * 20), [], 40, "svg")
    assert b"Not drawn" not in drawn
    people.write_text("name\n" + "\n".join(f"person {at}" for at in range(40)))
    ran = kohort("inspect", people, "--picture", people.with_name("p.svg"))
    assert ran.status == 2
    assert not people.with_name("p.svg").exists()
