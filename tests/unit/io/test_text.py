"""Reading delimited text: equal to Python's csv reader wherever both accept, and never silently different."""

from __future__ import annotations

import csv
import gzip
import io
from typing import TYPE_CHECKING, Literal, TypeAlias

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kohort.errors import InfeasibleError, KohortError, UsageError
from kohort.io import ReadOptions, dictionary, read, text
from kohort.io.source import Text, text_of
from kohort.io.text import read_text

if TYPE_CHECKING:
    from pathlib import Path

Quoting: TypeAlias = Literal[0, 1, 2, 3]
Rows: TypeAlias = list[tuple[str, ...]]

#: Characters that mean something to some reader, and lengths round a word's eight bytes.
NASTY = st.one_of(
    st.text(st.sampled_from(list(",;\t|\"' \n\r#=-+0129aé\u20ac\U0001f600\ufeff\u2028\x1a\x7f"))),
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs", "Cn"]), max_size=20),
    st.integers(0, 40).map("x".__mul__),
    st.sampled_from(["", "NA", "null", "1e5", "00118", '"', '""', "\r\n", "\n", "\r"]),
)


@st.composite
def tables(draw: st.DrawFn) -> Rows:
    """Names c0, c1, … and up to eight records of nasty cells, some of them repeated."""
    columns = draw(st.integers(1, 4))
    cells = draw(st.lists(NASTY, min_size=1, max_size=12))
    record = st.tuples(*[st.sampled_from(cells)] * columns)
    return [tuple(f"c{place}" for place in range(columns)), *draw(st.lists(record, min_size=1, max_size=8))]


def written(rows: Rows, separator: str, end: str, quoting: Quoting) -> str:
    """The rows as Python's csv module writes them."""
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=separator, lineterminator=end, quoting=quoting).writerows(rows)
    return file.getvalue()


def csv_rows(content: str, separator: str = ",") -> Rows:
    """The rows as Python's csv module reads them; to it a blank line has no cells, to a column it is a value."""
    lines = csv.reader(io.StringIO(content, newline=""), delimiter=separator, strict=True)
    return [tuple(row) or ("",) for row in lines]


def as_table(rows: Rows) -> Rows:
    """The rows as a table: a blank name is replaced, and a final blank line is no record of several columns."""
    header = tuple(name if name.strip() else f"column_{place}" for place, name in enumerate(rows[0], 1))
    while len(header) > 1 and rows[-1] == ("",):
        rows = rows[:-1]
    return [header, *rows[1:]]


def parsed(content: bytes, options: ReadOptions) -> Rows:
    """The rows as kohort reads them."""
    table = read_text(text_of("x.csv", content, options, packed=False), options)
    columns: list[list[str]] = [column.values.gather(column.codes).to_list() for column in table.columns]
    return [table.names, *zip(*columns, strict=True)]


@given(
    rows=tables(),
    separator=st.sampled_from(",;\t|"),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32-be"]),
    packed=st.booleans(),
)
def test_what_csv_writes_is_read_back(
    rows: Rows, separator: str, end: str, quoting: Quoting, encoding: str, *, packed: bool
) -> None:
    """Every table written in any of the csv module's quoted dialects is read back exactly."""
    plain = written(rows, separator, end, quoting)
    assume(csv_rows(plain, separator) == rows)  # the module itself may leave a lone CR or LF without quotes
    content = plain.encode(encoding)
    options = ReadOptions(separator=separator, encoding=encoding, header=True)
    whole = text_of("x.csv", gzip.compress(content) if packed else content, options, packed=packed)
    table = read_text(whole, options)
    assert table.names == rows[0]
    assert table.records == len(rows) - 1
    for place, column in enumerate(table.columns):
        assert column.values.gather(column.codes).to_list() == [row[place] for row in rows[1:]]
        assert column.values.n_unique() == len(column.values) == len({row[place] for row in rows[1:]})
        assert (column.values.dtype, column.dtype) == (pl.String(), pl.String())


@given(
    content=tables().map(lambda rows: written(rows, ",", "\n", csv.QUOTE_MINIMAL).encode()),
    cut=st.integers(0, 60),
    drop=st.integers(0, 3),
    insert=st.lists(st.sampled_from([*b',"\n\r\0 ax\xff\xc3\xa9'])).map(bytes),
)
def test_damaged_text_is_never_read_otherwise(content: bytes, cut: int, drop: int, insert: bytes) -> None:
    """After bytes are changed anywhere, the table is what a strict csv reader gives, or there is a typed error."""
    damaged = content[:cut] + insert + content[cut + drop :]
    try:
        rows = parsed(damaged, ReadOptions(separator=",", header=True))
    except KohortError:
        return
    assert rows == as_table(csv_rows(damaged.decode().removeprefix("\ufeff")))


@given(rows=tables(), cells=st.integers(1, 5), records=st.integers(1, 2))
def test_chunks_do_not_show(rows: Rows, cells: int, records: int) -> None:
    """How many records are coded at a time, and how many values become text at a time, changes nothing."""
    content = written(rows, ",", "\n", csv.QUOTE_ALL).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "_CELLS", cells)
        patch.setattr(text, "_RECORDS", records)
        patch.setattr(dictionary, "_TURNED", cells)
        patch.setattr(dictionary, "_OWN", 8)
        patch.setattr(dictionary, "_SLOTS", 2)
        assert parsed(content, ReadOptions(separator=",", header=True)) == rows


@pytest.mark.parametrize(
    "wrong",
    [
        {"separator": ""},
        {"separator": "::"},
        {"separator": "é"},
        {"separator": "\n"},
        {"separator": '"'},
        {"quote": "\r"},
        {"quote": ""},
        {"encoding": "utf-9"},
        {"encoding": "hex"},
        {"encoding": "a\0b"},
        {"max_cell": 0},
        {"max_memory": -1},
        {"max_ratio": 0},
    ],
)
def test_impossible_options_are_refused(wrong: dict[str, str | int]) -> None:
    """No text can be read with such options: they cannot be built."""
    with pytest.raises(UsageError):
        ReadOptions(**wrong)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  what the test is about


def test_paths_and_empty_tables(tmp_path: Path) -> None:
    """Text and path objects name the same file; no records are an error for any source."""
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\n1,2\n")
    assert read(path).names == read(str(path)).names == ("a", "b")
    with pytest.raises(InfeasibleError, match="the frame"):
        read(pl.DataFrame({"a": []}, schema={"a": pl.String}))


@pytest.mark.parametrize("size", range(1, 20))
def test_cells_at_the_very_end(size: int) -> None:
    """A cell that ends with the text is read whole, however few bytes are left for the last words."""
    cell = "abcdefghijklmnopqrs"[:size]
    assert parsed(f"A\n{cell}".encode(), ReadOptions(separator=",")) == [("A",), (cell,)]
    assert parsed(f"A\n{cell}\n{cell}".encode(), ReadOptions(separator=",")) == [("A",), (cell,), (cell,)]
    assert parsed(f'A\n"{cell}"'.encode(), ReadOptions(separator=",")) == [("A",), (cell,)]


def test_text_is_mapped_at_any_offset() -> None:
    """After a byte order mark the words start at an odd address and are the same."""
    plain, marked = Text.of("a", b"a,b\n123456789,2\n"), Text.of("a", b"\xef\xbb\xbfa,b\n123456789,2\n")
    assert plain.words.tolist() == marked.words.tolist()


def test_adult_is_read_exactly(adult_csv: Path) -> None:
    """Every cell of UCI Adult is what Python's csv module reads."""
    with adult_csv.open(newline="", encoding="utf-8") as file:
        expected = [tuple(row) for row in csv.reader(file)]
    table = read(adult_csv)
    columns: list[list[str]] = [column.values.gather(column.codes).to_list() for column in table.columns]
    assert [table.names, *zip(*columns, strict=True)] == expected
