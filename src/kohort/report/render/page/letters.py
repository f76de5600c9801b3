"""How wide letters are, and names broken into lines that fit."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final
from unicodedata import combining, east_asian_width

from kohort.report.sheet import library

if TYPE_CHECKING:
    from collections.abc import Sequence

#: After these a name may go on in the next line.
BREAKS: Final = " _-/,.;|"

#: More letters than these fit nowhere.
LONGEST: Final = 200

#: How much wider bold letters are, at most.
BOLD: Final = 1.12

#: Glyphs are measured at this size.
_EM: Final = 100


@lru_cache(maxsize=1)
def _font() -> Any:  # noqa: ANN401  the type is private to matplotlib
    """The font that pictures are drawn in, our own copy of it; nearly every system's own is narrower."""
    manager = library("matplotlib.font_manager")
    font = library("matplotlib.ft2font").FT2Font(manager.findfont(manager.FontProperties(family="DejaVu Sans")))
    font.set_size(_EM, 72)
    return font


@lru_cache(maxsize=4096)
def _advance(letter: str) -> float:
    """The width of a letter, in sizes of the type; what another font must draw is taken to be a full square."""
    if combining(letter):
        return 0.0
    if east_asian_width(letter) in "WF" or not _font().get_char_index(ord(letter)):
        return 1.0
    return float(_font().load_char(ord(letter)).linearHoriAdvance) / 65536 / _EM


def width(text: str, size: float, *, bold: bool = False) -> float:
    """How wide a line is in a wide font; in any other it fits there too.

    >>> width("mm", 10) == 2 * width("m", 10) < width("mm", 10, bold=True)
    True
    """
    return sum(map(_advance, text)) * size * (BOLD if bold else 1.0)


def folded(text: str, room: float, size: float, lines: int = 2) -> Sequence[str]:
    """A name in at most so many lines; of one that is too long the middle is left out.

    >>> folded("city", 60, 10)
    ['city']
    >>> folded("occupation_of_the_mother", 80, 10)
    ['occupation_of_', 'the_mother']
    >>> folded("occupation_of_the_mother_of_the_patient", 80, 10)
    ['occupation_of_', '…f_the_patient']
    """
    left = text
    most = LONGEST if len(text) > LONGEST else int(lines * room / max(width(text, size), 1) * len(text)) + 1
    for keep in range(min(len(text), most), 0, -1):
        left = text if keep == len(text) else _shortened(text, keep)
        broken = _broken(left, room, size)
        if len(broken) <= lines:
            return broken
    return [left]


def _shortened(text: str, keep: int) -> str:
    """So many letters of a text, of both of its ends."""
    head = (keep + 1) // 2
    return f"{text[:head].rstrip()}…{text[len(text) - (keep - head) :].lstrip()}"


def _broken(text: str, room: float, size: float) -> list[str]:
    """The text in lines that fit, broken after a sign that parts words if there is one."""
    lines: list[str] = []
    while width(text, size) > room and len(text) > 1:
        ends = accumulate(_advance(letter) * size for letter in text)
        fits = max(sum(end <= room for end in ends), 1)
        cut = max((text.rfind(sign, 0, fits) for sign in BREAKS), default=-1) + 1
        cut = cut if cut > fits // 3 else fits
        lines.append(text[:cut].rstrip(" "))
        text = text[cut:].lstrip(" ")
    return [*lines, text]
