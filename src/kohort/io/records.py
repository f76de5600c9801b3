"""One pass over delimited text that proves it well formed and finds the bounds of every cell; and what is at fault.

By RFC 4180 with nothing forgiven: every record has as many cells as the first one, a quote occurs only in a quoted cell
and is doubled there, and nothing but a separator or a line end follows a closing quote. The loop is compiled
(`kohort.native`) and looks for marks in 64 bytes at a time.

Of bytes that are not UTF-8 a message names the likely encoding; nothing is ever decoded by a guess.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from kohort.errors import InputError, KohortError, LimitError
from kohort.io.source import CR, LF, line_of
from kohort.native.library import SCAN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.io.options import ReadOptions
    from kohort.io.source import Bytes, Text

#: First byte of every cell, as an offset into the text: (columns, records), int64.
Starts: TypeAlias = NDArray[np.int64]

#: Bytes of every cell, without the quotes round it: (columns, records), int32.
Lengths: TypeAlias = NDArray[np.int32]

#: Where a scan ended: (5,) int64 of the kind of fault, column, first byte of the record, first byte of the cell, and
#: the place where the next record starts; after a fault, the byte that shows it.
Fault: TypeAlias = NDArray[np.int64]

#: Kinds of fault.
NONE: Final = 0
UNENDED: Final = 1  # the cell does not end as a cell of its column ends
UNCLOSED: Final = 2  # a quoted cell that the text's end cuts off
OVERLONG: Final = 3  # a cell of more bytes than allowed
BLANK: Final = 4  # a line without any byte

#: What becomes of a line without any byte.
KEEP: Final = 0  # it is a record of one empty cell
REFUSE: Final = 1
SKIP: Final = 2


def line_end_at(data: Bytes, at: int, line_end: int) -> int:
    """The bytes of the line end at `at`, 0 if there is none; the text's end is one, also between CR and LF."""
    if at >= data.size or data[at] == line_end:
        return 1
    if data[at] == CR and line_end == LF and (at + 1 == data.size or data[at + 1] == LF):
        return 2
    return 0


def scan(  # noqa: PLR0917  the core's own order
    data: Bytes,
    at: int,
    separator: int,
    quote: int,
    line_end: int,
    blank: int,
    longest: int,
    starts: Starts,
    lengths: Lengths,
    fault: Fault,
) -> int:
    """Fill `starts` and `lengths` with the records from `at` on, until they are full, the text ends or is at fault.

    Args:
        data: The text.
        at: Where a record starts.
        separator: The byte between cells.
        quote: The byte round cells; -1 where there is no quoting.
        line_end: LF where lines end in LF or CRLF, CR where they end in CR alone.
        blank: KEEP, REFUSE or SKIP.
        longest: The most bytes of a cell.
        starts: Written: where cells start.
        lengths: Written: their bytes, doubled quotes counted twice.
        fault: Written: where it ended, and whether at a fault.

    Returns:
        The records found.
    """
    return SCAN(data, at, separator, quote, line_end, blank, longest, starts, lengths, len(starts), fault)


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
        return InputError("a blank line", where=line, hint="remove the line, or skip blank lines (--skip-blank)")
    if kind == UNCLOSED:
        return InputError("a quoted cell that is never closed", where=where, hint="the quote opens on this line")
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
        return "a line end unlike that of the first line", "put the cell in quotes, or correct the line"
    if not ends and mark != layout.separator:
        return "text after the closing quote of a cell", "double the quotes inside a cell"
    cells, end = measure(text.data, record, layout.separator, layout.quote)
    what = f"a record of {cells} cell{'s' * (cells != 1)} where the first line has {len(layout.names)}"
    return what, "the text ends here: was it cut short?" if end == text.data.size else "is the separator right?"


#: The encodings that are looked at; of two as likely, the one that is named first.
KNOWN: Final = ("cp1252", "cp1250", "cp1251", "cp1253", "mac_roman", "cp850", "shift_jis", "euc_kr", "gb18030")

#: Bytes before and behind the first one that is not ASCII, by which an encoding is judged.
_BEFORE, _BEHIND = 64, 1 << 16

#: The least score of an encoding that is named: three of four letters fit.
_SURE: Final = 0.5

#: The scripts of letters, by the first word of their names; others are judged alike.
_SCRIPTS: Final = ("LATIN", "CYRILLIC", "GREEK", "CJK", "HIRAGANA", "KATAKANA", "HANGUL")


def likely(data: Bytes, at: int) -> str:
    r"""The encoding in which the bytes from the odd one at `at` look most like words; empty where none does.

    >>> import numpy as np
    >>> text = "name\nPérez\nMüller\n".encode("cp1252")
    >>> likely(np.frombuffer(text, np.uint8), 6)
    'cp1252'
    """
    sample = data[max(at - _BEFORE, 0) : at + _BEHIND].tobytes()
    sample = sample[sample.find(b"\n") + 1 :] if b"\n" in sample[: min(at, _BEFORE)] else sample
    scores = {name: _score(sample, name) for name in KNOWN}
    best = max(KNOWN, key=scores.__getitem__)
    return best if scores[best] > _SURE else ""


def hint(data: Bytes, at: int) -> str:
    """What to do about a byte that is not UTF-8."""
    found = likely(data, at)
    return f"name the encoding: likely --encoding {found}" if found else "name the encoding (--encoding)"


def _score(sample: bytes, encoding: str) -> float:
    """How much the letters beyond ASCII are like letters of words: the share that is, less the share that is not."""
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError as error:
        if len(sample) - error.start > 3:  # noqa: PLR2004  the sample may end within a character
            return -1
        text = sample[: error.start].decode(encoding)
    marks = [*_fits(text)]
    return sum(marks) / len(marks) if marks else 0


def _fits(text: str) -> Iterator[int]:
    """For each character beyond ASCII, 1 if it fits between its neighbours, -1 if it does not."""
    for before, letter, behind in zip(f" {text}", text, f"{text[1:]} ", strict=False):
        if letter.isascii():
            continue
        if not letter.isalpha():
            yield -1
            continue
        script = _script(letter)
        alike = all(_script(one) == script for one in (before, behind) if one.isalpha())
        yield 1 if alike and not (letter.isupper() and before.islower()) else -1


def _script(letter: str) -> str:
    """The script of a letter; of kanji, kana and kindred ones one for all."""
    name = unicodedata.name(letter, "").partition(" ")[0]
    return "CJK" if name in _SCRIPTS[3:] else name
