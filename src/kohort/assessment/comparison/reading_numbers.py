"""Reads the labels of numbers: which steps of the column does each stand for?

39              this number; also the mean of a class, which no text tells from a number
[20-29]         every step from 20 to 29
[20-30)         every step from 20 to the last one before 30: of whole numbers the same
<16, >=95       to one of these ends of the domain: its bounds, the leaves of its hierarchy, or what was observed
*               the whole domain
{20, 31}        these numbers; one that may also be missing counts as a number
young           the numbers below this node of the hierarchy
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.assessment.comparison.line import Line, Stretches
from kohort.assessment.labels import bound_of, leaves_below, printed_values, span_of
from kohort.schema.hierarchy import SUPPRESSED
from kohort.schema.numbers import exact, is_numeric_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kohort.assessment.comparison.line import Known, Labelled, Places, Stretch
    from kohort.schema.hierarchy import Hierarchy

#: Letters of the longest number that is compared as one: its square, summed, must be a number too.
LONGEST: Final = 100

#: Decimals that floating point can tell.
FINEST: Final = 15

#: The farthest step.
_FARTHEST: Final = 10 ** (LONGEST + FINEST)

#: How near, relatively, a number must be to a step to lie on it.
NEAR: Final = 1e-12


def numbers_line(known: Known, before: Labelled, after: Labelled) -> Line:
    """The line of a column of numbers.

    Raises:
        InputError: labels that cannot be read; the message counts them.
    """
    digits = max(len(text.partition(".")[2]) if "." in text else 0 for text in before.texts)
    digits = min(max(digits, _grid_digits(known)), FINEST)
    places = _places(before.texts, digits)
    if after.texts == before.texts:  # released as they were
        means = Stretches.at(places)
    elif is_plain(text for text in after.texts if text):
        means = Stretches.at(_places(after.texts, digits))
    else:
        means = _Reader(known, digits, _ends(known, places, digits)).read(after.texts)
    return Line(known, before.side(Stretches.at(places)), after.side(means), numeric=True, digits=digits)


def is_plain(texts: Iterable[str]) -> bool:
    """Whether all texts, of which there is one at least, are numbers that can be squared."""
    listed = [*texts]
    return is_numeric_text(listed) and max(map(len, listed)) <= LONGEST


def _grid_digits(known: Known) -> int:
    """Decimals of the cuts of a grid, which can be finer than the values."""
    if known.domain is None:
        return 0
    step = known.domain.step * known.domain.unit
    return len(str(step.denominator)) - 1


def _places(texts: Sequence[str], digits: int) -> Places:
    """Where texts lie that are numbers, in steps; not a number where a text is empty."""
    numbers = np.array([text or "nan" for text in texts], dtype=np.str_).astype(np.float64) * 10.0**digits
    steps = np.rint(numbers)
    return np.where(np.abs(numbers - steps) <= NEAR * np.maximum(np.abs(steps), 1.0), steps, numbers)


def _ends(known: Known, places: Places, digits: int) -> Stretch:
    """The first and the last step of the domain."""
    if known.domain is not None:
        low, high = (Fraction(end) * known.domain.unit for end in known.domain.ends)
        return _up(low, 10**digits), _down(high, 10**digits)
    return float(np.nanmin(places)), float(np.nanmax(places))


def _up(number: Fraction, ten: int) -> float:
    """The first step from a number on, of which `ten` make 1."""
    return _near(-(-number.numerator * ten // number.denominator))


def _down(number: Fraction, ten: int) -> float:
    """The last step up to a number."""
    return _near(number.numerator * ten // number.denominator)


def _near(step: int) -> float:
    """The step; one that nobody measures counts as the farthest whose square is a number."""
    return float(step) if -_FARTHEST < step < _FARTHEST else float(_FARTHEST if step > 0 else -_FARTHEST)


class _Reader:
    """Tells what labels of a release stand for."""

    def __init__(self, known: Known, digits: int, ends: Stretch) -> None:
        """Keep what is known; nodes are listed when one is met."""
        self._known = known
        self._ten = 10**digits
        self._digits = digits
        self._ends = ends
        self._nodes: Mapping[str, list[Stretch]] | None = None

    def read(self, texts: Sequence[str]) -> Stretches:
        """What each stands for."""
        plain = [text if is_plain((text,)) else "" for text in texts]
        places = _places(plain, self._digits)
        meant = [
            [(place, place)] if one else list(self._meant(text)) if text else []
            for one, text, place in zip(plain, texts, places.tolist(), strict=True)
        ]
        unread = sum(bool(text) and not found for text, found in zip(texts, meant, strict=True))
        if unread:
            raise self._known.unreadable(unread, len(texts))
        return Stretches.over(meant)

    def _meant(self, label: str) -> Iterator[Stretch]:
        """The stretches of a label that is no number."""
        if label == SUPPRESSED:
            yield self._ends
        elif span := span_of(label):
            yield self._between(span[0], span[1], closed=span[2])
        elif bound := bound_of(label):
            place, (low, high) = _up(bound[0], self._ten), self._ends
            yield (place, max(high, place)) if bound[1] else (min(low, place - 1), place - 1)
        elif members := printed_values(label):
            yield from self._listed(members)
        else:
            yield from self._below(label)

    def _between(self, low: Fraction, high: Fraction, *, closed: bool) -> Stretch:
        """The steps of a range; the middle of one that holds none."""
        first = _up(low, self._ten)
        last = _down(high, self._ten) if closed else _up(high, self._ten) - 1
        if first > last:
            middle = float((low + high) / 2 * self._ten)
            return middle, middle
        return first, last

    def _listed(self, members: Sequence[str]) -> Iterator[Stretch]:
        """The numbers of a set; none where some member is neither a number nor missing."""
        if all(not one or is_plain((one,)) for one in members):
            places = (float(number * self._ten) for number in sorted({exact(one) for one in members if one}))
            yield from ((place, place) for place in places)

    def _below(self, label: str) -> list[Stretch]:
        """The numbers below a node."""
        if self._nodes is None:
            self._nodes = {} if self._known.hierarchy is None else _nodes(self._known.hierarchy, self._ten)
        return self._nodes.get(label, [])


def _nodes(hierarchy: Hierarchy, ten: int) -> Mapping[str, list[Stretch]]:
    """The numbers below each node, of those that have any; consecutive ones together."""
    numbers = [exact(leaf) * ten if is_plain((leaf,)) else None for leaf in hierarchy.leaves]
    return {
        label: runs(sorted(number for number in numbers[low : high + 1] if number is not None))
        for label, ((low, high), *_) in leaves_below(hierarchy, lowest=1).items()
    }


def runs(numbers: Sequence[Fraction]) -> list[Stretch]:
    """Ascending numbers as stretches: those that follow each other by 1 are one.

    >>> runs([Fraction(1), Fraction(2), Fraction(5, 2), Fraction(7, 2)])
    [(1.0, 2.0), (2.5, 2.5), (3.5, 3.5)]
    """
    found: list[Stretch] = []
    for number in numbers:
        place = float(number)
        if found and place == found[-1][1] + 1 and place.is_integer():
            found[-1] = found[-1][0], place
        else:
            found.append((place, place))
    return found
