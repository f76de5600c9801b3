"""A release read back from its bytes, as text; whatever the bytes hold beside their cells is a fault.

A format can spell one table in many ways, and each freedom can carry what nobody looks for: a needless quote, a
dictionary's unused value, a note in a footer. So the bytes must be those of the plainest spelling. Parquet and IPC are
written again, and the bytes must be the same. Delimited text is read by the strict scan that reads sources too; that no
byte says more than its cell is then arithmetic. The header is compared letter by letter, and each cell is followed by
one separator or line end. So a text has at least as many bytes as

    its header + what its cells hold + two quotes for each cell that needs them + one after every cell

and needless quotes, CRs and blank lines each add some: a text of just that size has none. The one cell that needs
quotes by convention alone holds a byte order mark; a text with one (`conventional`) is written again, too.

A witness spares the scan: the records as whoever wrote the text meant them. Nothing of it is believed. Its values are
spelled here in the plainest form and compared with the text byte by byte. If all are equal, the scan would find exactly
these cells, so its table is known without it. A witness that repeats a value, claims one that no record or no text may
hold, or differs from the text anywhere is set aside, and the text is scanned. If the checks then find nothing, the text
is refused all the same: it is not what was to be written.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import os
import zlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, BinaryIO, Final, cast

import numpy as np
import polars as pl

from kohort import system
from kohort.errors import InputError, LimitError, MissingExtraError
from kohort.io.forms import Format
from kohort.io.options import ReadOptions
from kohort.io.records import RecordLayout
from kohort.io.source import GZIP, LF, Text, zstandard
from kohort.io.text import read_records
from kohort.native.library import COMPARE
from kohort.system.workspace import blocks
from kohort.tables.table import Column, Table, room_for
from kohort.tables.texts import spelled
from kohort.verify.verdict import (
    Claim,
    TableCheck,
    check_columns,
    fault,
    plain,
    reading_release,
    refuse_formulas,
    unmarked,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from kohort.io.records import Lengths
    from kohort.io.source import Bytes, Content
    from kohort.system.workspace import Workspace
    from kohort.tables.table import CellCodes
    from kohort.tables.texts import Spelled
    from kohort.verify.verdict import Witness


@dataclass(frozen=True, slots=True, eq=False)
class ReleaseContent:
    """What a file holds.

    Attributes:
        table: Its cells.
        sha256: The digest of its bytes.
        size: How many they are.
        astray: Whether the text differs from the records that were to be written, of which the claim has a witness.
    """

    table: Table
    sha256: str
    size: int
    astray: bool = False


class Digest:
    """A file that keeps nothing of what is written to it but its digest."""

    def __init__(self) -> None:
        """Nothing is written yet."""
        self._sha256 = hashlib.sha256()

    def write(self, data: bytes) -> int:
        """Take note of the bytes."""
        self._sha256.update(data)
        return len(data)

    @property
    def sha256(self) -> str:
        """The digest of what was written so far."""
        return self._sha256.hexdigest()


def read(file: BinaryIO, claim: Claim) -> ReleaseContent:
    """The release in `file`, an open file at its start, in the format that the claim names.

    Memory: the codes, 1 to 4 bytes a cell, and the distinct values; what is packed by gzip also unpacked.

    Raises:
        VerificationError: the bytes are not exactly the plain form of a table with the claimed columns.
    """
    content, form, astray = system.mapped(file), Format(claim.format).form, False
    packed = form.packing
    if form.is_text:
        trail = Trail(unpacked(content) if packed else content)
        table = delimited(trail, claim)
        sha256, astray = digest(content) if packed else trail.sha256, trail.astray
    else:
        table, sha256 = _foreign(bytes(content), claim) if form.module else _typed(file, claim), digest(content)
    bare = form.is_text and packed != "zst"  # one frame can say the same in many ways
    if (not bare or conventional(table)) and form.exact:
        _check_canonical(table, claim, sha256)
    if claim.excel_safe:
        refuse_formulas(table)
        table = unmarked(table)
    return ReleaseContent(plainly(table, claim), sha256, len(content), astray)


def contents_of(paths: Iterable[Path], claim: Claim) -> Iterator[tuple[Path, ReleaseContent]]:
    """What each of some files holds, in the format that the claim names."""
    for path in paths:
        with reading_release(), path.open("rb") as file:
            content = read(file, claim)
        yield path, content


def plainly(table: Table, claim: Claim) -> Table:
    """The table with plain numbers, where the source has others.

    Raises:
        VerificationError: a number is written otherwise than in the source.
    """
    notations = claim.notations
    columns: list[Column] = []
    for column in table.columns:
        how = notations.get(column.name)
        values = column.values if how is None else how.read(column.values)
        if how is not None and not how.write(values).equals(column.values):
            raise fault(TableCheck.BYTES, "numbers are not written as in the input", column=column.name)
        columns.append(replace(column, values=values))
    return Table(tuple(columns), table.records)


def digest(content: Content) -> str:
    """The sha256 of the bytes."""
    return hashlib.sha256(content).hexdigest()


def _typed(file: BinaryIO, claim: Claim) -> Table:
    from kohort.io.cells import as_text, encode, has_times  # noqa: PLC0415  what a typed cell is as text, as the input was read

    file.seek(0)
    try:
        lazy = pl.scan_parquet(file) if claim.format == "parquet" else pl.scan_ipc(file)
        schema = lazy.collect_schema()
        check_columns(schema.names(), claim.schema)
        for name, dtype in schema.items():
            if isinstance(dtype, pl.Categorical | pl.Enum) or dtype.is_nested() or dtype.is_object():
                raise fault(TableCheck.BYTES, "a dictionary or nested column may hold values of no record", column=name)
        columns = tuple(
            encode(name, as_text(cells, times=has_times(claim.original[name])), dtype, claim.workspace)
            for place, (name, dtype) in enumerate(schema.items())
            for cells in [lazy.select(pl.nth(place)).collect().to_series()]
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:  # whose message may quote cells
        if number := system.error_number(error):  # the system failed, not whoever wrote the file
            raise OSError(number, os.strerror(number)) from None
        raise fault(TableCheck.BYTES, f"the {claim.format} file cannot be read ({type(error).__name__})") from None
    return Table(columns, len(columns[0].codes))


def _foreign(content: bytes, claim: Claim) -> Table:
    """The table in a file of another format, read by another library than the writer's where there is one."""
    from kohort.io.foreign import unpack  # noqa: PLC0415  what a typed cell is as text, as the input was read

    try:
        table = unpack(content, claim.format, claim.original)
    except MissingExtraError:
        raise
    except Exception as error:  # noqa: BLE001  of any library, whose text may quote cells
        raise fault(TableCheck.BYTES, f"the {claim.format} file cannot be read ({type(error).__name__})") from None
    check_columns(table.names, claim.schema)
    return table


def _check_canonical(table: Table, claim: Claim, sha256: str) -> None:
    from kohort.io.write import write  # noqa: PLC0415  the writer defines the form, not what is in it

    again = Digest()
    write(table, cast("BinaryIO", again), Format(claim.format), separator=claim.separator, source=claim.original)
    if again.sha256 != sha256:
        what = "the bytes are not the plain form of their cells: a leftover value, a note, statistics, another encoding"
        raise fault(TableCheck.BYTES, what)


#: Cells may have any size that has a number; blank lines are told from their bytes.
_READING: Final = ReadOptions(skip_blank=True, max_cell=(1 << 31) - 1)

#: A byte order mark, which would vanish at the start of a file.
_BOM: Final = "\ufeff"

#: Bytes of a mapped file that are let go at once, and that stay in memory behind the scan: many of the largest pages.
_BEHIND: Final = 1 << 25


class Trail:
    """Follows the scan of a text: takes the digest of its bytes, adds up those of its cells, lets go of mapped ones.

    Attributes:
        content: The text.
        held: Bytes that the cells hold, so far.
        astray: Whether the text differs from what a witness claims.
    """

    def __init__(self, content: Content) -> None:
        """Nothing is passed yet."""
        self.content = content
        self.held = 0
        self.astray = False
        self._digest = hashlib.sha256()
        self._passed = 0
        self._gone = 0

    def follow(self, lengths: Lengths, end: int) -> None:
        """Pass the cells of a chunk of records that ends at `end`."""
        self.held += int(lengths.sum())
        self.go_to(end)

    def go_to(self, end: int) -> None:
        """Pass the bytes before `end`, those of them that are not passed yet."""
        with memoryview(self.content) as view:
            self._digest.update(view[self._passed : end])
        self._passed = max(self._passed, end)
        gone = end // _BEHIND * _BEHIND - _BEHIND
        if gone > self._gone:
            system.release_cache(self.content, self._gone, gone - self._gone)
            self._gone = gone

    @property
    def sha256(self) -> str:
        """The digest of what was passed."""
        return self._digest.hexdigest()


def delimited(trail: Trail, claim: Claim) -> Table:
    """The table in CSV or TSV; an empty cell is the empty text.

    Raises:
        VerificationError: the bytes are not the plainest form of a table with the claimed columns: UTF-8, LF line
            ends, quotes only where they must be.
    """
    separator = Format(claim.format).form.separator or claim.separator
    layout = _layout(trail.content, claim, separator)
    trail.go_to(layout.body)
    if claim.witness is not None and not claim.excel_safe:
        table = _witnessed(trail, layout, claim, claim.witness)
        if table is not None:
            return table
    try:
        text = Text.of("the release", trail.content)
        table = read_records(text, layout, _READING, trail.follow, workspace=claim.workspace)
    except (InputError, LimitError) as error:
        raise fault(TableCheck.BYTES, f"the text is not well formed: {error.what} ({error.where})") from None
    trail.go_to(len(trail.content))
    alone = len(layout.names) == 1
    quoted = sum(_quoted(column, separator, alone=alone) for column in table.columns)
    if len(trail.content) != layout.body + trail.held + 2 * quoted + len(layout.names) * table.records:
        what = "the bytes are not the plain form of their cells: other line ends, needless quotes or blank lines"
        raise fault(TableCheck.BYTES, what)
    return table


def _witnessed(trail: Trail, layout: RecordLayout, claim: Claim, witness: Witness) -> Table | None:
    """The witness's records, once the text is known to be their plainest form; `None` where they cannot be had so."""
    side_by_side = claim.workspace.side_by_side
    values = [column.written.fill_null("") for column in witness.head().columns]
    if witness.names != layout.names or not all(side_by_side(_is_distinct, values)):
        return None
    after, alone = [*chr(layout.separator) * (len(values) - 1), "\n"], len(values) == 1
    plainest: Callable[[int], Spelled] = lambda one: spelled(_plainest(values[one], layout, alone=alone), after[one])  # noqa: E731
    texts = list(side_by_side(plainest, range(len(values))))
    if not all(one.text.all() for one in texts):  # a NUL, which no text may hold
        return None
    codes = [room_for(witness.records, len(one), claim.workspace) for one in values]
    met = [np.zeros(len(one), np.uint8) for one in values]
    end = layout.body
    try:
        for end in _compared(trail.content, layout.body, witness, (texts, codes, met), claim.workspace):
            trail.go_to(end)
    except IndexError:  # a code of no value, or other bytes
        end = -1
    trail.astray = end < len(trail.content)
    if trail.astray:
        return None
    named = zip(layout.names, values, codes, strict=True)
    columns = tuple(Column(name, one, held, pl.String()) for name, one, held in named)
    return Table(columns, witness.records) if all(one.all() for one in met) else None


def _compared(
    content: Content,
    start: int,
    witness: Witness,
    columns: tuple[Sequence[Spelled], Sequence[CellCodes], Sequence[Bytes]],
    workspace: Workspace,
) -> Iterator[int]:
    """Compare a text, some records at a time, with the one that is due if a witness tells the truth.

    Args:
        content: The text that there is.
        start: Where its records begin.
        witness: What is claimed.
        columns: Of each column the distinct cells, and what follows each; written: which of them each record has, and
            1 for each cell that some record has.
        workspace: Its threads.

    Yields:
        Where the records end that are the same.

    Raises:
        IndexError: others follow, or a code of no value.
    """
    (texts, codes, met), data = columns, np.frombuffer(memoryview(content), np.uint8)
    sizes = [np.diff(text.ends) for text in texts]

    def claimed(some: slice) -> tuple[slice, int]:
        """Keep the codes of some records; how many bytes their text has."""
        found = 0
        for size, held, cells in zip(sizes, codes, witness.block(some), strict=True):
            held[some] = cells
            found += int(size.take(cells).sum())
        return some, found

    def placed() -> Iterator[tuple[slice, int, int]]:
        end = start
        for some, size in workspace.side_by_side(claimed, blocks(witness.records)):
            yield some, end, end + size
            end += size

    def compare(one: tuple[slice, int, int]) -> int:
        some, begin, end = one
        arrays = [array for text, held in zip(texts, codes, strict=True) for array in (*text, held[some])]
        records, place = some.stop - some.start, np.array([begin])
        if COMPARE(data[:end], arrays, met, 0, records, place) < records or place[0] < end:
            raise IndexError
        return end

    return workspace.side_by_side(compare, placed())


def _is_distinct(values: pl.Series) -> bool:
    """Whether no value is there twice: where no two have the same hash, which takes a third of the time, none is."""
    hashes = np.sort(values.hash().to_numpy())
    return bool((hashes[1:] != hashes[:-1]).all()) or values.n_unique() == len(values)


def _plainest(values: pl.Series, layout: RecordLayout, *, alone: bool) -> pl.Series:
    special = _special(values, chr(layout.separator), alone=alone)
    if not special.any():
        return values
    quotes = values.str.contains('"', literal=True).any()
    inside = values.str.replace_all('"', '""', literal=True) if quotes else values
    return pl.select(pl.format('"{}"', inside)).to_series().zip_with(special, values)


def conventional(table: Table) -> bool:
    """Whether some cell has to be quoted though a reader would take it without."""
    return any(column.values.str.contains(_BOM, literal=True).any() for column in table.columns)


def unpacked(content: Content) -> bytes:
    """The content of a packed text."""
    if content[:2] == GZIP:
        return inflated(content)
    try:
        unpack = zstandard().ZstdDecompressor().decompressobj()
        text: bytes = unpack.decompress(bytes(content))
    except zstandard().ZstdError:
        raise fault(TableCheck.BYTES, "the Zstandard frame is damaged") from None
    if not unpack.eof or unpack.unused_data:
        raise fault(TableCheck.BYTES, "the Zstandard frame is cut short, or another follows")
    return text


#: Of a gzip header flags, time, level and system, where it says nothing.
_NOTHING_SAID: Final = bytes([0, 0, 0, 0, 0, 0, 255])


def inflated(content: Content) -> bytes:
    """The content of one gzip member whose header says nothing, and that nothing follows."""
    if content[3:10] != _NOTHING_SAID:
        raise fault(TableCheck.BYTES, "the gzip header holds a name, a time, a comment or another note")
    inflate = zlib.decompressobj(wbits=31)
    try:
        text = inflate.decompress(content)
    except zlib.error:
        raise fault(TableCheck.BYTES, "the gzip stream is damaged") from None
    if not inflate.eof or inflate.unused_data:
        raise fault(TableCheck.BYTES, "the gzip stream is cut short, or goes on after its end")
    return text


def _layout(content: Content, claim: Claim, separator: str) -> RecordLayout:
    if content[:3] == codecs.BOM_UTF8:
        raise fault(TableCheck.BYTES, "the text starts with a byte order mark")
    if len(content) and content[-1] != LF:
        raise fault(TableCheck.BYTES, "the text does not end with a complete line")
    header = bytes(content[: content.find(b"\n") + 1])
    try:
        lines = csv.reader([header.decode(errors="replace").removesuffix("\n")], delimiter=separator)
        names = [name for line in lines for name in line]
    except csv.Error:
        raise fault(TableCheck.BYTES, "the header is not well formed") from None
    found = pl.Series(names, dtype=pl.String)
    check_columns((plain(found) if claim.excel_safe else found).to_list(), claim.schema)
    special = _special(pl.Series(names), separator, alone=False)
    cells = ('"' + name.replace('"', '""') + '"' if quote else name for name, quote in zip(names, special, strict=True))
    if (separator.join(cells) + "\n").encode() != header:
        raise fault(TableCheck.BYTES, "the header has needless quotes or another line end")
    return RecordLayout(tuple(names), ord(separator), ord('"'), LF, len(header))


def _special(values: pl.Series, separator: str, *, alone: bool) -> pl.Series:
    """Which values have to stand in quotes; where they are the only cell of a line, the empty one too."""
    special = values.str.contains_any([separator, '"', "\r", "\n", _BOM])
    return special | (values == "") if alone else special


def _quoted(column: Column, separator: str, *, alone: bool) -> int:
    special = _special(column.values, separator, alone=alone).to_numpy()
    return int(special.take(column.codes).sum()) if special.any() else 0
