"""Small files that ask for much end in a status and a message, and leave nothing behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from bench import hostile_files
from kohort import io
from kohort.cli import main
from kohort.errors import InputError, LimitError
from kohort.job import lines
from tests import quick as quick_suite

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from bench.hostile_files import Case

#: Cases that take a moment, by the beginnings of their names; `bench.sizes` runs the others too.
QUICK = (
    "workbooks: a cell",
    "workbooks: a row called",
    "workbooks: cells from the last",
    "workbooks: dimensions",
    "workbooks: sheets of one name",
    "workbooks: two ",
    "workbooks: an absolute name",
    "workbooks: a name that climbs",
    "workbooks: merged cells",
    "workbooks: a workbook that says",
    "workbooks: entities",
    "workbooks: a comment of a zip",
    "workbooks: letters that are no text",
    "workbooks: empty",
    "workbooks: a text of 999,999,999 blanks",
    "jobs: a key of",
    "jobs: a table",
    "jobs: an array of",
    "jobs: quoted parts",
    "jobs: parts with blanks",
    "jobs: an open",
    "jobs: an exponent",
    "jobs: a lone surrogate",
    "columns: a million names and",
    "columns: a million empty names",
    "columns: a million separators",
    "columns: 70,000 names",
    "columns: a name",
    "statistics: records: 2",  # nobody believes it
    "columns: a key of --set",
    "columns: a value of --set",
    "typed: '",
    "statistics: records: 2",
    "statistics: 50%",
    "columns: a hierarchy of a million",
)

#: Those of them that are read for seconds before they are refused.
LARGE = ("columns: a million separators", "workbooks: cells from the last")
READ_WHOLE = pytest.mark.slow("the file is read for seconds before it is refused")

#: Beginnings of cases whose files also hold a table that is read as it is.
HARMLESS = (
    "workbooks: a cell",  # without a place, or with one near the others
    "workbooks: a row called",  # likewise
    "workbooks: two ",  # a list of texts that no cell refers to
    "workbooks: an absolute name",  # a part that nothing refers to
    "workbooks: a name that climbs",  # likewise
    "workbooks: empty",  # cells of a sheet that its reader leaves out
    "columns: a name",
    "statistics: records: 2",  # nobody believes it
)


@pytest.fixture(scope="module")
def quick() -> Mapping[str, Case]:
    """The cases that take a moment."""
    groups = {f"{one.partition(':')[0]}:" for one in QUICK}
    return {case.name: case for one in groups for case in hostile_files.cases(one) if case.name.startswith(QUICK)}


@pytest.mark.parametrize("beginning", [pytest.param(one, marks=READ_WHOLE if one in LARGE else ()) for one in QUICK])
def test_a_small_file_that_asks_for_much_is_refused(
    beginning: str, quick: Mapping[str, Case], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each ends in 2, 3 or 8 within the process and leaves nothing, or what it holds besides is of no matter."""
    cases = [case for name, case in quick.items() if name.startswith(beginning)]
    cases = cases[:: -(-len(cases) // 3)]  # three of a kind; `bench.sizes` runs them all
    for at, case in enumerate(quick_suite.some(cases, 1)):
        folder = tmp_path / str(at)
        folder.mkdir()
        case.make(folder)
        before = {*folder.iterdir()}
        monkeypatch.chdir(folder)
        status = main(case.words.split())
        assert status in {2, 3, 8} or (status == 0 and beginning in HARMLESS), (case.name, status)
        assert {*folder.iterdir()} == before or not status, case.name


@pytest.mark.parametrize(
    "text",
    [
        'a = """\n[b]\n""""" # ]\n',
        "a = '''\n'[b]''''' # ]\n",
        'a = "\\"[" # {\n',
        "a = [ # ]\n 1, # '\n]\n",
        '"a[".b = 1\n',
        "a = '[{'\n",
        "a = 1.5 # x.y.z\n",
    ],
)
def test_what_nests_nothing_is_no_bracket(text: str) -> None:
    """Brackets, dots and line ends in strings and comments divide no statement, and nest nothing."""
    first = next(iter(lines.read_toml(text)))
    assert lines.lines_of(f"{text}last = 2\n")["last",] == text.count("\n") + 1
    assert lines.lines_of(text)[first,] == 1


def test_a_sheet_with_formats_far_out_is_read(tmp_path: Path) -> None:
    """Cells that only have a style, wherever they are, are none of the table."""
    far = '<row r="1048576"><c r="XFD1048576" s="1"/><c r="A1048576" s="1"></c></row>'
    hostile_files._workbook(tmp_path, hostile_files._sheet(far))  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    table = io.read(tmp_path / "in.xlsx")
    assert (table.names, table.records) == (("age", "city"), 20)


def test_a_sheet_whose_cells_do_not_say_where_they_are_is_read(tmp_path: Path) -> None:
    """Each cell follows the one before, each row too."""
    cells = "<c><v>{}</v></c>"
    head = '<row><c t="inlineStr"><is><t>age</t></is></c><c t="inlineStr"><is><t>city</t></is></c></row>'
    body = "".join(f"<row>{cells.format(at)}{cells.format(7)}</row>" for at in range(30))
    hostile_files._workbook(tmp_path, hostile_files._sheet(rows=head + body))  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    assert io.read(tmp_path / "in.xlsx").records == 30


def test_a_far_cell_is_named_with_its_sheet(tmp_path: Path) -> None:
    """The message says which cell of which sheet, and none of its content."""
    far = hostile_files._row("XFD1", "8151", "1")  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    hostile_files._workbook(tmp_path, hostile_files._sheet(far))  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(InputError, match="the cell in column XFD is far") as caught:
        io.read(tmp_path / "in.xlsx")
    assert "sheet 'a'" in str(caught.value)
    assert "8151" not in str(caught.value)


@pytest.mark.parametrize("letter", ["\ufffe", "\uffff", "\ufdd0", "\ufdef", "\U0001fffe", "\U0010ffff"])
def test_what_is_no_character_is_refused_in_frames_as_in_text(letter: str, tmp_path: Path) -> None:
    """Frames and delimited text refuse the code points that Unicode sets aside, in cells and in names."""
    (tmp_path / "a.csv").write_text(f"age\n1\na{letter}\n", encoding="utf-8")
    for source in (tmp_path / "a.csv", pl.DataFrame({"age": ["1", f"a{letter}"]})):
        with pytest.raises(InputError, match=r"not (a )?character"):
            io.read(source)
    with pytest.raises(InputError, match="control characters"):
        io.read(pl.DataFrame({f"a{letter}": ["1"]}))


def test_a_name_of_10_000_letters_is_too_long_in_a_frame() -> None:
    """A column's name has its limit wherever the table comes from."""
    with pytest.raises(LimitError, match="10,000 letters"):
        io.read(pl.DataFrame({"x" * 10_000: [1]}))
