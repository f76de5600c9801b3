"""Workbooks: Excel read by fastexcel and written by xlsxwriter, OpenDocument read by fastexcel.

A workbook has no types of columns, only of cells, and one type of number. A column of whole numbers is read as
integers, other numbers as floats, dates without a time as dates; a column of several types as text, each of its cells
written as it would be alone.
"""

from __future__ import annotations

import datetime as dt
import re
import zipfile
import zlib
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl

from kohort.errors import InputError, LimitError, UnsupportedError
from kohort.errors.display import many
from kohort.io.cells import as_text
from kohort.io.forms import Content, FileFormat

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

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


def read(path: str, inner: str, form: FileFormat, skip: str = "0", named: str = "") -> Content:
    """The table in a workbook, of which a cell far away asks for all the memory there is: the first sheet, or `inner`.

    So many rows are skipped; whether the first of the others has the names is `named`, or for its cells to say.

    Raises:
        InputError: the file is damaged, has no such sheet, or cells without a value of their own.
        MissingExtraError: fastexcel is not installed.
    """
    fastexcel = form.library("fastexcel")
    refuse_parts(path)
    try:
        book = fastexcel.read_excel(str(Path(path).absolute()))  # it takes `~` for the home
    except Exception as error:  # noqa: BLE001  whose classes are its own; its text may quote what the file holds
        raise InputError(f"the {form.title} file is damaged ({type(error).__name__})", where=path) from None
    names: list[str] = book.sheet_names
    if inner and inner not in names:
        raise InputError(f"there is no sheet {inner!r}", where=path, hint=f"its sheets: {', '.join(names)}")
    name = inner or names[0]
    merged = merged_in(path, names, name) if form.key == "xlsx" else []
    where = f"{path}, sheet {name!r}"
    frame, header = _sheet(book, names.index(name), where, int(skip), named=bool(named))
    refuse_merged([last for last in merged if last > header], where)
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
            what = f"the cell in {kind[:-1]} {last} is far from the others: the {empty:,} {kind} before it are empty"
            raise InputError(what, where=where, hint="delete the cell, or move it next to the table")


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


def pack(frame: pl.DataFrame, labels: Mapping[str, Labels], form: FileFormat) -> bytes:
    """A workbook of one sheet, the names in its first row; it says nothing of who made it, and when.

    Raises:
        UnsupportedError: Excel cannot hold so much.
        MissingExtraError: xlsxwriter is not installed.
    """
    del labels  # a workbook holds what stands for a code, not the code
    _refuse_size(frame)
    xlsxwriter = form.library("xlsxwriter")
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
        what = f"{frame.height:,} records of {frame.width:,} columns do not fit on an Excel sheet"
        raise UnsupportedError(what, where="output", hint=f"write CSV or Parquet; a sheet holds {ROWS - 1:,} records")
    empty = frame.tail(1).select(pl.all_horizontal(pl.all().is_null())).to_series()
    if frame.height and empty.item():
        what = "the last record has no value in any column, and an Excel sheet ends at its last value"
        raise UnsupportedError(what, where="output", hint="write CSV or Parquet")


def unpack(written: bytes, form: FileFormat) -> pl.DataFrame:
    """The table in a workbook that `pack` made, read by fastexcel."""
    fastexcel = form.library("fastexcel")
    return _sheet(fastexcel.read_excel(written), 0, "the release")[0]


#: Bytes of an unpacked workbook at most, how many one packed byte may become (sheets reach 30), and what does no harm.
_MOST, _RATIO, _HARMLESS = 1 << 32, 200, 1 << 25

#: Bytes of a part that are looked at together.
_PIECE: Final = 1 << 20

#: How parts may be packed: stored or deflated, as every program does.
_PACKED_BY: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})

#: What helps with a file that no program wrote.
_AGAIN: Final = "open the file in Excel or LibreOffice and save it again, or save the sheet as CSV"

#: Cells that show an error, formulas whose value nobody computed, and texts that are not there.
_FAULTY: Final = (
    (rb'<c [^<>]*\bt="e"', "cells hold errors, such as #N/A", "correct or clear these cells"),
    (
        rb"(?:</f>|<f [^<>]*/>)(?:<v></v>|<v ?/>)?</c>",
        "formulas have no value yet",
        "open the file in Excel and save it",
    ),
    (
        rb'<c (?=[^<>]*+>)(?>[^<>]*\bt="s"[^<>]*+>)\s*+<v>(?![0-9]{1,10}</v>)',
        "cells refer to a missing text",
        _AGAIN,
    ),
)

#: A group of merged cells, with its last row; one that does not tell it ends with the sheet.
MERGED: Final = rb'<mergeCell (?:[^<>]*?\bref="[A-Z]{1,3}[0-9]{1,7}:[A-Z]{1,3}([0-9]{1,7})")?'
LAST: Final = 1_048_576


def refuse_parts(path: str) -> None:
    """Refuse a workbook that unpacks to more than a table would, or that readers could take for another.

    Raises:
        LimitError: it unpacks to too much.
        InputError: it is no workbook, two of its parts have one name, or one declares entities.
    """
    with _opened(path) as book:
        parts = book.infolist()
        packed, unpacked = (sum(getattr(one, size) for one in parts) for size in ("compress_size", "file_size"))
        names = {one.filename.replace("\\", "/").casefold() for one in parts}
        places = {one.header_offset for one in parts}
        if len(names) < len(parts) or len(places) < len(parts):
            raise InputError("two parts of the workbook have one name or one place", where=path, hint=_AGAIN)
        if book.comment or min(places, default=0) > 0:
            raise InputError("the workbook is a zip file within another", where=path, hint=_AGAIN)
        if any(one.flag_bits & 1 or one.compress_type not in _PACKED_BY for one in parts):
            raise InputError("the workbook is encrypted or packed in an unknown way", where=path, hint=_AGAIN)
        if unpacked > max(min(_MOST, _RATIO * packed), _HARMLESS):
            raise LimitError(f"the workbook unpacks to {unpacked:,} bytes", where=path, hint="save the sheet as CSV")
        for one in parts:
            if one.filename.endswith((".xml", ".rels")) and b"<!DOCTYPE" in book.open(one).read(_PIECE):
                raise InputError("the workbook declares entities", where=path, hint="save the sheet as CSV")


@contextmanager
def _opened(path: str) -> Generator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as book:
            yield book
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError, SyntaxError) as error:
        raise InputError(f"the workbook is damaged or cut short ({type(error).__name__})", where=path) from None


def merged_in(path: str, names: Sequence[str], name: str) -> list[int]:
    """The last row of each group of merged cells in a sheet, all of whose cells have a value of their own.

    Raises:
        InputError: some have none, or nothing says where the sheet is.
    """
    found, groups = [0] * len(_FAULTY), list[int]()
    with _opened(path) as book:
        sheets = sheet_parts(book)
        if len(sheets) != len(names) or not {*sheets} <= {*book.namelist()}:
            raise InputError("the workbook is damaged: the place of the sheet is missing", where=path)
        for piece in _pieces(book, sheets[names.index(name)]):
            for at, (pattern, *_) in enumerate(_FAULTY):
                found[at] += len(re.findall(pattern, piece))
            groups += [int(row or LAST) for row in re.findall(MERGED, piece)]
    for count, (_, what, hint) in zip(found, _FAULTY, strict=True):
        if count:
            raise InputError(f"{count:,} {what}", where=f"{path}, sheet {name!r}", hint=hint)
    return groups


def refuse_merged(groups: Sequence[int], where: str) -> None:
    """Refuse merged cells among records and the names of columns.

    Raises:
        InputError: there are some.
    """
    if groups:
        hint = "unmerge them, so that each record has its own cells; rows above the names may be (--skip-rows N)"
        raise InputError(
            many(len(groups), "group of cells is", "groups of cells are") + " merged", where=where, hint=hint
        )


def _pieces(book: zipfile.ZipFile, part: str) -> Iterator[bytes]:
    """The part of a sheet, some cells at a time."""
    rest = b""
    with book.open(part) as file:
        while piece := file.read(_PIECE):
            cut = piece.rfind(b"<c ")
            if cut >= 0:
                yield rest + piece[:cut]
                rest = b""
            rest += piece[max(cut, 0) :]
    yield rest


def sheet_parts(book: zipfile.ZipFile) -> list[str]:
    """The parts of a workbook that hold its sheets, in their order; none where it does not say so."""
    try:
        listed, related = (
            ET.fromstring(book.read(name))  # noqa: S314  it declares no entities
            for name in ("xl/workbook.xml", "xl/_rels/workbook.xml.rels")
        )
    except KeyError:
        return []
    targets = {one.get("Id"): one.get("Target", "") for one in related}
    sheets = [one.attrib for one in listed.findall("{*}sheets/{*}sheet")]
    paths = [targets.get(next((one[name] for name in one if name.endswith("}id")), ""), "") for one in sheets]
    return [one.removeprefix("/") if one.startswith(("/", "xl/")) else f"xl/{one}" for one in paths]
