"""Verification of correct releases of every kind: what is accepted, and what the verdict says."""

from __future__ import annotations

import csv
import hashlib
import io
import mmap
import re
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.core.uniques import Exposed
from kohort.errors import FileError, KohortError, UsageError, VerificationError
from kohort.io import text as records
from kohort.io.forms import Format
from kohort.io.typed import from_frame
from kohort.io.write import write
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.schema import Attribute, Label, Role, Schema
from kohort.schema.hierarchies.spelling import even_spelling
from kohort.schema.hierarchy import Hierarchy
from kohort.system import workspace
from kohort.tables.table import Table
from kohort.verify import Claim, reading, verify, verify_table
from kohort.verify.classes import bands, classes_of
from kohort.verify.reading import Digest
from kohort.verify.records import disorder
from kohort.verify.verdict import check_columns, unmarked
from tests.reference.frames import verify_frame
from tests.unit.verify.people import COLUMNS, MIDDLE, OLD, PEOPLE, SCHEMA, SILENT, YOUNG, draft, refused

if TYPE_CHECKING:
    from pathlib import Path


GOOD = draft()


#: At least two different illnesses in every class: a model that looks at a sensitive attribute.
DISTINCT = DistinctLDiversity("illness", 2)


def claim(frame: pl.DataFrame, schema: Schema, *, k: int = 2, **more: object) -> Claim:
    """A claim that a release of `frame` keeps its order."""
    lineage = np.arange(frame.height)
    return replace(Claim(schema, (KAnonymity(k),), from_frame(frame), lineage), **more)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


# ── the verdict ──────────────────────────────────────────────────────────────────────────────────


def test_verdict() -> None:
    """The verdict counts records and classes, and tells how far labels expose people."""
    verdict = GOOD.verdict()
    assert verdict.models == ("4-anonymity",)
    assert verdict.data_dependent
    # 21 and 29; 31 (two are 38); 52 and 71: each alone at an end of its class.
    # Naples and Turin: each alone of its class in a set.
    assert verdict.exposed == Exposed(people=6, range_ends=5, set_members=2, means=0)
    each = dict.fromkeys(("records", "lineage", "identifiers", "ends", "order"), 16)
    of_cells = {"cells": 2 * 16, "regions": 2 * 16, "labels": 8}
    assert verdict.checks == {"bytes": len(GOOD.text), "columns": 4, "classes": 4, **each, **of_cells}


def test_a_record_at_two_ends_is_one_person() -> None:
    """Whoever holds an end of two ranges is exposed once."""
    frame = pl.DataFrame({"a": ["1", "2", "2"], "b": ["5", "6", "6"]})
    verdict = verify(io.BytesIO(b"a,b\n" + 3 * b"[1-2],[5-6]\n"), claim(frame, Schema.of(quasi=["a", "b"])))
    assert verdict.range_exposure == 1


def test_suppressed_records_are_counted() -> None:
    """A release without the suppressed records is accepted, and says how many they are."""
    kept = GOOD.taking([place for place, row in enumerate(GOOD.rows) if row[:2] != OLD])
    assert replace(kept, suppressed=4).verdict().suppressed == 4


@pytest.mark.parametrize("format_", sorted({*map(str, Format)} - {"jsonl"}))
def test_release_of_nobody(format_: str) -> None:
    """Where all records are suppressed the release is a header, and vacuously correct."""
    nobody = replace(GOOD.taking([]), suppressed=16, format=format_)
    verdict = nobody.verdict()
    assert (verdict.records, verdict.classes, verdict.smallest, verdict.largest, verdict.bands) == (0, 0, 0, 0, ())


def test_bands_double_from_k_on() -> None:
    """Classes of k to 2k-1 are one band, of 2k to 4k-1 the next."""
    counted = [(band.low, band.high, band.classes) for band in bands(np.array([5, 9, 10, 19, 20, 80]), 5)]
    assert counted == [(5, 9, 2), (10, 19, 2), (20, 39, 1), (80, 159, 1)]
    counted = [(band.low, band.high, band.classes) for band in bands(np.array([1, 2, 4, 5]), 5)]
    assert counted == [(1, 4, 3), (5, 9, 1)]


def test_schema_of_another_table() -> None:
    """A claim whose schema is not the source's cannot be made."""
    with pytest.raises(UsageError):
        replace(GOOD.claim, schema=Schema.of(quasi=["age"]))


# ── where releases come from ─────────────────────────────────────────────────────────────────────


def test_path(tmp_path: Path) -> None:
    """A release is verified by its path as by an open file."""
    path = tmp_path / "release.csv"
    path.write_bytes(GOOD.text)
    assert verify(path, GOOD.claim) == verify(str(path), GOOD.claim) == GOOD.verdict()


def test_large_file(tmp_path: Path) -> None:
    """A file that is let go of page by page while it is read gives the verdict that its bytes give in memory."""
    cells = sorted(f"{number:09} and some more" for number in range(3_000))
    frame = pl.DataFrame({"a": ["1"] * len(cells), "s": cells})
    judged = claim(frame, Schema.of(quasi=["a"], sensitive=["s"]))
    path = tmp_path / "release.csv"
    with path.open("wb") as file:
        write(from_frame(frame), file, Format.CSV)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_BEHIND", mmap.PAGESIZE)
        patch.setattr(records, "_CELLS", 512)
        patch.setattr(records, "_RECORDS", 256)
        assert path.stat().st_size > 16 * mmap.PAGESIZE
        assert verify(path, judged) == verify(io.BytesIO(path.read_bytes()), judged)


def test_no_such_file(tmp_path: Path) -> None:
    """A file that is not there is a failure to read, not a failed check."""
    with pytest.raises(FileError):
        verify(tmp_path / "release.csv", GOOD.claim)


def test_frame_and_table() -> None:
    """A frame and a table in memory are judged by their cells; there are no bytes to digest."""
    frame = pl.DataFrame(list(GOOD.rows), schema=dict.fromkeys(GOOD.header, pl.String), orient="row")
    verdict = verify_frame(frame, GOOD.claim)
    assert verdict == verify_table(from_frame(frame), GOOD.claim)
    assert verdict.sha256 == ""
    assert verdict.range_exposure == 5


@pytest.mark.parametrize("columns", [["age"], ["city", "age", "illness", "visits"]])
def test_frame_with_other_columns(columns: list[str]) -> None:
    """A frame with other columns is refused, and so is a table."""
    frame = pl.DataFrame(list(GOOD.rows), schema=dict.fromkeys(GOOD.header, pl.String), orient="row").select(columns)
    with pytest.raises(VerificationError, match="check columns"):
        verify_frame(frame, GOOD.claim)
    with pytest.raises(VerificationError, match="check columns"):
        verify_table(from_frame(frame), GOOD.claim)


@pytest.mark.parametrize("format_", ["parquet", "ipc"])
def test_typed_columns_keep_their_types(format_: str) -> None:
    """Integers, floats, dates and nulls that are released unchanged are compared as they are."""
    source = pl.DataFrame(
        {
            "age": [31, 45, None, None],
            "paid": [0.5, None, 7.0, 0.5],
            "day": pl.Series(["2024-01-31", "2024-02-29", None, "2024-03-01"]).str.to_date(),
            "text": ["", None, "x", ""],
        }
    )
    schema = Schema.of(quasi=["age"], sensitive=["paid"], insensitive=["day", "text"])
    order = np.array([3, 2, 1, 0])
    labels = pl.Series([None, None, "[31-45]", "[31-45]"], dtype=pl.String)
    release = source[order].with_columns(age=labels)
    file = io.BytesIO()
    write(from_frame(release), file, Format(format_))
    judged = claim(source, schema, lineage=order, format=format_)
    file.seek(0)
    assert verify(file, judged).classes == 2
    with pytest.raises(VerificationError, match="check cells, column text"):
        verify_frame(release.with_columns(pl.col("text").fill_null("")), judged)


@pytest.mark.parametrize("format_", [one for one in Format if not one.form.is_text])
def test_midnight_is_a_time_where_the_input_has_others(format_: Format) -> None:
    """Dates of a release whose times are all midnight are read with their times, as the input was."""
    times = ["2024-01-31T00:00:00", "2024-02-29T00:00:00", "2024-02-29T13:30:00"]
    source = pl.DataFrame({"age": [31, 31, 60], "at": pl.Series(times).str.to_datetime()})
    judged = claim(source, Schema.of(quasi=["age"], sensitive=["at"]), lineage=np.arange(2), suppressed=1)
    judged = replace(judged, format=format_)
    midnights, others = io.BytesIO(), io.BytesIO()
    for file, kept in ((midnights, [0, 1]), (others, [1, 1])):
        write(judged.original.take(np.array(kept)), file, format_, source=judged.original)
        file.seek(0)
    assert verify(midnights, judged).records == 2
    with pytest.raises(VerificationError, match="check cells, column at"):
        verify(others, judged)


@pytest.mark.parametrize(
    ("text", "kind"), [("Input/output error (os error 5)", FileError), ("file is out of spec", VerificationError)]
)
def test_a_system_that_fails_is_no_damaged_file(
    text: str, kind: type[KohortError], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where polars says that the system failed, nothing was found out about the release; else the file is damaged."""

    def failing(_file: object) -> NoReturn:
        raise OSError(text)

    frame = pl.DataFrame({"a": ["x", "x"]})
    file = io.BytesIO()
    write(from_frame(frame), file, Format("parquet"))
    monkeypatch.setattr(pl, "scan_parquet", failing)
    with pytest.raises(kind) as caught:
        verify(file, claim(frame, Schema.of(quasi=["a"]), format="parquet"))
    assert ("Input/output error" in str(caught.value)) == (kind is FileError)


def test_a_missing_value_is_released_in_one_way() -> None:
    """Null and the empty text are one label, which may be either, but not both: that would tell two groups apart."""
    frame = pl.DataFrame({"a": ["", None, None, ""]})
    judged = claim(frame, Schema.of(quasi=["a"]))
    for one in ("", None):
        assert verify_frame(pl.DataFrame({"a": pl.Series([one] * 4, dtype=pl.String)}), judged).classes == 1
    with pytest.raises(VerificationError, match="released in two ways"):
        verify_frame(pl.DataFrame({"a": [None, None, "", ""]}), judged)


def test_in_text_a_null_is_the_empty_cell() -> None:
    """CSV has one way to say nothing, so null and the empty text are both the empty cell."""
    frame = pl.DataFrame({"a": ["1", "1", "1"], "s": [None, "", "x"]})
    judged = claim(frame, Schema.of(quasi=["a"], sensitive=["s"]))
    assert verify(io.BytesIO(b"a,s\n1,\n1,\n1,x\n"), judged).records == 3


@pytest.mark.parametrize("format_", ["csv", "tsv"])
@given(
    cells=st.lists(
        st.sampled_from(["", "a", '"', 'b"c', ",", "\t", "\n", "\r", "x\ny", "é", "\ufeff", " d "]), min_size=1
    )
)
def test_any_text_may_be_released(format_: str, cells: list[str]) -> None:
    """Cells with quotes, separators, line ends or byte order marks are read back as they are, some or all at a time."""
    cells = sorted(cells, key=str.encode)
    frame = pl.DataFrame({"a": ["1"] * len(cells), "s": cells}, schema={"a": pl.String, "s": pl.String})
    judged = claim(frame, Schema.of(quasi=["a"], sensitive=["s"]), k=2, format=format_)
    judged = replace(judged, models=())
    file = io.BytesIO()
    write(from_frame(frame), file, Format(format_))
    with pytest.MonkeyPatch.context() as patch:
        for size in (1, 7, 1 << 17):
            patch.setattr(records, "_CELLS", size)
            patch.setattr(records, "_RECORDS", size)
            patch.setattr(workspace, "BLOCK", -(-size // 8) * 8)
            file.seek(0)
            assert verify(file, judged).records == len(cells)


@pytest.mark.parametrize("format_", list(Format))
def test_one_column(format_: str) -> None:
    """A lone empty cell stands in quotes, so that no line is blank."""
    frame = pl.DataFrame({"a": ["", "", "7", "7"]})
    file = io.BytesIO()
    write(from_frame(frame), file, Format(format_))
    assert verify(io.BytesIO(file.getvalue()), claim(frame, Schema.of(quasi=["a"]), format=format_)).classes == 2
    with pytest.raises(VerificationError, match="check bytes"):
        verify(io.BytesIO(b"a\n\n\n7\n7\n"), claim(frame, Schema.of(quasi=["a"])))


def test_other_separator() -> None:
    """CSV may have another separator, which then is the one that needs quotes."""
    text = GOOD.text.decode()
    rows = list(csv.reader(io.StringIO(text)))
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=";", lineterminator="\n").writerows(rows)
    judged = replace(GOOD.claim, separator=";")
    assert verify(io.BytesIO(file.getvalue().encode()), judged).records == 16
    with pytest.raises(VerificationError, match="check columns"):
        verify(io.BytesIO(GOOD.text), judged)


def test_apostrophes_of_excel_safe() -> None:
    """Where it is claimed, what looks like a formula has one apostrophe more than in the input."""
    frame = pl.DataFrame({"=a": ["+x", "+x", "-y", "-y"], "s": ["'=1", "=1", "@z", "-5"]})
    schema = Schema.of(quasi=["=a"], sensitive=["s"])
    file = io.BytesIO()
    ordered = frame.select("=a", "s")
    judged = claim(frame, schema, lineage=np.array([0, 1, 3, 2]), excel_safe=True)
    write(from_frame(ordered[[0, 1, 3, 2]]), file, Format.CSV, excel_safe=True)
    file.seek(0)
    assert verify(file, judged).classes == 2
    file.seek(0)
    with pytest.raises(VerificationError, match="check columns"):
        verify(file, replace(judged, excel_safe=False))


def test_apostrophes_are_taken_away_one_by_one() -> None:
    """The cells keep their order, and each has the value that is left; of a forged file two may be one then."""
    bare = unmarked(from_frame(pl.DataFrame({"'=a": ["b", "'=1", "=1", "''=1", "'+"]})))
    (column,) = bare.columns
    assert (column.name, column.values.gather(column.codes).to_list()) == ("=a", ["b", "=1", "=1", "'=1", "+"])
    assert sorted(column.values) == ["'=1", "+", "=1", "b"]


@pytest.mark.parametrize("text", ["'=a,s\n+x,1\n+x,2\n", "=a,s\n'+x,1\n'+x,2\n"])
def test_a_formula_without_its_apostrophe(text: str) -> None:
    """Where none may run, a cell or a name that would is a fault, be it the input's own."""
    judged = claim(pl.DataFrame({"=a": ["+x", "+x"], "s": ["1", "2"]}), Schema.of(quasi=["=a"], sensitive=["s"]))
    with pytest.raises(VerificationError, match=r"a spreadsheet would run [12] cell"):
        verify(io.BytesIO(text.encode()), replace(judged, excel_safe=True))
    safe = io.BytesIO(b"'=a,s\n'+x,1\n'+x,2\n")
    assert verify(safe, replace(judged, excel_safe=True)).records == 2


def test_header_with_a_carriage_return() -> None:
    """A header that is not even CSV is a fault of the bytes."""
    assert refused(GOOD, b"\r" + GOOD.text) == "check bytes"


@pytest.mark.parametrize(
    ("format_", "name", "cell"),
    [
        ("csv", 'a"b', '"a""b"'),
        ("csv", '"', '""""'),
        ("csv", '"a", "b"', '"""a"", ""b"""'),
        ("csv", "a,b", '"a,b"'),
        ("csv", "\N{ZERO WIDTH NO-BREAK SPACE}a", '"\N{ZERO WIDTH NO-BREAK SPACE}a"'),
        ("csv", " a'b ", " a'b "),
        ("tsv", 'a"b', '"a""b"'),
        ("tsv", "a,b", "a,b"),
    ],
)
def test_a_name_stands_in_quotes_where_it_must(format_: str, name: str, cell: str) -> None:
    """A quote inside is doubled; a name that needs no quotes has none, and the other way round is a fault."""
    judged = claim(pl.DataFrame({name: ["7", "7"], "s": ["x", "y"]}), Schema.of(quasi=[name], sensitive=["s"]))
    judged, tab = replace(judged, format=format_), "\t" if format_ == "tsv" else ","
    released = f"{cell}{tab}s\n7{tab}x\n7{tab}y\n"
    assert verify(io.BytesIO(released.encode()), judged).records == 2
    other = cell[1:-1] if cell.startswith('"') else f'"{cell}"'
    with pytest.raises(VerificationError, match=r"check (bytes|columns)"):
        verify(io.BytesIO(released.replace(cell, other, 1).encode()), judged)
    with pytest.raises(VerificationError, match="the header has needless quotes"):
        verify(io.BytesIO(released.replace(f"{tab}s\n", f'{tab}"s"\n', 1).encode()), judged)


# ── models ───────────────────────────────────────────────────────────────────────────────────────


def test_model_of_a_sensitive_attribute() -> None:
    """A model sees how often each sensitive value occurs in each class."""
    assert replace(GOOD, models=(KAnonymity(4), DISTINCT)).verdict().models[1] == "distinct 2-diversity of illness"


def test_class_with_one_sensitive_value() -> None:
    """A class whose records share the sensitive value fails a model that asks for two."""
    people = tuple(
        (*row[:3], "flu", row[4]) if row[0] in {"Remo Rosa", "Piero Gallo", "Ida Costa", "Pia Longhi"} else row
        for row in PEOPLE
    )
    assert refused(replace(draft(people), models=(DISTINCT,))) == "check classes"


def test_several_spellings_are_one_value() -> None:
    """Spellings of one illness do not make a class diverse."""
    spelled = {"Remo Rosa": "HIV", "Piero Gallo": "hiv", "Ida Costa": " Hiv", "Pia Longhi": "\uff28IV"}
    people = tuple((*row[:3], spelled.get(row[0], row[3]), row[4]) for row in PEOPLE)
    wrong = replace(draft(people), models=(DISTINCT,))
    assert refused(wrong) == "check classes"
    assert replace(wrong, models=(KAnonymity(4),)).verdict().classes == 4


def test_spellings_of_labels_merge_classes() -> None:
    """Classes whose labels differ in spelling alone are judged apart and together."""
    people = tuple((*row[:2], "MILAN" if row[0] in {"Remo Rosa", "Ida Costa"} else row[2], *row[3:]) for row in PEOPLE)
    release = draft(people)
    rows = tuple(
        (*row[:1], people[at][2], *row[2:]) if row[:2] == SILENT else row
        for at, row in zip(release.lineage, release.rows, strict=True)
    )
    assert replace(release, rows=rows, models=(KAnonymity(2),)).ordered().verdict().classes == 5


def test_even_spelling() -> None:
    """Case, width and blanks are evened out, accents are not."""
    assert even_spelling("  Stra\u00dfe\t\uff21 ") == "strasse a"
    assert even_spelling("caf\u00e9") != even_spelling("cafe")


@pytest.mark.parametrize("ordered", [False, True])
@given(rows=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=30))
def test_grouping(rows: list[tuple[int, int]], *, ordered: bool) -> None:
    """Records are in one class exactly if they are alike, whatever their order."""
    rows = sorted(rows) if ordered else rows
    columns = [np.array([row[at] for row in rows], dtype=np.uint8) for at in (0, 1)]
    classes = classes_of(columns, len(rows), ordered=ordered)
    assert classes.sizes.sum() == len(rows)
    assert len(set(rows)) == classes.sizes.size
    assert len(set(zip(rows, classes.of.tolist(), strict=True))) == classes.sizes.size
    assert [rows[at] for at in classes.first] == [
        rows[classes.of.tolist().index(one)] for one in range(classes.sizes.size)
    ]


@given(
    st.lists(st.tuples(*[st.sampled_from([None, "", "a", "B", "é", "\U0001f600", "\uffee", "aa"])] * 2), max_size=30)
)
def test_order(rows: list[tuple[str | None, str | None]]) -> None:
    """In order is what sorting by bytes leaves: a null is the empty text, and stands before it where all else ties."""
    frame = pl.DataFrame(rows, schema={"a": pl.String, "s": pl.String}, orient="row")
    found = disorder(from_frame(frame), ["a"])
    keys = [[*((cell or "").encode() for cell in row), *(b"-"[: cell is not None] for cell in row)] for row in rows]
    assert (found is None) == (keys == sorted(keys))
    falling = [
        sum(one[:place] == other[:place] and one[place] > other[place] for one, other in pairwise(keys))
        for place in range(4)
    ]
    told = "0 records are out of order" if found is None else found.what
    assert re.sub(r" records? (is|are) out of order", "", told) == str(next(filter(None, falling), 0))


# ── labels of whole releases ─────────────────────────────────────────────────────────────────────


def with_age(**what: object) -> Schema:
    """The schema with another attribute for age."""
    age = Attribute("age", Role.QUASI, **what)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    return Schema((SCHEMA.attributes[0], age, *SCHEMA.attributes[2:]))


def means(young: str, middle: str = "35.5", old: str = "60") -> tuple[bytes, Claim]:
    """The release with these means of age."""
    release = GOOD
    for labels, mean in ((YOUNG, young), (MIDDLE, middle), (OLD, old)):
        release = release.labelled(labels, (mean, labels[1]))
    release = replace(release, schema=with_age(label=Label.MEAN)).ordered()
    return release.text, release.claim


def test_means() -> None:
    """A mean is that of its class's values; labels of means depend on the data and expose no range end."""
    text, judged = means("24.5")
    verdict = verify(io.BytesIO(text), judged)
    assert verdict.data_dependent
    assert verdict.exposed == Exposed(people=3, range_ends=0, set_members=2, means=1)  # one is 60, as her class is


@pytest.mark.parametrize("mean", ["24.49", "24.51", "24", "25", "*"])
def test_wrong_mean(mean: str) -> None:
    """A mean off by its last printed digit is refused; nothing told is not."""
    text, judged = means(mean)
    if mean == "*":
        assert verify(io.BytesIO(text), judged).classes == 4
    else:
        with pytest.raises(VerificationError, match="check ends, column age"):
            verify(io.BytesIO(text), judged)


def test_anything() -> None:
    """The fully generalized label holds every value, a missing one too."""
    release = GOOD
    for labels in (YOUNG, MIDDLE, OLD, SILENT):
        release = release.labelled(labels, ("*", "*"))
    verdict = release.ordered().verdict()
    assert (verdict.classes, verdict.data_dependent, verdict.range_exposure) == (1, False, 0)


def test_hierarchies_built_from_records_are_data_dependent() -> None:
    """A hierarchy that keeps the frequent names depends on the data."""
    frame = pl.DataFrame({"a": ["x", "x", "x", "y"]})
    schema = Schema((Attribute("a", Role.QUASI, hierarchy="frequency:1"),))
    assert verify(io.BytesIO(b"a\n*\n*\n*\n*\n"), claim(frame, schema)).data_dependent


# ── identifiers ──────────────────────────────────────────────────────────────────────────────────


def test_a_common_word_names_nobody() -> None:
    """An identifying value that released columns or hierarchies hold too, a number or a letter is no leak."""
    frame = pl.DataFrame(
        {"id": ["Rome", "12345", "M", "South"], "city": ["Rome", "Bari", "Bari", "Rome"], "s": ["12345", "M", "x", "x"]}
    )
    rows = [["Rome", "South", "*"], ["Bari", "South", "*"]]
    city = Attribute("city", Role.QUASI, hierarchy=Hierarchy.from_rows(rows))
    schema = Schema((Attribute("id", Role.IDENTIFYING), city, Attribute("s", Role.SENSITIVE)))
    verdict = verify(io.BytesIO(b"city,s\nSouth,12345\nSouth,M\nSouth,x\nSouth,x\n"), claim(frame, schema))
    assert verdict.checks["identifiers"] == 4


def test_a_dropped_column_names_nobody() -> None:
    """The values of a dropped column may be released in another column; the column itself may not."""
    frame = pl.DataFrame({"ward": ["Cardiology", "Surgery"], "a": ["1", "1"], "note": ["Cardiology", "Surgery"]})
    schema = Schema.of(quasi=["a"], insensitive=["ward"], drop=["note"]).over(["ward", "a", "note"])
    verdict = verify(io.BytesIO(b"ward,a\nCardiology,1\nSurgery,1\n"), claim(frame, schema))
    assert "identifiers" not in verdict.checks
    with pytest.raises(VerificationError, match="1 identifying or dropped columns are released") as caught:
        verify(io.BytesIO(b"ward,a,note\nCardiology,1,x\nSurgery,1,x\n"), claim(frame, schema))
    assert caught.value.where == "check columns, column note"


# ── columns of the source ────────────────────────────────────────────────────────────────────────


def test_grid_counts_as_public() -> None:
    """With a grid, no label depends on the data."""
    frame = pl.DataFrame({"a": ["21", "24"]})
    schema = Schema((Attribute("a", Role.QUASI, grid=Fraction(5)),))
    assert not verify(io.BytesIO(b"a\n[20-25)\n[20-25)\n"), claim(frame, schema)).data_dependent


def test_columns_of_the_hand_made_release() -> None:
    """The hand-made release has the columns its schema says, the identifying one first."""
    assert GOOD.claim.source.names == COLUMNS
    assert isinstance(GOOD.table, Table)


@pytest.mark.parametrize(
    ("found", "column", "told"),
    [
        (["age", "note", "illness", "visits"], "city", "4 columns instead of 4: 1 unknown, 1 absent"),
        (["age"], "city, illness, visits", "1 column instead of 4: 0 unknown, 3 absent"),
        (["city", "age", "illness", "visits"], "", "4 columns instead of 4: 0 unknown, 0 absent, the order differs"),
        (["age", "name", "city"], "name", "1 identifying or dropped columns are released"),
    ],
)
def test_columns_that_a_release_must_not_have(found: list[str], column: str, told: str) -> None:
    """What is too much or absent is counted; columns of the schema are named, and others are not."""
    with pytest.raises(VerificationError) as raised:
        check_columns(found, SCHEMA)
    assert told in str(raised.value)
    assert f"column {column}" in str(raised.value) or not column
    assert "note" not in str(raised.value)


def test_a_digest_is_of_all_that_was_written() -> None:
    """Pieces count as one text, and each is taken whole."""
    digest = Digest()
    assert [digest.write(piece) for piece in (b"age", b"", b"\n[20-29]\n")] == [3, 0, 9]
    assert digest.sha256 == hashlib.sha256(b"age\n[20-29]\n").hexdigest()


@pytest.mark.parametrize(
    ("sets", "people"),
    [
        (["{a, b}", "{a, b}", "{c, d}", "{c, d}"], 0),
        (["{a, b}", "{a, b}", "{a, c}", "{a, c}"], 2),
        (["{a, b, c}", "{a, b, c}", "{a, c}", "{a, c}"], 0),
        (["{a, b, c, d}"] * 4, 0),
    ],
)
def test_who_has_no_companion_is_counted(sets: list[str], people: int) -> None:
    """A name that one person of a class alone has has a companion if one other name is beside it in all such sets."""
    names = ["a", "b", *("cd" if sets[2] != "{a, c}" else "ac")]
    source = pl.DataFrame({"name": names, "town": ["1", "1", "2", "2"]})
    columns = Attribute("name", Role.QUASI, label=Label.COMPANIONS), Attribute("town", Role.QUASI, label=Label.SET)
    released = pl.DataFrame({"name": sets, "town": source["town"]})
    verdict = verify_frame(released, claim(source, Schema(columns)))
    assert verdict.exposed == Exposed(people, 0, people, 0)
