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

from kohort.errors import InfeasibleError, InputError, KohortError, UsageError
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


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    """Behind it the bytes are the same."""
    plain, marked = Text.of("a", b"a,b\n123456789,2\n"), Text.of("a", b"\xef\xbb\xbfa,b\n123456789,2\n")
    assert plain.data.tolist() == marked.data.tolist()


def test_adult_is_read_exactly(adult_csv: Path) -> None:
    """Every cell of UCI Adult is what Python's csv module reads."""
    with adult_csv.open(newline="", encoding="utf-8") as file:
        expected = [tuple(row) for row in csv.reader(file)]
    table = read(adult_csv)
    columns: list[list[str]] = [column.values.gather(column.codes).to_list() for column in table.columns]
    assert [table.names, *zip(*columns, strict=True)] == expected


#: A text of three columns, and what may stand above the names of its columns.
BODY = "age;sex;ill\n20;M;flu\n20;F;gout\n30;F;flu\n"
ABOVE = {
    "a title": "Survey 2020\n",
    "a title with the separators of a sheet": "Survey 2020;;\n",
    "a title and a blank line": "Survey 2020\n\n",
    "two titles and a blank line": "Survey\nof 2020\n\n",
    "a comment": "# made in 2020\n",
    "a quote that is never closed": 'Survey "2020\n',
    "blank lines": "\n\n",
    "names of groups": "Person;;Health\n",
    "sep= and a title": "sep=;\nSurvey 2020\n",
    "CRLF": "Survey 2020\r\n\r\n",
}


@pytest.mark.parametrize("above", ABOVE.values(), ids=ABOVE)
def test_lines_above_the_names(above: str, tmp_path: Path) -> None:
    """The message says which line seems to name the columns, and how the lines above it are skipped."""
    path, lines = tmp_path / "a.csv", above.count("\n")
    path.write_text(above + (BODY.replace("\n", "\r\n") if "\r" in above else BODY), newline="")
    with pytest.raises(InputError, match=f"row {lines + 1} seems to hold the column names") as caught:
        read(path)
    assert f"--skip-rows {lines} " in caught.value.hint
    found = read(path, ReadOptions(skip_rows=lines))
    assert found.names == ("age", "sex", "ill")
    assert found.records == 3
    assert read(path, ReadOptions(skip_rows=lines, header=True)).names == found.names
    bare = read(path, ReadOptions(skip_rows=lines + 1, names=("a", "b", "c")))
    assert (bare.names, bare.records) == (("a", "b", "c"), 3)


@pytest.mark.parametrize(
    ("line", "separator"),
    [("sep=;", ";"), ('"sep=;"', ";"), ("SEP=,", ","), ("sep=\t", "\t"), ("sep=|", "|"), ("\ufeffsep=;", ";")],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_declared_separator_is_honoured(line: str, separator: str, end: str) -> None:
    """Excel's own first line is no record, and says more than what would be detected; a flag says more than it."""
    rows: Rows = [("a", "b;,"), ("1", "x;,y"), ("2", "z")]
    body = written(rows, separator, end, csv.QUOTE_MINIMAL)
    text_in = text_of("a.csv", f"{line}{end}{body}".encode(), ReadOptions(), packed=False)
    assert read_text(text_in, ReadOptions()).names == ("a", "b;,")
    assert read_text(text_in, ReadOptions(skip_rows=1)).records == 2
    assert len(read_text(text_in, ReadOptions(separator="!", quote=None, header=False)).names) == 1


@pytest.mark.parametrize(
    "body",
    [
        ",name,city\n0,Bob,Roma\n1,Ann,Bari\n",
        ",city\n0,Roma\n1,Bari\n",
        "name,city\nBob,\nAnn,Bari\n",
        "name,city\n,\nAnn,Bari\n",
        "sep,city\n1,Bari\n",
        "name\n\nBob\n",
        "a,b,\n1,2,3\n4,5,6\n",
    ],
)
def test_a_first_line_that_is_no_title(body: str, tmp_path: Path) -> None:
    """An index without a name, missing values and a column without a name leave the first line the names."""
    (tmp_path / "a.csv").write_text(body)
    assert read(tmp_path / "a.csv").records == body.count("\n") - 1


@pytest.mark.parametrize("last", ["Total,9", "Somme,9\n", '"Gesamt",9\n', ",TOTALE:,9\n", "Sum,9\r\n\r\n"])
def test_a_last_line_of_sums_is_told(last: str, tmp_path: Path) -> None:
    """It is a record all the same, as nobody but the table's owner knows."""
    names = "i,ward,beds\n0,a,4\n1,b,5\n" if last[0] == "," else "ward,beds\na,4\nb,5\n"
    (tmp_path / "a.csv").write_text(names + last, newline="")
    found = read(tmp_path / "a.csv")
    assert found.records == 3
    assert sum("begins with a word for a total" in note for note in found.notes) == 1
    (tmp_path / "a.csv").write_text(names, newline="")
    assert not read(tmp_path / "a.csv").notes


def test_more_lines_are_skipped_than_there_are(tmp_path: Path) -> None:
    """Nothing would be left to name the columns; and a count is a count."""
    (tmp_path / "a.csv").write_text(BODY)
    with pytest.raises(InputError, match="no line is left below the rows that are skipped"):
        read(tmp_path / "a.csv", ReadOptions(skip_rows=4))
    for wrong in (-1, True, 1.0):
        with pytest.raises(UsageError, match="skip-rows must be a count"):
            ReadOptions(skip_rows=wrong)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
