"""(h,k,p)-coherence: three numbers and two judgements, in whole numbers."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import UsageError
from kohort.transactions.coherence import Coherence


@pytest.mark.parametrize(
    ("said", "meant", "name"),
    [
        ("0.4", Fraction(2, 5), "0.4"),
        ("2/5", Fraction(2, 5), "0.4"),
        (0.1, Fraction(1, 10), "0.1"),
        (Fraction(1, 3), Fraction(1, 3), "1/3"),
        ("1/3", Fraction(1, 3), "1/3"),
        (Decimal("0.25"), Fraction(1, 4), "0.25"),
        ("0", Fraction(0), "0"),
        (1, Fraction(1), "1"),
        ("0.123456789", Fraction(123456789, 10**9), "0.123456789"),
    ],
    ids=repr,
)
def test_h_is_exact(said: Any, meant: Fraction, name: str) -> None:  # noqa: ANN401  however it is said
    """A share is the fraction that its digits say; its name is a decimal where that is exact."""
    model = Coherence.of(h=said, k=2, p=3)
    assert model == Coherence(meant, 2, 3)
    assert model.name == f"({name}, 2, 3)-coherence"


@pytest.mark.parametrize(
    ("h", "what"),
    [
        ("much", "not a number"),
        ("", "not a number"),
        ("1/0", "not a number"),
        ("nan", "not a number"),
        (float("inf"), "not a number"),
        (None, "not a number"),
        (True, "not a number"),
        ("40%", "not a number"),
        ("1.1", "from 0 to 1"),
        ("-0.1", "from 0 to 1"),
        ("40", "from 0 to 1"),
        ("0.1234567891", "more than nine digits"),
        (1 / 3, "more than nine digits"),
    ],
    ids=repr,
)
def test_what_is_no_share_is_refused(h: Any, what: str) -> None:  # noqa: ANN401  anything at all
    """A share h is a number from 0 to 1 of at most nine digits; the error says which parameter is wrong."""
    with pytest.raises(UsageError, match=what) as caught:
        Coherence.of(h=h, k=2, p=2)
    assert caught.value.where == "h"


@pytest.mark.parametrize("number", [0, -1, True, 1.0, "2", None, np.int64(3)], ids=repr)
@pytest.mark.parametrize("letter", ["k", "p"])
def test_what_is_no_count_is_refused(letter: str, number: Any) -> None:  # noqa: ANN401  anything at all
    """Both k and p are whole numbers of at least 1, and Python's."""
    with pytest.raises(UsageError, match=f"{letter} must be a whole number of at least 1") as caught:
        Coherence.of(h="0.5", **{"k": 2, "p": 2, letter: number})
    assert caught.value.where == letter


@pytest.mark.parametrize("h", [0.4, "0.4", True, None], ids=repr)
def test_an_h_that_is_not_exact_is_refused(h: Any) -> None:  # noqa: ANN401  anything at all
    """Made without `of`, a promise has a fraction for h: judgements in floating point are never made."""
    with pytest.raises(UsageError, match="h must be exact") as caught:
        Coherence(h, 2, 2)
    assert caught.value.where == "h"


def test_nothing_promised_is_refused() -> None:
    """Together, k = 1 and h = 1 ask for nothing; either alone is a promise."""
    with pytest.raises(UsageError, match="promises nothing"):
        Coherence.of(h=1, k=1, p=2)
    assert Coherence.of(h="0.999", k=1, p=1).k == 1
    assert Coherence.of(h=1, k=2, p=1).h == 1


def test_judgements_of_many_cohorts() -> None:
    """Arrays are judged entry by entry, as single numbers are."""
    model = Coherence.of(h="1/3", k=3, p=2)
    supports, together = np.array([2, 3, 3, 4]), np.array([0, 1, 2, 2])
    assert model.is_rare(supports).tolist() == [True, False, False, False]
    assert model.is_breached(supports, together).tolist() == [False, False, True, True]


@given(st.integers(0, 10**9), st.integers(1, 10**9), st.integers(0, 2**32), st.integers(0, 2**32))
def test_judgements_are_exact(numerator: int, denominator: int, support: int, together: int) -> None:
    """A private item breaches a cohort exactly if its share is above h, also in arrays of billions of transactions."""
    model = Coherence(min(Fraction(numerator, denominator), Fraction(1)), 2, 2)
    support, together = max(support, together), min(support, together)
    breached = support > 0 and Fraction(together, support) > model.h
    assert model.is_breached(support, together) is breached
    assert model.is_breached(np.array([support]), np.array([together])).tolist() == [breached]
