"""Parquet, Arrow IPC and frames as tables of text."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import pandas as pd
import polars as pl
import pytest

from kohort.errors import InputError, MissingExtraError, SchemaError, UsageError
from kohort.io.typed import check_names, from_frame, kind_of, read_typed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kohort.tables.table import Table

pa: Any = import_module("pyarrow")  # publishes no types

#: What `frame()` holds, as text.
TEXT = {
    "whole": ["1", None, "9007199254740993"],
    "real": ["0.0", None, "1e-07"],
    "yes": ["true", "false", None],
    "day": ["2026-03-01", None, "0001-01-01"],
    "text": ["NA", "", None],
    "kind": ["b", None, "b"],
    "nothing": [None, None, None],
}


def frame() -> pl.DataFrame:
    """Three records of many types."""
    return pl.DataFrame(
        {
            "whole": [1, None, 2**53 + 1],
            "real": [-0.0, float("nan"), 1e-07],
            "yes": [True, False, None],
            "day": [dt.date(2026, 3, 1), None, dt.date(1, 1, 1)],
            "text": ["NA", "", None],
            "kind": pl.Series(["b", None, "b"], dtype=pl.Enum(["left over", "b"])),
            "nothing": [None, None, None],
        }
    )


def texts(table: Table) -> dict[str, list[Any]]:
    """The cells of a table by column, floats as Python writes them."""
    values = {column.name: column.values for column in table.columns}  # noqa: PD011  a polars series, not pandas
    cells = {name: values[name].gather(table[name].codes).to_list() for name in table.names}
    return {
        name: [repr(float(cell)) if cell and name == "real" else cell for cell in column]
        for name, column in cells.items()
    }


def _from_lazy(frame: pl.DataFrame, _: Path) -> Table:
    return from_frame(frame.lazy())


def _from_arrow(frame: pl.DataFrame, _: Path) -> Table:
    return from_frame(cast("object", frame.to_arrow()))


def _from_batch(frame: pl.DataFrame, _: Path) -> Table:
    return from_frame(cast("Any", frame.to_arrow()).to_batches()[0])


def _from_parquet(frame: pl.DataFrame, folder: Path) -> Table:
    frame.write_parquet(folder / "table[1]*.parquet")
    return read_typed(folder / "table[1]*.parquet", "Parquet")


def _from_ipc(frame: pl.DataFrame, folder: Path) -> Table:
    frame.write_ipc(folder / "table[1]*.arrow")
    return read_typed(folder / "table[1]*.arrow", "Arrow")


SOURCES = [_from_lazy, _from_arrow, _from_batch, _from_parquet, _from_ipc]


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_gives_the_same_text_and_types(
    source: Callable[[pl.DataFrame, Path], Table], tmp_path: Path
) -> None:
    """A table is the same text whichever typed source holds it, and remembers the types that may return."""
    table = source(frame(), tmp_path)
    assert table.records == 3
    assert texts(table) == TEXT
    assert [column.dtype for column in table.columns] == [*frame().dtypes[:5], pl.String, pl.Null]


@pytest.mark.parametrize("source", SOURCES)
def test_only_categories_that_occur_are_values(source: Callable[[pl.DataFrame, Path], Table], tmp_path: Path) -> None:
    """A category that no record holds any more appears nowhere in the table."""
    column = source(frame(), tmp_path)["kind"]
    assert set(column.values) == {"b", None}
    assert "left over" not in str(column.dtype)


@pytest.mark.parametrize("name", ["*", "^whole$", "index", "count", "__index_level_0__", "level_0", "=1+1", "@x"])
@pytest.mark.parametrize("source", SOURCES)
def test_odd_names_are_only_names(source: Callable[[pl.DataFrame, Path], Table], name: str, tmp_path: Path) -> None:
    """A name that polars takes for a pattern, pandas for an index or a spreadsheet for a formula is data."""
    table = source(pl.DataFrame({name: [1], "whole": [2]}), tmp_path)
    assert texts(table) == {name: ["1"], "whole": ["2"]}


def test_a_table_may_have_no_records() -> None:
    """A table of no records still has its columns."""
    table = from_frame(pl.DataFrame({"a": []}, schema={"a": pl.Float64}))
    assert (table.names, table.records, len(table["a"].values)) == (("a",), 0, 0)


# ── pandas ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        (pd.Series([1.0, float("nan")]), ["1.0", None]),
        (pd.Series(["x", None, float("nan"), pd.NA, ""], dtype=object), ["x", None, None, None, ""]),
        (pd.Series(["x", None]), ["x", None]),
        (pd.Series([1, None], dtype="Int64"), ["1", None]),
        (pd.Series([2**53 + 1, None], dtype=object), ["9007199254740993", None]),
        (pd.Series([2**64, -1, None], dtype=object), ["18446744073709551616", "-1", None]),
        (pd.Series([True, None], dtype=object), ["true", None]),
        (pd.Series([dt.date(2026, 3, 1), None], dtype=object), ["2026-03-01", None]),
        (pd.Series([None, None], dtype=object), [None, None]),
        (pd.Series(["a", None, "a"], dtype=pd.CategoricalDtype(["z", "a"])), ["a", None, "a"]),
        (pd.Series([3, None], dtype=pd.CategoricalDtype([3, 4])), ["3", None]),
        (pd.Series([pd.Timestamp(2026, 3, 1), pd.NaT]), ["2026-03-01", None]),
    ],
)
def test_pandas_cells_are_read_as_they_are_shown(column: pd.Series[Any], cells: list[str | None]) -> None:
    """NaN, None and NA are missing; no integer loses a digit; a float column stays one."""
    assert texts(from_frame(pd.DataFrame({"a": column}))) == {"a": cells}


@pytest.mark.parametrize("index", [pd.Index([0, 1], name="id"), pd.RangeIndex(2, name="person")])
def test_a_pandas_index_that_may_hold_data_is_refused(index: pd.Index[Any]) -> None:
    """Only row numbers are dropped in silence, and only an index without a name with a note."""
    with pytest.raises(SchemaError, match="reset_index"):
        from_frame(pd.DataFrame({"a": [1, 2]}, index=index))


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, "CANARY"], dtype=object),
        pd.Series([1, 2.5], dtype=object),
        pd.Series([["CANARY"]], dtype=object),
        pd.Series(["CANARY\ud800"], dtype=object),
        pd.Series([b"CANARY"], dtype=object),
        pd.Series(pd.period_range("2026", periods=1, freq="M")),
        pd.Series(pd.to_timedelta(["1 day"])),
        pd.Series(pd.cut([1, 2], 2)),
        pd.Series([1j]),
    ],
    ids=lambda column: str(column.dtype),
)
def test_pandas_columns_without_exact_text_are_refused_by_name(column: pd.Series[Any]) -> None:
    """Mixed and foreign objects are refused; the message names the column and quotes no cell."""
    with pytest.raises(InputError, match="'salary'") as raised:
        from_frame(pd.DataFrame({"salary": column}))
    assert "CANARY" not in str(raised.value)


@pytest.mark.parametrize("names", [["a", "a"], ["a", " A"], [0, 1], [("a", "b"), ("a", "c")], ["a", "b\ud800"]])
def test_pandas_names_must_be_distinct_text(names: list[Any]) -> None:
    """Names that cannot head a column of a file are refused."""
    source = pd.DataFrame([[1, 2]])
    source.columns = pd.Index(names, dtype=object, tupleize_cols=isinstance(names[0], tuple))
    with pytest.raises(InputError):
        from_frame(source)


# ── any frame ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("given", "library"),
    [
        (pl.DataFrame(), "polars"),
        (pl.LazyFrame(), "polars"),
        (pd.DataFrame(), "pandas"),
        (type("Geo", (pd.DataFrame,), {})(), "pandas"),
        (pa.table({}), "pyarrow"),
    ],
)
def test_kind_is_the_library_of_the_frame(given: object, library: str) -> None:
    """A frame, or a subclass of one, is told by its library."""
    assert kind_of(given) == library


@pytest.mark.parametrize("given", [None, "people.csv", pl.Series([1]), pd.Series([1]), {"a": [1]}])
def test_what_is_no_table_is_a_usage_error(given: object) -> None:
    """A series, a path or a dictionary is not taken for a table."""
    with pytest.raises(UsageError, match="class"):
        from_frame(given)


def test_a_frame_without_columns_is_refused() -> None:
    """There is nothing to release in no columns."""
    with pytest.raises(InputError, match="no columns"):
        check_names([], "people.parquet")


def test_a_failing_lazy_frame_quotes_no_cell() -> None:
    """What polars says of a failing query may quote a cell, so it is not passed on."""
    lazy = pl.LazyFrame({"a": ["CANARY"]}).select(pl.col("a").cast(pl.Int64))
    with pytest.raises(InputError, match="InvalidOperationError") as raised:
        from_frame(lazy)
    assert "CANARY" not in str(raised.value)


def test_pandas_without_pyarrow_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing optional library is said with the command that installs it."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match="kohort\\[pandas\\]"):
        from_frame(pd.DataFrame({"a": [1]}))


def test_reading_polars_imports_no_other_library() -> None:
    """Nothing is imported that the caller did not import."""
    script = (
        "import sys, polars as pl; from kohort.io.typed import from_frame; from kohort.io.write import to_frame; "
        "to_frame(from_frame(pl.DataFrame({'a': [1]})), 'polars'); "
        "sys.exit(any(name in sys.modules for name in ('pandas', 'pyarrow')))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
