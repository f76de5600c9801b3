"""What a region is released as, once more and plainly: from lists of values, listing what each label may stand for.

Missing values are empty texts here. Nothing is shared with the package but the schema's words.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING

from kohort.schema import Attribute, Label, Order
from kohort.schema.hierarchy import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True)
class Released:
    """A label and the share of the domain that it may stand for."""

    text: str
    loss: Fraction


@dataclass(frozen=True)
class Values:
    """A column: what the schema says of it, every record's value, whether they are numbers."""

    attribute: Attribute
    cells: Sequence[str]
    numeric: bool

    @cached_property
    def unit(self) -> Fraction:
        """The least step between numbers: of values and of a grid's cuts."""
        grid = self.attribute.grid
        cuts = [*grid] if isinstance(grid, tuple) else [grid] if isinstance(grid, Fraction) else []
        return Fraction(1, 10 ** max(_decimals(number) for number in [*map(Fraction, filter(None, self.cells)), *cuts]))

    @cached_property
    def numbers(self) -> list[Fraction]:
        """Every number of the domain, from the least to the greatest."""
        observed = [Fraction(cell) for cell in self.cells if cell]
        low, high = self.attribute.bounds or (min(observed), max(observed))
        return [low + step * self.unit for step in range(int((high - low) / self.unit) + 1)]

    def names(self) -> list[str]:
        """Every name of the domain, in its order; the missing one among them where it occurs."""
        records = Counter(self.cells)
        leaves = self.leaves()
        order = self.attribute.order or (Order.HIERARCHY if leaves else Order.FREQUENCY)
        if order is Order.HIERARCHY:
            return leaves
        names = sorted(records) if order is Order.SORTED else sorted(records, key=lambda name: (-records[name], name))
        return names + [leaf for leaf in leaves if leaf not in records]

    def leaves(self) -> list[str]:
        """The hierarchy's leaves; the missing value comes last where it occurs."""
        hierarchy = self.attribute.hierarchy
        if not isinstance(hierarchy, Hierarchy):
            return []
        return [*hierarchy.leaves, *([""] if "" in self.cells and "" not in hierarchy.leaves else [])]

    def printed(self, number: Fraction) -> str:
        """The shortest text of a number in the column."""
        texts = (cell for cell in self.cells if cell and Fraction(cell) == number)
        return min(texts, key=lambda text: (len(text), text))


def _decimals(number: Fraction) -> int:
    return next(digits for digits in count() if (number * 10**digits).denominator == 1)


def _share(meant: int, domain: int) -> Fraction:
    """(M - 1) / (|A| - 1), and 0 where the domain is one value."""
    return Fraction(meant - 1, domain - 1) if domain > 1 else Fraction(0)


def label(values: Values, kind: Label, inside: Sequence[str]) -> Released:
    """What the records with the values `inside` are released as."""
    if kind is Label.SET:
        return _set(values, inside)
    if kind is Label.ANCESTOR:
        return _ancestor(values, inside)
    if not values.numeric:
        return _range_of_names(values, inside)
    if "" in inside:
        return Released("*", Fraction(1)) if any(inside) else Released("", Fraction(0))
    numbers = sorted(Fraction(value) for value in inside)
    return _grid(values, numbers) if kind is Label.GRID else _range(values, numbers, is_mean=kind is Label.MEAN)


def _range(values: Values, numbers: Sequence[Fraction], *, is_mean: bool) -> Released:
    low, high = numbers[0], numbers[-1]
    loss = _share(sum(low <= number <= high for number in values.numbers), len(values.numbers))
    if low == high:
        return Released(values.printed(low), loss)
    if is_mean:
        hundredths = sum(numbers) / len(numbers) / values.unit * 100
        return Released(_text(math.floor(hundredths + Fraction(1, 2)) * values.unit / 100), loss)
    return Released(f"[{values.printed(low)}-{values.printed(high)}]", loss)


def _text(number: Fraction) -> str:
    digits = _decimals(number)
    return f"{float(number):.{digits}f}" if digits else str(number)


def _set(values: Values, inside: Sequence[str]) -> Released:
    if values.numeric:
        members = {values.printed(Fraction(value)) if value else "" for value in inside}
        observed = len({Fraction(cell) for cell in values.cells if cell}) + ("" in values.cells)
        declared = len(values.numbers) + ("" in values.cells) if values.attribute.bounds else observed
        domain = len(values.leaves()) or declared
    else:
        members, domain = set(inside), len(values.names())
        if values.leaves() and len(members) > 1:
            return _branches(values, inside)
    loss = _share(len(members), domain)
    if len(members) == 1:
        return Released(members.pop(), loss)
    return Released("{" + ", ".join(_member(member) for member in sorted(members)) + "}", loss)


def _branches(values: Values, inside: Sequence[str]) -> Released:
    """A set whose members nobody has alone: else the first node upwards that holds another value, and all in it."""
    paths = {path[0]: path for path in _paths(values)}
    below: dict[tuple[int, str], set[str]] = {}
    for path in paths.values():
        for level, text in enumerate(path):
            below.setdefault((level, text), set()).add(path[0])
    chosen = list[tuple[int, str]]()
    for value in set(inside):
        level = 0
        if value and inside.count(value) == 1:
            height = len(paths[value]) - 1
            while level < height and len(below[level, paths[value][level]] & set(values.cells) - {""}) == 1:
                level += 1
        chosen.append((level, paths[value][level]))
    outer = {node for node in chosen if not any(below[node] < below[other] for other in chosen)}
    members = set[str]()
    for level, text in outer:
        leaves = sorted(below[level, text])
        meant = {frozenset(held) for (_, other), held in below.items() if other == text}
        members |= set(leaves) if len(meant) > 1 or text == "{" + ", ".join(map(_member, leaves)) + "}" else {text}
    loss = _share(len(set[str]().union(*(below[node] for node in outer))), len(paths))
    names = sorted(members)
    return Released(names[0] if len(names) == 1 else "{" + ", ".join(map(_member, names)) + "}", loss)


def _member(text: str) -> str:
    if not text:
        return "(missing)"
    nasty = text == "(missing)" or text != text.strip() or any(sign in text for sign in '{},"')
    return json.dumps(text, ensure_ascii=False) if nasty else text


def _ancestor(values: Values, inside: Sequence[str]) -> Released:
    """The first label, from the leaf upwards, that all values have; it may stand for all leaves that have it there."""
    wanted = {values.printed(Fraction(value)) if values.numeric and value else value for value in inside}
    paths = {path[0]: path for path in _paths(values)}
    for level in range(len(paths[min(wanted)])):
        common = {paths[value][level] for value in wanted}
        if len(common) == 1:
            (text,) = common
            return Released(text, _share(sum(path[level] == text for path in paths.values()), len(paths)))
    message = "every hierarchy has a root"
    raise AssertionError(message)


def _paths(values: Values) -> Iterator[tuple[str, ...]]:
    """From each leaf to the root."""
    hierarchy = values.attribute.hierarchy
    assert isinstance(hierarchy, Hierarchy)
    yield from hierarchy.rows()
    if "" in values.cells and "" not in hierarchy.leaves:
        yield (*[""] * hierarchy.height, hierarchy.labels[-1][0])


def _range_of_names(values: Values, inside: Sequence[str]) -> Released:
    names = values.names()
    first, last = min(map(names.index, inside)), max(map(names.index, inside))
    loss = _share(last - first + 1, len(names))
    if first == last:
        return Released(names[first], loss)
    return Released(f"[{names[first] or '(missing)'}-{names[last] or '(missing)'}]", loss)


def _grid(values: Values, numbers: Sequence[Fraction]) -> Released:
    grid = values.attribute.grid
    if isinstance(grid, Fraction):
        low, high = numbers[0] // grid * grid, (numbers[-1] // grid + 1) * grid
    else:
        assert isinstance(grid, tuple)
        low, high = max(cut for cut in grid if cut <= numbers[0]), min(cut for cut in grid if cut > numbers[-1])
    within = [number for number in values.numbers if low <= number < high]
    return Released(f"[{_text(low)}-{_text(high)})", _share(len(within), len(values.numbers)))
