"""What models declare of themselves, and how they answer at the edges of what can be asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kohort.core.frequency import ClassProfile, Histogram
from kohort.errors import LimitError, SchemaError, UsageError
from kohort.models._shares import MOST, not_above, not_below
from kohort.models.alpha_k_anonymity import AlphaKAnonymity
from kohort.models.average_risk import AverageRisk
from kohort.models.base import Declaration, satisfied_jointly
from kohort.models.basic_beta_likeness import BasicBetaLikeness
from kohort.models.delta_disclosure import DeltaDisclosure
from kohort.models.delta_presence import DeltaPresence
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.enhanced_beta_likeness import EnhancedBetaLikeness
from kohort.models.entropy_l_diversity import EntropyLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.models.k_e_anonymity import KEAnonymity
from kohort.models.k_map import KMap
from kohort.models.maximum_risk import MaximumRisk
from kohort.models.recursive_l_diversity import RecursiveLDiversity
from kohort.models.t_closeness import DISTANCES, TCloseness
from kohort.release.fit import unfit
from kohort.schema import Attribute, Role, Scale, Schema
from kohort.schema.sensitive import SensitiveDomain
from kohort.testing import check_model
from tests.toy_models import ToyModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Mask
    from kohort.models.base import PrivacyModel

HALF = Fraction(1, 2)

OF_VALUES: list[PrivacyModel] = [
    DistinctLDiversity("s", 2),
    EntropyLDiversity("s", Fraction(2)),
    RecursiveLDiversity("s", Fraction(2), 2),
    TCloseness("s", HALF),
    AlphaKAnonymity("s", HALF, 2),
    DeltaDisclosure("s", Fraction(1)),
    BasicBetaLikeness("s", Fraction(1)),
    EnhancedBetaLikeness("s", Fraction(1)),
]


def classes(rows: Sequence[Sequence[int]], table: Sequence[int], *, numeric: bool = False) -> ClassProfile:
    """Classes without missing values, by people with each value."""
    counts = np.array(rows, np.int64).reshape(len(rows), len(table))
    domain = SensitiveDomain("s", np.array(table, np.int64), numeric)
    return ClassProfile(counts.sum(axis=1), (Histogram(domain, counts),))


@pytest.mark.parametrize("model", OF_VALUES, ids=lambda model: model.name)
def test_models_of_values_know_their_attribute(model: PrivacyModel) -> None:
    """They look at one attribute and at values, need no population, and a union of satisfying classes satisfies."""
    declared = model.declared
    assert (declared.sensitive, declared.population, declared.size_only, declared.joint) == ("s", False, False, None)
    assert declared.monotone_generalization
    assert declared.monotone_suppression == isinstance(model, DistinctLDiversity)
    assert declared.uses_hierarchy == isinstance(model, TCloseness)
    assert declared.smallest_class == (2 if isinstance(model, AlphaKAnonymity) else 1)


@pytest.mark.parametrize("model", OF_VALUES, ids=lambda model: model.name)
def test_a_class_without_a_value_fails(model: PrivacyModel) -> None:
    """Nothing is known of who has no value: neither such a class nor a table without any value satisfies."""
    profile = classes([[0, 0], [1, 1]], [1, 1])
    assert model.satisfied(profile).tolist() == [False, True]
    assert model.satisfied(classes([[], []], [])).tolist() == [False, False]
    assert model.satisfied(classes([], [1, 1])).tolist() == []
    assert not satisfied_jointly(model, profile)
    assert satisfied_jointly(model, profile.take(np.array([False, True])))


def test_models_of_sizes_and_populations() -> None:
    """What looks at no value declares what it looks at instead."""
    up = Declaration(monotone_generalization=True, monotone_suppression=True)
    for whole in (KAnonymity(4), MaximumRisk(Fraction(3, 10))):
        assert whole.declared == replace(up, smallest_class=4, size_only=True)
    assert KMap(4).declared == replace(up, population=True, smallest_population=4)
    low, none = DeltaPresence(HALF, Fraction(1)).declared, DeltaPresence(Fraction(0), HALF).declared
    assert low.joint is not None
    assert replace(low, joint=None) == replace(none, monotone_generalization=False)
    assert none == Declaration(population=True, monotone_generalization=True, monotone_suppression=False)
    average = AverageRisk(HALF).declared
    assert average.joint is not None
    assert replace(average, joint=None) == Declaration(monotone_generalization=False, monotone_suppression=False)


@pytest.mark.parametrize("model", [KMap(2), DeltaPresence(HALF, Fraction(1))], ids=lambda model: model.name)
def test_a_population_is_needed(model: PrivacyModel) -> None:
    """Without a population table, a model of one cannot be asked."""
    with pytest.raises(UsageError, match="needs a population table"):
        model.satisfied(ClassProfile(np.array([3])))


def test_somebody_who_is_in_no_population_is_present_for_certain() -> None:
    """A class that fits fewer people of the population than it has records of fails, whatever its bounds."""
    profile = ClassProfile(np.array([2, 2, 2]), population=np.array([0, 1, 2]))
    assert DeltaPresence(HALF, Fraction(1)).satisfied(profile).tolist() == [False, False, True]


def test_mean_risk_lets_single_classes_fail() -> None:
    """A class of one beside a large one is found for certain, and the mean is low; of no class, nobody is found."""
    model, profile = AverageRisk(Fraction(1, 5)), ClassProfile(np.array([1, 9]))
    assert model.satisfied(profile).tolist() == [False, True]
    assert satisfied_jointly(model, profile)
    assert not satisfied_jointly(AverageRisk(Fraction(19, 100)), profile)
    assert satisfied_jointly(model, ClassProfile(np.empty(0, np.int64)))


def test_distances_are_as_the_attribute_allows() -> None:
    """Unless one is chosen, numbers are ordered and names equally far; with a hierarchy, that tells."""
    rows, table = [[2, 2, 0, 0]], [1, 1, 1, 1]
    third = TCloseness("s", Fraction(1, 3))
    assert third.satisfied(classes(rows, table)).tolist() == [False]  # 1/2
    assert TCloseness("s", HALF).satisfied(classes(rows, table)).tolist() == [True]
    assert third.satisfied(classes(rows, table, numeric=True)).tolist() == [True]  # 1/3
    assert TCloseness("s", Fraction(33, 100)).satisfied(classes(rows, table, numeric=True)).tolist() == [False]
    flat = SensitiveDomain("s", np.array(table), numeric=True, levels=(np.arange(4), np.array([0, 0, 1, 1])))
    profile = ClassProfile(np.array([4]), (Histogram(flat, np.array([[2, 0, 2, 0]])),))
    quarter, fifth = Fraction(1, 4), Fraction(1, 5)
    assert TCloseness("s", quarter).satisfied(profile).tolist() == [True]  # half of all moves one level of two
    assert TCloseness("s", fifth).satisfied(profile).tolist() == [False]
    assert TCloseness("s", fifth, "ordered").satisfied(profile).tolist() == [True]  # 1/6
    assert TCloseness("s", quarter, "equal").satisfied(profile).tolist() == [False]  # 1/2


def test_one_value_is_always_as_in_the_table() -> None:
    """A table of one value has no distance to move, of whatever kind."""
    for numeric in (False, True):
        profile = classes([[3]], [7], numeric=numeric)
        assert TCloseness("s", Fraction(0)).satisfied(profile).tolist() == [True]
        assert TCloseness("s", Fraction(0), "ordered").satisfied(profile).tolist() == [True]
        assert EnhancedBetaLikeness("s", Fraction(1)).satisfied(profile).tolist() == [True]


def test_hierarchical_distance_needs_a_hierarchy() -> None:
    """Chosen for an attribute without one, it is refused by name; left open, another distance is taken."""
    with pytest.raises(SchemaError, match="hierarchical distance needs a hierarchy") as refused:
        TCloseness("s", HALF, "hierarchical").satisfied(classes([[1, 1]], [1, 1]))
    assert refused.value.where == "column s"
    assert TCloseness("s", HALF).declared.uses_hierarchy
    assert TCloseness("s", HALF, "hierarchical").declared.uses_hierarchy
    assert not TCloseness("s", HALF, "ordered").declared.uses_hierarchy


def test_nobody_with_a_value_needs_no_hierarchy() -> None:
    """Where no record has a value there are no levels either; a class fails, whatever the distance."""
    nobody = ClassProfile(np.array([3]), classes([[]], []).histograms)
    for distance in (None, *DISTANCES):
        assert TCloseness("s", HALF, distance).satisfied(nobody).tolist() == [False]


@pytest.mark.parametrize("model", [TCloseness("s", HALF), BasicBetaLikeness("s", HALF)], ids=lambda model: model.name)
def test_more_people_than_products_hold_are_refused(model: PrivacyModel) -> None:
    """Of more than 2**31 people, products of two counts may not fit 64 bits."""
    with pytest.raises(LimitError, match="2,147,483,647 people"):
        model.satisfied(classes([[1, 1]], [MOST, 1]))


def test_a_hundred_million_people_are_judged_exactly_enough() -> None:
    """Where sums leave what floats hold exactly, a class is as near to a huge table as it is, to six digits."""
    table = np.full(1000, 10**5)
    other = table.copy()
    other[0], other[-1] = 0, 2 * 10**5
    profile = classes([table.tolist(), other.tolist()], table.tolist(), numeric=True)
    assert TCloseness("s", Fraction(0)).satisfied(profile).tolist() == [True, False]
    assert TCloseness("s", Fraction(1, 1000)).satisfied(profile).tolist() == [True, True]
    assert TCloseness("s", Fraction(999, 10**6)).satisfied(profile).tolist() == [True, False]


def test_a_range_needs_numbers() -> None:
    """Of names there is none, and that is said by name; where nobody has a value, a class fails like any other."""
    model = KEAnonymity("s", 2, HALF)
    with pytest.raises(SchemaError, match="needs numbers") as refused:
        model.satisfied(classes([[1, 1]], [1, 1]))
    assert refused.value.where == "column s"
    assert [one.reason for one in model.achieved(classes([[1, 1]], [1, 1]))] == ["the values are not numbers"]
    nobody = ClassProfile(np.array([3]), classes([[]], []).histograms)
    assert model.satisfied(nobody).tolist() == [False]
    assert [one.reason for one in model.achieved(nobody)] == ["a class has no values"]
    assert model.declared.of_numbers
    assert (model.declared.least_values, model.declared.smallest_class) == (2, 1)


@pytest.mark.parametrize("letters", [10**9, 10**20], ids=["a billion", "more"])
def test_parameters_beyond_every_table_fail_it(letters: int) -> None:
    """An l or a k that no class reaches costs neither memory nor an overflow."""
    profile = classes([[5, 5], [1, 0]], [6, 5])
    for model in (
        DistinctLDiversity("s", letters),
        EntropyLDiversity("s", Fraction(letters)),
        RecursiveLDiversity("s", Fraction(1), letters),
        AlphaKAnonymity("s", HALF, letters),
    ):
        assert model.satisfied(profile).tolist() == [False, False]
    assert KMap(letters).satisfied(ClassProfile(np.array([1]), population=np.array([1]))).tolist() == [False]


def test_loose_parameters_ask_for_little() -> None:
    """A huge delta asks that every value occurs, a huge beta for nothing, a huge c for l values."""
    profile = classes([[9, 1], [9, 0]], [10**8, 1])
    assert DeltaDisclosure("s", Fraction(10**9)).satisfied(profile).tolist() == [True, False]
    assert BasicBetaLikeness("s", Fraction(10**9)).satisfied(profile).tolist() == [True, True]
    assert RecursiveLDiversity("s", Fraction(10**9), 2).satisfied(profile).tolist() == [True, False]
    even = RecursiveLDiversity("s", Fraction(10**9 - 1, 10**9), 2)
    assert even.satisfied(classes([[10**9, 10**9], [10**9 - 1, 10**9 - 1]], [10**9, 10**9])).tolist() == [False, False]


def test_bounds_decide_as_what_they_replace() -> None:
    """No fraction of two counts lies between a bound and its replacement, on either side."""
    awkward = Fraction(2**40 + 1, 3**26)
    below, above = not_above(awkward), not_below(awkward)
    assert below < awkward < above
    assert max(below.denominator, above.denominator) <= MOST
    # Neighbours: whatever lies between them has a denominator of at least the sum of theirs.
    assert above.numerator * below.denominator - below.numerator * above.denominator == 1
    assert below.denominator + above.denominator > MOST
    assert not_above(HALF) == not_below(HALF) == HALF


@dataclass(frozen=True)
class OfNumbers(ToyModel):
    """A model that no class fails, of numbers only."""

    name: str = "a toy of numbers"

    @property
    def declared(self) -> Declaration:
        """What it declares."""
        return Declaration(sensitive="s", of_numbers=True, monotone_generalization=True, monotone_suppression=True)

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) every class, where the values are numbers."""
        return np.full(classes.sizes.size, classes.of("s").domain.numbers is not None)


def test_a_model_of_numbers_needs_them() -> None:
    """A column that the schema calls categorical has none, and none are made up; toys have them."""
    for scale, what in (
        (Scale.CATEGORICAL, ["a toy of numbers needs numbers, but the column is categorical"]),
        (None, []),
    ):
        schema = Schema((Attribute("age", Role.QUASI), Attribute("s", Role.SENSITIVE, scale=scale)))
        assert [one.what for _, one in unfit(schema, [OfNumbers()])] == what
    check_model(OfNumbers(), tables=50)
