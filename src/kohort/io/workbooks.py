"""What a workbook may ask of its reader, looked at before that gets it: sizes, names of parts, and places of cells.

The reader of workbooks sets memory aside for every cell between the first and the last that hold something, and ends
the process where there is none. The parts are read here a piece at a time; what they hold is left to the reader.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.errors import InputError, LimitError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from kohort.arrays import Mask

#: What a sheet of Excel holds at most.
ROWS, COLUMNS = 1_048_576, 16_384

#: Bytes of an unpacked workbook at most, how many one packed byte may become (sheets reach 30), and what does no harm.
_MOST, _RATIO, _HARMLESS = 1 << 32, 200, 1 << 25

#: Bytes of a part that are looked at together, and of a tag or a text within it at most.
_PIECE, _LONGEST = 1 << 20, 1 << 24

#: How parts may be packed: stored or deflated, as every program does.
_PACKED_BY: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})

#: Cells that may always lie between the first and the last, and how many for each that holds something.
_ROOM, _SPARSE = 1 << 22, 16

#: Empty columns and rows that may always lie among the others; more stand before a cell that was left far away.
_GAPS: Final = (100, 1_000)

#: Parts of a workbook by which its reader finds the sheets.
_LISTS: Final = ("_rels/.rels", "xl/workbook.xml", "xl/_rels/workbook.xml.rels")

#: Attributes of a tag but for `r`; a tag with two of that, or with anything else, is no cell's.
_OTHERS: Final = rb"""(?:\s+(?!r\s*=)[\w:.-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'))*+"""

#: A cell: the letters and digits of its place, where that is said, and how its tag ends; or what is no proper cell.
_CELL: Final = re.compile(
    rb"<(?:\w+:)?c(?=[\s/>])(?:"
    + _OTHERS
    + rb"""(?:\s+r\s*=\s*["']([A-Z]{1,3})([1-9][0-9]{0,6})["'])?+"""
    + _OTHERS
    + rb"\s*+(/>|></|>)|())"
)

#: A row, with its number where that is said, or a cell.
_ROW_OR_CELL: Final = re.compile(rb"""<(?:\w+:)?(?:(row)(?=[\s/>])(?:[^<>]*?\sr\s*=\s*["']([0-9]+)["'])?|c[\s/>])""")

#: Cells that show an error, formulas whose value nobody computed, and merged cells.
_FAULTY: Final = (
    (rb'<c [^<>]*\bt="e"', "cells hold errors, such as #N/A", "repair or empty them"),
    (
        rb"(?:</f>|<f [^<>]*/>)(?:<v></v>|<v ?/>)?</c>",
        "formulas have no value yet",
        "open the file in Excel and save it",
    ),
    (rb"<mergeCell ", "groups of cells are merged", "unmerge them, so that each record has its own cells"),
)

#: A row or a cell of an OpenDocument sheet, and what its tag says.
_TABLED: Final = re.compile(rb"<table:(table|table-row|(?:covered-)?table-cell)(?=[\s/>])([^<>]*)>")
_REPEATED: Final = re.compile(rb"""table:number-(?:rows|columns)-repeated\s*=\s*["']([0-9]*)["']""")
_BLANKS: Final = re.compile(rb"""\stext:c\s*=\s*["'][0-9]{5}""")


def refuse_bomb(path: str) -> None:
    """Refuse a workbook that unpacks to more than a table would, or that readers could take for another.

    Raises:
        LimitError: it unpacks to too much.
        InputError: it is no workbook, or two of its parts have one name.
    """
    with _opened(path) as book:
        parts = book.infolist()
        packed, unpacked = (sum(getattr(one, size) for one in parts) for size in ("compress_size", "file_size"))
        names = {one.filename.replace("\\", "/").casefold() for one in parts}
        if len(names) < len(parts) or len({one.header_offset for one in parts}) < len(parts):
            raise InputError("two parts of the workbook have one name or one place", where=path, hint=_AGAIN)
        if book.comment or any(one.flag_bits & 1 or one.compress_type not in _PACKED_BY for one in parts):
            raise InputError("the workbook is encrypted, or packed as no program does", where=path, hint=_AGAIN)
    if unpacked > max(min(_MOST, _RATIO * packed), _HARMLESS):
        raise LimitError(f"the workbook unpacks to {unpacked:,} bytes", where=path, hint="save the sheet as CSV")


#: What helps with a file that no program wrote.
_AGAIN: Final = "open the file in Excel or LibreOffice and save it again, or save the sheet as CSV"


@contextmanager
def _opened(path: str) -> Generator[zipfile.ZipFile]:
    """The parts of a workbook."""
    try:
        with zipfile.ZipFile(path) as book:
            yield book
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError) as error:
        raise InputError(f"the workbook is damaged or cut short ({type(error).__name__})", where=path) from None


def _pieces(book: zipfile.ZipFile, name: str, where: str) -> Iterator[bytes]:
    """A part, some tags at a time: cut before a cell, or where none is near, before another tag.

    Raises:
        InputError: it declares a type of document, whose entities could grow without end.
        LimitError: a tag or a text is longer than a cell may be.
    """
    rest = b""
    with book.open(name) as part:
        while piece := part.read(_PIECE):
            rest += piece
            cut = rest.rfind(b"<c ")
            cut = cut if cut > len(rest) - _PIECE else rest.rfind(b"<")
            if len(rest) - max(cut, 0) > _LONGEST:
                raise LimitError(f"a tag or a text of more than {_LONGEST:,} bytes", where=where)
            if b"<!DOCTYPE" in rest:
                raise InputError("the sheet declares entities", where=where, hint="save the sheet as CSV")
            if cut > 0:
                yield rest[:cut]
                rest = rest[cut:]
    yield rest


def refuse_cells(path: str, names: Sequence[str], name: str) -> None:
    """Refuse a sheet with cells that have no value of their own, or that lie where no table has them.

    Raises:
        InputError: there are some, or one stands far from the others.
        LimitError: too few of the cells between the first and the last hold something.
    """
    where = f"{path}, sheet {name!r}"
    found, extent = [0] * len(_FAULTY), Extent()
    with _opened(path) as book:
        sheets = sheet_parts(book)
        if len(sheets) != len(names) or not {*sheets} <= {*book.namelist()}:
            raise InputError("the workbook is damaged: it does not say where its sheet is", where=path)
        for part in {*book.namelist()} - {*sheets}:
            for piece in _pieces(book, part, where) if part.endswith((".xml", ".rels")) else ():
                if part in _LISTS and b"<!--" in piece:
                    raise InputError("the workbook's list of sheets holds comments", where=path, hint=_AGAIN)
        for piece in _pieces(book, sheets[names.index(name)], where):
            found = [
                before + len(re.findall(pattern, piece)) for before, (pattern, *_) in zip(found, _FAULTY, strict=True)
            ]
            extent.add(piece, where)
    for count, (_, what, hint) in zip(found, _FAULTY, strict=True):
        if count:
            raise InputError(f"{count:,} {what}", where=where, hint=hint)
    extent.refuse(where)


def _no_mask(size: int) -> Mask:
    return np.zeros(size + 1, np.bool_)


@dataclass(slots=True, eq=False)
class Extent:
    """Where the cells of a sheet lie that hold something.

    Attributes:
        columns: (COLUMNS + 1,) whether a column has such a cell.
        rows: (ROWS + 1,) whether a row has.
        cells: How many there are.
        last: The cells in the last column and in the last row.
        implied: How many columns and rows may follow from cells that do not say where they are.
        run: Such cells of a row so far.
    """

    columns: Mask = field(default_factory=lambda: _no_mask(COLUMNS))
    rows: Mask = field(default_factory=lambda: _no_mask(ROWS))
    cells: int = 0
    last: list[str] = field(default_factory=lambda: ["", ""])
    implied: list[int] = field(default_factory=lambda: [0, 0])
    run: int = 0

    def add(self, piece: bytes, where: str) -> None:
        """Look at the cells of a piece of the sheet.

        Raises:
            InputError: a cell is written as no program does, or stands where no sheet has one.
        """
        found = _CELL.findall(piece)
        filled = [(letters, digits) for letters, digits, end, _ in found if end == b">" and digits]
        odd = sum(not end for *_, end, _ in found)
        numbers = {letters: column_number(letters) for letters in {letters for letters, _ in filled}}
        rows = np.array([digits for _, digits in filled], "S7").astype(np.int64)
        if odd or max(numbers.values(), default=0) > COLUMNS or (rows.size and rows.max() > ROWS):
            what = "a cell has a reference that no sheet has, or its tag is none of a cell"
            raise InputError(what, where=where, hint=_AGAIN)
        self.cells += len(filled)
        if filled:
            furthest = max(numbers, key=numbers.__getitem__)
            if numbers[furthest] > _last(self.columns):
                self.last[0] = next(f"{one.decode()}{row.decode()}" for one, row in filled if one == furthest)
            if rows.max() > _last(self.rows):
                self.last[1] = b"".join(filled[int(rows.argmax())]).decode()
            self.columns[[*numbers.values()]] = True
            self.rows[rows] = True
        if any(end == b">" and not digits for _, digits, end, _ in found):
            self._imply(piece, where)

    def _imply(self, piece: bytes, where: str) -> None:
        """Count cells and rows that do not say where they are: each follows the one before."""
        for row, number in _ROW_OR_CELL.findall(piece):
            self.run = 0 if row else self.run + 1
            self.cells += not row
            self.implied[0] = max(self.implied[0], self.run)
            self.implied[1] = max(self.implied[1] + bool(row), int(number[:9] or 0))
        if self.implied[0] > COLUMNS or self.implied[1] > ROWS:
            raise InputError("the sheet has more rows or columns than Excel holds", where=where, hint=_AGAIN)

    def refuse(self, where: str) -> None:
        """Refuse a sheet most of which is empty.

        Raises:
            InputError: a cell stands far from the others.
            LimitError: too few of the cells between the first and the last hold something.
        """
        sides = [_last(self.columns), _last(self.rows)]
        kinds = zip(("columns", "rows"), sides, (self.columns, self.rows), self.last, _GAPS, strict=True)
        for kind, side, seen, last, gap in kinds:
            empty, used = side - int(np.count_nonzero(seen)), int(np.count_nonzero(seen))
            if empty > max(gap, used) and not any(self.implied):
                what = f"the cell {last} stands far from the others: {empty:,} {kind} before it are empty"
                raise InputError(what, where=where, hint="delete it, or move what belongs to the table next to it")
        area = (sides[0] + self.implied[0]) * (sides[1] + self.implied[1])
        if area > max(_ROOM, _SPARSE * self.cells):
            what = f"of {area:,} cells between the first and the last, {self.cells:,} hold something"
            raise LimitError(what, where=where, hint="save the sheet as CSV")


def _last(seen: Mask) -> int:
    """The last place of which something was seen; 0 where there is none."""
    return int(np.flatnonzero(seen)[-1]) if seen.any() else 0


def column_number(letters: bytes) -> int:
    """The number of a column.

    >>> column_number(b"A"), column_number(b"XFD")
    (1, 16384)
    """
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number


def sheet_parts(book: zipfile.ZipFile) -> list[str]:
    """The parts of a workbook that hold its sheets, in their order; none where it does not say so."""
    try:
        top, listed, related = (book.read(name) for name in _LISTS)
    except KeyError:
        return []
    if [len(re.findall(one, top)) for one in (rb'"[^"]*/officeDocument"', rb'"/?xl/workbook[.]xml"')] != [1, 1]:
        return []
    targets = {
        named[1]: target[1].decode(errors="replace")
        for one in re.findall(rb"<(?:\w+:)?Relationship ([^<>]*)>", related)
        if (named := re.search(rb'\bId="([^"]+)"', one)) and (target := re.search(rb'\bTarget="([^"]+)"', one))
    }
    paths = [targets.get(one, "") for one in re.findall(rb'<(?:\w+:)?sheet [^<>]*r:id="([^"<>]+)"', listed)]
    return [one.removeprefix("/") if one.startswith(("/", "xl/")) else f"xl/{one}" for one in paths]


def refuse_repeats(path: str) -> None:
    """Refuse an OpenDocument file that repeats cells beyond what a table could hold.

    Raises:
        LimitError: it does.
        InputError: it is damaged.
    """
    with _opened(path) as book:
        if "content.xml" not in book.namelist():
            raise InputError("the workbook is damaged: it has no content", where=path)
        room = _Room(path)
        for piece in _pieces(book, "content.xml", path):
            if _BLANKS.search(piece):
                raise room.error()
            for kind, said in _TABLED.findall(piece):
                room.add(kind, said)


@dataclass(slots=True, eq=False)
class _Room:
    """What the sheets of an OpenDocument file take, were each as wide as its widest row.

    Attributes:
        path: The file.
        before: The cells of the sheets before this one.
        rows: The rows of this sheet so far.
        widest: The cells of its widest row.
        width: The cells of this row so far.
        again: This row, as often as it stands there, and the empty ones before it.
        tags: The cells that are written out.
    """

    path: str
    before: int = 0
    rows: int = 0
    widest: int = 0
    width: int = 0
    again: int = 0
    tags: int = 0

    def add(self, kind: bytes, said: bytes) -> None:
        """Take in the tag of a sheet, a row or a cell; what is empty counts once something follows it."""
        repeated = _REPEATED.search(said)
        times = int(repeated[1][:12] or 1) if repeated else 1
        if kind == b"table":
            self.before += self.rows * self.widest
            self.rows = self.widest = self.again = 0
        elif kind == b"table-row":
            self.again, self.width = self.again + times, 0
        else:
            self.width += times
            if b"office:" in said or b"formula" in said:
                self.tags += 1
                self.rows, self.again = self.rows + self.again, 0
                self.widest = max(self.widest, self.width)
        if self.before + self.rows * self.widest > max(_ROOM, _SPARSE * self.tags):
            raise self.error()

    def error(self) -> LimitError:
        """What is said of a file that repeats too much."""
        return LimitError("the file repeats cells beyond what a table holds", where=self.path, hint=_AGAIN)
