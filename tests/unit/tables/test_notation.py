"""Numbers in text that are written otherwise than plainly: told, read, and written again as they were."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import InputError
from kohort.io.typed import from_frame
from kohort.schema.hierarchy import Hierarchy
from kohort.tables.notation import DECIMALS, Notation, in_full, noted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.tables.table import Table


def table(**columns: Sequence[str | None]) -> Table:
    """A table of text, as it is read."""
    return from_frame(pl.DataFrame(columns))


@pytest.mark.parametrize(
    ("cells", "plain", "notation"),
    [
        (["25,54", "1"], ["25.54", "1"], Notation(",")),
        (["1.234,5", "950"], ["1234.5", "950"], Notation(",", ".")),
        (["1\u00a0234,5", "-7"], ["1234.5", "-7"], Notation(",", "\u00a0")),
        (["1\u202f234\u202f567,5"], ["1234567.5"], Notation(",", "\u202f")),
        (["1 234,5"], ["1234.5"], Notation(",", " ")),
        (["1'234.5", "3"], ["1234.5", "3"], Notation(".", "'")),
        (["1\u2019234", "0"], ["1234", "0"], Notation(".", "\u2019")),
        (["1,234,567", "0.5"], ["1234567", "0.5"], Notation(".", ",")),
        ([",5", "-1,25"], [".5", "-1.25"], Notation(",")),
        (["0,250", "1,125"], ["0.250", "1.125"], Notation(",")),
        (["25,54", "n/a", "", None], ["25.54", "n/a", "", None], Notation(",")),
        (
            ["[1.000-2.500)", "*", "{1, 2,5}", ">= 90,5", "9 +"],
            ["[1000-2500)", "*", "{1, 2.5}", ">= 90.5", "9 +"],
            Notation(",", "."),
        ),
    ],
    ids=str,
)
def test_numbers_are_read_and_written_as_they_were(
    cells: list[str | None], plain: list[str | None], notation: Notation
) -> None:
    """A column whose numbers are all written alike holds plain numbers, and gives back what stood there."""
    column = noted(table(a=cells), None)["a"]
    assert column.notation == notation
    assert {*column.values} == {*plain}
    assert column.written.gather(column.codes).to_list() == cells


@pytest.mark.parametrize(
    "cells",
    [
        ["31.12.2020"],
        ["1.2.3.4"],
        ["192.168.100.200"],
        ["123 456 789"],
        ["12.345.678"],
        ["1.234,5", "1234,5"],
        ["25,54", "Flat 1,5"],
        ["1,2,5", "3"],
        ["01,5"],
        ["1,5 m"],
        ["1e5", "2,5"],
        ["1.234", "2.5"],
        ["1.234", "2.345"],
    ],
    ids=str,
)
def test_what_is_no_such_number_stays(cells: list[str]) -> None:
    """Dates, addresses, telephone numbers, lists, codes and plain numbers are left as they are."""
    column = noted(table(a=cells), None)["a"]
    assert (column.notation, {*column.values}) == (None, {*cells})


@pytest.mark.parametrize(
    ("columns", "separator"),
    [
        ({"a": ["1.234", "2.345"]}, ";"),
        ({"a": ["1.234"], "b": ["25,54"]}, ","),
        ({"a": ["1,234", "950"]}, ","),
        ({"a": ["25,54"], "b": ["1,234.5"]}, ","),
    ],
)
def test_what_is_ambiguous_is_asked(columns: dict[str, list[str | None]], separator: str) -> None:
    """Numbers that can be read in two ways are asked about, where the column is needed; a mark answers it."""
    found = noted(table(**columns), None, separator)
    with pytest.raises(InputError, match=r"(?s)in two ways.*--decimal ,"):
        found.needing(["a"])
    assert (
        found.needing([])["a"].values.to_list()
        == found.needing(["b"] if separator == ";" else [])["a"].values.to_list()
    )
    for mark in DECIMALS:
        assert noted(table(**columns), mark, separator).needing([*columns])["a"].fault is None


def test_a_mark_decides() -> None:
    """With a decimal comma points separate thousands, and with a decimal point commas do."""
    german, english = noted(table(a=["1.234"]), ","), noted(table(a=["1,234"]), ".")
    assert german["a"].values.to_list() == english["a"].values.to_list() == ["1234"]
    assert noted(table(a=["25,54"]), ".")["a"].values.to_list() == ["25,54"]
    assert noted(table(a=["1,234"], b=["2,5"]), None)["a"].values.to_list() == ["1.234"]  # the table shows its mark


def test_what_is_detected_is_told() -> None:
    """A detected decimal comma is noted with its columns; one that was named is not."""
    [note] = noted(table(a=["25,54"], b=["x"]), None).notes
    assert "a" in note
    assert "--decimal ." in note
    assert noted(table(a=["25,54"]), ",").notes == ()


def test_typed_columns_have_no_notation() -> None:
    """Floats, and texts that stand for codes of a statistics file, are not looked at."""
    read = from_frame(pl.DataFrame({"a": [1.5]}))
    assert noted(read, ",") == read or noted(read, ",")["a"].notation is None


def test_a_hierarchy_has_plain_numbers_too() -> None:
    """Leaves and labels of a hierarchy are read as the column's cells are."""
    tree = Hierarchy.from_rows([["1,5", "[1,5-3)"], ["2,5", "[1,5-3)"]], root="*")
    assert Notation(",").plain(tree).labels == (("1.5", "2.5"), ("[1.5-3)",))


@given(
    st.decimals(allow_nan=False, allow_infinity=False, places=3),
    st.sampled_from(DECIMALS),
    st.sampled_from(".,' \u202f"),
)
def test_any_number_comes_back(number: object, mark: str, group: str) -> None:
    """What is written in a notation is read as the same plain number."""
    notation, plain = Notation(mark, "" if group == mark else group), pl.Series([f"{number:f}"])
    assert notation.read(notation.write(plain)).equals(plain)


def test_floats_have_no_exponents() -> None:
    """The digits of a float are written out, with a point, and nothing of it is lost."""
    floats = [1e-7, 1e20, 5e-324, 1.7976931348623157e308, -2.5e-9]
    texts = in_full(pl.Series(floats).cast(pl.String))
    assert not texts.str.contains("e").any()
    assert [float(text) for text in texts] == floats


@pytest.mark.parametrize("words", [["a, b", "7"], ["it's", "12"], ["no. one", "3"], ["x y", "1"], ["a,b.c", "1.5"]])
def test_marks_in_words_say_nothing_of_numbers(words: list[str]) -> None:
    """Only numbers show how numbers are written."""
    table = noted(from_frame(pl.DataFrame({"x": words})), None)
    assert table.columns[0].notation is None
    assert table.columns[0].fault is None
