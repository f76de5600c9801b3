"""Releases in which one class violates one model: each is refused by the check of classes, which names the model."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kohort.core import frequency
from kohort.errors import UsageError, VerificationError
from kohort.errors.display import many
from kohort.models.alpha_k_anonymity import AlphaKAnonymity
from kohort.models.average_risk import AverageRisk
from kohort.models.basic_beta_likeness import BasicBetaLikeness
from kohort.models.delta_disclosure import DeltaDisclosure
from kohort.models.delta_presence import DeltaPresence
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.enhanced_beta_likeness import EnhancedBetaLikeness
from kohort.models.entropy_l_diversity import EntropyLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.models.k_map import KMap
from kohort.models.maximum_risk import MaximumRisk
from kohort.models.recursive_l_diversity import RecursiveLDiversity
from kohort.models.t_closeness import TCloseness
from tests.unit.verify.models import claim_of, refusal, verdict_of

if TYPE_CHECKING:
    from kohort.models.base import PrivacyModel

QUARTER, HALF = Fraction(1, 4), Fraction(1, 2)

#: Each model, with classes that satisfy it and classes of which exactly one does not.
MODELS: list[tuple[PrivacyModel, tuple[str, ...], tuple[str, ...]]] = [
    (KAnonymity(3), ("fgh", "fff"), ("fgh", "fg")),
    (DistinctLDiversity("s", 2), ("fg", "fg"), ("fg", "ff")),
    (EntropyLDiversity("s", Fraction(2)), ("fg", "gf"), ("fg", "ffg")),
    (RecursiveLDiversity("s", Fraction(2), 2), ("fg", "ffggg"), ("fg", "fffg")),
    (TCloseness("s", Fraction(1, 5)), ("fgfgfg", "fg"), ("fgfgfg", "ff")),
    (TCloseness("s", Fraction(3, 10), "ordered"), ("123123", "2"), ("123123", "33")),
    (AlphaKAnonymity("s", HALF, 2), ("fg", "fg"), ("fg", "ffg")),
    (DeltaDisclosure("s", Fraction(1)), ("fg", "fgg"), ("fg", "ff")),
    (BasicBetaLikeness("s", HALF), ("fgfg", "fg"), ("fgfgfg", "gg")),
    (EnhancedBetaLikeness("s", Fraction(2)), ("fgfg", "fg"), ("fgfgfg", "gg")),
    (MaximumRisk(Fraction(1, 3)), ("fgh", "fff"), ("fgh", "fg")),
    (AverageRisk(Fraction(2, 7)), ("fghijk", "f"), ("fghij", "f")),
]


@pytest.mark.parametrize(("model", "good", "bad"), MODELS, ids=lambda one: getattr(one, "name", ""))
def test_class_that_violates_a_model(model: PrivacyModel, good: tuple[str, ...], bad: tuple[str, ...]) -> None:
    """A release whose every class satisfies is accepted; one class that does not is counted, with its records."""
    assert verdict_of(claim_of(*good), model).models == (model.name,)
    told = refusal(claim_of(*bad), model)
    assert told == f"1 class ({many(len(bad[-1]), 'record')}) fails {model.name}, cells compared as they are"


@pytest.mark.parametrize("room", [("CELLS", 1), ("CELLS", 4), ("FEW", 0), ("FEW", 1)])
@pytest.mark.parametrize("who", ["", "abcdefghij"])
def test_values_of_some_classes_at_a_time(monkeypatch: pytest.MonkeyPatch, room: tuple[str, int], who: str) -> None:
    """However many classes are looked at together, and with or without the values of others, the same ones fail."""
    monkeypatch.setattr(frequency, *room)
    model = DistinctLDiversity("s", 2)
    assert verdict_of(claim_of("fg", "gf", "fgg", "gfg", who=who), model).classes == 4
    assert "2 classes (5 records)" in refusal(claim_of("fg", "ff", "ggg", "fgf", who=who), model)


@pytest.mark.parametrize(("model", "good", "bad"), MODELS, ids=lambda one: getattr(one, "name", ""))
def test_models_of_few_of_many_values(
    monkeypatch: pytest.MonkeyPatch, model: PrivacyModel, good: tuple[str, ...], bad: tuple[str, ...]
) -> None:
    """What a model refuses does not depend on whether values that a class lacks are looked at."""
    monkeypatch.setattr(frequency, "FEW", 1)
    test_class_that_violates_a_model(model, good, bad)


def test_one_model_of_several() -> None:
    """All models are asked; the one that fails is named."""
    both = KAnonymity(2), DistinctLDiversity("s", 2)
    assert verdict_of(claim_of("fg", "fg"), *both).models == tuple(model.name for model in both)
    assert "distinct" in refusal(claim_of("fg", "ff"), *both)
    assert "2-anonymity" in refusal(claim_of("fg", "f"), *both)


def test_missing_values_are_none() -> None:
    """A missing sensitive value is no second value."""
    assert "distinct" in refusal(claim_of("fg", "f-"), DistinctLDiversity("s", 2))
    assert "distinct" in refusal(claim_of("fg", "--"), DistinctLDiversity("s", 2))


def test_reference_is_the_input() -> None:
    """Closeness is to the whole input, though some of it was suppressed."""
    claim = claim_of("fg", "ff", "gggggg")
    kept = replace(claim, lineage=np.arange(4), suppressed=6)
    model = TCloseness("s", Fraction(1, 4))
    assert "1 class (2 records)" in refusal(kept, model)  # f is 3 of 10 there, and 3 of 4 in what is released
    assert verdict_of(claim_of("fg", "ff"), model).classes == 2


# ── people ───────────────────────────────────────────────────────────────────────────────────────


def test_people_are_counted_and_not_records() -> None:
    """Two records of one person are one person, to k and to every share; the verdict counts both."""
    alone = claim_of("fg", "fg", who="abcc")
    assert refusal(alone, KAnonymity(2)) == "1 class (2 records) fails 2-anonymity, cells compared as they are"
    assert verdict_of(claim_of("fg", "fg"), KAnonymity(2)).people is None
    verdict = verdict_of(claim_of("fg", "fgg", who="abcdd"), KAnonymity(2))
    assert (verdict.people, verdict.records, verdict.smallest, verdict.largest) == (4, 5, 2, 3)


def test_a_person_holds_a_value_once() -> None:
    """Somebody with the same value twice has it once: 2 of 3 people, not 2 of 4 records."""
    half = AlphaKAnonymity("s", HALF, 2)
    assert verdict_of(claim_of("ffgg"), half).classes == 1
    assert "1 class (4 records)" in refusal(claim_of("ffgg", who="abcc"), half)


def test_the_reference_counts_people_too() -> None:
    """What is common in the input is common among its people: one of them with many records changes little."""
    close = TCloseness("s", Fraction(1, 10))
    assert verdict_of(claim_of("fg", "fgggggg", who="abcdddddd"), close).classes == 2
    assert "fail" in refusal(claim_of("fg", "fgggggg"), close)
    assert "fail" in refusal(claim_of("ff", "gggg", who="abcdef"), close)


def test_nobody_s_record() -> None:
    """People cannot be counted where some record is nobody's."""
    claim = claim_of("fg", who="ab")
    with pytest.raises(VerificationError, match="1 record of the input has no person key"):
        verdict_of(replace(claim, schema=replace(claim.schema, missing=frozenset({"a"}))), KAnonymity(2))


# ── population ───────────────────────────────────────────────────────────────────────────────────


def test_too_few_of_the_population() -> None:
    """A class that fits fewer people of the population than it must is refused, however large it is."""
    claim = claim_of("fg", "f", population="0011")
    assert verdict_of(claim, KMap(2)).classes == 2
    assert "1 class (4 records) fails 3-map" in refusal(claim_of("f", "ffff", population="00011"), KMap(3))
    assert "1 class" in refusal(claim_of("fg", "f", population="0000"), KMap(2))  # nobody of the second is known


def test_presence() -> None:
    """A class of which too many or too few of the population are released is refused."""
    half = DeltaPresence(QUARTER, HALF)
    assert verdict_of(claim_of("fg", "f", population="0000" + "11"), half).classes == 2
    assert "1 class (2 records)" in refusal(claim_of("fg", "f", population="000" + "11"), half)
    assert "1 class (1 record)" in refusal(claim_of("fg", "f", population="0000" + "11111"), half)


def test_somebody_known_to_be_absent() -> None:
    """Where absence must be hidden, nobody of the population may fit no class; the classes together fail then."""
    hidden, shown = DeltaPresence(QUARTER, HALF), DeltaPresence(Fraction(0), HALF)
    claim = claim_of("fg", "f", population="0000" + "11" + "7")
    assert "all 2 classes together fail (0.25, 0.5)-presence" in refusal(claim, hidden)
    assert verdict_of(claim, shown).classes == 2


def test_a_population_is_needed() -> None:
    """A model of the population cannot be claimed without one, nor with one that lacks the columns."""
    with pytest.raises(UsageError, match="2-map cannot be judged without a population table"):
        replace(claim_of("fg"), models=(KMap(2),))
    with pytest.raises(UsageError, match="lacks a quasi-identifying column"):
        replace(claim_of("fg"), population=replace(claim_of("fg").original, columns=()))
