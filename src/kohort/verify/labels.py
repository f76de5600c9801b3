"""What a released label may stand for: the verifier's own reading of the label grammar.

    39              the value itself; a label that is empty is the missing value
    [20-29]         20 to 29, both included: numbers, or names in the attribute's order
    [20-25)         20 to 25, which is not included: an interval of the public grid
    {a, "b, c"}     one of these; names that could be misread stand in quotes, as in JSON
    South           any leaf below this node of the hierarchy
    37.25           where the schema asks for means: any number, and their mean is 37.25
    *               anything

A label that none of these readings explains, to the letter, is one that the schema cannot produce.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from kohort.schema import Label
from kohort.verify.columns import places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from kohort.arrays import Index, Mask
    from kohort.hierarchy import Hierarchy
    from kohort.verify.values import Values

#: Anything at all.
ANY: Final = "*"

#: The missing value as a member of a set or an end of a range.
ABSENT: Final = "(missing)"

#: A mean has so many digits more than the values.
MEAN_DIGITS: Final = 2

_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"
_CLOSED: Final = rf"^\[({_NUMBER})-({_NUMBER})\]$"
_half_open = re.compile(rf"\[({_NUMBER})-({_NUMBER})\)").fullmatch
_mean = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.([0-9]*[1-9]))?").fullmatch

_MEMBER = r'"(?:[^"\\]|\\.)*"|[^{},"]+'
_set = re.compile(rf"\{{(?:{_MEMBER})(?:, (?:{_MEMBER}))+\}}").fullmatch
_members = re.compile(rf"(?:^\{{|, )({_MEMBER})").findall


#: The least and the greatest rank of an empty span.
_NOTHING: Final = (1, 0)


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """What the labels of one column stand for: a span of ranks, some listed values, or either.

    Attributes:
        values: The source's values.
        low: (L,) least rank inside each label's span.
        high: (L,) greatest rank inside it; below `low` where the label has no span.
        listed: (p,) pairs of a value and a label that names it, as value * L + label, ascending.
    """

    values: Values
    low: Index
    high: Index
    listed: Index

    @property
    def known(self) -> Mask:
        """(L,) which labels the schema can produce."""
        known = self.low <= self.high
        known[self.listed % self.low.size] = True
        return known

    @property
    def ranges(self) -> Mask:
        """(L,) which labels print the least and the greatest number of their class."""
        is_range = self.values.numeric and self.values.label is Label.RANGE
        return (self.low < self.high) & (self.low >= 0) & is_range

    @property
    def data_dependent(self) -> bool:
        """Whether labels were chosen by looking at records."""
        hierarchy = self.values.hierarchy
        built = hierarchy is not None and hierarchy.data_dependent
        return built or bool(self.ranges.any()) or self.values.label is Label.MEAN

    def holds(self, pairs: Index) -> Mask:
        """(q,) for pairs of a value and a label, written as in `listed`, whether the value lies inside the label."""
        value, label = np.divmod(pairs, self.low.size)
        rank = self.values.ranks[value]
        spanned = (self.low[label] <= rank) & (rank <= self.high[label])
        return (spanned | np.isin(pairs, self.listed)) & self.values.released[value]


def meaning_of(values: Values, labels: pl.Series) -> Meaning:
    """What each of `labels`, which are distinct, stands for where the source's values are `values`.

    Cost: numeric ranges in a few passes of polars; other labels in a few steps of Python each.
    """
    low, high = _spans(values, labels)
    at = {text or "": place for place, text in enumerate(labels.to_list())}
    if ANY in at:
        low[at[ANY]], high[at[ANY]] = -1, len(values.names)
    listed = {value * len(labels) + label for value, label in _listed(values, at)}
    return Meaning(values, low, high, np.array(sorted(listed), dtype=np.int64))


def off_grid(values: Values, labels: Iterable[str | None]) -> int:
    """How many of the labels are intervals with an end that is no cut of the grid."""
    intervals = (_half_open(text or "") for text in labels)
    ends = [found.groups() for found in intervals if found]
    cuts = {end: _is_cut(end, values) for pair in ends for end in pair}
    return sum(not (cuts[low] and cuts[high]) for low, high in ends)


# ── Spans ────────────────────────────────────────────────────────────────────────────────────────


def _spans(values: Values, labels: pl.Series) -> tuple[Index, Index]:
    """The least and the greatest rank inside each label."""
    match values.label:
        case Label.RANGE if values.numeric:
            return _number_ranges(values, labels)
        case Label.RANGE:
            read = _name_range(values)
        case Label.MEAN:
            read = _any_number(values)
        case Label.GRID:
            read = _interval(values)
        case Label.SET | Label.ANCESTOR:
            return np.ones(len(labels), np.int64), np.zeros(len(labels), np.int64)
    low, high = np.array([read(text or "") for text in labels.to_list()], dtype=np.int64).reshape(-1, 2).T
    return low, high


def _number_ranges(values: Values, labels: pl.Series) -> tuple[Index, Index]:
    """`[min-max]`: both ends are printed values, and they differ."""
    names = pl.Series(values.names, dtype=pl.String)
    low, high = (places(labels.str.extract(_CLOSED, group), names) for group in (1, 2))
    known = (low >= 0) & (low < high)
    return np.where(known, low, _NOTHING[0]), np.where(known, high, _NOTHING[1])


def _name_range(values: Values) -> Callable[[str], tuple[int, int]]:
    """`[first-last]` in the attribute's order; where names hold hyphens, the widest of the ways to read it."""
    rank = {name or ABSENT: place for place, name in enumerate(values.names)}

    def read(text: str) -> tuple[int, int]:
        inside = text[1:-1]
        hyphens = [place for place, letter in enumerate(inside) if letter == "-"] if text == f"[{inside}]" else []
        ways = [(rank.get(inside[:at], -1), rank.get(inside[at + 1 :], -1)) for at in hyphens]
        spans = [(low, high) for low, high in ways if 0 <= low < high]
        return (min(low for low, _ in spans), max(high for _, high in spans)) if spans else _NOTHING

    return read


def _any_number(values: Values) -> Callable[[str], tuple[int, int]]:
    """A mean, to two digits more than the values have, without closing zeros; or a printed value."""
    names = set(values.names)

    def read(text: str) -> tuple[int, int]:
        found = _mean(text)
        is_mean = found is not None and len(found[1] or "") <= values.decimals + MEAN_DIGITS
        return (0, len(names) - 1) if is_mean or text in names else _NOTHING

    return read


def _interval(values: Values) -> Callable[[str], tuple[int, int]]:
    """`[low-high)`, with at least one of the source's numbers inside."""

    def read(text: str) -> tuple[int, int]:
        found = _half_open(text)
        if not found:
            return _NOTHING
        low, high = (bisect_left(values.numbers, Fraction(end) / values.unit) for end in found.groups())
        return (low, high - 1) if low < high else _NOTHING

    return read


def _is_cut(end: str, values: Values) -> bool:
    """Whether a printed end is a cut of the attribute's grid, spelled as such."""
    grid, number = values.attribute.grid, Fraction(end)
    if isinstance(grid, Fraction):
        nearest = round(number / grid) * grid
    else:
        cuts = grid if isinstance(grid, tuple) else _boundaries(values.hierarchy)
        nearest = min(cuts, key=lambda cut: abs(cut - number))
    return _printed(nearest) == end


def _boundaries(hierarchy: Hierarchy | None) -> tuple[Fraction, ...]:
    """Where the nodes above the leaves begin, and the end of the last: one above the greatest leaf."""
    if hierarchy is None:
        return (Fraction(0),)
    leaves = [Fraction(leaf) for leaf in hierarchy.leaves]
    firsts: list[int] = hierarchy.spans(1)[0].tolist()
    return (*(leaves[first] for first in firsts), max(leaves) + 1)


def _printed(number: Fraction) -> str:
    """A cut as text: its decimals where they end within 17 digits, else 17 significant ones."""
    for digits in range(18):
        scaled = number * 10**digits
        if scaled.denominator == 1:
            return f"{Decimal(scaled.numerator).scaleb(-digits):f}"
    return f"{float(number):.17g}"


# ── Listed values ────────────────────────────────────────────────────────────────────────────────


def _listed(values: Values, at: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    """Pairs of a value and a label that names it: as itself, as a member of a set, or by an ancestor."""
    alone = values.label in {Label.RANGE, Label.SET}
    holders = _sets(at if values.label is Label.SET else {})
    for value, (text, absent) in enumerate(zip(values.printed, values.absent.tolist(), strict=True)):
        if text in at and (alone or absent):
            yield value, at[text]
        yield from ((value, label) for label in holders.get(text, ()))
    if values.hierarchy is not None:
        yield from _ancestors(values, values.hierarchy, at)


def _sets(at: Mapping[str, int]) -> Mapping[str, Sequence[int]]:
    """The sets that hold each member; only those that are spelled as a set is printed."""
    holders: dict[str, list[int]] = {}
    for label, place in at.items():
        members = _parted(label)
        if len(members) > 1 and label == "{" + ", ".join(map(_quoted, sorted(set(members)))) + "}":
            for member in members:
                holders.setdefault(member, []).append(place)
    return holders


def _parted(label: str) -> list[str]:
    """The members of a set; none where it cannot be read as one."""
    if not _set(label):
        return []
    written: list[str] = _members(label)
    try:
        return ["" if one == ABSENT else json.loads(one) if one.startswith('"') else one for one in written]
    except ValueError:
        return []


def _quoted(member: str) -> str:
    if not member:
        return ABSENT
    misread = member == ABSENT or member != member.strip() or set(member) & set('{},"')
    return json.dumps(member, ensure_ascii=False) if misread else member


def _ancestors(values: Values, hierarchy: Hierarchy, at: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    """Every leaf with itself and each node above it; a missing value that is no leaf lies below the root alone."""
    leaves = [(value, hierarchy.index[text]) for value, text in enumerate(values.printed) if text in hierarchy.index]
    for labels, of in zip(hierarchy.labels, hierarchy.maps, strict=True):
        above: list[str] = [labels[node] for node in of.tolist()]
        yield from ((value, at[above[leaf]]) for value, leaf in leaves if above[leaf] in at)
    root = hierarchy.labels[-1][0]
    if root in at:
        yield from ((value, at[root]) for value in np.flatnonzero(values.absent).tolist())
