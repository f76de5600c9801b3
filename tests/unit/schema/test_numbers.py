"""What counts as a number, and that its value is read without rounding."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import InputError
from kohort.schema.numbers import exact, is_numeric_text

NUMBERS = (
    "0",
    "7",
    "-7",
    "-0",
    "0.50",
    "-0.0",
    ".5",
    "-.25",
    "-.0",
    "12.340",
    "9007199254740993",
    "18446744073709551617",
)
TEXTS = (
    *("00118", "-01", "00.5", "1e5", "1E5", "0x1F", "1_000", "+49", "nan", "NaN", "inf", "-inf"),
    *("", " ", " 7", "7 ", "7\n", "\t7", "1,5", "1.234,5", "1 234", ".", "-.", "5.", "-", "--1", "1.2.3", "٣", "½"),
    "２",  # noqa: RUF001  digits of other scripts are meant
)


@pytest.mark.parametrize("text", NUMBERS)
def test_plain_decimals_are_numbers(text: str) -> None:
    """Plain decimal numbers make a column numeric, and keep every digit."""
    assert is_numeric_text([text])
    assert exact(text) == Fraction(Decimal(text))


@pytest.mark.parametrize("text", TEXTS)
def test_codes_are_not_numbers(text: str) -> None:
    """One text that is not a plain decimal number makes the whole column categorical, and has no number."""
    assert not is_numeric_text(["1", text, "2"])
    with pytest.raises(InputError):
        exact(text)


def test_a_refusal_does_not_repeat_the_value() -> None:
    """The message about a value that is no number does not hold it."""
    with pytest.raises(InputError) as caught:
        exact("canary42")
    assert "canary" not in str(caught.value)


def test_endless_digits_are_text() -> None:
    """A text of more than a thousand digits is no number, whatever Python's own limit for reading one."""
    longest = "9" * 1000
    assert is_numeric_text([longest, f"{longest}.{longest}"])
    assert exact(f"{longest}.5") == Fraction(int(longest)) + Fraction(1, 2)
    assert not is_numeric_text(["1" * 1001])
    assert not is_numeric_text(["0." + "1" * 1001])


def test_nothing_is_not_numeric() -> None:
    """A column without any value is not numeric."""
    assert not is_numeric_text([])


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6))
def test_exact_is_exact(number: Decimal) -> None:
    """Every decimal number is read as the very fraction it writes."""
    text = f"{number:f}"
    assert is_numeric_text([text])
    assert exact(text) == Fraction(number)
