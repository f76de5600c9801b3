"""Workbooks: Excel read by fastexcel and written by xlsxwriter, OpenDocument read by fastexcel.

A workbook has no types of columns, only of cells, and one type of number. A column of whole numbers is read as
integers, other numbers as floats, dates without a time as dates; a column of several types as text, each of its cells
written as it would be alone.
"""

from __future__ import annotations

import datetime as dt
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import polars as pl

from kohort.errors import InputError, UnsupportedError
from kohort.io import workbooks
from kohort.io.cells import as_text
from kohort.io.confined import confined
from kohort.io.forms import Content, FileForm, library

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.arrays import Mask
    from kohort.tables.table import Labels


#: What a sheet of Excel holds at most.
ROWS, COLUMNS = 1_048_576, 16_384

#: Empty columns and rows that may always lie among the others; more stand before a cell that was left far away.
_GAPS: Final = (100, 1_000)

#: Rows in which the names of columns are looked for.
_LOOKED_AT: Final = 32

#: Letters of a cell of Excel at most.
LETTERS: Final = 32_767


#: The name of the one sheet that is written.
SHEET: Final = "release"

#: How typed cells are shown.
_SHOWN: Final[Mapping[type[pl.DataType], str]] = {
    pl.Date: "yyyy-mm-dd",
    pl.Datetime: "yyyy-mm-dd hh:mm:ss",
    pl.Time: "hh:mm:ss",
}

#: The time at which every workbook was made: its own would differ each time.
_MADE: Final = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)

#: The time that fastexcel writes behind a date.
_MIDNIGHT: Final = " 00:00:00"

#: The days on which a workbook's times lie.
_NO_DAY: Final = (dt.date(1899, 12, 30), dt.date(1899, 12, 31))


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def content(path: str, inner: str, form: FileForm, *how: str) -> Content:
    """The table in a workbook, which another process reads: a cell far away asks for all the memory there is.

    Raises:
        InputError: the file is damaged, has no such sheet, or cells without a value of their own.
        LimitError: to read it takes too much.
        MissingExtraError: fastexcel is not installed.
    """
    library("fastexcel", form)  # where it is absent, no process is begun
    hint = "delete cells that stand far from the table, or save the sheet as CSV"
    return confined(path, form.key, inner, *how, where=path, hint=hint, grows=True)


def computed(path: str, inner: str, form: FileForm, skip: str = "0", named: str = "") -> Content:
    """The table in a workbook: its first sheet, or the one called `inner`; for `kohort.io.confined`.

    So many rows are skipped; whether the first of the others has the names is `named`, or for its cells to say.
    """
    fastexcel = library("fastexcel", form)
    workbooks.refuse_parts(path)
    try:
        book = fastexcel.read_excel(str(Path(path).absolute()))  # it takes `~` for the home
    except Exception as error:  # noqa: BLE001  whose classes are its own; its text may quote what the file holds
        raise InputError(f"the {form.title} file is damaged ({type(error).__name__})", where=path) from None
    names: list[str] = book.sheet_names
    if inner and inner not in names:
        raise InputError(f"there is no sheet {inner!r}", where=path, hint=f"its sheets: {', '.join(names)}")
    name = inner or names[0]
    merged = workbooks.merged(path, names, name) if form.key == "xlsx" else []
    where = f"{path}, sheet {name!r}"
    frame, header = _sheet(book, names.index(name), where, int(skip), named=bool(named))
    workbooks.refuse_merged([last for last in merged if last > header], where)
    notes = [f"{where}: the other sheets are not read: {_listed(names, name)}"] if len(names) > 1 and not inner else []
    return Content(frame, notes=tuple(notes))


def _listed(names: Sequence[str], one: str) -> str:
    return ", ".join(other for other in names if other != one) + " (name one as FILE#SHEET)"


def _sheet(
    book: Any,  # noqa: ANN401  fastexcel's own class
    place: int,
    where: str,
    skip: int = 0,
    *,
    named: bool = True,
) -> tuple[pl.DataFrame, int]:
    """The columns of a sheet, by the texts of its first row that is not empty, and how many rows are above that."""
    try:
        texts: pl.DataFrame = book.load_sheet(place, header_row=None, skip_rows=0, dtypes="string").to_polars()
    except Exception as error:  # noqa: BLE001  as above
        raise InputError(f"the sheet cannot be read ({type(error).__name__})", where=where) from None
    filled = (
        texts.select(pl.any_horizontal(pl.all().is_not_null())).to_series()
        if texts.width
        else pl.Series(dtype=pl.Boolean)
    )
    if not filled[skip:].any():
        raise InputError("the sheet is empty" + " below the rows that are skipped" * bool(skip), where=where)
    header = skip + int(filled[skip:].arg_max() or 0)
    if not named:
        from kohort.io.header import refuse_titles  # noqa: PLC0415  it needs what reads what is read here

        refuse_titles([[cell or "" for cell in row] for row in texts[header:][:_LOOKED_AT].rows()], where, header + 1)
    _refuse_far(np.array([one.null_count() < one.len() for one in texts]), filled.to_numpy(), where)
    names = ["" if name is None else str(name) for name in texts.row(header)]
    below = texts.slice(header + 1)
    if not below.height:
        empty = {name or f"column_{at}": pl.Series([], dtype=pl.String) for at, name in enumerate(names, 1)}
        return pl.DataFrame(empty), header
    natural = _typed(book, place, header + 1, None)
    mixed = {at: below.to_series(at) for at, one in enumerate(natural) if one.dtype == pl.String}
    cells = _mixed(mixed, partial(_typed, book, place, header + 1))
    columns = [cells[at] if at in cells else _column(one) for at, one in enumerate(natural)]
    kept = [at for at, one in enumerate(columns) if names[at] or one.null_count() < one.len()]
    from kohort.io.typed import check_names  # noqa: PLC0415  it reads what is read here

    checked = check_names([names[at] for at in kept], where)
    return pl.DataFrame([columns[at].alias(name) for at, name in zip(kept, checked, strict=True)]), header


def _refuse_far(columns: Mask, rows: Mask, where: str) -> None:
    """Refuse a sheet with a cell far from the others, by the columns and rows that hold something.

    Raises:
        InputError: there is one.
    """
    for kind, seen, gap in zip(("columns", "rows"), (columns, rows), _GAPS, strict=True):
        used = np.flatnonzero(seen)
        empty = int(used[-1]) + 1 - used.size
        if empty > max(gap, used.size):
            last = _letters(int(used[-1]) + 1) if kind == "columns" else f"{used[-1] + 1:,}"
            what = f"the cell in {kind[:-1]} {last} stands far from the others: {empty:,} {kind} before it are empty"
            raise InputError(what, where=where, hint="delete it, or move what belongs to the table next to it")


def _letters(column: int) -> str:
    return _letters((column - 1) // 26) + chr(ord("A") + (column - 1) % 26) if column else ""


def _typed(book: Any, place: int, first: int, dtypes: Mapping[int, str] | None) -> pl.DataFrame:  # noqa: ANN401
    frame: pl.DataFrame = book.load_sheet(
        place, header_row=None, skip_rows=first, schema_sample_rows=None, dtypes=dtypes
    ).to_polars()
    return frame


def _column(natural: pl.Series) -> pl.Series:
    """A column with the type that all of its cells have."""
    if natural.dtype.is_float():
        whole = natural.cast(pl.Int64, strict=False)
        return whole if _same(whole.cast(pl.Float64), natural) else natural
    if isinstance(natural.dtype, pl.Datetime):
        dates = natural.dt.date()
        if dates.is_in(_NO_DAY).all():
            return natural.dt.time()
        return dates if _same(dates.cast(pl.Datetime("ms")), natural) else natural.cast(pl.Datetime("us"))
    return natural


def _mixed(
    columns: Mapping[int, pl.Series], typed: Callable[[Mapping[int, str]], pl.DataFrame]
) -> dict[int, pl.Series]:
    """Columns of several types as text: fastexcel rounds numbers, and writes dates with a time.

    The sheet is read again as numbers, and as dates, where some text is one: once for all columns, not for each.
    """
    found = dict(columns)
    numbers = {at: one.cast(pl.Float64, strict=False) for at, one in columns.items()}
    numbers = {at: one for at, one in numbers.items() if one.null_count() < one.len()}
    exact = typed(dict.fromkeys(numbers, "float")) if numbers else pl.DataFrame()
    for at, read in numbers.items():
        number = exact.to_series(at)
        rounded = (number.is_not_null() & read.is_not_null() & (read != number)).fill_null(value=False)
        found[at] = as_text(number).str.strip_suffix(".0").zip_with(rounded, found[at])
    days = [at for at, one in columns.items() if one.str.ends_with(_MIDNIGHT).any()]
    times = typed(dict.fromkeys(days, "datetime")) if days else pl.DataFrame()
    for at in days:
        day = (times.to_series(at).is_not_null() & columns[at].str.ends_with(_MIDNIGHT)).fill_null(value=False)
        found[at] = found[at].str.strip_suffix(_MIDNIGHT).zip_with(day, found[at])
    return found


def _same(one: pl.Series, other: pl.Series) -> bool:
    return bool(one.eq_missing(other).all())


# ── writing ──────────────────────────────────────────────────────────────────────────────────────


def pack(frame: pl.DataFrame, labels: Mapping[str, Labels], form: FileForm) -> bytes:
    """A workbook of one sheet, the names in its first row; it says nothing of who made it, and when.

    Raises:
        UnsupportedError: Excel cannot hold so much.
        MissingExtraError: xlsxwriter is not installed.
    """
    del labels  # a workbook holds what stands for a code, not the code
    _refuse_size(frame)
    xlsxwriter = library("xlsxwriter", form)
    file = BytesIO()
    book = xlsxwriter.Workbook(file, {"in_memory": True})
    book.set_properties({"created": _MADE, "author": "", "company": ""})
    sheet = book.add_worksheet(SHEET)
    for at, series in enumerate(frame):
        sheet.write_string(0, at, series.name)
        _write_column(book, sheet, at, series)
    sheet.freeze_panes(1, 0)
    book.close()
    return file.getvalue()


def _write_column(book: Any, sheet: Any, at: int, series: pl.Series) -> None:  # noqa: ANN401  xlsxwriter's own
    """The cells of a column, each as its type has it; a missing one is no cell."""
    shown = _SHOWN.get(series.dtype.base_type())
    form = book.add_format({"num_format": shown}) if shown else None
    put = sheet.write_string
    if shown:
        put = sheet.write_datetime
    elif series.dtype == pl.Boolean:
        put = sheet.write_boolean
    elif series.dtype.is_numeric():
        put = sheet.write_number
    for row, cell in enumerate(series, 1):
        if cell is not None:
            put(row, at, cell, form)
    sheet.set_column(at, at, 12 if shown else None)


def _refuse_size(frame: pl.DataFrame) -> None:
    if frame.height >= ROWS or frame.width > COLUMNS:
        what = f"an Excel sheet has no place for {frame.height:,} records of {frame.width:,} columns"
        raise UnsupportedError(what, where="output", hint=f"it holds {ROWS - 1:,}; write CSV or Parquet")
    empty = frame.tail(1).select(pl.all_horizontal(pl.all().is_null())).to_series()
    if frame.height and empty.item():
        what = "the last record has no value in any column, and an Excel sheet ends at its last value"
        raise UnsupportedError(what, where="output", hint="write CSV or Parquet")


def unpack(written: bytes, form: FileForm) -> pl.DataFrame:
    """The table in a workbook that `pack` made, read by fastexcel."""
    fastexcel = library("fastexcel", form)
    return _sheet(fastexcel.read_excel(written), 0, "the release")[0]
