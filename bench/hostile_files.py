"""Small files that ask for much: workbooks, job files, tables of odd columns, and typed files.

Each case writes its files into an empty folder and says which command is run there. `bench.sizes` runs them: each
command has to end in a status of 2, 3 or 8 within 10 CPU seconds and 1 GiB.
"""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
import struct
import zipfile
from contextlib import closing
from functools import partial
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

#: What a case's table is asked for.
_ANONYMIZE: Final = "anonymize {} --out out.csv --quasi age --rest drop --k 2 --no-grid --quiet"

_LISTS: Final = "transactions {} --out out.parquet --format lists --private 1 --h 0.5 --k 2 --p 2"


class Case(NamedTuple):
    """Files, and the command that reads them.

    Attributes:
        name: The group and what is odd: `workbooks: a cell at XFD1`.
        make: Writes the files into a folder.
        words: The command.
    """

    name: str
    make: Callable[[Path], None]
    words: str


# ── workbooks ────────────────────────────────────────────────────────────────────────────────────

_MAIN: Final = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_RELATED: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_HEAD: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def _text(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


def _number(place: str, number: object) -> str:
    return f'<c r="{place}"><v>{number}</v></c>'


def _records(records: int = 20) -> str:
    """The rows of a table of two columns."""
    rows = [f'<row r="1">{_text("A1", "age")}{_text("B1", "city")}</row>']
    rows += [
        f'<row r="{at}">{_number(f"A{at}", 30 + at % 4)}{_text(f"B{at}", "Roma")}</row>' for at in range(2, records + 2)
    ]
    return "".join(rows)


def _sheet(cells: str = "", *, before: str = "", behind: str = "", head: str = _HEAD, rows: str | None = None) -> str:
    """The part of a sheet: the usual records, and more."""
    rows = _records() if rows is None else rows
    return f"{head}<worksheet {_MAIN}>{before}<sheetData>{rows}{cells}</sheetData>{behind}</worksheet>"


def _row(place: str, content: str, number: str = "22") -> str:
    return f'<row r="{number}">{_number(place, content)}</row>'


def _parts(sheet: str | bytes, **others: str | bytes) -> dict[str, str | bytes]:
    """The parts of a workbook of one sheet; others replace its own or come in addition."""
    told = f'<Relationship Id="rId1" Type="{_RELATED}/worksheet" Target="worksheets/sheet1.xml"/>'
    made: dict[str, str | bytes] = {
        "[Content_Types].xml": f'{_HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "_rels/.rels": f"{_HEAD}<Relationships "
        f'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
        f'Type="{_RELATED}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'{_HEAD}<workbook {_MAIN} xmlns:r="{_RELATED}"><sheets><sheet name="a" sheetId="1" '
        'r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f"{_HEAD}<Relationships "
        f'xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{told}</Relationships>',
        "xl/worksheets/sheet1.xml": sheet,
    }
    names = {"strings": "xl/sharedStrings.xml", "styles": "xl/styles.xml", "workbook": "xl/workbook.xml"}
    return {**made, **{names.get(name, name): part for name, part in others.items()}}


def _packed(path: Path, parts: Mapping[str, str | bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, part in parts.items():
            book.writestr(name, part)


def _workbook(folder: Path, sheet: str | bytes, **others: str | bytes) -> None:
    _packed(folder / "in.xlsx", _parts(sheet, **others))


def _strings(items: str, counts: str = "") -> str:
    return f"{_HEAD}<sst {_MAIN} {counts}>{items}</sst>"


def _styles(formats: str = "", cells: str = "", *, count: str = "") -> str:
    return f"{_HEAD}<styleSheet {_MAIN}><numFmts>{formats}</numFmts><cellXfs {count}>{cells}</cellXfs></styleSheet>"


def _shared(index: str) -> str:
    return f'<row r="22"><c r="A22" t="s"><v>{index}</v></c></row>'


def _twice(folder: Path, name: str, other: str, part: str) -> None:
    """A workbook with two parts whose names are one, or nearly."""
    _workbook(folder, _sheet())
    with zipfile.ZipFile(folder / "in.xlsx", "a", zipfile.ZIP_DEFLATED) as book:
        if other != name:
            book.writestr(other, part)
        else:
            book.filelist.append(book.infolist()[-1])  # listed twice
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            book.NameToInfo.pop(name, None)
            book.writestr(info, part)
            del book.filelist[-2]


def _lying(folder: Path, told: int, zeros: int) -> None:
    """A workbook whose sheet unpacks to many blanks, and perhaps says that it unpacks to fewer bytes."""
    _workbook(folder, _sheet(behind=" " * zeros))
    data = bytearray((folder / "in.xlsx").read_bytes())
    at = data.rfind(b"PK\x01\x02")
    if told:
        data[at + 24 : at + 28] = struct.pack("<I", told)
    (folder / "in.xlsx").write_bytes(data)


def _overlapping(folder: Path, count: int) -> None:
    """A workbook in which many parts are the same bytes."""
    _workbook(folder, _sheet(behind=" " * 4_000_000))
    data = (folder / "in.xlsx").read_bytes()
    with zipfile.ZipFile(folder / "in.xlsx") as book:
        start = book.start_dir
    last = data[data.rfind(b"PK\x01\x02") : data.rfind(b"PK\x05\x06")]
    name = b"xl/worksheets/sheet1.xml"
    more = b"".join(last.replace(name, b"xl/worksheets/s%05d.xml" % one) for one in range(count))
    listed = data[start : data.rfind(b"PK\x05\x06")] + more
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 4 + count, 4 + count, len(listed), start, 0)
    (folder / "in.xlsx").write_bytes(data[:start] + listed + end)


def _encrypted(folder: Path) -> None:
    """A workbook whose parts say that they are encrypted."""
    _workbook(folder, _sheet())
    data = bytearray((folder / "in.xlsx").read_bytes())
    for magic, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = data.find(magic)
        while place >= 0:
            data[place + at] |= 1
            place = data.find(magic, place + 4)
    (folder / "in.xlsx").write_bytes(data)


def _method(folder: Path, method: int, zeros: int = 1 << 28) -> None:
    """A workbook packed in another way, which packs zeros better."""
    with zipfile.ZipFile(folder / "in.xlsx", "w", method) as book:
        for name, part in _parts(_sheet(behind=" " * zeros)).items():
            book.writestr(name, part)


def _sheets(folder: Path, count: int, name: Callable[[int], str]) -> None:
    """A workbook of many sheets that are all the same part."""
    listed = "".join(f'<sheet name="{name(at)}" sheetId="{at + 1}" r:id="rId1"/>' for at in range(count))
    workbook = f'{_HEAD}<workbook {_MAIN} xmlns:r="{_RELATED}"><sheets>{listed}</sheets></workbook>'
    _workbook(folder, _sheet(_row("XFD1048576", "1", "1048576")), workbook=workbook)


def _entities(kind: str) -> str:
    """A document type whose entities grow."""
    if kind == "laughs":
        named = "".join(f'<!ENTITY a{at} "{f"&a{at - 1};" * 10}">' for at in range(1, 12))
        return f'<!DOCTYPE worksheet [<!ENTITY a0 "ha">{named}]>'
    if kind == "quadratic":
        return f'<!DOCTYPE worksheet [<!ENTITY a11 "{"x" * 100_000}">]>'
    return '<!DOCTYPE worksheet [<!ENTITY a11 SYSTEM "file:///etc/passwd">]>'


def _spreadsheet(folder: Path, rows: str, *, sheets: int = 1) -> None:
    """An OpenDocument file."""
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    table = "".join(f'<table:table table:name="s{at}">{rows}</table:table>' for at in range(sheets))
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    parts = {
        "mimetype": kind,
        "META-INF/manifest.xml": f'{_HEAD}<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:'
        f'manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>',
        "content.xml": f"{_HEAD}<office:document-content {spaces}><office:body><office:spreadsheet>{table}"
        "</office:spreadsheet></office:body></office:document-content>",
    }
    _packed(folder / "in.ods", parts)


def _cell(text: str, more: str = "") -> str:
    return f'<table:table-cell office:value-type="string"{more}><text:p>{text}</text:p></table:table-cell>'


def _line(cells: str, more: str = "") -> str:
    return f"<table:table-row{more}>{cells}</table:table-row>"


_TABLE: Final = _line(_cell("age") + _cell("city")) + _line(_cell("a") + _cell("b")) * 20


def _books() -> Iterator[tuple[str, Callable[[Path], None]]]:  # noqa: C901, PLR0915  a list, not a procedure
    """Workbooks of Excel."""
    for place in ("XFD1", "ZZ400", "AAA21", "M10000"):
        yield f"a cell at {place}", partial(_workbook, sheet=_sheet(_row(place, "7", place.strip("ABCDFMXZ"))))
    for place in ("Z400000", "A1048576", "ZZ1048576", "XFD1048576"):
        yield f"a cell at {place}", partial(_workbook, sheet=_sheet(_row(place, "7", place.strip("ABCDFMXZ"))))
    for place in (
        "A99999999999", "ZZZ1", "AAAAAAAAAAAA1", "XFE1", "A1048577", "A0", "A-1", "1A", "", "A", "7", "a22", "$A$22",
        "A22:B23", "R22C1", "A4294967297", "A18446744073709551617", "XFD01", "&#88;FD1", "XFD1 ", "\u00c41",
    ):  # fmt: skip
        yield f"a cell at {place!a}", partial(_workbook, sheet=_sheet(_row(place, "7")))
    for number in ("99999999999", "1048577", "4294967295", "-5", "0", "x", ""):
        cells = f'<row r="{number}"><c><v>7</v></c></row>'
        yield f"a row called {number!r}", partial(_workbook, sheet=_sheet(cells))
    yield (
        "a cell whose reference is in single quotes",
        partial(_workbook, sheet=_sheet("<row><c r='ZZ1048576'><v>7</v></c></row>")),
    )
    yield (
        "a cell with blanks in its tag",
        partial(_workbook, sheet=_sheet('<row><c\n r = "ZZ1048576" ><v>7</v></c></row>')),
    )
    yield (
        "a cell with a prefix",
        partial(_workbook, sheet=_sheet('<x:row xmlns:x="a"><x:c r="ZZ1048576"><x:v>7</x:v></x:c></x:row>')),
    )
    yield (
        "a cell with a bracket in an attribute",
        partial(_workbook, sheet=_sheet('<row><c a=">" r="ZZ1048576"><v>7</v></c></row>')),
    )
    yield (
        "a cell with two references",
        partial(_workbook, sheet=_sheet('<row><c r="A22" r="ZZ1048576"><v>7</v></c></row>')),
    )
    yield "a cell in a comment", partial(_workbook, sheet=_sheet('<!-- <c --><row><c r="ZZ1048576"><v>7</v></c></row>'))
    yield (
        "cells from the last to the first",
        partial(
            _workbook, sheet=_sheet("".join(_row(f"XFD{at}", "7", str(at)) for at in range(1_048_576, 1_040_000, -8)))
        ),
    )
    yield (
        "rows that are repeated",
        partial(_workbook, sheet=_sheet(_row("A2", "7", "2") * 300_000 + _row("XFD1048576", "7"))),
    )
    yield (
        "a row of 16,384 cells and a column of 100,000",
        partial(
            _workbook,
            sheet=_sheet(
                "".join(_row(f"A{at}", "7", str(at)) for at in range(23, 100_000))
                + "<row>"
                + "".join(f'<c r="{name}22"><v>7</v></c>' for name in _letters(16_384))
                + "</row>"
            ),
        ),
    )
    yield (
        "a million cells without a reference",
        partial(_workbook, sheet=_sheet(f"<row>{'<c><v>7</v></c>' * 1_000_000}</row>")),
    )
    yield "a million rows without a number", partial(_workbook, sheet=_sheet("<row><c><v>7</v></c></row>" * 1_100_000))
    yield (
        "a million empty rows before a cell",
        partial(_workbook, sheet=_sheet("<row></row>" * 1_000_000 + "<row><c><v>7</v></c></row>")),
    )
    for told in ("A1:XFD1048576", "A1:ZZZZZZ99999999", "XFD1048576:A1", "A1:A1", "", "?"):
        before = f'<dimension ref="{told}"/>'
        yield f"dimensions {told!r}", partial(_workbook, sheet=_sheet(_row("XFD1048576", "7"), before=before))
    for index in ("4294967295", "-1", "99999999999999999999", "x", "1e9", ""):
        yield (
            f"a shared text {index!r}",
            partial(_workbook, sheet=_sheet(_shared(index)), strings=_strings("<si><t>a</t></si>")),
        )
    for count in ("4294967295", "99999999999999999999", "-1"):
        told = f'count="{count}" uniqueCount="{count}"'
        yield (
            f"shared texts that count {count}",
            partial(_workbook, sheet=_sheet(_shared("7")), strings=_strings("<si><t>a</t></si>", told)),
        )
    yield "ten million shared texts", partial(_workbook, sheet=_sheet(), strings=_strings("<si/>" * 10_000_000))
    yield (
        "a shared text of 100 MB",
        partial(_workbook, sheet=_sheet(_shared("0")), strings=_strings(f"<si><t>{'x' * 100_000_000}</t></si>")),
    )
    yield (
        "a text of 40 MB in a cell",
        partial(_workbook, sheet=_sheet(f'<row r="22">{_text("A22", "x" * 40_000_000)}</row>')),
    )
    yield (
        "one shared text of 1 MB in 10,000 cells",
        partial(
            _workbook,
            sheet=_sheet("".join(f'<row r="{at}"><c r="A{at}" t="s"><v>0</v></c></row>' for at in range(22, 10_022))),
            strings=_strings(f"<si><t>{'x' * 1_000_000}</t></si>"),
        ),
    )
    yield "65,000 sheets", partial(_sheets, count=65_000, name=lambda at: f"s{at}")
    yield "sheets of one name", partial(_sheets, count=3, name=lambda _: "a")
    yield "a sheet's name of a million letters", partial(_sheets, count=1, name=lambda _: "a" * 1_000_000)
    for what, name, other in (
        ("two sheets", "xl/worksheets/sheet1.xml", "xl/worksheets/sheet1.xml"),
        ("two sheets but for case", "xl/worksheets/sheet1.xml", "XL/worksheets/SHEET1.xml"),
        ("two sheets but for slashes", "xl/worksheets/sheet1.xml", "xl\\worksheets\\sheet1.xml"),
        ("two lists of sheets", "xl/workbook.xml", "xl/workbook.xml"),
        ("two lists of texts", "xl/sharedStrings.xml", "xl/sharedStrings.xml"),
        ("an absolute name", "xl/worksheets/sheet1.xml", "/xl/worksheets/sheet1.xml"),
        ("a name that climbs", "xl/worksheets/sheet1.xml", "xl/../xl/worksheets/sheet1.xml"),
    ):
        part = _sheet(_row("XFD1048576", "7")) if "sheet1" in other.lower() else _strings("<si/>")
        yield f"{what}", partial(_twice, name=name, other=other, part=part)
    yield (
        "merged cells of the whole sheet",
        partial(_workbook, sheet=_sheet(behind='<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>')),
    )
    yield (
        "a million merged cells",
        partial(
            _workbook, sheet=_sheet(behind="<mergeCells>" + '<mergeCell ref="A1:B2"/>' * 1_000_000 + "</mergeCells>")
        ),
    )
    yield "a sheet of a gigabyte of blanks", partial(_lying, told=0, zeros=1 << 30)
    yield "a sheet that tells 100 bytes and has 500 MB", partial(_lying, told=100, zeros=500_000_000)
    yield "ten thousand parts in the same bytes", partial(_overlapping, count=10_000)
    yield "a workbook that says it is encrypted", _encrypted
    yield "a workbook packed by bzip2", partial(_method, method=zipfile.ZIP_BZIP2)
    yield "a workbook packed by LZMA", partial(_method, method=zipfile.ZIP_LZMA)
    for kind in ("laughs", "quadratic", "outside"):
        head = _HEAD + _entities(kind)
        cells = f'<row r="22">{_text("A22", "&a11;" * (1 if kind == "outside" else 10_000))}</row>'
        yield f"entities in a sheet: {kind}", partial(_workbook, sheet=_sheet(cells, head=head))
        strings = _strings("<si><t>&a11;</t></si>").replace(_HEAD, head)
        yield f"entities in texts: {kind}", partial(_workbook, sheet=_sheet(_shared("0")), strings=strings)
    for part in ("sheet", "strings", "styles"):
        deep = "<a>" * 1_000_000 + "</a>" * 1_000_000
        wide = f'<a b="{"x" * 100_000_000}"/>'
        for what, more in (("a million deep", deep), ("with an attribute of 100 MB", wide)):
            others = {"strings": _strings(more), "styles": _styles(more, '<xf numFmtId="0"/>')}
            chosen: dict[str, Any] = {part: others[part]} if part != "sheet" else {}
            yield f"{part} {what}", partial(_workbook, sheet=_sheet(behind=more if part == "sheet" else ""), **chosen)
    yield (
        "a million styles of cells",
        partial(
            _workbook, sheet=_sheet(), styles=_styles("", '<xf numFmtId="0"/>' * 1_000_000, count='count="4294967295"')
        ),
    )
    yield (
        "100,000 formats of numbers",
        partial(
            _workbook,
            sheet=_sheet(),
            styles=_styles(
                "".join(f'<numFmt numFmtId="{at}" formatCode="y"/>' for at in range(100_000)), '<xf numFmtId="7"/>'
            ),
        ),
    )
    yield (
        "a format of ten million letters",
        partial(
            _workbook,
            sheet=_sheet('<row r="22"><c r="A22" s="0"><v>7</v></c></row>'),
            styles=_styles(f'<numFmt numFmtId="200" formatCode="{"[" * 10_000_000}"/>', '<xf numFmtId="200"/>' * 100),
        ),
    )
    dates = _styles('<numFmt numFmtId="200" formatCode="yyyy"/>', '<xf numFmtId="200"/>')
    for number in ("1e308", "-1e308", "NaN", "inf", "9" * 400, "1e999999999"):
        cells = f'<row r="22"><c r="A22" s="0"><v>{number}</v></c></row>'
        yield f"a date of {number[:12]} days", partial(_workbook, sheet=_sheet(cells), styles=dates)
    yield (
        "a cell of style 99999999999",
        partial(_workbook, sheet=_sheet('<row r="22"><c r="A22" s="99999999999"><v>7</v></c></row>'), styles=dates),
    )
    yield (
        "a shared formula of the whole sheet",
        partial(
            _workbook,
            sheet=_sheet(
                '<row r="22"><c r="A22"><f t="shared" ref="A1:XFD1048576" si="99999999">1</f><v>7</v></c></row>'
            ),
        ),
    )
    blank = '<c s="1"/>'
    yield (
        "two million empty cells with a style",
        partial(
            _workbook,
            sheet=_sheet("".join(f'<row r="{at}">{blank * 20}</row>' for at in range(22, 100_022)) + _row("XFD1", "7")),
        ),
    )
    named = "".join(f'<definedName name="n{at}">a!$A$1:$XFD$1048576</definedName>' for at in range(100_000))
    yield (
        "100,000 defined names",
        partial(
            _workbook,
            sheet=_sheet(_row("XFD1", "7")),
            workbook=f'{_HEAD}<workbook {_MAIN} xmlns:r="{_RELATED}"><sheets><sheet name="a" sheetId="1" '
            'r:id="rId1"/></sheets>'
            f"<definedNames>{named}</definedNames></workbook>",
        ),
    )
    yield (
        "a sheet in UTF-16",
        partial(_workbook, sheet=_sheet(_row("XFD1048576", "7")).replace("UTF-8", "UTF-16").encode("utf-16")),
    )
    yield "a sheet that is no XML", partial(_workbook, sheet="<" * 10_000_000)
    yield "a sheet of nothing", partial(_workbook, sheet="")
    yield "letters that are no text", partial(_workbook, sheet=_sheet(f'<row r="22">{_text("A22", "&#xFFFE;")}</row>'))
    yield "a comment of a zip file within a zip file", _nested


def _letters(count: int) -> Iterator[str]:
    """The names of columns: A, B, …, XFD."""
    for at in range(count):
        name, left = "", at + 1
        while left:
            left, letter = divmod(left - 1, 26)
            name = chr(65 + letter) + name
        yield name


def _nested(folder: Path) -> None:
    """A workbook with another one as its comment: readers differ in which they find."""
    _workbook(folder, _sheet(_row("XFD1048576", "7")))
    inner = (folder / "in.xlsx").read_bytes()
    _workbook(folder, _sheet())
    with zipfile.ZipFile(folder / "in.xlsx", "a") as book:
        book.comment = inner


def _spreadsheets() -> Iterator[tuple[str, Callable[[Path], None]]]:
    """Spreadsheets of OpenDocument."""
    for columns, rows in (
        (999_999_999, 1),
        (1, 999_999_999),
        (16_384, 1_048_576),
        (-1, 1),
        (10**30, 1),
        (2000, 20_000),
    ):
        wide = f' table:number-columns-repeated="{columns}"'
        high = f' table:number-rows-repeated="{rows}"'
        yield (
            f"a cell repeated {columns:,} by {rows:,} times",
            partial(_spreadsheet, rows=_TABLE + _line(_cell("x", wide), high)),
        )
    empty = '<table:table-cell table:number-columns-repeated="16384"/>'
    yield "empty cells before a value", partial(_spreadsheet, rows=_TABLE + _line(empty * 1000 + _cell("x")))
    yield (
        "empty rows before a value",
        partial(_spreadsheet, rows=_TABLE + _line(empty, ' table:number-rows-repeated="99999999"') + _line(_cell("x"))),
    )
    yield (
        "a text of 999,999,999 blanks",
        partial(_spreadsheet, rows=_TABLE + _line(_cell('<text:s text:c="999999999"/>'))),
    )
    yield (
        "10,000 repeated rows in each of 100 sheets",
        partial(
            _spreadsheet,
            rows=_TABLE
            + _line(_cell("x", ' table:number-columns-repeated="1000"'), ' table:number-rows-repeated="10000"'),
            sheets=100,
        ),
    )
    yield (
        "a million groups of rows",
        partial(
            _spreadsheet, rows="<table:table-row-group>" * 1_000_000 + _TABLE + "</table:table-row-group>" * 1_000_000
        ),
    )


# ── jobs ─────────────────────────────────────────────────────────────────────────────────────────

_JOB: Final = """[input]
path = "in.csv"
[output]
path = "out.csv"
[privacy]
k = 2
[columns]
age = { role = "quasi" }
"""


def _job(folder: Path, more: str) -> None:
    (folder / "in.csv").write_text("age\n" + "30\n31\n" * 4)
    (folder / "job.toml").write_text(_JOB + more)


def _tomls() -> Iterator[tuple[str, str]]:
    """What job files hold besides a job."""
    for parts in (90, 500, 900, 5_000, 50_000, 500_000):
        yield f"a key of {parts:,} parts", f"{'a.' * (parts - 1)}a = 1\n"
        yield f"a table of {parts:,} parts", f"[{'a.' * (parts - 1)}a]\n"
        yield f"an array of tables of {parts:,} parts", f"[[{'a.' * (parts - 1)}a]]\n"
        yield f"an array of {parts:,} arrays", f"a = {'[' * parts}{']' * parts}\n"
        yield f"a table in {parts:,} tables", f"a = {'{a=' * parts}1{'}' * parts}\n"
        yield f"a table with a key of {parts:,} parts", f"a = {{{'b.' * (parts - 1)}b = 1}}\n"
    yield (
        "5,000 keys that grow",
        "".join(f"{'.'.join(['a'] * at)}.b{at} = 1\n" for at in range(1, 90)) * 1
        + "".join(f"c{at}.{'d.' * 80}e = 1\n" for at in range(5000)),
    )
    yield "quoted parts", '"a".' * 50_000 + "a = 1\n"
    yield "parts with blanks", f"{'a . ' * 50_000}a = 1\n"
    yield "an open array of 100,000 lines", "a = [\n" + "[1],\n" * 100_000
    yield "an open text of 100,000 lines with brackets", 'a = """\n' + "]\n" * 100_000
    yield "an array of 30,000 lines", "a = [\n" + "[1],\n" * 30_000 + "]\n"
    for keys in (59_000, 1_000_000):
        yield f"{keys:,} keys", "".join(f"a{at}=1\n" for at in range(keys))
    for tables in (39_000, 300_000):
        yield f"{tables:,} tables", "".join(f"[a{at}]\n" for at in range(tables))
    yield "300,000 tables of one name", "[[a]]\n" * 300_000
    for columns in (13_000, 100_000):
        yield f"{columns:,} columns", "".join(f"c{at} = {{ role = 'drop' }}\n" for at in range(columns))
    yield "50 MB of comments", "# x\n" * 12_500_000
    yield "a line of 50 MB", f"a = '{'x' * 50_000_000}'\n"
    yield "a text of 5,000,000 escapes", 'a = "' + "\\u0041" * 5_000_000 + '"\n'
    yield "a number of a million digits", f"a = {'9' * 1_000_000}\n"
    yield "a hexadecimal number of a million digits", f"a = 0x{'f' * 1_000_000}\n"
    yield "a fraction of a million digits", f"a = 0.{'9' * 1_000_000}\n"
    yield "an exponent of a million digits", f"a = 1e{'9' * 1_000_000}\n"
    for key in ("grid", "step", "width", "l", "t", "weight", "decimals"):
        yield f"{key} with an exponent of nine digits", f"b = {{ role = 'quasi', {key} = 1e999999999 }}\n"
    yield (
        "a suppression limit with an exponent of nine digits",
        "[method]\nname = 'optimal'\nmax-suppression = 1e999999999\n",
    )
    yield "k with an exponent of nine digits", "[population]\npath = 'in.csv'\n[run]\nthreads = 1e999999999\n"
    yield "a date of the year 99999", "a = 99999-01-01\n"
    yield "a lone surrogate", 'a = "\\ud800"\n'


# ── columns ──────────────────────────────────────────────────────────────────────────────────────


def _written(folder: Path, text: str, name: str = "in.csv") -> None:
    (folder / name).write_text(text)


def _frame(folder: Path, frame: pl.DataFrame, ending: str) -> None:
    path = folder / f"in.{ending}"
    if ending == "parquet":
        frame.write_parquet(path)
    elif ending == "arrow":
        frame.write_ipc(path)
    elif ending == "xlsx":
        names = "".join(
            _text(f"{name}1", title) for name, title in zip(_letters(frame.width), frame.columns, strict=True)
        )
        _workbook(folder, _sheet(rows=f'<row r="1">{names}</row><row r="2">{_number("A2", 7)}</row>'))
    elif ending == "sqlite":
        with closing(sqlite3.connect(path)) as base:
            columns = ", ".join(f'"{name}"' for name in frame.columns)
            base.execute(f"CREATE TABLE a ({columns})")
            base.executemany(f"INSERT INTO a VALUES ({', '.join('?' * frame.width)})", frame.rows())  # noqa: S608  marks
            base.commit()
    else:
        import duckdb  # noqa: PLC0415  of one case

        with closing(duckdb.connect(str(path))) as base:
            base.register("cells", frame)
            base.execute("CREATE TABLE a AS SELECT * FROM cells")


def _columns() -> Iterator[tuple[str, Callable[[Path], None], str]]:
    """Tables with columns that nobody has."""
    million = 1_000_000
    ages = "".join(f"{30 + at % 4}\n" for at in range(20))
    names = ",".join(f"c{at}" for at in range(million))
    for what, text in (
        ("a million names", f"age,{names}\n" + f"30{',1' * million}\n" * 2),
        ("a million names and no record", f"age,{names}\n"),
        ("a million empty names", "," * million + "\n" + "," * million + "\n"),
        ("a million equal names", "a," * million + "a\n" + "1," * million + "1\n"),
        ("a million separators in a later line", f"age\n{ages}{',' * million}\n"),
        ("a million other separators in a later line", f"age\n{ages}{';' * million}\n{';' * million}\n"),
        ("a million quotes in a line", f"age\n{ages}{chr(34) * million}\n"),
        ("70,000 names", "age," + ",".join(f"c{at}" for at in range(70_000)) + "\n" + "30" + ",1" * 70_000 + "\n"),
        ("a name of 10,000 letters", f"age,{'x' * 10_000}\n30,1\n31,2\n"),
        ("a name of 10,000 letters, in quotes", f'age,"{"x" * 10_000}"\n30,1\n31,2\n'),
        ("a name of 10 million letters", f"age,{'x' * 10_000_000}\n30,1\n31,2\n"),
        ("a name of 3,000 letters of four bytes", f"age,{chr(0x1F600) * 3_000}\n30,1\n31,2\n"),
    ):
        yield what, partial(_written, text=text), _ANONYMIZE.format("in.csv")
    for name in ("x" * 10_000, "\ufffe", "\uffff", "\U0001ffff", "a\ufdd0"):
        frame = pl.DataFrame({"age": [30, 31] * 10, name: [1] * 20})
        for ending in ("parquet", "arrow", "xlsx", "sqlite", "duckdb"):
            what = "a name of 10,000 letters" if name.startswith("xx") else f"a name with {name!a}"
            yield f"{what} in {ending}", partial(_frame, frame=frame, ending=ending), _ANONYMIZE.format(f"in.{ending}")
    wide = pl.DataFrame({f"c{at}": [1] for at in range(200_000)}).rename({"c0": "age"})
    yield "200,000 names in parquet", partial(_frame, frame=wide, ending="parquet"), _ANONYMIZE.format("in.parquet")
    yield "200,000 names in arrow", partial(_frame, frame=wide, ending="arrow"), _ANONYMIZE.format("in.arrow")
    table = partial(_written, text="age,city\n" + "30,a\n31,b\n" * 10)
    long = "x" * 10_000
    for flags in (
        f"--quasi {long}",
        f"--quasi age --sensitive {long}",
        f"--quasi age --hierarchy {long}=suppress",
        f"--quasi age --l {long}=2",
    ):
        yield f"a flag that names one: {flags[:22]}", table, f"anonymize in.csv --out out.csv {flags} --rest drop --k 2"
    yield "a key of --set of 800 parts", partial(_job, more=""), f"run job.toml --set {'a.' * 800}a=1"
    yield (
        "a value of --set of 800 brackets",
        partial(_job, more=""),
        f"run job.toml --set privacy.k={'[' * 800}{']' * 800}",
    )
    for what, file, text in _hierarchies():
        words = f"anonymize in.csv --out out.csv --quasi city --hierarchy city={file} --rest drop --k 2"

        def make(folder: Path, file: str = file, text: str = text) -> None:
            table(folder)
            _written(folder, text, file)

        yield what, make, words


def _hierarchies() -> Iterator[tuple[str, str, str]]:
    """Files of hierarchies."""
    yield "a hierarchy of a million columns", "h.csv", "a;" * 1_000_000 + "*\n"
    yield (
        "a hierarchy of 2,000 columns and 2,000 lines",
        "h.csv",
        "".join(f"v{at};" + f"x{at};" * 1998 + "*\n" for at in range(2_000)),
    )
    yield "a hierarchy of 900 objects", "h.json", '{"a":' * 900 + '["a"]' + "}" * 900
    yield "a hierarchy of 100,000 objects", "h.json", '{"a":' * 100_000 + '["a"]' + "}" * 100_000
    yield "a hierarchy of 100,000 lists", "h.json", "[" * 100_000 + "]" * 100_000
    yield "a hierarchy of a million lists", "h.json", "[" + "[]," * 1_000_000 + "[]]"
    yield "a hierarchy of a million edges in a chain", "h.csv", "".join(f"n{at};n{at + 1}\n" for at in range(300_000))
    yield "a hierarchy of a circle", "h.csv", "".join(f"n{at};n{at + 1}\n" for at in range(100_000)) + "n100000;n0\n"
    yield "a hierarchy of 2,000 leaves 900 levels up", "h.json", json.dumps(_tall(900, 2_000))
    yield "a label of 10 MB", "h.csv", f"a;{'x' * 10_000_000}\nb;*\n"


def _tall(height: int, leaves: int) -> object:
    tree: object = [f"v{at}" for at in range(leaves)]
    for _ in range(height):
        tree = {"a": tree}
    return tree


# ── typed files ──────────────────────────────────────────────────────────────────────────────────


def _typed() -> Iterator[tuple[str, Callable[[Path], None], str]]:
    """Files whose cells cost them nothing."""
    for rows in (100_000_000, 1_000_000_000):
        yield (
            f"{rows:,} records of one value in parquet",
            partial(_constant, rows=rows),
            _ANONYMIZE.format("in.parquet"),
        )
    for what, make, file in chain(_bombs(), _lies()):
        yield what, make, _ANONYMIZE.format(file)
    yield (
        "a list of 500,000,000 items in parquet",
        partial(_lists, cells=500_000_000, ending="parquet"),
        _LISTS.format("in.parquet"),
    )
    yield (
        "a list of 500,000,000 items in arrow",
        partial(_lists, cells=500_000_000, ending="arrow"),
        _LISTS.format("in.arrow"),
    )
    for ending in ("parquet", "arrow", "sqlite", "duckdb", "xlsx"):
        for text in ("\ufffe", "\uffff", "\ufdd0", "\U0001fffe"):
            frame = pl.DataFrame({"age": ["a", f"b{text}"] * 10})
            make = partial(_cells, frame=frame, ending=ending)
            yield f"{text!a} in {ending}", make, _ANONYMIZE.format(f"in.{ending}")
    yield (
        "a basket of a million items",
        partial(_written, text=" ".join(map(str, range(1_000_000))) + "\n1 2\n"),
        ("transactions in.csv --out out.dat --private 1 --h 0.5 --k 2 --p 2"),
    )
    yield (
        "an item of 10,000 letters",
        partial(_written, text=("x" * 10_000 + " 1\n") * 4),
        ("transactions in.csv --out out.dat --private 1 --h 0.5 --k 2 --p 2"),
    )
    yield "gzip in gzip", _gzips, _ANONYMIZE.format("in.csv.gz")


def _cells(folder: Path, frame: pl.DataFrame, ending: str) -> None:
    if ending == "xlsx":
        rows = "".join(f'<row r="{at}">{_text(f"A{at}", one)}</row>' for at, one in enumerate(frame["age"], 2))
        _workbook(folder, _sheet(rows=f'<row r="1">{_text("A1", "age")}</row>{rows}'))
    else:
        _frame(folder, frame, ending)


def _arrow() -> tuple[Any, Any]:
    """PyArrow, which has no types."""
    return import_module("pyarrow"), import_module("pyarrow.parquet")


def _constant(folder: Path, rows: int) -> None:
    pa, parquet = _arrow()
    piece = pa.table({"age": pa.array([30] * 10_000_000, pa.int32())})
    with parquet.ParquetWriter(folder / "in.parquet", piece.schema, compression="zstd") as file:
        for _ in range(rows // piece.num_rows):
            file.write_table(piece, row_group_size=piece.num_rows)


def _repeated_text(folder: Path, records: int, letters: int, *, stored: bool) -> None:
    pa, parquet = _arrow()
    codes = pa.array(np.zeros(records, np.int32))
    cells = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * letters]))
    table = pa.table({"age": codes, "note": cells})
    parquet.write_table(table, folder / "in.parquet", compression="zstd", store_schema=stored)


def _counting(folder: Path, records: int) -> None:
    """Numbers that differ, by a rule that takes a few bytes."""
    pa, parquet = _arrow()
    table = pa.table({"age": pa.array(np.arange(records))})
    how = {"use_dictionary": False, "column_encoding": {"age": "DELTA_BINARY_PACKED"}, "write_statistics": False}
    parquet.write_table(table, folder / "in.parquet", compression="zstd", **how)


def _lists(folder: Path, cells: int, ending: str) -> None:
    """A record with a list of very many items."""
    pa, _ = _arrow()
    items = pa.ListArray.from_arrays(pa.array([0, cells], pa.int32()), pa.array(np.zeros(cells, np.int8)))
    _put(folder, pa.table({"items": items}), ending)


def _wide_zeros(folder: Path, rows: int, columns: int, ending: str) -> None:
    pa, _ = _arrow()
    zeros = pa.array(np.zeros(rows, np.int32))
    _put(folder, pa.table({f"c{at}" if at else "age": zeros for at in range(columns)}), ending)


def _put(folder: Path, table: Any, ending: str) -> None:  # noqa: ANN401  PyArrow has no types
    pa, parquet = _arrow()
    if ending == "parquet":
        parquet.write_table(table, folder / "in.parquet", compression="zstd")
        return
    how = import_module("pyarrow.ipc").IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(folder / "in.arrow", table.schema, options=how) as file:
        file.write_table(table)


def _nulls(folder: Path, records: int) -> None:
    """Records without any value, which take no bytes."""
    pa, _ = _arrow()
    _put(folder, pa.table({"age": pa.Array.from_buffers(pa.null(), records, [None])}), "arrow")


def _told(folder: Path, old: int, new: int) -> None:
    """An Arrow file in which a length lies wherever it stands."""
    ages = pl.Series([30, 31] * 5_000, dtype=pl.Int32)
    _put(folder, pl.DataFrame({"age": ages, "city": ["a", "b"] * 5_000}).to_arrow(), "arrow")
    data = (folder / "in.arrow").read_bytes()
    (folder / "in.arrow").write_bytes(data.replace(struct.pack("<q", old), struct.pack("<q", new)))


def _fields(*fields: tuple[int, int, object]) -> bytes:
    """A structure of Thrift: numbers in their order, kinds, and values that are whole numbers or bytes."""
    made, last = b"", 0
    for number, kind, value in fields:
        made += bytes([number - last << 4 | kind])
        last = number
        made += _varint(2 * value) if isinstance(value, int) else value if isinstance(value, bytes) else b""
    return made + b"\0"


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 127:  # noqa: PLR2004  seven bits
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def _several(*parts: bytes) -> bytes:
    """A list of structures."""
    return b"\xfc" + _varint(len(parts)) + b"".join(parts)


def _name(text: bytes) -> bytes:
    return _varint(len(text)) + text


def _parquet(folder: Path, schema: bytes, groups: bytes, *, page: bytes = b"", records: int = 20) -> None:
    footer = _fields((1, 5, 1), (2, 9, schema), (3, 6, records), (4, 9, groups))
    (folder / "in.parquet").write_bytes(b"PAR1" + page + footer + struct.pack("<I", len(footer)) + b"PAR1")


_ROOT: Final = _fields((4, 8, _name(b"r")), (5, 5, 1))
_LEAF: Final = _fields((1, 5, 1), (3, 5, 0), (4, 8, _name(b"age")))


def _deep(folder: Path, depth: int, repeated: int) -> None:
    """A column of structures within structures, or of lists."""
    inner = _fields((3, 5, repeated), (4, 8, _name(b"g")), (5, 5, 1))
    _parquet(folder, _several(_ROOT, *[inner] * depth, _LEAF), _several(), records=0)


def _deep_arrow(folder: Path, depth: int) -> None:
    pa, _ = _arrow()
    kind = pa.int32()
    for _at in range(depth):
        kind = pa.list_(kind)
    with pa.ipc.new_file(folder / "in.arrow", pa.schema([("age", kind)])):
        pass


def _page(folder: Path, zeros: int, told: int, records: int = 20, *, chunks: int = 1) -> None:
    """A page that unpacks to many zeros behind its cells."""
    pa, _ = _arrow()
    packed = pa.compress(bytes(4 * 20 + zeros), codec="zstd", asbytes=True)
    head = _fields(
        (1, 5, 0), (2, 5, told), (3, 5, len(packed)), (5, 12, _fields((1, 5, 20), (2, 5, 0), (3, 5, 3), (4, 5, 3)))
    )
    length = len(head) + len(packed)
    said = _fields(
        (1, 5, 1), (2, 9, b"\x15\0"), (3, 9, b"\x18" + _name(b"age")), (4, 5, 6), (5, 6, records), (6, 6, length),
        (7, 6, length), (9, 6, 4),
    )  # fmt: skip
    group = _fields((1, 9, _several(_fields((2, 6, 4), (3, 12, said)))), (2, 6, length), (3, 6, records))
    _parquet(folder, _several(_ROOT, _LEAF), _several(*[group] * chunks), page=head + packed, records=records * chunks)


def _bombs() -> Iterator[tuple[str, Callable[[Path], None], str]]:
    """Parquet and Arrow files of a few bytes."""
    for records, letters in ((1_000_000, 1_000_000), (10_000, 100_000)):
        for stored in (True, False):
            make = partial(_repeated_text, records=records, letters=letters, stored=stored)
            yield f"a text of {letters:,} letters in {records:,} records, {stored}", make, "in.parquet"
    yield "10,000,000 numbers that count", partial(_counting, records=10_000_000), "in.parquet"
    for rows, columns in ((30_000_000, 2), (1_000_000, 500), (20_000, 60_000)):
        for ending in ("parquet", "arrow"):
            make = partial(_wide_zeros, rows=rows, columns=columns, ending=ending)
            yield f"{rows:,} by {columns:,} zeros in {ending}", make, f"in.{ending}"


def _lies() -> Iterator[tuple[str, Callable[[Path], None], str]]:
    """Parquet and Arrow files whose descriptions are untrue, or too deep."""
    yield "30,000,000 records of no value in arrow", partial(_nulls, records=30_000_000), "in.arrow"
    yield "2,147,483,646 records of no value in arrow", partial(_nulls, records=(1 << 31) - 2), "in.arrow"
    for what, old in (("records", 10_000), ("bytes of a buffer", 40_000)):
        for new in (10**9, 1 << 62, -1, 1):
            yield f"{new:,} {what} in arrow", partial(_told, old=old, new=new), "in.arrow"
    for depth in (100, 20_000, 1_000_000):
        for repeated in (1, 2):
            yield (
                f"a column {depth:,} deep in parquet ({repeated})",
                partial(_deep, depth=depth, repeated=repeated),
                "in.parquet",
            )
    for depth in (100, 5_000):
        yield f"a column {depth:,} deep in arrow", partial(_deep_arrow, depth=depth), "in.arrow"
    for zeros, told in ((1 << 30, (1 << 30) + 80), (1 << 30, 80), (0, (1 << 31) - 1), (0, 0)):
        yield f"a page of {zeros:,} zeros that tells {told:,}", partial(_page, zeros=zeros, told=told), "in.parquet"
    for records in (10**9, 1 << 62):
        yield (
            f"a page of 20 cells that tells {records:,}",
            partial(_page, zeros=0, told=80, records=records),
            "in.parquet",
        )
    yield "100,000 groups of one page", partial(_page, zeros=0, told=80, chunks=100_000), "in.parquet"


def _gzips(folder: Path) -> None:
    packed = gzip.compress(bytes(1 << 26))
    (folder / "in.csv.gz").write_bytes(gzip.compress(packed * 10))


# ── files of statistics programs ─────────────────────────────────────────────────────────────────

#: What a field says that lies: more than there is, more than there can be, and less than nothing.
_LIES: Final = (1 << 30, (1 << 31) - 1, -1)

#: Fields of files that `_statistics_file` writes: the ending, what stands before the field, and its bytes.
_COUNTS: Final = (
    ("sav", "records", rb"\$FL2.{76}", "<i"),
    ("sav", "cells of a record", rb"\$FL2.{64}", "<i"),
    ("sav", "value labels", b"\3\0\0\0(?=\2\0\0\0)", "<i"),
    ("sav", "variables of value labels", b"\4\0\0\0(?=\1\0\0\0)", "<i"),
    ("sav", "bytes of an extension", b"\7\0\0\0\3\0\0\0", "<i"),
    ("sav", "parts of an extension", b"\7\0\0\0\3\0\0\0\4\0\0\0", "<i"),
    ("sav", "letters of a variable", b"\2\0\0\0(?=\x05\0\0\0)", "<i"),
    ("zsav", "records", rb"\$FL3.{76}", "<i"),
    ("zsav", "where its blocks are", b"\xe7\3\0\0\0\0\0\0.{8}", "<q"),
    ("zsav", "bytes of its blocks", b"\xe7\3\0\0\0\0\0\0.{16}", "<q"),
    ("dta", "records", b"<N>", "<q"),
    ("dta", "variables", b"<K>", "<h"),
    ("dta", "where its parts are", b"<map>.{64}", "<q"),
    ("dta", "bytes of value labels", b"<lbl>", "<i"),
    ("dta", "value labels", b"<lbl>.{136}", "<i"),
    ("dta", "letters of value labels", b"<lbl>.{140}", "<i"),
    ("dta", "letters of a variable", b"<variable_types>.{2}", "<h"),
)


def _statistics_file(folder: Path, ending: str, records: int = 20) -> bytearray:
    """A file of a statistics program, with value labels; for changes."""
    pyreadstat: Any = import_module("pyreadstat")
    frame = pl.DataFrame({"age": [30, 31] * (records // 2), "city": ["Rome", "Bari "] * (records // 2)})
    write = getattr(pyreadstat, f"write_{ {'zsav': 'sav', 'xpt': 'xport'}.get(ending, ending) }")
    told = {} if ending == "xpt" else {"variable_value_labels": {"age": {30: "thirty", 31: "more"}}}
    write(frame, str(folder / f"in.{ending}"), **told, **({"compress": True} if ending == "zsav" else {}))
    return bytearray((folder / f"in.{ending}").read_bytes())


def _counted(folder: Path, ending: str, before: bytes, form: str, lie: int) -> None:
    """A file of a statistics program in which a field lies."""
    data = _statistics_file(folder, ending)
    found = re.search(before, data, re.DOTALL)
    if found is None:
        raise LookupError(ending, before)
    size = struct.calcsize(form)
    data[found.end() : found.end() + size] = (lie & ((1 << 8 * size - 1) - 1) if lie > 0 else lie).to_bytes(
        size, "little", signed=True
    )
    (folder / f"in.{ending}").write_bytes(data)


def _cut(folder: Path, ending: str, share: float) -> None:
    data = _statistics_file(folder, ending)
    (folder / f"in.{ending}").write_bytes(data[: int(len(data) * share)])


def _many_labels(folder: Path, ending: str) -> None:
    """A file with 200,000 labels of a variable, and two records."""
    pyreadstat: Any = import_module("pyreadstat")
    labels = {at: f"label {at}" for at in range(200_000)}
    write = getattr(pyreadstat, f"write_{ending}")
    write(pl.DataFrame({"age": [30, 31]}), str(folder / f"in.{ending}"), variable_value_labels={"age": labels})


def _blanks(folder: Path, records: int) -> None:
    """A packed SPSS file of blanks and of one number: a byte for each thousand."""
    pyreadstat: Any = import_module("pyreadstat")
    frame = pl.DataFrame({"age": [30.0] * records, "city": [" " * 200] * records})
    pyreadstat.write_sav(frame, str(folder / "in.zsav"), compress=True)


def _sas(folder: Path, sizes: tuple[int, int, int]) -> None:
    """A SAS file whose head says how long it is, how long its pages are, and how many."""
    magic = bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")
    data = bytearray(magic + b"\x22\x22\x00\x33\x33\x01\x02".ljust(256 - len(magic), b"\0"))
    data[84:92] = b"SAS FILE"
    data += bytes(1 << 16)
    struct.pack_into("<iii", data, 196, *sizes)
    (folder / "in.sas7bdat").write_bytes(data)


def _statistics() -> Iterator[tuple[str, Callable[[Path], None], str]]:
    """Files of SPSS, Stata and SAS."""
    for ending, what, before, form in _COUNTS:
        for lie in _LIES:
            make = partial(_counted, ending=ending, before=before, form=form, lie=lie)
            yield f"{what}: {lie:,} in {ending}", make, _ANONYMIZE.format(f"in.{ending}")
    for ending in ("sav", "zsav", "dta", "xpt"):
        for share in (0.1, 0.5, 0.9, 0.99):
            yield (
                f"{share:.0%} of a file in {ending}",
                partial(_cut, ending=ending, share=share),
                _ANONYMIZE.format(f"in.{ending}"),
            )
    for ending in ("sav", "dta"):
        yield (
            f"200,000 value labels in {ending}",
            partial(_many_labels, ending=ending),
            _ANONYMIZE.format(f"in.{ending}"),
        )
    yield "2,000,000 records of blanks in zsav", partial(_blanks, records=2_000_000), _ANONYMIZE.format("in.zsav")
    for sizes in (
        (1 << 30, 1 << 30, 1 << 30),
        (-1, -1, -1),
        (1024, 1 << 16, (1 << 31) - 1),
        (1024, 0, 1),
        (1024, 1 << 12, 7),
    ):
        yield f"heads and pages of {sizes} in sas7bdat", partial(_sas, sizes=sizes), _ANONYMIZE.format("in.sas7bdat")


def cases(group: str = "") -> Iterator[Case]:
    """All of them, or those of a group."""
    for name, listed in _GROUPS.items():
        for what, make, words in listed() if name.startswith(group) else ():
            yield Case(f"{name} {what}", make, words)


def _workbooks() -> Iterator[tuple[str, Callable[[Path], None], str]]:
    """Workbooks of Excel and OpenDocument."""
    for what, make in _books():
        yield what, make, _ANONYMIZE.format("in.xlsx")
    for what, make in _spreadsheets():
        yield what, make, _ANONYMIZE.format("in.ods")


def _jobs() -> Iterator[tuple[str, Callable[[Path], None], str]]:
    """Job files."""
    for what, more in _tomls():
        yield what, partial(_job, more=more), "run job.toml --quiet"


_GROUPS: Final = {
    "workbooks:": _workbooks,
    "jobs:": _jobs,
    "columns:": _columns,
    "typed:": _typed,
    "statistics:": _statistics,
}
