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
    from collections.abc import Callable, Iterable, Sequence

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


def _codes(recoding: Recoding, frequency: FrequencySet, column: int) -> Index:
    """(m,) the attribute's code of each piece."""
    return frequency.quasi[:, column].astype(np.int64)[recoding.tuples]


def _labels(recoding: Recoding, frequency: FrequencySet, domain: Domain, column: int) -> Labels:
    """The labels of one attribute, by the kind that its domain asks for."""
    low, high = recoding.low[:, column].astype(np.int64), recoding.high[:, column].astype(np.int64)
    match domain.label:
        case Label.RANGE:
            return _by_ends(domain, low, high, _range_texts, _range_width)
        case Label.GRID:
            return _by_ends(domain, low, high, _grid_texts, _grid_width)
        case Label.ANCESTOR if np.all(np.diff(domain.leaves) > 0):
            return _ancestors(domain, domain.leaves[low], domain.leaves[high])
        case Label.ANCESTOR:
            leaves = domain.leaves[_codes(recoding, frequency, column)]
            return _ancestors(domain, *_ends(leaves, recoding.regions))
        case Label.SET:
            return _sets(domain, recoding.regions, _codes(recoding, frequency, column))
        case Label.MEAN:
            places = domain.positions[_codes(recoding, frequency, column)]
            return _means(domain, low, high, _mean(places, recoding.counts, recoding.regions))


def _merged(texts: Sequence[str], of: Index, losses: Shares, *, by_region: bool = False) -> Labels:
    """Labels from the text and loss of each kind of region, and the kind of each region; equal texts become one."""
    place: dict[str, int] = {}
    if not by_region:
        losses = losses[of]
    if len(dict.fromkeys(texts)) == len(texts):
        return Labels(tuple(texts), of, losses)
    new = np.array([place.setdefault(text, len(place)) for text in texts], dtype=np.int64)
    return Labels(tuple(place), new[of], losses)


# --- ranges and grid intervals ----------------------------------------------------------------------------------------


def _by_ends(
    domain: Domain,
    low: Index,
    high: Index,
    name: Callable[[Domain, Iterable[tuple[int, int]]], list[str]],
    width: Callable[[Domain, Index, Index], Shares],
) -> Labels:
    """Labels that depend on the least and greatest code alone: made once per distinct pair."""
    pairs, of = np.unique(low * len(domain) + high, return_inverse=True)
    first, last = pairs // len(domain), pairs % len(domain)
    losses = np.where(_hides_gap(domain, first, last), 1.0, share(domain, width(domain, first, last)))
    texts = name(domain, zip(first.tolist(), last.tolist(), strict=True))
    return _merged(texts, of, losses)


def _hides_gap(domain: Domain, low: Index, high: Index) -> Index:
    """Where a numeric region holds the missing value and numbers: no range can say so, the label is `*`."""
    gap = domain.scale is Scale.NUMERIC and domain.missing >= 0
    return (low == domain.missing) & (high != domain.missing) if gap else np.zeros(low.shape, np.bool_)


def _range_texts(domain: Domain, pairs: Iterable[tuple[int, int]]) -> list[str]:
    """`[min-max]`, or the value itself.

    Brackets keep spreadsheets from reading 1-5 as a date.
    """
    texts = domain.texts
    if domain.missing < 0:
        return [texts[low] if low == high else f"[{texts[low]}-{texts[high]}]" for low, high in pairs]
    return [_gapped_range(domain, low, high) for low, high in pairs]


def _gapped_range(domain: Domain, low: int, high: int) -> str:
    """A range of a domain that holds the missing value."""
    if low == high:
        return domain.texts[low]
    if domain.scale is Scale.NUMERIC and low == domain.missing:
        return ANY
    return f"[{domain.texts[low] or ABSENT}-{domain.texts[high] or ABSENT}]"


def _range_width(domain: Domain, low: Index, high: Index) -> Shares:
    return (domain.positions[high] - domain.positions[low]).astype(np.float64)


def _grid_texts(domain: Domain, pairs: Iterable[tuple[int, int]]) -> list[str]:
    """`[low-high)`: the union of the cells from `low` to `high`."""
    return [_grid_text(domain, low, high) for low, high in pairs]


def _grid_text(domain: Domain, low: int, high: int) -> str:
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


def _ends(places: Index, regions: Index) -> tuple[Index, Index]:
    """(r,) least and greatest place in each region; no region is empty."""
    order = np.argsort(regions)
    starts = np.flatnonzero(np.diff(regions[order], prepend=-1))
    return np.minimum.reduceat(places[order], starts), np.maximum.reduceat(places[order], starts)


def _ancestors(domain: Domain, first: Index, last: Index) -> Labels:
    """Lowest common ancestors of the leaves from `first` to `last`."""
    hierarchy = domain.hierarchy
    assert hierarchy is not None  # noqa: S101  the schema refuses ancestor labels without one
    pairs, of = np.unique(first * len(hierarchy.leaves) + last, return_inverse=True)
    level, node = hierarchy.ancestor(pairs // len(hierarchy.leaves), pairs % len(hierarchy.leaves))
    texts = [hierarchy.labels[at][which] for at, which in zip(level.tolist(), node.tolist(), strict=True)]
    spans = [hierarchy.spans(at) for at in range(hierarchy.height + 1)]
    widths = np.array([spans[at][1][i] - spans[at][0][i] for at, i in zip(level, node, strict=True)], np.float64)
    return _merged(texts, of, share(domain, widths))


def _sets(domain: Domain, regions: Index, codes: Index) -> Labels:
    """`{a, b}` in text order, or the value itself; sets of one size are compared as rows."""
    in_text_order = sorted(range(len(domain)), key=domain.texts.__getitem__)
    place = np.empty(len(domain), np.int64)
    place[in_text_order] = np.arange(len(domain))
    cells = np.sort(regions * len(domain) + place[codes])
    cells = cells[np.diff(cells, prepend=-1) > 0]  # each region's members, in text order
    starts = np.flatnonzero(np.diff(cells // len(domain), prepend=-1))
    sizes = np.diff(starts, append=cells.size)
    members = (cells % len(domain)).astype(np.uint32)
    texts: list[str] = []
    of = np.empty(starts.size, np.int64)
    for size in np.unique(sizes).tolist():
        alike = np.flatnonzero(sizes == size)
        rows = members[starts[alike][:, None] + np.arange(size)]
        distinct = group(rows)
        of[alike] = len(texts) + distinct.of
        texts += [set_text(domain.texts[in_text_order[one]] for one in row) for row in rows[distinct.first].tolist()]
    values = len(domain) - 1 if domain.scale is Scale.NUMERIC else domain.extent
    losses = np.minimum((sizes - 1) / values, 1.0) if values else np.zeros(sizes.size)
    return _merged(texts, of, losses, by_region=True)


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


def _mean(places: Index, counts: Counts, regions: Index) -> Shares:
    """(r,) the mean place of each region's records, summed in one order whatever the order of the pieces."""
    order = np.lexsort((counts, places, regions))
    starts = np.flatnonzero(np.diff(regions[order], prepend=-1))
    sums = np.add.reduceat(places[order].astype(np.float64) * counts[order], starts)
    return sums / np.add.reduceat(counts[order], starts)


def _means(domain: Domain, low: Index, high: Index, means: Shares) -> Labels:
    """The mean of the region's values, to two digits more than the values have."""
    hundredths, of = np.unique(np.round(means * 100).astype(np.int64), return_inverse=True)
    texts = [decimal(Fraction(mean, 100) * domain.unit) for mean in hundredths.tolist()]
    # A region with a missing value has no mean: it is the missing value alone, or nothing is told.
    ends = _by_ends(domain, low, high, _range_texts, _range_width)
    alone, hidden = low == high, _hides_gap(domain, low, high)
    of = np.where(alone, len(texts) + low, np.where(hidden, len(texts) + len(domain), of))
    return _merged([*texts, *domain.texts, ANY], of, ends.losses, by_region=True)
