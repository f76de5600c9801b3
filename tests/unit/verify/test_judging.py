"""What models are asked about, counted from what is released."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from kohort.core.frequency import ClassProfile
from kohort.models.entropy_l_diversity import EntropyLDiversity
from kohort.schema import Attribute, Role
from kohort.schema.sensitive import resolve
from kohort.verify.judging import ObservedProfile, SensitiveCodes


@pytest.mark.parametrize(("weights", "satisfied"), [([5, 5], True), ([9, 1], False)])
def test_a_record_counts_for_those_it_stands_for(weights: list[int], *, satisfied: bool) -> None:
    """Two values are as uncertain as two only where as many people have either."""
    counts = np.array(weights)
    domain, codes = resolve(Attribute("s", Role.SENSITIVE), ["f", "g"], counts, frozenset())
    held = {"s": (domain, SensitiveCodes(codes, np.array([0, 1], np.uint8)))}
    observed = ObservedProfile(ClassProfile(np.array([10])), np.array([0, 0]), None, counts, held)
    assert observed.satisfied(EntropyLDiversity("s", Fraction(9, 5))).tolist() == [satisfied]
