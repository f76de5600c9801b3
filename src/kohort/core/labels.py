"""The labels of one quasi-identifier: what its values are released as in each region.

Each kind of label is made once for all regions that must have the same: first the kinds, as a text and a loss each,
then the kind of every region.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, assert_never

import numpy as np

from kohort.core.branches import Members, accompanied, printed
from kohort.core.frequency import group
from kohort.core.texts import Halves, Joined, Sets, Texts, braced
from kohort.schema.attribute import Label, Scale
from kohort.schema.dates import DASH
from kohort.schema.nesting import ABSENT, member
from kohort.schema.numbers import digits_of, part_of, point
from kohort.system.workspace import HEAP, blocks, distinct

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Codes, Counts, Index, Mask, Positions, Shares
    from kohort.core.recoding import Multidimensional
    from kohort.schema.domain import Domain
    from kohort.system.workspace import Workspace

#: What stands for a value of which nothing is told.
ANY = "*"

#: A mean has so many digits more than the values.
MEAN_DIGITS = 2

#: Sums below this are exact in 64 bits, also when multiplied for rounding.
LARGEST_SUM = 1 << 54


#: ASCII that can be seen and cannot be misread, blanks inside among it.
_plainly = re.compile(r"[!#-+\--z|~](?:[ !#-+\--z|~]*[!#-+\--z|~])?").fullmatch


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """The released values of one quasi-identifier.

    Attributes:
        texts: (u,) distinct released values; the missing value is "".
        of: (r,) which of them each region has.
        shares: (s,) the losses that there are.
        share_of: (r,) which of them each region has; mostly that of its text.
    """

    texts: Texts
    of: NDArray[np.uint32]
    shares: Shares
    share_of: NDArray[np.uint32]

    @property
    def losses(self) -> Shares:
        """(r,) share of the domain that each region's label may stand for: (M - 1)/(|A| - 1)."""
        return self.shares[self.share_of]

    def total(self, records: Counts) -> float:
        """The losses of so many records of each region, added up: the same to the bit in every order of the regions."""
        shares, place = np.unique(self.shares, return_inverse=True)
        return math.fsum((shares * np.bincount(place.take(self.share_of), records, shares.size)).tolist())

    @classmethod
    def by_kind(cls, texts: Iterable[str], of: Index, shares: Shares) -> Labels:
        """The labels of regions of some kinds, each of which has a text and a loss."""
        kinds = of.astype(np.uint32)
        return cls(texts if isinstance(texts, Texts) else Joined(texts), kinds, shares, kinds)


def joined_labels(parts: Sequence[Labels], domain: Domain) -> Labels:
    """The labels of one attribute in one part of the regions after another, as if they were made together."""
    place: dict[str, int] = {}
    known = [np.array([place.setdefault(text, len(place)) for text in one.texts], np.uint32) for one in parts]
    of = np.concatenate([kinds[one.of] for kinds, one in zip(known, parts, strict=True)])
    if domain.label is Label.MEAN:  # what is lost depends on the range
        ends = np.cumsum([0, *(one.shares.size for one in parts)], dtype=np.uint32)
        share_of = np.concatenate([one.share_of + end for one, end in zip(parts, ends, strict=False)])
        return Labels(Joined(place), of, np.concatenate([one.shares for one in parts]), share_of)
    widest = np.zeros(len(place))
    for kinds, one in zip(known, parts, strict=True):
        np.maximum.at(widest, kinds, one.shares)
    return Labels(Joined(place), of, widest, of)


def labels_of(
    recoding: Multidimensional,
    quasi: Codes,
    domain: Domain,
    column: int,
    workspace: Workspace = HEAP,
    *,
    people: Index | None = None,
) -> Labels:
    """The labels of one attribute, of the kind that its domain asks for.

    Args:
        recoding: The regions; no piece is suppressed.
        quasi: (t,) the attribute's code in each tuple.
        domain: What the codes mean.
        column: The attribute's place among the quasi-identifiers.
        workspace: Where arrays as long as the pieces live.
        people: (t,) whose each tuple is; `None` where each record is a person.
    """
    low, high = recoding.low[:, column].astype(np.int64), recoding.high[:, column].astype(np.int64)
    kind = Label.ANCESTOR if recoding.nodes else domain.label
    match kind:
        case Label.RANGE | Label.GRID:
            return _spans(domain, low, high)
        case Label.ANCESTOR:
            return _ancestors(domain, recoding, quasi)
        case Label.SET | Label.NAMES | Label.COMPANIONS | Label.OWN:  # a domain of names asks for sets
            return _sets(domain, recoding, quasi, people, workspace)
        case Label.MEAN:
            return _means(domain, recoding, quasi, _spans(domain, low, high))
        case _:
            assert_never(kind)


def labels_at(domain: Domain, level: int, nodes: Index) -> Labels:
    """The labels of one attribute whose regions are nodes of one level.

    Args:
        domain: What the codes mean; it has a hierarchy.
        level: The level that the nodes are on, where no two have the same label.
        nodes: (r,) node of each region.
    """
    hierarchy = domain.hierarchy
    assert hierarchy is not None  # noqa: S101  a lattice has no levels without one
    used, of = np.unique(nodes, return_inverse=True)
    losses = part_of(domain.others, (hierarchy.covered(level)[used] - 1).astype(np.float64))
    return Labels.by_kind(map(hierarchy.labels[level].__getitem__, used.tolist()), of, losses)


def _labels(texts: Sequence[str], of: Index, losses: Shares) -> Labels:
    """Labels from the text and the loss of each kind; kinds with the same text are one, as wide as the widest."""
    if len(set(texts)) == len(texts):
        return Labels.by_kind(texts, of, losses)
    place = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    merged = np.array([place[text] for text in texts])
    widest = np.zeros(len(place))
    np.maximum.at(widest, merged, losses)
    return Labels.by_kind(place, merged[of], widest)


def _of_pieces(recoding: Multidimensional, quasi: Codes) -> Codes:
    """(m,) the attribute's code in each piece; where each tuple is one piece, nothing is copied."""
    tuples = recoding.tuples
    each_once = tuples.size == quasi.size and all(
        (np.diff(tuples[max(some.start - 1, 0) : some.stop].astype(np.int64)) > 0).all() for some in blocks(tuples.size)
    )
    return quasi if each_once else quasi[tuples]


# ── Ranges and grid intervals ────────────────────────────────────────────────────────────────────


def _spans(domain: Domain, low: Index, high: Index) -> Labels:
    """Labels that depend on the least and greatest code alone: the value itself, or the range from one to the other.

    Brackets keep spreadsheets from reading 1-5 as a date.
    """
    pairs, of = np.unique(low * len(domain) + high, return_inverse=True)
    low, high = pairs // len(domain), pairs % len(domain)
    hides = _hides(domain, low, high)
    span = _grid(domain, low, high) if domain.label is Label.GRID else _range(domain, low, high)
    losses = np.where(hides, 1.0, part_of(domain.extent, span.width.astype(np.float64)))
    if domain.scale is Scale.NUMERIC:  # different ends are written differently: nothing else to merge
        kept = ~hides | (np.cumsum(hides) == 1)
        place = np.cumsum(kept) - 1
        place[hides] = place[hides][:1]
        return Labels.by_kind(_written(domain, span, low[kept], high[kept], hides[kept]), place[of], losses[kept])
    return _labels([*_written(domain, span, low, high, hides)], of, losses)


def _written(domain: Domain, span: _Span, low: Index, high: Index, hides: Mask) -> Halves:
    """The text of each span: where it begins and where it ends, or the value alone; of an open end, the other one."""
    seen = np.zeros(len(domain), np.bool_)
    seen[low] = seen[high] = True
    codes, place, alone = np.flatnonzero(seen).tolist(), np.cumsum(seen) - 1, (low == high) & ~hides
    first = [*(f"[{span.starts[code]}{span.dash}" for code in codes), *(domain.texts[code] for code in codes)]
    first += [*(f">={span.starts[code]}" for code in codes), "<" if span.bracket == ")" else "<=", ANY]
    second = [*(f"{span.ends[code]}{span.bracket}" for code in codes), "", *(span.ends[code] for code in codes)]
    first_of, second_of = place[low] + alone * len(codes), place[high]
    is_below, is_above = (opened & ~alone for opened in _open(domain, low, high))
    first_of = np.where(is_above, place[low] + 2 * len(codes), np.where(is_below, 3 * len(codes), first_of))
    second_of = np.where(is_below, second_of + len(codes) + 1, second_of)
    one = hides | alone | is_above
    return Halves(first, second, np.where(hides, len(first) - 1, first_of), np.where(one, len(codes), second_of))


def _open(domain: Domain, low: Index, high: Index) -> tuple[Mask, Mask]:
    """Which spans begin in the open lower end, and which end in the upper one."""
    is_below, is_above = domain.open_ends
    return is_below & np.equal(low, domain.missing + 1), is_above & np.equal(high, len(domain) - 1)


def _hides(domain: Domain, low: Index, high: Index) -> Mask:
    """Where no range can say what a numeric region holds, so that its label is `*`.

    The missing value beside numbers, or both open ends.
    """
    gap = domain.missing if domain.scale is Scale.NUMERIC else -1
    is_below, is_above = _open(domain, low, high)
    return np.not_equal(high, gap) & (np.equal(low, gap) | (is_below & is_above & (low < high)))


class _Span(NamedTuple):
    """How spans are written, and how wide some are.

    Attributes:
        starts: (v,) what stands for each code where a span begins.
        ends: (v,) and where it ends.
        dash: what stands between the two.
        bracket: closes the span.
        width: (p,) position of the last value that may be meant, minus that of the first.
    """

    starts: Sequence[str]
    ends: Sequence[str]
    dash: str
    bracket: str
    width: Positions | Shares


def _range(domain: Domain, low: Index, high: Index) -> _Span:
    """`[min-max]`."""
    names = [text or ABSENT for text in domain.texts]
    return _Span(names, names, _dash(domain), "]", domain.positions[high] - domain.positions[low])


def _dash(domain: Domain) -> str:
    """What stands between the ends of a range."""
    return DASH if domain.attribute.scale is Scale.DATE else "-"


def _grid(domain: Domain, low: Index, high: Index) -> _Span:
    """`[low-high)`: the union of the cells from `low` to `high`, as far as the domain goes; it holds no upper end."""
    first, last = (Fraction(end) / domain.step for end in domain.ends)
    least = max(float(math.ceil(first) * domain.step), float(domain.positions[0]))
    most = min(float(math.floor(last) * domain.step), float(domain.upper[-1] - domain.step))
    width = np.minimum(domain.upper[high] - float(domain.step), most) - np.maximum(domain.positions[low], least)
    starts, ends = zip(*domain.edges, strict=True)
    return _Span(starts, ends, _dash(domain), ")", np.where(low == domain.missing, 0.0, np.maximum(width, 0.0)))


# ── Ancestors ────────────────────────────────────────────────────────────────────────────────────


def _ancestors(domain: Domain, recoding: Multidimensional, quasi: Codes) -> Labels:
    """Lowest common ancestor of each region's leaves, whatever the order of the codes."""
    hierarchy = domain.hierarchy
    assert hierarchy is not None  # noqa: S101  the schema refuses ancestor labels without one
    leaves, codes = len(hierarchy.leaves), _of_pieces(recoding, quasi)
    first, last = np.full(len(recoding.low), leaves), np.full(len(recoding.low), -1)
    for some in blocks(codes.size):
        leaf, regions = domain.leaves[codes[some]], recoding.regions[some]
        np.minimum.at(first, regions, leaf)
        np.maximum.at(last, regions, leaf)
    pairs, of = np.unique(first * leaves + last, return_inverse=True)
    level, node = hierarchy.ancestor(pairs // leaves, pairs % leaves)
    covered = [hierarchy.covered(at) for at in range(hierarchy.height + 1)]
    nodes: list[tuple[int, int]] = list(zip(level.tolist(), node.tolist(), strict=True))
    widths = np.array([covered[at][which] - 1 for at, which in nodes], dtype=np.float64)
    return _labels([hierarchy.labels[at][which] for at, which in nodes], of, part_of(domain.others, widths))


# ── Sets ─────────────────────────────────────────────────────────────────────────────────────────


def _sets(
    domain: Domain, recoding: Multidimensional, quasi: Codes, people: Index | None, workspace: Workspace
) -> Labels:
    """`{a, b}` in text order, or the value itself; sets of one size are made at once."""
    codes = _of_pieces(recoding, quasi)
    if domain.hides_alone and domain.hierarchy is not None:
        names, leaves, cells = printed(domain, recoding, codes, people)
    else:
        names, leaves, cells = _values(domain, recoding, codes, people, workspace)
    sizes = _sizes(cells, len(names), len(recoding.low))
    starts = np.cumsum(sizes) - sizes
    of, widths = np.empty(sizes.size, np.int64), [np.empty(0)]
    members: list[NDArray[np.uint32]] = []
    told = 0
    for size in np.unique(sizes).tolist():
        regions = np.flatnonzero(sizes == size)
        found = _members(cells, starts[regions], size, len(names))
        grouping = group(found)
        of[regions] = grouping.of + told
        told += grouping.first.size
        members.append(found[grouping.first])
        widths.append(leaves[members[-1]].sum(axis=1) - 1.0)
    texts = Sets(names, [name if _plainly(name) and name != ABSENT else member(name) for name in names], members)
    losses = part_of(domain.others, np.concatenate(widths))
    brace = bisect_left(names, "{")  # a value may be spelled like a set of others
    if any(name[:1] == "{" for name in names[brace : brace + 1]):
        return _labels([*texts], of, losses)
    return Labels.by_kind(texts, of, losses)


def _values(
    domain: Domain, recoding: Multidimensional, codes: Codes, people: Index | None, workspace: Workspace
) -> Members:
    """The values of each region as members of its set, with companions of those that one person has alone."""
    ordered = sorted(range(len(domain)), key=domain.texts.__getitem__)
    rank = np.empty(len(domain), np.int64)
    rank[ordered] = np.arange(len(domain))
    if domain.hides_alone:
        cells = accompanied(domain, recoding, codes, people, workspace)
        cells += rank[cells % len(domain)] - cells % len(domain)
        cells.sort()
    else:
        cells = workspace.empty(codes.size, np.int64)
        for some in blocks(codes.size):
            cells[some] = recoding.regions[some].astype(np.int64) * len(domain) + rank[codes[some]]
        cells = _distinct(cells, len(recoding.low) * len(domain))
    return Members([domain.texts[code] for code in ordered], np.ones(len(domain), np.int64), cells)


def _members(cells: Index, starts: Index, size: int, values: int) -> NDArray[np.uint32]:
    """(some, size) the values of regions that have so many, the cells of each from its start on."""
    found = np.empty((starts.size, size), np.uint32)
    for some in blocks(starts.size):
        found[some] = cells[starts[some, np.newaxis] + np.arange(size)] % values
    return found


def _sizes(cells: Index, values: int, regions: int) -> Index:
    """(regions,) how many values each has."""
    sizes = np.zeros(regions, np.int64)
    for some in blocks(cells.size):
        part = cells[some] // values
        counts = np.bincount(part - part[0])
        sizes[part[0] : part[0] + counts.size] += counts
    return sizes


def _distinct(cells: Index, bound: int) -> Index:
    """The distinct ones of numbers below `bound`, ascending, in their place; marked, where that takes less memory."""
    if bound <= cells.nbytes:
        marked = np.zeros(bound, np.bool_)
        marked[cells] = True
        return np.flatnonzero(marked)
    return distinct(cells)


def set_text(values: Iterable[str]) -> str:
    """A set as text: members in text order, quoted as JSON where they could be misread.

    >>> set_text(["b", "a"]), set_text(["x, y", "z"]), set_text(["alone"])
    ('{a, b}', '{"x, y", z}', 'alone')
    """
    names = sorted(values)
    return names[0] if len(names) == 1 else braced(map(member, names))


# ── Means ────────────────────────────────────────────────────────────────────────────────────────


def _means(domain: Domain, recoding: Multidimensional, quasi: Codes, spans: Labels) -> Labels:
    """The mean of the region's values, to two digits more than they have, ties upward; losses are those of the range.

    A single value is itself; the missing value alone stays missing, and among numbers it leaves nothing to tell.
    """
    records = np.bincount(recoding.regions, weights=recoding.counts).astype(np.int64)
    sums = _sums(domain.positions[_of_pieces(recoding, quasi)], recoding, records)
    digits = digits_of(domain.unit) or 1 - len(str(domain.unit.numerator))
    rounded, of = np.unique((2 * 10**MEAN_DIGITS * sums + records) // (2 * records), return_inverse=True)
    is_range = np.array([text.startswith("[") for text in spans.texts], np.bool_)[spans.of]
    used, of = np.unique(np.where(is_range, of, rounded.size + spans.of), return_inverse=True)
    means = used[used < rounded.size]
    texts = [point(mean, digits + MEAN_DIGITS) for mean in rounded[means].tolist()]
    texts += map(spans.texts.__getitem__, (used[means.size :] - rounded.size).tolist())
    labels = _labels(texts, of, np.zeros(used.size))
    return Labels(labels.texts, labels.of, spans.shares, spans.share_of)


def _sums(positions: Positions, recoding: Multidimensional, records: Index) -> NDArray[np.int64] | NDArray[np.object_]:
    """(r,) sum of the records' positions in each region, exactly: where 64 bits do not do, as Python's integers."""
    small = int(np.abs(positions).max(initial=0)) * int(records.max(initial=0)) < LARGEST_SUM
    kind = np.int64 if small else object
    sums = np.zeros(records.size, kind)
    np.add.at(sums, recoding.regions, positions.astype(kind) * recoding.counts.astype(kind))
    return sums
