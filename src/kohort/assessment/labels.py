"""The public reading of the label grammar: which values a released label covers, to a reader who has only the release.

    39              this value; equal numbers are one value, "" is the missing one
    [20-29]         from 20 to 29, both included: numbers, or names where their order is known
    [20-25)         from 20 to 25, which is not included
    [1984-03-01 – 1984-05-31], [1984-01-01 – 1985-01-01)     the same of dates
    <16, >=95       below 16; 95 and above; likewise <=16, and what a column itself calls so: `under 16`, `90+`
    {a, "b, c"}     one of these; `(missing)` is the missing value
    South           every value below this node, where the hierarchy is known; some programs print [South]; also in sets
    *               any value

A label that can be read in several ways covers what it covers in any of them. A mean is read as the number it is: its
text does not differ from that of a value.
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
from kohort.schema.dates import days_in, read_days, spelled
from kohort.schema.hierarchies import from_spec
from kohort.schema.hierarchy import SUPPRESSED
from kohort.schema.numbers import PLAIN_NUMBER, exact, is_numeric_text
from kohort.schema.open_ends import bound_of, numbers_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from fractions import Fraction

    from kohort.arrays import Index, Mask
    from kohort.schema.hierarchy import Hierarchy
    from kohort.tables.table import Column

#: The missing value inside a set or as an end of a range; alone it is an empty cell.
MISSING: Final = "(missing)"

#: Pairs of a label and a value that are compared at a time: each takes a byte.
_PAIRS: Final = 1 << 26

_range = re.compile(rf"\[({PLAIN_NUMBER})-({PLAIN_NUMBER})([\])])").fullmatch
_MEMBER: Final = r'"(?:[^"\\]|\\.)*"|[^{},"]+'
_set = re.compile(rf"\{{(?:{_MEMBER})(?:, (?:{_MEMBER}))*\}}").fullmatch
_members = re.compile(rf"(?:^\{{|, )({_MEMBER})").findall

#: An end of a range: many labels begin or end with the same number.
_end = lru_cache(1 << 16)(exact)


# ── One label ────────────────────────────────────────────────────────────────────────────────────


def cell_texts(column: Column, missing: Collection[str] = ()) -> list[str]:
    """(v,) the distinct cells of a column; "" for null and for the texts that mean no value."""
    return ["" if text is None or text in missing else text for text in column.values.to_list()]


def canonical(text: str) -> str:
    """The one spelling of a value: numbers that are equal have the same.

    >>> canonical("1.50"), canonical("01.5"), canonical("a")
    ('3/2', '01.5', 'a')
    """
    return str(exact(text)) if is_numeric_text((text,)) else text


def span_of(label: str) -> tuple[Fraction, Fraction, bool] | None:
    """The ends of a range of numbers, and whether the upper one is included; `None` for any other label.

    >>> span_of("[20-25)"), span_of("[5-3]"), span_of("*")
    ((Fraction(20, 1), Fraction(25, 1), False), None, None)
    """
    found = _range(label)
    if not found:
        return None
    low, high = _end(found[1]), _end(found[2])
    return None if low > high else (low, high, found[3] == "]")


def members_of(label: str) -> list[str]:
    """The members of a set; none where the label is not written as one."""
    written: list[str] = _members(label) if _set(label) else []
    try:
        return ["" if one == MISSING else json.loads(one) if one.startswith('"') else one for one in written]
    except ValueError:
        return []


def printed_values(label: str) -> list[str]:
    """The values that a label prints, each of which some record of its class has if labels are as narrow as can be.

    Both ends of a closed range of numbers, and each member of a set. An end of a half-open interval, a node of a
    hierarchy and a range of names, which can be read in several ways, need be no record's value.

    >>> printed_values("[20-29]"), printed_values("{a, (missing)}"), printed_values("[20-30)"), printed_values("*")
    (['20', '29'], ['a', ''], [], [])
    >>> printed_values("[2024-01-01 – 2024-01-31]"), printed_values("[3-0]")
    (['2024-01-01', '2024-01-31'], [])
    """
    if (found := _range(label)) and found[3] == "]" and exact(found[1]) < exact(found[2]):
        return [found[1], found[2]]
    if label.startswith("[") and (days := read_days(label)) != label and (found := _range(days)) and found[3] == "]":
        return [spelled(int(found[1])), spelled(int(found[2]))] if found[1] != found[2] else []
    return members_of(label)


def leaves_below(hierarchy: Hierarchy, *, lowest: int = 0) -> dict[str, list[tuple[int, int]]]:
    """The first and the last leaf of each node from level `lowest` up, by its name, which several nodes may share.

    A node above the leaves is also called by its name in brackets, as some programs print it, `[Nord]`, unless another
    node has that name.

    >>> from kohort.schema.hierarchy import Hierarchy
    >>> leaves_below(Hierarchy.from_rows([["Milano", "Nord"], ["Torino", "Nord"], ["Bari", "Sud"]], root="*"))["Nord"]
    [(0, 1)]
    """
    found: dict[str, list[tuple[int, int]]] = {}
    names = {*chain.from_iterable(hierarchy.labels)}
    for level in range(lowest, hierarchy.height + 1):
        first, last = hierarchy.spans(level)
        for label, low, high in zip(hierarchy.labels[level], first.tolist(), last.tolist(), strict=True):
            found.setdefault(label, []).append((low, high))
            if level and f"[{label}]" not in names:
                found.setdefault(f"[{label}]", []).append((low, high))
    return found


# ── Labels and values ────────────────────────────────────────────────────────────────────────────


def covers(
    labels: Sequence[str],
    values: Sequence[str],
    *,
    hierarchy: Hierarchy | None = None,
    order: Sequence[str] | None = None,
) -> Mask:
    """(L, V) whether each label covers each value.

    Cost: reading each label once, L x V bytes; pass some of the labels at a time where that is too much.

    Args:
        labels: (L,) distinct released values.
        values: (V,) distinct values of the same attribute before its release.
        hierarchy: Defines the names of nodes.
        order: The attribute's names in their order, for ranges of names; by default the hierarchy's leaves. The missing
            value comes last, unless it is among them.

    Raises:
        InputError: Labels look like a range or a set and cannot be read as one, or, where the values are numbers,
            are not numbers; the message counts them.

    >>> covers(["*", "[20-29]", "{20, 31}", "30.0"], ["20", "29", "30"]).astype(int).tolist()
    [[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 0, 1]]
    >>> from kohort.schema.hierarchy import Hierarchy
    >>> regions = Hierarchy.from_rows([["Milano", "Nord"], ["Torino", "Nord"], ["Bari", "Sud"]], root="*")
    >>> covers(["Nord", "Bari"], ["Bari", "Milano", "Torino"], hierarchy=regions).astype(int).tolist()
    [[0, 1, 1], [1, 0, 0]]
    """
    as_days = days_in(labels, values) if hierarchy is None else None
    texts, numbers = as_days or numbers_in(labels, values) or (labels, values)
    covered = np.zeros((len(labels), len(values)), np.bool_)
    index = _ValueIndex(numbers, hierarchy.leaves if order is None and hierarchy is not None else order)
    nodes = set[str]() if hierarchy is None else set(chain.from_iterable(hierarchy.labels))
    labels = [one[1:-1] if one[:1] == "[" and one not in nodes and one[1:-1] in nodes else one for one in labels]
    unread = 0
    for row, (label, text) in enumerate(zip(labels, texts, strict=True)):
        places = index.covered(text)
        covered[row, places] = True
        readable = places.size > 0 or label in nodes or index.is_readable(text, names=hierarchy is None)
        unread += not readable
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
        InputError: Labels cannot be read; the message names the column.
        HierarchyError: The builder cannot make a hierarchy of the values.

    >>> [places.tolist() for places in covered_by(["[1-2]", "*"], ["2", "3"], column="age")]
    [[0], [0, 1]]
    """
    if isinstance(hierarchy, str):
        hierarchy = from_spec(hierarchy, sorted({*values} - {""}), name=column)
    step = labels_at_once(len(values))
    parts = (labels[start : start + step] for start in range(0, len(labels), step))
    try:
        return [np.flatnonzero(row) for part in parts for row in covers(part, values, hierarchy=hierarchy)]
    except InputError as fault:
        raise InputError(fault.what, where=f"column {column}", hint=fault.hint) from None


def labels_at_once(values: int) -> int:
    """How many labels can be compared with so many values in bounded memory; one at least."""
    return max(1, _PAIRS // max(values, 1))


class _ValueIndex:
    """The values of an attribute by their text, their number, and their name's place in an order."""

    def __init__(self, values: Sequence[str], order: Sequence[str] | None) -> None:
        self._all = np.arange(len(values))
        numbers = sorted((_number(value), place) for place, value in enumerate(values) if is_numeric_text((value,)))
        self._numbers = [number for number, _ in numbers]
        self._of_number = np.array([place for _, place in numbers], dtype=np.int64)
        self._only_numbers = bool(numbers) and len(numbers) == sum(map(bool, values))
        self._places: dict[str, list[int]] = {}
        for place, value in enumerate(values):
            self._places.setdefault(canonical(value), []).append(place)
        names = [canonical(name) for name in order or ()]
        self._order = [*names, ""] if names and "" not in names else names
        self._rank = {name: rank for rank, name in enumerate(self._order)}

    def covered(self, label: str) -> Index:
        """The values that the label covers by its own text; none where it cannot be read."""
        if label == SUPPRESSED:
            return self._all
        found = [self._named([label])]
        if bound := bound_of(label):
            number, is_lower, closed = bound
            found.append(self._between(number, None) if is_lower else self._between(None, number, closed=closed))
        elif span := span_of(label):
            found.append(self._between(span[0], span[1], closed=span[2]))
        found += [self._named(self._order[low : high + 1]) for low, high in self._name_ranges(label)]
        found.append(self._named(members_of(label)))
        return np.concatenate(found)

    def is_readable(self, label: str, *, names: bool) -> bool:
        """Whether a label that covers no value can be read; `names`: as a name, where values are names."""
        if _range(label):
            return span_of(label) is not None
        if label in {"", SUPPRESSED} or bound_of(label) or self._name_ranges(label) or members_of(label):
            return True
        if label[0] + label[-1] in {"[]", "[)", "{}"}:
            return False
        return is_numeric_text((label,)) if self._only_numbers else names

    def _named(self, names: Iterable[str]) -> Index:
        """The values whose text, or number, is one of these."""
        places = (self._places.get(canonical(name), ()) for name in names)
        return np.fromiter(chain.from_iterable(places), np.int64)

    def _between(self, low: Fraction | None, high: Fraction | None, *, closed: bool = True) -> Index:
        """The numbers from `low` to `high`, which is included in a closed range."""
        below = bisect_right if closed else bisect_left
        first = 0 if low is None else bisect_left(self._numbers, low)
        return self._of_number[first : None if high is None else below(self._numbers, high)]

    def _name_ranges(self, label: str) -> list[tuple[int, int]]:
        """The first and last place of each range of names that the label can mean."""
        inside = label[1:-1]
        hyphens = [at for at, letter in enumerate(inside) if letter == "-"] if label == f"[{inside}]" else ()
        ends = ((self._place(inside[:at]), self._place(inside[at + 1 :])) for at in hyphens)
        return [(low, high) for low, high in ends if 0 <= low <= high]

    def _place(self, name: str) -> int:
        return self._rank.get("" if name == MISSING else canonical(name), -1)


def _number(value: str) -> Fraction | int:
    """The exact number; a whole one as `int`, which sorts many times faster."""
    number = exact(value)
    return number.numerator if number.denominator == 1 else number


def _below(labels: Sequence[str], values: Sequence[str], hierarchy: Hierarchy) -> Mask:
    """(L, V) whether the value is a leaf below a node of this name, or of a member; a missing one is below the root."""
    by_key = {canonical(leaf): at for leaf, at in hierarchy.index.items()}
    leaf = np.array([hierarchy.index.get(value, by_key.get(canonical(value), -1)) for value in values], dtype=np.int64)
    order = np.argsort(leaf, kind="stable")
    ascending = leaf[order]
    below = {
        name: [order[slice(*np.searchsorted(ascending, [low, high + 1]))] for low, high in spans]
        for name, spans in leaves_below(hierarchy).items()
    }
    covered = np.zeros((len(labels), len(values)), np.bool_)
    for row, label in enumerate(labels):
        for places in chain.from_iterable(below.get(name, ()) for name in (label, *members_of(label))):
            covered[row, places] = True
    is_root = np.array([label == hierarchy.labels[-1][0] for label in labels], dtype=np.bool_)
    missing = np.array([not value for value in values], dtype=np.bool_)
    return covered | (is_root[:, np.newaxis] & missing)
