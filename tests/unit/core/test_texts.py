"""Texts kept joined."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.core import texts
from kohort.core.texts import Texts


@given(st.lists(st.text(), max_size=30))
def test_texts_are_those_that_were_given(given_texts: list[str]) -> None:
    """In their order, one by one, by place and some at a time; whatever they say, also nothing."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(texts, "BLOCK", 4)
        kept = Texts(iter(given_texts))
        assert [kept[place] for place in range(len(kept))] == list(kept) == given_texts
        assert [len(part) for part in kept.parts()] == [len(given_texts[at : at + 4]) for at in range(0, len(kept), 4)]


def test_texts_are_equal_by_what_they_say() -> None:
    """To others, and to sequences of Python; a set holds them once."""
    assert Texts(["a", ""]) == Texts(["a", ""]) == ("a", "")
    assert Texts(["a"]) != ["b"]
    assert Texts(["a"]) != "a"
    assert len({Texts(["a"]), Texts(["a"]), Texts()}) == 2
