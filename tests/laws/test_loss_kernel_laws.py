"""Laws of the compiled cuts by loss on tables of any width: many columns, sets of many words, codes of four bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kohort.algorithms.mondrian import loss_kernels as kernels
from kohort.algorithms.mondrian.by_loss import Tree
from kohort.algorithms.mondrian.costs import ANCESTOR, SET, SPAN, Costs, Groups, Priced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.algorithms.mondrian.loss_kernels import Scan
    from kohort.arrays import Codes, Counts, Index, Mask

#: Values of a column: few, more than a word has bits, more than are told apart, more than two bytes hold.
SIZES = (2, 5, 40, 70, 100, 300, 70_000)


class Table(NamedTuple):
    """The places of tuples, their records, and what groups cost."""

    places: Codes
    counts: Counts
    costs: Costs


def tree(size: int) -> list[Index]:
    """The node of each leaf, level by level: three nodes have a parent, up to the root."""
    levels = [np.arange(size)]
    while levels[-1][-1] > 0:
        levels.append(levels[-1] // 3)
    return levels


@st.composite
def tables(draw: st.DrawFn, sizes: Sequence[int] = SIZES) -> Table:
    """Tables of up to 10 columns, ranges, sets or ancestors, some of whose places lie close together."""
    column = st.tuples(st.sampled_from([SPAN, SET, ANCESTOR]), st.sampled_from(sizes))
    columns = draw(st.lists(column, min_size=1, max_size=10))
    kinds, many = np.array([kind for kind, _ in columns]), np.array([size for _, size in columns])
    random = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    near = random.random((draw(st.integers(2, 60)), many.size)) < draw(st.sampled_from([0.0, 0.5, 0.9]))
    places = np.where(near, random.integers(0, np.minimum(many, 4), near.shape), random.integers(0, many, near.shape))
    steps: list[Index] = [
        np.cumsum(random.integers(0, 4, size)) if kind == SPAN else np.arange(size) * 7 for kind, size in columns
    ]
    trees = [tree(size) if kind == ANCESTOR else [] for kind, size in columns]
    heights = [np.full_like(one, 5 * level) for some in trees for level, one in enumerate(some)]
    none: list[Index] = [np.empty(0, np.int64)]
    costs = Costs(
        kinds=kinds,
        first=np.cumsum([0, *many])[:-1],
        starts=np.concatenate(steps),
        ends=np.concatenate(steps),
        gaps=np.full(many.size, -1),
        whole=np.array([int(one[-1]) for one in steps]),
        nodes=np.concatenate(sum(trees, none)),
        above=np.concatenate([*none, *heights]),
        levels=np.stack([np.cumsum([0, *(sum(map(len, some)) for some in trees)])[:-1], many], axis=1),
        words=np.cumsum([0, *(-(-many // 64) * (kinds == SET))]),
    )
    coded: Codes = places.astype(np.uint32) if many.max() > 1 << 16 else places.astype(np.uint16)
    return Table(coded, random.integers(1, 4, len(places)), costs)


def dear(table: Table, chosen: Mask) -> int:
    """Records times cost of some tuples, counted otherwise."""
    room = Groups.empty(1, table.costs)
    room.add(table.places, np.flatnonzero(chosen).tolist(), table.costs)
    return int(room.cost(table.costs)[0]) * int(table.counts[chosen].sum())


def is_left(rows: kernels.Rows, scan: Scan, attribute: int, value: int) -> Mask:
    """Which tuples are left of a candidate."""
    least, span = scan.spans[attribute].tolist()
    values = rows.codes.reshape(len(rows.words), -1)[:, attribute].astype(np.int64) - least
    if span > kernels.PLACES:
        values = values * kernels.PLACES // span
    left: Mask = scan.sides[attribute][values] == 0 if value == kernels.PLACES else values <= value
    return left


@given(tables(), st.integers(1, 8))
def test_candidates_save_what_their_sides_cost_less(table: Table, least: int) -> None:
    """Each candidate has the gain that its two sides have by themselves, and the best alone is the best of all."""
    scan, records = kernels.memory(table.costs), int(table.counts.sum())
    rows, part = kernels.rows(table.places, table.counts, scan), (0, table.counts.size)
    number = kernels.propose(rows, part, (records, least, True), scan)
    gains, left, at = (column[:number].tolist() for column in scan.found)
    whole = dear(table, np.ones(table.counts.size, np.bool_))
    for one in range(number):
        chosen = is_left(rows, scan, *at[one])
        assert least <= left[one] == table.counts[chosen].sum() <= records - least
        assert gains[one] == whole - dear(table, chosen) - dear(table, ~chosen)
    best = kernels.propose(rows, part, (records, least, False), scan)
    assert best == min(number, 1)
    if best:
        order = [(-gains[one], 0 if gains[one] else abs(2 * left[one] - records), at[one]) for one in range(number)]
        assert scan.found.at[0].tolist() == min(order)[2]


def test_no_cut_is_overlooked_where_a_place_stands_for_several_names() -> None:
    """Of two attributes that part a table alike the first is cut, though two of its 208 names share a place."""
    steps = np.concatenate([2 * np.arange(300) + (np.arange(300) > 0), 7 * np.arange(5)])
    none, few = np.empty(0, np.int64), np.array([1, 0])
    costs = Costs(
        few, np.array([0, 300]), steps, steps, -few - 1, np.array([599, 28]), none, none,
        np.array([[0, 300], [0, 5]]), np.array([0, 5, 5]),
    )  # fmt: skip
    places = np.array([[31, 1], [22, 2], [212, 2], [229, 1], [141, 1], [23, 2]], np.uint16)
    scan, counts = kernels.memory(costs), np.array([1, 2, 1, 1, 1, 1])
    assert kernels.propose(kernels.rows(places, counts, scan), (0, 6), (7, 3, False), scan) == 1
    assert scan.found.at[0].tolist() == [0, kernels.PLACES]


@given(st.sampled_from([260, 1000, 70_000]), st.integers(2, 9), st.integers(0, 1 << 32), st.booleans())
def test_broad_sets_are_cut_alike_in_every_order_of_the_records(size: int, least: int, seed: int, both: bool) -> None:  # noqa: FBT001
    """Of more names than have bits, leaves have enough records and do not depend on order, and no gain is negative."""
    random = np.random.default_rng(seed)
    few = random.integers(0, 5, 1500)
    names = random.integers(0, size, 1500) if both else (few * size // 5 + random.integers(0, size // 5, 1500))
    places = np.stack([few, names], axis=1).astype(np.uint32 if size > 1 << 16 else np.uint16)
    places = np.unique(places, axis=0)
    none, sizes, sets = np.empty(0, np.int64), np.array([5, size]), np.array([SET, SET])
    steps = np.concatenate([np.arange(5) * size, np.arange(size)])
    levels = np.stack([np.zeros(2, np.int64), sizes], axis=1)
    words = np.array([0, 1, 1 - (-size // 64)])
    costs = Costs(sets, np.array([0, 5]), steps, steps, -sets, 5 * sizes[::-1], none, none, levels, words)
    found: list[object] = []
    for order in (np.arange(len(places)), random.permutation(len(places))):
        counts, scan = np.ones(len(places), np.int64), kernels.memory(costs)
        tree = Tree.grown(Priced(places[order], costs, unit=None), counts, least, scan)  # type: ignore[arg-type]
        starts = tree.leaves[:, 0]
        assert (np.diff(starts, append=len(places)) >= least).all()
        leaves = np.split(places[order][tree.rows.tuples], starts[1:])
        found.append([sorted(map(tuple, cast("list[list[int]]", leaf.tolist()))) for leaf in leaves])
        rows = kernels.rows(places[order], counts, scan)  # type: ignore[arg-type]
        number = kernels.propose(rows, (0, counts.size), (counts.size, least, True), scan)
        assert (scan.found.gains[:number] >= 0).all()
    assert found[0] == found[1]


@given(st.integers(1, 128), st.integers(0, 1 << 32))
def test_numbering_the_values_of_a_partition_costs_nothing(values: int, seed: int) -> None:
    """Names that are few in a partition are judged as they are in a table that has no others.

    Of more than 128 names neighbours are one place of a cut, and which are neighbours depends on the others.
    """
    random = np.random.default_rng(seed)
    names = np.sort(random.choice(70_000, values, replace=False))
    few, some = np.arange(values), random.integers(0, values, 200)
    found: list[object] = []
    other = random.integers(0, 9, 200)
    for size, table in ((70_000, names), (values, few)):
        places = np.stack([table[some], other], axis=1).astype(np.uint32 if size > 1 << 16 else np.uint16)
        none, many = np.empty(0, np.int64), np.array([size, 9])
        steps, levels = np.concatenate([np.arange(size), np.arange(9) * 7]), np.stack([many * 0, many], axis=1)
        words = np.cumsum([0, -(-size // 64), 1])
        costs = Costs(
            np.array([SET, SET]), np.array([0, size]), steps, steps, many * 0 - 1, many, none, none, levels, words
        )
        tree = Tree.grown(
            Priced(places, costs, unit=None),  # type: ignore[arg-type]
            np.ones(200, np.int64), 3, kernels.memory(costs),
        )  # fmt: skip
        found.append((tree.rows.tuples.tolist(), tree.leaves.tolist()))
    assert found[0] == found[1]


@given(tables(), st.integers(1, 8))
def test_leaves_hold_every_tuple_once(table: Table, least: int) -> None:
    """The leaves of the tree hold all tuples, those of a leaf in their order, and each has enough records."""
    priced = Priced(table.places, table.costs, unit=None)  # type: ignore[arg-type]
    tree = Tree.grown(priced, table.counts, least, kernels.memory(table.costs))
    tuples, starts = tree.rows.tuples, tree.leaves[:, 0]
    assert sorted(tuples.tolist()) == list(range(table.counts.size))
    np.testing.assert_array_equal(table.counts[tuples], tree.rows.counts)
    assert all((np.diff(leaf) > 0).all() for leaf in np.split(tuples, starts[1:]))
    if table.counts.sum() >= least:
        assert (np.add.reduceat(tree.rows.counts, starts) >= least).all()
