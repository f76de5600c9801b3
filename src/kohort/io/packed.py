"""What Parquet and Arrow files ask of a library, told from their descriptions before it reads them.

A few bytes stand for a billion records or for gigabytes of zeros, and types within types end the process that takes
them apart. Where a description is untrue, the library finds out: it then refuses the file.
"""

from __future__ import annotations

import os
import struct
from typing import Any, BinaryIO, Final

from kohort.errors import InputError, LimitError

#: Bytes that a table may take whatever its file's size: ten million sorted records of eight columns are 140 KB.
#: And how many for each byte of the file: sorted releases with a sensitive column stay below.
_HARMLESS, _RATIO = 640 << 20, 1_000

#: What a record takes besides its cells, and what a cell takes.
_RECORD, _CELL = 32, 4

#: Columns of a usual table: of so many, no more than one is unpacked at a time.
_USUAL: Final = 8

#: The kind of a page that has the values of a column, and bytes of one that count for nothing in each cell.
_DICTIONARY, _LONG = 2, 256

#: Types within types at most; a list of lists has three.
_DEEPEST: Final = 64

#: Bytes of a description at most, if it is more than an eighth of the file: that of 65,536 columns has ten million.
_DESCRIBED: Final = 1 << 24

#: Bytes in which the head of a page stands, nearly always and at most.
_PAGES: Final = (1 << 9, 1 << 20)

#: Columns, types, groups of records and pages of a file at most.
_LONGEST: Final = 1 << 18

#: Kinds of values in Thrift, the bytes of those that always have as many, and the last byte of a number at most.
_TEXT, _STRUCT, _MORE = 8, 12, 127
_FIXED: Final = {1: 0, 2: 0, 3: 1, 7: 8}

#: What is raised where a description is none.
_DAMAGED: Final = (
    ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError, struct.error,
)  # fmt: skip


def refuse_bytes(due: int, size: int, where: str) -> None:
    """Refuse a table that takes so many bytes of memory, of a file of some size.

    Raises:
        LimitError: these are more than a table takes.
    """
    if due > max(_HARMLESS, _RATIO * size):
        what = f"the table takes {due >> 20:,} MiB of memory, but the file only {size:,} bytes"
        raise LimitError(what, where=where, hint="if the table is yours, save it as CSV")


#: What is wrong with a file that ends before what it says of itself.
_SHORT: Final = "the file is damaged: some of it is missing"


def described(file: BinaryIO, form: str, where: str) -> int:
    """The bytes of memory that the table in a `Parquet` or `Arrow` file takes, if its types end no library.

    Raises:
        LimitError: there are too many within one another, or what describes them is too long.
        InputError: what describes them is damaged.
    """
    size, end = file.seek(0, os.SEEK_END), 8 if form == "Parquet" else 10
    if size < end:
        raise InputError(_SHORT, where=where)
    file.seek(size - end)
    (length,) = struct.unpack("<I", file.read(4))
    if length > size:
        raise InputError(_SHORT, where=where)
    if length > max(_DESCRIBED, size // 8):
        raise LimitError(f"{length:,} bytes describe the columns", where=where, hint="save the table as CSV")
    file.seek(max(size - end - length, 0))
    told = file.read(length)
    try:
        if form == "Arrow":
            deepest, due = _deepest_field(told), _batches(file, told)
        else:
            fields = _struct(told, 0)[0]
            deepest, due = _deepest_element(fields[2]), _pages(file, fields.get(4, []), size)
    except _DAMAGED as error:
        what = f"the {form} file is damaged: nothing tells its columns ({type(error).__name__})"
        raise InputError(what, where=where) from None
    if deepest > _DEEPEST:
        what = f"a column has more than {_DEEPEST} types within one another"
        raise LimitError(what, where=where, hint="leave out such columns")
    return due


# ── Parquet: structures of Thrift, in its compact form ───────────────────────────────────────────


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of any length without its sign, and where the next part begins."""
    number = shift = 0
    while (byte := data[at]) > _MORE:
        number |= (byte & _MORE) << shift
        shift, at = shift + 7, at + 1
    return number | byte << shift, at + 1


def _value(kind: int, data: bytes, at: int) -> tuple[Any, int]:
    """A value of some kind, and where the next part begins."""
    if kind in {4, 5, 6}:  # whole numbers
        number, at = _number(data, at)
        return number >> 1 ^ -(number & 1), at
    if kind == _TEXT:
        length, at = _number(data, at)
        return data[at : at + length], at + length
    if kind == _STRUCT:
        return _struct(data, at)
    return _list(data, at) if kind in {9, 10} else (0, at + _FIXED[kind])


def _list(data: bytes, at: int) -> tuple[list[Any], int]:
    count, kind = data[at] >> 4, data[at] & 15
    at += 1
    if count == 15:  # noqa: PLR2004  then it stands behind
        count, at = _number(data, at)
    if count > _LONGEST:
        raise ValueError(count)
    found: list[Any] = []
    for _ in range(count):
        one, at = (0, at + 1) if kind in {1, 2} else _value(kind, data, at)
        found.append(one)
    return found, at


def _struct(data: bytes, at: int) -> tuple[dict[int, Any], int]:
    """The fields of a structure by their numbers."""
    found: dict[int, Any] = {}
    number = 0
    while head := data[at]:
        at += 1
        if head >> 4:
            number += head >> 4
        else:
            number, at = _value(5, data, at)
        found[number], at = _value(head & 15, data, at)
    return found, at + 1


def _deepest_element(elements: list[dict[int, Any]]) -> int:
    """How many types a column has within one another; each element says how many of the next ones are in it."""
    open_: list[int] = []
    deepest = 0
    for one in elements:
        while open_ and not open_[-1]:
            open_.pop()
        if open_:
            open_[-1] -= 1
        open_.append(one.get(5, 0))
        deepest = max(deepest, len(open_) - 1)
    return deepest


def _pages(file: BinaryIO, groups: list[dict[int, Any]], size: int) -> int:
    """The bytes that records, cells and all pages take; each byte of the file is in one page."""
    due = walked = 0
    for group in groups:
        chunks: list[dict[int, Any]] = [one[3] for one in group[1]]
        cells = [one[5] for one in chunks]
        due += _RECORD * max(cells, default=0) + _CELL * sum(cells)
        for one in chunks:
            at = min(one[9], one.get(11) or one[9])
            end, walked = at + one[7], walked + one[7]
            if min(at, one[5], one[7]) < 0 or walked > size:
                raise ValueError(walked)
            while at < end:
                page, length = _head(file, at)
                if min(page[2], page[3]) < 0:
                    raise ValueError(page[2])
                longer = page[2] // max(page[7][1], 1) - _LONG if page[1] == _DICTIONARY else 0
                due += page[2] + max(longer, 0) * one[5]  # each cell is one of the dictionary's
                at += length + page[3]
    return due


def _head(file: BinaryIO, at: int) -> tuple[dict[int, Any], int]:
    file.seek(at)
    head = file.read(_PAGES[0])
    try:
        return _struct(head, 0)
    except LookupError:
        return _struct(head + file.read(_PAGES[1]), 0)


# ── Arrow: tables of Flatbuffers ─────────────────────────────────────────────────────────────────


def _deepest_field(footer: bytes) -> int:
    """How many types a column has within one another, and more than the deepest where they branch without end."""
    schema = _entry(footer, _pointed(footer, 0), 1)
    level, deepest = _vector(footer, _entry(footer, schema, 1)), 0
    while level and deepest <= _DEEPEST:
        level = [child for one in level if (at := _entry(footer, one, 5)) for child in _vector(footer, at)]
        if len(level) > len(footer):
            raise ValueError(len(level))
        deepest += 1
    return deepest


def _batches(file: BinaryIO, footer: bytes) -> int:
    """The bytes that records, cells and what is packed take."""
    due = 0
    for field in (2, 3):  # dictionaries, records
        start = _entry(footer, _pointed(footer, 0), field)
        for place in range(start + 4, start + 4 + 24 * _length(footer, start), 24):
            offset, length = struct.unpack_from("<qi", footer, place)
            file.seek(offset + 8)
            message = file.read(length)
            batch = _entry(message, _pointed(message, 0), 2)
            batch = _entry(message, batch, 1) if field == 2 else batch  # noqa: PLR2004  which a dictionary is one of
            due += _batch(file, message, batch, offset + length)
    return due


def _batch(file: BinaryIO, message: bytes, batch: int, body: int) -> int:
    """The same of some records, whose buffers are packed if anything says how, and are read column by column."""
    nodes, buffers = _entry(message, batch, 1), _entry(message, batch, 2)
    columns, unpacked = _length(message, nodes), 0
    starts = range(nodes + 4, nodes + 4 + 16 * columns, 16)
    cells: list[int] = [struct.unpack_from("<q", message, place)[0] for place in starts]  # the items of lists, too
    packed = _length(message, buffers) if _entry(message, batch, 3) else 0
    for place in range(buffers + 4, buffers + 4 + 16 * packed, 16):
        offset, length = struct.unpack_from("<qq", message, place)
        if length > 0:
            file.seek(body + offset)
            unpacked += max(struct.unpack("<q", file.read(8))[0], 0)
    due = _RECORD * max(cells, default=0) + _CELL * sum(max(one, 0) for one in cells)
    return max(due, unpacked // max(min(columns, _USUAL), 1))


def _length(data: bytes, at: int) -> int:
    """How long the list at a place is; where there is no place, there is no list."""
    return int(struct.unpack_from("<I", data, at)[0]) if at else 0


def _pointed(data: bytes, at: int) -> int:
    return at + int(struct.unpack_from("<I", data, at)[0])


def _entry(data: bytes, table: int, field: int) -> int:
    """Where a field of a table points to; 0 where it has none."""
    listed = table - int(struct.unpack_from("<i", data, table)[0])
    size, place = struct.unpack_from("<H", data, listed)[0], 4 + 2 * field
    offset = struct.unpack_from("<H", data, listed + place)[0] if place < size else 0
    return _pointed(data, table + offset) if offset else 0


def _vector(data: bytes, at: int) -> list[int]:
    """Where the tables of a list are."""
    return [_pointed(data, place) for place in range(at + 4, at + 4 + 4 * _length(data, at), 4)]
