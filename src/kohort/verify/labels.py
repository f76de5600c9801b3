"""What a released label may stand for, by the verifier's own reading of the grammar, and how records fit into it.

    39              the value itself; a label that is empty is the missing value
    [20-29]         20 to 29, both included: numbers, or names in the attribute's order
    [20-25)         20 to 25, which is not included: an interval of the public grid
    <20, >=85       below 20; 85 and above, as far as it goes: the open ends of a grid
    <=20, >=85      to 20; from 85 on: ranges that take in an open end of the scale, such as 90+
    {a, "b, c"}     one of these; names that could be misread stand in quotes, as in JSON; with a hierarchy also any
                    leaf below a node among them
    South           any leaf below this node of the hierarchy
    37.25           where the schema asks for means: any number, and their mean is 37.25
    *               anything

A label that none of these readings explains, to the letter, is one that the schema cannot produce. A label that two
of them explain says what is not so of somebody, and is refused too.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from operator import lt
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import polars as pl

from kohort.io.dictionary import Known
from kohort.native.library import FIT
from kohort.schema import Label
from kohort.schema.dates import Period
from kohort.system.workspace import HEAP, blocks, distinct
from kohort.tables.texts import spelled
from kohort.verify.values import begins
from kohort.verify.verdict import places

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from numpy.typing import NDArray

    from kohort.arrays import Index, Mask, Numbers, Shares
    from kohort.schema.hierarchy import Hierarchy
    from kohort.system.workspace import Workspace
    from kohort.tables.table import CellCodes
    from kohort.verify.values import SourceValues


#: Ranks of values, and ends of spans of them: int32, for there are fewer values than records.
Ranks: TypeAlias = "NDArray[np.int32]"

#: Anything at all.
ANY: Final = "*"

#: The missing value as a member of a set or an end of a range.
ABSENT: Final = "(missing)"

#: A mean has so many digits more than the values.
MEAN_DIGITS: Final = 2

_NUMBER = r"-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
_half_open = re.compile(rf"\[({_NUMBER})-({_NUMBER})\)").fullmatch
_open = re.compile(rf"(<|>=)({_NUMBER})").fullmatch
_shortest = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.([0-9]*[1-9]))?").fullmatch

_MEMBER = r'"(?:[^"\\]|\\.)*"|[^{},"]+'
_set = re.compile(rf"\{{(?:{_MEMBER})(?:, (?:{_MEMBER}))+\}}").fullmatch
_members = re.compile(rf"(?:^\{{|, )({_MEMBER})").findall

#: ASCII that can be seen and cannot be misread in a set.
_PLAIN: Final = r"[!#-+\--z|~]+"

#: Most sets: of members of nothing else.
_plain_set = re.compile(rf"\{{{_PLAIN}(?:, {_PLAIN})+\}}").fullmatch


#: The least and the greatest rank of an empty span.
_NOTHING: Final = (1, 0)


#: Ranges of names in the attribute's order, where those of numbers are a `range`.
RANGE_OF_NAMES: Final = "range of names"


def kind_of(label: Label, *, numeric: bool) -> str:
    """What a column is released as: a label of the schema; of names `range of names` in place of `range`."""
    return RANGE_OF_NAMES if label is Label.RANGE and not numeric else label.value


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """What the labels of one column stand for: a span of ranks, some listed values, or either.

    Attributes:
        values: The source's values.
        ranks: (u,) the rank of each; below every span where no release may hold the value.
        low: (L,) least rank inside each label's span.
        high: (L,) greatest rank inside it; below `low` where the label has no span.
        first: (L + 1,) where the values begin that each label names, then their number.
        listed: (p,) these values, ascending for each label.
    """

    values: SourceValues
    ranks: Ranks
    low: Ranks
    high: Ranks
    first: Index
    listed: NDArray[np.uint32]

    @property
    def known(self) -> Mask:
        """(L,) which labels the schema can produce."""
        return (self.low <= self.high) | (self.first[1:] > self.first[:-1])

    @property
    def ranged(self) -> bool:
        """Whether spans of numbers print the least and the greatest of their class."""
        return self.values.numeric and self.values.label is Label.RANGE

    @property
    def ranges(self) -> Mask:
        """(L,) which labels do; not the one that stands for anything."""
        return (self.low < self.high) & (self.low >= 0) & self.ranged

    @property
    def of_numbers(self) -> bool:
        """Whether labels consist of numbers or dates, spelled in one way; nodes of a hierarchy may have any name."""
        return self.values.numeric and self.values.label is not Label.ANCESTOR

    def means(self, labels: pl.Series) -> Shares:
        """(L,) the number that each label is; none where it stands for anything, or for no value."""
        texts = labels.to_list()
        return np.array([np.nan if text in {None, "", ANY} else float(text) for text in texts])

    @property
    def data_dependent(self) -> bool:
        """Whether labels were chosen by looking at records."""
        hierarchy = self.values.hierarchy
        built = hierarchy is not None and hierarchy.data_dependent
        return built or bool(self.ranges.any()) or self.values.label is Label.MEAN


def meaning_of(values: SourceValues, labels: pl.Series, workspace: Workspace = HEAP) -> Meaning:
    """What each of `labels`, distinct texts, stands for where the source's values are `values`.

    Labels of dates are those of their days: see `in_days`; ranges that no grid has are read as they are.

    Cost: numeric ranges and sets of plain names in a few passes; other labels in a few steps of Python each.
    """
    low, high = _spans(values, labels)
    anything = (labels == ANY).to_numpy()
    low[anything], high[anything] = -1, len(values.names)
    released = values.released
    named = [
        workspace.copied((label * len(values.printed) + value)[released[value]])
        for value, label in _named(values, labels)
    ]
    pairs, each = _ascending(named, workspace), len(values.printed)
    first = np.searchsorted(pairs, np.arange(len(labels) + 1) * each)
    listed = workspace.numbers(pairs.size)
    for some in blocks(pairs.size):
        listed[some] = pairs[some] % each
    ranks = np.where(released, values.ranks, -2).astype(np.int32)
    return Meaning(values, ranks, low.astype(np.int32), high.astype(np.int32), first, listed)


def _ascending(parts: list[Index], workspace: Workspace) -> Index:
    """The distinct ones of numbers that come in parts, each nearly ascending; the parts are used up."""
    every, filled = workspace.empty(sum(part.size for part in parts), np.int64), 0
    while parts:
        part = parts.pop(0)
        every[filled : filled + part.size] = part
        filled += part.size
    return distinct(every, merged=True)


def off_grid(values: SourceValues, labels: pl.Series) -> int:
    """How many of the labels are intervals with an end that is no cut of the grid."""
    ends = [_ends(label) for label in labels.to_list()]
    cuts = {end: _is_cut(end, values) for pair in ends for end in pair}
    return sum(not all(cuts[end] for end in pair) for pair in ends)


def _ends(label: str) -> tuple[str, ...]:
    """The ends that an interval names; none of any other label."""
    if found := _half_open(label):
        return found.groups()
    return (found[2],) if (found := _open(label)) else ()


# ── Spans ────────────────────────────────────────────────────────────────────────────────────────


def _spans(values: SourceValues, labels: pl.Series) -> tuple[Index, Index]:
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
        case _:  # sets and nodes have no span
            return np.ones(len(labels), np.int64), np.zeros(len(labels), np.int64)
    parts = [np.array(list(map(read, labels[some].to_list())), dtype=np.int64) for some in blocks(len(labels))]
    low, high = np.concatenate([np.empty((0, 2), np.int64), *parts]).T
    return low, high


def _number_ranges(values: SourceValues, labels: pl.Series) -> tuple[Index, Index]:
    """`[min-max]`, both ends printed values that differ; or a printed value."""
    known = Known(values.ends)
    parts = [_number_ranges_of(values, known, labels[some]) for some in blocks(len(labels), _RANGES)]
    low, high = zip(*parts, strict=True) if parts else ((), ())
    none = np.empty(0, np.int64)
    return np.concatenate([none, *low]), np.concatenate([none, *high])


#: Labels of numbers that are read together.
_RANGES: Final = 1 << 18


def _number_ranges_of(values: SourceValues, known: Known, labels: pl.Series) -> tuple[Index, Index]:
    """The same of some labels."""
    low, high = ends_of(labels, known, values.dash)
    rest = np.flatnonzero((low < 0) | (low >= high))
    low[rest] = high[rest] = places(labels.gather(rest), values.ends)
    if any(values.labels):
        rank = {text: at for at, text in enumerate(values.ends.to_list())}
        for at in rest[low[rest] < 0].tolist():
            low[at], high[at] = _open_range(labels[at], values.labels, rank)
    return np.where(low < 0, _NOTHING[0], low), np.where(low < 0, _NOTHING[1], high)


def _open_range(label: str, ends_open: tuple[str, str], rank: Mapping[str, int]) -> tuple[int, int]:
    """The ranks of a range that takes in an open end of the scale: `<=high` or `>=low`."""
    sign, end = label[:2], rank.get(label[2:], -1)
    if sign == "<=" and ends_open[0] and end > 0:
        return 0, end
    return (end, len(rank) - 1) if sign == ">=" and ends_open[1] and 0 <= end < len(rank) - 1 else (-1, -1)


def _name_range(values: SourceValues) -> Callable[[str], tuple[int, int]]:
    """`[first-last]` in the attribute's order; where there are several ways to read it, the widest of them."""
    spans_of = _name_ranges(values)

    def read(text: str) -> tuple[int, int]:
        spans = spans_of(text)
        return (min(low for low, _ in spans), max(high for _, high in spans)) if spans else _NOTHING

    return read


def _name_ranges(values: SourceValues) -> Callable[[str], list[tuple[int, int]]]:
    """All ways to read `[first-last]`."""
    ranks: dict[str, list[int]] = {}
    for rank, name in enumerate(values.names.to_list()):
        ranks.setdefault(name or ABSENT, []).append(rank)

    def read(text: str) -> list[tuple[int, int]]:
        inside = text[1:-1]
        hyphens = [place for place, letter in enumerate(inside) if letter == "-"] if text == f"[{inside}]" else []
        ends = ((ranks.get(inside[:at], ()), ranks.get(inside[at + 1 :], ())) for at in hyphens)
        return [(low, high) for lows, highs in ends for low in lows for high in highs if low < high]

    return read


def _any_number(values: SourceValues) -> Callable[[str], tuple[int, int]]:
    """A mean, to two digits more than the values have, without closing zeros; or a printed value."""
    names = set(values.names.to_list())
    digits = values.decimals + MEAN_DIGITS

    def read(text: str) -> tuple[int, int]:
        found = _shortest(text)
        is_mean = found is not None and len(found[1] or "") <= digits
        return (0, len(names) - 1) if is_mean or text in names else _NOTHING

    return read


def _interval(values: SourceValues) -> Callable[[str], tuple[int, int]]:
    """`[low-high)`, `<high` or `>=low`, with at least one of the source's numbers inside; or a label of an open end."""
    numbers: list[int] = values.numbers.tolist()
    given = values.cells

    def read(text: str) -> tuple[int, int]:
        if text in given:
            return given[text], given[text]
        if found := _open(text):
            at = bisect_left(numbers, Fraction(found[2]) * 10**values.decimals)
            low, high = (0, at) if found[1] == "<" else (at, len(numbers))
            return (low, high - 1) if low < high else _NOTHING
        found = _half_open(text)
        if not found:
            return _NOTHING
        low, high = (bisect_left(numbers, Fraction(end) * 10**values.decimals) for end in found.groups())
        return (low, high - 1) if low < high else _NOTHING

    return read


def _is_cut(end: str, values: SourceValues) -> bool:
    grid, number = values.attribute.grid, Fraction(end)
    if isinstance(grid, Period):
        is_cut = begins(grid, int(number))
    elif isinstance(grid, Fraction):
        is_cut = number % grid == 0
    else:
        is_cut = number in (grid if isinstance(grid, tuple) else _boundaries(values))
    return is_cut and _shortest(end) is not None


def _boundaries(values: SourceValues) -> set[Fraction]:
    """The ends that the nodes of the first level name, such as `[20-25)`.

    Of listed leaves below other names: the least leaf of each node, and one above the greatest leaf of all. Values of
    the table, which are the leaves that a builder's text has, are no cuts.
    """
    hierarchy = values.hierarchy
    assert hierarchy is not None  # noqa: S101  the schema refuses this grid without one
    node_of: list[int] = hierarchy.maps[1].tolist()
    leaves = [(node, Fraction(leaf)) for leaf, node in zip(hierarchy.leaves, node_of, strict=True) if leaf]
    names = [_half_open(hierarchy.labels[1][node]) for node in {node for node, _ in leaves}]
    named = {Fraction(end) for found in names if found for end in found.groups()}
    if None not in names or isinstance(values.attribute.hierarchy, str):
        return named
    least = dict(sorted(leaves, reverse=True))
    return {*least.values(), max(number for _, number in leaves) + 1}


# ── Labels of two readings ───────────────────────────────────────────────────────────────────────


def twofold(values: SourceValues, labels: pl.Series, missing: Collection[str] = ()) -> Mask:
    """(L,) which labels have two readings that stand for different values.

    A value may be spelled like a set or a range of others, or like what stands for anything; a range may be parted at
    several hyphens; a hierarchy may have one label for a leaf and a wider node, or for nodes that are not above each
    other. And any label but the empty one and `*` may be a text that is `missing`, as the schema says.
    """
    found: Mask = labels.is_in([text for text in missing if text not in {"", ANY}]).to_numpy().copy()
    if values.label is Label.ANCESTOR and values.hierarchy is not None:
        found |= labels.is_in(several_nodes(values.hierarchy, values.attribute.max_level)).to_numpy()
        return found
    if values.numeric:
        return found
    found |= (labels == ANY).to_numpy() & bool((values.printed == ANY).any())
    itself = values.printed.unique()
    if values.label is Label.SET:
        alike = np.flatnonzero(labels.is_in(itself.filter(itself.str.starts_with("{")).implode()).to_numpy())
        known = set(itself.to_list()) if alike.size else set[str]()
        members, sets = _sets(labels.gather(alike))
        found[[int(alike[place]) for member, place in zip(members, sets, strict=True) if member in known]] = True
    elif values.label is Label.RANGE:
        spans_of = _name_ranges(values)
        alone: list[bool] = labels.is_in(itself.implode()).to_list()
        several = [len({*spans_of(text)}) + own > 1 for text, own in zip(labels.to_list(), alone, strict=True)]
        found |= np.array(several, np.bool_)
    return found


def several_nodes(hierarchy: Hierarchy, highest: int | None) -> list[str]:
    """The labels, up to a level, that a leaf and a wider node share, or nodes of which neither is above the other."""
    levels = range(hierarchy.height + 1 if highest is None else min(highest, hierarchy.height) + 1)
    count = Counter(label for level in levels for label in hierarchy.labels[level])
    met: dict[str, set[int]] = {}
    found: set[str] = set()
    for level in levels:
        for node, label in enumerate(hierarchy.labels[level]):
            if count[label] > 1:
                leaves = set(np.flatnonzero(hierarchy.maps[level] == node).tolist())
                below = met.setdefault(label, leaves)
                if below != leaves and (label in hierarchy.index or not below <= leaves):
                    found.add(label)
                met[label] = leaves
    return sorted(found)


# ── Listed values ────────────────────────────────────────────────────────────────────────────────


def _named(values: SourceValues, labels: pl.Series) -> Iterator[tuple[Index, Index]]:
    """Values, and the label that names each: as itself, as a member of a set, or by an ancestor."""
    every, absent = np.arange(len(values.printed)), np.flatnonzero(values.absent)
    for empty in np.flatnonzero((labels == "").to_numpy()):
        yield absent, np.full(absent.size, empty)
    if values.label is Label.SET or (values.label is Label.RANGE and not values.numeric):
        alone = np.flatnonzero(labels.is_in(values.printed.unique().implode()).to_numpy())
        itself = places(values.printed, labels.gather(alone))  # a dictionary of all labels takes several times as much
        yield every[itself >= 0], alone[itself[itself >= 0]]
    if values.label is Label.SET:
        nodes = _branches(values)
        at = np.flatnonzero(labels.is_in(nodes["text"].unique().implode()).to_numpy())
        alike = pl.DataFrame({"text": labels.gather(at), "label": at}).join(nodes, on="text")
        yield alike["value"].to_numpy(), alike["label"].to_numpy()
        yield from _members_of(values.printed, nodes, labels)
    if values.label is Label.ANCESTOR and values.hierarchy is not None:
        yield from _ancestors(values, values.hierarchy, labels)


def _branches(values: SourceValues) -> pl.DataFrame:
    """Each value, by the `text` of a node above it that a set may name; none whose label has another meaning too."""
    parts = [pl.DataFrame(schema={"text": pl.String, "value": pl.Int64})]
    if values.of_branches and values.hierarchy is not None:
        twofold = several_nodes(values.hierarchy, None)
        for level in range(1, values.hierarchy.height + 1):
            root = level == values.hierarchy.height  # under which a missing value lies too
            node = np.where(values.absent & root, 0, values.above(level))
            value = np.flatnonzero(node >= 0)
            texts = pl.Series(values.hierarchy.labels[level], dtype=pl.String).gather(node[value])
            parts.append(pl.DataFrame({"text": texts, "value": value}).filter(~texts.is_in(twofold)))
    return pl.concat(parts).unique()


def _members_of(printed: pl.Series, nodes: pl.DataFrame, labels: pl.Series) -> Iterator[tuple[Index, Index]]:
    """Values, and the set that holds each; a label not spelled as a set is printed holds none.

    What stands between the braces is parted at commas. If all these parts are printed as they are and ascend, then
    this is the set; the others are read letter by letter. Several values may have one text, as a branch has.
    """
    known = pl.DataFrame({"text": printed, "value": np.arange(len(printed))}).vstack(nodes)
    alike = known["text"].str.contains(_PLAINLY) & (known["text"] != ABSENT)
    odd = np.flatnonzero(~alike.to_numpy())
    alike = alike.scatter(odd, [_quoted(text) == text for text in known["text"].gather(odd).to_list()])
    ordered = known.filter(alike).sort("text", "value", multithreaded=False)
    texts, values = ordered["text"].unique(maintain_order=True), ordered["value"].to_numpy()
    first, plain = np.append(0, np.cumsum(np.bincount(places(ordered["text"], texts)))), Known(texts)
    for some in blocks(len(labels)):
        rank, sizes = plain.members(labels[some])
        of, rest = np.repeat(np.arange(sizes.size), np.maximum(sizes, 0)), np.flatnonzero(sizes < 0)
        if first.size > values.size:
            value = values.take(rank)
        else:  # some texts have several values
            many = first[rank + 1] - first[rank]
            of, value = np.repeat(of, many), values.take(HEAP.counted_up(first[rank], many))
        yield value, some.start + of
        if rest.size:
            members, sets = _sets(labels[some].gather(rest))
            told = pl.DataFrame({"text": members, "set": sets}, schema={"text": pl.String, "set": pl.Int64})
            found = told.join(known, on="text")
            yield found["value"].to_numpy(), some.start + rest[found["set"].to_numpy()]


#: The same with blanks inside: most values that are printed as they are.
_PLAINLY: Final = rf"^{_PLAIN}(?: +{_PLAIN})*$"


def _sets(labels: pl.Series) -> tuple[list[str], list[int]]:
    members: list[str] = []
    sets: list[int] = []
    for place, label in enumerate(labels.to_list()):
        inside = parted(label)
        members += inside
        sets += [place] * len(inside)
    return members, sets


def parted(label: str) -> list[str]:
    """The members of a set; none where the label is not spelled as a set is printed."""
    if _plain_set(label) and ABSENT not in label:
        plain = label[1:-1].split(", ")
        return plain if all(map(lt, plain, plain[1:])) else []
    if not _set(label):
        return []
    written: list[str] = _members(label)
    try:
        inside = ["" if one == ABSENT else json.loads(one) if one.startswith('"') else one for one in written]
    except ValueError:
        return []
    return inside if label == "{" + ", ".join(map(_quoted, sorted(set(inside)))) + "}" else []


def _quoted(member: str) -> str:
    if not member:
        return ABSENT
    misread = member == ABSENT or member != member.strip() or set(member) & set('{},"')
    return json.dumps(member, ensure_ascii=False) if misread else member


def _ancestors(values: SourceValues, hierarchy: Hierarchy, labels: pl.Series) -> Iterator[tuple[Index, Index]]:
    """Every leaf with itself and each node above it; a missing value lies below the root, be it a leaf or not."""
    leaf = places(values.printed, pl.Series(hierarchy.leaves, dtype=pl.String))
    is_leaf = np.flatnonzero(leaf >= 0)
    for texts, node_of in zip(hierarchy.labels, hierarchy.maps, strict=True):
        above = places(pl.Series(texts, dtype=pl.String), labels)[node_of[leaf[is_leaf]]]
        yield is_leaf[above >= 0], above[above >= 0]
    absent, root = np.flatnonzero(values.absent), places(pl.Series(hierarchy.labels[-1]), labels)
    yield (absent, np.full(absent.size, root[0])) if root[0] >= 0 else (absent[:0], absent[:0])


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """How the records fit.

    Attributes:
        outside: How many have a value that does not lie inside their label.
        at_low: Which have the least value of their label, a range of them; eight to a byte.
        at_high: Which have the greatest.
    """

    outside: int
    at_low: NDArray[np.uint8]
    at_high: NDArray[np.uint8]

    @staticmethod
    def among(at_end: NDArray[np.uint8], some: slice) -> Mask:
        """(m,) which of some records `at_low` or `at_high` has."""
        first = some.start // 8
        return np.unpackbits(at_end[first : -(-some.stop // 8)])[some.start - 8 * first :][: some.stop - some.start] > 0


def fit(meaning: Meaning, values: CellCodes, lineage: Numbers, labels: CellCodes) -> Fit:
    """How records fit into their labels.

    Args:
        meaning: What the labels stand for.
        values: (n,) the value of each record of the source.
        lineage: (m,) the record of the source that each released one is.
        labels: (m,) its label.
    """
    at_low, at_high = np.zeros((2, -(-labels.size // 8)), np.uint8)
    stands_for = meaning.ranks, meaning.low, meaning.high, meaning.first, meaning.listed
    return Fit(FIT(values, lineage, labels, stands_for, at_low, at_high), at_low, at_high)


# ── ranges of numbers and of dates, `[low-high]`, read all at once ───────────────────────────────


def ends_of(labels: pl.Series, known: Known, dash: str) -> tuple[Index, Index]:
    """(L,) which of the known texts each label has before its dash, and which behind it; -1 where it has none there.

    In no known text may a dash stand behind the first letter, where it is a sign. So there is one way to read a label.

    >>> import polars as pl
    >>> from kohort.io.dictionary import Known
    >>> known = Known(pl.Series(["-5", "-1", "20"]))
    >>> low, high = ends_of(pl.Series(["[-5--1]", "[20-29]", "20", "[-1]", ""]), known, "-")
    >>> low.tolist(), high.tolist()
    ([0, 2, -1, -1, -1], [1, -1, -1, -1, -1])
    """
    text, ends = spelled(labels, "\0")
    start, stop = ends[:-1], ends[1:] - 1
    dashes = np.append(_found(text, dash.encode()), text.size)
    at = dashes[np.searchsorted(dashes[:-1], start + 2)]
    after = at + len(dash.encode())
    ranged = (text[start] == ord("[")) & (text[stop - 1] == ord("]")) & (after < stop)
    first, last = (np.stack(both, axis=1)[ranged].ravel() for both in ((start + 1, after), (at, stop - 1)))
    low, high = np.full((2, len(labels)), -1)
    found = known.places(text, first, last - first)
    low[ranged], high[ranged] = found[::2], found[1::2]
    return low, high


def _found(text: NDArray[np.uint8], letters: bytes) -> Index:
    found = np.ones(max(text.size - len(letters) + 1, 0), np.bool_)
    for place, byte in enumerate(letters):
        found &= text[place : place + found.size] == byte
    return np.flatnonzero(found)
