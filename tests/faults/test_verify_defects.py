"""Defects seeded into a correct release: each is caught, by the check whose business it is."""

from __future__ import annotations

import gzip
import io
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, cast

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import VerificationError
from kohort.io.forms import Format
from kohort.io.typed import from_frame
from kohort.io.write import write
from kohort.schema import Attribute, Role, Schema
from kohort.verify import Claim, verify
from tests.unit.verify.people import MIDDLE, OLD, PEOPLE, SCHEMA, SILENT, YOUNG, Draft, draft, refused

if TYPE_CHECKING:
    from collections.abc import Callable

GOOD = draft()
BOM = b"\xef\xbb\xbf"


def place_of(release: Draft, labels: tuple[str, str], which: int = 0) -> int:
    """Where the record stands that is the `which`-th of its class."""
    return [place for place, row in enumerate(release.rows) if row[:2] == labels][which]


@pytest.mark.parametrize("format_", list(Format))
def test_correct_release_passes(format_: str) -> None:
    """A release without a defect is accepted in every format, and its verdict tells what it holds."""
    verdict = replace(GOOD, format=format_).verdict()
    assert (verdict.records, verdict.classes, verdict.smallest, verdict.largest) == (16, 4, 4, 4)
    assert [(band.low, band.high, band.classes) for band in verdict.bands] == [(4, 7, 4)]


def test_names_that_the_input_has_in_a_released_column() -> None:
    """What is released as it stands in the input, and holds a name there, is refused unless it is allowed."""
    noted = draft(tuple((*row[:4], f"as {row[0]}" if row[1] == "52" else row[4]) for row in PEOPLE))
    with pytest.raises(VerificationError, match="cells of 1 person hold cells or words") as caught:
        verify(io.BytesIO(noted.text), noted.claim)
    assert caught.value.where == "check identifiers, column visits"
    verdict = verify(io.BytesIO(noted.text), replace(noted.claim, allowed=("visits",)))
    assert [(one.columns, one.unique) for one in verdict.singling[:2]] == [(("illness",), 0), (("visits",), 5)]


# ── columns ──────────────────────────────────────────────────────────────────────────────────────


def test_index_column() -> None:
    """A column that numbers the records is no column of the schema."""
    rows = tuple((str(place), *row) for place, row in zip(GOOD.lineage, GOOD.rows, strict=True))
    assert refused(replace(GOOD, header=("index", *GOOD.header), rows=rows)) == "check columns"


def test_extra_column() -> None:
    """A column more than the schema has is refused, wherever it stands."""
    rows = tuple((*row, "x") for row in GOOD.rows)
    assert refused(replace(GOOD, header=(*GOOD.header, "more"), rows=rows)) == "check columns"


def test_renamed_column() -> None:
    """A column under another name is one unknown and one absent."""
    assert refused(replace(GOOD, header=("Age", *GOOD.header[1:]))) == "check columns, column age"


def test_swapped_columns() -> None:
    """The right columns in another order are refused."""
    assert refused(replace(GOOD, header=("city", "age", "illness", "visits"))) == "check columns"


def test_identifying_column() -> None:
    """An identifying column in the file is named as what it is."""
    rows = tuple((GOOD.people[at][0], *row) for at, row in zip(GOOD.lineage, GOOD.rows, strict=True))
    assert refused(replace(GOOD, header=("name", *GOOD.header), rows=rows)) == "check columns, column name"


# ── records and lineage ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("place", range(16))
def test_lost_record(place: int) -> None:
    """A record that is missing without having been suppressed is missed."""
    kept = GOOD.taking([at for at in range(16) if at != place])
    assert refused(kept) == "check records"


def test_lost_record_of_the_file_alone() -> None:
    """A line less in the file is noticed though the lineage has all records."""
    assert refused(GOOD, GOOD.text[: GOOD.text[:-1].rindex(b"\n") + 1]) == "check records"


def test_copied_record() -> None:
    """A record that stands in the file twice is one too many."""
    assert refused(GOOD.taking([0, *range(16)])) == "check records"


def test_copied_record_in_the_place_of_another() -> None:
    """A copy that makes up for a lost record claims an input record that is taken."""
    assert refused(GOOD.taking([0, *range(15)])) == "check lineage"


@pytest.mark.parametrize("stranger", [-1, 16])
def test_record_from_nowhere(stranger: int) -> None:
    """A record that claims to be none of the input's is refused."""
    assert refused(replace(GOOD, lineage=(stranger, *GOOD.lineage[1:]))) == "check lineage"


def test_short_lineage() -> None:
    """Every released record needs a claimed origin."""
    assert refused(replace(GOOD, lineage=GOOD.lineage[1:])) == "check lineage"


# ── cells ────────────────────────────────────────────────────────────────────────────────────────


def test_swapped_sensitive_cells() -> None:
    """Sensitive cells that changed places between classes are changed, though every value is still there."""
    one, other = place_of(GOOD, YOUNG), place_of(GOOD, OLD, 3)
    cells = GOOD.rows[one][2], GOOD.rows[other][2]
    assert cells[0] != cells[1]
    wrong = GOOD.with_cell(one, "illness", cells[1]).with_cell(other, "illness", cells[0])
    assert refused(wrong) == "check cells, column illness"


@pytest.mark.parametrize("text", ["FLU", "flu ", "", "measles"])
def test_changed_cell(text: str) -> None:
    """A cell that is not generalized is the input's to the letter."""
    place = next(at for at, row in enumerate(GOOD.rows) if row[2] == "flu")
    assert refused(GOOD.with_cell(place, "illness", text)) == "check cells, column illness"


def test_leaked_identifier() -> None:
    """A person's name in whatever column is caught, before the cell is found to be changed."""
    assert refused(GOOD.with_cell(3, "visits", GOOD.people[7][0])) == "check identifiers, column name"


# ── labels and regions ───────────────────────────────────────────────────────────────────────────


def test_record_in_a_wrong_region() -> None:
    """A record below the labels of another class lies outside them."""
    place = place_of(GOOD, MIDDLE)
    wrong = GOOD.with_cell(place, "age", OLD[0]).with_cell(place, "city", OLD[1])
    assert refused(wrong) == "check regions, column age"


def test_missing_value_in_a_range() -> None:
    """No range holds a missing number."""
    assert refused(GOOD.labelled(SILENT, (MIDDLE[0], "Milan"))) == "check regions, column age"


def test_value_called_missing() -> None:
    """An empty cell stands for a missing value, and for no other."""
    assert refused(GOOD.labelled(MIDDLE, ("", MIDDLE[1]))) == "check regions, column age"


@pytest.mark.parametrize(
    ("column", "label"),
    [
        ("age", "[21-29] "),
        ("age", " [21-29]"),
        ("age", "[21 - 29]"),
        ("age", "[021-29]"),
        ("age", "[21-29.0]"),
        ("age", "[20-29]"),
        ("age", "[29-21]"),
        ("age", "[24-24]"),
        ("age", "[21-29)"),
        ("age", "{21, 24}"),
        ("city", "{Rome, Naples}"),
        ("city", "{Naples,Rome}"),
        ("city", "{NAPLES, ROME}"),
        ("city", '{"Naples", Rome}'),
        ("city", "{Rome, Rome}"),
        ("city", "{Rome}"),
        ("city", "Italy"),
        ("city", "[Naples-Rome]"),
        ("city", "rome"),
        ("city", '{"\\x", Rome}'),
    ],
)
def test_label_that_the_schema_cannot_produce(column: str, label: str) -> None:
    """A label in another spelling or with a name nobody knows is refused, even where a reader would understand it."""
    new = (label, YOUNG[1]) if column == "age" else (YOUNG[0], label)
    assert refused(GOOD.labelled(YOUNG, new).ordered()).startswith(f"check labels, column {column}")


def test_trailing_blank() -> None:
    """A blank after one label of a class is caught."""
    assert refused(GOOD.with_cell(place_of(GOOD, OLD), "city", OLD[1] + " ")) == "check labels, column city"


def test_changed_case_that_splits_a_class() -> None:
    """A label in capitals for half of a class is caught."""
    wrong = GOOD.with_cell(place_of(GOOD, SILENT, 0), "city", "MILAN").with_cell(
        place_of(GOOD, SILENT, 1), "city", "MILAN"
    )
    assert refused(wrong) == "check labels, column city"


def test_range_wider_than_its_class() -> None:
    """A range whose end is somebody's age, but nobody's of the class, is not the class's range."""
    assert refused(GOOD.labelled(YOUNG, ("[21-31]", YOUNG[1]))) == "check ends, column age"


def gridded(young: str, middle: str, old: str) -> Draft:
    """The release with an age grid of ten years and these labels."""
    schema = Schema((SCHEMA.attributes[0], Attribute("age", Role.QUASI, grid=Fraction(10)), *SCHEMA.attributes[2:]))
    release = GOOD.labelled(YOUNG, (young, YOUNG[1])).labelled(MIDDLE, (middle, MIDDLE[1])).labelled(OLD, (old, OLD[1]))
    return replace(release, schema=schema)


def test_grid() -> None:
    """Intervals of the grid are accepted, and the labels then do not depend on the data."""
    verdict = gridded("[20-30)", "[30-40)", "[50-80)").verdict()
    assert (verdict.data_dependent, verdict.range_exposure) == (False, 0)


@pytest.mark.parametrize("label", ["[21-30)", "[20-29)", "[20.0-30)", "[20-30.5)"])
def test_range_end_off_the_grid(label: str) -> None:
    """An interval end that is no cut of the grid is caught."""
    assert refused(gridded(label, "[30-40)", "[50-80)")) == "check grid, column age"


def test_record_in_a_wrong_interval() -> None:
    """The upper end of a grid interval is outside it."""
    people = tuple((name, "30" if age == "29" else age, *rest) for name, age, *rest in PEOPLE)
    assert refused(replace(gridded("[20-30)", "[30-40)", "[50-80)"), people=people)) == "check regions, column age"


# ── classes and order ────────────────────────────────────────────────────────────────────────────


def test_class_of_one_less_than_k() -> None:
    """A class that lost a record to suppression no longer has k."""
    place = place_of(GOOD, MIDDLE, 1)
    kept = replace(GOOD.taking([at for at in range(16) if at != place]), suppressed=1)
    assert refused(kept) == "check classes"


def test_class_of_missing_values_below_k() -> None:
    """Missing values are a class of their own, which must have k records like any other."""
    people = tuple((name, "" if name == "Nino Rota" else age, *rest) for name, age, *rest in PEOPLE)
    release = draft(people)
    rows = tuple(("[21-24]", *row[1:]) if row[0] == "[21-29]" else row for row in release.rows)
    place = release.lineage.index(next(at for at, one in enumerate(people) if one[0] == "Nino Rota"))
    wrong = replace(release, rows=rows).with_cell(place, "city", "Rome").ordered()
    assert refused(wrong) == "check classes"


def test_kept_order() -> None:
    """Records in the order of the input betray who is who, even if all else is right."""
    assert refused(GOOD.taking(sorted(range(16), key=lambda place: GOOD.lineage[place]))).startswith("check order")


@given(st.permutations(range(16)))
def test_any_other_order(places: list[int]) -> None:
    """An order is accepted exactly if the rows of the file are the canonical ones."""
    other = GOOD.taking(places)
    if other.rows == GOOD.rows:
        assert other.verdict() == GOOD.verdict()
    else:
        assert refused(other).startswith("check order")


# ── bytes ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "data",
    [
        BOM + GOOD.text,
        GOOD.text.replace(b"\n", b"\r\n"),
        GOOD.text.replace(b"\n", b"\r"),
        GOOD.text[:-1],
        GOOD.text[:-3],
        GOOD.text[:-1].replace(b"\n", b"\r\n", 1),
        GOOD.text.replace(b"\n", b"\n\n", 1),
        GOOD.text + b"\n",
        GOOD.text + b"\r\n",
        GOOD.text + b"\0\n",
        GOOD.text + b",,,",
        GOOD.text + b",,\n",
        GOOD.text + b",,,,\n",
        GOOD.text.replace(b"flu", b'"flu"', 1),
        GOOD.text.replace(b"flu", b'f"lu', 1),
        GOOD.text.replace(b"flu", b"f\xfflu", 1),
        GOOD.text.replace(b"\n,", b'\n"",', 1),
        GOOD.text.replace(b"age,", b'"age",', 1),
        GOOD.text.replace(b"visits\n", b"visits\r\n", 1),
    ],
)
def test_bytes_that_are_not_plain(data: bytes) -> None:
    """A byte order mark, other line ends, needless quotes, NUL, cut or blank lines: all refused as bytes."""
    assert refused(GOOD, data) == "check bytes"


@st.composite
def spellings(draw: st.DrawFn) -> tuple[list[tuple[str, ...]], str, bytes]:
    """The rows of a table, the separator of its text, and some way to spell it that strict readers understand."""
    width, separator = draw(st.integers(1, 2)), draw(st.sampled_from(",;"))
    cell = st.sampled_from(["", "a", " ", "a,b", "a;b", '"', "\n", "\ufeff", "é"])
    rows = sorted(
        draw(st.lists(st.tuples(*[cell] * width), min_size=1, max_size=4)),
        key=lambda row: [one.encode() for one in row],
    )
    text = BOM.decode() if draw(st.booleans()) and draw(st.booleans()) else ""
    for row in [("a", "s")[:width], *rows]:
        bare = [one for one in row if not set(one) & {separator, '"', "\n"}]
        quoted = [one not in bare or draw(st.booleans()) for one in row]
        shown = ['"' + one.replace('"', '""') + '"' if quote else one for one, quote in zip(row, quoted, strict=True)]
        ends = draw(st.sampled_from(["\n"] * 9 + ["\r\n", "\n\n"]))
        text += separator.join(shown) + ends
    return rows, separator, (text if draw(st.booleans()) else text.removesuffix("\n")).encode()


@given(spellings())
def test_only_the_plainest_spelling_is_accepted(spelled: tuple[list[tuple[str, ...]], str, bytes]) -> None:
    """Of all ways to spell a table only the writer's is accepted, however the others' sizes make up for one another."""
    rows, separator, data = spelled
    names = ["a", "s"][: len(rows[0])]
    table = from_frame(pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row"))
    schema = Schema((*(Attribute(name, Role.INSENSITIVE) for name in names),))
    claim = Claim(schema, (), table, np.arange(len(rows)), separator=separator)
    plainest = io.BytesIO()
    write(table, plainest, Format.CSV, separator=separator)
    if data == plainest.getvalue():
        assert verify(io.BytesIO(data), claim).records == len(rows)
    else:
        with pytest.raises(VerificationError, match=r"check (bytes|records)"):
            verify(io.BytesIO(data), claim)


def test_empty_file() -> None:
    """A file without a byte has no columns."""
    assert refused(GOOD, b"").startswith("check columns")


@pytest.mark.parametrize("size", range(0, len(GOOD.text), 7))
def test_truncated_file(size: int) -> None:
    """A file cut anywhere is refused."""
    assert refused(GOOD, GOOD.text[:size])


def test_gzip_with_a_name() -> None:
    """A gzip header may hold a file name, a time or a comment; here it must not."""
    zipped = replace(GOOD, format="csv.gz")
    named = io.BytesIO()
    with gzip.GzipFile("patients-of-ward-7.csv", "wb", fileobj=named, mtime=0) as file:
        file.write(GOOD.text)
    assert refused(zipped, named.getvalue()) == "check bytes"
    assert refused(zipped, gzip.compress(GOOD.text, mtime=1)) == "check bytes"


def test_gzip_that_does_not_end_where_it_should() -> None:
    """Bytes after the stream, a stream cut short, and a damaged one are refused."""
    zipped = replace(GOOD, format="csv.gz")
    data = zipped.written("csv.gz")
    for wrong in (data + b"more", data[:-2], data[:10] + b"\xff" * 9):
        assert refused(zipped, wrong) == "check bytes"


def typed(frame: pl.DataFrame, format_: str, **how: object) -> bytes:
    """A frame as Parquet or IPC, written by polars itself."""
    file = io.BytesIO()
    write = cast("Callable[..., None]", frame.write_parquet if format_ == "parquet" else frame.write_ipc)
    write(file, **how)
    return file.getvalue()


FRAME = pl.DataFrame(list(GOOD.rows), schema=dict.fromkeys(GOOD.header, pl.String), orient="row")


@pytest.mark.parametrize("format_", ["parquet", "ipc"])
def test_leftover_dictionary_value(format_: str) -> None:
    """A dictionary column may hold values of records that are no longer there, so it is refused."""
    names = sorted({row[3] for row in PEOPLE} | {"leprosy"})
    frame = FRAME.with_columns(pl.col("illness").cast(pl.Enum(names)))
    assert refused(replace(GOOD, format=format_), typed(frame, format_)) == "check bytes, column illness"


def test_leftover_dictionary_value_within_parquet() -> None:
    """A value that only Parquet's own dictionary page still holds makes other bytes than the plain columns do."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    cells = [row[2] for row in GOOD.rows]
    words = [*sorted(set(cells)), "leprosy"]
    coded = pyarrow.DictionaryArray.from_arrays(pyarrow.array([words.index(cell) for cell in cells]), words)
    columns: list[object] = [coded if name == "illness" else FRAME[name].to_arrow() for name in FRAME.columns]
    file = io.BytesIO()
    parquet.write_table(pyarrow.table(columns, FRAME.columns), file, store_schema=False)
    assert b"leprosy" in file.getvalue()
    assert refused(replace(GOOD, format="parquet"), file.getvalue()) == "check bytes"


@pytest.mark.parametrize(
    ("format_", "how"),
    [
        ("parquet", {"metadata": {"made_by": "Dr. Rossi"}}),
        ("parquet", {"compression": "snappy"}),
        ("parquet", {"row_group_size": 5}),
        ("ipc", {"compression": "uncompressed"}),
    ],
)
def test_typed_file_with_more_than_its_cells(format_: str, how: dict[str, object]) -> None:
    """Metadata, other encodings and other groups make other bytes than the plain columns do."""
    assert refused(replace(GOOD, format=format_), typed(FRAME, format_, **how)) == "check bytes"


@pytest.mark.parametrize("format_", ["parquet", "ipc"])
@pytest.mark.parametrize("cut", [0, 3, 100, -1, -50])
def test_truncated_typed_file(format_: str, cut: int) -> None:
    """A Parquet or IPC file cut anywhere cannot be read."""
    release = replace(GOOD, format=format_)
    assert refused(release, release.written(format_)[:cut]) == "check bytes"


# ── anything at all ──────────────────────────────────────────────────────────────────────────────


@given(place=st.integers(0, len(GOOD.text) - 1), byte=st.integers(0, 255), kind=st.sampled_from(["put", "set", "cut"]))
def test_one_other_byte_is_never_accepted(place: int, byte: int, kind: str) -> None:
    """A file that differs in one byte put in, changed or taken out is refused.

    This release has no correct neighbour: what is not generalized is fixed by the input; the classes are disjoint
    boxes, so that a record fits the labels of no other class; and labels that no other record has are a class of one.
    """
    rest = GOOD.text[place + (kind != "put") :]
    changed = GOOD.text[:place] + (b"" if kind == "cut" else bytes([byte])) + rest
    if changed == GOOD.text:
        verify(io.BytesIO(changed), GOOD.claim)
    else:
        assert refused(GOOD, changed)


@given(
    place=st.integers(0, 15),
    column=st.sampled_from(GOOD.header),
    text=st.sampled_from(sorted({cell for row in GOOD.rows for cell in row} | {"*", "Carla Bruni", "38", "Rome"}))
    | st.text(),
)
def test_one_other_cell_is_never_accepted(place: int, column: str, text: str) -> None:
    """A release with one cell changed is refused, wherever its record then stands."""
    changed = GOOD.with_cell(place, column, text)
    if changed.rows == GOOD.rows:
        assert changed.verdict() == GOOD.verdict()
    else:
        for wrong in (changed, changed.ordered()):
            with pytest.raises(VerificationError):
                wrong.verdict()
