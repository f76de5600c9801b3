"""Laws of what counts as one text."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from string import ascii_lowercase
from typing import TYPE_CHECKING, Literal

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.schema.hierarchies.spelling import even_spelling
from kohort.tables.texts import UNEVEN_NUMBER, even_keys, evened

if TYPE_CHECKING:
    from collections.abc import Callable

#: Any text, and such that marks, dots and letters of several scripts meet in it.
texts = st.text() | st.text(
    "aiIbc\u0130\u0131\u0430\u0456\u03b1\u0345 \u0307\u0323\u0301\u034f\u200b\u1e9e\u017f\uff21"
)
words = st.text(ascii_lowercase, min_size=1)
invisible = st.sampled_from(
    "\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2066\u2069\u00ad\u034f\u180b\ufe0f\ufeff\u3164\x00"
)

FORMS: list[Literal["NFC", "NFD", "NFKC", "NFKD"]] = ["NFC", "NFD", "NFKC", "NFKD"]

#: Of each Latin letter, the Cyrillic and Greek letters that look like it, small or as capitals.
ALIKE = {
    "a": "\u0430\u03b1", "b": "\u0432\u03b2", "c": "\u0441", "e": "\u0435\u03b5", "h": "\u043d\u03b7",
    "i": "\u0456\u03b9", "j": "\u0458", "k": "\u043a\u03ba", "m": "\u043c", "n": "\u03bd", "o": "\u043e\u03bf",
    "p": "\u0440\u03c1", "s": "\u0455", "t": "\u0442\u03c4", "x": "\u0445\u03c7", "y": "\u0443\u03c5", "z": "\u03b6",
}  # fmt: skip


@given(texts)
def test_idempotent(text: str) -> None:
    """What is even stays as it is."""
    even = even_spelling(text)
    assert even_spelling(even) == even


@given(texts, st.sampled_from(FORMS))
def test_normal_forms(text: str, form: Literal["NFC", "NFD", "NFKC", "NFKD"]) -> None:
    """The forms of Unicode are one spelling."""
    assert even_spelling(unicodedata.normalize(form, text)) == even_spelling(text)


@given(texts, st.data())
def test_invisible_characters(text: str, data: st.DataObject) -> None:
    """A character that shows nothing changes nothing, wherever it stands."""
    at = data.draw(st.integers(0, len(text)))
    assert even_spelling(text[:at] + data.draw(invisible) + text[at:]) == even_spelling(text)


@given(words, st.data())
def test_letters_that_look_alike(word: str, data: st.DataObject) -> None:
    """A word with letters of other scripts that look like its own, in either case or full width, is the same word."""
    swapped = [data.draw(st.sampled_from(char + ALIKE.get(char, "") + chr(ord(char) + 0xFEE0))) for char in word]
    cased = [data.draw(st.sampled_from((char, char.upper()))) for char in swapped]
    assert even_spelling("".join(cased)) == word


@given(st.text(st.characters(max_codepoint=0x24F)), st.sampled_from([str.upper, str.lower, str.swapcase]))
def test_case(text: str, change: Callable[[str], str]) -> None:
    """Case is no difference between texts of Latin letters."""
    assert even_spelling(change(text)) == even_spelling(text)


@given(st.text([chr(code) for code in range(0x20, 0x7F)]))
def test_plain_text(text: str) -> None:
    """Of plain text only case and blanks are evened: words that differ otherwise stay different."""
    assert even_spelling(text) == " ".join(text.lower().split())


#: What labels of numbers and dates consist of, besides the digits.
ENDS = st.decimals(-10, 10, places=1).map(str) | st.dates().map(str)
SPANS = st.builds("[{} – {}]".format, ENDS, ENDS) | st.builds("[{}-{})".format, ENDS, ENDS)
SETS = st.lists(ENDS, min_size=2, max_size=3).map(lambda members: f"{{{', '.join(members)}}}")
LABELS = ENDS | SPANS | SETS | st.sampled_from(["*", ""])


@given(LABELS, LABELS)
def test_labels_of_numbers(label: str, other: str) -> None:
    """Labels of numbers and dates that differ stay different: the verifier need not even them out."""
    assert (even_spelling(label) == even_spelling(other)) == (label == other)


CYRILLIC = [*map(chr, range(0x430, 0x450)), "\u0456", "\u0458", "\u0455"]
GREEK = [chr(code) for code in range(0x3B1, 0x3CA) if code != 0x3C2]


@pytest.mark.parametrize("script", [CYRILLIC, GREEK], ids=["Cyrillic", "Greek"])
def test_words_of_another_script(script: list[str]) -> None:
    """No two letters of one script become alike, so that its different words stay different."""
    assert len({even_spelling(letter) for letter in script}) == len(script)


#: Keys of people: any text, and such that look much like numbers.
keys = texts | st.text("+-.0123x ", max_size=8)


def naive_key(text: str) -> object:
    """The key as a reader takes it: a number by what it is, all else by how it looks."""
    even = even_spelling(text)
    return Fraction(even) if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)", even) else even


@given(st.lists(keys, min_size=1, max_size=12))
def test_keys_are_alike_if_they_are_one_to_a_reader(found: list[str]) -> None:
    """Equal numbers are one key, and so are texts that look alike, whatever other keys there are."""
    even = even_keys(pl.Series(found, dtype=pl.String)).to_list()
    for one, key in zip(found, even, strict=True):
        assert [key == other for other in even] == [naive_key(one) == naive_key(other) for other in found]


@given(st.lists(keys, unique=True, max_size=12))
def test_columns_without_like_keys_are_left_alone(found: list[str]) -> None:
    """Where no two of the different keys are alike nothing is made, else each key as it would be alone."""
    values = pl.Series(found, dtype=pl.String)
    expected, even = even_keys(values).to_list(), evened(values, numbers=True)
    if len({*expected}) == len(expected):
        assert even is None
    else:
        assert even is not None
        assert [naive_key(one) for one in even.to_list()] == [naive_key(one) for one in expected]


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-999, max_value=999), st.integers(0, 3))
def test_zeros_and_signs_that_say_nothing(number: object, zeros: int) -> None:
    """A number is the same key with zeros before it or behind its decimals, and with a plus sign."""
    text = str(number)
    sign, bare = ("-", text[1:]) if text.startswith("-") else ("", text)
    others = [text, f"{sign}{'0' * zeros}{bare}", f"{text}{'0' * zeros}", *([] if sign else [f"+{text}"])]
    assert even_keys(pl.Series(others)).n_unique() == 1


@pytest.mark.parametrize("text", ["1" * 9000 + ".", "0" * 9000, "-" * 9000, "0." * 4500, "+" + "0" * 9000 + "x"])
def test_long_keys_are_read_in_one_pass(text: str) -> None:
    """The expression of uneven numbers is one that no text keeps busy, here and in Python."""
    assert even_keys(pl.Series([text])).len() == 1
    assert re.compile(UNEVEN_NUMBER).match(text) is None or not text.startswith("--")
