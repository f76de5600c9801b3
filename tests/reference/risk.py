"""Risk by its definitions, person by person and record by record, as slowly as it is written."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations
from math import comb, exp, lgamma, log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Row = tuple[int, ...]


def sizes(rows: Sequence[Row], people: Sequence[int] | None) -> dict[Row, int]:
    """Of each distinct row, how many people have it; records, where it is not known whose they are."""
    holders: dict[Row, set[int]] = defaultdict(set)
    for record, row in enumerate(rows):
        holders[row].add(record if people is None else people[record])
    return {row: len(whose) for row, whose in holders.items()}


def risks(rows: Sequence[Row], people: Sequence[int] | None, among: dict[Row, int]) -> list[Fraction]:
    """The risk of each record, or of each person by the worst of their records, who hide among so many."""
    worst: dict[int, Fraction] = {}
    for record, row in enumerate(rows):
        who = record if people is None else people[record]
        worst[who] = max(worst.get(who, Fraction(0)), Fraction(1, among[row]))
    return [*worst.values()]


def exposure(found: Sequence[Fraction], threshold: Fraction) -> tuple[Fraction, Fraction, Fraction, int]:
    """Highest, average, the share over the threshold and how many have the highest."""
    highest = max(found)
    over = sum(risk > threshold for risk in found)
    return highest, sum(found, Fraction(0)) / len(found), Fraction(over, len(found)), found.count(highest)


def separation(rows: Sequence[Row]) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Distinctness, separation, share of unique records, and others that agree with one: pair by pair."""
    n = len(rows)
    pairs = [one != other for one, other in combinations(rows, 2)]
    alone = sum(rows.count(row) == 1 for row in rows)
    others = sum(rows.count(row) - 1 for row in rows)
    apart = Fraction(sum(pairs), len(pairs)) if pairs else Fraction(0)
    return Fraction(len(set(rows)), n), apart, Fraction(alone, n), Fraction(others, n)


def minimal_sets(
    columns: Sequence[Row], base: Sequence[Row], largest: int, identifies: Callable[[list[Row]], bool]
) -> set[Row]:
    """Every set of up to so many columns that identifies and of which no part does."""
    sets = [chosen for size in range(1, largest + 1) for chosen in combinations(range(len(columns)), size)]
    found = {chosen for chosen in sets if identifies([*zip(*(columns[one] for one in chosen), *base, strict=True)])}
    return {one for one in found if not any(set(other) < set(one) for other in found)}


def hypergeometric(population: int, marked: int, drawn: int, hits: int) -> Fraction:
    """The probability that so many of the marked are among the drawn."""
    return Fraction(comb(marked, hits) * comb(population - marked, drawn - hits), comb(population, drawn))


def zayatz(sample: Sequence[int], population: int) -> Fraction:
    """Zayatz's number of population uniques, by Bayes' rule."""
    people, classes = sum(sample), Counter(sample)
    shares = {size: Fraction(count, len(sample)) for size, count in classes.items()}
    shown = {size: share * hypergeometric(population, size, people, 1) for size, share in shares.items()}
    alone = shown.get(1, Fraction(0)) / sum(shown.values()) if classes[1] else Fraction(0)
    return classes[1] * alone * population / people


def pitman_likelihood(sample: Sequence[int], alpha: float, theta: float) -> float:
    """The logarithm of the probability of these class sizes, but for what does not depend on the parameters."""
    opened = sum(log(theta + count * alpha) for count in range(1, len(sample)))
    joined = sum(lgamma(size - alpha) - lgamma(1 - alpha) for size in sample)
    return opened + joined - sum(log(theta + people) for people in range(1, sum(sample)))


def pitman_uniques(people: int, alpha: float, theta: float) -> float:
    """The expected number of classes of one: person by person, the number of later ones who do not join."""
    alone = 0.0
    for person in range(1, people):
        alone += log(theta + alpha + person - 1) - log(theta + person)
    return people * exp(alone)


def fits(labels: Sequence[Row], tuples: Sequence[Row], covers: Sequence[Sequence[Sequence[bool]]]) -> list[int]:
    """How many tuples each row of labels covers in every column."""

    def fit(row: Row, one: Row) -> bool:
        return all(covers[at][label][value] for at, (label, value) in enumerate(zip(row, one, strict=True)))

    return [sum(fit(row, one) for one in tuples) for row in labels]


def alone(rows: Sequence[tuple[object, ...]], people: Sequence[object]) -> int:
    """How many people have a row that no record of anybody else has: each row beside each other."""
    lone = {
        whose
        for row, whose in zip(rows, people, strict=True)
        if all(whose == other for again, other in zip(rows, people, strict=True) if again == row)
    }
    return len(lone)
