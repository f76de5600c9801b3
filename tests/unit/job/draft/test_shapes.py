"""How a draft generalizes a quasi-identifier."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kohort.assessment.inspection.guesses import Guess, ScaleName
from kohort.job.draft.shapes import Shape, scale_of, shape_of, wants_tree

NOWHERE = Path()


def guess(name: str = "x", *, hierarchy: str | None = None, grid: str | None = None) -> Guess:
    """A guess over a quasi-identifier."""
    scale: ScaleName = "numeric" if grid else "categorical"
    return Guess(name, "quasi", scale, ("why",), 5, 0, 0.1, 0.5, hierarchy, grid, "round")


@pytest.mark.parametrize(
    ("made", "values", "hierarchy"),
    [
        (guess(hierarchy="dates"), ["2020-01-01"], "dates"),
        (guess(hierarchy="mask:right"), ["00118"], "mask:right"),
        (guess(), [f"A{place:02}" for place in range(20)], "prefix:2:halves"),
        (
            guess(),
            [f"{'AEI'[place % 3]}{place % 10:02}.{place // 10}" for place in range(30)] + ["I10"],
            "prefix:1,2:halves",
        ),
        (guess(), [f"P-{place}" for place in range(20)], "suppress"),
        (guess(), ["no", "yes"], "suppress"),
        (guess(hierarchy="suppress"), ["a", "b", "c"], "suppress"),
        (guess(), ["a", "b", "c", "d", "e", "f", "g", "h"], "suppress"),
        (guess(), [str(place) for place in range(10)], "intervals:2,4,8"),
        (guess(), [f"name{chr(97 + place)}" for place in range(20)], "suppress"),
        (guess(), [f"{'long ' * 6}name{chr(97 + place)}" for place in range(20)], "suppress"),
        (guess(), [f"name{'x' * place}" for place in range(65)], "suppress"),
        (guess(), ["0", "1", "2.0", "5"], "intervals:2,4,8"),
        (guess(), ["1", "2", "3", "4"], "suppress"),
        (guess(), ["0", "5000", "9000"], "suppress"),
        (guess(), ["0", "1"], "suppress"),
        (guess(), [], "suppress"),
    ],
)
def test_names_get_what_their_texts_say(made: Guess, values: list[str], hierarchy: str) -> None:
    """What the guess says, prefixes of codes, or all or nothing until there is a tree: never neighbours by alphabet."""
    shape = shape_of(made, values, None, NOWHERE)
    assert (shape.hierarchy, shape.grid) == (hierarchy, None)
    assert shape.why


@pytest.mark.parametrize(("values", "wanted"), [(2, False), (3, True), (256, True), (257, False)])
def test_a_tree_is_for_more_than_two_names_and_not_for_too_many(values: int, *, wanted: bool) -> None:
    """Two names have no branches, and of hundreds each would hold too few records."""
    names = [f"name{'x' * place}" for place in range(values)]
    assert wants_tree(shape_of(guess(), names, None, NOWHERE), names) is wanted


@pytest.mark.parametrize(
    ("scale", "hierarchy", "written"),
    [
        ("numeric", None, None),
        ("numeric", "age.csv", "categorical"),
        ("date", None, "date"),
        ("date", "dates", None),
        ("categorical", "suppress", "categorical"),
    ],
)
def test_numbers_with_a_hierarchy_are_names(scale: ScaleName, hierarchy: str | None, written: str | None) -> None:
    """As numbers their labels would be ranges between values of the class."""
    made = replace(guess(), scale=scale)
    assert scale_of(made, Shape(hierarchy, "5" if hierarchy is None else None, "why")) == written
    assert scale_of(made, None) == (None if scale == "numeric" else scale)


def test_numbers_get_the_proposed_grid() -> None:
    """A grid is preferred to intervals of a hierarchy."""
    shape = shape_of(guess(hierarchy="intervals:5,10", grid="5"), ["18", "90"], None, NOWHERE)
    assert (shape.hierarchy, shape.grid, shape.why) == (None, "5", "round")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("city.csv", "Rome,Lazio,Italy\nBari,Puglia,Italy\n"),
        ("city.json", '{"name": "Italy", "of": {"Lazio": ["Rome"], "Puglia": ["Bari"]}}'),
    ],
)
def test_a_hierarchy_beside_the_table_is_taken(tmp_path: Path, name: str, text: str) -> None:
    """NAME.csv or NAME.json is named relative to the job file's folder, if it has a leaf for every value."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / name).write_text(text)
    table = tmp_path / "data" / "people.csv"
    assert shape_of(guess("city"), ["Bari", "Rome"], table, tmp_path).hierarchy == f"data/{name}"
    assert shape_of(guess("city"), ["Bari", "Rome", "Oslo"], table, tmp_path).hierarchy == "suppress"


def test_a_ragged_hierarchy_beside_the_table_is_padded(tmp_path: Path) -> None:
    """The job file says so, and so does the comment."""
    (tmp_path / "city.csv").write_text("Rome,Lazio,Italy\nSan Marino,Italy\n")
    shape = shape_of(guess("city"), ["Rome", "San Marino"], tmp_path / "people.csv", tmp_path)
    assert (shape.hierarchy, shape.why) == ("city.csv:pad", "found beside the table; short rows are padded")


@pytest.mark.parametrize("name", ["a" * 300, "é" * 130])
def test_no_file_has_so_long_a_name(tmp_path: Path, name: str) -> None:
    """A question of a survey may be the name of its column: no file is looked for."""
    shape = shape_of(guess(name), ["Bari", "Rome", "Oslo"], tmp_path / "people.csv", tmp_path)
    assert shape.hierarchy == "suppress"


def test_what_is_no_hierarchy_is_left_alone(tmp_path: Path) -> None:
    """The table itself, a file that is no hierarchy, and a name with a stroke in it are passed over."""
    table = tmp_path / "city.csv"
    table.write_text("Rome,Lazio,Italy\nBari,Puglia,Italy\n")
    assert shape_of(guess("city"), ["Bari", "Rome"], table, tmp_path).hierarchy == "suppress"
    (tmp_path / "town.json").write_text("{")
    assert shape_of(guess("town"), ["Bari", "Rome"], table, tmp_path).hierarchy == "suppress"
    assert shape_of(guess("a/town"), ["Bari", "Rome"], table, tmp_path).hierarchy == "suppress"
