"""What models are asked about, counted from what is released."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl
import pytest

from kohort.core.frequency import ClassProfile
from kohort.models.base import Declaration
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.entropy_l_diversity import EntropyLDiversity
from kohort.schema import Attribute, Role
from kohort.schema.sensitive import resolve
from kohort.tables.table import Column
from kohort.verify import judging
from kohort.verify.judging import ObservedProfile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from kohort.arrays import Mask
    from kohort.models.base import Achieved
    from kohort.specification import Specification


@pytest.mark.parametrize(("weights", "satisfied"), [([5, 5], True), ([9, 1], False)])
def test_a_record_counts_for_those_it_stands_for(weights: list[int], *, satisfied: bool) -> None:
    """Two values are as uncertain as two only where as many people have either."""
    counts = np.array(weights)
    domain, codes = resolve(Attribute("s", Role.SENSITIVE), ["f", "g"], counts, frozenset())
    held = {"s": (domain, codes.take([0, 1]))}
    observed = ObservedProfile(ClassProfile(np.array([10])), np.array([0, 0]), None, counts, held)
    assert observed.satisfied(EntropyLDiversity("s", Fraction(9, 5))).tolist() == [satisfied]


@dataclass(frozen=True)
class Together:
    """As many people of either value in all classes that are released together."""

    specification: ClassVar[Specification]
    name: str = "balance"

    @property
    def declared(self) -> Declaration:
        """It is about `s`, and about all classes."""
        return Declaration(
            monotone_generalization=False, monotone_suppression=False, sensitive="s", joint=self._together
        )

    def satisfied(self, classes: ClassProfile) -> Mask:
        """Each class alone."""
        counts = classes.of("s").counts
        balanced: Mask = counts[:, 0] == counts[:, 1]
        return balanced

    def achieved(self, classes: ClassProfile) -> tuple[Achieved, ...]:  # noqa: ARG002  as of any model
        """It has no parameters."""
        return ()

    def _together(self, classes: ClassProfile) -> bool:
        one, other = classes.of("s").counts.sum(axis=0)
        return bool(one == other)


@pytest.mark.parametrize("of", [[0, 0, 1, 1], [0, 1, 1, 0]])
def test_what_is_judged_together_is_seen_together(of: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """A model of all classes is shown them at once, however few there is room to look at together, in any order."""
    monkeypatch.setattr("kohort.core.frequency.CELLS", 1)
    domain, codes = resolve(Attribute("s", Role.SENSITIVE), ["f", "g"], np.array([2, 2]), frozenset())
    values = np.array(of, np.uint8)  # each class has a value of its own
    held = {"s": (domain, codes.take(values))}
    observed = ObservedProfile(ClassProfile(np.array([2, 2])), np.array(of), None, None, held)
    assert observed.satisfied(Together()).tolist() == [False, False]
    assert observed.satisfied_jointly(Together())


@pytest.mark.parametrize("limits", [{}, {"CELLS": 1}, {"FEW": 0, "TOGETHER": 1}])
@pytest.mark.parametrize(("of", "values"), [([0, 0, 1, 1], [0, 1, 0, 0]), ([0, 1, 1, 0], [0, 0, 0, 1])])
def test_each_class_has_the_values_of_its_records(
    of: list[int], values: list[int], limits: Mapping[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In whatever order they stand, and however few classes there is room to look at together."""
    for name, limit in limits.items():
        monkeypatch.setattr(f"kohort.core.frequency.{name}", limit)
    domain, codes = resolve(Attribute("s", Role.SENSITIVE), ["f", "g"], np.array([3, 1]), frozenset())
    held = {"s": (domain, codes.take(values))}
    observed = ObservedProfile(ClassProfile(np.array([2, 2])), np.array(of), None, None, held)
    assert observed.satisfied(DistinctLDiversity("s", 2)).tolist() == [True, False]


EVEN: Callable[[Column], NDArray[Any] | None] = vars(judging)["_even"]


@pytest.mark.parametrize("other", ["MILAN", "Milan ", "\uff2dilan", "M\u0456lan", "mi\u00adlan", "Mil\u00e4n"])
def test_labels_that_look_alike_are_one(other: str) -> None:
    """However they differ: in case, blanks, width, alphabet, or by what nobody sees; an accent is seen."""
    texts = ["Milan", other, "Rome", "rome & co"]
    codes = EVEN(Column("city", pl.Series(texts), np.array([0, 1, 2, 3, 1], np.uint8), pl.String()))
    if other.endswith("\u00e4n"):
        assert codes is None
    else:
        assert codes is not None
        assert codes.tolist() == [0, 0, 1, 2, 0]
