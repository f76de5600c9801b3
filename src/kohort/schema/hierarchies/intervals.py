"""Hierarchies of number ranges, by widths or by cut points.

Every range is half-open, so that each number lies in exactly one range of a level.
"""

from __future__ import annotations

from bisect import bisect_right
from decimal import Context, Decimal, Inexact, InvalidOperation, localcontext
from fractions import Fraction
from functools import partial
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kohort.schema.hierarchy import SUPPRESSED, Hierarchy, fault
from kohort.schema.numbers import decimal, is_numeric_text, most_digits, times_ten
from kohort.schema.open_ends import CLOSED, SENTINELS, inner, numbers_open

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from kohort.schema.open_ends import OpenEnds

#: A number given as a parameter; as text where a float would round it.
Number: TypeAlias = int | float | str

#: The ends of a range: from the first, included, to the second, not included; `None` where it is open.
_Range: TypeAlias = tuple[Decimal | None, Decimal | None]

#: Longest number taken, in characters. Sums of two such numbers fit `_EXACT`, which refuses to round.
_LONGEST = 1000
_EXACT = Context(prec=3 * _LONGEST, traps=[Inexact, InvalidOperation])


def intervals(
    values: Iterable[str],
    widths: Sequence[Number] = (5, 10, 20),
    *,
    low: Number | None = None,
    high: Number | None = None,
    origin: Number | None = None,
    open_ends: bool = False,
    counts: Mapping[str, int] | None = None,
    name: str = "",
) -> Hierarchy:
    """Ranges of one width on each level, then `*`.

    Labels such as `90+` lie in open ranges that begin where those of the level do. So do values far from the others,
    unless a smallest and a largest one are given; see `kohort.schema.open_ends`.

    Args:
        values: Numbers as text; among them perhaps labels of open ends.
        widths: Width of the ranges on levels 1, 2, …; each a multiple of the one before.
        low: Smallest value allowed; with open ends, where the range `<low` ends.
        high: Largest value allowed; with open ends, where the range `>=high` begins.
        origin: A number at which ranges of every level begin; `low` unless given, or 0 without it.
        open_ends: Whether values outside have ranges of their own instead of being an error.
        counts: How many records have each value, by which far ones are found; one each unless given.
        name: The attribute, for messages.

    Raises:
        HierarchyError: values that are no number or out of range, or parameters that make no nested ranges.

    >>> ages = intervals(map(str, range(16, 96)), (5, 10, 20), low=16, high=95)
    >>> ages.labels[1][:3], ages.labels[3]
    (('[16-21)', '[21-26)', '[26-31)'), ('[16-36)', '[36-56)', '[56-76)', '[76-96)'))
    >>> intervals(["7", "18", "42", "101"], [20], low=18, high=90, open_ends=True).labels[1]
    ('<18', '[18-38)', '[38-58)', '>=90')
    >>> intervals(["84", "85", "89", "90+"], [5, 20]).labels[1:3]
    (('[80-85)', '[85-90)', '>=90'), ('>=80',))
    """
    numbers, opened = _numbers(values, name)
    sizes = [_parameter(width, "a width", name) for width in widths]
    least, most, start = (
        None if number is None else _parameter(number, what, name)
        for what, number in (("low", low), ("high", high), ("origin", origin))
    )
    _check_widths(sizes, name)
    _check_ends(least, most, name, open_ends=open_ends)
    if not open_ends:
        _check_inside([_holds(number, least, most) for number in numbers.values()], name)
    zero = next((end for end in (start, least) if end is not None), Decimal(0))
    fixed = (least, most) if open_ends else (None, None)
    if least is None and most is None:
        opened = _with_far(numbers, opened, Fraction(sizes[0]), Fraction(zero), counts)
    with localcontext(_EXACT):
        return _hierarchy(numbers, _levels(sizes, zero, opened, fixed), name)


def _with_far(
    numbers: Mapping[str, Decimal], opened: OpenEnds, width: Fraction, zero: Fraction, counts: Mapping[str, int] | None
) -> OpenEnds:
    """The open ends of labels, and those beyond the ranges of the numbers that are not far from the others."""
    exact = [text for text in numbers if text not in opened.places]
    if not exact:
        return opened
    digits, records = most_digits(exact), [1 if counts is None else counts.get(text, 0) for text in exact]
    found = inner([times_ten(text, digits) for text in exact], digits, np.array(records), SENTINELS)
    low, high = ((end - zero) // width * width + zero for end in found)
    first, *_, last = (*numbers.values(), *numbers.values())
    return opened.around((Fraction(first), Fraction(last)), low, high + width)


def _levels(
    sizes: Sequence[Decimal], zero: Decimal, opened: OpenEnds, fixed: _Range
) -> list[Callable[[Decimal], _Range]]:
    """The ranges of each level, open ends at the nearest end of one; no level where the open ends would meet."""
    stop, start = (None if end is None else Decimal(decimal(end)) for end in (opened.stop, opened.start))
    levels: list[Callable[[Decimal], _Range]] = []
    for size in sizes:
        stop = None if stop is None else -_start(-stop, size, -zero)
        start = None if start is None else _start(start, size, zero)
        if stop is not None and start is not None and stop > start:
            break
        low = max((end for end in (stop, fixed[0]) if end is not None), default=None)
        high = min((end for end in (start, fixed[1]) if end is not None), default=None)
        levels.append(partial(_bin, width=size, origin=zero, ends=(low, high)))
    return levels


def cuts(
    values: Iterable[str],
    levels: Sequence[Sequence[Number]],
    *,
    open_ends: bool = False,
    data_dependent: bool = False,
    name: str = "",
) -> Hierarchy:
    """Ranges between the cut points of each level, then `*`.

    Args:
        values: Numbers as text.
        levels: The cut points of levels 1, 2, …, ascending; each level's among those of the level before.
            The first and the last end the domain.
        open_ends: Whether values before the first and from the last cut on have ranges of their own instead of
            being an error.
        data_dependent: Whether the cuts were chosen by looking at records.
        name: The attribute, for messages.

    Raises:
        HierarchyError: values that are no number or outside the cuts, or cuts that make no nested ranges.

    >>> cuts(["17", "30", "44", "70"], [[0, 18, 40, 65, 120], [0, 65, 120]]).labels[1:]
    (('[0-18)', '[18-40)', '[40-65)', '[65-120)'), ('[0-65)', '[65-120)'), ('*',))
    """
    numbers, _ = _numbers(values, name, may_be_open=False)
    points = [[_parameter(cut, "a cut", name) for cut in level] for level in levels]
    _check_cuts(points, name, fewest=1 if open_ends else 2)
    ranges = [partial(_between, points=level) for level in points]
    if not open_ends:
        _check_inside([None not in ranges[-1](number) for number in numbers.values()], name)
    return _hierarchy(numbers, ranges, name, data_dependent=data_dependent)


def _hierarchy(
    numbers: Mapping[str, Decimal],
    levels: Sequence[Callable[[Decimal], _Range]],
    name: str,
    *,
    data_dependent: bool = False,
) -> Hierarchy:
    """The hierarchy whose level `i + 1` puts a number in the range `levels[i](number)`; numbers ascend."""

    def rows() -> Iterator[tuple[str, ...]]:
        labels: tuple[str, ...] = ()
        stop: Decimal | None = None  # where the lowest level's range ends, and with it the use of the labels
        for text, number in numbers.items():
            if not labels or (stop is not None and number >= stop):
                ranges = [level(number) for level in levels]
                labels, stop = tuple(map(_label, ranges)), ranges[0][1]
            yield text, *labels, SUPPRESSED

    with localcontext(_EXACT):
        return Hierarchy.from_rows(rows(), name=name, data_dependent=data_dependent)


def _bin(number: Decimal, *, width: Decimal, origin: Decimal, ends: _Range) -> _Range:
    """The range of the width that holds the number, ranges beginning at the origin; cut off at the ends."""
    low, high = ends
    if low is not None and number < low:
        return None, low
    if high is not None and number >= high:
        return high, None
    start = _start(number, width, origin)
    stop = start + width
    return (start if low is None else max(start, low)), (stop if high is None else min(stop, high))


def _start(number: Decimal, width: Decimal, origin: Decimal) -> Decimal:
    """Where the range of the width begins that holds the number."""
    above = (number - origin) % width  # has the sign of the dividend
    return number - above - (width if above < 0 else 0)


def _between(number: Decimal, *, points: Sequence[Decimal]) -> _Range:
    at = bisect_right(points, number)
    return (points[at - 1] if at else None), (points[at] if at < len(points) else None)


def _label(ends: _Range) -> str:
    """The range as text: `[20-25)`, `<16` or `>=95`."""
    low, high = (None if end is None else _plain(end) for end in ends)
    if low is None:
        return f"<{high}"
    return f">={low}" if high is None else f"[{low}-{high})"


def _plain(number: Decimal) -> str:
    """The number without exponent, trailing zeros or the sign of a negative zero."""
    return format(number.normalize() + 0, "f")


# ── Checks ───────────────────────────────────────────────────────────────────────────────────────


def _numbers(values: Iterable[str], name: str, *, may_be_open: bool = True) -> tuple[dict[str, Decimal], OpenEnds]:
    """The distinct values and their numbers, ascending; and the open ends, labels of which are at their places."""
    texts = sorted(set(values))
    unreadable = sum(not _is_number(text) for text in texts)
    opened = numbers_open(texts) if unreadable and may_be_open else CLOSED
    if opened is None or unreadable > len(opened.places):
        hint = "declare missing values separately; a number has no leading zero, exponent or blank"
        raise fault(f"{unreadable:,} of {len(texts):,} values are not plain decimal numbers", name, hint=hint)
    numbers = {text: Decimal(opened.places.get(text, text)) for text in texts}
    return dict(sorted(numbers.items(), key=itemgetter(1))), opened  # stable: texts of one number stay in their order


def _is_number(text: str) -> bool:
    """Whether the text is a plain decimal number of bearable length."""
    return len(text) <= _LONGEST and is_numeric_text((text,))


def _parameter(number: Number, what: str, name: str) -> Decimal:
    """The parameter as an exact number; refuses NaN, infinity and what Python writes with an exponent."""
    text = str(number)
    if not _is_number(text):
        raise fault(f"{what} is not a plain decimal number", name, hint="write the number as text, such as '0.00001'")
    return Decimal(text)


def _check_widths(widths: Sequence[Decimal], name: str) -> None:
    if not widths or min(widths) <= 0:
        raise fault("widths must be one or more numbers above zero", name)
    with localcontext(_EXACT):
        if any(wide <= narrow or wide % narrow for narrow, wide in pairwise(widths)):
            raise fault("each width must be a larger multiple of the width before it", name, hint="such as 5, 10, 20")


def _check_ends(low: Decimal | None, high: Decimal | None, name: str, *, open_ends: bool) -> None:
    """Refuse ends that leave no range between them, and open ends that are not said to begin anywhere."""
    if low is not None and high is not None and low >= high:
        raise fault("low must be below high", name)
    if open_ends and low is None and high is None:
        raise fault("open ends begin at low or high, and neither is given", name)


def _check_cuts(levels: Sequence[Sequence[Decimal]], name: str, *, fewest: int) -> None:
    """Refuse cut points that make no ranges, overlapping ones or ones that do not nest."""
    if not levels or min(map(len, levels)) < fewest:
        raise fault(f"each level needs {fewest} cut points or more", name)
    for level, points in enumerate(levels, start=1):
        if any(low >= high for low, high in pairwise(points)):
            raise fault("cut points must ascend: ranges overlap", name, level)
        if extra := len(set(points) - set(levels[max(level - 2, 0)])):
            hint = "a level may only leave out cuts of the level before it"
            raise fault(f"{extra} cut points are not in level {level - 1}", name, level, hint=hint)


def _holds(number: Decimal, low: Decimal | None, high: Decimal | None) -> bool:
    return (low is None or number >= low) and (high is None or number <= high)


def _check_inside(inside: Sequence[bool], name: str) -> None:
    """Refuse values out of range, saying how many they are."""
    if outside := len(inside) - sum(inside):
        hint = "correct the values or the range, or ask for open ends"
        raise fault(f"{outside:,} of {len(inside):,} values lie outside the range", name, hint=hint)
