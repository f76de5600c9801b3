"""Combinatorial refinement on all tables of toy size: what follows from the choices, beyond what labels say."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from tests.attack_oracles.figures import DIVERSE, ILLNESSES
from tests.attack_oracles.refinement import Refinement, fillings, refinement
from tests.attack_oracles.toy import NOISE, World, downcoding
from tests.attack_oracles.worlds import GIVEN, LATTICES, MONDRIANS, every_way, world

pytestmark = pytest.mark.slow

LARGE = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"

#: Records of the tables: all tables of these sizes are looked at.
SIZES = range(2, 8) if LARGE else (4,)


def ill(one: World) -> World:
    """The world with illnesses, two different ones in each class."""
    return replace(one, values=(*one.values, ILLNESSES), models=DIVERSE)


@pytest.mark.parametrize(("how", "label"), every_way())
def test_labels_allow_what_was_released(how: str, label: str) -> None:
    """The control is sound: what is in the classes of any release is among what their labels allow."""
    for one, records in (
        (world(how, label), 4),
        (world(how, label, cities=True), 3 if LARGE else 2),
        (ill(world(how, label)), 3 if LARGE else 2),
    ):
        allowed = fillings(one, records)
        for released, same in one.preimages(one.tables(records)).items():
            could = [[frozenset(inside.items()) for inside in allowed[shown]] for shown in released.printed]
            for dealing in (dealing for found in same.values() for dealing in found.dealings):
                assert all(frozenset(inside.items()) in one for inside, one in zip(dealing, could, strict=True))


@pytest.mark.parametrize(("how", "label"), every_way())
def test_knowing_the_algorithm_never_tells_less(how: str, label: str) -> None:
    """Who also knows the algorithm has fewer inputs left, more certain cells and better guesses than by the labels."""
    for records in SIZES:
        found = refinement(world(how, label), records)
        assert found.certain_by_labels <= found.certain <= found.cells
        assert found.guessed_by_labels <= found.guessed <= found.cells
        assert 0 < found.left <= 1


@pytest.mark.parametrize("columns", [slice(1), slice(2)])
def test_a_choice_made_before_the_data_tells_nothing(columns: slice) -> None:
    """The negative control: of a node given beforehand, every input that the labels allow would be released so."""
    for one in (
        replace(world("optimal", "ancestor"), algorithm=GIVEN),
        replace(ill(world("optimal", "ancestor")), algorithm=GIVEN),
    ):
        for records in (3, 4):
            found = refinement(one, records, columns)
            assert found.cells > 0
            assert (found.certain, found.guessed) == (0, found.guessed_by_labels)
            assert abs(found.left - 1) < NOISE


@pytest.mark.parametrize("how", sorted({*MONDRIANS, *LATTICES} - {"mondrian-relaxed, median"}))
def test_choices_made_on_the_data_tell_something(how: str) -> None:
    """The positive control: some inputs that the labels allow would have been released otherwise, by every method."""
    assert refinement(world(how, "ancestor"), 6).left < 1


@pytest.mark.parametrize("how", ["mondrian", "mondrian, loss"])
def test_four_ages_that_were_not_cut_have_two_equal_ones(how: str) -> None:
    """Worked by hand: of 25 inputs below `*` those are left whose middle ages are equal; others would have been cut."""
    one = world(how, "ancestor")
    released = one.released((("20",), ("25",), ("25",), ("35",)))
    assert released is not None
    assert [labels for labels, _, _ in released.printed] == [("*",)]
    assert len(fillings(one, 4)[released.printed[0]]) == 25
    left = one.preimages(one.tables(4))[released]
    assert len(left) == 12
    assert all(rows[1] == rows[2] for rows in left)


@pytest.mark.parametrize("how", sorted(MONDRIANS))
def test_a_grid_leaves_every_age_of_a_cell(how: str) -> None:
    """Of a public grid no choice makes an age certain below its interval, with cities and with illnesses too."""
    worlds = [
        (world(how, "grid"), 6),
        (world(how, "grid", cities=True), 4 if LARGE else 3),
        (ill(world(how, "grid")), 4 if LARGE else 3),
    ]
    for one, records in worlds:
        assert refinement(one, records).certain == 0


@pytest.mark.parametrize(("how", "label"), [way for way in every_way() if way[1] != "grid"])
def test_certain_cells_are_those_of_downcoding(how: str, label: str) -> None:
    """What is certain by refinement is what the oracle of downcoding finds, which does not look at labels."""
    one = world(how, label)
    found, other = refinement(one, SIZES[-1]), downcoding(one, SIZES[-1])
    assert (found.cells, found.certain) == (other.cells, other.certain)


def test_without_a_release_there_is_nothing_to_refine() -> None:
    """Fewer records than k: no cell is counted, and no input is excluded."""
    assert refinement(world("mondrian", "range"), 1) == Refinement(0, 0, 0, 0, 0, 1.0)
