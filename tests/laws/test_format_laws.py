"""Laws of the formats that have a library of their own: what is written is read back, or nothing is written."""

from __future__ import annotations

import datetime as dt
import string
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort import io
from kohort.errors import SourceNote, UnsupportedError
from kohort.io.foreign import pack, unpack
from kohort.io.forms import FORMATS, Content
from kohort.io.typed import from_content
from kohort.tables.table import Labels

if TYPE_CHECKING:
    from pathlib import Path

    from kohort.tables.table import Table

WRITTEN = [pytest.param(key, id=key) for key, form in FORMATS.items() if form.module and form.written]

#: Text as people have it, with what formats are known to lose: blanks at the ends, the look of numbers, line ends.
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cc", "Cs", "Co", "Cn"]), max_size=12),
    st.sampled_from(["NA", "00118", "1e5", "-0", "TRUE", "2020-01-01", "=1+1", "_x0041_", " a", "a\nb", "1.50", "."]),
)
CELLS: dict[Any, st.SearchStrategy[Any]] = {
    pl.String(): TEXTS,
    pl.Int64(): st.integers(-(2**63), 2**63 - 1) | st.integers(-99, 99),
    pl.Float64(): st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.1, 52000.0, 1 / 3]),
    pl.Date(): st.dates(),
    pl.Datetime("us"): st.datetimes(),
    pl.Time(): st.times(),
    pl.Boolean(): st.booleans(),
}


@st.composite
def frames(draw: st.DrawFn) -> pl.DataFrame:
    """A frame of some columns of any types, with missing cells, and one that numbers its records."""
    records = draw(st.integers(1, 6))
    names = draw(st.lists(st.text(string.ascii_letters + "é 2_", min_size=1, max_size=9), min_size=1, max_size=3))
    kinds = [draw(st.sampled_from(list(CELLS))) for _ in names]
    columns = [pl.Series("id", range(records), dtype=pl.Int64)]
    for at, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        cells = draw(st.lists(st.none() | CELLS[kind], min_size=records, max_size=records))
        columns.append(pl.Series(f"c{at} {name}x", cells, dtype=kind))
    return pl.DataFrame(columns)


def cells(table: Table, *, nulls: bool) -> list[list[str | None]]:
    """The cells of a table as text, column by column; where there are no nulls, the empty text stands for them."""
    columns = [column.values.gather(column.codes).to_list() for column in table.columns]
    return columns if nulls else [[cell or "" for cell in column] for column in columns]


@pytest.mark.parametrize("key", WRITTEN)
@given(frame=frames())
def test_what_is_written_is_read_back(key: str, frame: pl.DataFrame) -> None:
    """Every cell and name of a written file is what it was, by the reader that verifies; else nothing is written."""
    table = from_content(Content(frame), "the frame")
    try:
        packed = pack(table, key)
    except UnsupportedError:
        return
    again = unpack(packed, key, table)
    assert again.names == table.names
    assert cells(again, nulls=FORMATS[key].nulls) == cells(table, nulls=FORMATS[key].nulls)
    if FORMATS[key].exact:
        assert pack(again, key, table) == packed


@pytest.mark.parametrize("key", WRITTEN)
def test_what_spreadsheets_spoil_survives(key: str, tmp_path: Path) -> None:
    """Leading zeros, `NA`, 2^53 + 1 and dates come back as they were when the file is read as any other input."""
    frame = pl.DataFrame(
        {
            "zip": ["00118", "20121", "00118"],
            "country": ["NA", "IT", "NA"],
            "account": [2**53 + 1, 1, None],
            "born": [dt.date(1950, 2, 28), dt.date(2020, 2, 29), dt.date(1850, 1, 1)],
            "paid": [0.1, 1 / 3, 52000.0],
        }
    )
    table = from_content(Content(frame), "the frame")
    path = tmp_path / f"people.{key}"
    path.write_bytes(pack(table, key))
    assert cells(io.read(path), nulls=False) == cells(table, nulls=False)


@pytest.mark.one_of("key")
@pytest.mark.parametrize("key", ["sav", "zsav", "dta"])
@given(
    named=st.dictionaries(
        st.integers(-99, 99), st.text(string.ascii_letters + "àß", min_size=1, max_size=20), min_size=1, max_size=5
    ).filter(lambda named: len({*named.values()}) == len(named)),
    data=st.data(),
)
def test_value_labels_are_kept(key: str, named: dict[int, str], data: st.DataObject, tmp_path_factory: Any) -> None:  # noqa: ANN401
    """A labelled column holds its labels, and is written with codes, labels and title as it was."""
    labels = data.draw(st.lists(st.sampled_from(sorted(named.values())), min_size=1, max_size=6))
    said = Labels("What they answered", {label: float(code) for code, label in named.items()})
    content = Content(pl.DataFrame({"answer": labels}), {"answer": said})
    path = tmp_path_factory.mktemp("labels") / f"people.{key}"
    path.write_bytes(pack(from_content(content, "the frame"), key))
    again = io.read(path)["answer"]
    assert again.values.gather(again.codes).to_list() == labels
    assert again.labels == said


@pytest.mark.parametrize("key", ["xlsx", "sav", "dta"])
def test_plain_numbers_of_a_text_become_numbers(key: str, tmp_path: Path) -> None:
    """A text file's numbers are numbers in a workbook, where a person would sum them, and codes stay text."""
    text = tmp_path / "people.csv"
    text.write_text("income,zip,share\n52000,00118,0.5\n7,20121,3\n")
    (tmp_path / f"people.{key}").write_bytes(pack(io.read(text), key))
    again = io.read(tmp_path / f"people.{key}")
    kinds = [column.dtype.is_numeric() for column in again.columns]
    assert kinds == [True, False, True]


def test_other_sheets_are_told(tmp_path: Path) -> None:
    """Of several sheets the first is read with a note, and any other by its name without one."""
    import xlsxwriter  # noqa: PLC0415  publishes no types

    path = tmp_path / "people.xlsx"
    book: Any = xlsxwriter.Workbook(str(path))
    for name in ("2023", "2024"):
        sheet = book.add_worksheet(name)
        sheet.write_column(0, 0, ["age", *range(40 + int(name) % 2)])
    book.close()
    with pytest.warns(SourceNote, match="sheet '2023': the other sheets are not read: 2024"):
        assert io.read(path).records == 41
    assert io.read(f"{path}#2024").records == 40
