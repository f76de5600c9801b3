"""The encoding that a text is likely in, for a message: nothing is ever decoded by a guess."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.io.source import Bytes

#: The encodings that are looked at; of two as likely, the one that is named first.
KNOWN: Final = ("cp1252", "cp1250", "cp1251", "cp1253", "mac_roman", "cp850", "shift_jis", "euc_kr", "gb18030")

#: Bytes before and behind the first one that is not ASCII, by which an encoding is judged.
_BEFORE, _BEHIND = 64, 1 << 16

#: The least score of an encoding that is named: three of four letters fit.
_SURE: Final = 0.5

#: The scripts of letters, by the first word of their names; others are judged alike.
_SCRIPTS: Final = ("LATIN", "CYRILLIC", "GREEK", "CJK", "HIRAGANA", "KATAKANA", "HANGUL")


def likely(data: Bytes, at: int) -> str:
    r"""The encoding in which the bytes from the odd one at `at` look most like words; empty where none does.

    >>> import numpy as np
    >>> text = "name\nPérez\nMüller\n".encode("cp1252")
    >>> likely(np.frombuffer(text, np.uint8), 6)
    'cp1252'
    """
    sample = data[max(at - _BEFORE, 0) : at + _BEHIND].tobytes()
    sample = sample[sample.find(b"\n") + 1 :] if b"\n" in sample[: min(at, _BEFORE)] else sample
    scores = {name: _score(sample, name) for name in KNOWN}
    best = max(KNOWN, key=scores.__getitem__)
    return best if scores[best] > _SURE else ""


def hint(data: Bytes, at: int) -> str:
    """What to do about a byte that is not UTF-8."""
    found = likely(data, at)
    return f"name the encoding: likely --encoding {found}" if found else "name the encoding (--encoding)"


def _score(sample: bytes, encoding: str) -> float:
    """How much the letters beyond ASCII are like letters of words: the share that is, less the share that is not."""
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError as error:
        if len(sample) - error.start > 3:  # noqa: PLR2004  the sample may end within a character
            return -1
        text = sample[: error.start].decode(encoding)
    marks = [*_fits(text)]
    return sum(marks) / len(marks) if marks else 0


def _fits(text: str) -> Iterator[int]:
    """For each character beyond ASCII, 1 if it fits between its neighbours, -1 if it does not."""
    for before, letter, behind in zip(f" {text}", text, f"{text[1:]} ", strict=False):
        if letter.isascii():
            continue
        if not letter.isalpha():
            yield -1
            continue
        script = _script(letter)
        alike = all(_script(one) == script for one in (before, behind) if one.isalpha())
        yield 1 if alike and not (letter.isupper() and before.islower()) else -1


def _script(letter: str) -> str:
    """The script of a letter; of kanji, kana and kindred ones one for all."""
    name = unicodedata.name(letter, "").partition(" ")[0]
    return "CJK" if name in _SCRIPTS[3:] else name
