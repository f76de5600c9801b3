"""The loss of a release over the bulk of the values, where a few far ones stretch the domain of a column.

LM divides the width of a range by that of the whole domain. One record at 999 among ages makes that ten times as wide,
and every other range ten times as cheap: the exact figure then says little of what happened to the others. Beside it
stands the same figure over the bulk: the domain without values beyond Tukey's outer fences, three interquartile ranges
from the quartiles (Exploratory Data Analysis, 1977), as wide as the values that are left, and of each range what lies
in it. It is told where at most one record in twenty is beyond, and the domain more than twice as wide as the bulk.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import fsum
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.assessment.labels import span_of
from kohort.errors.display import Share  # noqa: TC001  pydantic reads what fields are
from kohort.schema.dates import days_in
from kohort.schema.hierarchy import SUPPRESSED
from kohort.schema.numbers import exact, is_numeric_text, most_digits

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from kohort.arrays import Counts
    from kohort.release.release import Release
    from kohort.schema import Attribute

#: How many interquartile ranges beyond the quartiles the bulk ends: Tukey's outer fences.
FENCE: Final = 3

#: One record in so many may lie beyond.
FEWEST: Final = 20

#: The domain is this many times as wide as the bulk, or more.
STRETCHED: Final = 2


@dataclass(frozen=True, slots=True)
class BulkLoss:
    """The loss of a column over the bulk of its values.

    Attributes:
        loss: The mean share of the bulk that a released value may stand for; 1 for a suppressed record.
        far: Records whose values are not of the bulk.
    """

    loss: Share
    far: int


def bulk_of(numbers: Sequence[Fraction], counts: Counts) -> tuple[Fraction, Fraction, int] | None:
    """The ends of the bulk, and the records beyond; `None` where no few far numbers stretch the range.

    >>> ages = [Fraction(age) for age in (20, 30, 40, 50, 60, 999)]
    >>> bulk_of(ages, np.array([20, 20, 20, 20, 20, 2]))
    (Fraction(20, 1), Fraction(60, 1), 2)
    >>> bulk_of(ages[:5], np.full(5, 20)) is None
    True
    """
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    until = np.cumsum(counts[order])
    if not until.size:
        return None
    records = int(until[-1])
    first, third = (numbers[order[int(np.searchsorted(until, records * part / 4))]] for part in (1, 3))
    near = FENCE * (third - first)
    inside = [at for at in order if first - near <= numbers[at] <= third + near]
    low, high = numbers[inside[0]], numbers[inside[-1]]
    far = records - int(counts[inside].sum())
    whole = numbers[order[-1]] - numbers[order[0]]
    stretched = 0 < FEWEST * far <= records and high > low and whole > STRETCHED * (high - low)
    return (low, high, far) if stretched else None


def bulk_losses(release: Release) -> dict[str, BulkLoss]:
    """The loss over the bulk, of each quasi-identifier whose domain far values stretch; of those released as ranges.

    Cost: a look at each distinct value and label.
    """
    missing = release.job.schema.missing
    found = ((one.name, _of(release, one, missing)) for one in release.job.schema.quasi if release.sizes.size)
    return {name: one for name, one in found if one is not None}


def _of(release: Release, attribute: Attribute, missing: Collection[str]) -> BulkLoss | None:
    if attribute.bounds is not None:
        return None
    before, after = (data.distinct(attribute.name) for data in (release.records.source, release.records.data))
    present = [text if text and text not in missing else "" for text in before.texts.to_list()]
    labels = [text or "" for text in after.texts.to_list()]
    if not is_numeric_text(text for text in present if text):
        days = days_in(labels, present)
        if days is None:
            return None
        labels, present = days
    places = [at for at, text in enumerate(present) if text]
    texts = [present[at] for at in places]
    bulk = bulk_of([exact(text) for text in texts], before.counts[places])
    if bulk is None:
        return None
    least, greatest, far = bulk
    widths = [*_widths(labels, least, greatest, Fraction(1, 10 ** most_digits(texts)))]
    known = [float(width) for width in widths if width is not None]
    if len(known) < len(labels):
        return None
    total = fsum(width * count for width, count in zip(known, after.counts.tolist(), strict=True))
    return BulkLoss((total + release.suppressed) / release.records.source.records, far)


def _widths(labels: Sequence[str], least: Fraction, greatest: Fraction, step: Fraction) -> Iterator[Fraction | None]:
    """The share of the bulk that each label may stand for; `None` of one that is no number and no range."""
    for label in labels:
        span = span_of(label)
        if label == SUPPRESSED:
            yield Fraction(1)
        elif not label or is_numeric_text((label,)):
            yield Fraction(0)
        elif span is None:
            yield None
        else:
            low, high = max(span[0], least), min(span[1] if span[2] else span[1] - step, greatest)
            yield max(high - low, Fraction(0)) / (greatest - least)
