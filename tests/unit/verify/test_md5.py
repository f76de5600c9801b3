"""Halves of digests are those of the standard library."""

from __future__ import annotations

from hashlib import md5

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from kohort.verify.aggregates import first_halves

#: Lengths about which a block more is needed.
EDGES = [0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 121, 128, 1000]


@given(texts=st.lists(st.text(max_size=140), max_size=20))
def test_halves_are_those_of_hashlib(texts: list[str]) -> None:
    """Of any texts, and of all lengths at which the padding takes another form."""
    texts += ["a" * length for length in EDGES] + ["\u00e9\U0001f600" * 11]
    expected = [int(md5(text.encode(), usedforsecurity=False).hexdigest()[:16], 16) for text in texts]
    assert first_halves(pl.Series(texts)).tolist() == expected


def test_no_text_has_no_half() -> None:
    """And the answer has no record."""
    assert first_halves(pl.Series([], dtype=pl.String)).size == 0
