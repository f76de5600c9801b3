"""What is no parameter is refused, with a hint; what is one is kept exactly, and named."""

from __future__ import annotations

from fractions import Fraction
from inspect import signature
from typing import TYPE_CHECKING, Any

import pytest

from kohort.errors import UsageError
from kohort.models.alpha_k_anonymity import AlphaKAnonymity
from kohort.models.average_risk import AverageRisk
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
from kohort.models.t_closeness import TCloseness

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.models.base import PrivacyModel

#: What is a number nowhere.
NO_NUMBERS = [
    None,
    True,
    "much",
    "1_0",
    "\u0663",
    "",
    "nan",
    "1/0",
    float("nan"),
    float("inf"),
    "1e999999999",
    Fraction(10**30),
    [1],
]

#: Ways to make a model of one number, and numbers beside its range.
NUMBERS: list[tuple[Callable[[Any], PrivacyModel], list[object]]] = [
    (lambda l: EntropyLDiversity("s", l), [1, 0, -2, 0.5, "1"]),  # noqa: E741  the paper's letter
    (lambda c: RecursiveLDiversity("s", c, 2), [0, -1, "2e9"]),
    (lambda t: TCloseness("s", t), [1, -0.1, 2, "1.0"]),
    (lambda alpha: AlphaKAnonymity("s", alpha, 2), [0, 1, -0.5, 1.5]),
    (lambda delta: DeltaDisclosure("s", delta), [0, -1]),
    (lambda beta: BasicBetaLikeness("s", beta), [0, -1, "2e9"]),
    (lambda beta: EnhancedBetaLikeness("s", beta), [0, -1, "2e9"]),
    (lambda e: KEAnonymity("s", 2, e), [0, -1]),
    (lambda low: DeltaPresence(low, Fraction(1, 2)), [-0.1, 0.6, 2]),
    (lambda high: DeltaPresence(Fraction(1, 5), high), [0.1, 1.1, -1]),
    (lambda high: DeltaPresence(Fraction(0), high), [0, 1]),
    (MaximumRisk, [0, 1, -0.1, 10]),
    (AverageRisk, [0, 1, -0.1, 10]),
]

#: Ways to make a model of one whole number of at least 2.
WHOLE: list[Callable[[Any], PrivacyModel]] = [
    lambda number: DistinctLDiversity("s", number),
    lambda number: RecursiveLDiversity("s", Fraction(2), number),
    lambda k: AlphaKAnonymity("s", Fraction(1, 2), k),
    lambda k: KEAnonymity("s", k, Fraction(1)),
    KMap,
]


@pytest.mark.parametrize(
    ("make", "value"), [(make, value) for make, beside in NUMBERS for value in (*NO_NUMBERS, *beside)]
)
def test_what_is_no_such_number_is_refused(make: Callable[[Any], PrivacyModel], value: object) -> None:
    """Neither what is no number nor what is out of its range makes a model, and there is a hint."""
    with pytest.raises(UsageError) as refused:
        make(value)
    assert refused.value.hint


@pytest.mark.parametrize("make", WHOLE)
@pytest.mark.parametrize("value", [1, 0, -3, 2.0, "2", True, None, float("nan"), 1e99], ids=repr)
def test_what_is_no_count_is_refused(make: Callable[[Any], PrivacyModel], value: object) -> None:
    """An integer of at least 2 is a k or an l, and nothing else is."""
    with pytest.raises(UsageError, match="must be an integer of at least 2") as refused:
        make(value)
    assert refused.value.hint


@pytest.mark.parametrize("make", [make for make, _ in NUMBERS])
def test_a_number_of_many_digits_is_refused(make: Callable[[Any], PrivacyModel]) -> None:
    """Ten digits after the point are too many for decisions in 64-bit integers; the parameter is named."""
    (letter,) = signature(make).parameters
    with pytest.raises(UsageError, match=f"{letter} has more than nine digits") as refused:
        make("0.3333333333")
    assert refused.value.where == letter


@pytest.mark.parametrize("name", ["", None, 3], ids=repr)
def test_a_model_of_a_value_names_its_attribute(name: Any) -> None:  # noqa: ANN401  anything at all
    """An empty name, or none, is refused by each model of a sensitive attribute."""
    half = Fraction(1, 2)
    makers: list[Callable[[], PrivacyModel]] = [
        lambda: DistinctLDiversity(name, 2),
        lambda: EntropyLDiversity(name, 2 + half),
        lambda: RecursiveLDiversity(name, half, 2),
        lambda: TCloseness(name, half),
        lambda: AlphaKAnonymity(name, half, 2),
        lambda: DeltaDisclosure(name, half),
        lambda: BasicBetaLikeness(name, half),
        lambda: EnhancedBetaLikeness(name, half),
        lambda: KEAnonymity(name, 2, half),
    ]
    for make in makers:
        with pytest.raises(UsageError, match="must name a sensitive attribute"):
            make()


@pytest.mark.parametrize("distance", ["equall", "", 1, True], ids=repr)
def test_what_is_no_distance_is_refused(distance: Any) -> None:  # noqa: ANN401  anything at all
    """Of distances there are three."""
    with pytest.raises(UsageError, match="unknown distance") as refused:
        TCloseness("s", Fraction(1, 5), distance)
    assert refused.value.hint == "one of equal, ordered, hierarchical"


@pytest.mark.parametrize("written", [0.1, "0.1", "1/10", Fraction(1, 10), "1e-1"], ids=repr)
def test_numbers_are_kept_exactly(written: Any) -> None:  # noqa: ANN401  each way to write it
    """A float is the decimal that it prints, and equal numbers make equal models."""
    assert TCloseness("s", written) == TCloseness("s", Fraction(1, 10))
    assert hash(TCloseness("s", written)) == hash(TCloseness("s", Fraction(1, 10)))
    assert MaximumRisk(written).declared.smallest_class == 10


def _model(make: Callable[..., PrivacyModel], *parameters: object) -> PrivacyModel:
    """A model of numbers as people write them, which the types do not say."""
    return make(*parameters)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (_model(DistinctLDiversity, "s", 2), "distinct 2-diversity of s"),
        (_model(EntropyLDiversity, "s", 2.5), "entropy 2.5-diversity of s"),
        (_model(RecursiveLDiversity, "s", 0.5, 3), "recursive (0.5, 3)-diversity of s"),
        (_model(TCloseness, "s", "0.20"), "0.2-closeness of s"),
        (_model(TCloseness, "s", 0, "equal"), "0-closeness of s, equal distance"),
        (_model(AlphaKAnonymity, "s", "1/3", 4), "(1/3, 4)-anonymity of s"),
        (_model(DeltaDisclosure, "s", 1), "1-disclosure privacy of s"),
        (_model(BasicBetaLikeness, "s", 1), "basic 1-likeness of s"),
        (_model(EnhancedBetaLikeness, "s", 1.5), "enhanced 1.5-likeness of s"),
        (_model(KEAnonymity, "s", 3, 0.5), "(3, 0.5)-anonymity of s"),
        (_model(KMap, 5), "5-map"),
        (_model(DeltaPresence, 0.1, 0.9), "(0.1, 0.9)-presence"),
        (_model(MaximumRisk, 0.1), "maximum risk 0.1"),
        (_model(AverageRisk, 0.05), "average risk 0.05"),
    ],
)
def test_names_hold_the_parameters(model: PrivacyModel, name: str) -> None:
    """A model is called as in the literature, with its numbers and attribute."""
    assert model.name == name
