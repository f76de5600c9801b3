"""Rolled up or grouped anew, the classes of a node are the same, whatever is remembered on the way."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias, TypeVar
from weakref import finalize

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.algorithms.lattice import rollup as rolling
from kohort.algorithms.lattice.rollup import Fields, RollUp, levels_of
from kohort.models.k_anonymity import KAnonymity
from kohort.system.workspace import Workspace
from tests.reference.lattice import Column, RawTable, problem_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kohort.algorithms.lattice.classes import Rolled
    from kohort.algorithms.problem import Problem
    from kohort.arrays import Index
    from kohort.core.lattice import Node

T = TypeVar("T", bound=np.generic)

#: What the records of a class have in common, a hierarchy node of each attribute: how many have each sensitive value.
Classes: TypeAlias = dict[tuple[int, ...], list[int]]

#: Five leaves, so three bits a value: 21 attributes fill a word.
FIVE = Column(
    (
        ("a", "ab", "abc", "*"),
        ("b", "ab", "abc", "*"),
        ("c", "c", "abc", "*"),
        ("d", "d", "d", "*"),
        ("e", "e", "d", "*"),
    )
)


def table(attributes: int, *, records: int = 200, seed: int = 1) -> RawTable:
    """Records that share most of their values with many others, and a sensitive value."""
    draw = np.random.default_rng([attributes, seed])
    cells = draw.choice(["a", "b", "c", "d", "e"], (records, attributes), p=[0.7, 0.1, 0.1, 0.05, 0.05])
    cells[:, 4:] = cells[:, :1]  # many attributes with all values free would make every record its own class
    cells[0], cells[1] = "e", "a"
    sensitive = draw.choice(["x", "y", "z"], records)
    return RawTable((FIVE,) * attributes, tuple(map(tuple, cells.tolist())), tuple(sensitive.tolist()))


def problem(attributes: int, **parts: int) -> Problem:
    """The same as algorithms see it, each record a tuple of its own."""
    return problem_of(table(attributes, **parts), KAnonymity(2), apart=True)


def rollup_of(of: Problem) -> RollUp:
    """The roll-up over a problem."""
    return RollUp.of(of.frequency, of.domains)


def grouped(of: Problem, node: Node) -> Classes:
    """The classes of a node, tuple by tuple."""
    found: Classes = {}
    nodes = [levels_of(domain, domain.leaves)[level] for domain, level in zip(of.domains, node, strict=True)]
    frequency = of.frequency
    for row, sensitive, count in zip(frequency.quasi, frequency.sensitive, frequency.counts, strict=True):
        key = tuple(int(of_code[code]) for of_code, code in zip(nodes, row, strict=True))
        found.setdefault(key, [0] * len(frequency.sensitive_domains[0]))[int(sensitive[0])] += int(count)
    return found


def told(of: Problem, fields: Fields, rolled: Rolled) -> Classes:
    """What a roll-up says, in the same form."""
    nodes = [
        levels_of(domain, np.sort(domain.leaves))[level] for domain, level in zip(of.domains, rolled.node, strict=True)
    ]
    values = ((rolled.keys[:, fields.word] >> fields.shift) & fields.mask).astype(np.int64)
    keys = [tuple(int(one[value]) for one, value in zip(nodes, row, strict=True)) for row in values]
    assert len(set(keys)) == len(keys)
    assert rolled.sizes.tolist() == rolled.tallies.sum(axis=1).tolist()
    return dict(zip(keys, rolled.tallies.tolist(), strict=True))


def some_nodes(attributes: int, count: int) -> list[Node]:
    """Nodes in any order, and the top."""
    draw = np.random.default_rng(attributes)
    return [*map(tuple, draw.integers(0, 4, (count, attributes)).tolist()), (3,) * attributes]


@pytest.mark.parametrize("attributes", [1, 2, 4, 21, 22, 25, 43])
def test_classes_are_those_of_a_plain_grouping(attributes: int) -> None:
    """With keys of one, two and three words: each class once, its records and sensitive values counted."""
    of = problem(attributes)
    rollup = rollup_of(of)
    assert rollup.bottom.keys.shape[1] == -(-attributes // 21)
    assert told(of, rollup.fields, rollup.bottom) == grouped(of, rollup.bottom.node)
    for node in some_nodes(attributes, 40):
        rolled = rollup.at(node)
        assert rolled.node == node
        assert told(of, rollup.fields, rolled) == grouped(of, node)


@given(st.data())
def test_rolling_up_composes(data: st.DataObject) -> None:
    """By whatever nodes on the way, a node has the same classes."""
    of = problem(data.draw(st.sampled_from([4, 22])), records=40, seed=data.draw(st.integers(0, 99)))
    rollup = rollup_of(of)
    attributes = len(of.domains)
    steps = data.draw(
        st.lists(st.lists(st.integers(0, 3), min_size=attributes, max_size=attributes), min_size=1, max_size=4)
    )
    way = [rollup.bottom.node, *map(tuple, np.maximum.accumulate(steps, axis=0).tolist())]
    rolled = rollup.bottom
    for below, node in pairwise(way):
        rolled = rollup.up(rolled, node) if node != below else rolled
    assert told(of, rollup.fields, rolled) == grouped(of, way[-1])


def test_tables_without_sensitive_attributes_have_no_histograms() -> None:
    """Then there are keys and sizes alone, of one word and of several."""
    for attributes in (4, 25):
        with_values = table(attributes)
        of = problem_of(RawTable(with_values.columns, with_values.records), KAnonymity(2))
        for node in some_nodes(attributes, 9):
            rolled = rollup_of(of).at(node)
            assert rolled.tallies.shape == (len(rolled.keys), 0)
            counted = problem_of(with_values, KAnonymity(2))
            assert sorted(rolled.sizes.tolist()) == sorted(map(sum, grouped(counted, node).values()))


#: What shows nowhere else.
REMEMBERED = "_known"

# ── What is remembered ───────────────────────────────────────────────────────────────────────────


def walk(of: Problem, nodes: Sequence[Node]) -> RollUp:
    """Ask for the nodes one after the other and see that each is right."""
    rollup = rollup_of(of)
    for node in nodes:
        assert told(of, rollup.fields, rollup.at(node)) == grouped(of, node)
    return rollup


def test_what_is_known_is_not_rolled_up_again() -> None:
    """A node that was asked for is remembered."""
    of, node = problem(4), (1, 2, 0, 3)
    rollup = walk(of, [node])
    assert (rollup.rolled, rollup.walked) == (1, len(rollup.bottom.keys))
    assert rollup.at(node) is rollup.at(node)
    assert rollup.at(rollup.bottom.node) is rollup.bottom
    assert rollup.rolled == 1


def test_the_cheapest_finer_node_serves() -> None:
    """Of all nodes known below, that with the fewest classes is rolled up."""
    rollup = walk(problem(4), [(1, 0, 0, 0), (1, 2, 2, 0)])
    walked = rollup.walked
    rollup.at((3, 3, 2, 0))
    assert rollup.walked - walked == len(rollup.at((1, 2, 2, 0)).keys)


@pytest.mark.parametrize(("kept", "most"), [(0, 1 << 9), (1 << 12, 1 << 9), (1 << 28, 2), (1 << 28, 5), (0, 2)])
def test_what_is_forgotten_is_rolled_up_again(monkeypatch: pytest.MonkeyPatch, kept: int, most: int) -> None:
    """With room for few nodes or few bytes the classes are the same; nodes asked for again cost again."""
    nodes = some_nodes(4, 60) * 2
    remembering = walk(problem(4), nodes)
    monkeypatch.setattr(rolling, "KEPT", kept)
    monkeypatch.setattr(rolling, "MOST_KEPT", most)
    forgetful = walk(problem(4), nodes)
    assert forgetful.rolled > remembering.rolled
    assert forgetful.walked > remembering.walked
    assert forgetful.at(forgetful.bottom.node) is forgetful.bottom


@pytest.mark.parametrize("kept", [0, 1 << 12])
def test_memory_is_kept_low(monkeypatch: pytest.MonkeyPatch, kept: int) -> None:
    """Besides the bottom and the latest node no more bytes are remembered than there may be."""
    monkeypatch.setattr(rolling, "KEPT", kept)
    rollup = rollup_of(problem(4))
    for node in some_nodes(4, 60):
        latest = rollup.at(node)
        known: list[Rolled] = getattr(rollup, REMEMBERED)
        assert sum(one.bytes for one in known if one not in (latest, rollup.bottom)) <= kept


@pytest.mark.parametrize("of_people", [False, True])
@pytest.mark.parametrize("attributes", [1, 2, 4, 25])
def test_it_takes_no_more_room_than_it_says(attributes: int, of_people: bool) -> None:  # noqa: FBT001  a parameter
    """A search is refused by that where the disk has less: never are arrays of more bytes there at once."""
    there = [0]

    class Counted(Workspace):
        def empty(self, shape: int | tuple[int, ...], dtype: type[T] | np.dtype[T]) -> NDArray[T]:
            return self.counted(super().empty(shape, dtype))

        def zeros(self, shape: int | tuple[int, ...], dtype: type[T] | np.dtype[T]) -> NDArray[T]:
            return self.counted(super().zeros(shape, dtype))

        def counted(self, made: NDArray[T]) -> NDArray[T]:
            there.append(there[-1] + made.nbytes)
            finalize(made, gone, made.nbytes)
            return made

    def gone(size: int) -> None:
        there.append(there[-1] - size)

    of = problem(attributes)
    frequency = replace(of.frequency, people=np.arange(200) // 2) if of_people else of.frequency
    rollup = RollUp.of(frequency, of.domains, workspace=Counted())
    for node in some_nodes(attributes, 60):
        rollup.classes(rollup.at(node))
    assert 0 < max(there) <= rolling.room_for(frequency, of.domains)


def test_a_base_is_made_where_it_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where high nodes are rolled up from far below again and again, one on the way is made for the next."""
    monkeypatch.setattr(rolling, "MUCH", 2)
    monkeypatch.setattr(rolling, "PATIENCE", 1)
    nodes = [(3, 3, 3, 0), (3, 3, 0, 3), (3, 0, 3, 3), (0, 3, 3, 3)]
    assert walk(problem(4), nodes).rolled > len(nodes)


# ── Keys ─────────────────────────────────────────────────────────────────────────────────────────

SIZES = st.lists(st.sampled_from([1, 2, 3, 4, 5, 255, 256, 257, 70_000]), min_size=1, max_size=40)


def fields_of(sizes: Sequence[int]) -> Fields:
    """Fields for attributes with so many values each, and a root."""
    return Fields.of([[np.arange(size), np.zeros(size, np.int64)] for size in sizes])


@given(SIZES, st.integers(0, 99))
def test_packed_values_can_be_read_again(sizes: list[int], seed: int) -> None:
    """Each value stands whole in its own bits of one word."""
    fields = fields_of(sizes)
    values: Index = np.random.default_rng(seed).integers(0, sizes, (5, len(sizes)))
    values[0], values[1] = 0, np.array(sizes) - 1
    packed = fields.packed(list(values.T))
    assert ((packed[:, fields.word] >> fields.shift) & fields.mask).tolist() == values.tolist()
    assert packed[0].tolist() == [0] * packed.shape[1]


@given(SIZES)
def test_fields_lie_apart(sizes: list[int]) -> None:
    """No bit belongs to two attributes, and none lies beyond a word."""
    fields = fields_of(sizes)
    taken = Counter[tuple[int, int]]()
    for word, shift, mask in zip(fields.word.tolist(), fields.shift.tolist(), fields.mask.tolist(), strict=True):
        taken.update((word, shift + bit) for bit in range(mask.bit_length()))
    assert max(taken.values()) == 1
    assert max(bit for _, bit in taken) < 64


def test_the_least_value_stands_for_all_of_its_node() -> None:
    """On each level the values of one node are replaced by the least of them, in the place of their field."""
    of = problem(2)
    fields = rollup_of(of).fields
    for level, expected in enumerate(([0, 1, 2, 3, 4], [0, 0, 2, 3, 4], [0, 0, 0, 3, 3], [0, 0, 0, 0, 0])):
        start = fields.starts[1, level]
        stands = fields.stands[start : start + 5]
        assert (stands >> fields.shift[1]).tolist() == expected


def test_a_known_node_is_not_rolled_up_again() -> None:
    """A node that is remembered is given as it is, also where a finer one has as few classes."""
    same = Column((("a", "x", "*"), ("b", "y", "*")))
    known = rollup_of(problem_of(RawTable((same,), (("a",), ("b",))), KAnonymity(2)))
    first = known.at((1,))
    assert known.at((1,)) is first
    assert known.rolled == 1


def test_a_stone_that_is_known_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A base on the way that is remembered serves, also where a finer one has as few classes."""
    monkeypatch.setattr(rolling, "PATIENCE", 0)
    same = Column((("a", "x", "*"), ("b", "y", "*")))
    known = rollup_of(problem_of(RawTable((same, same), (("a", "b"), ("b", "a"))), KAnonymity(2)))
    known.at((0, 1))
    known.at((1, 1))
    assert known.rolled == 2
