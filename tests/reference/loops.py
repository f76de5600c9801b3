"""The loops of the compiled core in plain Python, slow and short: what C must do, byte for byte."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from kohort.io.records import BLANK, KEEP, NONE, OVERLONG, REFUSE, UNCLOSED, UNENDED

if TYPE_CHECKING:
    from collections.abc import Sequence


class Dialect(NamedTuple):
    """How a text is divided: bytes, -1 for no quote; what becomes of blank lines; the most bytes of a cell."""

    separator: int
    quote: int
    line_end: int
    blank: int
    longest: int


class Scanned(NamedTuple):
    """Where the cells of each record start and how long they are; fault, column, record, cell, next place."""

    records: list[list[tuple[int, int]]]
    told: tuple[int, int, int, int, int]


def line_end(data: bytes, at: int, end: int) -> int:
    """The bytes of the line end at a place."""
    if at >= len(data) or data[at] == end:
        return 1
    return 2 * (end == ord("\n") and data[at : at + 2] in {b"\r", b"\r\n"})


def cell_end(data: bytes, at: int, dialect: Dialect, *, quoted: bool) -> int:
    """Where the content of a cell ends."""
    marks = {dialect.quote} if quoted else {dialect.separator, dialect.quote, *b"\r\n"}
    while at < len(data) and (data[at] not in marks or (quoted and data[at : at + 2] == bytes([dialect.quote] * 2))):
        at += 2 if data[at] in marks else 1
    return at


def scan(data: bytes, at: int, dialect: Dialect, columns: int, room: int) -> Scanned:
    """The records of a text from a place on."""
    records: list[list[tuple[int, int]]] = []
    first, cell = at, at
    while len(records) < room and at < len(data):
        first = cell = at
        empty = line_end(data, at, dialect.line_end) if dialect.blank != KEEP else 0
        if empty and dialect.blank == REFUSE:
            return Scanned(records, (BLANK, 0, first, cell, at))
        if empty:
            at += empty
            continue
        record: list[tuple[int, int]] = []
        for column in range(columns):
            quoted = at < len(data) and data[at] == dialect.quote
            cell = at = at + quoted
            at = cell_end(data, at, dialect, quoted=quoted)
            if quoted and at == len(data):
                return Scanned(records, (UNCLOSED, column, first, cell, at))
            if at - cell > dialect.longest:
                return Scanned(records, (OVERLONG, column, first, cell, at))
            record.append((cell, at - cell))
            at += quoted
            if column < columns - 1:
                ended = int(data[at : at + 1] == bytes([dialect.separator]))
            else:
                ended = line_end(data, at, dialect.line_end)
            if not ended:
                return Scanned(records, (UNENDED, column, first, cell, at))
            at += ended
        records.append(record)
    return Scanned(records, (NONE, 0, first, cell, at))


def look_up(cells: Sequence[bytes], values: list[bytes], room: int, size: int) -> list[int]:
    """The code of each cell, up to one that is new and does not fit in; new values are added.

    Args:
        cells: What is coded.
        values: Those met so far.
        room: How many there may be.
        size: Bytes for all of them, a NUL byte after each.
    """
    codes: list[int] = []
    for cell in cells:
        if cell not in values:
            if len(values) == room or sum(len(value) + 1 for value in (*values, cell)) > size:
                break
            values.append(cell)
        codes.append(values.index(cell))
    return codes


def group(rows: Sequence[tuple[int, ...]], room: int) -> tuple[list[int], list[int]]:
    """The first row of each group, and the group of each row, up to a row of one too many."""
    first: list[int] = []
    of: list[int] = []
    for place, row in enumerate(rows):
        known = [rows[head] for head in first]
        if row not in known:
            if len(first) == room:
                break
            first.append(place)
            known.append(row)
        of.append(known.index(row))
    return first, of


def members(label: bytes, values: Sequence[bytes]) -> list[int] | None:
    """The codes of a set's members, none where there are no braces; `None` where it is spelled in another way."""
    if len(label) < 2 or label[:1] + label[-1:] != b"{}":
        return []
    inside = label[1:-1].split(b", ")
    codes = [values.index(one) for one in inside if one in values]
    return codes if len(codes) == len(inside) > 1 and codes == sorted(set(codes)) else None


def shared(values: Sequence[int], starts: Sequence[int], size: int) -> list[int]:
    """How many records of its group have each record's value; 0 of one that is none of so many."""
    parts = [values[start:stop] for start, stop in pairwise(starts)]
    return [part.count(value) if value < size else 0 for part in parts for value in part]


class Meaning(NamedTuple):
    """What labels stand for."""

    ranks: list[int]  # of each value
    spans: list[tuple[int, int]]  # of each label
    listed: list[list[int]]  # values, likewise


def fit(values: Sequence[int], labels: Sequence[int], meaning: Meaning) -> tuple[int, list[bool], list[bool]]:
    """How many records have a value outside of their label; which have the least, and the greatest, of a span."""
    outside, ends = 0, list[tuple[bool, bool]]()
    for value, label in zip(values, labels, strict=True):
        rank, (low, high) = meaning.ranks[value], meaning.spans[label]
        inside = low <= rank <= high
        outside += not inside and value not in meaning.listed[label]
        span = inside and 0 <= low < high
        ends.append((span and rank == low, span and rank == high))
    return outside, [low for low, _ in ends], [high for _, high in ends]


def only(bits: Sequence[bool], of: Sequence[int], groups: int) -> tuple[list[int], list[bool]]:
    """How many of each group have a bit, two standing for more; which records are the only ones of theirs."""
    count = Counter(group for bit, group in zip(bits, of, strict=True) if bit)
    return [min(count[group], 2) for group in range(groups)], [
        bit and count[group] == 1 for bit, group in zip(bits, of, strict=True)
    ]


def text(columns: Sequence[tuple[Sequence[bytes], Sequence[int]]], row: int, last: int) -> list[bytes]:
    """Each record from one to before another, as its cells one after another."""
    return [b"".join(cells[codes[each]] for cells, codes in columns) for each in range(row, last)]
