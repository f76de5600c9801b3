"""Each privacy model against its plain definition, on random classes.

Some are of people without a value, and some of fewer people than values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kohort.core.frequency import ClassProfile, Histogram
from kohort.models.alpha_k_anonymity import AlphaKAnonymity
from kohort.models.average_risk import AverageRisk
from kohort.models.base import satisfied_jointly
from kohort.models.basic_beta_likeness import BasicBetaLikeness
from kohort.models.delta_disclosure import DeltaDisclosure
from kohort.models.delta_presence import DeltaPresence
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.enhanced_beta_likeness import EnhancedBetaLikeness
from kohort.models.entropy_l_diversity import EntropyLDiversity
from kohort.models.k_e_anonymity import KEAnonymity
from kohort.models.k_map import KMap
from kohort.models.maximum_risk import MaximumRisk
from kohort.models.recursive_l_diversity import RecursiveLDiversity
from kohort.models.t_closeness import DISTANCES, TCloseness
from kohort.schema.sensitive import SensitiveDomain
from tests.reference import models as plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.models.base import PrivacyModel
    from kohort.models.t_closeness import Distance


@dataclass(frozen=True)
class Classes:
    """Random classes of a random table: who has which value, plainly and as the package sees it.

    Attributes:
        table: the table's people by value.
        held: per class, its people by value.
        sizes: people of each class; fewer than values where people have several.
        paths: of each value, its nodes from leaf to root.
        profile: the same.
    """

    table: plain.Held
    held: Sequence[plain.Held]
    sizes: Sequence[int]
    paths: Sequence[Sequence[str]]
    profile: ClassProfile

    def judged(self, model: PrivacyModel) -> list[bool]:
        """Which classes the package lets pass: with the values that nobody in them has, as without."""
        mask = model.satisfied(self.profile)
        assert mask.dtype == np.bool_
        if model.declared.some_values:
            (held,) = self.profile.histograms
            assert model.satisfied(replace(self.profile, histograms=(held.few(),))).tolist() == mask.tolist()
        return [bool(passes) for passes in mask]


@st.composite
def classes(draw: st.DrawFn, *, most: int = 12, values: int = 6) -> Classes:
    """A table of up to `values` values, and up to five classes of it, each value's people at most `most`."""
    v = draw(st.integers(0, values))
    cell = st.one_of(st.just(0), st.integers(0, most))
    rows = draw(st.lists(st.lists(cell, min_size=v, max_size=v), min_size=1, max_size=5))
    others = draw(st.lists(st.integers(1, most), min_size=v, max_size=v))  # each value occurs somewhere
    counts = np.array(rows, np.int64).reshape(len(rows), v)
    table = [people + sum(row[value] for row in rows) for value, people in enumerate(others)]
    sizes = [draw(st.integers(max(row, default=1) or 1, sum(row) + 3)) for row in rows]
    parents = sorted(draw(st.lists(st.integers(0, 2), min_size=v, max_size=v)))
    levels = (np.arange(v), np.array(parents, np.int64)) if v and draw(st.booleans()) else ()
    paths = [[f"0-{value}", f"1-{parents[value]}", "*"] for value in range(v)]
    domain = SensitiveDomain("s", np.array(table, np.int64), draw(st.booleans()), levels)
    return Classes(
        table=dict(enumerate(table)),
        held=[dict(enumerate(row)) for row in rows],
        sizes=sizes,
        paths=paths,
        profile=ClassProfile(np.array(sizes), (Histogram(domain, counts),)),
    )


#: Parameters at which small classes lie exactly on the limit, and some beside it.
_numbers = st.fractions(0, 6, max_denominator=12)
_shares = st.fractions(0, 1, max_denominator=12).filter(lambda share: 0 < share < 1)


@given(classes(), st.integers(2, 7))
def test_distinct_l_diversity_counts_values(given: Classes, l: int) -> None:  # noqa: E741  the paper's letter
    """A class passes exactly if l values occur."""
    assert given.judged(DistinctLDiversity("s", l)) == [plain.is_distinct_diverse(held, l) for held in given.held]


@given(classes(), _numbers.filter(lambda number: number > 1))
def test_entropy_l_diversity_weighs_values(given: Classes, l: Fraction) -> None:  # noqa: E741  the paper's letter
    """A class passes exactly if its entropy is at least log l, in whole numbers."""
    assert given.judged(EntropyLDiversity("s", l)) == [plain.is_entropy_diverse(held, l) for held in given.held]


@given(st.integers(2, 400), st.one_of(st.integers(1, 10), st.integers(1000, 10**6)))
def test_equal_values_reach_their_own_number(l: int, people: int) -> None:  # noqa: E741  the paper's letter
    """As many equally frequent values pass for l, whatever l is, and not for a hundred-millionth more."""
    domain = SensitiveDomain("s", np.full(l, people))
    profile = ClassProfile(np.array([l * people]), (Histogram(domain, np.full((1, l), people)),))
    assert EntropyLDiversity("s", Fraction(l)).satisfied(profile).tolist() == [True]
    assert EntropyLDiversity("s", l + Fraction(1, 10**8)).satisfied(profile).tolist() == [False]


@given(classes(), _numbers.filter(lambda c: c > 0), st.integers(2, 7))
def test_recursive_l_diversity_compares_the_ends(given: Classes, c: Fraction, l: int) -> None:  # noqa: E741
    """A class passes exactly if its most frequent value has fewer people than c times the tail."""
    assert given.judged(RecursiveLDiversity("s", c, l)) == [
        plain.is_recursively_diverse(one, c, l) for one in given.held
    ]


@given(classes(), _shares, st.integers(2, 12))
def test_alpha_k_anonymity_bounds_shares_and_sizes(given: Classes, alpha: Fraction, k: int) -> None:
    """A class passes exactly if it has k people and no value more than the share alpha of those with a value."""
    assert given.judged(AlphaKAnonymity("s", alpha, k)) == [
        plain.is_alpha_k_anonymous(held, size, alpha, k) for held, size in zip(given.held, given.sizes, strict=True)
    ]


@st.composite
def numbered(draw: st.DrawFn) -> tuple[Classes, list[Fraction]]:
    """Random classes whose values are numbers, in any order, and the numbers; some do not fit 64 bits."""
    given = draw(classes())
    (held,) = given.profile.histograms
    unit, digits, v = draw(st.sampled_from([1, 2**62])), draw(st.integers(0, 2)), len(held.domain)
    whole = draw(st.lists(st.integers(-9, 9), min_size=v, max_size=v, unique=True))
    numbers = np.array([number * unit for number in whole], object if unit > 1 else np.int64)
    domain = replace(held.domain, numeric=True, numbers=numbers, digits=digits)
    profile = replace(given.profile, histograms=(Histogram(domain, held.counts),))
    return replace(given, profile=profile), [Fraction(number * unit, 10**digits) for number in whole]


@given(numbered(), st.integers(2, 5), _numbers.filter(lambda e: e > 0), st.sampled_from([1, 2**62]))
def test_k_e_anonymity_bounds_values_and_range(
    given: tuple[Classes, list[Fraction]], k: int, e: Fraction, unit: int
) -> None:
    """A class passes exactly if it has k values and the greatest is e above the least."""
    classes_, numbers = given
    expected = [plain.is_k_e_anonymous(held, numbers, k, e * unit) for held in classes_.held]
    assert classes_.judged(KEAnonymity("s", k, e * unit)) == expected


@given(classes(), _numbers.filter(lambda delta: delta > 0))
def test_delta_disclosure_bounds_both_sides(given: Classes, delta: Fraction) -> None:
    """A class passes exactly if the logarithm of every value's gain is within delta."""
    assert given.judged(DeltaDisclosure("s", delta)) == [
        plain.is_delta_disclosing(held, given.table, delta) for held in given.held
    ]


@given(classes(), _numbers.filter(lambda beta: beta > 0))
def test_beta_likeness_bounds_gains(given: Classes, beta: Fraction) -> None:
    """A class passes exactly if no value's gain is above beta; of the enhanced form, above -ln q either."""
    basic = [plain.is_basic_beta_like(held, given.table, beta) for held in given.held]
    enhanced = [plain.is_enhanced_beta_like(held, given.table, beta) for held in given.held]
    assert given.judged(BasicBetaLikeness("s", beta)) == basic
    assert given.judged(EnhancedBetaLikeness("s", beta)) == enhanced


@given(classes(most=5, values=5), st.sampled_from([None, *DISTANCES]), st.data())
def test_t_closeness_moves_as_little_earth(given: Classes, distance: Distance | None, data: st.DataObject) -> None:
    """A class passes exactly if the least work of moving earth is at most t, also where t is that work."""
    domain = given.profile.histograms[0].domain
    if distance == "hierarchical" and not domain.levels:
        distance = "equal"
    fallback: Distance = "hierarchical" if domain.levels else "ordered" if domain.numeric else "equal"
    named = {
        "equal": plain.equal,
        "ordered": plain.ordered(len(domain)),
        "hierarchical": plain.hierarchical(given.paths or [["*", "*"]]),
    }
    ground = named[distance or fallback]
    works = [plain.earth_moved(held, given.table, ground) for held in given.held if plain.present(held)]
    limits = [work for work in works if work < 1]
    t = data.draw(st.one_of(_shares, st.sampled_from(limits)) if limits else _shares)
    expected = [plain.is_close(held, given.table, t, ground) for held in given.held]
    assert given.judged(TCloseness("s", t, distance)) == expected


@given(
    st.lists(st.tuples(st.integers(1, 20), st.integers(0, 40)), min_size=1, max_size=6), st.integers(2, 12), st.data()
)
def test_population_models_count_people(pairs: list[tuple[int, int]], k: int, data: st.DataObject) -> None:
    """k-map looks at the population alone, presence at the share of it, and the highest of risks at sizes."""
    sizes, population = zip(*pairs, strict=True)
    outside = data.draw(st.integers(0, 1))
    profile = ClassProfile(np.array(sizes), (), np.array(population), outside)
    low, high = sorted([data.draw(_shares), data.draw(_shares)])
    assert KMap(k).satisfied(profile).tolist() == [plain.is_k_map(people, k) for people in population]
    for bounds in ((low, high), (Fraction(0), high), (low, Fraction(1))):
        model = DeltaPresence(*bounds)
        expected = [plain.is_present(size, people, *bounds) for size, people in pairs]
        assert model.satisfied(profile).tolist() == expected
        assert satisfied_jointly(model, profile) == (all(expected) and (bounds[0] == 0 or outside == 0))


@given(st.lists(st.integers(1, 20), min_size=1, max_size=6), _shares)
def test_risks_are_highest_and_mean(sizes: list[int], threshold: Fraction) -> None:
    """The greatest risk is that of the smallest class; the mean one is that of all people together."""
    profile = ClassProfile(np.array(sizes))
    assert satisfied_jointly(MaximumRisk(threshold), profile) == (plain.highest_risk(sizes) <= threshold)
    assert satisfied_jointly(AverageRisk(threshold), profile) == (plain.mean_risk(sizes) <= threshold)
    alone = [plain.mean_risk([size]) <= threshold for size in sizes]
    assert AverageRisk(threshold).satisfied(profile).tolist() == alone
