"""Cells as text: exact, one text a value, and back to the type they came from."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.io.cells import as_text, encode, from_text

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_ROME = dt.timezone(dt.timedelta(hours=1))
_MOMENTS = st.datetimes(dt.datetime(1, 1, 2), dt.datetime(9999, 12, 30))  # noqa: DTZ001  naive on purpose

#: A type, and values of it that have one text each.
TYPES: list[tuple[pl.DataType, SearchStrategy[Any]]] = [
    (pl.Int8(), st.integers(-(2**7), 2**7 - 1)),
    (pl.Int64(), st.integers(-(2**63), 2**63 - 1)),
    (pl.UInt64(), st.integers(0, 2**64 - 1)),
    (pl.Int128(), st.integers(-(2**127), 2**127 - 1)),
    (pl.Float64(), st.floats(allow_nan=False)),
    (pl.Float32(), st.floats(allow_nan=False, width=32)),
    (pl.Float16(), st.floats(allow_nan=False, width=16)),
    (pl.Boolean(), st.booleans()),
    (pl.String(), st.text()),
    (pl.Date(), st.dates()),
    (pl.Time(), st.times()),
    (pl.Datetime("us"), _MOMENTS),
    (pl.Datetime("ms"), _MOMENTS.map(lambda moment: moment.replace(microsecond=0))),
    (pl.Datetime("us", "Europe/Rome"), st.datetimes(dt.datetime(1950, 1, 1), timezones=st.just(_ROME))),  # noqa: DTZ001
    (pl.Null(), st.nothing()),
]


@pytest.mark.parametrize(("dtype", "cells"), TYPES, ids=lambda part: str(part) if isinstance(part, pl.DataType) else "")
@given(data=st.data())
def test_text_and_back_is_identity(dtype: pl.DataType, cells: SearchStrategy[Any], data: st.DataObject) -> None:
    """The text of cells of any readable type gives back the cells, missing ones and the type included."""
    series = pl.Series(data.draw(st.lists(cells | st.none(), max_size=5)), dtype=dtype)
    back = from_text(as_text(series), dtype)
    assert back.dtype == dtype
    assert back.equals(series)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_equal_floats_have_equal_texts(numbers: list[float]) -> None:
    """Two floats have the same text exactly if they are equal numbers, and Python reads that number from it."""
    texts = as_text(pl.Series(numbers, dtype=pl.Float64)).to_list()
    assert [float(text) for text in texts] == numbers
    assert len(set(texts)) == len(set(numbers))


@pytest.mark.parametrize("dtype", [pl.Float16(), pl.Float32(), pl.Float64()], ids=str)
def test_negative_zero_is_zero_and_nan_is_missing(dtype: pl.DataType) -> None:
    """Numbers that are equal have one text, and what is no number is no value."""
    series = pl.Series([-0.0, 0.0, float("nan"), None, 1.0], dtype=dtype)
    assert as_text(series).to_list() == ["0.0", "0.0", None, None, "1.0"]


def test_moments_are_iso_8601() -> None:
    """Dates and times are written as ISO 8601 writes them, with the offset of their zone."""
    moment = dt.datetime(2026, 3, 1, 12, 30, 0, 500_000)  # noqa: DTZ001  the zone is given beside it
    naive = pl.Series([moment])
    assert as_text(naive).to_list() == ["2026-03-01T12:30:00.500"]
    assert as_text(naive.dt.replace_time_zone("Europe/Rome")).to_list() == ["2026-03-01T12:30:00.500+01:00"]
    assert as_text(pl.Series([moment.date()])).to_list() == ["2026-03-01"]
    assert as_text(pl.Series([moment.time()])).to_list() == ["12:30:00.500"]


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ("007", pl.Int64()),
        ("+7", pl.Int64()),
        ("[1-7]", pl.Int64()),
        ("128", pl.Int8()),
        ("1", pl.Float64()),
        ("1.50", pl.Float64()),
        ("nan", pl.Float64()),
        ("True", pl.Boolean()),
        ("2026-3-1", pl.Date()),
        ("2026-02-30", pl.Date()),
        ("2026-03-01T1", pl.Datetime("us")),
        ("9999-01-01T00:00:00", pl.Datetime("ns")),
        ("*", pl.Time()),
        ("x", pl.Null()),
    ],
    ids=str,
)
def test_one_inexact_text_keeps_the_whole_column_as_text(text: str, dtype: pl.DataType) -> None:
    """A column goes back to its source's type only if no cell changes by it."""
    values = pl.Series([text, None])
    assert from_text(values, dtype).equals(values)


@given(st.lists(st.none() | st.text(max_size=3)))
def test_encoding_keeps_every_cell(cells: list[str | None]) -> None:
    """Values looked up by their codes are the cells; every value occurs, once."""
    column = encode("a", pl.Series(cells, dtype=pl.String), pl.String())
    values = column.values.to_list()
    assert [values[code] for code in column.codes.tolist()] == cells
    assert len(values) == len(set(cells))


@pytest.mark.parametrize(("distinct", "width"), [(1, 1), (256, 1), (257, 2), (65_536, 2), (65_537, 4)])
@pytest.mark.parametrize("missing", [False, True])
def test_codes_are_as_narrow_as_they_can_be(distinct: int, width: int, *, missing: bool) -> None:
    """256 values take one byte a record and 65,536 two, where a null counts as a value."""
    cells: list[int | None] = list(range(distinct))
    if missing:
        cells[-1] = None
    column = encode("a", pl.Series(cells, dtype=pl.Int64).cast(pl.String), pl.Int64())
    assert column.codes.itemsize == width
    assert column.values.gather(column.codes).cast(pl.Int64).to_list() == cells


@pytest.mark.parametrize("dtype", [pl.Enum(["x", "left over"]), pl.Categorical(), pl.Int128(), pl.UInt128()], ids=str)
def test_types_that_must_not_return_are_forgotten(dtype: pl.DataType) -> None:
    """A type that lists categories, or that few programs read, is not what a release goes back to."""
    assert encode("a", pl.Series(["x"]), dtype).dtype == pl.String
