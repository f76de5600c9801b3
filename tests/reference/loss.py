"""Cuts by loss, order cuts and bounds once more, plainly: lists of records, exact fractions, no arrays.

What a group costs is read from the labels of `tests.reference.labels`, which lists what each may stand for.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from kohort.algorithms.problem import Problem
from kohort.core.frequency import FrequencySet
from kohort.core.recoding import Multidimensional
from kohort.schema import Attribute, Label, Role
from kohort.schema.domain import resolve
from kohort.schema.hierarchies import from_tree, intervals, suppress
from kohort.schema.sensitive import SensitiveDomain
from tests.reference import labels as plain
from tests.reference import mondrian
from tests.reference.mondrian import Record, Rules, extent
from tests.reference.mondrian_tables import VALUES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kohort.algorithms.problem import Solution
    from kohort.models.base import PrivacyModel
    from kohort.schema.domain import Domain

#: A record: its texts, then its sensitive code.
Row: TypeAlias = tuple[str | int, ...]
Group: TypeAlias = list[Row]

REGIONS = from_tree({"Nord": ["Torino", "Milano", "Aosta"], "Bari": ["Lecce", "Bari"], "Isole": ["Nuoro"]}, root="*")
AGES = intervals(map(str, range(16, 96)), (5, 10, 20), low=16, high=95)

#: The kinds of columns: their values, and what the schema says.
KINDS: Mapping[str, tuple[Sequence[str], Mapping[str, object]]] = {
    "range": (("-3", "1", "2", "5", "9", "14"), {}),
    "decimals": (("0.25", "1.5", "1.50", "2", "3.75"), {"weight": Fraction(1, 3)}),
    "in bounds": (("16", "30", "31", "44", "95"), {"bounds": (10, 100)}),
    "mean": (("1", "2", "5", "9"), {"label": "mean"}),
    "step": (("-3", "1", "2", "5", "9", "14"), {"grid": 5}),
    "cuts": (("16", "30", "31", "44", "95"), {"grid": (0, 18, "64.5", 120), "weight": 2}),
    "set": (tuple("abcdef"), {}),
    "sorted set": (tuple("abcd"), {"order": "sorted", "weight": Fraction(5, 2)}),
    "set of numbers": (("1", "2", "7"), {"label": "set"}),
    "range of names": (tuple("abcd"), {"label": "range"}),
    "ancestor": (("Bari", "Lecce", "Milano", "Torino", "Aosta"), {"hierarchy": REGIONS}),
    "ancestor by text": (("Bari", "Lecce", "Milano", "Nuoro"), {"hierarchy": REGIONS, "order": "sorted"}),
    "ancestor of ages": (("16", "17", "25", "44", "95"), {"hierarchy": AGES, "label": "ancestor"}),
    "cells": (tuple("abc"), {"hierarchy": suppress("abc"), "label": "ancestor"}),
    "dear cells": (tuple("abc"), {"hierarchy": suppress("abc"), "label": "ancestor", "weight": Fraction(3, 2)}),
}


class Column(NamedTuple):
    """A column: what labels are made from, and the place of each text."""

    values: plain.Values
    domain: Domain
    places: Mapping[str, int]


@dataclass(frozen=True)
class Mixed:
    """A small table of columns of any kind.

    Attributes:
        kinds: Of each column, a key of KINDS.
        rows: The records.
    """

    kinds: tuple[str, ...]
    rows: tuple[Row, ...]

    def columns(self) -> list[Column]:
        """The columns as they are resolved, and plainly."""
        return [self._column(place, kind) for place, kind in enumerate(self.kinds)]

    def _column(self, place: int, kind: str) -> Column:
        cells = [str(row[place]) for row in self.rows]
        attribute = Attribute(f"q{place}", Role.QUASI, **KINDS[kind][1])  # type: ignore[arg-type]
        texts = sorted(set(cells))
        domain, codes = resolve(attribute, texts, np.array([cells.count(text) for text in texts]), frozenset({""}))
        by_leaf = domain.label is Label.ANCESTOR
        places = {text: int(domain.leaves[code] if by_leaf else code) for text, code in zip(texts, codes, strict=True)}
        return Column(plain.Values(attribute, cells, domain.scale == "numeric"), domain, places)

    def problem(self, *models: PrivacyModel) -> Problem:
        """The table as algorithms see it: each record a tuple, or, of equal ones, one with their number."""
        columns = self.columns()
        distinct = sorted(set(self.rows), key=str)
        counts = np.array([self.rows.count(row) for row in distinct], dtype=np.int64)
        quasi = [self.codes(columns[place], [str(row[place]) for row in distinct]) for place in range(len(columns))]
        sensitive = np.array([[row[-1]] for row in distinct], dtype=np.uint16)
        values = SensitiveDomain("disease", np.bincount(sensitive[:, 0], counts, VALUES + 1)[:VALUES].astype(np.int64))
        matrix = np.ascontiguousarray(np.array(quasi, dtype=np.uint16).T)
        domains = tuple(column.domain for column in columns)
        return Problem(FrequencySet(matrix, sensitive, counts, (values,)), domains, models)

    @staticmethod
    def codes(column: Column, cells: Sequence[str]) -> list[int]:
        """The code of each text of a column."""
        if column.domain.label is not Label.ANCESTOR:
            return [column.places[cell] for cell in cells]
        code_of = {int(leaf): code for code, leaf in enumerate(column.domain.leaves)}
        return [code_of[column.places[cell]] for cell in cells]

    def leaves_of(self, solution: Solution) -> list[Group]:
        """What the solution puts in each region, sorted."""
        recoding = solution.recoding
        assert isinstance(recoding, Multidimensional)
        distinct = sorted(set(self.rows), key=str)
        found: list[Group] = [[] for _ in recoding.low]
        for piece, region, count in zip(recoding.tuples, recoding.regions, recoding.counts, strict=True):
            found[int(region)] += [distinct[piece]] * int(count)
        return [sorted(group, key=str) for group in found]


def cost(group: Group, columns: Sequence[Column], *, ncp: bool = False) -> Fraction:
    """What cuts are judged by: the weighted sum of the losses of the labels that the records would be released under.

    Of a set of several values that is half of a value more than NCP counts.
    """
    found = Fraction(0)
    for place, column in enumerate(columns):
        cells = [str(row[place]) for row in group]
        loss = plain.label(column.values, column.domain.label, cells).loss
        if column.domain.label is Label.SET and len({column.places[cell] for cell in cells}) > 1 and not ncp:
            loss += Fraction(1, 2) / Fraction(column.domain.others)
        found += Fraction(column.values.attribute.weight) * loss
    return found


def total(groups: Sequence[Group], columns: Sequence[Column], *, ncp: bool = False) -> Fraction:
    """Records times cost, over all groups."""
    return sum((len(group) * cost(group, columns, ncp=ncp) for group in groups), Fraction(0))


def by_loss(rows: Group, columns: Sequence[Column], satisfied: Callable[[Group], bool]) -> list[Group]:
    """The leaves of the cuts that save most, left before right."""
    best = best_cut(rows, columns, satisfied)
    if best is None:
        return [sorted(rows, key=str)]
    return by_loss(best[0], columns, satisfied) + by_loss(best[1], columns, satisfied)


def best_cut(rows: Group, columns: Sequence[Column], satisfied: Callable[[Group], bool]) -> tuple[Group, Group] | None:
    """Both sides of the allowable cut that saves most, the first of equals; of cuts that save nothing the most even."""
    whole, best, saved = total([rows], columns), None, Fraction(0)
    for place, column in enumerate(columns):
        for left, right in cuts(rows, place, column, columns):
            if satisfied(left) and satisfied(right):
                gain = whole - total([left, right], columns)
                even = gain == saved == 0 and (best is None or apart((left, right)) < apart(best))
                if best is None or gain > saved or even:
                    best, saved = (left, right), gain
    return best


def relaxed(table: Mixed, satisfied: Callable[[Group], bool]) -> list[Group]:
    """The leaves of relaxed cuts: those of `by_loss`, cut on as without a view to loss: between values, else dealt."""
    columns = table.columns()
    records = {row: Record(tuple(_codes(row, columns)), (int(row[-1]),)) for row in table.rows}
    rows = {record: row for row, record in records.items()}

    def fits(side: list[Record]) -> bool:
        return satisfied([rows[one] for one in side])

    rules = Rules(
        [column.domain.positions.tolist() for column in columns],
        [Fraction(column.values.attribute.weight) for column in columns],
        fits,
        relaxed=True,
    )
    whole = [records[row] for row in table.rows]
    widths = [extent(whole, rules, dimension) for dimension in range(len(columns))]

    def grown(group: Group) -> list[Group]:
        sides = best_cut(group, columns, satisfied)
        inside = [records[row] for row in group]
        other = None if sides else mondrian.best_cut(inside, rules, widths)
        if other:
            sides = [rows[one] for one in other[0]], [rows[one] for one in other[1]]
        return grown(sides[0]) + grown(sides[1]) if sides else [sorted(group, key=str)]

    return grown(list(table.rows))


def _codes(row: Row, columns: Sequence[Column]) -> list[int]:
    """The code of each of a record's texts."""
    return [Mixed.codes(column, [str(row[place])])[0] for place, column in enumerate(columns)]


def apart(sides: tuple[Group, Group]) -> int:
    """How much larger one side is."""
    return abs(len(sides[0]) - len(sides[1]))


def cuts(rows: Group, place: int, column: Column, columns: Sequence[Column]) -> Iterator[tuple[Group, Group]]:
    """The cuts of one column: prefixes, and the two groups that merging the values of a set leaves."""
    where = [column.places[str(row[place])] for row in rows]
    values = sorted(set(where))
    for value in values[:-1]:
        yield (
            [row for row, one in zip(rows, where, strict=True) if one <= value],
            [row for row, one in zip(rows, where, strict=True) if one > value],
        )
    if column.domain.label is Label.SET and len(values) > 2:
        groups = [[row for row, one in zip(rows, where, strict=True) if one == value] for value in values]
        while len(groups) > 2:
            raised = [
                (total([groups[a] + groups[b]], columns) - total([groups[a], groups[b]], columns), a, b)
                for a, b in combinations(range(len(groups)), 2)
            ]
            _, a, b = min(raised)
            groups[a] += groups.pop(b)
        yield groups[0], groups[1]


# ── Local recoding ───────────────────────────────────────────────────────────────────────────────


def refined(rows: Group, columns: Sequence[Column], satisfied: Callable[[Group], bool]) -> list[Group]:
    """The classes that are left when no record below a node can be parted from the rest of a class with any gain."""
    best, saved = None, Fraction(0)
    whole = total([rows], columns)
    for below, others in partings(rows, columns):
        if satisfied(below) and satisfied(others):
            gain = whole - total([below, others], columns)
            if gain > saved:
                best, saved = (below, others), gain
    if best is None:
        return [sorted(rows, key=str)]
    return refined(best[0], columns, satisfied) + refined(best[1], columns, satisfied)


def partings(rows: Group, columns: Sequence[Column]) -> Iterator[tuple[Group, Group]]:
    """The records below every node and the rest: column by column, level by level from the leaves, in leaf order."""
    for place, column in enumerate(columns):
        hierarchy = column.domain.hierarchy
        assert hierarchy is not None
        leaves = [column.places[str(row[place])] for row in rows]
        for node_of in hierarchy.maps[:-1]:
            nodes = [int(node_of[leaf]) for leaf in leaves]
            for node in sorted(set(nodes)):
                below = [row for row, one in zip(rows, nodes, strict=True) if one == node]
                if len(below) < len(rows):
                    yield below, [row for row, one in zip(rows, nodes, strict=True) if one != node]


# ── The order cut ────────────────────────────────────────────────────────────────────────────────


def tree_order(rows: Group, columns: Sequence[Column], least: int) -> list[Row]:
    """The different tuples leaf by leaf, each leaf as a chain."""
    order: list[Row] = []
    for leaf in _leaves(rows, columns, least, []):
        left = sorted({row[:-1] for row in leaf}, key=lambda one: places_of(one, columns))
        while left:
            pairs = [(cost([(*order[-1], 0), (*one, 0)], columns) if order else Fraction(0)) for one in left]
            order.append(left.pop(pairs.index(min(pairs))))
    return order


def places_of(row: Row, columns: Sequence[Column]) -> list[int]:
    """The place of each of a record's texts."""
    return [column.places[str(row[place])] for place, column in enumerate(columns)]


def _leaves(rows: Group, columns: Sequence[Column], least: int, finished: list[Group]) -> list[Group]:
    """The leaves of the cuts by loss, the side first that costs less with the last finished leaf."""
    best = best_cut(rows, columns, lambda side: len(side) >= least)
    if best is None:
        return [*finished, rows]
    left, right = best
    last = finished[-1] if finished else []
    flipped = bool(last) and cost(right + last, columns) < cost(left + last, columns)
    first, second = (right, left) if flipped else (left, right)
    return _leaves(second, columns, least, _leaves(first, columns, least, finished))


def to_and_fro(rows: Group, columns: Sequence[Column]) -> list[Row]:
    """The different tuples lexicographically, the dearest steps first, every other run backwards."""

    def step(place: int) -> Fraction:
        column = columns[place]
        others = len({column.places[str(row[place])] for row in rows}) - 1
        return Fraction(column.values.attribute.weight) / others if others else Fraction(0)

    runs = [sorted({row[:-1] for row in rows}, key=str)]
    for place in sorted(range(len(columns)), key=lambda one: (-step(one), one)):
        parts: list[list[Row]] = []
        for number, run in enumerate(runs):
            values = sorted({places_of(row, columns)[place] for row in run}, reverse=number % 2 == 1)
            parts += [[row for row in run if places_of(row, columns)[place] == value] for value in values]
        runs = parts
    return [row for run in runs for row in run]


def reordered(
    tuples: Group, records: Sequence[int], ends: Sequence[int], columns: Sequence[Column], windows: tuple[int, int]
) -> list[Row]:
    """The different tuples of a divided line in a new order.

    Args:
        tuples: In their order.
        records: Of each.
        ends: Records up to the end of each class.
        columns: What labels are made from.
        windows: Blocks of the first window, and of each other.
    """
    blocks: list[list[Group]] = [[]]
    inside, upto = list[tuple[int, ...]](), 0
    for row, count in zip(tuples, records, strict=True):
        upto += count
        classes = tuple(c for c, end in enumerate(ends) if end > upto - count and (c == 0 or ends[c - 1] < upto))
        if inside and inside[-1] == classes:
            blocks[-1][-1] = [*blocks[-1][-1], row]
        else:
            blocks[-1].append([row])
        inside.append(classes)
        if upto in ends:
            blocks.append([])
    parts = [part for block in _followed(blocks[:-1], columns, windows) for part in block]
    return [row for at in range(len(parts)) for row in _leaning(parts, at, columns)]


def _followed(
    blocks: Sequence[list[Group]], columns: Sequence[Column], windows: tuple[int, int]
) -> Iterator[list[Group]]:
    """Blocks, each followed by the one of its window that costs least together with it."""
    starts = [0, *range(windows[0], len(blocks), windows[1]), len(blocks)]
    last: Group = []
    for begin, end in pairwise(starts):
        left = list(blocks[begin:end])
        while left:
            pairs = [cost([*last, *chain.from_iterable(block)], columns) if last else Fraction(0) for block in left]
            found = left.pop(pairs.index(min(pairs)))
            last = list(chain.from_iterable(found))
            yield found


def _leaning(parts: Sequence[Group], at: int, columns: Sequence[Column]) -> list[Row]:
    """The tuples of a part, those first that raise the cost of the part before it less than that of the next one."""

    def raised(row: Row, other: int) -> Fraction:
        beside = parts[other] if 0 <= other < len(parts) else ()
        return cost([*beside, row], columns) - cost(beside, columns) if beside else Fraction(0)

    return sorted(parts[at], key=lambda row: raised(row, at - 1) - raised(row, at + 1))


def cheapest_division(
    line: Group, columns: Sequence[Column], sizes: range, satisfied: Callable[[Group], bool]
) -> Fraction | None:
    """What the records of a line cost, divided as well as may be into classes that satisfy; `None`: there is no way."""
    best: list[Fraction | None] = [Fraction(0)]
    for end in range(1, len(line) + 1):
        ways = [
            before + total([line[end - size : end]], columns)
            for size in sizes
            if size <= end and (before := best[end - size]) is not None and satisfied(line[end - size : end])
        ]
        best.append(min(ways, default=None))
    return best[-1]


def divisions(records: int, least: int) -> Iterator[list[int]]:
    """Every way to divide a line into classes of at least so many records, as where they end."""
    if records >= least:
        yield [records]
    for first in range(least, records - least + 1):
        for rest in divisions(records - first, least):
            yield [first, *(first + end for end in rest)]


# ── The bound ────────────────────────────────────────────────────────────────────────────────────


def cheapest_with(number: int, rows: Group, columns: Sequence[Column], k: int) -> Fraction:
    """What the cheapest group of k records costs that holds the record; no larger one costs less."""
    others = [place for place in range(len(rows)) if place != number]
    return min(
        cost([rows[number], *(rows[place] for place in chosen)], columns, ncp=True)
        for chosen in combinations(others, k - 1)
    )


def partitions(rows: Group, least: int) -> Iterator[list[Group]]:
    """Every way to put the records into classes of at least so many."""
    if not rows:
        yield []
    for size in range(least - 1, len(rows)):
        for chosen in combinations(range(1, len(rows)), size):
            rest = [row for place, row in enumerate(rows) if place and place not in chosen]
            for others in partitions(rest, least):
                yield [[rows[0], *(rows[place] for place in chosen)], *others]
