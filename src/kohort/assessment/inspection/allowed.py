"""What HIPAA Safe Harbor lets stay of dates, ages and ZIP codes: years, ages to 89, and three digits of some areas.

45 CFR 164.514(b)(2)(i)(B) and (C). A label that can be read in several ways is allowed if it is in each of them; one
that cannot be read is not.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Final

from kohort.assessment.inspection.safe_harbor import OLDEST
from kohort.assessment.labels import span_of
from kohort.schema.dates import DASH, LAST, read_days
from kohort.schema.hierarchy import SUPPRESSED
from kohort.schema.numbers import is_numeric_text
from kohort.schema.open_ends import bound_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.schema.vocabulary.kinds import Kind

#: The first three digits of ZIP codes that cover 20,000 people or fewer by the census of 2000, as the guidance of the
#: Department of Health and Human Services lists them (2012); these must become 000.
RESTRICTED: Final = frozenset(
    (
        "036",
        "059",
        "063",
        "102",
        "203",
        "556",
        "692",
        "790",
        "821",
        "823",
        "830",
        "831",
        "878",
        "879",
        "884",
        "890",
        "893",
    )
)

#: The last year that has four digits.
_LAST_YEAR: Final = 9999

_year = re.compile(r"[0-9]{4}|[0-9]{3}0s").fullmatch
_zip = re.compile(r"([0-9]{3})\*{1,2}(?:\*{4}|-\*{4})?|[0-9]{0,2}(?:\[[0-9]-[0-9]\])?\*+").fullmatch


def years_alone(labels: Sequence[str]) -> bool:
    """Whether labels of dates tell no more than years.

    >>> years_alone(["1984", "1980s", "[1984-01-01 – 1985-12-31]", "[1984-01-01 – 1985-01-01)", "[1984-1989]", "*"])
    True
    >>> years_alone(["1984-03"]), years_alone(["[1984-03-01 – 1985-03-01)"]), years_alone(["{1984-01-01, 1985-01-01}"])
    (False, False, False)
    """
    return all(_is_of_years(label) for label in labels)


def _is_of_years(label: str) -> bool:
    if label in {"", SUPPRESSED} or _year(label):
        return True
    days = span_of(read_days(label))
    if days is None:
        return False
    if DASH not in label:
        return days[1] <= _LAST_YEAR
    ends = int(days[0]), int(days[1]) + days[2]
    return all(end > LAST or date.fromordinal(end).timetuple().tm_yday == 1 for end in ends)


def one_old_age(labels: Sequence[str]) -> bool:
    """Whether labels of ages tell nothing of those over 89 but that they are: one label at most reaches over 89.

    It must begin at 90 or below.

    >>> one_old_age(["[80-89]", "[90-120]"]), one_old_age(["34", ">=85"]), one_old_age(["[85-104]", "*"])
    (True, True, True)
    >>> one_old_age(["[90-94]", "[95-99]"]), one_old_age(["93"]), one_old_age(["{90, 97}"])
    (False, False, False)
    """
    over = [label for label in labels if label not in {"", SUPPRESSED} and not _is_below(label)]
    return not over or (len(over) == 1 and _begins_below(over[0]))


def _is_below(label: str) -> bool:
    """Whether all ages of a label are at most 89."""
    if is_numeric_text((label,)):
        return float(label) < OLDEST + 1
    if span := span_of(label):
        return span[1] < OLDEST + 1 or (span[1] == OLDEST + 1 and not span[2])
    bound = bound_of(label)
    return bound is not None and not bound[1] and bound[0] <= OLDEST + (not bound[2])


def _begins_below(label: str) -> bool:
    """Whether a label that reaches over 89 is a category that begins at 90 or below; 90 alone is one."""
    span, bound = span_of(label), bound_of(label)
    if span is not None:
        return span[0] <= OLDEST + 1 and span[0] < span[1]
    if bound is not None:
        return bound[1] and bound[0] <= OLDEST + 1
    return is_numeric_text((label,)) and float(label) == OLDEST + 1


def three_digits(labels: Sequence[str]) -> bool:
    """Whether labels of ZIP codes show three digits at most, and none of an area of few people.

    >>> three_digits(["021**", "02139"]), three_digits(["021**", "*", "9****"]), three_digits(["036**"])
    (False, True, False)
    >>> three_digits(["021*", "02[0-4]*"]), three_digits(["036*"]), three_digits(["021[0-4]*"])
    (True, False, False)
    """
    return all(_is_wide(label) for label in labels)


def _is_wide(label: str) -> bool:
    if label in {"", SUPPRESSED}:
        return True
    found = _zip(label)
    return found is not None and found[1] not in RESTRICTED


#: What may stay, by the kind of what a column holds.
ALLOWED: Final[Mapping[Kind, Callable[[Sequence[str]], bool]]] = {
    "date": years_alone,
    "birthday": years_alone,
    "month": years_alone,
    "age": one_old_age,
    "postal code": three_digits,
}
