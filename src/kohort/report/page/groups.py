"""Subgroups of the records of a table: by the values of one column, or by what the public may know of them.

The public sees one partition of a column and no other, in its distribution and in its subgroups: nodes of a
hierarchy above its leaves, or intervals between round numbers of which the first and the last are open, so that neither
tells the least or the greatest number. Groups of a few are put together until none of their counts is of a few people.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.assessment.comparison.distribution import BINS, distribution
from kohort.assessment.comparison.line import summed
from kohort.assessment.labels import span_of
from kohort.report.page.result import runs
from kohort.schema.domain import decimal, interval

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from kohort.arrays import Counts, Index, Shares
    from kohort.assessment.comparison.distribution import Bin, BinKind
    from kohort.assessment.comparison.line import Line
    from kohort.report.page.audience import Reader
    from kohort.schema.hierarchy import Hierarchy

#: A group that every value has that is in no other.
_MISSING: Final[tuple[str, BinKind]] = ("", "missing")
_OTHERS: Final[tuple[str, BinKind]] = ("", "others")
_NODE: Final[BinKind] = "node"


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """What became of the records with each value of a column.

    Attributes:
        records: (v,) records of the input.
        released: (v,) of these, how many are released.
        loss: (v,) the losses of the released ones, added up; each is the mean of its quasi-identifiers, in `UNITS` of
            `kohort.report.page.subgroups`.
    """

    records: Counts
    released: Counts
    loss: Shares

    def of(self, groups: Index, count: int) -> Tally:
        """The same of groups of values."""
        records, released = (summed(groups, part, count).astype(np.int64) for part in (self.records, self.released))
        return Tally(records, released, summed(groups, self.loss, count))

    @property
    def suppressed(self) -> Counts:
        """Records that are not released."""
        return self.records - self.released


@dataclass(frozen=True, slots=True, eq=False)
class Subgroups:
    """Subgroups of the values of a column.

    Attributes:
        labels: (g,) what each is called; "" of the missing value and of others.
        kinds: (g,) what each is.
        of: (v,) the group of each of the column's values.
        after: (g,) released records expected in each.
    """

    labels: Sequence[str]
    kinds: Sequence[BinKind]
    of: Index
    after: Shares

    def merged(self, of: Sequence[int], labels: Sequence[str], kinds: Sequence[BinKind]) -> Subgroups:
        """Fewer groups, where group g goes to `of[g]`."""
        place = np.array(of, dtype=np.int64)
        return Subgroups(labels, kinds, place[self.of], summed(place, self.after, len(labels)))


def groups_of(line: Line) -> Subgroups:
    """The steward's: each value of names, and of numbers where they are few; else intervals."""
    if line.numeric and line.before.values > BINS:
        return _intervals(line, distribution(line, None))
    kinds: list[BinKind] = ["value" if text else "missing" for text in line.before.texts]
    return Subgroups(line.before.texts, kinds, np.arange(len(kinds)), np.zeros(len(kinds)))


def public_groups(line: Line, tally: Tally, reader: Reader) -> Subgroups | None:
    """The public's; `None` where only values are left, or too few records."""
    if line.numeric:
        bins = distribution(line, None)
        if any(one.kind == "value" for one in bins):
            return None
        return _open_ended(_intervals(line, bins), tally, reader, [one.label for one in bins])
    hierarchy = line.known.hierarchy
    if hierarchy is None or hierarchy.data_dependent or hierarchy.height == 1:
        return None
    return _lumped(_nodes(line, hierarchy), tally, reader)


# ── Numbers ──────────────────────────────────────────────────────────────────────────────────────


def _intervals(line: Line, bins: Sequence[Bin]) -> Subgroups:
    """The bins of a distribution of numbers; the last may be of the missing value."""
    edges = np.array([float(low * 10**line.digits) for low, _ in _ends([one.label for one in bins])])
    places = line.before.means.centres()
    of = np.searchsorted(edges, places, side="right") - 1
    of[np.isnan(places)] = len(edges)
    return Subgroups([one.label for one in bins], [one.kind for one in bins], of, np.array([one.after for one in bins]))


def _ends(labels: Sequence[str]) -> list[tuple[Fraction, Fraction]]:
    """Where each interval begins and ends; the missing value nowhere."""
    spans = [span_of(label) for label in labels if label]
    return [(span[0], span[1]) for span in spans if span is not None]


def _open_ended(groups: Subgroups, tally: Tally, reader: Reader, labels: Sequence[str]) -> Subgroups | None:
    """Neighbouring intervals put together until none is of a few; a few without a value go with nobody."""
    ends = _ends(labels)
    counts = _counts(groups, tally)
    absent = counts[len(ends) :]
    if absent and not reader.tells(*absent[0]):
        return None
    joined = runs(counts[: len(ends)], reader)
    if len(joined) + len(absent) < 2:  # noqa: PLR2004  one part alone tells nothing
        return None
    names = [_between(ends, first, last) for first, last in joined]
    of = [place for place, (first, last) in enumerate(joined) for _ in range(first, last + 1)]
    kinds: list[BinKind] = ["interval" for _ in names]
    if absent:
        of.append(len(names))
        names.append("")
        kinds.append("missing")
    return groups.merged(of, names, kinds)


def _between(ends: Sequence[tuple[Fraction, Fraction]], first: int, last: int) -> str:
    """The label of an interval; open where the numbers end, and `*` where they do at both ends."""
    low, high = ends[first][0], ends[last][1]
    if first == 0:
        return "*" if last == len(ends) - 1 else f"<{decimal(high)}"
    return f">={decimal(low)}" if last == len(ends) - 1 else interval(low, high)


def _counts(groups: Subgroups, tally: Tally) -> list[tuple[float, ...]]:
    """(g,) the counts of each group that must not be of a few people."""
    of = tally.of(groups.of, len(groups.labels))
    columns = (of.records, of.released, of.suppressed, np.round(groups.after, 6))
    return list(zip(*(one.tolist() for one in columns), strict=True))


# ── Names ────────────────────────────────────────────────────────────────────────────────────────


def _nodes(line: Line, hierarchy: Hierarchy) -> Subgroups:
    """The nodes of the lowest level above the leaves that has few; what is no leaf, or named as one, is others."""
    levels = range(1, hierarchy.height)
    level = next((one for one in levels if len(hierarchy.labels[one]) <= BINS), hierarchy.height - 1)
    names = hierarchy.labels[level]
    raw = {*line.places}
    place = np.full(len(line.places), len(names))
    place[: line.leaves] = hierarchy.maps[level]
    named = [bool(name) and name not in raw for name in names]
    place[~np.array([*named, True])[place]] = len(names)
    place[[at for at, name in enumerate(line.places) if not name]] = len(names) + 1
    labels = [*names, _OTHERS[0], _MISSING[0]]
    kinds: list[BinKind] = [_NODE] * len(names)
    kinds.extend((_OTHERS[1], _MISSING[1]))
    after = summed(place, line.expected(line.after), len(labels))
    of = place[line.before.means.centres().astype(np.int64)]
    return Subgroups(labels, kinds, of, after)


def _lumped(groups: Subgroups, tally: Tally, reader: Reader) -> Subgroups | None:
    """Subgroups of a few put with the others; and the smallest ones, until the others are no few either."""
    counts = _counts(groups, tally)
    rest = [at for at, kind in enumerate(groups.kinds) if kind == "others" or not reader.tells(*counts[at])]
    kept = [at for at in range(len(counts)) if at not in rest and any(counts[at])]
    kept.sort(key=lambda at: (counts[at], groups.labels[at]), reverse=True)
    while kept and not reader.tells(*map(sum, zip(*(counts[at] for at in rest), strict=True))):
        rest.append(kept.pop())
    if not [at for at in kept if groups.kinds[at] == "node"]:
        return None
    kept.sort()
    labels = [groups.labels[at] for at in kept]
    kinds: list[BinKind] = [groups.kinds[at] for at in kept]
    of = [kept.index(at) if at in kept else len(kept) for at in range(len(counts))]
    if any(any(counts[at]) for at in rest):
        labels.append(_OTHERS[0])
        kinds.append(_OTHERS[1])
    else:  # what is left has no record: it does not matter where it goes
        of = [min(place, len(kept) - 1) for place in of]
    return groups.merged(of, labels, kinds)
