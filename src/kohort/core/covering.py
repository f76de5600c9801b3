"""Which values a released label covers, as anybody reads it who has nothing but the label.

    39              this value; numbers that are equal are one value, "" is the missing one
    [20-29]         from 20 to 29, both included: numbers, or names where their order is known
    [20-25)         from 20 to 25, which is not included
    <16, >=95       below 16; 95 and above
    {a, "b, c"}     one of these; `(missing)` is the missing value
    South           whatever lies below this node, where the hierarchy is known
    *               anything

A label that can be read in several ways covers what it covers in any of them. A mean is read as the number it is: no
text tells it from a value.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.errors import InputError
from kohort.schema.hierarchies import from_spec
from kohort.schema.hierarchy import SUPPRESSED
from kohort.schema.numbers import exact, is_numeric_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from fractions import Fraction

    from kohort.arrays import Codes, Index, Mask
    from kohort.schema.hierarchy import Hierarchy

#: The missing value inside a set or as an end of a range; alone it is an empty cell.
_ABSENT: Final = "(missing)"

#: Labels times values that are looked at together.
_TOGETHER: Final = 1 << 26

_NUMBER: Final = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?"
_range = re.compile(rf"\[({_NUMBER})-({_NUMBER})([\])])").fullmatch
_open = re.compile(rf"(<|>=)({_NUMBER})").fullmatch
_MEMBER: Final = r'"(?:[^"\\]|\\.)*"|[^{},"]+'
_set = re.compile(rf"\{{(?:{_MEMBER})(?:, (?:{_MEMBER}))*\}}").fullmatch
_members = re.compile(rf"(?:^\{{|, )({_MEMBER})").findall

#: An end of a range: many labels begin or end with the same number.
_end = lru_cache(1 << 16)(exact)


def covers(
    labels: Sequence[str],
    values: Sequence[str],
    *,
    hierarchy: Hierarchy | None = None,
    order: Sequence[str] | None = None,
) -> Mask:
    """(L, V) whether each label covers each value.

    Cost: reading each label once, L x V bytes; ask for some of the labels at a time where that is too much.

    Args:
        labels: (L,) distinct released values.
        values: (V,) distinct values of the same attribute, as they were before.
        hierarchy: What names of nodes mean.
        order: The attribute's names in its order, for ranges of names; where there is none, the hierarchy's leaves.
            The missing value comes last, unless it is among them.

    Raises:
        InputError: Labels that look like a range or a set and cannot be read as one, or, where the values are numbers,
            labels that mean none; the message counts them.

    >>> covers(["*", "[20-29]", "{20, 31}", "30.0"], ["20", "29", "30"]).astype(int).tolist()
    [[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 0, 1]]
    >>> from kohort.schema.hierarchy import Hierarchy
    >>> regions = Hierarchy.from_rows([["Milano", "Nord"], ["Torino", "Nord"], ["Bari", "Sud"]], root="*")
    >>> covers(["Nord", "Bari"], ["Bari", "Milano", "Torino"], hierarchy=regions).astype(int).tolist()
    [[0, 1, 1], [1, 0, 0]]
    """
    covered = np.zeros((len(labels), len(values)), np.bool_)
    known = _Values(values, hierarchy.leaves if order is None and hierarchy is not None else order)
    nodes = set[str]() if hierarchy is None else set(chain.from_iterable(hierarchy.labels))
    unread = 0
    for row, label in enumerate(labels):
        places = known.read(label)
        covered[row, places] = True
        told = places.size > 0 or label in nodes or known.means_something(label, names=hierarchy is None)
        unread += not told
    if unread:
        raise InputError(
            f"{unread:,} of {len(labels):,} different labels cannot be read",
            hint="give the attribute's hierarchy, and for ranges of names their order",
        )
    return covered if hierarchy is None else covered | _below(labels, values, hierarchy)


def covered_by(
    labels: Sequence[str], values: Sequence[str], *, column: str, hierarchy: Hierarchy | str | None = None
) -> list[Index]:
    """For each label, the places of the values that it covers; a hierarchy may be a builder's text, such as `mask`.

    Cost: some labels are read at a time, so that memory is bounded but for the answer.

    Raises:
        InputError: Labels that cannot be read; the message names the column.
        HierarchyError: The builder cannot make a hierarchy of the values.

    >>> [places.tolist() for places in covered_by(["[1-2]", "*"], ["2", "3"], column="age")]
    [[0], [0, 1]]
    """
    if isinstance(hierarchy, str):
        hierarchy = from_spec(hierarchy, sorted({*values} - {""}), name=column)
    step = max(1, _TOGETHER // max(len(values), 1))
    parts = (labels[start : start + step] for start in range(0, len(labels), step))
    try:
        return [np.flatnonzero(row) for part in parts for row in covers(part, values, hierarchy=hierarchy)]
    except InputError as fault:
        raise InputError(fault.what, where=f"column {column}", hint=fault.hint) from None


def fitting(rows: Codes, tuples: Codes, covered: Sequence[Sequence[Index]]) -> Iterator[tuple[Index, Index]]:
    """Classes of the same labels, and the tuples of values that these cover, column by column, where there are any.

    Classes that have some labels in common are told apart among the tuples that these cover, by the column first whose
    labels cover the fewest. Cost: for all different labels of some columns, a sort of these tuples.

    Args:
        rows: (c, d) codes of the labels of each class.
        tuples: (t, d) codes of values.
        covered: Per column and label, the values that it covers, as of `covered_by`.

    >>> rows, people = np.array([[0], [1]], np.uint32), np.array([[0], [1]], np.uint32)
    >>> [(of.tolist(), who.tolist()) for of, who in fitting(rows, people, [[np.array([0, 1]), np.array([0])]])]
    [([1], [0]), ([0], [0, 1])]
    """
    columns = _most_telling_first(rows, tuples, covered)
    begun = [(0, np.arange(len(rows)), np.arange(len(tuples)))] if len(rows) else []
    while begun:
        depth, classes, fits = begun.pop()
        if not fits.size:
            continue
        if depth == len(columns):
            yield classes, np.sort(fits)
            continue
        column = columns[depth]
        labels, values = rows[classes, column], tuples[fits, column]
        order, by_value = np.argsort(labels, kind="stable"), np.argsort(values, kind="stable")
        fits, values = fits[by_value], values[by_value]
        for same in np.split(classes[order], np.flatnonzero(np.diff(labels[order])) + 1):
            wanted = covered[column][int(rows[same[0], column])].astype(values.dtype)
            first, end = np.searchsorted(values, wanted), np.searchsorted(values, wanted, side="right")
            begun.append((depth + 1, same, fits[_ranges(first, end)]))


def _most_telling_first(rows: Codes, tuples: Codes, covered: Sequence[Sequence[Index]]) -> list[int]:
    """The columns, by how many tuples their labels cover on average of the classes."""
    cover: list[float] = []
    for column, values in enumerate(covered):
        known = np.bincount(
            tuples[:, column], minlength=max((int(one.max(initial=-1)) for one in values), default=0) + 1
        )
        cover.append(float(np.array([known[one].sum() for one in values])[rows[:, column]].sum()))
    return sorted(range(len(covered)), key=cover.__getitem__)


def _ranges(first: Index, end: Index) -> Index:
    """The places from each first to before its end, one range after the other.

    >>> _ranges(np.array([5, 0]), np.array([8, 1])).tolist()
    [5, 6, 7, 0]
    """
    sizes = end - first
    return np.repeat(first - (np.cumsum(sizes) - sizes), sizes) + np.arange(int(sizes.sum()))


def span_of(label: str) -> tuple[Fraction, Fraction, bool] | None:
    """The ends of a range of numbers, and whether the upper one is included; `None` of any other label.

    >>> span_of("[20-25)"), span_of("[5-3]"), span_of("*")
    ((Fraction(20, 1), Fraction(25, 1), False), None, None)
    """
    found = _range(label)
    if not found:
        return None
    low, high = _end(found[1]), _end(found[2])
    return None if low > high else (low, high, found[3] == "]")


def attained(label: str) -> list[str]:
    """The values that some record of the class must have, where labels are no wider than their class: those it prints.

    Both ends of a closed range of numbers, each member of a set. The end of an interval, a node of a hierarchy and a
    range of names, which can be read in several ways, tell none.

    >>> attained("[20-29]"), attained("{a, (missing)}"), attained("[20-30)"), attained("*")
    (['20', '29'], ['a', ''], [], [])
    """
    if (found := _range(label)) and found[3] == "]" and exact(found[1]) < exact(found[2]):
        return [found[1], found[2]]
    return _members_of(label)


def alike(text: str) -> str:
    """What texts of one value have in common: their number, or all they say.

    >>> alike("1.50"), alike("01.5"), alike("a")
    ('3/2', '01.5', 'a')
    """
    return str(exact(text)) if is_numeric_text((text,)) else text


class _Values:
    """The values, found by their text, their number or their name's place in an order."""

    def __init__(self, values: Sequence[str], order: Sequence[str] | None) -> None:
        """Look at each value once."""
        self._all = np.arange(len(values))
        numbers = sorted((exact(value), place) for place, value in enumerate(values) if is_numeric_text((value,)))
        self._numbers = [number for number, _ in numbers]
        self._of_number = np.array([place for _, place in numbers], dtype=np.int64)
        self._only_numbers = bool(numbers) and len(numbers) == sum(map(bool, values))
        self._places: dict[str, list[int]] = {}
        for place, value in enumerate(values):
            self._places.setdefault(alike(value), []).append(place)
        names = [alike(name) for name in order or ()]
        self._order = [*names, ""] if names and "" not in names else names
        self._rank = {name: rank for rank, name in enumerate(self._order)}

    def read(self, label: str) -> Index:
        """The values that the label covers by what it says; none where it cannot be read."""
        if label == SUPPRESSED:
            return self._all
        found = [self._named([label])]
        if side := _open(label):
            number = exact(side[2])
            found.append(self._between(number, None) if side[1] == ">=" else self._between(None, number, ")"))
        elif span := _range(label):
            found.append(self._between(exact(span[1]), exact(span[2]), span[3]))
        found += [self._named(self._order[low : high + 1]) for low, high in self._spans(label)]
        found.append(self._named(_members_of(label)))
        return np.concatenate(found)

    def means_something(self, label: str, *, names: bool) -> bool:
        """Whether a label that covers no value can be read; `names`: as a name, where values are names."""
        if span := _range(label):
            return exact(span[1]) <= exact(span[2])
        if label in {"", SUPPRESSED} or _open(label) or self._spans(label) or _members_of(label):
            return True
        if label[0] + label[-1] in {"[]", "[)", "{}"}:
            return False
        return is_numeric_text((label,)) if self._only_numbers else names

    def _named(self, names: Iterable[str]) -> Index:
        """Those whose text, or number, is one of these."""
        places = (self._places.get(alike(name), ()) for name in names)
        return np.fromiter(chain.from_iterable(places), np.int64)

    def _between(self, low: Fraction | None, high: Fraction | None, bracket: str = "]") -> Index:
        """The numbers from `low` to `high`, which the bracket includes or not."""
        below = bisect_right if bracket == "]" else bisect_left
        first = 0 if low is None else bisect_left(self._numbers, low)
        return self._of_number[first : None if high is None else below(self._numbers, high)]

    def _spans(self, label: str) -> list[tuple[int, int]]:
        """The first and last place of each range of names that the label can mean."""
        inside = label[1:-1]
        hyphens = [at for at, letter in enumerate(inside) if letter == "-" and label == f"[{inside}]"]
        ends = ((self._place(inside[:at]), self._place(inside[at + 1 :])) for at in hyphens)
        return [(low, high) for low, high in ends if 0 <= low <= high]

    def _place(self, name: str) -> int:
        return self._rank.get("" if name == _ABSENT else alike(name), -1)


def _members_of(label: str) -> list[str]:
    """The members of a set; none where the label is not written as one."""
    written: list[str] = _members(label) if _set(label) else []
    try:
        return ["" if one == _ABSENT else json.loads(one) if one.startswith('"') else one for one in written]
    except ValueError:
        return []


def _below(labels: Sequence[str], values: Sequence[str], hierarchy: Hierarchy) -> Mask:
    """(L, V) whether the value is a leaf below a node called so; a missing value lies below the root."""
    by_key = {alike(leaf): at for leaf, at in hierarchy.index.items()}
    leaf = np.array([hierarchy.index.get(value, by_key.get(alike(value), -1)) for value in values], dtype=np.int64)
    covered = np.zeros((len(labels), len(values)), np.bool_)
    for names, node_of in zip(hierarchy.labels, hierarchy.maps, strict=True):
        nodes = {name: node for node, name in enumerate(names)}
        node = np.array([nodes.get(label, -1) for label in labels], dtype=np.int64)[:, np.newaxis]
        covered |= (node >= 0) & (leaf >= 0) & (node == node_of[leaf])
    is_root = np.array([label == hierarchy.labels[-1][0] for label in labels], dtype=np.bool_)
    missing = np.array([not value for value in values], dtype=np.bool_)
    return covered | (is_root[:, np.newaxis] & missing)
