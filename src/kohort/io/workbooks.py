"""What a workbook may not hold, whatever its reader makes of it: looked at in its packed parts."""

from __future__ import annotations

import re
import zipfile
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from kohort.errors import InputError, LimitError
from kohort.shown import many

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

#: Bytes of an unpacked workbook at most, how many one packed byte may become (sheets reach 30), and what does no harm.
_MOST, _RATIO, _HARMLESS = 1 << 32, 200, 1 << 25

#: Bytes of a part that are looked at together.
_PIECE: Final = 1 << 20

#: How parts may be packed: stored or deflated, as every program does.
_PACKED_BY: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})

#: What helps with a file that no program wrote.
_AGAIN: Final = "open the file in Excel or LibreOffice and save it again, or save the sheet as CSV"

#: Cells that show an error, formulas whose value nobody computed, and texts that are not there.
_FAULTY: Final = (
    (rb'<c [^<>]*\bt="e"', "cells hold errors, such as #N/A", "repair or empty them"),
    (
        rb"(?:</f>|<f [^<>]*/>)(?:<v></v>|<v ?/>)?</c>",
        "formulas have no value yet",
        "open the file in Excel and save it",
    ),
    (
        rb'<c (?=[^<>]*+>)(?>[^<>]*\bt="s"[^<>]*+>)\s*+<v>(?![0-9]{1,10}</v>)',
        "cells refer to a text that is not there",
        _AGAIN,
    ),
)

#: A group of merged cells, with its last row; one that does not tell it ends with the sheet.
MERGED: Final = rb'<mergeCell (?:[^<>]*?\bref="[A-Z]{1,3}[0-9]{1,7}:[A-Z]{1,3}([0-9]{1,7})")?'
LAST: Final = 1_048_576


def refuse_parts(path: str) -> None:
    """Refuse a workbook that unpacks to more than a table would, or that readers could take for another.

    Raises:
        LimitError: it unpacks to too much.
        InputError: it is no workbook, two of its parts have one name, or one declares entities.
    """
    with _opened(path) as book:
        parts = book.infolist()
        packed, unpacked = (sum(getattr(one, size) for one in parts) for size in ("compress_size", "file_size"))
        names = {one.filename.replace("\\", "/").casefold() for one in parts}
        places = {one.header_offset for one in parts}
        if len(names) < len(parts) or len(places) < len(parts):
            raise InputError("two parts of the workbook have one name or one place", where=path, hint=_AGAIN)
        if book.comment or min(places, default=0) > 0:
            raise InputError("the workbook is a zip file within another", where=path, hint=_AGAIN)
        if any(one.flag_bits & 1 or one.compress_type not in _PACKED_BY for one in parts):
            raise InputError("the workbook is encrypted, or packed as no program does", where=path, hint=_AGAIN)
        if unpacked > max(min(_MOST, _RATIO * packed), _HARMLESS):
            raise LimitError(f"the workbook unpacks to {unpacked:,} bytes", where=path, hint="save the sheet as CSV")
        for one in parts:
            if one.filename.endswith((".xml", ".rels")) and b"<!DOCTYPE" in book.open(one).read(_PIECE):
                raise InputError("the workbook declares entities", where=path, hint="save the sheet as CSV")


@contextmanager
def _opened(path: str) -> Generator[zipfile.ZipFile]:
    """The parts of a workbook."""
    try:
        with zipfile.ZipFile(path) as book:
            yield book
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError, SyntaxError) as error:
        raise InputError(f"the workbook is damaged or cut short ({type(error).__name__})", where=path) from None


def merged(path: str, names: Sequence[str], name: str) -> list[int]:
    """The last row of each group of merged cells in a sheet, all of whose cells have a value of their own.

    Raises:
        InputError: some have none, or nothing says where the sheet is.
    """
    found, groups = [0] * len(_FAULTY), list[int]()
    with _opened(path) as book:
        sheets = sheet_parts(book)
        if len(sheets) != len(names) or not {*sheets} <= {*book.namelist()}:
            raise InputError("the workbook is damaged: it does not say where its sheet is", where=path)
        for piece in _pieces(book, sheets[names.index(name)]):
            for at, (pattern, *_) in enumerate(_FAULTY):
                found[at] += len(re.findall(pattern, piece))
            groups += [int(row or LAST) for row in re.findall(MERGED, piece)]
    for count, (_, what, hint) in zip(found, _FAULTY, strict=True):
        if count:
            raise InputError(f"{count:,} {what}", where=f"{path}, sheet {name!r}", hint=hint)
    return groups


def refuse_merged(groups: Sequence[int], where: str) -> None:
    """Refuse merged cells among records and the names of columns.

    Raises:
        InputError: there are some.
    """
    if groups:
        hint = "unmerge them, so that each record has its own cells; rows above the names may be (--skip-rows N)"
        raise InputError(
            many(len(groups), "group of cells is", "groups of cells are") + " merged", where=where, hint=hint
        )


def _pieces(book: zipfile.ZipFile, part: str) -> Iterator[bytes]:
    """The part of a sheet, some cells at a time."""
    rest = b""
    with book.open(part) as file:
        while piece := file.read(_PIECE):
            cut = piece.rfind(b"<c ")
            if cut >= 0:
                yield rest + piece[:cut]
                rest = b""
            rest += piece[max(cut, 0) :]
    yield rest


def sheet_parts(book: zipfile.ZipFile) -> list[str]:
    """The parts of a workbook that hold its sheets, in their order; none where it does not say so."""
    try:
        listed, related = (
            ET.fromstring(book.read(name))  # noqa: S314  it declares no entities
            for name in ("xl/workbook.xml", "xl/_rels/workbook.xml.rels")
        )
    except KeyError:
        return []
    targets = {one.get("Id"): one.get("Target", "") for one in related}
    sheets = [one.attrib for one in listed.findall("{*}sheets/{*}sheet")]
    paths = [targets.get(next((one[name] for name in one if name.endswith("}id")), ""), "") for one in sheets]
    return [one.removeprefix("/") if one.startswith(("/", "xl/")) else f"xl/{one}" for one in paths]
