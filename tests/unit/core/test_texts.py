"""Texts kept joined, and in halves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.core import texts
from kohort.core.recoding import set_text
from kohort.core.texts import Halves, Joined, Sets


@given(st.lists(st.text(), max_size=30))
def test_texts_are_those_that_were_given(given_texts: list[str]) -> None:
    """In their order, one by one, by place and some at a time; whatever they say, also nothing."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(texts, "BLOCK", 4)
        kept = Joined(iter(given_texts))
        assert [kept[place] for place in range(len(kept))] == list(kept) == given_texts
        assert [len(part) for part in kept.parts()] == [len(given_texts[at : at + 4]) for at in range(0, len(kept), 4)]


def test_texts_are_equal_by_what_they_say() -> None:
    """To others, and to sequences of Python; a set holds them once."""
    assert Joined(["a", ""]) == Joined(["a", ""]) == ("a", "")
    assert Joined(["a"]) != ["b"]
    assert Joined(["a"]) != "a"
    assert len({Joined(["a"]), Joined(["a"]), Joined()}) == 2


HALVES = st.lists(st.text(), min_size=1, max_size=4)


@given(st.data(), HALVES, HALVES)
def test_halves_are_put_together(data: st.DataObject, first: list[str], second: list[str]) -> None:
    """In their order, one by one, by place and some at a time, as texts that are kept joined."""
    places = st.tuples(st.integers(0, len(first) - 1), st.integers(0, len(second) - 1))
    of = data.draw(st.lists(places, max_size=9))
    whole = [first[a] + second[b] for a, b in of]
    kept = Halves(first, second, *np.array(of, np.int64).reshape(-1, 2).T)
    assert [kept[place] for place in range(len(kept))] == list(kept) == whole
    assert kept == Joined(whole)
    assert hash(kept) == hash(Joined(whole))


@given(st.lists(st.sets(st.sampled_from(["a", "b", "c, d", "é", ""]), min_size=1), max_size=9))
def test_sets_are_written_by_their_members(sets: list[set[str]]) -> None:
    """One by one, by place and some at a time, as a set that is written alone; in the order of their sizes."""
    names = ["", "a", "b", "c, d", "é"]
    ordered = sorted(sets, key=len)
    codes = [[names.index(name) for name in sorted(one)] for one in ordered]
    sizes = sorted({*map(len, codes)})
    members = [np.array([one for one in codes if len(one) == size]) for size in sizes]
    quoted = ["(missing)", "a", "b", '"c, d"', "é"]
    kept = Sets(names, quoted, members)
    assert [kept[place] for place in range(len(kept))] == list(kept) == [set_text(one) for one in ordered]
    with pytest.raises(IndexError):
        kept[len(kept)]
