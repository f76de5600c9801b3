"""The first record of delimited text: its separator, its line end and the names of the columns."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.errors import InputError, KohortError, LimitError
from kohort.io.options import LONGEST_NAME
from kohort.io.records import RecordLayout, fill, hint, measure
from kohort.io.source import CR, LF, line_of
from kohort.io.typed import check_names, check_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.io.options import ReadOptions
    from kohort.io.source import Bytes, Text

#: Separators that are looked for.
_CANDIDATES: Final = ",;\t|"

#: A separator must divide evenly the records that start in the first bytes, or this many of them.
_SAMPLE: Final = 1 << 16
_RECORDS: Final = 100

#: Records that a header is compared with: enough for forms, few beside the text.
_LOOKED_AT: Final = 32

#: Bytes that are looked at together for a line end.
_STEP: Final = 1 << 12

#: What declares the separator, as Excel writes it in a line of its own.
_declared = re.compile(rb'"?sep=(?P<separator>[^\r\n"\x80-\xff])"?(?:\r\n|\n|\r)', re.IGNORECASE).match

_mail = re.compile(r"[^@\s]+@[^@\s][^@\s.]*\.[^@\s]+").fullmatch


def lay_out(text: Text, options: ReadOptions) -> RecordLayout:
    """How the text is divided, and what its columns are called.

    Raises:
        InputError: the header looks like data, its names do not tell the columns apart, names are given for another
            number of columns, or the separator is in doubt.
    """
    at, declared = _start(text, options)
    quote = -1 if options.quote is None else ord(options.quote)
    if options.header is None and not options.names:
        _refuse_titles(text, at, quote, options.separator or declared)
    separator = ord(options.separator or declared or _sniffed(text, at, quote))
    cells, end = measure(text.data, at, separator, quote)
    check_width(cells, text.name)
    line_end = text.data[end : end + 2].tobytes()
    layout = RecordLayout(
        names=tuple(f"column_{place}" for place in range(1, cells + 1)),
        separator=separator,
        quote=quote,
        line_end=CR if line_end.startswith(b"\r") and line_end != b"\r\n" else LF,
        body=at,
    )
    if options.names and len(options.names) != cells:
        what = f"{len(options.names)} names are given, but the first record has {cells} cells"
        raise InputError(what, where=text.name, hint="give a name for every column (--names)")
    if options.names:
        return replace(layout, names=check_names(options.names, "the given names"))
    return _named(text, layout, options) if options.has_header else layout


def _start(text: Text, options: ReadOptions) -> tuple[int, str]:
    """Where the first record starts, and the separator that a line like Excel's own `sep=;` before it declares."""
    found = _declared(text.data[:_STEP].tobytes())
    at, declared = 0, found["separator"].decode() if found else ""
    for _ in range(options.skip_rows or int(found is not None)):  # the rows that are skipped begin with such a line
        at = _next_line(text, at)
    if options.skip_blank:
        inked = (text.data[at:] != LF) & (text.data[at:] != CR) if text.data[at] in {LF, CR} else np.ones(1, bool)
        if not inked.any():
            raise InputError("every line is blank", where=text.name)
        at += int(inked.argmax())
    return at, declared


def _next_line(text: Text, at: int) -> int:
    """Where the line after the one at `at` starts.

    Raises:
        InputError: the text ends before.
    """
    while at < text.data.size:
        piece = text.data[at : at + _STEP]
        ends = np.flatnonzero((piece == LF) | (piece == CR))
        at += int(ends[0]) if ends.size else piece.size
        if ends.size and text.data[at : at + 2].tobytes() == b"\r\n":
            at += 1
        if ends.size and at + 1 < text.data.size:
            return at + 1
        if ends.size:
            break
    raise InputError("no line is left below the rows that are skipped", where=text.name, hint="lower --skip-rows")


def _refuse_titles(text: Text, at: int, quote: int, separator: str) -> None:
    """Refuse a text whose column names seem to stand in a later line, by the separator that divides the lines best."""
    best: list[list[str]] = []
    for sign in separator or _CANDIDATES:
        rows = _rows(text, at, ord(sign), quote)
        if ord(sign) != quote and _evenness(rows) > _evenness(best):
            best = rows
    refuse_titles(best, text.name, line_of(text.data, at))


def _evenness(rows: Sequence[Sequence[str]]) -> tuple[int, int]:
    """How many of the rows have the number of cells that most have, and that number; nothing where it is one."""
    (cells, many), *_ = Counter(len(row) for row in rows).most_common(1) or [(1, 0)]
    return (many, cells) if cells > 1 else (0, 0)


def _rows(text: Text, at: int, separator: int, quote: int) -> list[list[str]]:
    """The cells of the first lines, divided as they stand there."""
    end = min(at + _SAMPLE, text.data.size)
    lines = text.data[at:end].tobytes().decode(errors="replace").splitlines()
    lines = lines[: -1 if end < text.data.size and len(lines) > 1 else None][:_LOOKED_AT]
    sign = chr(quote) if quote >= 0 else None
    mark = chr(separator)
    if sign is None:  # nothing is quoted
        return [line.split(mark) for line in lines]
    return [next(csv.reader([line], delimiter=mark, quotechar=sign), list[str]()) for line in lines]


def refuse_titles(rows: Sequence[Sequence[str]], where: str, first: int = 1) -> None:
    """Refuse a table whose first row is a title, by the cells of its first rows; an empty cell is no text.

    Args:
        rows: The cells of each row; a blank one may have none.
        where: The table, for messages.
        first: The number of the first of them.

    Raises:
        InputError: a later row seems to name the columns, or the first one names just one of several.

    >>> refuse_titles([["Survey", ""], ["", ""], ["age", "sex"], ["20", "M"], ["30", "F"]], "people.csv")
    Traceback (most recent call last):
    kohort.errors.InputError: row 3 seems to hold the column names
      where: people.csv
      hint: skip the rows above: --skip-rows 2 (in a job file skip-rows = 2); if row 1 has the names: --header (header = true)
    """  # noqa: E501  a hint is one line
    filled = [[*filter(str.strip, row)] for row in rows]
    at = next((place for place, row in enumerate(filled) if row), 0)
    cells = _evenness(rows)[1]
    even = [row if len(row) == cells else [""] * cells for row in rows]
    columns = [place for place in range(cells) if any(row[place].strip() for row in even)]
    if len(columns) < 2:  # noqa: PLR2004  of one column there is no telling
        return
    named = [_names_all(row, columns) for row in even]
    alone = len(filled[at]) == 1 and not named[at]
    if not (at or alone or (len(rows[at]) == cells and not named[at])):
        return
    below = (place for place in range(at or 1, len(rows)) if named[place] and not any(map(_is_datum, rows[place])))
    otherwise = f"if row {first + at} has the names: --header (header = true)"
    if (place := next(below, None)) is not None:
        skip = first + place - 1
        what = f"row {first + place} seems to hold the column names"
        hint = f"skip the rows above: --skip-rows {skip} (in a job file skip-rows = {skip}); {otherwise}"
        raise InputError(what, where=where, hint=hint)
    if alone and len(rows[at]) == cells:
        hint = f"name every column, or skip the rows above their names: --skip-rows N (skip-rows = N); {otherwise}"
        raise InputError(f"row {first + at} names one of {len(columns)} columns", where=where, hint=hint)


def _names_all(row: Sequence[str], columns: Sequence[int]) -> bool:
    """Whether each column has a name of its own in the row, but perhaps the first, which may be an index."""
    names = [row[place].strip() for place in columns[1:]]
    return all(names) and len({*names}) == len(names)


def _named(text: Text, layout: RecordLayout, options: ReadOptions) -> RecordLayout:
    """The layout with the names in the first record, and the body after it."""
    starts = np.empty((len(layout.names), 1), np.int64)
    lengths = np.empty((len(layout.names), 1), np.int32)
    _, body = fill(text, layout, options, layout.body, starts, lengths)
    where = f"{text.name}, line {line_of(text.data, layout.body)}"
    names = [
        _name(text.data[start : start + length].tobytes(), layout, f"{where}, column {place}")
        for place, (start, length) in enumerate(zip(starts[:, 0], lengths[:, 0], strict=True), 1)
    ]
    if options.header is None:
        _refuse_data(names, _below(text, replace(layout, body=body), options), where)
    return replace(layout, names=check_names(names, where), body=body)


def _below(text: Text, layout: RecordLayout, options: ReadOptions) -> list[list[str]]:
    """The cells of each column in the first records of the body; none where these are not well formed."""
    starts = np.empty((len(layout.names), _LOOKED_AT), np.int64)
    lengths = np.empty((len(layout.names), _LOOKED_AT), np.int32)
    try:
        records, _ = fill(text, layout, options, layout.body, starts, lengths)
    except KohortError:  # which the reader will raise again
        records = 0
    bounds = zip(starts[:, :records].tolist(), lengths[:, :records].tolist(), strict=True)
    data = text.data
    return [
        [data[start : start + length].tobytes().decode(errors="replace") for start, length in zip(*column, strict=True)]
        for column in bounds
    ]


def _refuse_data(names: Sequence[str], below: Sequence[Sequence[str]], where: str) -> None:
    """Refuse a first record that looks like data: it would be lost, and its values would be called names.

    Raises:
        InputError: a cell is a number, a date or an e-mail address, has the form of all cells below it, or most cells
            occur again in the first records.
    """
    hint = (
        "if so: --no-header, or --names a,b,… (in a job file header = false, or names);"
        " otherwise: --header (header = true)"
    )
    for place, (name, cells) in enumerate(zip(names, below, strict=True), 1):
        if _is_datum(name) or _is_alike(name, cells):
            what = "the first record looks like data: this cell is not a name"
            raise InputError(what, where=f"{where}, column {place}", hint=hint)
    again = sum(name in cells for name, cells in zip(names, below, strict=True))
    if 2 * again > len(names):
        what = f"the first record looks like data: {again} of {len(names)} cells occur again in their columns"
        raise InputError(what, where=where, hint=hint)


def _is_datum(cell: str) -> bool:
    """Whether a cell is a number, a date (digits, and no letter) or an e-mail address.

    >>> [_is_datum(text) for text in ("39", "-1,5", "2024-02-29", "ada@example.org", "age", "q1", "")]
    [True, True, True, True, False, False, False]
    """
    digits = any(sign.isdecimal() for sign in cell) and not any(sign.isalpha() for sign in cell)
    return digits or _mail(cell.strip()) is not None


def _is_alike(name: str, cells: Sequence[str]) -> bool:
    """Whether a name with digits has the form of all cells below it, such as A123 above B456."""
    form = _form(name)
    return "0" in form and bool(cells) and all(_form(cell) == form for cell in cells)


def _form(cell: str) -> str:
    """A cell with every digit as 0 and every letter as a.

    >>> _form("RSS-85")
    'aaa-00'
    """
    return "".join("0" if sign.isdecimal() else "a" if sign.isalpha() else sign for sign in cell.strip())


def _name(cell: bytes, layout: RecordLayout, where: str) -> str:
    if len(cell) > 4 * LONGEST_NAME:  # bytes of a letter
        what = f"the column's name has more than {LONGEST_NAME:,} letters"
        raise LimitError(what, where=where, hint="is a closing quote missing, or the separator wrong?")
    try:
        return layout.plain(cell.decode())
    except UnicodeDecodeError as error:
        odd = hint(np.frombuffer(cell, np.uint8), error.start)
        raise InputError("a byte that is not UTF-8", where=where, hint=odd) from None


def _sniffed(text: Text, at: int, quote: int) -> str:
    """The separator that divides the first records evenly; a comma where none divides the first one."""
    counts = {sign: _counts(text.data[at:], ord(sign), quote) for sign in _CANDIDATES if ord(sign) != quote}
    even = [sign for sign, cells in counts.items() if min(cells) == max(cells) > 1]
    if len(even) > 1:
        what = "two separators divide the first lines evenly"
        raise InputError(what, where=text.name, hint="name the right one (--separator)")
    return even[0] if even else max(counts, key=lambda sign: counts[sign][0])


def _counts(data: Bytes, separator: int, quote: int) -> list[int]:
    """The cells of each of the first records under a separator, without blank lines."""
    counts: list[int] = []
    at = 0
    while at < min(data.size, _SAMPLE) and len(counts) < _RECORDS:
        cells, end = measure(data, at, separator, quote)
        if end > at:
            counts.append(cells)
        at = end + 1  # between CR and LF there is one more blank line
    return counts or [1]
