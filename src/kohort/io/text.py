"""Delimited text to a table: cells are found on one thread and coded on others, a chunk of records behind."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from kohort import system
from kohort.errors import InputError
from kohort.io.dictionary import Dictionary
from kohort.io.header import lay_out
from kohort.io.records import fill
from kohort.io.source import CR, LF, line_of
from kohort.system.workspace import HEAP
from kohort.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from numpy.typing import NDArray

    from kohort.io.options import ReadOptions
    from kohort.io.records import Lengths, RecordLayout, Starts
    from kohort.io.source import Bytes, Text
    from kohort.system.workspace import Workspace

#: Cells of a chunk: their bounds, and the text itself, stay in the processor's cache until they are coded.
_CELLS: Final = 1 << 16

#: Records of a chunk at least: with thousands of columns, calls would cost more than the work.
_RECORDS: Final = 1 << 10

#: Cells of a chunk at most: their bounds, two chunks at a time, take 400 MB.
_MOST_CELLS: Final = 1 << 24

#: Told of each chunk of records: the bytes of its cells, between the quotes; and where the next chunk starts.
Follow: TypeAlias = "Callable[[Lengths, int], None]"


def _unfollowed(_lengths: Lengths, _end: int) -> None:
    """Follow nothing."""


def read_text(text: Text, options: ReadOptions, workspace: Workspace = HEAP) -> Table:
    """The table that `text` holds, every cell as it is written; its codes lie in the workspace.

    Raises:
        InputError: the text is not well formed; the message names the line and column where that shows.
        LimitError: a cell is too long.
    """
    return read_records(text, lay_out(text, options), options, workspace=workspace)


def read_records(
    text: Text,
    layout: RecordLayout,
    options: ReadOptions,
    follow: Follow = _unfollowed,
    *,
    workspace: Workspace = HEAP,
) -> Table:
    """The table that the records of `text` hold, divided as `layout` says.

    Args:
        text: The text.
        layout: How it is divided, and what the columns are called.
        options: What becomes of blank lines, and the most bytes of a cell.
        follow: Called after each chunk of records with the bytes of its cells and the place where it ends.
        workspace: Where the codes live.

    Raises:
        InputError: a record is not well formed.
        LimitError: a cell is too long.
    """
    dictionaries = [Dictionary(workspace) for _ in layout.names]
    records = returns = 0
    threads = system.threads()
    shares = [slice(share, None, threads) for share in range(min(threads, len(dictionaries)))]
    with ThreadPoolExecutor(threads) as others:
        work: list[Future[None]] = []
        for starts, lengths, end in _chunks(text, layout, options):
            follow(lengths, end)
            records += starts.shape[1]
            returns += _returns(text, layout, starts[-1] + lengths[-1])
            while work:  # a chunk's bounds are overwritten by the next but one: never be further behind
                work.pop().result()
            expected = records * (text.data.size - layout.body) // max(end - layout.body, 1)
            work += (
                others.submit(_code, dictionaries[some], text.data, starts[some], lengths[some], expected)
                for some in shares
            )
            if threads == 1:
                work.pop().result()
    for last in work:
        last.result()
    columns = (cells.column(text, layout, name) for cells, name in zip(dictionaries, layout.names, strict=True))
    return Table(tuple(columns), records, tuple(_noticed(text, layout, records, returns)), chr(layout.separator))


def _returns(text: Text, layout: RecordLayout, ends: Starts) -> int:
    """How many of some records end in a carriage return, by where their last cells end."""
    last = text.data.size - 1
    quoted = (ends <= last) & (text.data[np.minimum(ends, last)] == layout.quote)
    after = ends + quoted
    return int(np.count_nonzero((after <= last) & (text.data[np.minimum(after, last)] == CR)))


def _noticed(text: Text, layout: RecordLayout, records: int, returns: int) -> Iterator[str]:
    """What of the text's lines its owner may not know."""
    unended = text.data[-1] not in {LF, CR}
    if records and unended:
        yield f"{text.name} ends without a line end: the last record may be cut off"
    if records:
        yield from total_in(_last(text, layout), text.name)
    others = records - unended - returns
    if returns and others > 0 and layout.line_end == LF:
        ends = f"in CRLF ({returns:,}) and in LF ({others:,})"
        yield f"{text.name} has lines that end {ends}: were several files joined?"


#: Bytes at the end of a text in which its last record is looked for.
_TAIL: Final = 1 << 12

#: What a last record of sums is called, without its case and a colon.
_total = re.compile(
    "(?:grand )?totals?|total g[eé]n[eé]ral|totale|totali|totaal|sum|somm[ae]|suma|(?:gesamt)?summe|(?:ins)?gesamt"
).fullmatch


def total_in(cells: Iterable[str], name: str) -> Iterator[str]:
    """That the last record of a table looks like its total, if the first of its cells that is not empty says so.

    >>> [*total_in(["", "Total:", "24"], "people.csv")]
    ['people.csv ends in a record that begins with a word for a total: delete a row of totals']
    """
    first = next((text for cell in cells if (text := cell.strip())), "")
    if _total(first.rstrip(": ").casefold()):
        yield f"{name} ends in a record that begins with a word for a total: delete a row of totals"


def _last(text: Text, layout: RecordLayout) -> list[str]:
    """The cells of the last line, by its separators alone."""
    body = text.data[max(layout.body, text.data.size - _TAIL) :].tobytes()
    last = body.decode(errors="replace").rstrip("\r\n").replace("\r", "\n").rpartition("\n")[2]
    return [cell.strip(chr(max(layout.quote, ord(" ")))) for cell in last.split(chr(layout.separator))]


def records_in(text: Text, layout: RecordLayout, options: ReadOptions) -> tuple[int, tuple[str, ...]]:
    """How many records `text` holds, of which nothing is kept; and what of its lines its owner may not know.

    Raises:
        InputError: a record is not well formed.
        LimitError: a cell is too long.
    """
    records = returns = 0
    for starts, lengths, _ in _chunks(text, layout, options):
        records, returns = records + starts.shape[1], returns + _returns(text, layout, starts[-1] + lengths[-1])
    return records, tuple(_noticed(text, layout, records, returns))


class Extent(NamedTuple):
    """What a text holds, in numbers.

    Attributes:
        records: How many records.
        sizes: (columns,) the bytes of all cells of a column, without the quotes round them; those inside are doubled.
        quoted: Whether there is any quote.
        notes: What of its lines its owner may not know.
    """

    records: int
    sizes: NDArray[np.int64]
    quoted: bool
    notes: tuple[str, ...]


def extent_of(text: Text, layout: RecordLayout, options: ReadOptions) -> Extent:
    """What `text` holds, of which nothing is kept.

    Raises:
        InputError: a record is not well formed, a byte is not UTF-8 or NUL.
        LimitError: a cell is too long.
    """
    found, sizes, start, returns = 0, np.zeros(len(layout.names), np.int64), layout.body, 0
    quote, quoted = bytes([max(layout.quote, 0)]), False  # without a quote a NUL, which is refused
    for starts, lengths, end in _chunks(text, layout, options):
        content = text.data[start:end].tobytes()
        if (nul := content.find(b"\0")) >= 0:
            where = f"{text.name}, line {line_of(text.data, start + nul)}"
            raise InputError(
                "cells hold a NUL character", where=where, hint="remove the character: most programs end a text there"
            )
        try:
            content.decode()
        except UnicodeDecodeError as error:
            where = f"{text.name}, line {line_of(text.data, start + error.start)}"
            hint = "name the encoding and leave out the engine (--encoding cp1252)"
            raise InputError("a byte that is not UTF-8", where=where, hint=hint) from None
        found, start, quoted = found + starts.shape[1], end, quoted or quote in content
        returns += _returns(text, layout, starts[-1] + lengths[-1])
        sizes += lengths.sum(1, dtype=np.int64)
    return Extent(found, sizes, quoted, tuple(_noticed(text, layout, found, returns)))


def _chunks(text: Text, layout: RecordLayout, options: ReadOptions) -> Iterator[tuple[Starts, Lengths, int]]:
    """The bounds of all cells, some records at a time, in two buffers by turns; and where each chunk ends."""
    columns = len(layout.names)
    most = 1 + (text.data.size - layout.body) // columns  # a cell ends with a byte
    shape = columns, min(max(_CELLS // columns, min(_RECORDS, _MOST_CELLS // columns), 1), most)
    buffers = cycle([(np.empty(shape, np.int64), np.empty(shape, np.int32)) for _ in range(2)])
    at = layout.body
    while at < text.data.size:
        starts, lengths = next(buffers)
        records, at = fill(text, layout, options, at, starts, lengths)
        yield starts[:, :records], lengths[:, :records], at


def _code(dictionaries: Sequence[Dictionary], data: Bytes, starts: Starts, lengths: Lengths, expected: int) -> None:
    for cells, first, sizes in zip(dictionaries, starts, lengths, strict=True):
        cells.add(data, first, sizes, expected)
