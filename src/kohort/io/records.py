"""Records of delimited text, and what is said of a text whose records are not well formed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from kohort.errors import InputError, KohortError, LimitError
from kohort.io.scan import BLANK, KEEP, NONE, OVERLONG, REFUSE, SKIP, UNCLOSED, line_end_at, scan
from kohort.io.source import CR, LF, line_of

if TYPE_CHECKING:
    from kohort.io.options import ReadOptions
    from kohort.io.scan import Fault, Lengths, Starts
    from kohort.io.source import Bytes, Text


@dataclass(frozen=True, slots=True)
class RecordLayout:
    """How a text is divided.

    Attributes:
        names: The columns.
        separator: The byte between cells.
        quote: The byte round cells; -1 where there is no quoting.
        line_end: LF where lines end in LF or CRLF, CR where they end in CR alone.
        body: Where the first record after the header starts.
    """

    names: tuple[str, ...]
    separator: int
    quote: int
    line_end: int
    body: int

    def plain(self, cells: str) -> str:
        """The text of cells as they are written: quotes are doubled inside them."""
        sign = chr(max(self.quote, 0))
        return cells.replace(sign + sign, sign) if self.quote >= 0 else cells


def measure(data: Bytes, at: int, separator: int, quote: int) -> tuple[int, int]:
    r"""How many cells the record at `at` has, and where its line ends; well formed or not.

    >>> measure(np.frombuffer(b'7,"a,b"\n8,c', np.uint8), 0, ord(","), ord('"'))
    (2, 7)
    """
    mark = re.escape(bytes([separator]))
    cell = b"[^" + mark + b"\r\n]*+"
    if quote >= 0:
        sign = re.escape(bytes([quote]))
        inner = b"[^" + sign + b"]*+"
        cell = b"(?:" + sign + inner + b"(?:" + sign + sign + inner + b")*+(?:" + sign + rb"|\Z))?" + cell
    match = re.compile(cell).match
    cells = 1
    while True:
        end = cast("re.Match[bytes]", match(data.data, at)).end()
        if end == data.size or data[end] != separator:
            return cells, end
        cells, at = cells + 1, end + 1


def fill(  # noqa: PLR0917  the scan's own order
    text: Text, layout: RecordLayout, options: ReadOptions, at: int, starts: Starts, lengths: Lengths
) -> tuple[int, int]:
    """Find the bounds of the cells of the records from `at` on; blank lines at the text's end are none.

    Args:
        text: The text.
        layout: How it is divided.
        options: What becomes of blank lines, and the most bytes of a cell.
        at: Where a record starts.
        starts: Written: where cells start.
        lengths: Written: their bytes.

    Returns:
        The records found, at most as many as fit, and where the next one starts.

    Raises:
        InputError: a record is not well formed.
        LimitError: a cell is too long.
    """
    blank = SKIP if options.skip_blank else KEEP if len(layout.names) == 1 else REFUSE
    fault: Fault = np.empty(5, np.int64)
    dialect = layout.separator, layout.quote, layout.line_end
    records = scan(text.data, at, *dialect, blank, options.max_cell, starts, lengths, fault)
    at = int(fault[4])
    if fault[0] == BLANK and _is_blank(text.data[at:]):
        return records, text.data.size
    if fault[0] != NONE:
        raise _error(text, layout, options, at, fault)
    return records, at


def _is_blank(data: Bytes) -> bool:
    return bool(((data == LF) | (data == CR)).all())


def _error(text: Text, layout: RecordLayout, options: ReadOptions, at: int, fault: Fault) -> KohortError:
    kind, column, record, cell, _ = fault.tolist()
    line = f"{text.name}, line {line_of(text.data, cell)}"
    where = f"{line}, column {layout.names[column]!r}"
    if kind == BLANK:
        return InputError("a blank line", where=line, hint="remove it; those of a table can be skipped (--skip-blank)")
    if kind == UNCLOSED:
        return InputError("a quoted cell that is never closed", where=where, hint="it opens on this line")
    if kind == OVERLONG:
        what = f"a cell of more than {options.max_cell} bytes"
        return LimitError(what, where=where, hint="is a closing quote missing?")
    what, hint = _unended(text, layout, at, record)
    return InputError(what, where=where, hint=hint)


def _unended(text: Text, layout: RecordLayout, at: int, record: int) -> tuple[str, str]:
    """What the byte at `at` means, which should end a cell, and a hint."""
    ends = line_end_at(text.data, at, layout.line_end) > 0
    mark = layout.line_end if ends else int(text.data[at])
    if mark == layout.quote:
        return "a quote inside a cell that is not quoted", "put the cell in quotes and double those inside it"
    if not ends and mark in {LF, CR}:
        return "a line end unlike that of the first line", "put the cell in quotes, or mend the line"
    if not ends and mark != layout.separator:
        return "text after the closing quote of a cell", "double the quotes inside a cell"
    cells, end = measure(text.data, record, layout.separator, layout.quote)
    what = f"a record of {cells} cell{'s' * (cells != 1)} where the first line has {len(layout.names)}"
    return what, "the text ends here: was it cut short?" if end == text.data.size else "is the separator right?"
