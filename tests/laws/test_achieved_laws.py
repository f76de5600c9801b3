"""The strictest parameter that classes achieve: they satisfy with it and all less strict ones, and with none stricter.

Each is compared with the model itself and with its plain definition.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil, isclose, log
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kohort.core.frequency import ClassProfile, Histogram
from kohort.errors import UsageError
from kohort.models.alpha_k_anonymity import AlphaKAnonymity
from kohort.models.average_risk import AverageRisk
from kohort.models.base import Achieved, PrivacyModel, models, satisfied_jointly, variants
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
from kohort.models.t_closeness import TCloseness, distances_of
from kohort.schema.sensitive import SensitiveDomain
from tests.laws.test_model_laws import Classes, classes, numbered
from tests.reference import models as plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: How far beside the strictest value the values lie that are tried; parameters have nine digits.
STEPS = (Fraction(-1), Fraction(-1, 10**9), Fraction(0), Fraction(1, 10**9), Fraction(1))


def tried(model: PrivacyModel, achieved: Achieved, value: Fraction) -> PrivacyModel | None:
    """The model with this value of the parameter; `None` where it takes none such."""
    whole = achieved.parameter in {"k", "l"}
    if whole and value.denominator > 1:
        return None
    try:
        return replace(model, **{achieved.parameter: int(value) if whole else value})  # type: ignore[type-var]
    except UsageError:
        return None


def beside(achieved: Achieved) -> list[Fraction]:
    """Values at and beside the strictest, with at most nine digits; some values if there is none."""
    if achieved.value is None:
        return [Fraction(1, 10**9), Fraction(1, 2), Fraction(99, 100), Fraction(10**9)]
    around = achieved.value.limit_denominator(10**8)
    return [achieved.value, *(around + step for step in STEPS)]


def holds(model: PrivacyModel, profile: ClassProfile) -> Achieved:
    """What is achieved, of one parameter; asserts that the model agrees, also without the values that nobody has."""
    (achieved,) = model.achieved(profile)
    for value in beside(achieved):
        made = tried(model, achieved, value)
        assert made is None or satisfied_jointly(made, profile) == achieved.allows(value)
    if model.declared.some_values:
        (held,) = profile.histograms
        assert model.achieved(replace(profile, histograms=(held.few(),))) == (achieved,)
    return achieved


def agrees(achieved: Achieved, met: Callable[[Fraction], bool]) -> None:
    """What is achieved is what the plain definition says: it is met with what is allowed and with nothing else."""
    for value in beside(achieved)[achieved.parameter == "delta" :]:  # whose definition is in floating point there
        if value > 0:
            assert met(value) == achieved.allows(value)


def every(held: Sequence[plain.Held], met: Callable[[plain.Held], bool]) -> bool:
    """Whether all classes meet it."""
    return all(map(met, held))


@given(classes())
def test_the_greatest_l(given: Classes) -> None:
    """Distinct l-diversity: that of the class with fewest values."""
    achieved = holds(DistinctLDiversity("s", 2), given.profile)
    assert achieved.value is not None
    agrees(achieved, lambda value: all(plain.is_distinct_diverse(held, ceil(value)) for held in given.held))


@given(classes())
def test_the_greatest_entropy_l(given: Classes) -> None:
    """Entropy l-diversity: met exactly with nine digits, and not with the ninth greater by two."""
    (achieved,) = EntropyLDiversity("s", Fraction(2)).achieved(given.profile)
    if achieved.value is None:
        assert not all(plain.present(held) for held in given.held)
        return
    assert every(given.held, lambda held: plain.is_entropy_diverse(held, achieved.value))  # type: ignore[arg-type]
    more = achieved.value + Fraction(2, 10**9)
    assert not every(given.held, lambda held: plain.is_entropy_diverse(held, more))
    if achieved.value > 1:
        assert satisfied_jointly(EntropyLDiversity("s", achieved.value), given.profile)
    assert not satisfied_jointly(EntropyLDiversity("s", more), given.profile)


@given(classes(), st.integers(2, 4))
def test_the_least_c(given: Classes, l: int) -> None:  # noqa: E741  the paper's letter
    """Recursive (c,l)-diversity: c must be above it."""
    achieved = holds(RecursiveLDiversity("s", Fraction(1), l), given.profile)
    assert not achieved.attained
    agrees(achieved, lambda c: every(given.held, lambda held: plain.is_recursively_diverse(held, c, l)))


@given(classes(most=5, values=5))
def test_the_least_t(given: Classes) -> None:
    """t-closeness: the greatest work of moving earth, by every distance that the values have."""
    (histogram,) = given.profile.histograms
    grounds = {
        "equal": plain.equal,
        "ordered": plain.ordered(len(histogram.domain)),
        "hierarchical": plain.hierarchical(given.paths or [["*", "*"]]),
    }
    for distance in distances_of(histogram.domain):
        achieved = holds(TCloseness("s", Fraction(1, 2), distance), given.profile)
        some = all(plain.present(held) for held in given.held)
        works = [plain.earth_moved(held, given.table, grounds[distance]) for held in given.held] if some else []
        assert achieved.value == max(works, default=None)
        by_default = TCloseness("s", Fraction(1, 2)).achieved(given.profile) == (achieved,)
        assert by_default or distance != distances_of(histogram.domain)[-1]


@given(classes())
def test_the_least_alpha(given: Classes) -> None:
    """(alpha,k)-anonymity: the greatest share, where every class is large enough."""
    profile = replace(given.profile, sizes=given.profile.sizes + 2)
    achieved = holds(AlphaKAnonymity("s", Fraction(1, 2), 2), profile)
    sizes = dict(zip(map(id, given.held), given.sizes, strict=True))
    agrees(
        achieved,
        lambda alpha: every(given.held, lambda held: plain.is_alpha_k_anonymous(held, sizes[id(held)] + 2, alpha, 2)),
    )


@given(classes())
def test_the_least_beta_and_delta(given: Classes) -> None:
    """Likeness and disclosure: the greatest gain, and the greatest logarithm of one, if any parameter will do."""
    table = given.table
    basic = holds(BasicBetaLikeness("s", Fraction(1)), given.profile)
    agrees(basic, lambda beta: every(given.held, lambda held: plain.is_basic_beta_like(held, table, beta)))
    enhanced = holds(EnhancedBetaLikeness("s", Fraction(1)), given.profile)
    agrees(enhanced, lambda beta: every(given.held, lambda held: plain.is_enhanced_beta_like(held, table, beta)))
    assert enhanced.value in {None, basic.value}
    delta = holds(DeltaDisclosure("s", Fraction(1)), given.profile)

    def plainly(number: Fraction) -> bool:
        """By the plain definition, which takes logarithms of floats: right beside the limit it cannot tell."""
        if delta.value is not None and isclose(number, delta.value, rel_tol=1e-12):
            return delta.allows(number)
        return every(given.held, lambda held: plain.is_delta_disclosing(held, table, number))

    agrees(delta, plainly)


def test_the_least_delta_of_a_gain_and_of_a_lack() -> None:
    """It is the logarithm of the greatest factor between a class and the table, either way."""
    for rows, factor in (([[1, 3], [3, 1]], 2), ([[5, 3], [3, 5]], Fraction(4, 3)), ([[2, 2]], 1)):
        domain = SensitiveDomain("s", np.array([4, 4]))
        profile = ClassProfile(np.full(len(rows), 8), (Histogram(domain, np.array(rows)),))
        achieved = holds(DeltaDisclosure("s", Fraction(1)), profile)
        assert achieved.value is not None
        assert not achieved.attained
        assert isclose(achieved.value, log(factor))


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(0, 40)), min_size=1, max_size=6), st.integers(0, 1))
def test_sizes_risks_and_presence(pairs: list[tuple[int, int]], outside: int) -> None:
    """The models that look at no value; presence has a parameter on either side."""
    sizes, population = zip(*pairs, strict=True)
    profile = ClassProfile(np.array(sizes), (), np.array(population), outside)
    assert holds(KAnonymity(2), profile).value == min(sizes)
    assert holds(KMap(2), profile).value == min(population)
    assert holds(MaximumRisk(Fraction(1, 2)), profile).value == plain.highest_risk(sizes)
    assert holds(AverageRisk(Fraction(1, 2)), profile).value == plain.mean_risk(sizes)
    low, high = DeltaPresence(Fraction(0), Fraction(1, 2)).achieved(profile)
    for value in beside(high):
        made = tried(DeltaPresence(Fraction(0), Fraction(1, 2)), high, value)
        assert made is None or satisfied_jointly(made, profile) == high.allows(value)
    for value in beside(low):
        made = tried(DeltaPresence(Fraction(1, 2), Fraction(1)), low, value)
        assert made is None or satisfied_jointly(made, profile) == low.allows(value)


@given(numbered())
def test_the_greatest_k_and_e(given: tuple[Classes, list[Fraction]]) -> None:
    """(k,e)-anonymity: the values of the class with fewest, and the least range; either with the other as loose."""
    classes_, numbers = given
    fewest, least = KEAnonymity("s", 2, Fraction(1)).achieved(classes_.profile)
    assert fewest.value == min(len(plain.present(held)) for held in classes_.held)
    if least.value is None:
        assert fewest.value == 0
        return
    values = [[numbers[value] for value in plain.present(held)] for held in classes_.held]
    assert least.value == min(max(some) - min(some) for some in values)
    if least.value > 0:
        assert satisfied_jointly(KEAnonymity("s", 2, least.value), classes_.profile)
        assert not satisfied_jointly(KEAnonymity("s", 2, least.value + Fraction(1, 10**3)), classes_.profile)


@given(numbered(), st.none() | st.integers(-1, 1))
def test_what_is_achieved_is_a_parameter_of_the_model(given: tuple[Classes, list[Fraction]], more: int | None) -> None:
    """Whatever the classes, it is called and directed as the model says, and there is a value or a reason.

    Where there is no population, neither end of a presence has one: that is told once.
    """
    profile = given[0].profile
    profile = replace(profile, population=None if more is None else profile.sizes + more)
    for kind in models().values():
        directions = {one.name: one.rising for one in kind.specification.parameters}
        for variant in variants(kind, "s"):
            for one in variant.model.achieved(profile):
                assert directions.get(one.parameter) == one.rising or (kind, one.parameter) == (DeltaPresence, "delta")
                assert (one.value is None) == bool(one.reason)


@given(classes(), st.integers(0, 5))
def test_parts_achieve_what_the_whole_does(given: Classes, place: int) -> None:
    """What two parts of the classes achieve, joined, is what all of them achieve together."""
    first = np.arange(len(given.sizes)) < place
    if first.all() or not first.any():
        return
    for model in (
        DistinctLDiversity("s", 2),
        RecursiveLDiversity("s", Fraction(1), 2),
        DeltaDisclosure("s", Fraction(1)),
    ):
        whole, one, other = (
            model.achieved(part)[0] for part in (given.profile, given.profile.take(first), given.profile.take(~first))
        )
        for joined in (one.joined(other), other.joined(one)):
            assert replace(joined, reason="") == replace(whole, reason="")  # two classes may each have a reason
