"""The hierarchy itself, on trees small enough to check by eye."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kohort.schema.hierarchies import findings, read_hierarchy
from kohort.schema.hierarchy import Hierarchy

if TYPE_CHECKING:
    from pathlib import Path

ROWS = (
    ("Milano", "Lombardia", "Nord", "Italia"),
    ("Bari", "Puglia", "Sud", "Italia"),
    ("Torino", "Piemonte", "Nord", "Italia"),
    ("Como", "Lombardia", "Nord", "Italia"),
)


@pytest.fixture
def cities() -> Hierarchy:
    """Four cities in three regions and two halves."""
    return Hierarchy.from_rows(ROWS, name="city")


def test_leaves_are_depth_first_in_order_of_appearance(cities: Hierarchy) -> None:
    """Leaves of a node are neighbours; siblings keep the order of the rows."""
    assert cities.labels == (
        ("Milano", "Como", "Torino", "Bari"),
        ("Lombardia", "Piemonte", "Puglia"),
        ("Nord", "Sud"),
        ("Italia",),
    )
    assert cities.leaves == cities.labels[0]
    assert cities.height == 3
    assert dict(cities.index) == {"Milano": 0, "Como": 1, "Torino": 2, "Bari": 3}


def test_order_of_appearance_holds_for_many_siblings() -> None:
    """However rows of several nodes alternate, each node's leaves keep their order."""
    rows = [[f"{leaf}", f"{leaf % 3}", "*"] for leaf in range(3000)]
    leaves = Hierarchy.from_rows(rows).leaves
    assert leaves == tuple(str(leaf) for start in range(3) for leaf in range(start, 3000, 3))


def test_maps_lead_every_leaf_to_its_ancestor(cities: Hierarchy) -> None:
    """A map holds, for each leaf, the index of its ancestor on the level."""
    assert [chain.tolist() for chain in cities.maps] == [[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert all(chain.dtype == np.int64 for chain in (*cities.maps, *cities.parents))


def test_spans_and_counts_cover_the_leaves(cities: Hierarchy) -> None:
    """Spans give the first and last leaf of each node, counts how many lie between."""
    first, last = cities.spans(1)
    assert (first.tolist(), last.tolist()) == ([0, 2, 3], [1, 2, 3])
    assert cities.covered(1).tolist() == [2, 1, 1]


def test_ancestor_is_elementwise(cities: Hierarchy) -> None:
    """Each pair of leaves gets the lowest node above both, whatever the arrays' shape and integer type."""
    low, high = np.array([[0, 0], [0, 3]], np.uint16), np.array([[0, 1], [2, 0]], np.uint16)
    level, node = cities.ancestor(low.astype(np.int64), high.astype(np.int64))
    assert level.tolist() == [[0, 1], [2, 3]]
    assert node.tolist() == [[0, 0], [0, 0]]
    assert [array.shape for array in cities.ancestor(np.empty(0, np.int64), np.empty(0, np.int64))] == [(0,), (0,)]


def test_ancestor_leaves_its_arguments_alone(cities: Hierarchy) -> None:
    """The arrays that ask are not written to."""
    low, high = np.array([0, 1]), np.array([3, 2])
    cities.ancestor(low, high)
    assert (low.tolist(), high.tolist()) == ([0, 1], [3, 2])


def test_check_counts_what_is_no_leaf(cities: Hierarchy) -> None:
    """Values that are no leaf are counted; labels of upper levels are no leaves."""
    assert cities.check(["Bari", "Roma", "Nord", ""]) == 3
    assert cities.check(cities.leaves) == 0


def test_rows_are_given_back_in_leaf_order(cities: Hierarchy) -> None:
    """The rows come back, reordered only."""
    assert list(cities.rows()) == [ROWS[0], ROWS[3], ROWS[2], ROWS[1]]


def test_equality_is_of_content() -> None:
    """Name and provenance do not count, labels and parents do; equal hierarchies hash alike."""
    one, same = Hierarchy.from_rows(ROWS), Hierarchy.from_rows(ROWS, name="city", data_dependent=True)
    assert one == same
    assert hash(one) == hash(same)
    assert one != Hierarchy.from_rows(ROWS[:3])
    assert one != ROWS
    labels = (("a", "b", "c"), ("x", "y"), ("*",))
    assert Hierarchy(labels, parents=(np.array([0, 0, 1]), np.array([0, 0]))) != Hierarchy(
        labels, parents=(np.array([0, 1, 1]), np.array([0, 0]))
    )


def test_nothing_can_be_changed(cities: Hierarchy) -> None:
    """Attributes and arrays are read-only, and the caller's arrays are not shared."""
    with pytest.raises(FrozenInstanceError):
        cities.name = "town"  # type: ignore[misc]
    for array in (*cities.maps, *cities.parents):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    mine = np.array([0, 0])
    Hierarchy((("a", "b"), ("*",)), (mine,))
    mine[0] = 1  # still mine to change


def test_repr_tells_no_labels(cities: Hierarchy) -> None:
    """Labels may come from data, so they stay out of tracebacks and logs."""
    assert repr(cities) == "<Hierarchy of city; leaves: 4; levels: 4>"


def test_it_can_be_renamed_and_sent_to_another_process(cities: Hierarchy) -> None:
    """`dataclasses.replace` and pickle keep the content."""
    assert replace(cities, name="town") == cities
    assert replace(cities, name="town").name == "town"
    assert pickle.loads(pickle.dumps(cities)) == cities  # noqa: S301  bytes made on this line


def test_a_root_is_added_only_where_there_is_none() -> None:
    """`root` joins several tops, or gives bare leaves a level, and does nothing to a common root."""
    assert Hierarchy.from_rows([["a", "x"], ["b", "y"]], root="*").labels[2] == ("*",)
    assert Hierarchy.from_rows([["a"]], root="*").labels == (("a",), ("*",))
    assert Hierarchy.from_rows([["a", "x"], ["b", "x"]], root="*").labels == (("a", "b"), ("x",))


def test_short_rows_repeat_their_last_label_upward() -> None:
    """Padding repeats the label below the root: on its way up, `Italia` must not come to mean San Marino alone."""
    rows = [["Milano", "Lombardia", "Italia"], ["San Marino", "Italia"]]
    assert list(Hierarchy.from_rows(rows, pad=True).rows())[1] == ("San Marino", "San Marino", "Italia")
    rows = [["Milano", "Lombardia", "Nord", "*"], ["abroad", "*"]]
    assert list(Hierarchy.from_rows(rows, pad=True).rows())[1] == ("abroad", "abroad", "abroad", "*")


def test_a_label_may_recur_on_another_level() -> None:
    """A leaf `Other` under a node `Other` is fine, and so is a node of the same values as its only child."""
    other = Hierarchy.from_rows([["Sales", "Sales", "*"], ["Other", "Other", "*"], ["Army", "Other", "*"]])
    assert other.labels == (("Sales", "Other", "Army"), ("Sales", "Other"), ("*",))


def test_a_missing_value_may_be_declared() -> None:
    """An empty leaf is fine where a row declares it, with labels of its own or empty ones below the root."""
    named = Hierarchy.from_rows([["a", "x", "*"], ["", "unknown", "*"]])
    bare = Hierarchy.from_rows([["a", "x", "*"], ["", "", "*"]])
    assert (named.labels[1], bare.labels[1]) == (("x", "unknown"), ("x", ""))


def test_many_leaves_and_levels_nest() -> None:
    """Seventy thousand leaves under thirty levels are built in one pass over the rows."""
    height, count = 30, 70_000
    rows = ([f"{level}:{leaf >> level}" for level in range(height + 1)] for leaf in range(count))
    deep = Hierarchy.from_rows(rows)
    assert (deep.height, len(deep.leaves)) == (height, count)
    level, node = deep.ancestor(np.array([0, 4, 65_535]), np.array([1, 7, 65_536]))
    assert (level.tolist(), node.tolist()) == ([1, 2, 17], [0, 1, 0])


@pytest.mark.parametrize(
    ("attribute", "leaves", "height", "remarks"),
    [
        ("age", 100, 4, 0),
        ("education", 16, 3, 0),
        ("marital-status", 7, 2, 0),
        ("native-country", 41, 2, 1),  # South Africa stands alone in Africa
        ("occupation", 14, 2, 0),
        ("race", 5, 1, 0),
        ("salary-class", 2, 1, 0),
        ("sex", 2, 1, 0),
        ("workclass", 8, 2, 0),
    ],
)
def test_real_files_are_read(data_folder: Path, attribute: str, leaves: int, height: int, remarks: int) -> None:
    """Hierarchies as ARX ships them are read as they are."""
    path = data_folder / "adult-hierarchies" / f"adult_hierarchy_{attribute}.csv"
    if not path.is_file():
        pytest.skip("the folder KOHORT_DATA holds no adult-hierarchies")
    hierarchy = read_hierarchy(path, name=attribute)
    assert (len(hierarchy.leaves), hierarchy.height, len(findings(hierarchy))) == (leaves, height, remarks)
    assert hierarchy.labels[-1] == ("*",)
