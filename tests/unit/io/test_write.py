"""Tables as bytes on a file and as frames."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import os
import re
import subprocess
import sys
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import FileError, MissingExtraError, UsageError
from kohort.io import write as writing
from kohort.io.forms import Format, format_of
from kohort.io.typed import from_frame, read_typed
from kohort.io.write import GROUP, PIECE, Pieces, to_frame, write
from kohort.tables.table import Column, Table
from kohort.verify.verdict import plain

if TYPE_CHECKING:
    from pathlib import Path

pa: Any = import_module("pyarrow")  # publishes no types
pq: Any = import_module("pyarrow.parquet")
ipc: Any = import_module("pyarrow.ipc")

#: Text that breaks careless writers: separators, quotes, line ends, blanks, marks, formulas, patterns.
NASTY = st.text(st.sampled_from(list(",;\t\"'\r\n \ufeff=+-@^$*aé0\u2028𝄞")), max_size=4)

#: Names a column can have: text without control characters, not blank.
NAMES = st.text(st.sampled_from(list(",;\"' \ufeff=@^$*aé𝄞")), min_size=1, max_size=4).filter(str.strip)


#: The formats that kohort itself writes; `tests/laws/test_format_laws.py` is about the others.
NATIVE = [format_ for format_ in Format if not format_.form.module]


def table_of(columns: dict[str, list[str | None]]) -> Table:
    """A table of text columns."""
    return from_frame(pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String)))


def written(table: Table, format_: Format, *, separator: str = ",", excel_safe: bool = False) -> bytes:
    """The bytes of `table`."""
    file = io.BytesIO()
    write(table, file, format_, separator=separator, excel_safe=excel_safe)
    return file.getvalue()


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Small tables of nasty text, with missing cells."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique_by=lambda name: name.casefold().strip()))
    records = draw(st.integers(0, 6))
    cells = st.lists(st.none() | NASTY, min_size=records, max_size=records)
    return table_of({name: draw(cells) for name in names})


def values_of(column: Column) -> pl.Series:
    """The distinct values of a column."""
    return column.values  # noqa: PD011  a polars series, not pandas


def rows(table: Table) -> list[tuple[str | None, ...]]:
    """The records, in order."""
    cells = [values_of(column).gather(column.codes).to_list() for column in table.columns]
    return list(zip(*cells, strict=True))


# ── laws ─────────────────────────────────────────────────────────────────────────────────────────


@given(tables(), st.sampled_from([*",;|^~ "]))
def test_csv_gives_back_every_cell(table: Table, separator: str) -> None:
    """Python's and polars' CSV readers find the names and every cell in order, missing ones as the empty text."""
    content = written(table, Format.CSV, separator=separator)
    expected = [table.names, *(tuple(cell or "" for cell in row) for row in rows(table))]
    assert not content.startswith(b"\xef\xbb\xbf")
    reader = csv.reader(io.StringIO(content.decode(), newline=""), delimiter=separator, strict=True)
    assert [tuple(record) for record in reader] == expected
    read = pl.read_csv(content, infer_schema=False, separator=separator, has_header=False)
    assert read.fill_null("").rows() == expected


@given(tables())
def test_quotes_stand_only_where_they_must(table: Table) -> None:
    """A cell without separator, quote, line end or byte order mark is written as it is."""
    lines = written(table, Format.TSV)
    plain = [[cell or "" for cell in row] for row in [table.names, *rows(table)]]
    if len(table.columns) > 1 and not any(set(cell) & set('\t"\r\n\ufeff') for row in plain for cell in row):
        assert lines.decode() == "".join("\t".join(row) + "\n" for row in plain)
    else:
        assert b'"' in lines or len(table.columns) == 1


@pytest.mark.parametrize("format_", [Format.PARQUET, Format.IPC])
@given(table=tables())
def test_typed_formats_give_back_every_cell(
    tmp_path_factory: pytest.TempPathFactory, format_: Format, table: Table
) -> None:
    """What the readers read is what was written, missing cells apart from empty ones."""
    path = tmp_path_factory.mktemp("written") / "table"
    path.write_bytes(written(table, format_))
    back = read_typed(path, "Parquet" if format_ is Format.PARQUET else "Arrow")
    assert back.names == table.names
    assert rows(back) == rows(table)


@given(tables())
def test_gzip_holds_the_same_text(table: Table) -> None:
    """A packed file is the plain one, packed without name or time."""
    packed = written(table, Format.CSV_GZ)
    assert gzip.decompress(packed) == written(table, Format.CSV)
    assert packed[3:8] == b"\0\0\0\0\0"


@given(tables(), st.randoms())
def test_bytes_do_not_depend_on_the_order_of_values(table: Table, random: Any) -> None:  # noqa: ANN401
    """Numbering the values of a column otherwise, or more widely, changes no byte of any format."""
    columns: list[Column] = []
    for column in table.columns:
        order = list(range(len(values_of(column))))
        random.shuffle(order)
        codes = np.argsort(order)[column.codes] if order else column.codes
        columns.append(Column(column.name, values_of(column).gather(order), codes.astype(np.uint32), column.dtype))
    for format_ in NATIVE:
        assert written(Table(tuple(columns), table.records), format_) == written(table, format_)


@given(tables(), st.sampled_from([",", "a"]), st.booleans())
def test_many_values_are_escaped_while_they_are_written(table: Table, separator: str, excel_safe: bool) -> None:  # noqa: FBT001  drawn
    """To the same bytes: what is many begins at two values here."""
    few, many = io.BytesIO(), io.BytesIO()
    write(table, few, Format.CSV, separator=separator, excel_safe=excel_safe)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "_ESCAPED", 1)
        write(table, many, Format.CSV, separator=separator, excel_safe=excel_safe)
    assert few.getvalue() == many.getvalue()


@given(tables())
def test_excel_safe_text_starts_no_formula(table: Table) -> None:
    """Cells and names that a spreadsheet would run get an apostrophe, and what has one already; no two become one."""
    content = written(table, Format.CSV, excel_safe=True)
    safe = list(csv.reader(io.StringIO(content.decode(), newline="")))
    plain = list(csv.reader(io.StringIO(written(table, Format.CSV).decode(), newline="")))
    for before, after in zip(chain.from_iterable(plain), chain.from_iterable(safe), strict=True):
        bare = before.lstrip("'")
        signed = bare[:1] in {"+", "-"} and not (bare == before and before[1:].isdigit())
        dated = re.fullmatch(r"[0-9]{1,4}[-/][0-9]{1,4}|[0-9]{1,2}([-/][0-9]{1,2}){2}", bare) is not None
        assert after == ("'" + before if signed or dated or bare[:1] in {"=", "@", "\t", "\r"} else before)


# ── delimited text ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("number", ["-1", "+39", "-0.5", "-.5", "-1e-7", "+1.", "0"])
def test_numbers_are_no_formulas(number: str) -> None:
    """A sign alone does not make a number dangerous."""
    assert written(table_of({"a": [number]}), Format.CSV, excel_safe=True).decode() == f"a\n{number}\n"


@pytest.mark.parametrize("cell", ["=cmd|' /C calc'!A0", "+1+1", "-1-1", "@SUM(1)", "\tx", "\rx", "-", "-1\n", "+x"])
def test_formulas_are_neutralised(cell: str) -> None:
    """Every start of a formula is kept from running, in cells as in names."""
    content = written(table_of({"=1+1": [cell], "b": [None]}), Format.CSV, excel_safe=True)
    assert list(csv.reader(io.StringIO(content.decode(), newline=""))) == [["'=1+1", "b"], ["'" + cell, ""]]


@pytest.mark.parametrize(
    "label",
    ["1-5", "10-14", "20-24", "3/4", "2020-03", "03/2020", "1-2-3", "1/2/03", "MAR1", "Sept-2", "1-Mar", "5 may"],
)
def test_labels_are_kept_from_being_dates(label: str) -> None:
    """A spreadsheet makes 5 January of 1-5; with an apostrophe, and with two, the label comes back as it was."""
    content = written(table_of({"a": [label, "'" + label]}), Format.CSV, excel_safe=True).decode()
    assert content.splitlines() == ["a", "'" + label, "''" + label]
    assert plain(pl.Series(content.splitlines()[1:])).to_list() == [label, "'" + label]


@pytest.mark.parametrize("cell", ["2020-03-01", "01/02/2020", "1.5", "1,5", "10:30", "Marie", "12345-1", "1-", "[1-5)"])
def test_other_texts_are_no_dates_of_labels(cell: str) -> None:
    """What is a date, a number, a code or a range in brackets stays as it is."""
    assert list(csv.reader([written(table_of({"a": [cell]}), Format.CSV, excel_safe=True).decode()[2:]])) == [[cell]]


def test_apostrophes_make_no_two_texts_one() -> None:
    """A name or cell that has apostrophes before a sign gets one more; an apostrophe before a letter stays alone."""
    made = written(table_of({"=a": ["=1"], "'=a": ["''-1"], "'90s": ["'"]}), Format.CSV, excel_safe=True)
    assert made.decode().splitlines() == ["'=a,''=a,'90s", "'=1,'''-1,'"]


def test_no_record_of_one_column_vanishes() -> None:
    """An empty cell is quoted where it would be a blank line."""
    assert written(table_of({"a": ["", None, "x"]}), Format.CSV) == b'a\n""\n""\nx\n'


def test_a_table_without_records_is_a_header() -> None:
    """No records are written as no lines."""
    assert written(table_of({"a": [], "b": []}), Format.CSV) == b"a,b\n"


def test_tsv_has_the_tab_whatever_the_separator() -> None:
    """The separator is an option of CSV; TSV is what its name says."""
    assert written(table_of({"a": ["1"], "b": ["2"]}), Format.TSV, separator=";") == b"a\tb\n1\t2\n"
    packed = written(table_of({"a": ["1"], "b": ["2"]}), Format.TSV_GZ)
    assert gzip.decompress(packed) == b"a\tb\n1\t2\n"


@given(st.lists(st.integers(0, 3 * PIECE), max_size=4))
def test_pieces_are_of_one_size(sizes: list[int]) -> None:
    """However text is handed over, it is passed on in pieces of one size, and nothing of it is lost."""
    passed: list[bytes] = []

    class Sink(io.BytesIO):
        def write(self, content: Any) -> int:  # noqa: ANN401  any buffer
            passed.append(bytes(content))
            return len(content)

    pieces = Pieces(Sink())
    for place, size in enumerate(sizes):
        assert pieces.write(bytes([place]) * size) == size
        pieces.flush()
    assert all(len(piece) == PIECE for piece in passed)
    assert b"".join([*passed, pieces.held]) == b"".join(bytes([place]) * size for place, size in enumerate(sizes))


@pytest.mark.parametrize("separator", ["", "ab", '"', "\n", "\r", "é"])
def test_an_ambiguous_separator_is_refused(separator: str) -> None:
    """A separator is one ASCII character that means nothing else."""
    with pytest.raises(UsageError, match="separator"):
        written(table_of({"a": ["1"]}), Format.CSV, separator=separator)


# ── Parquet and Arrow IPC ────────────────────────────────────────────────────────────────────────

TYPED = pl.DataFrame(
    {
        "whole": [2**63 - 1, None, -7],
        "real": [0.5, None, 1e300],
        "yes": [True, None, False],
        "day": [dt.date(2026, 3, 1), None, dt.date(1999, 12, 31)],
        "moment": pl.Series([0, None, 1], dtype=pl.Datetime("ns", "Europe/Rome")),
        "text": ["", None, "x"],
        "nothing": [None, None, None],
    }
)


@pytest.mark.parametrize("format_", [Format.PARQUET, Format.IPC])
def test_untouched_columns_come_back_in_their_type(format_: Format) -> None:
    """A file written from a typed source has its types and its cells."""
    content = written(from_frame(TYPED), format_)
    read = pl.read_parquet(content) if format_ is Format.PARQUET else pl.read_ipc(content)
    assert read.schema == TYPED.schema
    assert read.equals(TYPED)


def test_recoded_columns_come_back_as_text() -> None:
    """One label that is no value of the source's type makes the column text."""
    column = Column("age", pl.Series(["[20-29]", "30"]), np.array([0, 1], np.uint8), pl.Int64())
    assert pl.read_parquet(written(Table((column,), 2), Format.PARQUET))["age"].to_list() == ["[20-29]", "30"]


@pytest.mark.parametrize("like", ["file", "polars"])
def test_values_that_no_record_holds_leave_nothing(like: str) -> None:
    """Neither a dictionary nor the memory behind Arrow text carries a value of a record that was left out."""
    everyone = pl.Series(["kept, long enough to lie outside", "CANARY, long enough to lie outside"])
    table = Table((Column("a", everyone, np.array([0, 0], np.uint8), pl.String()),), 2)
    if like == "file":
        content = written(table, Format.IPC)
        arrow: Any = ipc.open_file(content).read_all()["a"].chunk(0)
        assert pq.read_schema(io.BytesIO(written(table, Format.PARQUET))).field(0).type == pa.large_string()
    else:
        frame = cast("pl.DataFrame", to_frame(table, "polars"))
        arrow = cast("Any", frame["a"].to_arrow(compat_level=pl.CompatLevel.newest()))
    assert not any(b"CANARY" in buffer.to_pybytes() for buffer in arrow.buffers() if buffer)


def test_parquet_carries_no_metadata() -> None:
    """No pandas index, no name of a source and no history is in the file."""
    source = pa.table({"a": pa.array([1, 2])}).replace_schema_metadata({"pandas": "CANARY", "history": "CANARY"})
    content = written(from_frame(source), Format.PARQUET)
    assert b"CANARY" not in content
    assert pq.read_schema(io.BytesIO(content)).metadata is None


def test_excel_safe_parquet_is_refused() -> None:
    """An option that would do nothing is not accepted in silence."""
    with pytest.raises(UsageError, match="excel_safe"):
        written(table_of({"a": ["1"]}), Format.PARQUET, excel_safe=True)


# ── files ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("format_", [one for one in Format if one.form.exact])
def test_writing_starts_where_the_file_stands_and_leaves_it_open(tmp_path: Path, format_: Format) -> None:
    """A file on disk gets the bytes that memory gets, and stays usable."""
    table = table_of({"a": ["1", "2"], "b": ["x", None]})
    with (tmp_path / "release").open("w+b") as file:
        write(table, file, format_)
        file.seek(0)
        assert file.read() == written(table, format_)


@pytest.mark.parametrize("format_", Format)
def test_a_full_disk_is_a_file_error(format_: Format) -> None:
    """What the system refuses is said in its words, whichever way polars passes it on."""
    full = "/dev/full"
    if not os.path.exists(full):  # noqa: PTH110
        pytest.skip("this system has no /dev/full")
    with open(full, "wb", buffering=0) as file, pytest.raises(FileError, match="No space left"):  # noqa: PTH123
        write(table_of({"a": ["1"]}), cast("BinaryIO", file), format_)


def test_a_failure_without_a_number_is_a_file_error_too() -> None:
    """A file object that fails in its own way leaks nothing but the kind of failure."""

    class Broken(io.BytesIO):
        def write(self, _: object) -> int:
            raise OSError("CANARY")

    with pytest.raises(FileError) as raised:
        write(table_of({"a": ["1"]}), Broken(), Format.CSV)
    assert "CANARY" not in str(raised.value)


_DIGESTS = f"""
import hashlib, io, numpy as np, polars as pl
from kohort.tables.table import Column, Table
from kohort.verify.verdict import plain
from kohort.io.forms import Format
from kohort.io.write import write
records = {GROUP + 70_000}
random = np.random.default_rng(7)
columns = []
for distinct in (3, 300, 70_000):
    values = pl.Series(range(distinct)).cast(pl.String)
    codes = random.integers(0, distinct, records).astype(np.uint32)
    columns.append(Column(str(distinct), values, codes, pl.Int64() if distinct == 300 else pl.String()))
for format_ in [one for one in Format if not one.form.module]:
    file = io.BytesIO()
    write(Table(tuple(columns), records), file, format_)
    print(format_, hashlib.sha256(file.getvalue()).hexdigest())
"""


@pytest.mark.slow("two processes that write every format")
def test_bytes_do_not_depend_on_the_number_of_threads() -> None:
    """One thread and three write the same bytes, over several row groups, in every format."""
    digests = {
        subprocess.run(
            [sys.executable, "-c", _DIGESTS],
            env=os.environ | {"POLARS_MAX_THREADS": threads, "PYTHONHASHSEED": threads},
            check=True,
            capture_output=True,
        ).stdout
        for threads in ("1", "3")
    }
    assert len(digests) == 1
    assert len(digests.pop().splitlines()) == len(NATIVE)


# ── formats and frames ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "format_"),
    [
        ("a.csv", Format.CSV),
        ("b/A.CSV.GZ", Format.CSV_GZ),
        ("a.tsv", Format.TSV),
        ("a.tab", Format.TSV),
        ("a.tsv.gz", Format.TSV_GZ),
        ("a.parquet", Format.PARQUET),
        ("a.pq", Format.PARQUET),
        ("a.arrow", Format.IPC),
        ("a.feather", Format.IPC),
        ("a.ipc", Format.IPC),
    ],
)
def test_the_ending_means_the_format(name: str, format_: Format) -> None:
    """A name's ending tells the format, in any case of letters, unless one is given."""
    assert format_of(name) is format_
    assert format_of(name, "tsv") is Format.TSV


@pytest.mark.parametrize(("name", "explicit"), [("a.ods", None), ("a", None), ("a.csv", "excel")])
def test_an_unknown_format_is_a_usage_error(name: str, explicit: str | None) -> None:
    """What kohort cannot write it says, with what it can."""
    with pytest.raises(UsageError, match="csv"):
        format_of(name, explicit)


def test_pandas_gets_its_types_and_no_index() -> None:
    """Integers with missing values keep their digits; the index is the row number and no column."""
    frame = cast("pd.DataFrame", to_frame(from_frame(TYPED), "pandas"))
    assert list(frame.columns) == TYPED.columns
    assert isinstance(frame.index, pd.RangeIndex)
    assert [str(dtype) for dtype in frame.dtypes[:3]] == ["Int64", "float64", "boolean"]
    assert frame["whole"].tolist() == [2**63 - 1, pd.NA, -7]
    assert frame["day"].tolist() == [dt.date(2026, 3, 1), None, dt.date(1999, 12, 31)]
    assert rows(from_frame(frame)) == rows(from_frame(TYPED))


@pytest.mark.parametrize("like", ["polars", "pandas", "pyarrow"])
@given(table=tables())
def test_every_frame_gives_back_every_cell(like: str, table: Table) -> None:
    """A table handed back as a frame and read again is the same table."""
    assert rows(from_frame(to_frame(table, like))) == rows(table)


def test_pyarrow_gets_an_arrow_table() -> None:
    """The caller's library comes back, with its types."""
    table = cast("Any", to_frame(from_frame(TYPED), "pyarrow"))
    assert isinstance(table, pa.Table)
    assert table.schema.field("whole").type == pa.int64()


def test_an_unknown_library_is_a_usage_error() -> None:
    """There are frames of three libraries."""
    with pytest.raises(UsageError, match="modin"):
        to_frame(from_frame(TYPED), "modin")


@pytest.mark.parametrize(("like", "library"), [("pyarrow", "pyarrow"), ("pandas", "pyarrow"), ("pandas", "pandas")])
def test_a_missing_library_is_said(monkeypatch: pytest.MonkeyPatch, like: str, library: str) -> None:
    """A frame of a library that is not installed cannot be made, and the message says how to get it."""
    table = from_frame(TYPED)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match="kohort\\[pandas\\]"):
        to_frame(table, like)


def test_a_record_of_any_length_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one has more bytes than there is room for, more is made."""
    table = from_frame(pl.DataFrame({"a": ["x", "y" * 100, "z"], "b": ["1", "2", ""]}))
    monkeypatch.setattr("kohort.io.write._BEGUN", 4)
    file = io.BytesIO()
    write(table, file, Format.CSV)
    assert file.getvalue() == b"a,b\nx,1\n" + b"y" * 100 + b",2\nz,\n"
