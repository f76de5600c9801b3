"""Sums that are rounded once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kohort.perturbation.moments import total

if TYPE_CHECKING:
    from random import Random

#: From subnormal numbers to such as are too large to be split; fifty of them do not overflow.
NUMBERS = st.floats(-1e305, 1e305)


@given(st.lists(NUMBERS, max_size=50), st.randoms())
def test_a_sum_is_rounded_once(numbers: list[float], random: Random) -> None:
    """A sum is the float nearest to the exact one, in any order and though nearly all of it cancels out."""
    numbers += [-number for number in numbers[: len(numbers) // 2]]
    random.shuffle(numbers)
    assert total(np.array(numbers)) == math.fsum(numbers)


def test_sums_over_several_blocks() -> None:
    """The same of many numbers of widely different sizes."""
    stream = np.random.default_rng(5)
    numbers = np.ldexp(stream.normal(0, 1, 100_001), stream.integers(-40, 40, 100_001))
    assert total(numbers) == total(numbers[::-1]) == math.fsum(numbers.tolist())


def test_what_is_no_number_sums_up_to_none() -> None:
    """A sum ends where something is infinite or no number."""
    assert total(np.array([1.0, np.inf])) == np.inf
    assert math.isnan(total(np.array([1.0, np.nan])))
