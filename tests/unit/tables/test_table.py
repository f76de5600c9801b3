"""An encoded table: columns by name, values by code."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from kohort.tables.table import Column, Table, narrow

CITY = Column("city", pl.Series("city", ["Bari", None, "Lecce"]), np.array([2, 0, 2, 1], dtype=np.uint8), pl.String())


def test_columns_by_name() -> None:
    """A table gives its columns by their names, and no others."""
    table = Table((CITY,), 4)
    assert table.names == ("city",)
    assert table["city"] is CITY
    with pytest.raises(KeyError):
        table["town"]


def test_records_by_value() -> None:
    """A column counts the records of each value, the missing one too."""
    assert CITY.counts().tolist() == [1, 1, 2]
    assert CITY.counts().dtype == np.int64


@pytest.mark.parametrize(
    ("values", "dtype"),
    [(1, np.uint8), (256, np.uint8), (257, np.uint16), (1 << 16, np.uint16), ((1 << 16) + 1, np.uint32)],
)
def test_codes_are_as_narrow_as_they_can_be(values: int, dtype: type[np.integer]) -> None:
    """The smallest unsigned type that holds the largest code."""
    codes = narrow(np.array([0, values - 1]), values)
    assert codes.dtype == dtype
    assert codes.tolist() == [0, values - 1]
