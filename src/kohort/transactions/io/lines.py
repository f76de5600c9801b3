"""Basket lines: a line for each transaction, its items by their names, neither header nor quotes.

A name ends where the separator stands or whatever is below a blank, which but for tabs and line ends is refused anyway.
Names are found some thousands at a time (`kohort.native`) and coded as other cells are; what concerns names alone is
checked once for each of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.errors import InputError, LimitError
from kohort.io.dictionary import Values
from kohort.io.records import hint
from kohort.io.source import CR, LF, line_of
from kohort.native.library import SPLIT
from kohort.transactions.io.cells import UNPRINTABLE, Coded

if TYPE_CHECKING:
    from kohort.arrays import Index
    from kohort.io.records import Lengths, Starts
    from kohort.io.source import Bytes, Text

BLANK: Final = ord(" ")

#: Names that are found at once: their bounds stay in the processor's cache.
_NAMES: Final = 1 << 14

#: The bytes of a name are counted by numbers of 32 bits.
_LONGEST: Final = (1 << 31) - 1

#: Where finding names ended: at a byte that cannot stand there, or a name of too many bytes.
_FAULT: Final = 1
_OVERLONG: Final = 2

#: What no name may start or end with, or hold.
_QUOTE: Final = re.compile('^"', re.MULTILINE)
_EDGE: Final = re.compile("^ | $", re.MULTILINE)


def read_lines(text: Text, separator: str | None, max_cell: int) -> Coded:
    """The transactions in basket lines.

    Args:
        text: The lines.
        separator: Between names; runs of blanks and tabs where it is none, or a blank.
        max_cell: The most bytes of a name.

    Raises:
        InputError: the text is not well formed, or a name cannot be one.
        LimitError: a name is too long.
    """
    sign, data, longest = ord(separator or " "), text.data, min(max_cell, _LONGEST)
    line_end = _line_end(data)
    starts: Starts = np.empty(_NAMES, np.int64)
    lengths: Lengths = np.empty(_NAMES, np.int32)
    ends, told = np.empty(_NAMES, np.int64), np.zeros(3, np.int64)
    cells = np.empty(data.size // 2 + 1, np.int32)  # as many as there can be: what is not used takes no memory
    rows: list[Index] = [np.zeros(1, np.int64)]
    values, at, filled, fault = Values(), 0, 0, 0
    while at < data.size and not fault:
        at = SPLIT(data, at, sign, line_end, longest, starts, lengths, ends, told)
        names, lines, fault = told.tolist()
        rows.append(ends[:lines] + filled)
        cells[filled : filled + names] = values.code(data, starts[:names], lengths[:names])
        filled += names
    if fault == _OVERLONG:
        where = f"{text.name}, line {line_of(data, at)}"
        raise LimitError(f"a name of more than {longest} bytes", where=where, hint="is the separator right?")
    if fault == _FAULT or (sign not in {BLANK, LF, CR} and data[-1] == sign):
        raise _fault(text, at, sign)
    if data[-1] not in {LF, CR}:
        rows.append(np.array([filled]))
    return Coded(_names(text, values), np.concatenate(rows), cells[:filled])


def _line_end(data: Bytes) -> int:
    """LF where the first line ends in LF or CRLF, or where none ends; CR where it ends in CR alone."""
    found = re.compile(b"\r\n|\r|\n").search(data.data)
    return CR if found and found[0] == b"\r" else LF


def _fault(text: Text, at: int, separator: int) -> InputError:
    """What the byte at `at` means, which cannot stand there."""
    where = f"{text.name}, line {line_of(text.data, at)}"
    byte = int(text.data[at]) if at < text.data.size else LF
    ends = byte == separator or (byte in {LF, CR} and at > 0 and text.data[at - 1] == separator)
    if separator != BLANK and ends:
        hint = "two separators follow each other, or one starts or ends the line: is the separator right?"
        return InputError("an item without a name", where=where, hint=hint)
    if byte in {LF, CR}:
        return InputError("a line end unlike that of the first line", where=where, hint="correct the line")
    what = "a control character" if byte else "a NUL byte"
    return InputError(what, where=where, hint="name the encoding of the file (--encoding)")


def _names(text: Text, values: Values) -> tuple[str, ...]:
    """The names, once they are known to be fit for names, in the order in which they occurred."""

    def faulty(name: int, what: str, remedy: str) -> InputError:
        where = f"{text.name}, line {line_of(text.data, int(values.first[name]))}"
        return InputError(what, where=where, hint=remedy)

    if not values.used:
        return ()
    spelled = values.own[: values.ends[values.used] - 1].tobytes().replace(b"\0", b"\n")
    try:
        names = spelled.decode()
    except UnicodeDecodeError as error:
        encoding = hint(np.frombuffer(spelled, np.uint8), error.start)
        raise faulty(spelled.count(b"\n", 0, error.start), "a byte that is not UTF-8", encoding) from None
    kept = "basket lines have no quotes: names are kept as written; use the long form for such names"
    for pattern, what, remedy in (
        (_QUOTE, "a name that starts with a quote", kept),
        (_EDGE, "a name that starts or ends with a blank", f"remove blanks beside separators and at line ends; {kept}"),
        (UNPRINTABLE, "a name that holds control characters", kept),
    ):
        found = pattern.search(names)
        if found:
            raise faulty(names.count("\n", 0, found.start()), what, remedy)
    return tuple(names.split("\n"))
