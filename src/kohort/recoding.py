"""A recoding: what a release says instead of each quasi-identifying value.

`Recoding` is a closed union; whoever matches on it must consider every kind. Labels are made here and nowhere
else, from the regions that the algorithm gave.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kohort.domain import Domain, decimal, share
from kohort.frequency import group
from kohort.schema import Label, Scale

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kohort.arrays import Codes, Counts, Index, Shares
    from kohort.frequency import FrequencySet

#: What stands for a value of which nothing is told.
ANY = "*"

#: How a missing value is named inside a set or a range; alone it stays an empty cell.
ABSENT = "(missing)"


@dataclass(frozen=True, slots=True, eq=False)
class Multidimensional:
    """Every record goes to one of r regions, boxes in the space of the quasi-identifiers (Mondrian, section 2).

    A tuple usually lies in one region; relaxed partitioning may deal its records to several, so membership is
    kept as m pieces.

    Attributes:
        tuples: (m,) tuple of each piece, ascending; every tuple has at least one piece.
        regions: (m,) region of each piece.
        counts: (m,) records of the tuple that go to the region; they sum to the tuple's count.
        low: (r, d) least code of each region's tuples.
        high: (r, d) greatest code of each region's tuples.
    """

    tuples: Index
    regions: Index
    counts: Counts
    low: Codes
    high: Codes


Recoding: TypeAlias = Multidimensional


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """The released values of one quasi-identifier.

    Attributes:
        texts: (u,) distinct released values; the missing value is "".
        of: (r,) which of them each region has.
        losses: (r,) share of the domain that each region's label may stand for: (M - 1)/(|A| - 1).
    """

    texts: tuple[str, ...]
    of: Index
    losses: Shares


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """Equivalence classes: regions that are released alike are one class.

    Attributes:
        labels: (d,) the released values of each quasi-identifier, by region.
        of: (r,) class of each region.
        first: (c,) a region of each class.
        sizes: (c,) records in each class.
        regions: (r,) records in each region.
    """

    labels: tuple[Labels, ...]
    of: Index
    first: Index
    sizes: Counts
    regions: Counts


def classes_of(recoding: Recoding, frequency: FrequencySet, domains: tuple[Domain, ...]) -> Classes:
    """Label every region and merge those that are released alike.

    Cost: one sort of the regions per attribute; for sets and means also one of the tuples.
    """
    labels = tuple(_labels(recoding, frequency, domain, column) for column, domain in enumerate(domains))
    codes = np.stack([label.of for label in labels], axis=1).astype(np.uint32)
    merged = group(codes)
    regions = np.bincount(recoding.regions, weights=recoding.counts, minlength=len(codes)).astype(np.int64)
    sizes = np.bincount(merged.of, weights=regions).astype(np.int64)
    return Classes(labels, merged.of, merged.first, sizes, regions)


@dataclass(frozen=True, slots=True, eq=False)
class _Members:
    """The distinct codes of one attribute in each region: (q,) region, code, records, ordered by both."""

    regions: Index
    codes: Index
    counts: Counts

    def starts(self) -> Index:
        """(r,) where each region's members begin; no region is empty."""
        return np.flatnonzero(np.diff(self.regions, prepend=-1))


def _members(recoding: Recoding, frequency: FrequencySet, column: int, size: int) -> _Members:
    codes = frequency.quasi[:, column].astype(np.int64)[recoding.tuples]
    cells, of = np.unique(recoding.regions * size + codes, return_inverse=True)
    counts = np.bincount(of, weights=recoding.counts).astype(np.int64)
    return _Members(cells // size, cells % size, counts)


def _labels(recoding: Recoding, frequency: FrequencySet, domain: Domain, column: int) -> Labels:
    """The labels of one attribute, by the kind that its domain asks for."""
    low, high = recoding.low[:, column].astype(np.int64), recoding.high[:, column].astype(np.int64)

    def members() -> _Members:
        return _members(recoding, frequency, column, len(domain))

    match domain.label:
        case Label.RANGE:
            return _by_ends(domain, low, high, _range_text, _range_width)
        case Label.GRID:
            return _by_ends(domain, low, high, _grid_text, _grid_width)
        case Label.ANCESTOR:
            return _ancestors(domain, low, high, members)
        case Label.SET:
            return _sets(domain, members())
        case Label.MEAN:
            return _means(domain, low, high, members())


def _merged(texts: Iterable[str], of: Index, losses: Shares, *, by_region: bool = False) -> Labels:
    """Labels from the text and loss of each kind of region, and the kind of each region; equal texts become one."""
    place: dict[str, int] = {}
    new = np.array([place.setdefault(text, len(place)) for text in texts], dtype=np.int64)
    return Labels(tuple(place), new[of], losses if by_region else losses[of])


# --- ranges and grid intervals ----------------------------------------------------------------------------------------


def _by_ends(
    domain: Domain,
    low: Index,
    high: Index,
    text: Callable[[Domain, int, int], str],
    width: Callable[[Domain, Index, Index], Shares],
) -> Labels:
    """Labels that depend on the least and greatest code alone: made once per distinct pair."""
    pairs, of = np.unique(low * len(domain) + high, return_inverse=True)
    first, last = pairs // len(domain), pairs % len(domain)
    losses = np.where(_hides_gap(domain, first, last), 1.0, share(domain, width(domain, first, last)))
    texts = [text(domain, a, b) for a, b in zip(first.tolist(), last.tolist(), strict=True)]
    return _merged(texts, of, losses)


def _hides_gap(domain: Domain, low: Index, high: Index) -> Index:
    """Where a numeric region holds the missing value and numbers: no range can say so, the label is `*`."""
    gap = domain.scale is Scale.NUMERIC and domain.missing >= 0
    return (low == domain.missing) & (high != domain.missing) if gap else np.zeros(low.shape, np.bool_)


def _range_text(domain: Domain, low: int, high: int) -> str:
    """`[min-max]`, or the value itself.

    Brackets keep spreadsheets from reading 1-5 as a date.
    """
    if low == high:
        return domain.texts[low]
    if domain.scale is Scale.NUMERIC and low == domain.missing:
        return ANY
    return f"[{domain.texts[low] or ABSENT}-{domain.texts[high] or ABSENT}]"


def _range_width(domain: Domain, low: Index, high: Index) -> Shares:
    return (domain.positions[high] - domain.positions[low]).astype(np.float64)


def _grid_text(domain: Domain, low: int, high: int) -> str:
    """`[low-high)`: the union of the cells from `low` to `high`."""
    if low == high:
        return domain.texts[low]
    if low == domain.missing:
        return ANY
    ends = (int(domain.positions[low]) * domain.unit, int(domain.upper[high]) * domain.unit)
    return f"[{decimal(ends[0])}-{decimal(ends[1])})"


def _grid_width(domain: Domain, low: Index, high: Index) -> Shares:
    """From the least to the greatest value that the interval can hold: it does not hold its upper end."""
    first = np.maximum(domain.positions[low], domain.ends[0])
    last = np.minimum(domain.upper[high] - 1, domain.ends[1])
    return np.where(low == domain.missing, 0.0, last - first)


# --- ancestors, sets, means -------------------------------------------------------------------------------------------


def _ancestors(domain: Domain, low: Index, high: Index, members: Callable[[], _Members]) -> Labels:
    """Lowest common ancestor; where codes do not follow the leaves, their ends are looked up."""
    hierarchy = domain.hierarchy
    assert hierarchy is not None  # noqa: S101  the schema refuses ancestor labels without one
    if np.all(np.diff(domain.leaves) > 0):
        first, last = domain.leaves[low], domain.leaves[high]
    else:
        inside = members()
        leaves, starts = domain.leaves[inside.codes], inside.starts()
        first, last = np.minimum.reduceat(leaves, starts), np.maximum.reduceat(leaves, starts)
    pairs, of = np.unique(first * len(hierarchy.leaves) + last, return_inverse=True)
    level, node = hierarchy.ancestor(pairs // len(hierarchy.leaves), pairs % len(hierarchy.leaves))
    texts = [hierarchy.labels[at][which] for at, which in zip(level.tolist(), node.tolist(), strict=True)]
    spans = [hierarchy.spans(at) for at in range(hierarchy.height + 1)]
    widths = np.array([spans[at][1][i] - spans[at][0][i] for at, i in zip(level, node, strict=True)], np.float64)
    return _merged(texts, of, share(domain, widths))


def _sets(domain: Domain, members: _Members) -> Labels:
    """`{a, b}` in text order, or the value itself."""
    starts = members.starts()
    sets = [tuple(part.tolist()) for part in np.split(members.codes, starts[1:])]
    place: dict[tuple[int, ...], int] = {}
    of = np.array([place.setdefault(one, len(place)) for one in sets], dtype=np.int64)
    texts = [set_text([domain.texts[code] for code in codes]) for codes in place]
    widths = np.array([len(codes) - 1 for codes in place], np.float64)
    values = max(len(domain) - 1, 1) if domain.scale is Scale.NUMERIC else domain.extent
    losses = np.minimum(widths / values, 1.0) if values else widths
    return _merged(texts, of, losses)


def set_text(values: Iterable[str]) -> str:
    """A set as text: members in text order, quoted as JSON where they could be misread.

    >>> set_text(["b", "a"]), set_text(["x, y", "z"]), set_text(["alone"])
    ('{a, b}', '{"x, y", z}', 'alone')
    """
    ordered = sorted(values)
    if len(ordered) == 1:
        return ordered[0]
    return "{" + ", ".join(_quoted(value) for value in ordered) + "}"


def _quoted(value: str) -> str:
    if not value:
        return ABSENT
    plain = not set('{},"') & set(value) and value == value.strip() and value != ABSENT
    return value if plain else json.dumps(value, ensure_ascii=False)


def _means(domain: Domain, low: Index, high: Index, members: _Members) -> Labels:
    """The mean of the region's values, to two digits more than the values have."""
    starts = members.starts()
    weighted = domain.positions[members.codes].astype(np.float64) * members.counts
    means = np.add.reduceat(weighted, starts) / np.add.reduceat(members.counts, starts)
    hundredths, of = np.unique(np.round(means * 100).astype(np.int64), return_inverse=True)
    texts = [decimal(Fraction(mean, 100) * domain.unit) for mean in hundredths.tolist()]
    # A region with a missing value has no mean: it is the missing value alone, or nothing is told.
    ends = _by_ends(domain, low, high, _range_text, _range_width)
    alone, hidden = low == high, _hides_gap(domain, low, high)
    of = np.where(alone, len(texts) + low, np.where(hidden, len(texts) + len(domain), of))
    return _merged([*texts, *domain.texts, ANY], of, ends.losses, by_region=True)
