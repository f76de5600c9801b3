"""A suppression limit is a count or a share, and which of the two is always said."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.core.suppression import SuppressionLimit
from kohort.errors import UsageError


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (0, SuppressionLimit(0)),
        (20, SuppressionLimit(20)),
        ("0", SuppressionLimit(0)),
        ("20", SuppressionLimit(20)),
        ("1", SuppressionLimit(1)),
        ("007", SuppressionLimit(7)),
        ("5%", SuppressionLimit(None, Fraction(1, 20))),
        ("2.5%", SuppressionLimit(None, Fraction(1, 40))),
        ("0%", SuppressionLimit(None, Fraction(0))),
        ("100%", SuppressionLimit(None, Fraction(1))),
        ("100.0%", SuppressionLimit(None, Fraction(1))),
        ("0.05", SuppressionLimit(None, Fraction(1, 20))),
        (".05", SuppressionLimit(None, Fraction(1, 20))),
        (".5%", SuppressionLimit(None, Fraction(1, 200))),
        ("0.0", SuppressionLimit(None, Fraction(0))),
        ("1.0", SuppressionLimit(None, Fraction(1))),
        (SuppressionLimit(3), SuppressionLimit(3)),
    ],
    ids=repr,
)
def test_what_is_accepted(said: int | str | SuppressionLimit, meant: SuppressionLimit) -> None:
    """Whole numbers are records; a percent sign or a decimal point says that it is a share."""
    assert SuppressionLimit.of(said) == meant


@pytest.mark.parametrize(
    "said",
    [
        *(-1, -(10**30), True, False, None, 0.05, 5.0, float("nan"), Fraction(1, 20), [20]),
        *(
            "",
            " ",
            "-1",
            "-5%",
            "+5",
            "5 %",
            " 5",
            "5\n",
            "five",
            "0,05",
            "5%%",
            "%",
            ".",
            ".%",
            "5.",
            "1e3",
            "0x10",
            "1_000",
        ),
        *(
            "1.5",
            "1.01",
            "100.1%",
            "101%",
            "1000%",
            "nan",
            "inf",
            "\u0665",
            "\uff15",
            "\u00bd",
            "0.05%%",
            "--5",
            "9" * 19,
        ),
    ],
    ids=repr,
)
def test_what_is_refused(said: Any) -> None:  # noqa: ANN401  what a caller may pass
    """Below 0, above all, or of no clear unit: a float too, for 1.0 may be a record or all of them."""
    with pytest.raises(UsageError) as refused:
        SuppressionLimit.of(said)
    assert refused.value.exit_status == 2
    assert "5%" in str(refused.value.hint)


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_count_is_at_most_all(limit: int, records: int) -> None:
    """No more can be suppressed than there are."""
    assert SuppressionLimit(limit).among(records) == min(limit, records)


@given(st.integers(0, 10**4), st.integers(0, 10**12))
def test_a_share_is_rounded_down_exactly(hundredths: int, records: int) -> None:
    """Of n records at most share · n, in whole records and whole numbers: no float decides it."""
    limit = SuppressionLimit.of(f"{hundredths // 100}.{hundredths % 100:02}%")
    assert limit.among(records) == hundredths * records // 10**4
    assert limit == SuppressionLimit.of(f"{hundredths // 10**4}.{hundredths % 10**4:04}")


@given(st.integers(0, 10**17) | st.decimals(0, 1, places=12).map(lambda share: f"{share:.12f}"))
def test_text_says_the_same_limit(said: int | str) -> None:
    """A limit is written so that reading it gives the same limit."""
    limit = SuppressionLimit.of(said)
    assert SuppressionLimit.of(str(limit)) == limit


def test_text_in_print() -> None:
    """Counts as they are, shares in percent."""
    assert [str(SuppressionLimit.of(said)) for said in ("20", "0.05", "2.50%", "100%", "0.00000001")] == [
        "20",
        "5%",
        "2.5%",
        "100%",
        "0.000001%",
    ]


@pytest.mark.parametrize(
    ("records", "share"), [(-1, None), (None, None), (3, Fraction(1, 2)), (None, Fraction(3, 2)), (True, None)]
)
def test_no_limit_is_built_that_is_none(records: int | None, share: Fraction | None) -> None:
    """A limit is a count of at least 0 or a share in 0..1, and never both."""
    with pytest.raises(UsageError):
        SuppressionLimit(records, share)
