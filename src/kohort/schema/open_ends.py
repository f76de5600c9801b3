"""Open ends of a scale: labels such as `90+` among numbers, `before 1900` among dates, and values far from the others.

A label of an open end is a value of the scale: it lies one step beyond the exact values, or where it begins. Far values
are those behind a gap. On each side, it is wider than twice the distance from there to the quartile of the other side,
and at most one record in twenty lies behind; a well-known sentinel (999, -1, 9999-12-31) needs an eighth of that, and
may be of any number of records. So a skewed column keeps its scale: its values thin out, but leave no such gap.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from kohort.schema.numbers import LARGEST, PLAIN_NUMBER, exact, is_numeric_text, most_digits, point, times_ten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Counts

#: Texts at most that are labels of open ends: one at each end, in some spellings.
_MOST: Final = 8

#: One exact value in so many may lie in an open end.
FEW: Final = 10

_OVER: Final = "(?:and|or|&) (?:over|above|older|more|up|later|after|greater|higher)|et plus|e oltre|und mehr|und älter"
_UNDER: Final = "(?:and|or|&) (?:under|below|younger|less|fewer|earlier|before|lower)"

#: How open ends are written: a sign or words before a value or behind it; or two values, from one to the other.
_FORMS: Final = {
    ">": ">|over|above|more than|older than|greater than|after",
    ">=": ">=|=>|≥|at least|from|since",
    "<": "<|under|below|less than|younger than|fewer than|before",
    "<=": "<=|=<|≤|up to|at most|until",
}
_UNIT: Final = "(?: ?(?:years?|yrs?))?"


class OpenEnds(NamedTuple):
    """The labels of open ends among the values of a scale.

    Attributes:
        places: For each label the place where it lies, as a plain number's text.
        stop: The number before which the values of the lower end lie; `None` where it is closed.
        start: The number at which the values of the upper end begin; `None` where it is closed.
    """

    places: Mapping[str, str]
    stop: Fraction | None
    start: Fraction | None

    def labels(self, low: str, high: str) -> tuple[str, str]:
        """The label at the lower end and at the upper one, the shortest of several; empty where an end is closed.

        Args:
            low: The least place of the scale, as text.
            high: The greatest.
        """
        ordered = sorted(self.places, key=lambda label: (len(label), label), reverse=True)
        label_of = {self.places[label]: label for label in ordered}
        return label_of.get(low, "") if self.stop is not None else "", label_of.get(high, "")

    def around(self, ends: tuple[Fraction | int, Fraction | int], stop: Fraction, start: Fraction) -> OpenEnds:
        """These, and open ends beyond `stop` and `start` where the `ends` of the numbers lie there."""
        return self._replace(
            stop=max(stop, stop if self.stop is None else self.stop) if ends[0] < stop else self.stop,
            start=min(start, start if self.start is None else self.start) if ends[1] >= start else self.start,
        )


#: Those of a scale that has none.
CLOSED: Final = OpenEnds({}, None, None)

#: The first and the last place that a value of the scale stands for.
_Reading: TypeAlias = tuple[int, int]


def _written(value: str) -> str:
    """The expression of labels of open ends whose values are written so."""
    before = "|".join(f"(?P<f{at}>{words})" for at, words in enumerate(_FORMS.values()))
    after = rf"(?P<over> ?\+| ?plus| (?:{_OVER}))|(?P<under> (?:{_UNDER}))"
    one = rf"(?:(?:{before}) ?)?(?P<low>{value}){_UNIT}(?:{after})?{_UNIT}"
    return rf"{one}|(?P<first>{value})(?: ?[-–] ?| to )(?P<last>{value}){_UNIT}"


_MONTHS: Final = "[0-9]{4}-[0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{4}|[0-9]{4}"
_DAY: Final = rf"[0-9]{{1,4}}[-/.][0-9]{{1,2}}[-/.][0-9]{{1,4}}|{_MONTHS}|[0-9]{{8}}"
_months = re.compile(_MONTHS).fullmatch


@cache
def _pattern(value: str) -> re.Pattern[str]:
    return re.compile(_written(value), re.IGNORECASE)


def _number(text: str) -> re.Match[str] | None:
    return _pattern(PLAIN_NUMBER).fullmatch(text)


def _day(text: str) -> re.Match[str] | None:
    return _pattern(_DAY).fullmatch(text)


def bound_of(label: str) -> tuple[Fraction, bool, bool] | None:
    """The end of numbers that are open on one side, whether it is the lower end, and whether they have that number.

    `None` for any other label.

    >>> bound_of("<16"), bound_of(">=95"), bound_of("95+"), bound_of("16")
    ((Fraction(16, 1), False, False), (Fraction(95, 1), True, True), (Fraction(95, 1), True, True), None)
    """
    found = _number(label)
    form = found and _form(found)
    return (exact(found["low"]), form[0] == ">", form[1:] == "=") if found and form else None


def numbers_in(labels: Sequence[str], values: Sequence[str]) -> tuple[list[str], list[str]] | None:
    """Labels and values with numbers in place of labels of open ends; `None` where these numbers have none.

    >>> numbers_in(["[18-20)", "90+", "*"], ["18", "19", "", "90+"])
    (['[18-20)', '90', '*'], ['18', '19', '', '90'])
    """
    opened = numbers_open(value for value in values if value)
    if not opened or not opened.places:
        return None
    return [opened.places.get(label, label) for label in labels], [opened.places.get(one, one) for one in values]


def is_open_label(text: str) -> bool:
    """Whether a text is written as the label of an open end, of numbers or dates.

    >>> [*map(is_open_label, ("90+", ">89", "85 and over", "before 1900", "90-99", "unknown", "90"))]
    [True, True, True, True, True, False, False]
    """
    return any(found and (_form(found) or found["first"]) for found in (_number(text), _day(text)))


def numbers_open(texts: Iterable[str]) -> OpenEnds | None:
    """The open ends of texts that are numbers but for the labels of these; `None` where others are among them.

    >>> numbers_open(["18", "89", "90+"])
    OpenEnds(places={'90+': '90'}, stop=None, start=Fraction(90, 1))
    >>> numbers_open(["under 18", "18", "19"]).places, numbers_open(["1.5", "2", ">2.0", "> 2"]).places
    ({'under 18': '17'}, {'> 2': '2.1', '>2.0': '2.1'})
    >>> numbers_open(["18", "unknown"]) is None, numbers_open(["88", "90-99", "95"]) is None
    (True, True)
    """
    exact, labels = _parted(texts, lambda text: is_numeric_text((text,)))
    found = {label: _number(label) for label in labels if exact}
    if not exact or any(one is None for one in found.values()):
        return None
    ends = [end for one in found.values() if one for end in one.group("low", "first", "last") if end]
    digits = most_digits([*exact, *ends])
    known = sorted(times_ten(text, digits) for text in exact)
    return _open(found, known, digits, lambda text: (times_ten(text, digits), times_ten(text, digits)))


def days_open(texts: Iterable[str], day_of: Callable[[str], int | None]) -> OpenEnds | None:
    """The same of texts that are dates, as their days; ends may also be whole years or months."""
    exact, labels = _parted(texts, lambda text: day_of(text) is not None)
    found = {label: _day(label) for label in labels if exact}
    if not exact or any(one is None for one in found.values()):
        return None

    def read(text: str) -> _Reading | None:
        if not _months(text):
            day = day_of(text)
            return None if day is None else (day, day)
        year, *months = (int(part) for part in sorted(re.split("[-/.]", text), key=len, reverse=True))
        first, last = months * 2 or (1, 12)
        if not (year and first in range(1, 13)):
            return None
        return date(year, first, 1).toordinal(), date(year, last, monthrange(year, last)[1]).toordinal()

    return _open(found, sorted(day_of(text) or 0 for text in exact), 0, read)


def _parted(texts: Iterable[str], is_exact: Callable[[str], bool]) -> tuple[list[str], list[str]]:
    """The exact values and the others; none of the former where there are too many others."""
    exact, others = list[str](), list[str]()
    for text in texts:
        (exact if is_exact(text) else others).append(text)
        if len(others) > _MOST:
            return [], []
    return exact, others


def _open(
    found: Mapping[str, re.Match[str] | None],
    known: Sequence[int],
    digits: int,
    read: Callable[[str], _Reading | None],
) -> OpenEnds | None:
    """The open ends that labels are of, one at each end of the `known` places; `None` where one is of neither."""
    stops, starts, few = dict[str, int](), dict[str, int](), len(known) // FEW
    for label, one in found.items():
        end = one and _end(one, read)
        if not end:
            return None
        stop, start = end
        if start is not None and start >= known[-1 - few]:
            starts[label] = start
        elif stop is not None and stop <= known[few] + 1:
            stops[label] = stop
        else:
            return None
    if len({*stops.values()}) > 1 or len({*starts.values()}) > 1:
        return None
    stop, start = next(iter(stops.values()), None), next(iter(starts.values()), None)
    least = min(known[0] if stop is None else stop, known[0]) - 1
    most = max(known[-1] + 1, known[-1] if start is None else start)
    places = {label: point(least, digits) for label in sorted(stops)}
    places |= {label: point(most, digits) for label in sorted(starts)}
    ends = (None if end is None else Fraction(end, 10**digits) for end in (stop, start))
    return OpenEnds(places, *ends)


def _end(found: re.Match[str], read: Callable[[str], _Reading | None]) -> tuple[int | None, int | None] | None:
    """Before which place the values of a label lie, and from which on; `None` where it is no open end."""
    values = [read(text) for text in found.group("low", "first", "last") if text]
    low, high = (values[0], values[-1]) if values else (None, None)
    if low is None or high is None:
        return None
    first, after, form = low[0], high[1] + 1, _form(found)
    if not form:
        return (after, first) if first + 1 < after else None
    end = first if form in {">=", "<"} else after
    return (None, end) if form[0] == ">" else (end, None)


def _form(found: re.Match[str]) -> str:
    """The sign of what a label says; empty of two values, from one to the other."""
    before = next((sign for at, sign in enumerate(_FORMS) if found[f"f{at}"]), "")
    return ">=" if found["over"] else "<=" if found["under"] else before


# ── Far values ───────────────────────────────────────────────────────────────────────────────────

#: One record in so many may lie far from the others, unless it has a sentinel; fewer records have no far ones.
FEWEST: Final = 20

#: A gap is so many times as wide as what lies before it; before a sentinel, one over `_NEAR` of that is enough.
_GAP: Final = 2
_NEAR: Final = 4

#: Numbers that stand for none in many programs: nines, -1, and the ends of whole numbers of 32 bits.
_NINES: Final = [10**digits - 1 for digits in range(1, 19)]
SENTINELS: Final = (*(nines for nines in _NINES[1:]), *(-nines for nines in _NINES), -1, 2**31 - 1, -(2**31))

_Numbers: TypeAlias = "NDArray[np.int64] | NDArray[np.float64] | NDArray[np.object_]"

#: Days that stand for none: the first and the last of calendars, machines and databases.
DAYS: Final = tuple(
    date.fromisoformat(day).toordinal()
    for day in (
        *("0001-01-01", "1000-01-01", "1111-11-11", "1600-01-01", "1601-01-01", "1700-01-01", "1753-01-01"),
        *("1800-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1901-01-01", "1970-01-01", "2099-12-31"),
        *("2100-01-01", "2199-12-31", "2999-12-31", "3000-01-01", "9999-01-01", "9999-12-30", "9999-12-31"),
    )
)


def inner(whole: Sequence[int], digits: int, records: Counts, sentinels: Iterable[int]) -> tuple[Fraction, Fraction]:
    """The least and the greatest number that is not far from the others, of ascending multiples of 10^-`digits`."""
    known = [one * 10**digits for one in sentinels if abs(one) * 10**digits < LARGEST]
    small = max(map(abs, (whole[0], whole[-1]))) < LARGEST
    found = whole[near(np.array(whole, np.int64) if small else np.array(whole, np.object_), records, known)]
    return Fraction(found[0], 10**digits), Fraction(found[-1], 10**digits)


def near(numbers: _Numbers, records: Counts, sentinels: Iterable[int]) -> slice:
    """Which of (v,) ascending numbers are not far from the others; all, where these are few or all alike.

    >>> ages = np.append(np.arange(18, 91), [250, 9999])
    >>> [near(ages, np.append(np.full(73, 10), few), SENTINELS).stop for few in ([3, 3], [60, 3], [0, 0])]
    [73, 74, 73]
    >>> near(np.arange(5), np.ones(5, np.int64), ()).stop
    5
    """
    plain = np.flatnonzero(~np.isin(numbers, [*sentinels]))
    kept, until = numbers[plain], np.cumsum(records[plain])
    everything = slice(0, len(numbers))
    if not plain.size or until[-1] < FEWEST or kept[0] == kept[-1]:
        return everything
    first, third = (int(np.searchsorted(until, int(until[-1]) * part / 4)) for part in (1, 3))
    low, high = first - _before_gap(kept[first::-1], -1, kept[third]), third + _before_gap(kept[third:], 1, kept[first])
    far = int(until[-1] - until[high]) + (int(until[low - 1]) if low else 0)
    if kept[first] == kept[third] or FEWEST * far > until[-1]:
        low, high = 0, plain.size - 1
    least, most = kept[low], kept[high]
    if least == most:
        return everything
    wide = numbers - most > (most - kept[first]) // _NEAR, least - numbers > (kept[third] - least) // _NEAR
    return slice(int(np.count_nonzero(wide[1])), len(numbers) - int(np.count_nonzero(wide[0])))


def _before_gap(numbers: _Numbers, sign: int, other: int) -> int:
    """The place before the first gap, of numbers from a quartile outwards; `other` is the other quartile."""
    gaps, reach = sign * np.diff(numbers), sign * (numbers[:-1] - other)
    wide = np.flatnonzero(gaps // _GAP > reach)
    return int(wide[0]) if wide.size else len(numbers) - 1
