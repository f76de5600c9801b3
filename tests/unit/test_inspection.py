"""Guesses about columns: the right role for the right reason, and never a value in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.engines.table import Column, Table, narrow
from kohort.generate.italy import HIERARCHIES, ROLES, italy
from kohort.hierarchies.spec import from_spec
from kohort.inspection import SAMPLE, Guess, inspect_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from random import Random


def encoded(columns: Mapping[str, Sequence[str | None]]) -> Table:
    """A table of these cells."""
    made: list[Column] = []
    records = 0
    for name, cells in columns.items():
        values = list(dict.fromkeys(cells))
        place = {value: code for code, value in enumerate(values)}
        codes = np.array([place[cell] for cell in cells], dtype=np.int64)
        made.append(Column(name, pl.Series(values, dtype=pl.String), narrow(codes, len(values)), pl.String()))
        records = len(cells)
    return Table(tuple(made), records)


def of_frame(frame: pl.DataFrame) -> Table:
    """A table of a frame's cells as text."""
    return encoded({name: frame[name].cast(pl.String).to_list() for name in frame.columns})


def guess(cells: Sequence[str | None], name: str = "x") -> Guess:
    """What is guessed of a column of these cells, called `name`."""
    (found,) = inspect_table(encoded({name: cells}))
    return found


def test_the_register_is_guessed_exactly() -> None:
    """Every column of the Italian register gets its role, and age the intervals it ships with."""
    guesses = inspect_table(of_frame(italy(3_000, seed=11)))
    assert {found.name: found.role for found in guesses} == ROLES
    by_name = {found.name: found for found in guesses}
    assert by_name["age"].hierarchy == HIERARCHIES["age"]
    assert by_name["age"].grid == "5"
    assert by_name["gender"].hierarchy == HIERARCHIES["gender"]
    assert {found.name for found in guesses if found.scale == "numeric"} == {"age", "annual_income"}


def test_the_register_is_guessed_under_meaningless_names() -> None:
    """Values alone give the id, the shared attributes and the income their roles."""
    frame = italy(3_000, seed=11).select("person_id", "gender", "city", "age", "profession", "annual_income")
    guesses = inspect_table(of_frame(frame.rename({name: f"x{n}" for n, name in enumerate(frame.columns)})))
    assert [found.role for found in guesses] == ["identifying", "quasi", "quasi", "quasi", "quasi", "sensitive"]


def test_adult(adult_csv: Path) -> None:
    """On UCI Adult nobody is named, demography is quasi-identifying and money sensitive."""
    guesses = inspect_table(of_frame(pl.read_csv(adult_csv, infer_schema=False)))
    sensitive = {"fnlwgt", "capital-gain", "capital-loss", "salary-class"}
    assert {found.name for found in guesses if found.role == "sensitive"} == sensitive
    assert {found.role for found in guesses if found.name not in sensitive} == {"quasi"}
    numeric = {"age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"}
    assert {found.name for found in guesses if found.scale == "numeric"} == numeric


def test_an_identifying_form_outweighs_the_name() -> None:
    """A column of e-mail addresses is identifying even where it is called age, and by nineteen of twenty values."""
    cells = [f"p{n}@example.org" for n in range(19)]
    assert guess([*cells, "unknown"], "age").role == "identifying"
    assert "e-mail addresses" in guess([*cells, "unknown"], "age").reasons[0]
    assert guess([*cells, "unknown", "none"], "age").role == "quasi"


def test_a_checksum_is_told() -> None:
    """The reason for a checked form says so."""
    reasons = guess(["RSSMRA80A01H501U", "MRTMTT91D08F205J"]).reasons
    assert reasons[0] == "nearly all its values are codici fiscali with a right checksum"


@pytest.mark.parametrize(
    ("wrong", "role"), [(0.02, "identifying"), (0.045, "identifying"), (0.055, "quasi"), (0.2, "quasi")]
)
def test_long_columns_are_judged_as_a_whole(wrong: float, role: str) -> None:
    """Beyond the sample's size a share of wrong values near the limit is counted out, wherever they stand."""
    size = 5 * SAMPLE
    first = round(size * wrong)
    cells = [f"p{n}" if n < first else f"p{n}@example.org" for n in range(size)]
    assert guess(cells, "sex").role == role


def test_one_value_tells_nothing() -> None:
    """A column of one value, or of none, is insensitive; one that some records lack is not constant."""
    assert guess(["blue", "blue"]).role == "insensitive"
    assert guess(["", None]).role == "insensitive"
    assert guess(["blue", "", "blue", "blue"]).role == "quasi"


def test_a_single_record_is_not_constant() -> None:
    """One record's value is its own, so it may name the person."""
    assert guess(["blue"]).role == "identifying"


def test_known_forms_are_quasi_identifying() -> None:
    """Days and postal codes generalize by dates and by masking, even where all differ."""
    days = guess(["2024-01-31", "1987-06-05", "1990-12-24"])
    assert (days.role, days.hierarchy, days.scale, days.grid) == ("quasi", "dates", "categorical", None)
    codes = guess(["00118", "20121", "98168"])
    assert (codes.role, codes.hierarchy, codes.scale, codes.grid) == ("quasi", "mask:right", "categorical", None)


def test_postal_codes_without_leading_zero_need_their_name() -> None:
    """Five digits alone may be an income; under a postal name they are masked, and a cap on a price is a number."""
    cells = [str(n) for n in range(20_121, 20_161)] * 20
    assert (guess(cells, "cap").hierarchy, guess(cells, "cap").scale) == ("mask:right", "categorical")
    assert guess(cells).scale == "numeric"
    assert guess(["SW1A 1AA", "EC1A 1BB"], "postcode").hierarchy == "mask:right"
    assert guess(["1", "2", "30"], "cap").hierarchy == "intervals:2,4,8"


def test_near_unique_values() -> None:
    """A value for nearly every record: running numbers and text are identifying, measured numbers sensitive."""
    squares = [str(n * n) for n in range(100)]
    assert guess([str(n) for n in range(100)]).reasons == ("its values number the records",)
    assert guess([f"w{n * n}" for n in range(100)]).reasons == ("nearly every record has a value of its own",)
    assert (guess(squares).role, guess(squares).scale) == ("sensitive", "numeric")
    assert "an id has too" in guess(squares).reasons[0]
    assert guess(squares[:50] * 2).reasons == ("it has many different numbers, as a measurement has",)


def test_missing_cells_do_not_hide_an_identifier() -> None:
    """Where only some records have a value, distinctness is judged among those."""
    found = guess([*(f"w{n * n}" for n in range(10)), *[""] * 90])
    assert (found.role, found.distinct, found.missing, found.distinctness) == ("identifying", 10, 90, 0.1)


def test_text_with_many_values_is_quasi_identifying() -> None:
    """Text that few records share is what others may know, and needs a hierarchy that only knowledge gives."""
    found = guess([f"w{n * n}" for n in range(50)] * 2)
    assert (found.role, found.hierarchy) == ("quasi", None)
    assert "many values" in found.reasons[0]


@pytest.mark.parametrize(
    ("numbers", "hierarchy", "grid"),
    [
        (["18", "90"], "intervals:5,10,20", "5"),
        (["1", "16"], "intervals:2,4,8", "2"),
        (["0", "100000"], "intervals:5000,10000,20000", "5000"),
        (["0", "400"], "intervals:20,40,80", "20"),
        (["-0.5", "0.5"], "intervals:0.05,0.1,0.2", "0.05"),
        (["0.1", "0.9"], "intervals:0.05,0.1,0.2", "0.05"),
        (["0", "180"], "intervals:10,20,40", "10"),
        (["7", "7.0"], "suppress", None),
    ],
)
def test_round_intervals(numbers: list[str], hierarchy: str, grid: str | None) -> None:
    """A numeric quasi-identifier is cut at round numbers that fit its span, whole ones where it is whole."""
    found = guess(numbers, "age")
    assert (found.scale, found.hierarchy, found.grid) == ("numeric", hierarchy, grid)


def test_a_grid_says_why() -> None:
    """Every proposed grid comes with the number of intervals it makes, also of numbers beyond a float; else nothing."""
    assert guess(["18", "47", "90"], "age").grid_reason == (
        "round cut points in 16 intervals; then no end of a range is a data value"
    )
    assert "in 5 intervals" in (guess(["-1", "-10"], "age").grid_reason or "")
    assert "in 21 intervals" in (guess([str(10**40), str(10**40 + 40)], "age").grid_reason or "")
    assert guess(["7", "7.0"], "age").grid_reason is None


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("age", ["18", "47", "90"]),
        ("peso", ["60.5", "-0", "82.25"]),
        ("sesso", ["f", "m"]),
        ("cap", ["00118", "20121"]),
        ("data_nascita", ["2024-01-31", "1987-06-05"]),
    ],
)
def test_proposed_rules_can_be_followed(name: str, values: list[str]) -> None:
    """The rule proposed for a column builds a hierarchy of its values."""
    rule = guess(values, name).hierarchy
    assert rule is not None
    assert set(values) <= set(from_spec(rule, values).leaves)


def test_only_quasi_identifiers_are_generalized() -> None:
    """No hierarchy or grid is proposed for what is dropped or released as it is."""
    found = guess(["1200", "900", "1500"], "stipendio")
    assert (found.role, found.hierarchy, found.grid) == ("sensitive", None, None)


def test_no_records() -> None:
    """A table without records gives guesses by name alone, and nothing divides by zero."""
    empty = guess([])
    assert (empty.role, empty.distinct, empty.missing) == ("insensitive", 0, 0)
    assert (empty.distinctness, empty.separation) == (0.0, 0.0)
    named = guess([], "age")
    assert (named.role, named.hierarchy) == ("quasi", "suppress")


def test_declared_missing_texts_are_missing() -> None:
    """Null and every declared text are one missing value, no value of the domain."""
    (found,) = inspect_table(encoded({"age": ["41", "?", None, "", "42"]}), missing=frozenset({"?", ""}))
    assert (found.scale, found.distinct, found.missing) == ("numeric", 2, 3)
    assert found.separation == pytest.approx(1 - 3 / 10)


cells = st.lists(st.sampled_from(["", None, "Zagreb-canary", "7-canary", "00118", "é"]), max_size=30)


@given(cells)
def test_figures_are_their_definitions(column: list[str | None]) -> None:
    """Distinct, missing, distinctness and separation agree with a count over records and pairs."""
    found = guess(column)
    plain = [cell or "" for cell in column]
    pairs = [(a, b) for i, a in enumerate(plain) for b in plain[:i]]
    assert found.missing == plain.count("")
    assert found.distinct == len(set(plain) - {""})
    assert found.distinctness == pytest.approx(found.distinct / len(plain) if plain else 0)
    assert found.separation == pytest.approx(sum(a != b for a, b in pairs) / len(pairs) if pairs else 0)


@given(st.sampled_from(["age", "x", "nome", "reddito", "cap"]), cells)
def test_no_value_is_told(name: str, column: list[str | None]) -> None:
    """Reasons and proposals never repeat a value, and there is always a reason."""
    found = guess(column, name)
    told = " ".join([*found.reasons, found.hierarchy or "", found.grid or ""])
    assert found.reasons
    assert not any(cell in told for cell in column if cell)


@given(cells, st.randoms(use_true_random=False))
def test_row_order_does_not_matter(column: list[str | None], random: Random) -> None:
    """The same records in another order give the same guess."""
    shuffled = sorted(column, key=lambda _: random.random())
    assert guess(shuffled) == guess(column)
