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
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import comb, inf
from typing import TYPE_CHECKING

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
    valued = known.values >= 0
    kinds, records = np.unique(np.stack([known.classes, known.values], 1)[valued], axis=0, return_counts=True)
    limit = max(
        (Fraction(int(n), int(sizes[c])) for (c, _), n in zip(kinds, records, strict=True)), default=Fraction(1)
    )
    claims, right, guessed = 0, 0.0, 0.0
    for one, tuples in _attacked(known, sizes):
        values = np.flatnonzero(kinds[:, 0] == one)
        most: list[int] = values[np.argsort(-records[values], kind="stable")].tolist()
        frequencies = [int(records[kind]) for kind in most]
        sides = _sides(known, tuples, frequencies, limit=limit, k=int(sizes.min()))
        chance, people, side = max(sides, key=lambda side: side[:2], default=(limit, 0, tuples))
        if chance <= limit:
            continue
        claims += people
        right += float(chance * people) if truth is None else _having(truth, side, int(kinds[most[0], 1]))
        guessed += people * frequencies[0] / int(sizes[one])
    everybody = known.classes.size
    return Attack.scored("minimality", everybody, claims, right, guessed / max(everybody, 1), of=of)


def _attacked(known: Adversary, sizes: Counts) -> Iterator[tuple[int, Index]]:
    """Classes large enough to be cut, whose people are just those known, with their tuples."""
    people = np.bincount(known.pairs[:, 1], weights=known.counts[known.pairs[:, 0]], minlength=sizes.size)
    by_class = np.argsort(known.pairs[:, 1], kind="stable")
    starts = np.searchsorted(known.pairs[by_class, 1], np.arange(sizes.size + 1))
    for one in np.flatnonzero((sizes >= 2 * sizes.min(initial=1)) & (people == sizes)).tolist():
        yield one, known.pairs[by_class[starts[one] : starts[one + 1]], 0]


def _sides(
    known: Adversary, tuples: Index, frequencies: Sequence[int], *, limit: Fraction, k: int
) -> Iterator[tuple[Fraction, int, Index]]:
    """Both sides of every cut that was not made because the most frequent value was too frequent on one.

    Of each: the chance that a person there has the value, the people, and their tuples.
    """
    counts = known.counts[tuples]
    having, others = (*frequencies, 0, 0)[:2]
    for positions in known.positions:
        at = positions[tuples]
        for end in np.unique(at)[:-1].tolist():
            masks = (at <= end, at > end)
            sizes = tuple(int(counts[mask].sum()) for mask in masks)
            small = min(sizes)
            if small < k or others > limit * small or having <= limit * small:
                continue
            chances = credibility(sizes, having, limit)
            yield from zip(chances, sizes, (tuples[mask] for mask in masks), strict=True)


def _having(truth: tuple[Index, Index], tuples: Index, value: int) -> int:
    return int((np.isin(truth[0], tuples) & (truth[1] == value)).sum())


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
    ways = [[comb(size, x) for x in range(size + 1)] for size in groups]
    within = [
        [way if x <= limit * size else 0 for x, way in enumerate(one)] for one, size in zip(ways, groups, strict=True)
    ]
    kept = _coefficient(ways, having) - _coefficient(within, having)
    if not kept:
        return (Fraction(0),) * len(groups)
    return tuple(
        Fraction(_coefficient(_weighted(ways, at), having) - _coefficient(_weighted(within, at), having), kept * size)
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
