"""Cuts that models judge, in the compiled core: a wrong number is refused, or leads nowhere outside of the arrays."""

from __future__ import annotations

from contextlib import contextmanager
from fractions import Fraction
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kohort.algorithms.mondrian import loss_kernels as kernels
from kohort.algorithms.mondrian.by_loss import Ranked
from kohort.algorithms.mondrian.dimension import WIDEST, AtRandom, MostValues
from kohort.algorithms.mondrian.sizes import buffer_of, rule_for
from kohort.algorithms.mondrian.waves import WIDTHS, Cuts, Profiles, Sensitive, Values
from kohort.native.library import (
    CARVE_BY_LOSS,
    CORNERS,
    COUNT_SIDES,
    CUT,
    LOSS_MEMORY,
    PROFILE_CUTS,
    PROPOSE,
    PROPOSE_CUTS,
    RANK,
    SETTLE_CUTS,
    Function,
)
from tests.laws.test_loss_kernel_laws import Table, tables
from tests.unit.test_native import GUARD, WILD

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from numpy.typing import NDArray

    from kohort.algorithms.mondrian.dimension import Dimension

#: Of each function's arguments, whole numbers apart.
Call = tuple[Any, list["NDArray[Any] | int | Sequence[NDArray[Any]]"]]


#: What is called, and given to it, by name.
Calls = dict[str, list[Call]]

#: The ways to choose the dimension of a cut.
DIMENSIONS: tuple[Dimension, ...] = (WIDEST, MostValues(), AtRandom(7))


@contextmanager
def heard(
    plain: Mapping[str, Callable[..., Any]], room: Mapping[str, set[int]] = MappingProxyType({}), *, twins: bool
) -> Generator[Calls]:
    """Calls of the core while this lasts; with twins, each is compared with what its plain loop writes and returns.

    Only those that have a plain loop; arguments that are room for nothing that anybody reads are not compared.
    """
    calls: Calls = {}
    compiled = Function.__call__

    def call(function: Function, *arguments: Any) -> int:  # noqa: ANN401  arguments of any kind
        name = cast("str", vars(function)["_name"]).removeprefix("kohort_")
        if name not in plain:
            return compiled(function, *arguments)
        given_ = copied(arguments)
        calls.setdefault(name, []).append((function, copied(arguments)))
        returned = compiled(function, *arguments)
        if twins:
            assert returned == (plain[name](*given_) or 0), name
            for place, (one, other) in enumerate(zip(flat(arguments), flat(given_), strict=True)):
                assert place in room.get(name, ()) or np.asarray(one).tobytes() == np.asarray(other).tobytes(), name
        return returned

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Function, "__call__", call)
        yield calls


def flat(given_: Any) -> list[Any]:  # noqa: ANN401  an argument of any kind
    """The arrays and numbers of some arguments."""
    if isinstance(given_, (list, tuple)):
        return [one for each in cast("list[Any]", given_) for one in flat(each)]
    return [given_]


class Spoilt:
    """Copies of arrays between bytes that nobody may change, some numbers of which are wild."""

    def __init__(self, data: st.DataObject, share: int) -> None:
        """Spoil one array in so many."""
        self._data, self._share = data, share
        self._wholes: list[NDArray[np.uint8]] = []

    def of(self, given: Any) -> Any:  # noqa: ANN401  an argument of any kind
        """The argument."""
        if isinstance(given, int):
            return given if self._spared() else self._data.draw(WILD)
        if not isinstance(given, np.ndarray):
            return [self.of(one) for one in given]
        array = cast("NDArray[Any]", given)
        whole = np.full(2 * GUARD + array.nbytes, 0xA5, np.uint8)
        inside: NDArray[Any] = whole[GUARD : GUARD + array.nbytes].view(array.dtype)
        inside[:] = array.reshape(-1)
        self._wholes.append(whole)
        words: NDArray[Any] = inside.view(np.uint64) if array.nbytes % 8 == 0 else inside
        if inside.size and not self._spared():
            if self._data.draw(st.booleans()):
                return inside[: self._data.draw(st.integers(0, inside.size - 1))]
            at = self._data.draw(st.lists(st.integers(0, words.size - 1), min_size=1, max_size=3))
            wild = self._data.draw(st.lists(WILD, min_size=len(at), max_size=len(at)))
            words[at] = np.array(wild, np.int64).astype(words.dtype)
        return inside

    def check(self) -> None:
        """Nothing round them was changed."""
        for whole in self._wholes:
            assert (whole[:GUARD] == 0xA5).all()
            assert (whole[-GUARD:] == 0xA5).all()

    def _spared(self) -> bool:
        return self._data.draw(st.integers(0, self._share)) > 0


def calls(table: Table, least: int) -> list[Call]:
    """What each function is called with while a table is cut, once the first cuts have been judged."""
    scan, tuples, records = kernels.memory(table.costs), table.counts.size, int(table.counts.sum())
    rows = kernels.rows(table.places, table.counts, scan)
    open_ = np.array([[0, tuples, records, 0, 0]])
    room = 2 * scan.found.left.size
    ranked = Ranked(
        ends=np.zeros(1, np.int64),
        coarse=np.zeros(1, np.bool_),
        spans=np.zeros((1, *scan.spans.shape), np.int64),
        at=np.zeros((room, 2), np.int64),
        left=np.zeros(room, np.int64),
        groups=np.zeros((room, 2), np.uint64),
    )
    assert RANK(scan.arrays, rows.codes, open_, least, ranked) == 1
    number = int(ranked.ends[0])
    assume(number > 0)
    asked = np.array([[0, 0, number]])
    held = (np.arange(tuples) % 4).astype(np.uint16)[:, np.newaxis], np.array([0, 3])
    sides = np.zeros(2 * number, np.int64), np.zeros((2 * number, 3), np.int64)
    codes = rows.codes.reshape(tuples, -1)
    COUNT_SIDES(scan.arrays, rows.codes, open_, ranked, asked, *held, *sides)
    for one, (attribute, value) in enumerate(ranked.at[:number].tolist()):
        low, span = ranked.spans[0, attribute].tolist()
        values = codes[:, attribute].astype(np.int64) - low
        values = values * kernels.PLACES // span if span > kernels.PLACES else values
        bits = (ranked.groups[one][values // 64 % 2] >> (values % 64).astype(np.uint64)) & np.uint64(1)
        is_left = bits == 0 if value == kernels.PLACES else values <= value
        for side, chosen in enumerate((is_left, ~is_left)):
            assert sides[0][2 * one + side] == table.counts[chosen].sum()
            counted = [table.counts[chosen & (held[0][:, 0] == code)].sum() for code in range(3)]
            assert sides[1][2 * one + side].tolist() == counted
    allowed, parts = np.ones(number, np.bool_), np.zeros((2, 5), np.int64)
    spare, codes = np.zeros_like(rows.codes), rows.codes
    moved = kernels.Rows.of(rows.words.copy(), scan.codes)
    assert CUT(scan.arrays, moved.codes, spare, open_, ranked, asked.copy(), allowed, parts) == len(parts)
    assert [moved.counts[first:last].sum() for first, last in parts[:, :2]] == parts[:, 2].tolist()
    leaves = np.zeros(4 * tuples + 4, np.int64), np.zeros(4 * tuples, np.int64)
    return [
        (PROPOSE, [scan.arrays, codes, 0, tuples, records, least, 1]),
        (CARVE_BY_LOSS, [scan.arrays, codes, spare, records, least, 1, table.places, *leaves]),
        (RANK, [scan.arrays, codes, open_, least, ranked]),
        (COUNT_SIDES, [scan.arrays, codes, open_, ranked, asked, *held, *sides]),
        (CUT, [scan.arrays, codes, spare, open_, ranked, asked, allowed, parts]),
        (LOSS_MEMORY, [scan.spans.shape[0], int(scan.packing[0].max()) + 1, 1000]),
    ]


@given(tables((2, 5, 70, 300)), st.integers(1, 6), st.data())
@pytest.mark.filterwarnings("ignore:overflow")
def test_no_number_leads_cuts_by_loss_beyond_an_array(table: Table, least: int, data: st.DataObject) -> None:
    """Sides are counted as they are; and wherever a number is wrong, nothing outside of the arrays is changed."""
    spoil(calls(table, least), data)


def spoil(some: list[Call], data: st.DataObject) -> None:
    """Call functions with some numbers wrong."""
    for function, arguments in some:
        spoilt = Spoilt(data, 30)
        given_ = [spoilt.of(one) for one in arguments]
        try:
            function(*given_)
        except IndexError as refused:
            assert "does not fit" in str(refused)  # noqa: PT017  either is right
        spoilt.check()


@st.composite
def waves(draw: st.DrawFn) -> list[Call]:
    """What each function is called with while a table of one partition is cut between values."""
    random = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    tuples, d, attributes = draw(st.integers(2, 40)), draw(st.integers(1, 9)), draw(st.integers(0, 2))
    most, kind = draw(st.sampled_from([2, 9, 3000])), cast("Any", draw(st.sampled_from([np.uint16, np.uint32])))
    people = np.sort(random.integers(0, tuples, tuples)) if draw(st.booleans()) else None
    quasi, codes = random.integers(0, most, (tuples, d)), random.integers(0, 4, (tuples, attributes))
    parts = [quasi, codes, *([] if people is None else [people[:, np.newaxis]])]
    counts = random.integers(1, 4, tuples) if people is None and draw(st.booleans()) else np.ones(tuples, np.int64)
    buffer = buffer_of(np.concatenate(parts, axis=1).astype(kind), counts)
    k, by = draw(st.integers(1, 4)), draw(st.sampled_from(DIMENSIONS))
    rule = rule_for(
        [np.arange(most) * 3] * d, [Fraction(1, 1 + one % 3) for one in range(d)], k, nearest=True, dimension=by
    )
    assert rule is not None
    open_ = np.full((1, WIDTHS + d), -1)
    open_[0, :WIDTHS] = 0, tuples, counts.sum(), 0, 0, 0
    low, high = (np.empty_like(buffer.codes, shape=buffer.codes.size // buffer.tuples.size) for _ in range(2))
    (codes_, upto), lines = np.zeros((2, tuples + 1), np.int64), np.zeros(d * most + 2, np.int64)
    values = Values(codes_, upto, lines[2:].copy(), lines, low, high)
    places = [[d + one, 3, 3 * one] for one in range(attributes)]
    places += [] if people is None else [[d + attributes, 1, 3 * attributes]]
    sensitive = Sensitive(np.array(places, np.int64).reshape(-1, 3), -1 if people is None else d + attributes)
    cells, of, at = 3 * attributes + (people is not None), np.zeros((1, 3), np.int64), np.zeros((40, 2), np.int64)
    proposing: Call = (PROPOSE_CUTS, [buffer, *rule.arguments, values, open_.copy(), of, at, cells])
    assert PROPOSE_CUTS(buffer, *rule.arguments, values, open_, of, at, cells) == 1
    dimension, number, _ = of[0].tolist()
    cuts, leaves = Cuts(of, at[:number]), np.array([[0, tuples, counts.sum(), 0]])
    sides = Profiles(np.zeros(2 * number, np.int64), np.zeros((2 * number, cells), np.int64))
    PROFILE_CUTS(buffer, values, open_, d, cuts, *sensitive, *sides)
    persons = np.arange(tuples) if people is None else people
    for line, (size, histogram) in enumerate(zip(sides.sizes.tolist(), sides.histograms.tolist(), strict=True)):
        chosen = (quasi[:, dimension] < at[line // 2, 0]) ^ bool(line % 2)
        weights = dict(zip(persons.tolist(), counts.tolist(), strict=True))
        assert size == sum(weights[one] for one in set(persons[chosen].tolist()))
        for one, value in product(range(attributes), range(3)):
            has = set(persons[chosen & (codes[:, one] == value)].tolist())
            assert histogram[3 * one + value] == sum(weights[each] for each in has)
    least, greatest = (np.empty_like(buffer.codes, shape=(1, d)) for _ in range(2))
    CORNERS(buffer, leaves, values, least, greatest)
    assert [*least[0], *greatest[0]] == [*quasi.min(axis=0), *quasi.max(axis=0)]
    allowed, out = np.ones(number, np.bool_), np.zeros((2, WIDTHS + d), np.int64)
    calls: list[Call] = [
        proposing,
        (PROFILE_CUTS, [buffer, values, open_, d, cuts, *sensitive, *sides]),
        (CORNERS, [buffer, leaves, values, least, greatest]),
        (SETTLE_CUTS, [buffer, open_, d, cuts, allowed, out]),
    ]
    return [(function, [*map(copied, arguments)]) for function, arguments in calls]


def copied(given: Any) -> Any:  # noqa: ANN401  an argument of any kind
    """The same, whatever becomes of the argument."""
    if isinstance(given, np.ndarray):
        return cast("NDArray[Any]", given).copy()
    return given if isinstance(given, int) else [*map(copied, given)]


@given(waves(), st.data())
@pytest.mark.filterwarnings("ignore:overflow")
def test_no_number_leads_cuts_between_values_beyond_an_array(some: list[Call], data: st.DataObject) -> None:
    """Sides are counted as they are, of records or of people; and a wrong number leads nowhere else."""
    spoil(some, data)
