"""Mondrian: what its rules say, case by case, and the plain reference on random small tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import settings

from kohort.algorithms.method import METHODS, Choices
from kohort.algorithms.mondrian import sizes
from kohort.algorithms.mondrian.dimension import AtRandom, MostValues, Widest, dimension_of
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.algorithms.mondrian.space import Space
from kohort.core.recoding import Multidimensional
from kohort.errors import InfeasibleError, UsageError
from kohort.models.base import Declaration
from kohort.models.k_anonymity import KAnonymity
from tests.reference.mondrian import Record, best_cut, mondrian
from tests.reference.mondrian_tables import DistinctLDiversity, SmallTable, in_order, leaves_of, line, random_table
from tests.toy_models import ToyModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.algorithms.mondrian.forest import Partition
    from kohort.algorithms.mondrian.mondrian import Cut
    from kohort.arrays import Mask
    from kohort.core.frequency import ClassProfile
    from tests.reference.mondrian_tables import Leaves

#: How much the profile looks at.
EXAMPLES = settings().max_examples

DIMENSIONS = (None, MostValues(), AtRandom(7))
MODES: tuple[tuple[Cut, bool], ...] = (("nearest", False), ("median", False), ("nearest", True), ("median", True))


def cut_by(table: SmallTable, k: int, cut: Cut = "nearest", *, relaxed: bool = False, l: int = 1) -> Leaves:  # noqa: E741
    """The leaves for k-anonymity, and distinct l-diversity where l is above 1."""
    models = (KAnonymity(k), DistinctLDiversity(l)) if l > 1 else (KAnonymity(k),)
    return leaves_of(Mondrian(cut, relaxed).solve(table.problem(*models)), table)


def plainly(table: SmallTable, k: int, cut: Cut, *, relaxed: bool, l: int = 1) -> Leaves | None:  # noqa: E741
    """The reference's leaves; `None` if the whole table does not satisfy the models."""
    satisfied = acceptable(k, l)
    if not satisfied(table.records()):
        return None
    return in_order(mondrian(table.records(), table.rules(satisfied, cut, relaxed=relaxed)))


def acceptable(k: int, l: int) -> Callable[[list[Record]], bool]:  # noqa: E741
    """Both models, as the reference asks them."""
    return lambda records: len(records) >= k and len({record.sensitive for record in records}) >= l


def values(leaves: Leaves) -> list[list[int]]:
    """The leaves of a table of one attribute."""
    return [[record.quasi[0] for record in leaf] for leaf in leaves]


# --- the worked examples ----------------------------------------------------------------------------------------------


def test_median_cut_keeps_ties_together() -> None:
    """The median cuts [1,2,3,3,4,5] into [1,2,3,3] and [4,5]; at k = 2 the lower median cuts the left side again."""
    table = line(1, 2, 3, 3, 4, 5)
    sides = best_cut(table.records(), table.rules(acceptable(2, 0), "median", relaxed=False), [5])
    assert sides is not None
    assert values(in_order(sides)) == [[1, 2, 3, 3], [4, 5]]
    assert values(cut_by(table, 2, "median")) == [[1, 2], [3, 3], [4, 5]]


def test_nearest_cut_prefers_the_smaller_value() -> None:
    """Of the cuts {<= 2} and {<= 3} of [1,2,3,3,4,5], equally near the middle, the first is taken."""
    assert values(cut_by(line(1, 2, 3, 3, 4, 5), 2)) == [[1, 2], [3, 3], [4, 5]]


def test_relaxed_cut_parts_ties() -> None:
    """[1,2,3,3,4,5] at k = 2, textbook relaxed, becomes [1,2,3] and [3,4,5]."""
    assert values(cut_by(line(1, 2, 3, 3, 4, 5), 2, "median", relaxed=True)) == [[1, 2, 3], [3, 4, 5]]


def test_strict_has_no_cut_where_one_side_is_too_small() -> None:
    """[1,2,2,2,2,2,2,2,2,2] at k = 2 has no strict cut: it is one leaf."""
    assert values(cut_by(line(1, *[2] * 9), 2)) == [[1, *[2] * 9]]


def test_recommended_form_deals_where_strict_stops() -> None:
    """[1,2,2,2,2,2] at k = 2 is dealt into halves, and the half of equal values stays whole."""
    assert values(cut_by(line(1, 2, 2, 2, 2, 2), 2, relaxed=True)) == [[1, 2, 2], [2, 2, 2]]


def test_what_no_cut_can_part_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the strict cuts only leaves of differing tuples and 2k records are looked at, to be dealt."""
    tried: list[list[int]] = []

    def carve(_: Space, partition: Partition, split: object) -> list[Partition]:
        assert split is None
        tried.append(sorted(partition.rows.quasi[:, 0].tolist()))
        return [partition]

    monkeypatch.setattr(Space, "carve", carve)
    cut_by(line(1, 1, 1, 1, 5, 6, 7), 2, relaxed=True)
    assert not tried
    cut_by(line(1, 1, 1, 1, 5, 6, 6, 6), 2, relaxed=True)
    assert tried == [[5, 6, 6, 6]]


def test_dealing_is_in_proportion_to_sensitive_values() -> None:
    """Of six equal records, four of one sensitive value and two of another, half of each go left."""
    tuples = ((Record((0,), (0,)), 1), (Record((1,), (0,)), 4), (Record((1,), (1,)), 2), (Record((2,), (1,)), 1))
    table = SmallTable(tuples, ((0, 1, 2),), (Fraction(1),))
    left, right = cut_by(table, 4, relaxed=True)
    assert left == [Record((0,), (0,)), *[Record((1,), (0,))] * 2, Record((1,), (1,))]
    assert right == [*[Record((1,), (0,))] * 2, Record((1,), (1,)), Record((2,), (1,))]


def test_width_is_of_values_not_of_ranks() -> None:
    """Codes 0..2 at places 0, 1 and 100 make a partition of codes 0..1 narrow in that dimension, whatever its ranks."""
    tuples = tuple((Record(codes), 1) for codes in [(0, 0), (1, 1), (0, 2), (1, 3), *[(2, 9)] * 4])
    table = SmallTable(tuples, ((0, 1, 100), tuple(range(10))), (Fraction(1), Fraction(1)))
    leaves = cut_by(table, 2)
    assert [record.quasi[1] for record in leaves[0]] == [0, 1]


def test_weight_decides_between_dimensions() -> None:
    """The dimension of the greater weight is cut where the relative widths are equal; without, the first one is."""
    tuples = tuple((Record(codes), 1) for codes in [(0, 0), (0, 1), (1, 0), (1, 1)])
    even = SmallTable(tuples, ((0, 1), (0, 1)), (Fraction(1), Fraction(1)))
    tilted = SmallTable(tuples, ((0, 1), (0, 1)), (Fraction(1), Fraction(10**6 + 1, 10**6)))
    assert [record.quasi[0] for record in cut_by(even, 2)[0]] == [0, 0]
    assert [record.quasi[1] for record in cut_by(tilted, 2)[0]] == [0, 0]


# --- against the reference --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("cut", "relaxed"), MODES)
@pytest.mark.parametrize("l", [1, 2])
def test_reference_agrees_on_random_tables(cut: Cut, relaxed: bool, l: int) -> None:  # noqa: E741, FBT001
    """On random tables in each mode, with and without diversity, the leaves are the reference's, in its order."""
    for seed in range(15 * EXAMPLES):
        table, k = random_table(seed), 2 + seed % 4
        expected = plainly(table, k, cut, relaxed=relaxed, l=l)
        if expected is None:
            with pytest.raises(InfeasibleError):
                cut_by(table, k, cut, relaxed=relaxed, l=l)
        else:
            assert cut_by(table, k, cut, relaxed=relaxed, l=l) == expected, seed


@pytest.mark.parametrize(("cut", "relaxed"), MODES)
def test_reference_agrees_on_larger_tables(cut: Cut, relaxed: bool) -> None:  # noqa: FBT001
    """Where partitions are large enough for histograms and blocks of rows, nothing changes."""
    for seed in range(1000, 1012):
        table = random_table(seed, least=100, most=500)
        assert cut_by(table, 3, cut, relaxed=relaxed) == plainly(table, 3, cut, relaxed=relaxed), seed


@pytest.mark.parametrize("spread", [1, 2**16 - 1, 2**20, 2**31])
def test_reference_agrees_on_wide_domains(spread: int) -> None:
    """Medians are found in domains of any width, in one step of the histogram or several."""
    draw = np.random.default_rng(spread)
    for counts in (np.ones(300, np.int64), draw.integers(1, 9, 300)):
        places = np.unique(draw.integers(0, spread + 1, 200))
        codes = draw.integers(0, places.size, (300, 2)).tolist()
        tuples = tuple((Record(tuple(row)), count) for row, count in zip(codes, counts.tolist(), strict=True))
        table = SmallTable(tuples, (tuple(places.tolist()),) * 2, (Fraction(1),) * 2, wide=spread > 2**16)
        assert cut_by(table, 5) == plainly(table, 5, "nearest", relaxed=False)


def test_median_of_codes_far_apart() -> None:
    """Codes that use all 16 bits need several steps of the histogram; the cut is at their median all the same."""
    draw = np.random.default_rng(5)
    codes = draw.integers(0, 2**16, 4000)
    table = SmallTable(tuple((Record((code,)), 1) for code in codes.tolist()), (tuple(range(2**16)),), (Fraction(1),))
    leaves = cut_by(table, 2000)
    assert len(leaves) == 2
    assert leaves[0][-1].quasi[0] < leaves[1][0].quasi[0]


@pytest.mark.parametrize("l", [1, 2])
def test_nearly_equal_widths_are_told_apart(l: int) -> None:  # noqa: E741
    """Relative widths that differ in the twelfth digit, or not at all, are ordered as exact fractions are."""
    for seed in range(7 * EXAMPLES):
        draw = np.random.default_rng(seed)
        places = (10**11 + draw.integers(0, 3, (3, 6))).cumsum(axis=1).tolist()
        rows = draw.integers(0, 6, (40, 4)).tolist()
        tuples = tuple((Record(tuple(row[:3]), (row[3] % 3,)), 1) for row in rows)
        table = SmallTable(tuples, tuple(map(tuple, places)), (Fraction(1), Fraction(1), Fraction(10**12 - 1, 10**12)))
        assert cut_by(table, 2, l=l) == plainly(table, 2, "nearest", relaxed=False, l=l)


def test_ratios_beyond_63_bits_are_compared_exactly_too() -> None:
    """Weights and widths too large for the compiled comparison give the reference's leaves all the same."""
    places = tuple(number * (2**58 - 27) for number in range(6))
    weights = (Fraction(1, 3), Fraction(2**61 - 1, 2**61 + 15))
    rows = np.random.default_rng(1).integers(0, 6, (40, 2)).tolist()
    table = SmallTable(tuple((Record(tuple(row)), 1) for row in rows), (places, tuple(range(6))), weights)
    factors = [weight / width for weight, width in zip(weights, (places[-1], 5), strict=True)]
    scales = [np.array(scale, dtype=np.int64) for scale in table.positions]
    assert sizes.rule_for(scales, factors, 2, nearest=True) is None
    assert cut_by(table, 2) == plainly(table, 2, "nearest", relaxed=False)


def test_allowable_cut_far_from_the_middle_is_found() -> None:
    """The one cut that leaves two sensitive values on both sides is taken, though 90 nearer ones are tried before."""
    tuples = tuple((Record((value,), (int(value in {5, 6}),)), 1) for value in range(100))
    table = SmallTable(tuples, (tuple(range(100)),), (Fraction(1),))
    assert [len(leaf) for leaf in cut_by(table, 2, l=2)] == [6, 94]


@dataclass(frozen=True, slots=True)
class OfSizes(ToyModel):
    """Satisfied by classes of some sizes alone."""

    sizes: tuple[int, ...]

    @property
    def name(self) -> str:
        """Any name."""
        return "of sizes"

    @property
    def declared(self) -> Declaration:
        """What it declares."""
        return Declaration(monotone_generalization=False, monotone_suppression=False)

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes have such a size."""
        return np.isin(classes.sizes, self.sizes)


@pytest.mark.parametrize("records", range(5, 14))
def test_equally_near_cuts_are_tried_by_value(records: int) -> None:
    """However many cuts were tried before, of two that are equally near the middle the smaller value is cut first."""
    table = line(*range(records))
    for least in range(1, (records + 1) // 2):
        solution = Mondrian().solve(table.problem(OfSizes((least, records - least, records))))
        leaves = [len(leaf) for leaf in leaves_of(solution, table)]
        assert leaves[0] == least
        assert leaves == [least, records - least] or records - least == 2 * least


def test_few_values_far_apart_are_counted_too() -> None:
    """Where there are many more codes than rows, equal values stay together, the greatest among them."""
    table = line(0, 0, 100, 300, 300)
    assert values(leaves_of(Mondrian().solve(table.problem(OfSizes((1, 4, 5)))), table)) == [[0, 0, 100, 300, 300]]
    assert values(leaves_of(Mondrian().solve(table.problem(OfSizes((2, 3, 5)))), table)) == [[0, 0], [100, 300, 300]]


# --- threads, errors, names -------------------------------------------------------------------------------------------


def test_threads_do_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut by several threads, down to shares of one row, regions have the same numbers, corners and tuples."""
    monkeypatch.setattr(sizes, "LEAST_SHARE", 1)
    for seed, threads in product(range(60), (2, 3)):
        table = random_table(seed)
        if len(table.records()) < 2:
            continue
        one, many = (Mondrian().solve(table.problem(KAnonymity(2), threads=number)) for number in (1, threads))
        assert leaves_of(one, table) == leaves_of(many, table)
        assert one.trace == many.trace
        assert isinstance(one.recoding, Multidimensional)
        assert isinstance(many.recoding, Multidimensional)
        np.testing.assert_array_equal(one.recoding.low, many.recoding.low)
        np.testing.assert_array_equal(one.recoding.high, many.recoding.high)


def test_the_table_is_left_alone() -> None:
    """Cutting moves copies of the rows, never the frequency set's own."""
    problem = random_table(3).problem(KAnonymity(2))
    before = problem.frequency.quasi.copy(), problem.frequency.counts.copy()
    Mondrian().solve(problem)
    np.testing.assert_array_equal(problem.frequency.quasi, before[0])
    np.testing.assert_array_equal(problem.frequency.counts, before[1])


def test_trace_counts_cuts_leaves_and_depth() -> None:
    """Four leaves of a balanced tree come of three cuts, two deep, however they are found; dealt ones count as well."""
    eight = replace(line(*range(8)), tuples=tuple((Record((value,), (0,), value), 1) for value in range(8)))
    cuts: tuple[Cut, ...] = ("nearest", "median", "loss")
    for cut, models in product(cuts, ((), (DistinctLDiversity(1),))):
        for table in (eight, replace(eight, people=True)):
            trace = Mondrian(cut).solve(table.problem(KAnonymity(2), *models)).trace
            assert trace == {"cuts": 3, "leaves": 4, "depth": 2}
    trace = Mondrian(relaxed=True).solve(line(0, 1, 2, 2, 2, 2, 2, 3).problem(KAnonymity(2))).trace
    assert trace == {"cuts": 2, "leaves": 3, "depth": 2}


def test_infeasible_tables_are_refused_with_the_counts() -> None:
    """A table of fewer than k records has no release, and the error says how many there are and what fails."""
    with pytest.raises(InfeasibleError, match="3 records, does not satisfy 4-anonymity") as caught:
        Mondrian().solve(line(1, 2, 3).problem(KAnonymity(4)))
    assert caught.value.exit_status == 4
    assert caught.value.hint


def test_methods_are_named_as_on_the_command_line() -> None:
    """Each name loads the algorithm that bears it, with the cuts asked for; nobody can add to the mapping."""
    for name, load in METHODS.items():
        assert load(Choices()).name == name
    assert METHODS["mondrian"](Choices("median")) == Mondrian("median")
    assert METHODS["mondrian-relaxed"](Choices()) == Mondrian(relaxed=True)
    assert not hasattr(METHODS, "__setitem__")


def test_only_dealing_needs_distinct_tuples() -> None:
    """Strict cuts never part equal records, so equal tuples may stand apart; dealing needs them together."""
    assert not Mondrian().distinct
    assert Mondrian(relaxed=True).distinct


# --- which dimension is cut first -------------------------------------------------------------------------------------


def square(*rows: tuple[int, int]) -> SmallTable:
    """A table of two dimensions with a scale of 0 to 100 each."""
    scale = tuple(range(101))
    return SmallTable(tuple((Record(row), 1) for row in rows), (scale, scale), (Fraction(1), Fraction(1)))


def test_most_values_is_not_widest() -> None:
    """Two ends far apart are wide; many values close together are many."""
    table = square(*((100 * (place % 2), place // 2) for place in range(10)), (0, 100), (100, 100))
    first = {how: leaves_of(Mondrian(dimension=how).solve(table.problem(KAnonymity(5))), table) for how in DIMENSIONS}
    assert [{record.quasi[0] for record in leaf} for leaf in first[None]] == [{0}, {100}]
    assert all({record.quasi[0] for record in leaf} == {0, 100} for leaf in first[MostValues()])


def test_a_seed_draws_the_same_dimensions() -> None:
    """Whatever the threads; and another seed draws others somewhere."""
    table = random_table(7)
    found = [
        leaves_of(Mondrian(dimension=AtRandom(seed)).solve(table.problem(KAnonymity(2))), table) for seed in (3, 3)
    ]
    assert found[0] == found[1]
    many = [square(*((place * 37 % 101, place * 53 % 101) for place in range(60)))] * 8
    drawn = [
        leaves_of(Mondrian(dimension=AtRandom(seed)).solve(one.problem(KAnonymity(3))), one)
        for seed, one in enumerate(many)
    ]
    assert len({str(one) for one in drawn}) > 1


@pytest.mark.parametrize("seed", [-1, 10**18, True, "7"])
def test_what_is_no_seed(seed: int) -> None:
    """Below 0, of 19 digits, or no number."""
    with pytest.raises(UsageError, match="a seed is a whole number"):
        AtRandom(seed)


@pytest.mark.parametrize("text", ["", "random", "random:", "random:-1", "random:1.5", "wide", f"random:{10**18}"])
def test_what_is_no_choice(text: str) -> None:
    """The message says what there is."""
    with pytest.raises(UsageError, match="dimension") as refused:
        dimension_of(text)
    assert "random:7" in refused.value.hint


def test_the_choice_belongs_to_mondrian() -> None:
    """It is told to both forms, the widest being what they do anyway, and to no other method."""
    assert METHODS["mondrian"](Choices(dimension=Widest())) == Mondrian()
    assert METHODS["mondrian-relaxed"](Choices(dimension=AtRandom(7))) == Mondrian(relaxed=True, dimension=AtRandom(7))
    for name in ("top-down", "samarati"):
        with pytest.raises(UsageError, match=r"its cuts itself|makes no cuts"):
            METHODS[name](Choices(dimension=Widest()))
