"""How hierarchies are made that the forms of the desk ask for, and what is shown of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from kohort import io
from kohort.desk.making import (
    MOST_EDITED,
    Complete,
    Cuts,
    Edited,
    Insert,
    JobHierarchy,
    Making,
    Prefixes,
    UploadedFile,
    Values,
    made_over,
)
from kohort.errors import HierarchyError, InputError
from kohort.schema.hierarchies import HeldFile, read_held

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

#: A file of three cities.
CITIES = b"Milano;Nord;*\nTorino;Nord;*\nBari;Sud;*\n"


def values_of(cells: Sequence[str | None], folder: Path, *held: HeldFile) -> Values:
    """A column with these cells, of which "?" is none."""
    table = io.read(pl.DataFrame({"x": cells}), io.ReadOptions())
    return Values(table["x"], frozenset({"", "?"}), folder, held)


def test_missing_values_are_no_values(tmp_path: Path) -> None:
    """A hierarchy has no leaf for them, and a job can have it."""
    made = made_over(JobHierarchy("suppress"), values_of(["a", "a", "b", "?", "", None], tmp_path), "")
    assert made.labels == (("a", "b"), ("*",))
    assert made.faults == ()
    assert made.example == ("a", "*")
    assert made.lacking == 0


def test_a_file_may_be_held_or_written(tmp_path: Path) -> None:
    """What is held counts before what lies in the folder."""
    (tmp_path / "city.csv").write_bytes(b"Bari;*\n")
    held = values_of(["Bari", "Torino"], tmp_path, HeldFile("city.csv", CITIES))
    assert JobHierarchy("city.csv").over(held).height == 2
    assert JobHierarchy("city.csv").over(values_of(["Bari"], tmp_path)).height == 1


@pytest.mark.parametrize(
    ("cells", "cuts", "leaves"),
    [
        (["17", "30"], (("16", "20", "40"), ("16", "40")), 24),
        (["17.5", "30"], (("16", "20", "40"),), 2),
        (["17", "30"], (("0", "20", "3000"),), 2),
        (["-1", "030"], (("-2", "20", "40"),), 0),
    ],
)
def test_cut_points_name_a_domain(
    tmp_path: Path, cells: list[str], cuts: tuple[tuple[str, ...], ...], leaves: int
) -> None:
    """All its whole numbers are leaves, where people could list them; `030` is no number of a table."""
    making = Cuts(cuts, open_ends=False)
    if not leaves:
        with pytest.raises(HierarchyError):
            making.over(values_of(cells, tmp_path))
        return
    made = making.over(values_of(cells, tmp_path))
    assert len(made.leaves) == leaves
    assert made.labels[1][0] == f"[{cuts[0][0]}-{cuts[0][1]})"


def test_open_ends_name_none(tmp_path: Path) -> None:
    """Only what occurs is a leaf, and what lies outside has a range."""
    made = Cuts((("18", "65"),), open_ends=True).over(values_of(["17", "30", "90"], tmp_path))
    assert made.labels[:2] == (("17", "30", "90"), ("<18", "[18-65)", ">=65"))


@pytest.mark.parametrize("levels", [(), ((),), (("",),)])
def test_no_cut_points_are_refused(tmp_path: Path, levels: tuple[tuple[str, ...], ...]) -> None:
    """In the words of the builder."""
    with pytest.raises(HierarchyError):
        Cuts(levels, open_ends=False).over(values_of(["17"], tmp_path))


def test_prefixes_skip_levels(tmp_path: Path) -> None:
    """Only those that are asked for, from the side that is."""
    made = Prefixes("right", (3,), "").over(values_of(["20139", "20121"], tmp_path))
    assert made.labels[1] == ("20***",)
    assert Prefixes("left", (1,), "0").over(values_of(["7", "12"], tmp_path)).labels[1] == ("*2", "*7")


def test_a_file_that_is_sent_is_mended(tmp_path: Path) -> None:
    """As its sender asks, and values that it lacks are added."""
    values = values_of(["Bari", "Roma"], tmp_path)
    ragged = HeldFile("city.csv", b"Milano;Lombardia;Nord\nBari;Sud\nBari;Nord\n")
    made = UploadedFile(ragged, pad=True, keep="first", root="*", complete=True).over(values)
    assert ("Bari", "Sud", "Sud", "*") in list(made.rows())
    assert ("Roma", "Roma", "Roma", "*") in list(made.rows())
    with pytest.raises(InputError, match="labels where the first row has"):
        UploadedFile(ragged, pad=False, keep="", root="", complete=False).over(values)


def test_what_a_job_cannot_have_is_told(tmp_path: Path) -> None:
    """Values without a leaf are counted, and a label of two meanings is named; the levels are shown all the same."""
    values = values_of(["Bari", "Roma", "Roma"], tmp_path, HeldFile("city.csv", CITIES))
    made = made_over(JobHierarchy("city.csv"), values, "")
    (fault,) = made.faults
    assert fault.what == "1 value (2 records) is missing from the hierarchy"
    assert made.lacking == 1
    assert [level.nodes for level in made.levels] == [3, 2, 1]
    twofold = made_over(
        JobHierarchy("h.csv"), values_of(["30", "31"], tmp_path, HeldFile("h.csv", b"30;31;*\n31;y;*\n")), ""
    )
    assert twofold.faults[0].what == "1 label stands for different values on different levels: '31'"


def test_losses_are_means_over_records(tmp_path: Path) -> None:
    """And over leaves, where no record has one."""
    file = HeldFile("city.csv", CITIES)
    made = made_over(JobHierarchy("city.csv"), values_of(["Milano", "Bari", "Bari", "Bari"], tmp_path, file), "")
    assert made.levels[1].loss == 1 / 8
    assert made_over(JobHierarchy("city.csv"), values_of(["Roma"], tmp_path, file), "").levels[1].loss == 1 / 3


@pytest.mark.parametrize(("cells", "scale", "numeric"), [(["1", "2"], "", True), (["1", "2"], "categorical", False)])
def test_numbers_are_told_from_names(tmp_path: Path, cells: list[str], scale: str, numeric: bool) -> None:  # noqa: FBT001
    """Unless the job says that they are names."""
    assert made_over(JobHierarchy("suppress"), values_of(cells, tmp_path), scale).numeric is numeric


def test_a_large_tree_is_not_sent(tmp_path: Path) -> None:
    """Its nodes would fill the page; its file has them."""
    cells = [f"{number:04}" for number in range(MOST_EDITED + 1)]
    made = made_over(JobHierarchy("mask:right"), values_of(cells, tmp_path), "")
    assert (made.labels, made.parents) == ((), ())
    assert len(read_held(made.file).leaves) == MOST_EDITED + 1
    assert made_over(JobHierarchy("mask:right"), values_of(cells[1:], tmp_path), "").labels[0] == tuple(cells[1:])


def test_edits_follow_one_another(tmp_path: Path) -> None:
    """From what the job says; where it says nothing, from all or nothing."""
    edited: Making = Edited(JobHierarchy(""), (Insert(0), Insert(0), Complete()))
    assert made_over(edited, values_of(["a", "b"], tmp_path), "").labels == (*[("a", "b")] * 3, ("*",))
