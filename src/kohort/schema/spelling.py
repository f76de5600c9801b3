"""When two texts are one value to a reader."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

#: Small letters that look like a Latin one, or whose capitals do; in one script no two look like the same, so that
#: different words of it stay different. The Greek mu is none of them: micrograms are no milligrams.
_CYRILLIC: Final = ("авсԁеіјкӏмнорԛѕтѵԝху", "abcdeijklmhopqstvwxy")
_GREEK: Final = ("αβεζηικνορτυχϳ", "abezhiknoptyxj")

#: Beside them: the dotless i of Turkish, whose capital is I; dashes; signs that are typed as an apostrophe.
_OTHERS: Final = ("\u0131\u2010\u2012\u2013\u2014\u2015\u2212\u2018\u2019\u02bc\u2032", "i------''''")

_LATIN: Final = str.maketrans(_CYRILLIC[0] + _GREEK[0] + _OTHERS[0], _CYRILLIC[1] + _GREEK[1] + _OTHERS[1])

#: What shows nothing and is neither a format character nor a control: a joiner, fillers, variation selectors.
_FILLERS: Final = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
_SELECTORS: Final = (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
_INVISIBLE: Final = frozenset((*_FILLERS, *map(chr, _SELECTORS)))

#: The dots of what Turkish İ becomes in small letters: an i has one already.
_second_dot: Final = re.compile("(?<=i)\N{COMBINING DOT ABOVE}+")


def even_spelling(text: str) -> str:
    r"""The text without what a reader does not see: one form for all spellings that look alike.

    In compatibility form (NFKC), without case, with single blanks between words and none around; without what is
    invisible (zero-width and format characters, soft hyphens, writing directions, variation selectors, controls);
    and with Latin letters in place of the Cyrillic and Greek ones that look like them. Accents stay.

    >>> even_spelling("  HIV\N{NO-BREAK SPACE} Positive")
    'hiv positive'
    >>> even_spelling("\N{CYRILLIC CAPITAL LETTER EN}I\N{ZERO WIDTH SPACE}V\N{RIGHT-TO-LEFT MARK}")
    'hiv'
    """
    if text.isascii() and text.isprintable():  # most values are, and nothing else can be wrong with them
        return " ".join(text.lower().split())
    seen = "".join(char for char in text if not _is_invisible(char))
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", seen).casefold())
    return " ".join(unicodedata.normalize("NFC", _second_dot.sub("", folded.translate(_LATIN))).split())


def _is_invisible(char: str) -> bool:
    """Whether it shows nothing, not even a blank."""
    category = unicodedata.category(char)
    return category == "Cf" or (category == "Cc" and not char.isspace()) or char in _INVISIBLE
