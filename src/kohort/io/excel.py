"""Workbooks: Excel read by fastexcel and written by xlsxwriter, OpenDocument read by fastexcel.

A workbook has no types of columns, only of cells, and one type of number. A column of whole numbers is read as
integers, other numbers as floats, dates without a time as dates; a column of several types as text, each of its cells
written as it would be alone.
"""

from __future__ import annotations

import datetime as dt
import logging
import re
import zipfile
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from kohort.errors import InputError, LimitError, UnsupportedError
from kohort.io.cells import as_text
from kohort.io.forms import FORMS, Content, FileForm, library

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.tables.table import Labels

_EXCEL: Final = FORMS["xlsx"]

#: What Excel holds at most.
ROWS, COLUMNS, LETTERS = 1_048_576, 16_384, 32_767

#: Bytes of an unpacked workbook at most, and how many one packed byte may become: a table's text repeats itself.
_MOST, _RATIO = 1 << 32, 1_000

#: Below this a workbook may be as repetitive as it likes.
_HARMLESS: Final = 1 << 22

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

#: The days on which a workbook's times lie.
_NO_DAY: Final = (dt.date(1899, 12, 30), dt.date(1899, 12, 31))


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def content(path: str, inner: str, form: FileForm) -> Content:
    """The table in a workbook: its first sheet that is not empty, or the one called `inner`.

    Raises:
        InputError: the file is damaged, has no such sheet, or cells without a value of their own.
        MissingExtraError: fastexcel is not installed.
    """
    fastexcel = library("fastexcel", form)
    logging.getLogger("fastexcel").addHandler(logging.NullHandler())  # it tells of columns that hold nothing
    _refuse_bomb(path)
    try:
        book = fastexcel.read_excel(str(Path(path).absolute()))  # it takes `~` for the home
    except Exception as error:  # noqa: BLE001  whose classes are its own; its text may quote what the file holds
        raise InputError(f"the {form.title} file is damaged ({type(error).__name__})", where=path) from None
    names: list[str] = book.sheet_names
    if inner and inner not in names:
        raise InputError(f"there is no sheet {inner!r}", where=path, hint=f"its sheets: {', '.join(names)}")
    name = inner or names[0]
    if form is _EXCEL:
        _refuse_cells(path, names.index(name), name)
    where = f"{path}, sheet {name!r}"
    frame = _sheet(book, names.index(name), where)
    notes = [f"{where}: the other sheets are not read: {_listed(names, name)}"] if len(names) > 1 and not inner else []
    return Content(frame, notes=tuple(notes))


def _listed(names: Sequence[str], one: str) -> str:
    return ", ".join(other for other in names if other != one) + " (name one as FILE#SHEET)"


def _sheet(book: Any, place: int, where: str) -> pl.DataFrame:  # noqa: ANN401  fastexcel's own class
    """The columns of a sheet, by the texts of its first row that is not empty."""
    try:
        texts: pl.DataFrame = book.load_sheet(place, header_row=None, skip_rows=0, dtypes="string").to_polars()
    except Exception as error:  # noqa: BLE001  as above
        raise InputError(f"the sheet cannot be read ({type(error).__name__})", where=where) from None
    filled = texts.select(pl.any_horizontal(pl.all().is_not_null())).to_series() if texts.width else pl.Series([])
    header = filled.arg_max() if filled.len() and filled.any() else None
    if header is None:
        raise InputError("the sheet is empty", where=where)
    names = ["" if name is None else str(name) for name in texts.row(header)]
    below = texts.slice(header + 1)
    if not below.height:
        return pl.DataFrame(
            {name or f"column_{at}": pl.Series([], dtype=pl.String) for at, name in enumerate(names, 1)}
        )
    natural = _typed(book, place, header + 1, None)
    first = header + 1

    def as_type(at: int, kind: str) -> pl.Series:
        return _typed(book, place, first, {at: kind}).to_series(at)

    columns = [_column(natural.to_series(at), below.to_series(at), partial(as_type, at)) for at in range(len(names))]
    kept = [at for at, one in enumerate(columns) if names[at] or one.null_count() < one.len()]
    from kohort.io.typed import check_names  # noqa: PLC0415  it reads what is read here

    checked = check_names([names[at] for at in kept], where)
    return pl.DataFrame([columns[at].alias(name) for at, name in zip(kept, checked, strict=True)])


def _typed(book: Any, place: int, first: int, dtypes: Mapping[int, str] | None) -> pl.DataFrame:  # noqa: ANN401
    frame: pl.DataFrame = book.load_sheet(
        place, header_row=None, skip_rows=first, schema_sample_rows=None, dtypes=dtypes
    ).to_polars()
    return frame


def _column(natural: pl.Series, texts: pl.Series, typed: Any) -> pl.Series:  # noqa: ANN401  reads the column as another type
    """A column with the type that all of its cells have; text where there is none."""
    if natural.dtype.is_float():
        whole = natural.cast(pl.Int64, strict=False)
        return whole if _same(whole.cast(pl.Float64), natural) else natural
    if isinstance(natural.dtype, pl.Datetime):
        dates = natural.dt.date()
        if dates.is_in(_NO_DAY).all():
            return natural.dt.time()
        return dates if _same(dates.cast(pl.Datetime("ms")), natural) else natural.cast(pl.Datetime("us"))
    if natural.dtype != pl.String:
        return natural
    return _mixed(texts, typed("float"), typed("datetime"))


def _mixed(texts: pl.Series, numbers: pl.Series, times: pl.Series) -> pl.Series:
    """The cells of a column of several types as text: fastexcel rounds numbers, and writes dates with a time."""
    read = texts.cast(pl.Float64, strict=False)
    rounded = (numbers.is_not_null() & read.is_not_null() & (read != numbers)).fill_null(value=False)
    day = (times.is_not_null() & texts.str.ends_with(" 00:00:00")).fill_null(value=False)
    found = as_text(numbers).str.strip_suffix(".0").zip_with(rounded, texts)
    return found.str.strip_suffix(" 00:00:00").zip_with(day, found)


def _same(one: pl.Series, other: pl.Series) -> bool:
    return bool(one.eq_missing(other).all())


def _refuse_bomb(path: str) -> None:
    """Refuse a workbook that unpacks to more than a table would.

    Raises:
        LimitError: it does.
        InputError: it is no workbook.
    """
    try:
        with zipfile.ZipFile(path) as book:
            packed, unpacked = (
                sum(getattr(one, size) for one in book.infolist()) for size in ("compress_size", "file_size")
            )
    except (zipfile.BadZipFile, OSError) as error:
        raise InputError(f"the workbook is damaged or cut short ({type(error).__name__})", where=path) from None
    if unpacked > max(min(_MOST, _RATIO * packed), _HARMLESS):
        raise LimitError(f"the workbook unpacks to {unpacked:,} bytes", where=path, hint="save the sheet as CSV")


#: Cells that show an error, formulas whose value nobody computed, and merged cells.
_FAULTY: Final = (
    (rb'<c [^<>]*\bt="e"', "cells hold errors, such as #N/A", "repair or empty them"),
    (
        rb"(?:</f>|<f [^<>]*/>)(?:<v></v>|<v ?/>)?</c>",
        "formulas have no value yet",
        "open the file in Excel and save it",
    ),
    (rb"<mergeCell ", "groups of cells are merged", "unmerge them, so that each record has its own cells"),
)


def _refuse_cells(path: str, place: int, name: str) -> None:
    """Refuse a sheet with cells that have no value of their own.

    Raises:
        InputError: there are some.
    """
    with zipfile.ZipFile(path) as book:
        member = sheet_part(book, place)
        if member not in book.namelist():
            raise InputError("the workbook is damaged: it does not say where its sheet is", where=path)
        xml = book.read(member)
    if b"<!DOCTYPE" in xml:
        raise InputError("the sheet declares entities", where=f"{path}, sheet {name!r}", hint="save the sheet as CSV")
    for pattern, what, hint in _FAULTY:
        found = len(re.findall(pattern, xml))
        if found:
            raise InputError(f"{found:,} {what}", where=f"{path}, sheet {name!r}", hint=hint)


def sheet_part(book: zipfile.ZipFile, place: int) -> str:
    """The part of a workbook that holds a sheet."""
    try:
        sheets = re.findall(rb'<(?:\w+:)?sheet [^<>]*r:id="([^"]+)"', book.read("xl/workbook.xml"))
        relations = book.read("xl/_rels/workbook.xml.rels")
    except KeyError:
        return ""
    for relation in re.findall(rb"<(?:\w+:)?Relationship [^<>]*>", relations):
        target = re.search(rb'Target="([^"]+)"', relation)
        if place < len(sheets) and b'Id="' + sheets[place] + b'"' in relation and target:
            path = target[1].decode()
            return path.removeprefix("/") if path.startswith("/") else f"xl/{path}"
    return ""


# ── writing ──────────────────────────────────────────────────────────────────────────────────────


def pack(frame: pl.DataFrame, labels: Mapping[str, Labels]) -> bytes:
    """A workbook of one sheet, the names in its first row; it says nothing of who made it, and when.

    Raises:
        UnsupportedError: Excel cannot hold so much.
        MissingExtraError: xlsxwriter is not installed.
    """
    del labels  # a workbook holds what stands for a code, not the code
    _refuse_size(frame)
    xlsxwriter = library("xlsxwriter", _EXCEL)
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


def unpack(written: bytes) -> pl.DataFrame:
    """The table in a workbook that `pack` made, read by fastexcel."""
    fastexcel = library("fastexcel", _EXCEL)
    return _sheet(fastexcel.read_excel(written), 0, "the release")
