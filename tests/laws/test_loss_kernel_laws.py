"""Laws of the compiled cuts by loss on tables of any width: many columns, sets of many words, codes of four bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numba
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kohort.algorithms.mondrian import loss_kernels as kernels
from kohort.algorithms.mondrian.by_loss import Tree
from kohort.algorithms.mondrian.cost_kernels import add, clear, cost, groups
from kohort.algorithms.mondrian.costs import SET, SPAN, Costs, Priced
from kohort.algorithms.mondrian.lanes import BYTES, OF_GROUP, OF_ROW, OF_WORDS, count, put, stretch

if TYPE_CHECKING:
    from kohort.algorithms.mondrian.loss_kernels import Scan
    from kohort.arrays import Codes, Counts, Index, Mask
    from kohort.core.frequency import Words

#: Values of a column: few, more than a word has bits, more than are told apart, more than two bytes hold.
SIZES = (2, 5, 40, 70, 100, 300, 70_000)


class Table(NamedTuple):
    """The places of tuples, their records, and what groups cost."""

    places: Codes
    counts: Counts
    costs: Costs


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Tables of up to 10 columns, ranges or sets, some of whose places lie close together."""
    kinds = draw(st.lists(st.tuples(st.sampled_from([SPAN, SET]), st.sampled_from(SIZES)), min_size=1, max_size=10))
    random = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    tuples, sizes = draw(st.integers(2, 60)), np.array([size for _, size in kinds])
    near = random.random((tuples, sizes.size)) < draw(st.sampled_from([0.0, 0.5, 0.9]))
    places = np.where(near, random.integers(0, np.minimum(sizes, 4), near.shape), random.integers(0, sizes, near.shape))
    steps = [np.arange(size) * 7 if kind == SET else np.cumsum(random.integers(0, 4, size)) for kind, size in kinds]
    words = [-(-size // 64) if kind == SET else 0 for kind, size in kinds]
    costs = Costs(
        kinds=np.array([kind for kind, _ in kinds]),
        first=np.cumsum([0, *sizes])[:-1],
        starts=np.concatenate(steps),
        ends=np.concatenate(steps),
        gaps=np.full(sizes.size, -1),
        whole=np.array([int(one[-1]) for one in steps]),
        nodes=np.empty(0, np.int64),
        above=np.empty(0, np.int64),
        levels=np.stack([np.zeros_like(sizes), sizes], axis=1),
        words=np.cumsum([0, *words]),
    )
    coded: Codes = places.astype(np.uint32) if sizes.max() > 1 << 16 else places.astype(np.uint16)
    return Table(coded, random.integers(1, 4, tuples), costs)


def dear(table: Table, chosen: Mask) -> int:
    """Records times cost of some tuples, counted otherwise."""
    room = groups(1, table.costs)
    clear(room, 0)
    for row in np.flatnonzero(chosen).tolist():
        add(room, 0, table.places, row, table.costs)
    return cost(room, 0, table.costs) * int(table.counts[chosen].sum())


def is_left(table: Table, scan: Scan, attribute: int, value: int) -> Mask:
    """Which tuples are left of a candidate."""
    least, span = scan.spans[attribute].tolist()
    values = table.places[:, attribute].astype(np.int64) - least
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
        chosen = is_left(table, scan, *at[one])
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


def called(groups: Codes, at: int, others: Codes, other: int, ends: int, fresh: bool) -> int:  # noqa: FBT001, PLR0917
    """A kernel that does nothing else."""
    return put(groups, at, others, other, ends, fresh)


COMPILED: Any = numba.njit(called)


@given(st.sampled_from([np.uint16, np.uint32]), st.integers(0, 1 << 32), st.booleans(), st.booleans())
def test_the_instruction_puts_chunks_into_groups(codes: Any, seed: int, is_row: bool, fresh: bool) -> None:  # noqa: ANN401, FBT001
    """The vector instruction does what it does step by step, to this chunk alone, and says where it grew."""
    random, most = np.random.default_rng(seed), int(np.iinfo(codes).max)
    size, ends = (OF_ROW, 0) if is_row else (OF_GROUP, BYTES)
    groups, others = (
        random.choice([0, 1, 7, most - 1, most], 5 * each // codes().itemsize).astype(codes)
        for each in (OF_GROUP, size)
    )
    plain, compiled = groups.copy(), groups.copy()
    at, other = int(random.integers(0, 5)) * OF_GROUP, int(random.integers(0, 5)) * size

    found = COMPILED(compiled, at, others, other, ends, fresh)
    assert found == put(plain, at, others, other, ends, fresh)
    np.testing.assert_array_equal(plain, compiled)


def stretched(dear: Index, at: int, low: Index, high: Index, others: int, one: int, whole: int) -> None:  # noqa: PLR0917
    """A kernel that does nothing else."""
    stretch(dear, at, low, high, others, one, whole)


def counted(members: Counts, at: int, bits: Words, others: int, one: int, mask: int) -> None:  # noqa: PLR0917
    """A kernel that does nothing else."""
    count(members, at, bits, others, one, mask)


STRETCHED: Any = numba.njit(stretched)
COUNTED: Any = numba.njit(counted)


@given(st.integers(0, 1 << 32))
def test_groups_are_compared_as_step_by_step(seed: int) -> None:
    """The vector instructions add what they add step by step, to so many others alone."""
    random, many = np.random.default_rng(seed), 3 * OF_WORDS
    low, high = random.choice([-(1 << 61), -1, 0, 5, 9, 1 << 60], (2, many))
    bits = random.integers(0, 1 << 64, many, dtype=np.uint64)
    at, others, one = (int(random.integers(0, each)) for each in (OF_WORDS, OF_WORDS + 1, many))
    whole, mask = (
        int(random.integers(0, 12)),
        np.uint64(random.choice(np.array([0, 255 << 8, (1 << 64) - 1], np.uint64))),
    )
    cases: list[tuple[Any, Any, tuple[Any, ...]]] = [
        (stretch, STRETCHED, (at, low, high, others, one, whole)),
        (count, COUNTED, (at, bits, others, one, np.uint64(mask))),
    ]
    for plain, compiled, given_ in cases:
        before = random.integers(0, 100, many)
        expected, found = before.copy(), before.copy()
        plain(expected, *given_)
        compiled(found, *given_)
        np.testing.assert_array_equal(found, expected)
        untouched = np.ones(many, np.bool_)
        untouched[at : at + OF_WORDS] = False
        np.testing.assert_array_equal(found[untouched], before[untouched])
