"""Edits of a hierarchy: each makes a hierarchy over the same leaves, or is refused in the words of the schema."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.desk.making import Complete, Insert, Move, Remove, Rename, groups_of, lacking
from kohort.errors import HierarchyError, UsageError
from kohort.schema.hierarchy import Hierarchy
from tests.laws.test_hierarchy_laws import hierarchies

#: Cities in regions, in parts of the country.
ROWS = (
    ("Milano", "Lombardia", "Nord", "Italia"),
    ("Torino", "Piemonte", "Nord", "Italia"),
    ("Bari", "Puglia", "Sud", "Italia"),
    ("Lecce", "Puglia", "Sud", "Italia"),
)
CITIES = Hierarchy.from_rows(ROWS, name="city")


def rows(tree: Hierarchy) -> set[tuple[str, ...]]:
    """The rows, in no order."""
    return set(tree.rows())


def test_a_leaf_goes_to_another_group() -> None:
    """It gets the ancestors of that group; a group that loses its last leaf goes."""
    moved = Move(0, (0,), "Puglia").of(CITIES)
    assert rows(moved) == {("Milano", "Puglia", "Sud", "Italia"), *ROWS[1:]}
    assert moved.labels[1] == ("Puglia", "Piemonte")
    assert moved.name == "city"


def test_a_new_group_stands_where_its_first_leaf_stood() -> None:
    """Its ancestors are those of the first one that is ticked."""
    moved = Move(0, (CITIES.index["Torino"], CITIES.index["Bari"]), "Coast").of(CITIES)
    assert ("Bari", "Coast", "Nord", "Italia") in rows(moved)
    assert ("Torino", "Coast", "Nord", "Italia") in rows(moved)


def test_a_group_moves_with_all_below_it() -> None:
    """Its leaves keep it."""
    puglia = CITIES.labels[1].index("Puglia")
    moved = Move(1, (puglia,), "Nord").of(CITIES)
    assert {("Bari", "Puglia", "Nord", "Italia"), ("Lecce", "Puglia", "Nord", "Italia")} <= rows(moved)
    assert moved.labels[2] == ("Nord",)


def test_below_the_root_a_level_is_made_for_groups() -> None:
    """What is in none stays by itself there."""
    moved = Move(2, (0,), "Po").of(CITIES)
    assert moved.labels[3:] == (("Po", "Sud"), ("Italia",))


@pytest.mark.parametrize(("nodes", "to", "what"), [((), "Nord", "nothing is ticked"), ((0,), "", "no group is chosen")])
def test_a_move_needs_both_ends(nodes: tuple[int, ...], to: str, what: str) -> None:
    """What is to move, and where."""
    with pytest.raises(UsageError, match=what):
        Move(0, nodes, to).of(CITIES)


def test_names_of_a_level_stay_distinct() -> None:
    """The schema's own words say so."""
    with pytest.raises(HierarchyError, match="a label that another node of the level has"):
        Rename(2, ("Nord", "Nord")).of(CITIES)


def test_values_that_lack_are_added_below_the_root() -> None:
    """Each by itself on every level; what is there already is not added, also where a number is spelled otherwise."""
    made = Complete().over(CITIES, ["Bari", "Roma"])
    assert rows(made) == {*ROWS, ("Roma", "Roma", "Roma", "Italia")}
    assert lacking(Hierarchy.from_rows([["1.0", "*"], ["x", "*"]]), ["1", "x", "2", "y"]) == ["2", "y"]


@given(hierarchies(), st.data())
def test_every_edit_keeps_the_leaves(tree: Hierarchy, data: st.DataObject) -> None:
    """Whatever moves, each leaf is there once, and what was not ticked keeps its ancestors."""
    level = data.draw(st.integers(0, tree.height - 1))
    ticked = data.draw(st.sets(st.integers(0, len(tree.labels[level]) - 1), min_size=1))
    moved = Move(level, tuple(sorted(ticked)), "a new group").of(tree)
    assert sorted(moved.leaves) == sorted(tree.leaves)
    inserted = Insert(level).of(tree) if level + 1 == tree.height else tree
    others = {row for row, node in zip(inserted.rows(), tree.maps[level].tolist(), strict=True) if node not in ticked}
    assert others <= rows(moved)
    assert all(("a new group" in row) == (row not in others) for row in moved.rows())


@given(hierarchies(), st.data())
def test_a_level_that_is_added_can_be_removed(tree: Hierarchy, data: st.DataObject) -> None:
    """The tree is then as it was."""
    level = data.draw(st.integers(0, tree.height - 1))
    assert Remove(level + 1).of(Insert(level).of(tree)) == tree


@given(hierarchies(), st.data())
def test_groups_are_what_lies_below_each_node(tree: Hierarchy, data: st.DataObject) -> None:
    """Every node of a level is in one group, that of its parent."""
    level = data.draw(st.integers(0, tree.height - 1))
    found = groups_of(tree.labels, [one.tolist() for one in tree.parents], level)
    pairs = [(place, label, group.label) for group in found for place, label in group.nodes]
    parents = tree.parents[level].tolist()
    assert pairs == [
        (place, label, tree.labels[level + 1][parents[place]]) for place, label in enumerate(tree.labels[level])
    ]
