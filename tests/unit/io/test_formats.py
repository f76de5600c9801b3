"""Formats with a library of their own as people bring them: what is read, what is told, what is refused."""

from __future__ import annotations

import datetime as dt
import errno
import os
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import kohort
from kohort import io
from kohort.cli import main
from kohort.errors import (
    FileError,
    InputError,
    LimitError,
    MissingExtraError,
    SchemaError,
    SourceNote,
    UnsupportedError,
    UsageError,
)
from kohort.io import ReadOptions, databases, excel, records, statistics
from kohort.io.foreign import pack, unpack
from kohort.io.forms import ENDINGS, FORMATS, Content, Format
from kohort.io.typed import from_content, from_frame
from kohort.io.write import to_frame
from kohort.tables.table import Column, Labels, Table
from tests.quick import library


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read here, where a test can see how; `tests/faults/test_hostile_files.py` has another process do it."""

    def here(path: str, key: str, inner: str, *how: str, **_: object) -> Content:
        return FORMATS[key].read(path, inner, *how)

    monkeypatch.setattr("kohort.io.confined.confined", here)


#: The formats of libraries.
FORMS = {key: form for key, form in FORMATS.items() if form.module}

#: Dates and times without a zone, as workbooks have them.
at = partial(dt.datetime, tzinfo=None)

openpyxl: Any = import_module("openpyxl")  # publishes no types
pyreadstat: Any = library("pyreadstat")
duckdb: Any = import_module("duckdb")


def frame_of(table: Table) -> pl.DataFrame:
    """A table as a polars frame, with its types."""
    frame = to_frame(table, "polars")
    assert isinstance(frame, pl.DataFrame)
    return frame


# ── the registry ─────────────────────────────────────────────────────────────────────────────────


def test_every_written_form_is_a_format() -> None:
    """What can be written can be asked for, under the form's own key and by each of its endings."""
    assert [key for key, form in FORMATS.items() if form.written] == [format_.value for format_ in Format]
    assert all(one.form.key == one.value for one in Format)
    assert ENDINGS.keys() == {end for form in FORMATS.values() for end in form.endings}
    assert all(form.key == key for key, form in FORMATS.items())


@pytest.mark.parametrize("key", FORMS)
def test_a_form_reads_only_its_own(key: str, tmp_path: Path) -> None:
    """A file that has the name of a form and other bytes is refused."""
    path = tmp_path / f"people.{key}"
    path.write_text("name,age\nAda,36\n")
    with pytest.raises(InputError, match=f"the name says {FORMS[key].title}, the bytes say text"):
        io.read(path)


@pytest.mark.parametrize("key", FORMS)
def test_damaged_files(key: str, tmp_path: Path) -> None:
    """A file that begins like the form and is none is refused without a word of its content."""
    path = tmp_path / f"people.{key}"
    at, magic = FORMS[key].magic[0]
    path.write_bytes(bytes(at) + magic + b"CANARY" * 99)
    with pytest.raises(InputError) as raised:
        io.read(path)
    assert "CANARY" not in str(raised.value)


@pytest.mark.parametrize("key", ["sav", "dta", "sqlite", "duckdb"])
def test_a_file_without_an_ending(key: str, tmp_path: Path) -> None:
    """Where the name says nothing, the first bytes do."""
    table = from_frame(pl.DataFrame({"age": [36, 37]}))
    path = tmp_path / "people"
    path.write_bytes(pack(table, key))
    if key in {"dta", "duckdb"}:
        path = path.rename(tmp_path / ("people.sav" if key == "dta" else "people.db"))
    assert frame_of(io.read(path))["age"].cast(pl.Int64).to_list() == [36, 37]


@pytest.mark.parametrize(
    ("key", "library", "extra"),
    [
        ("xlsx", "fastexcel", "excel"),
        ("sav", "pyreadstat", "statistics"),
        ("duckdb", "duckdb", "duckdb"),
        ("csv.zst", "zstandard", "zstd"),
    ],
)
def test_a_missing_library(key: str, library: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its library a format is neither read nor written, and the message has the command that installs it."""
    table = from_frame(pl.DataFrame({"age": [36, 37]}))
    path = tmp_path / f"people.{key}"
    path.write_bytes(pack(table, key) if key in FORMS else b"\x28\xb5\x2f\xfd")
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=rf"(?s){library} is needed.*kohort\[{extra}\]"):
        io.read(path)
    if key in FORMS:
        with pytest.raises(MissingExtraError):
            pack(table, key)


def test_names_given_for_a_file_that_has_names(tmp_path: Path) -> None:
    """Columns of a typed source are not renamed."""
    path = tmp_path / "people.sqlite"
    path.write_bytes(pack(from_frame(pl.DataFrame({"age": [36]})), "sqlite"))
    for source in (path, tmp_path, "postgresql://localhost/a#b"):
        with pytest.raises(UsageError, match="has column names of its own"):
            io.read(source, ReadOptions(names=("a",)))


def test_a_table_within_a_file_that_has_one(tmp_path: Path) -> None:
    """`FILE#NAME` is refused where a file has one table, and a file of that whole name is read."""
    path = tmp_path / "people.csv"
    path.write_text("age\n36\n")
    with pytest.raises(InputError, match="has one table, which is not called 'a'"):
        io.read(f"{path}#a")
    shutil.copy(path, f"{path}#a")
    assert io.read(f"{path}#a").records == 1
    sav = tmp_path / "people.sav"
    sav.write_bytes(pack(from_frame(pl.DataFrame({"age": [36]})), "sav"))
    with pytest.raises(InputError, match="a SPSS file holds one table"):
        io.read(f"{sav}#a")


def test_what_no_format_holds() -> None:
    """A text that does not come back is refused by the name of its column, and by its number, not its value."""
    table = from_frame(pl.DataFrame({"name": ["Ada ", "Bo"]}))
    with pytest.raises(UnsupportedError, match=r"(?s)1 value cannot be written to SPSS exactly.*column name") as raised:
        pack(table, "sav")
    assert "Ada" not in str(raised.value)


def test_a_library_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the format's own library refuses a column, it cannot be written."""
    usual = pyreadstat.write_dta

    def fail(frame: pl.DataFrame, *others: object, **more: object) -> None:
        if "Ada" in frame.to_series().to_list():
            raise ValueError("Ada")
        usual(frame, *others, **more)

    monkeypatch.setattr(pyreadstat, "write_dta", fail)
    with pytest.raises(UnsupportedError, match="1 value cannot be written to Stata exactly"):
        pack(from_frame(pl.DataFrame({"name": ["Ada"]})), "dta")


@pytest.mark.parametrize("key", [key for key, form in FORMS.items() if form.written and form.exact])
def test_bytes_do_not_depend_on_the_order_of_values(key: str) -> None:
    """In whatever order a column lists its values, the same cells give the same bytes."""
    one = Column("zip", pl.Series(["b", "a", "00118"]), np.array([0, 1, 2, 0], np.uint8), pl.String())
    other = Column("zip", pl.Series(["00118", "b", "a"]), np.array([1, 2, 0, 1], np.uint8), pl.String())
    assert pack(Table((one,), 4), key) == pack(Table((other,), 4), key)


def test_columns_of_other_names() -> None:
    """A file with columns that its source has not can still be read back, for the verifier to refuse them."""
    table = from_frame(pl.DataFrame({"age": [36]}))
    assert unpack(pack(table, "sqlite"), "sqlite", from_frame(pl.DataFrame({"other": ["a"]}))).names == ("age",)


def test_cells_of_another_type_than_the_source() -> None:
    """Cells that are none of their source's type are read as they are, for the verifier to refuse them."""
    again = unpack(
        pack(from_frame(pl.DataFrame({"age": [36]})), "sqlite"), "sqlite", from_frame(pl.DataFrame({"age": [True]}))
    )
    assert again["age"].values.item() == "36"  # noqa: PD011  polars


# ── workbooks ────────────────────────────────────────────────────────────────────────────────────


def workbook(path: Path, rows: list[list[object]], **merged: str) -> Path:
    """A workbook of one sheet that another library wrote."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for cells in merged.values():
        book.active.merge_cells(cells)
    book.save(path)
    return path


def test_a_workbook_of_a_person(tmp_path: Path) -> None:
    """Numbers, dates, times, words, empty cells and mixed columns have the types and texts that a person sees."""
    rows: list[list[object]] = [
        [],
        ["name", "age", "paid", "born", "seen", "at", "left", "mixed", None],
        ["Ada", 36, 0.5, at(1990, 2, 3), at(2024, 1, 2, 3, 4), dt.time(9, 30), True, 1 / 3],
        ["Bo", None, 7, at(1991, 2, 3), None, dt.time(0, 0), False, "NA"],
        [None, 38, 8, None, at(2024, 1, 2), None, True, at(2024, 5, 6)],
        ["00118", 39, 8, None, None, None, None, 12],
    ]
    frame = frame_of(io.read(workbook(tmp_path / "people.xlsx", rows)))
    assert frame.to_dict(as_series=False) == {
        "name": ["Ada", "Bo", None, "00118"],
        "age": [36, None, 38, 39],
        "paid": [0.5, 7.0, 8.0, 8.0],
        "born": [dt.date(1990, 2, 3), dt.date(1991, 2, 3), None, None],
        "seen": [at(2024, 1, 2, 3, 4), None, at(2024, 1, 2), None],
        "at": [dt.time(9, 30), dt.time(0, 0), None, None],
        "left": [True, False, True, None],
        "mixed": ["0.3333333333333333", "NA", "2024-05-06", "12"],
    }


def test_names_of_a_workbook(tmp_path: Path) -> None:
    """Two columns of one name are refused, and a column without a name is called by its place."""
    with pytest.raises(InputError, match="duplicate column names"):
        io.read(workbook(tmp_path / "a.xlsx", [["age", "age"], [1, 2]]))
    names = io.read(workbook(tmp_path / "b.xlsx", [["age", "sex", None], [1, 2, 3]])).names
    assert names == ("age", "sex", "column_3")


def test_no_sheet_and_no_record(tmp_path: Path) -> None:
    """An empty sheet is refused; one with a header alone is a table of no records."""
    with pytest.raises(InputError, match="the sheet is empty"):
        io.read(workbook(tmp_path / "a.xlsx", []))
    path = workbook(tmp_path / "b.xlsx", [["age", None, "sex"]])
    assert io.read(path, ReadOptions(allow_empty=True)).names == ("age", "column_2", "sex")
    with pytest.raises(InputError, match=r"(?s)no sheet 'b'.*its sheets: Sheet"):
        io.read(f"{path}#b")


@pytest.mark.parametrize(
    ("rows", "merged", "what"),
    [
        ([["a"], ["=1+1"]], {}, "1 formulas have no value yet"),
        ([["a"], ["#N/A"], ["#N/A"]], {}, "2 cells hold errors"),
        ([["a", "b"], [1, 2], [3, 4]], {"one": "A2:A3"}, "1 group of cells is merged"),
    ],
)
def test_cells_without_a_value(rows: list[list[object]], merged: dict[str, str], what: str, tmp_path: Path) -> None:
    """Formulas that nobody computed, errors and merged cells are counted and refused."""
    with pytest.raises(InputError, match=what):
        io.read(workbook(tmp_path / "a.xlsx", rows, **merged))


#: A sheet of three columns, and what may stand above the names of its columns.
SHEET: list[list[object]] = [["age", "sex", "ill"], [20, "M", "flu"], [20, "F", "gout"], [30, "F", "flu"]]
ABOVE: dict[str, tuple[list[list[object]], dict[str, str]]] = {
    "a title": ([["Survey 2020"]], {}),
    "a title in the middle": ([[None, "Survey 2020"]], {}),
    "two titles and a blank row": ([["Survey"], ["of 2020"], []], {}),
    "a merged title": ([["Survey 2020"], []], {"one": "A1:C1"}),
    "a title merged over rows": ([["Survey"], [None]], {"one": "A1:C2"}),
    "names of groups": ([["Person", None, "Health"]], {"one": "A1:B1"}),
    "a blank row before the title": ([[], ["Survey"]], {}),
}


@pytest.mark.parametrize(("above", "merged"), ABOVE.values(), ids=ABOVE)
def test_rows_above_the_names_of_a_sheet(above: list[list[object]], merged: dict[str, str], tmp_path: Path) -> None:
    """The message says which row seems to name the columns, and how the rows above it are skipped, merged or not."""
    path = workbook(tmp_path / "a.xlsx", above + SHEET, **merged)
    with pytest.raises(InputError, match=f"row {len(above) + 1} seems to hold the column names") as caught:
        io.read(path)
    assert f"--skip-rows {len(above)}" in caught.value.hint
    found = io.read(path, ReadOptions(skip_rows=len(above)))
    assert frame_of(found).equals(frame_of(io.read(workbook(tmp_path / "b.xlsx", SHEET))))


def test_what_cannot_be_skipped(tmp_path: Path) -> None:
    """Merged cells among records, more rows than there are, and rows of a file that has none."""
    path = workbook(tmp_path / "a.xlsx", [["Survey"], *SHEET], one="A1:C1", other="A3:A4")
    for skip in (0, 1):
        with pytest.raises(InputError, match="seems to hold" if not skip else "1 group of cells is merged"):
            io.read(path, ReadOptions(skip_rows=skip))
    with pytest.raises(InputError, match="the sheet is empty below the rows that are skipped"):
        io.read(path, ReadOptions(skip_rows=5))
    with pytest.raises(InputError, match="row 1 names one of 3 columns"):
        io.read(workbook(tmp_path / "b.xlsx", [["age"], [1, 2, 3], [4, 5, 6]]))
    assert io.read(tmp_path / "b.xlsx", ReadOptions(header=True)).names == ("age", "column_2", "column_3")
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "c.parquet")
    for source in (tmp_path / "c.parquet", pl.DataFrame({"a": [1]})):
        with pytest.raises(UsageError, match="has no rows above its columns"):
            io.read(source, ReadOptions(skip_rows=1))


@pytest.mark.parametrize("word", ["Total", "TOTALE:", "somme", "Sum", "Gesamt"])
def test_a_last_row_of_sums_is_told(word: str, tmp_path: Path) -> None:
    """Of a sheet, of a frame and of Parquet; another word, or another row, is none."""
    frame = pl.DataFrame({"ward": ["a", "b", word], "beds": [1, 2, 3]})
    frame.write_parquet(tmp_path / "a.parquet")
    book = workbook(tmp_path / "a.xlsx", [["ward", "beds"], *map(list, frame.rows())])
    for source in (frame, tmp_path / "a.parquet", book):
        assert any("ends in a record that begins with a word for a total" in note for note in io.read(source).notes)
        assert word not in "".join(io.read(source).notes)
    assert not io.read(frame.head(2)).notes
    assert not io.read(frame.reverse()).notes


def test_a_workbook_that_declares_entities_is_refused(tmp_path: Path) -> None:
    """Case 19: what an entity stands for is never looked up."""
    whole, made = workbook(tmp_path / "a.xlsx", [["city"], ["Roma"], ["Rieti"]]), tmp_path / "b.xlsx"
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(made, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            at = content.find(b"<", 1)
            if b"Roma" in content:
                content = content[:at] + b'<!DOCTYPE sst [<!ENTITY e "x">]>' + content[at:].replace(b"Roma", b"&e;")
            target.writestr(name, content)
    with pytest.raises(InputError, match="the workbook declares entities"):
        io.read(made)


def _rezipped(path: Path, part: str, old: bytes, new: bytes) -> Path:
    """A workbook with a change in one of its parts; without the part where nothing is given."""
    import zipfile  # noqa: PLC0415  for this alone

    other = path.with_stem("other")
    with zipfile.ZipFile(path) as book, zipfile.ZipFile(other, "w", zipfile.ZIP_DEFLATED) as changed:
        for one in book.infolist():
            content = book.read(one)
            if one.filename != part or new:
                changed.writestr(one.filename, content.replace(old, new) if one.filename == part else content)
    return other


def test_entities_bombs_and_strange_workbooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Declared entities and what unpacks to too much are refused; a workbook without its list of parts is damaged."""
    path = workbook(tmp_path / "a.xlsx", [["a"], [1]])
    sheet = "xl/worksheets/sheet1.xml"
    with pytest.raises(InputError, match="declares entities"):
        io.read(_rezipped(path, sheet, b"<worksheet ", b"<!DOCTYPE a><worksheet "))
    with pytest.raises(InputError, match=r"damaged|cannot be read"):
        io.read(_rezipped(path, "xl/_rels/workbook.xml.rels", b"", b""))
    with pytest.raises(InputError, match=r"damaged|cannot be read"):
        io.read(_rezipped(path, sheet, b"<v>1</v>", b"<v>one</v>"))
    monkeypatch.setattr(excel, "_HARMLESS", 10)
    monkeypatch.setattr(excel, "_MOST", 10)
    with pytest.raises(LimitError, match="unpacks to"):
        io.read(path)


def test_a_member_that_is_not_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The part of a sheet that the workbook does not list is none, and the workbook is refused."""
    import zipfile  # noqa: PLC0415  for this alone

    path = workbook(tmp_path / "a.xlsx", [["a"], [1]])
    with zipfile.ZipFile(path) as book:
        assert excel.sheet_parts(book) == ["xl/worksheets/sheet1.xml"]
    with zipfile.ZipFile(tmp_path / "b.xlsx", "w") as book:
        assert excel.sheet_parts(book) == []

    def nowhere(*_: object) -> list[str]:
        return []

    monkeypatch.setattr(excel, "sheet_parts", nowhere)
    with pytest.raises(InputError, match="the place of the sheet is missing"):
        io.read(path)


def test_what_a_sheet_has_no_place_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """More records than a sheet has rows are refused, and a last record that nobody could see."""
    monkeypatch.setattr(excel, "ROWS", 3)
    with pytest.raises(UnsupportedError, match="3 records of 1 columns do not fit"):
        pack(from_frame(pl.DataFrame({"a": [1, 1, 1]})), "xlsx")
    with pytest.raises(UnsupportedError, match="the last record has no value"):
        pack(from_frame(pl.DataFrame({"a": [1, None]})), "xlsx")


def test_open_document(tmp_path: Path) -> None:
    """OpenDocument is read, and an ODS release is not offered."""
    folder = tmp_path / "parts"
    (folder / "META-INF").mkdir(parents=True)
    mime = "application/vnd.oasis.opendocument.spreadsheet"
    office = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
    table, text = office.replace("office:1", "table:1"), office.replace("office:1", "text:1")
    cell = '<table:table-cell office:value-type="{}" {}><text:p>{}</text:p></table:table-cell>'
    rows = [
        [cell.format("string", "", "age"), cell.format("string", "", "zip")],
        [cell.format("float", 'office:value="36"', "36"), cell.format("string", "", "00118")],
    ]
    body = "".join(f"<table:table-row>{''.join(row)}</table:table-row>" for row in rows)
    (folder / "content.xml").write_text(
        f'<office:document-content xmlns:office="{office}" xmlns:table="{table}" xmlns:text="{text}"><office:body>'
        f'<office:spreadsheet><table:table table:name="a">{body}</table:table></office:spreadsheet></office:body>'
        "</office:document-content>"
    )
    (folder / "META-INF" / "manifest.xml").write_text("<manifest/>")
    import zipfile  # noqa: PLC0415  for this alone

    with zipfile.ZipFile(tmp_path / "people.ods", "w") as book:
        book.writestr("mimetype", mime)
        for part in ("content.xml", "META-INF/manifest.xml"):
            book.write(folder / part, part)
    assert frame_of(io.read(tmp_path / "people.ods")).rows() == [(36, "00118")]
    assert main(["anonymize", "a.csv", "--out", "b.ods", "--quasi", "a"]) == UsageError.exit_status


# ── JSON lines ───────────────────────────────────────────────────────────────────────────────────


def test_json_lines(tmp_path: Path) -> None:
    """A key that an object lacks is a missing cell, numbers and booleans are such, and a mixed column is text."""
    path = tmp_path / "in.ndjson"
    path.write_text('{"age":36,"paid":true,"n":1}\n\n{"zip":"00118","age":37,"n":"one"}\n', "utf-8")
    assert frame_of(io.read(path)).to_dict(as_series=False) == {
        "age": [36, 37],
        "paid": [True, None],
        "n": ["1", "one"],
        "zip": [None, "00118"],
    }


@pytest.mark.parametrize(
    ("written", "what"),
    [
        ('{"a":1}\n{"a":2,"a":3}\n', "a key stands twice in an object"),
        ('{"a":1}\n{"a":\n', "the line is no JSON object"),
        ('{"a":1}\n[2]\n', "the line is no JSON object"),
        ('{"a":1}\n"CANARY"\n', "the line is no JSON object"),
        ('{"a":' + "[" * 99_999 + "\n", "the line is no JSON object"),
        ('{"a":' + "[" * 99_999 + "]" * 99_999 + "}\n", "the line is no JSON object"),
        ('{"a":1' + "0" * 99 + ',"b":"CANARY"}\n', "damaged"),
    ],
)
def test_json_lines_that_are_none(tmp_path: Path, written: str, what: str) -> None:
    """Each is refused in its line, and none of its cells is told."""
    path = tmp_path / "in.jsonl"
    path.write_text(written, "utf-8")
    with pytest.raises(InputError, match=what) as caught:
        io.read(path)
    assert "CANARY" not in str(caught.value)


def test_json_lines_of_nobody() -> None:
    """Without a record no line names the columns, so nothing is written."""
    empty = from_frame(pl.DataFrame({"a": []}, schema={"a": pl.String}))
    with pytest.raises(UnsupportedError, match="without records"):
        pack(empty, "jsonl")


def test_nested_json_is_named(tmp_path: Path) -> None:
    """Objects and lists within a cell cannot be released; the columns beside them can."""
    path = tmp_path / "in.jsonl"
    path.write_text('{"a":{"x":1},"b":[1,2],"c":1}\n' * 3, "utf-8")
    words = ["anonymize", str(path), "--out", str(tmp_path / "out.jsonl"), "--k", "2", "--drop"]
    assert main([*words, "b", "--quasi", "a,c"]) == InputError.exit_status
    assert main([*words, "a,b", "--quasi", "c"]) == 0
    assert (tmp_path / "out.jsonl").read_text("utf-8") == '{"c":1}\n' * 3


# ── statistics ───────────────────────────────────────────────────────────────────────────────────


def test_a_survey(tmp_path: Path) -> None:
    """Labels stand for codes where each value has its own, titles are kept, declared missing values are told."""
    frame = pl.DataFrame({"sex": [1.0, 2.0, 1.0], "age": [36.0, 99.0, 38.0], "left": [1.0, 7.5, None]})
    path = tmp_path / "survey.sav"
    pyreadstat.write_sav(
        frame,
        str(path),
        column_labels=["Sex of the person", None, None],
        variable_value_labels={"sex": {1: "male", 2: "female"}, "left": {1: "yes"}},
        missing_ranges={"age": [99]},
    )
    with pytest.warns(SourceNote) as notes:
        table = io.read(path)
    told = " ".join(str(one.message) for one in notes)
    assert "'left': value labels are left out" in told
    assert "declared missing in the file are read as missing: age" in told
    assert frame_of(table).rows() == [("male", 36, 1.0), ("female", None, 7.5), ("male", 38, None)]
    assert table["sex"].labels == Labels("Sex of the person", {"male": 1.0, "female": 2.0})
    assert table["age"].labels is None


def test_names_that_no_variable_can_have(tmp_path: Path) -> None:
    """A name with blanks is the variable's label, and the column's name again when it is read."""
    table = from_frame(pl.DataFrame({"date of birth": ["a"], "Date of birth?": ["b"], "2nd": ["c"], "é": [1]}))
    for key in ("sav", "dta", "xpt"):
        path = tmp_path / f"a.{key}"
        path.write_bytes(pack(table, key))
        assert io.read(path).names == table.names
    names = pyreadstat.read_sav(str(tmp_path / "a.sav"))[1].column_names
    assert names == ["date_of_birth", "Date_of_birth_2", "v2nd", "v"]


def test_a_name_that_comes_back_as_another() -> None:
    """A name that is lost on the way is refused, and its column named."""
    with pytest.raises(UnsupportedError, match="the column's name cannot be written to SPSS"):
        pack(from_frame(pl.DataFrame({"x" * 400: ["a"]})), "sav")


def test_a_form_that_cannot_be_written_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system refuses, or no file can be made at all, it is no column's name that is wrong."""

    def refuse(*_: object) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied")

    def nothing(*_: object) -> bytes:
        return b""

    table = from_frame(pl.DataFrame({"age": [36]}))
    monkeypatch.setattr(databases, "pack_duckdb", refuse)
    with pytest.raises(PermissionError):
        pack(table, "duckdb")
    monkeypatch.setattr(databases, "pack_duckdb", nothing)
    with pytest.raises(FileError, match="DuckDB cannot be written at all"):
        pack(table, "duckdb")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no such limit")
@pytest.mark.parametrize(
    ("key", "size"),
    [("duckdb", 1000), ("duckdb", 20_000), ("duckdb", 300_000), ("sav", 20_000), ("zsav", 1), ("dta", 1000)],
)
def test_a_file_that_the_system_cuts_off(key: str, size: int, tmp_path: Path) -> None:
    """A limit of size, as a full disk, is a failure to write: status 6, whichever of the file's parts it meets."""
    frame = pl.DataFrame({"age": [str(20 + row % 50) for row in range(20_000)], "s": ["flu" * 9, "gout"] * 10_000})
    frame.write_csv(tmp_path / "in.csv")
    limited = f"import resource, signal; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, resource.RLIM_INFINITY))"
    words = ["anonymize", "in.csv", "--out", f"r.{key}", "--quasi", "age", "--sensitive", "s", "--no-model", "s"]
    code = f"{limited}; import runpy; runpy.run_module('kohort', run_name='__main__', alter_sys=True)"
    ran = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False
    )
    assert (ran.returncode, [path.name for path in tmp_path.iterdir()]) == (6, ["in.csv"]), ran.stderr
    assert "Traceback" not in ran.stderr


def test_no_time_is_written() -> None:
    """A file says of no moment that it was made then."""
    for key, said in (("sav", b"01 Jan 0000:00:00"), ("zsav", b"01 Jan 0000"), ("dta", b"01 Jan 2000 00:00")):
        assert said in pack(from_frame(pl.DataFrame({"age": [36]})), key)[:200]
    assert pack(from_frame(pl.DataFrame({"age": [36]})), "xpt").count(b"01JAN00:00:00:00") == 4


def test_systems_without_nameless_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are no files without a name, a private folder is made and removed."""
    table = from_frame(pl.DataFrame({"age": [36]}))
    usual = pack(table, "sav")
    monkeypatch.delattr(os, "memfd_create", raising=False)
    assert pack(table, "sav") == usual
    with statistics.nameless(".sav") as path:
        assert Path(path).parent.stat().st_mode & 0o077 == 0
    assert not Path(path).parent.exists()


# ── databases ────────────────────────────────────────────────────────────────────────────────────


def test_sqlite_tables(tmp_path: Path) -> None:
    """Of several tables the first is read with a note; views and names with quotes are read by name."""
    path = tmp_path / "clinic.db"
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE stays (age INTEGER, at DATE, left BOOLEAN, mixed, paid REAL, told TIMESTAMP)")
        base.execute("INSERT INTO stays VALUES (36, '2024-01-02', 1, 'a', 0.5, 'often'), (NULL, NULL, 0, 7.5, 1, NULL)")
        base.execute('CREATE TABLE "od""d" (name TEXT, photo BLOB)')
        base.execute('INSERT INTO "od""d" VALUES (?, ?)', ("Ada", b"CANARY"))
        base.execute("CREATE VIEW old AS SELECT age FROM stays WHERE age > 30")
        base.commit()
    with pytest.warns(SourceNote, match="""table 'stays': the other tables are not read: od"d, old"""):
        frame = frame_of(io.read(path))
    assert frame.rows() == [(36, dt.date(2024, 1, 2), True, "a", 0.5, "often"), (None, None, False, "7.5", 1.0, None)]
    assert frame_of(io.read(f"{path}#old")).rows() == [(36,)]
    with pytest.raises(InputError, match="Binary: cannot be released"):
        io.read(f'{path}#od"d')["photo"]
    with pytest.raises(InputError, match=r"(?s)no table 'x'.*stays"):
        io.read(f"{path}#x")


@pytest.mark.parametrize("key", ["sqlite", "duckdb"])
def test_databases_without_a_table(key: str, tmp_path: Path) -> None:
    """A database of no tables is refused; a table of no records has its columns."""
    path = tmp_path / f"a.{key}"
    if key == "sqlite":
        with closing(sqlite3.connect(path)) as base:
            base.execute("CREATE TABLE a (b)")
            base.execute("DROP TABLE a")
            base.execute("VACUUM")
    else:
        duckdb.connect(str(path)).close()
    with pytest.raises(InputError, match="there is no table in the database"):
        io.read(path)
    empty = from_frame(pl.DataFrame({"a": []}, schema={"a": pl.String}))
    assert unpack(pack(empty, key), key, empty).records == 0


def test_duckdb_tables(tmp_path: Path) -> None:
    """A DuckDB file is read with its types, and no other is written to."""
    path = tmp_path / "clinic.duckdb"
    with closing(duckdb.connect(str(path))) as base:
        base.execute("CREATE TABLE b AS SELECT 36 AS age, DATE '2024-01-02' AS at, 'NA' AS country")
        base.execute("CREATE TABLE a AS SELECT 1 AS one")
    before = path.read_bytes()
    assert frame_of(io.read(f"{path}#b")).rows() == [(36, dt.date(2024, 1, 2), "NA")]
    with pytest.warns(SourceNote, match="not read: b"):
        assert io.read(path).names == ("one",)
    assert path.read_bytes() == before


def test_postgres_tables(postgres: str) -> None:
    """A table, and one of another schema, is read by its address; a missing one is refused without the password."""
    driver: Any = import_module("adbc_driver_postgresql.dbapi")
    with driver.connect(postgres) as base, base.cursor() as cursor:
        cursor.execute("CREATE TABLE stays AS SELECT 36 AS age, '00118' AS zip, DATE '2024-01-02' AS at, TRUE AS left_")
        cursor.execute("CREATE SCHEMA ward")
        cursor.execute("CREATE TABLE ward.stays AS SELECT 9007199254740993 AS account")
        base.commit()
    assert frame_of(io.read(f"{postgres}#stays")).rows() == [(36, "00118", dt.date(2024, 1, 2), True)]
    assert frame_of(io.read(f"{postgres}#ward.stays")).rows() == [(2**53 + 1,)]
    with pytest.raises(InputError, match="the database cannot be read") as raised:
        io.read(f"{postgres}#absent")
    assert "secret" not in str(raised.value)


def test_postgres_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address without a table is refused, and one without a driver has the command that installs it."""
    with pytest.raises(InputError, match="the address names no table"):
        io.read("postgresql://localhost/clinic")
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql", None)
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql.dbapi", None)
    with pytest.raises(MissingExtraError, match=r"kohort\[postgres\]"):
        io.read("postgresql://localhost/clinic#stays")
    assert databases.shown("postgres://localhost/clinic?password=secret#a") == "postgres://localhost/clinic#a"


# ── folders, packed text, streams, frames ────────────────────────────────────────────────────────


def test_a_folder_of_parts(tmp_path: Path) -> None:
    """Parts are one table in the order of their paths, and what their folders are named is a column of text."""
    for name, ages in (("zip=00118", [36, 37]), ("zip=20121", [38])):
        (tmp_path / name).mkdir()
        pl.DataFrame({"age": ages}).write_parquet(tmp_path / name / "part.parquet")
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / "_temporary").mkdir()
    (tmp_path / "_temporary" / "a.parquet").touch()
    assert frame_of(io.read(tmp_path)).rows() == [(36, "00118"), (37, "00118"), (38, "20121")]


def test_folders_that_are_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder without parts, with parts of several tables, or with a damaged one is refused."""
    with pytest.raises(InputError, match="a directory without Parquet files"):
        io.read(tmp_path)
    pl.DataFrame({"age": [36], "sex": ["f"]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"sex": ["f"], "age": [36]}).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"(?s)than a\.parquet: their order.*b.parquet"):
        io.read(tmp_path)
    pl.DataFrame({"age": ["36"], "sex": ["f"]}).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"than a\.parquet: age"):
        io.read(tmp_path)
    (tmp_path / "b.parquet").write_bytes(b"PAR1")
    with pytest.raises((InputError, FileError)):
        io.read(tmp_path)
    (tmp_path / "b.parquet").unlink()
    stamps = iter([(1, 1, 1), (2, 2, 2)])

    def stamp(_: str) -> tuple[int, int, int]:
        return next(stamps)

    monkeypatch.setattr("kohort.io.source.state", stamp)
    with pytest.raises(InputError, match="the files changed"):
        io.read(tmp_path)


def test_packed_text(tmp_path: Path) -> None:
    """Zstandard is read like gzip, in several frames too; damage, bombs and other files within are refused."""
    packer: Any = import_module("zstandard")
    pack_ = packer.ZstdCompressor().compress
    path = tmp_path / "people.csv.zst"
    path.write_bytes(pack_(b"age,zip\n36,00118\n") + pack_(b"37,20121\n"))
    assert frame_of(io.read(path)).rows() == [("36", "00118"), ("37", "20121")]
    for bad in (path.read_bytes()[:-1], path.read_bytes()[:12] + b"\0" * 9):
        path.write_bytes(bad)
        with pytest.raises(InputError, match="damaged or cut short"):
            io.read(path)
    path.write_bytes(pack_(b"PK\x03\x04"))
    with pytest.raises(InputError):
        io.read(path)
    path.write_bytes(pack_(bytes(1 << 22)))
    with pytest.raises(LimitError):
        io.read(path, ReadOptions(max_memory=1 << 20))


def test_streams() -> None:
    """A DuckDB relation, a pyarrow reader and a narwhals frame are read; what streams no table is refused."""
    arrow: Any = import_module("pyarrow")
    narwhals: Any = import_module("narwhals")
    table = arrow.table({"age": [36, None], "zip": ["00118", "20121"]})
    due = [(36, "00118"), (None, "20121")]
    for stream in (table.to_reader(), narwhals.from_native(pl.DataFrame(table.to_pydict())), duckdb.from_arrow(table)):
        assert frame_of(io.read(stream)).rows() == due
    with pytest.raises(InputError, match=r"the stream holds no table|names"):
        io.read(arrow.chunked_array([[1, None]]))
    with pytest.raises(UsageError, match="anything that streams Arrow"):
        io.read(object())


def test_a_nameless_index() -> None:
    """A pandas index without a name is left out with a note; one with a name is a column, and refused."""
    frame = pd.DataFrame({"age": [36, 37]}, index=["Ada", "Bo"])
    with pytest.warns(SourceNote, match="index has no name and is left out"):
        assert io.read(frame).names == ("age",)
    with pytest.raises(SchemaError, match="index has a name"):
        io.read(frame.rename_axis("name"))


def test_notes_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A note is printed once, to standard error, and not at all where quiet."""
    book = openpyxl.Workbook()
    book.active.append(["age"])
    book.active.append([36])
    book.create_sheet("other")
    book.save(tmp_path / "a.xlsx")
    main(["inspect", str(tmp_path / "a.xlsx")])
    assert capsys.readouterr().err.count("note: ") == 1
    main(["hierarchy", "build", str(tmp_path / "a.xlsx"), "--quiet", "--column", "age", "suppress"])
    assert "note: " not in capsys.readouterr().err


# ── encodings ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("words", "encoding"),
    [
        ("Pérez Müller Søren Gonçalves naïve Zoë", "cp1252"),
        ("Łódź Świętochłowice Kraków Jędrzejów źle", "cp1250"),
        ("Москва Санкт-Петербург Иванов Пётр", "cp1251"),
        ("Αθήνα Θεσσαλονίκη Παπαδόπουλος", "cp1253"),
        ("Pérez Müller Søren Gonçalves naïve", "mac_roman"),
        ("東京都 大阪府 かとう さとう", "shift_jis"),
        ("서울특별시 부산광역시 김철수", "euc_kr"),
    ],
)
def test_the_likely_encoding_is_named(words: str, encoding: str, tmp_path: Path) -> None:
    """A text in another encoding than UTF-8 is refused, and the message names the one it is likely in."""
    path = tmp_path / "people.csv"
    path.write_bytes(("name,age\n" + "".join(f"{word},36\n" for word in words.split())).encode(encoding))
    with pytest.raises(InputError, match=f"(?s)not UTF-8.*likely --encoding {encoding}"):
        io.read(path)
    assert io.read(path, ReadOptions(encoding=encoding)).records == len(words.split())


def test_bytes_that_are_no_words() -> None:
    """Where no encoding makes words of the bytes, none is named."""
    assert records.hint(np.frombuffer(b"a\xa9b a\xb1b a\xa9b", np.uint8), 1) == "name the encoding (--encoding)"


def test_content_without_labels() -> None:
    """A file that says nothing of its columns has columns of which nothing is said."""
    assert from_content(Content(pl.DataFrame({"a": [1]})), "a")["a"].labels is None


def test_the_page_lists_every_form() -> None:
    """The documentation's table of formats is what the forms say of themselves."""
    page = Path("docs/how-to/read-a-table.md").read_text(encoding="utf-8")
    for form in FORMS.values():
        endings = ", ".join(f"`{ending}`" for ending in form.endings)
        back = form.independent or (form.title if form.written else "")
        row = f"| {form.title} | {endings} | {f'`{form.extra}`' if form.extra else ''} | yes | "
        assert f"{row}{'yes' if form.written else 'no'} | {back} |" in page


@pytest.mark.parametrize("width", [1, 8, 9, 12])
@pytest.mark.parametrize("out", ["csv", "sav", "zsav", "dta", "xlsx"])
def test_texts_of_spss_have_labels(width: int, out: str, tmp_path: Path) -> None:
    """Texts whose labels are all known are read as the labels, and are the texts again in SPSS."""
    texts = ["A" * width, "B" * width]
    path, target = tmp_path / "in.sav", tmp_path / f"out.{out}"
    labels = {"c": dict(zip(texts, ("first", "second"), strict=True))}
    pyreadstat.write_sav(pl.DataFrame({"q": ["x"] * 6, "c": texts * 3}), path, variable_value_labels=labels)
    assert {*io.read(path)["c"].cells()} == {"first", "second"}
    kohort.anonymize(path, k=3, quasi=["q"], insensitive=["c"], target=target)
    assert {*io.read(target)["c"].cells()} == {"first", "second"}
    if out == "sav":
        frame, told = pyreadstat.read_sav(target)
        assert ({*frame["c"]}, told.variable_value_labels) == ({*texts}, labels)


def test_texts_without_a_label_stay(tmp_path: Path) -> None:
    """Where one text has no label, or the missing text is one, kohort works with the texts, and says so."""
    path = tmp_path / "in.sav"
    cells = {"c": ["a", "b", "a"], "d": ["a", "", "a"]}
    pyreadstat.write_sav(pl.DataFrame(cells), path, variable_value_labels={"c": {"a": "first"}, "d": {"a": "first"}})
    with pytest.warns(SourceNote, match="'c': value labels are left out, since some values share one"):
        table = io.read(path)
    assert {*table["c"].cells()} == {"a", "b"}
    assert {*table["d"].cells()} == {"first", None}


@pytest.mark.parametrize(("out", "bytes_"), [("sav", 120), ("dta", 80)])
def test_long_labels_are_cut(out: str, bytes_: int, tmp_path: Path) -> None:
    """What a program does not allow of a label is cut, with a note, and no cell is blamed."""
    path, target = tmp_path / "in.dta", tmp_path / f"out.{out}"
    label = {"c": {1: "ü" * 90 + "1", 2: "2" + "ü" * 90}}
    people = pl.DataFrame({"q": ["x"] * 6, "c": [1, 2] * 3})
    if out == "sav":
        pyreadstat.write_dta(people, path, variable_value_labels=label)
    else:
        pyreadstat.write_sav(people, path := tmp_path / "in.sav", column_labels=["", "ü" * 90])
    with pytest.warns(SourceNote, match=f"'c': a label of the column is cut to the {bytes_} bytes"):
        kohort.anonymize(path, k=3, quasi=["q"], insensitive=["c"], target=target)
    assert target.exists()


def test_small_floats_of_spss_are_numbers(tmp_path: Path) -> None:
    """Floats that programs show with an exponent are plain numbers."""
    path = tmp_path / "in.sav"
    pyreadstat.write_sav(pl.DataFrame({"f": [1e-7, 2.5e-9, 1e20]}), path)
    assert {*io.read(path)["f"].cells()} == {"0.0000001", "0.0000000025", "100000000000000000000.0"}
    assert kohort.inspect(path)["f"].scale == "numeric"
