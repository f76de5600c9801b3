"""The lattice is all tuples of levels, each height once, and what lies above what."""

from __future__ import annotations

from itertools import islice

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kohort.core.lattice import Lattice, downset, node_at, upset
from tests.reference.lattice import is_above

LATTICES = st.lists(st.integers(0, 3), max_size=4).map(lambda top: Lattice(tuple(top)))


@st.composite
def nodes(draw: st.DrawFn) -> tuple[Lattice, tuple[int, ...]]:
    """A lattice, and a node of it."""
    lattice = draw(LATTICES)
    return lattice, tuple(draw(st.integers(0, level)) for level in lattice.top)


@given(LATTICES)
def test_nodes_are_all_tuples_below_the_top(lattice: Lattice) -> None:
    """Every tuple of levels is a node once, in lexicographic order, from the bottom to the top."""
    every = list(lattice.nodes())
    assert every == sorted(set(every))
    assert len(every) == lattice.size == np.empty(lattice.shape).size
    assert (every[0], every[-1]) == (lattice.bottom, lattice.top)
    assert [node_at(place, lattice) for place in range(lattice.size)] == every
    assert all(is_above(node, lattice.bottom) and is_above(lattice.top, node) for node in every)


@given(LATTICES)
def test_heights_part_the_nodes(lattice: Lattice) -> None:
    """Each node is on the height that its levels sum to and on no other; each height is in lexicographic order."""
    heights = [list(lattice.at(height)) for height in range(lattice.height + 1)]
    assert sorted(node for nodes in heights for node in nodes) == list(lattice.nodes())
    assert all(sum(node) == height for height, nodes in enumerate(heights) for node in nodes)
    assert all(nodes == sorted(nodes) and nodes for nodes in heights)


@given(LATTICES)
def test_there_is_nothing_beside_the_heights(lattice: Lattice) -> None:
    """Below 0 and above the top's height there are no nodes."""
    assert [*lattice.at(-1), *lattice.at(lattice.height + 1)] == []


@given(nodes())
def test_successors_are_the_nodes_right_above(of: tuple[Lattice, tuple[int, ...]]) -> None:
    """They are all that lie above a node and one step away."""
    lattice, node = of
    assert sorted(lattice.successors(node)) == [one for one in lattice.at(sum(node) + 1) if is_above(one, node)]


@given(nodes())
def test_upset_and_downset_are_what_lies_above_and_below(of: tuple[Lattice, tuple[int, ...]]) -> None:
    """As places of an array, they hold the nodes above and below, the node itself included."""
    lattice, node = of
    above, below = np.zeros(lattice.shape, np.bool_), np.zeros(lattice.shape, np.bool_)
    above[upset(node)], below[downset(node)] = True, True
    for one in lattice.nodes():
        assert (bool(above[one]), bool(below[one])) == (is_above(one, node), is_above(node, one))


def test_a_height_of_an_immense_lattice_is_reached_at_once() -> None:
    """No node of another height is visited on the way, be there 10^21 of them."""
    lattice = Lattice((4,) * 30)
    first, second = islice(lattice.at(60), 2)
    assert first == (0,) * 15 + (4,) * 15
    assert second == (0,) * 14 + (1, 3) + (4,) * 14
