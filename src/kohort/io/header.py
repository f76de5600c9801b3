"""The first line of delimited text: its separator, its line end and the names of the columns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.errors import InputError
from kohort.io.records import Layout, fill, measure
from kohort.io.source import CR, LF, line_of
from kohort.io.typed import check_names
from kohort.numbers import is_numeric_text

if TYPE_CHECKING:
    from kohort.io.options import ReadOptions
    from kohort.io.source import Bytes, Text

#: Separators that are looked for.
_CANDIDATES: Final = ",;\t|"

#: A separator must divide evenly the records that start in the first bytes, or this many of them.
_SAMPLE: Final = 1 << 16
_RECORDS: Final = 100


def lay_out(text: Text, options: ReadOptions) -> Layout:
    """How the text is divided, and what its columns are called.

    Raises:
        InputError: there is no header, its names do not tell the columns apart, or the separator is in doubt.
    """
    at = _first_line(text) if options.skip_blank else 0
    quote = -1 if options.quote is None else ord(options.quote)
    separator = ord(options.separator or _sniffed(text, at, quote))
    cells, end = measure(text.data, at, separator, quote)
    line_end = text.data[end : end + 2].tobytes()
    layout = Layout(
        names=tuple(f"column_{place}" for place in range(1, cells + 1)),
        separator=separator,
        quote=quote,
        line_end=CR if line_end.startswith(b"\r") and line_end != b"\r\n" else LF,
        body=at,
    )
    return _named(text, layout, options) if options.header else layout


def _first_line(text: Text) -> int:
    """Where the first line that is not blank starts."""
    inked = (text.data != LF) & (text.data != CR) if text.data[0] in {LF, CR} else np.ones(1, bool)
    if not inked.any():
        raise InputError("every line is blank", where=text.name)
    return int(inked.argmax())


def _named(text: Text, layout: Layout, options: ReadOptions) -> Layout:
    """The layout with the names in the first record, and the body after it."""
    starts = np.empty((len(layout.names), 1), np.int64)
    lengths = np.empty((len(layout.names), 1), np.int32)
    _, body = fill(text, layout, options, layout.body, starts, lengths)
    where = f"{text.name}, line {line_of(text.data, layout.body)}"
    names = [
        _name(text.data[start : start + length].tobytes(), layout, f"{where}, column {place}")
        for place, (start, length) in enumerate(zip(starts[:, 0], lengths[:, 0], strict=True), 1)
    ]
    if is_numeric_text(names):
        hint = "if the first line is data, say that there is no header (--no-header)"
        raise InputError("every column name is a number", where=where, hint=hint)
    return replace(layout, names=check_names(names, where), body=body)


def _name(cell: bytes, layout: Layout, where: str) -> str:
    """The name in a cell of the header."""
    try:
        return layout.plain(cell.decode())
    except UnicodeDecodeError:
        raise InputError("a byte that is not UTF-8", where=where, hint="name the encoding (--encoding)") from None


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
