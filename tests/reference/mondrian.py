"""Mondrian once more, plainly: lists of records, no weights of tuples, no arrays, written from the rules R2 to R5.

It is the oracle of the fast one. Every record is spelled out, every side of every cut is judged anew.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from kohort.algorithms.mondrian.dimension import AtRandom, MostValues

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Record(NamedTuple):
    """One record: a code per quasi-identifier and a code per sensitive attribute, and whose it is."""

    quasi: tuple[int, ...]
    sensitive: tuple[int, ...] = ()
    person: int = 0


class Rules(NamedTuple):
    """What the cuts depend on: the scale and weight of every dimension, the models, the mode."""

    positions: Sequence[Sequence[int]]
    weights: Sequence[Fraction]
    satisfied: Callable[[list[Record]], bool]
    cut: str = "nearest"
    relaxed: bool = False
    dimension: MostValues | AtRandom | None = None


def mondrian(records: list[Record], rules: Rules) -> list[list[Record]]:
    """The leaves, left before right."""
    table = [extent(records, rules, dimension) for dimension in range(len(rules.positions))]
    leaves: list[list[Record]] = []
    open_partitions = [records]
    while open_partitions:
        partition = open_partitions.pop()
        sides = best_cut(partition, rules, table)
        if sides is None:
            leaves.append(partition)
        else:
            open_partitions += [sides[1], sides[0]]
    return leaves


def best_cut(partition: list[Record], rules: Rules, table: list[int]) -> tuple[list[Record], list[Record]] | None:
    """Both sides of the cut that R2 to R5 choose, or None at a leaf."""
    order = by_width(partition, rules, table)
    strict = rules.cut == "nearest" or not rules.relaxed
    if strict:
        for dimension in order:
            for value in strict_values(partition, rules.cut, dimension):
                left = [record for record in partition if record.quasi[dimension] <= value]
                right = [record for record in partition if record.quasi[dimension] > value]
                if left and right and rules.satisfied(left) and rules.satisfied(right):
                    return left, right
    if rules.relaxed:
        for dimension in order:
            left, right = deal(partition, dimension)
            if rules.satisfied(left) and rules.satisfied(right):
                return left, right
    return None


def by_width(partition: list[Record], rules: Rules, table: list[int]) -> list[int]:
    """R2: the dimensions that differ, widest first or by another measure, ties by schema position."""
    relative = {
        dimension: _measure(partition, rules, dimension, Fraction(width, table[dimension]))
        for dimension in range(len(table))
        if (width := extent(partition, rules, dimension)) > 0
    }
    return sorted(relative, key=lambda dimension: (-relative[dimension], dimension))


def _measure(partition: list[Record], rules: Rules, dimension: int, share: Fraction) -> Fraction:
    if isinstance(rules.dimension, AtRandom):
        return Fraction(_draw(partition, rules.dimension.seed, dimension))
    if isinstance(rules.dimension, MostValues):
        share = Fraction(len({record.quasi[dimension] for record in partition}))
    return share * rules.weights[dimension]


def _draw(partition: list[Record], seed: int, dimension: int) -> int:
    """Splitmix64 over the seed, the ends of every dimension's range, and the dimension."""
    state = seed
    for codes in zip(*(record.quasi for record in partition), strict=True):
        state = _mixed(_mixed(state ^ min(codes)) ^ max(codes))
    return (_mixed(state ^ dimension) >> 33) + 1


def _mixed(state: int) -> int:
    bits = (1 << 64) - 1
    state = (state + 0x9E3779B97F4A7C15) & bits
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 & bits
    state = (state ^ (state >> 27)) * 0x94D049BB133111EB & bits
    return state ^ (state >> 31)


def extent(partition: list[Record], rules: Rules, dimension: int) -> int:
    """How far apart the records' places are on a dimension's scale."""
    places = [rules.positions[dimension][record.quasi[dimension]] for record in partition]
    return max(places) - min(places)


def strict_values(partition: list[Record], cut: str, dimension: int) -> list[int]:
    """R3, R4: the values v whose cut into {<= v} and {> v} is tried, best first."""
    values = sorted(record.quasi[dimension] for record in partition)
    if cut == "median":
        return [values[(len(values) - 1) // 2]]
    return sorted(
        set(values), key=lambda value: (abs(2 * sum(other <= value for other in values) - len(values)), value)
    )


def deal(partition: list[Record], dimension: int) -> tuple[list[Record], list[Record]]:
    """R5: {< m} and as many of {= m} as reach half, rounded up; the rest to the right."""
    values = sorted(record.quasi[dimension] for record in partition)
    median = values[(len(values) - 1) // 2]
    left = [record for record in partition if record.quasi[dimension] < median]
    right = [record for record in partition if record.quasi[dimension] > median]
    tied = [record for record in partition if record.quasi[dimension] == median]
    wanted = (len(partition) + 1) // 2 - len(left)
    kinds = sorted({record.sensitive for record in tied})
    shares = [Fraction(wanted * sum(record.sensitive == kind for record in tied), len(tied)) for kind in kinds]
    takes = [int(share) for share in shares]
    neediest = sorted(range(len(kinds)), key=lambda place: (takes[place] - shares[place], kinds[place]))
    for place in neediest[: wanted - sum(takes)]:
        takes[place] += 1
    for kind, take in zip(kinds, takes, strict=True):
        alike = sorted(record for record in tied if record.sensitive == kind)
        left += alike[:take]
        right += alike[take:]
    return left, right
