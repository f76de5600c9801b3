"""What of a source nobody should have to find out alone is told: in the run, in `--json` and on the steward's page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

from kohort.assessment.inspection.notes import noticed
from kohort.io import ReadOptions, read
from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path

#: Lines that end in both ways, a last one that does not end, values that look alike, and blanks beside nothing.
AWKWARD = b'age,city,job\n30,Roma,a\r\n31,roma ,b\n30, ,a\r\n31,,b\n30,Rieti,a\r\n31,"Ri\neti",b'

TOLD = (
    "ends without a line end: the last record may be cut off",
    "has lines that end in CRLF (3) and in LF (2): were several files joined?",
    "values that differ from another only by case or surrounding blanks; they count as different: 2 of city",
    ("cells of blanks only, which count as values unless blanks are removed (--trim): 1 of city (beside 1 empty)"),
)


@pytest.fixture
def awkward(tmp_path: Path) -> Path:
    """Such a table."""
    path = tmp_path / "in.csv"
    path.write_bytes(AWKWARD)
    return path


def lines(path: Path, content: bytes, options: ReadOptions | None = None) -> tuple[str, ...]:
    """What is noticed of the lines of a text."""
    path.write_bytes(content)
    return tuple(note.removeprefix(str(path)).strip() for note in read(path, options or ReadOptions()).notes)


def test_a_release_tells_what_is_odd_about_its_source(awkward: Path) -> None:
    """As text, as an object and on the page of whoever has the source, and there only."""
    flags = [
        "--quasi",
        "age,city",
        "--rest",
        "drop",
        "--k",
        "2",
        "--no-grid",
        "--overwrite",
        "--allow-singling",
        "city",
    ]
    out = awkward.with_name("out.csv")
    page = awkward.with_name("page.json")
    ran = kohort("anonymize", awkward, "--out", out, *flags, "--report", page)
    assert ran.status == 0, ran.err
    for note in TOLD:
        assert f"{note}\n" in ran.out + "\n"
    assert [line for line in ran.out.splitlines() if line.startswith("note: ")] == [
        f"note: {awkward} {note}" if place < 2 else f"note: {note}" for place, note in enumerate(TOLD)
    ]
    whole = json.loads(page.read_text("utf-8"))
    assert all(any(note in one for one in whole["notes"]) for note in TOLD)
    assert not any(note in one for one in whole["public"]["notes"] for note in TOLD)
    ran = kohort("anonymize", awkward, "--out", out, *flags, "--report", page.with_suffix(".html"), "--json")
    assert len(ran.figures["notes"]) == len(TOLD)
    assert TOLD[0] in page.with_suffix(".html").read_text("utf-8")
    assert not {"Roma", "roma", "Rieti"} & {*" ".join(ran.figures["notes"]).split()}


def test_inspecting_tells_it_too(awkward: Path) -> None:
    """Before anything is released; nothing where there is nothing."""
    ran = kohort("inspect", awkward)
    assert [line for line in ran.out.splitlines() if line.startswith("note: ")][2:] == [
        f"note: {TOLD[2]}",
        f"note: {TOLD[3]}",
    ]
    assert len(kohort("inspect", awkward, "--json").figures["notes"]) == len(TOLD)
    awkward.write_bytes(b"age,city\n30,Roma\n31,Rieti\n")
    assert "notes" not in kohort("inspect", awkward, "--json").figures


def test_columns_that_are_not_released_are_not_told(awkward: Path) -> None:
    """What is dropped concerns nobody."""
    assert noticed(read(awkward), ["age"]) == read(awkward).notes


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a,b\n1,2\n3,4\n", ()),
        (b"a,b\r\n1,2\r\n3,4\r\n", ()),
        (b"a,b\r1,2\r3,4\r", ()),
        (b"a,b\r1,2\r3,4", (TOLD[0],)),
        (b"a,b\n1,2\n3,4", (TOLD[0],)),
        (b"a,b\r\n1,2\r\n3,4", (TOLD[0],)),
        (b'a,b\r\n1,"2\n2"\r\n3,"4"\r\n', ()),
        (b'a,b\n1,"2\r\n2"\n3,"4"\n', ()),
        (
            b'a,b\n1,"2"\r\n3,"4"\n',
            ("has lines that end in CRLF (1) and in LF (1): were several files joined?",),
        ),
        (b"a\n1\n\n\n", ()),
    ],
)
def test_lines(tmp_path: Path, content: bytes, expected: tuple[str, ...]) -> None:
    """Only ends of records count, not those inside cells; a text of one kind of end has nothing odd."""
    assert lines(tmp_path / "in.csv", content) == expected


def test_trimmed_tables_keep_what_was_noticed(tmp_path: Path) -> None:
    """Blanks go, and how the file ends stays what it is."""
    assert lines(tmp_path / "in.csv", b"a,b\n1, 2", ReadOptions(trim=True)) == (TOLD[0],)


def test_many_columns_are_counted() -> None:
    """Twenty are named."""
    table = read(pl.DataFrame({f"c{place}": ["x", "X"] for place in range(22)}))
    (note,) = noticed(table, table.names)
    assert note.endswith("2 of c19 and 2 more columns")
