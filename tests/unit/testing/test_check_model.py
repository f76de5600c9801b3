"""`check_model` lets every model of the package pass, and finds each kind of false declaration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import settings

from kohort.models.alpha_k_anonymity import AlphaKAnonymity
from kohort.models.average_risk import AverageRisk
from kohort.models.base import Declaration, models, variants
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
from kohort.testing import CounterExampleError, check_model
from kohort.testing.toys import Row, Toy, draw, reverse
from tests.toy_models import ToyModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.arrays import Mask
    from kohort.core.frequency import ClassProfile
    from kohort.models.base import PrivacyModel

#: As many as the profile says: a toy takes a quarter of what the example of a law takes.
TABLES = 4 * settings().max_examples

HALF, FIFTH = Fraction(1, 2), Fraction(1, 5)

MODELS: list[PrivacyModel] = [
    KAnonymity(2),
    KAnonymity(10),
    DistinctLDiversity("s", 2),
    DistinctLDiversity("s", 3),
    EntropyLDiversity("s", Fraction(3, 2)),
    EntropyLDiversity("s", Fraction(2)),
    RecursiveLDiversity("s", HALF, 2),
    RecursiveLDiversity("s", Fraction(2), 2),
    RecursiveLDiversity("s", Fraction(3), 3),
    TCloseness("s", FIFTH),
    TCloseness("s", Fraction(1, 10), "equal"),
    TCloseness("s", Fraction(3, 10), "ordered"),
    AlphaKAnonymity("s", HALF, 2),
    AlphaKAnonymity("s", Fraction(3, 5), 5),
    DeltaDisclosure("s", HALF),
    DeltaDisclosure("s", Fraction(1)),
    BasicBetaLikeness("s", HALF),
    BasicBetaLikeness("s", Fraction(1)),
    EnhancedBetaLikeness("s", HALF),
    EnhancedBetaLikeness("s", Fraction(1)),
    KMap(3),
    KMap(10),
    DeltaPresence(Fraction(0), HALF),
    DeltaPresence(FIFTH, Fraction(1)),
    DeltaPresence(FIFTH, 4 * FIFTH),
    MaximumRisk(Fraction(3, 10)),
    AverageRisk(2 * FIFTH),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_every_model_is_what_it_declares(model: PrivacyModel) -> None:
    """No toy shows otherwise; the seed is another than the documentation's."""
    check_model(model, tables=TABLES, seed=5)


@pytest.mark.parametrize("key", models())
def test_a_model_is_what_it_declares_with_its_own_examples(key: str) -> None:
    """Every model that there is, with every example of its parameters; what it says of itself is of its mapping."""
    assert models()[key].specification.key == key
    for variant in variants(models()[key], "s"):
        if not variant.model.declared.needs_hierarchy:
            check_model(variant.model, tables=TABLES, seed=6)


NOTHING = Declaration(monotone_generalization=False, monotone_suppression=False)


@dataclass(frozen=True)
class Fake(ToyModel):
    """A model put together from what it declares and how it judges."""

    judge: Callable[[ClassProfile], Mask]
    declared: Declaration = NOTHING
    name: str = "a fake"

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) as it was made to judge."""
        return self.judge(classes)


def declaring(fake: Fake, **what: Any) -> Fake:  # noqa: ANN401  whatever a declaration takes
    """The fake, that declares more."""
    return replace(fake, declared=replace(fake.declared, **what))


def like(model: PrivacyModel) -> Fake:
    """A fake that judges as `model` and declares nothing."""
    told = model.declared
    return declaring(Fake(model.satisfied), sensitive=told.sensitive, population=told.population)


@pytest.mark.parametrize(
    "model",
    [model for model in MODELS if not model.declared.monotone_suppression and not model.declared.joint],
    ids=lambda model: model.name,
)
def test_false_monotonicity_under_suppression_is_found(model: PrivacyModel) -> None:
    """Of every model that does not declare it, merging classes is found to make more records fail."""
    with pytest.raises(CounterExampleError, match="monotone_suppression is declared") as found:
        check_model(declaring(like(model), monotone_suppression=True))
    fine, merged = found.value.classes, found.value.merged
    assert model.satisfied(fine).any()
    assert not model.satisfied(merged).all()
    assert int(merged.sizes.sum()) <= int(fine.sizes.sum())  # less where somebody is in both
    assert int(fine.sizes.sum()) < 40  # shrunk: what a reader can check by hand


def test_false_monotonicity_under_generalization_is_found() -> None:
    """A union of satisfying classes that fails is found, whether classes are judged alone or jointly."""
    above = DeltaPresence(FIFTH, Fraction(1))
    presence = declaring(like(above), joint=above.declared.joint)
    small = Fake(lambda classes: classes.sizes <= 3)
    many = declaring(Fake(_all), joint=_two_or_more)
    for fake in (presence, small, many):
        check_model(fake)
        with pytest.raises(CounterExampleError, match="union of satisfying classes fails"):
            check_model(declaring(fake, monotone_generalization=True))


def _all(classes: ClassProfile) -> Mask:
    """(c,) that every class satisfies."""
    return np.ones(classes.sizes.size, np.bool_)


def _two_or_more(classes: ClassProfile) -> bool:
    """Whether there are several classes."""
    return classes.sizes.size > 1


def _ascending(classes: ClassProfile) -> bool:
    """Whether no class is smaller than the one before it."""
    return bool((np.diff(classes.sizes) >= 0).all())


def _relatively(classes: ClassProfile) -> Mask:
    """(c,) which classes have more than half the people of the largest."""
    mask: Mask = classes.sizes * 2 > np.max(classes.sizes, initial=0)
    return mask


def _with_first(classes: ClassProfile) -> Mask:
    """(c,) which classes have somebody with the first value, of several."""
    counts = classes.of("s").counts
    return np.asarray((counts[:, : counts.shape[1] // 2] > 0).any(axis=1), np.bool_)


def _knows_all(classes: ClassProfile) -> Mask:
    """Satisfied where the histogram has a place for every value of the table."""
    return np.full(classes.sizes.size, classes.of("s").places is None)


@pytest.mark.parametrize(
    ("fake", "law"),
    [
        (Fake(lambda classes: classes.sizes.view(np.bool_)), "no mask"),
        (Fake(lambda classes: classes.sizes.astype(np.uint8).view(np.int8).astype(object)), "no mask"),
        (Fake(lambda _: np.ones(1, np.bool_)), "no mask"),
        (Fake(_relatively), "others stand beside it"),
        (declaring(Fake(_with_first), sensitive="s"), "order of classes or values"),
        (
            declaring(Fake(_all), joint=_ascending),
            "order of classes or values",
        ),
        (declaring(like(KAnonymity(3)), smallest_class=4), "fewer people than smallest_class"),
        (declaring(like(KAnonymity(3)), smallest_class=2, size_only=True), "size_only is declared"),
        (declaring(like(TCloseness("s", FIFTH)), class_only=True), "class_only is declared"),
        (declaring(Fake(_knows_all), sensitive="s", some_values=True), "some_values is declared"),
        (declaring(like(KMap(3)), smallest_population=4), "fewer people than smallest_population"),
        (declaring(like(DistinctLDiversity("s", 2)), least_values=3), "fewer values than least_values"),
        (declaring(like(DistinctLDiversity("s", 3)), smallest_class=3), "fewer people than smallest_class"),
    ],
)
def test_what_judges_otherwise_than_declared_is_found(fake: Fake, law: str) -> None:
    """A mask of the wrong shape, classes compared, an order that counts, a joint model that hides it, wrong sizes.

    Of the last one: somebody may have three values.
    """
    with pytest.raises(CounterExampleError, match=law):
        check_model(fake)


def test_a_counter_example_is_told() -> None:
    """The report holds the law, the classes with their people and values, and what becomes of them."""
    with pytest.raises(CounterExampleError) as found:
        check_model(declaring(like(DeltaPresence(Fraction(0), HALF)), monotone_suppression=True))
    told = str(found.value)
    assert told.startswith("a fake: monotone_suppression is declared, but")
    assert "in the population: satisfies, part of 1" in told
    assert "fails" in told.partition("merged:")[2]
    assert found.value.law in told


def test_equal_seeds_draw_equal_toys() -> None:
    """What is found today is found tomorrow."""
    twice = [[draw(np.random.default_rng(seed), 3) for seed in range(20)] for _ in range(2)]
    assert twice[0] == twice[1]


def test_a_toy_counts_people_once() -> None:
    """Somebody with two values in a class is one person of it, and counts for both; reversing turns everything."""
    rows = (Row(0, 0, 1, 7), Row(0, 1, 1, 7), Row(0, None, 1, 8), Row(1, 1, 1, 8))
    toy = Toy(rows, (0, 0), (2, 0), 1, numeric=False, pairs=True)
    model = DistinctLDiversity("s", 2)
    fine, merged = toy.fine(model), toy.coarse(model)
    assert (fine.sizes.tolist(), merged.sizes.tolist()) == ([2, 1], [2])
    assert (fine.of("s").counts.tolist(), merged.of("s").counts.tolist()) == ([[1, 1], [0, 1]], [[1, 2]])
    assert fine.population is None
    turned = reverse(fine)
    assert (turned.sizes.tolist(), turned.of("s").counts.tolist()) == ([1, 2], [[1, 0], [1, 1]])
    assert [level.tolist() for level in turned.of("s").domain.levels] == [[0, 1], [0, 0]]
    counted = toy.coarse(KMap(2))
    assert counted.population is not None
    assert (counted.population.tolist(), counted.outside) == ([5], 0)
