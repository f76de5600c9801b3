"""Minimality: an algorithm that generalizes only where it must reveals by it that it had to.

Wong, Fu, Wang, Pei: Minimality Attack in Privacy Preserving Data Publishing (VLDB 2007). Mondrian would have cut a
class in two wherever both sides satisfied the models. An attacker who knows the quasi-identifiers of its people, and so
the sizes of the sides, knows that a sensitive value was too frequent in one of them. Of all ways to deal the values to
the people he keeps those, and in them some people have the value more often than the class shows (section 4).

The attack tries cuts of numbers, both sides of which have at least k people, and where only the most frequent value of
the class can be too frequent on either side: so it must have been that one. The limit of its share is taken to be the
greatest share of any value in a class of the release, a lower bound of the one that the job set. Full-domain
generalization refines no class alone, and is not attacked.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import comb, inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kohort.assessment.labels import span_of
from kohort.assessment.risk.attacks.base import Attack
from kohort.schema.numbers import exact, is_numeric_text
from kohort.schema.open_ends import bound_of, numbers_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from kohort.arrays import Counts, Index
    from kohort.assessment.population import PopulationMatch
    from kohort.assessment.risk.attacks.base import ReleaseView


@dataclass(frozen=True, slots=True, eq=False)
class Adversary:
    """The attacker's knowledge of a release and its people.

    Attributes:
        pairs: (m, 2) each tuple of quasi-identifiers, and a class that covers it.
        counts: (t,) people with each tuple.
        positions: Per numeric column, (t,) where each tuple lies on it; equal where no cut may part two.
        classes: (n,) the class of each record.
        values: (n,) its sensitive value; below 0 where that is missing.
    """

    pairs: Index
    counts: Counts
    positions: tuple[Index, ...]
    classes: Index
    values: Index


def minimality(known: Adversary, *, truth: tuple[Index, Index] | None = None, of: str = "") -> Attack:
    """The people who, by minimality, have a value with a chance above the limit that their class keeps.

    The baseline is the share of the value in their class, as the release shows it.

    Args:
        known: What the attacker knows.
        truth: (p,) the tuple and the value of each person; `None`: as many claims are right as are likely.
        of: The sensitive attribute.
    """
    sizes = np.bincount(known.classes)
    frequent = _Frequent.of(known, sizes)
    known = replace(known, pairs=_attacked(known, sizes))
    claims, right, guessed = 0, 0.0, 0.0
    for one, side in sorted(_surest(known, sizes, frequent).items()):
        claims += side.people
        value = int(frequent.value[one])
        right += float(side.chance * side.people) if truth is None else _having(truth, side.tuples(known, one), value)
        guessed += side.people * int(frequent.most[one]) / int(sizes[one])
    everybody = known.classes.size
    return Attack.scored("minimality", everybody, claims, right, guessed / max(everybody, 1), of=of)


def _attacked(known: Adversary, sizes: Counts) -> Index:
    """(m, 2) the pairs, by class, of classes large enough to be cut whose people are just those known."""
    tuples, classes = known.pairs.T
    people = np.bincount(classes, weights=known.counts[tuples], minlength=sizes.size)
    attacked = (sizes >= 2 * sizes.min(initial=1)) & (people == sizes)
    pairs: Index = known.pairs[attacked[classes]]
    order = np.argsort(pairs[:, 1], kind="stable")
    return pairs.take(order, axis=0)


class _Frequent(NamedTuple):
    """The most frequent sensitive value of each class; of several the first.

    Attributes:
        value: (c,) its code.
        most: (c,) records with it.
        second: (c,) records with the next one.
        limit: The greatest share that a value has in any class.
    """

    value: Index
    most: Counts
    second: Counts
    limit: Fraction

    @classmethod
    def of(cls, known: Adversary, sizes: Counts) -> _Frequent:
        valued, different = known.values >= 0, int(known.values.max(initial=0)) + 1
        kinds, records = np.unique((known.classes * different + known.values)[valued], return_counts=True)
        classes, values = np.divmod(kinds, different)
        order = np.lexsort((values, -records, classes))
        values, records = values[order], records[order]
        with_values, first, kinds_of = np.unique(classes, return_index=True, return_counts=True)
        value, most, second = (np.zeros(sizes.size, np.int64) for _ in range(3))
        value[with_values], most[with_values] = values[first], records[first]
        several = kinds_of > 1
        second[with_values[several]] = records[first[several] + 1]
        shares = map(Fraction, most[with_values].tolist(), sizes[with_values].tolist())
        return cls(value, most, second, max(shares, default=Fraction(1)))


class _Side(NamedTuple):
    """A side of a cut that was not made, and the chance that a person there has the most frequent value.

    Attributes:
        chance: That chance.
        people: The people of the side.
        column: The place of the cut column among `Adversary.positions`.
        end: The last position below the cut.
        lower: Whether it is the side below.
    """

    chance: Fraction
    people: int
    column: int
    end: int
    lower: bool

    def tuples(self, known: Adversary, one: int) -> Index:
        """Its tuples in this class."""
        start, end = np.searchsorted(known.pairs[:, 1], [one, one + 1])
        inside: Index = known.pairs[start:end, 0]
        return inside.compress((known.positions[self.column][inside] <= self.end) == self.lower)


def _surest(known: Adversary, sizes: Counts, frequent: _Frequent) -> dict[int, _Side]:
    """Of each class the side whose people have the value with the greatest chance above the limit, if any."""
    best: dict[int, _Side] = {}
    limit = frequent.limit
    for column, positions in enumerate(known.positions):
        for one, end, *people in _cuts(known, positions, sizes, frequent):
            chances = credibility(tuple(people), int(frequent.most[one]), limit)
            for chance, many, lower in zip(chances, people, (True, False), strict=True):
                if chance > limit and (one not in best or (chance, many) > best[one][:2]):
                    best[one] = _Side(chance, many, column, end, lower)
    return best


def _cuts(
    known: Adversary, positions: Index, sizes: Counts, frequent: _Frequent
) -> Iterator[tuple[int, int, int, int]]:
    """Every cut that was not made because the most frequent value was too frequent on one side.

    Of each: the class, the last position below it, and the people below and above.
    """
    tuples, classes = known.pairs[:, 0], known.pairs[:, 1]
    if not tuples.size:
        return
    order = np.lexsort((positions[tuples], classes))
    tuples, at = tuples[order], positions[tuples[order]]
    first = np.searchsorted(classes, classes)
    people = np.cumsum(known.counts[tuples])
    below = people - people[first] + known.counts[tuples[first]]
    ends = np.flatnonzero((np.diff(at) != 0) & (np.diff(classes) == 0))
    of, below = classes[ends], below[ends]
    above = sizes[of] - below
    small, (share, whole) = np.minimum(below, above), frequent.limit.as_integer_ratio()
    was_cut = (small < sizes.min()) | (frequent.second[of] * whole > share * small)
    kept = ~was_cut & (frequent.most[of] * whole > share * small)
    yield from zip(*(one[kept].tolist() for one in (of, at[ends], below, above)), strict=True)


def _having(truth: tuple[Index, Index], tuples: Index, value: int) -> int:
    """How many people of these tuples have the value."""
    return int(np.isin(truth[0][truth[1] == value], tuples).sum())


def positions_of(view: ReleaseView, match: PopulationMatch, hierarchies: Collection[str]) -> Iterator[Index]:
    """Of each column that is released as ranges of numbers, where each tuple lies: in which cell, if it has a grid.

    Intervals that never overlap may be nodes of a level that all of the column lies on, where nothing was cut.
    """
    for column, name in enumerate(view.quasi):
        labels, values = view.labels[column], match.people.values[column]
        labels, values = numbers_in(labels, values) or (labels, values)
        spans = sorted(span for label in labels if (span := span_of(label)))
        if not spans or name in hierarchies or not is_numeric_text(value for value in values if value):
            continue
        numbers = [exact(value) if value else -inf for value in values]
        if not spans[0][2]:
            if all(one[1] <= other[0] for one, other in pairwise(spans) if one != other):
                continue
            bounds = {bound[0] for label in labels if (bound := bound_of(label))}
            cuts = sorted({*bounds, *(end for span in spans for end in span[:2])})
            numbers = [bisect_right(cuts, number) for number in numbers]
        ranks = {number: rank for rank, number in enumerate(sorted(set(numbers)))}
        yield np.array([ranks[number] for number in numbers])[match.people.tuples[:, column]]


@lru_cache(maxsize=4096)
def credibility(groups: tuple[int, ...], having: int, limit: Fraction) -> tuple[Fraction, ...]:
    """How likely each person of a group has a value that is too frequent in some group.

    All ways to choose who has it are equally likely; kept are those in which some group of g people has more than
    `limit` x g with it. Exact; zeros where there is no such way.

    >>> credibility((2, 5), 2, Fraction(1, 2))  # five cannot be over a half of them with two, so the other two were
    (Fraction(1, 1), Fraction(0, 1))
    """
    within = [
        [comb(size, x) for x in range(min(having, limit.numerator * size // limit.denominator) + 1)] for size in groups
    ]
    everybody = sum(groups)
    kept = comb(everybody, having) - _coefficient(within, having)
    if not kept:
        return (Fraction(0),) * len(groups)
    having_one = comb(everybody - 1, having - 1)  # a person has it in so many of all ways
    return tuple(
        Fraction(having_one * size - _coefficient(_weighted(within, at), having), kept * size)
        for at, size in enumerate(groups)
    )


def _coefficient(polynomials: Sequence[Sequence[int]], power: int) -> int:
    """The coefficient of a power in the product; of the last factor no more than that is multiplied out."""
    *factors, last = polynomials
    product = [1]
    for one in factors:
        longer = [0] * min(len(product) + len(one) - 1, power + 1)
        for i, a in enumerate(product):
            for j, b in enumerate(one[: len(longer) - i]):
                longer[i + j] += a * b
        product = longer
    return sum(a * last[power - i] for i, a in enumerate(product) if 0 <= power - i < len(last))


def _weighted(polynomials: Sequence[Sequence[int]], at: int) -> list[Sequence[int]]:
    """The same, one of them with each coefficient times its power: people in that group who have the value."""
    return [[x * way for x, way in enumerate(one)] if place == at else one for place, one in enumerate(polynomials)]
