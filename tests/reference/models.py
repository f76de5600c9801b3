"""Privacy models once more, plainly: the definitions of the papers on one class, in whole numbers and fractions.

A class is a mapping from value to people; who has no value is in no entry. So is the table. Nothing is shared with
the package, and nothing is quick. The earth mover's distance is found by moving earth.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

#: People of a class, or of the table, by value; values are numbered in their order.
Held: TypeAlias = "Mapping[int, int]"

#: How far two values are apart, 0..1.
Ground: TypeAlias = "Callable[[int, int], Fraction]"


def present(held: Held) -> dict[int, int]:
    """The values that somebody has."""
    return {value: people for value, people in held.items() if people > 0}


def share(held: Held, value: int) -> Fraction:
    """The share of a value among the people who have one."""
    return Fraction(held.get(value, 0), sum(held.values()))


def is_distinct_diverse(held: Held, l: int) -> bool:  # noqa: E741  the paper's letter
    """At least l values."""
    return len(present(held)) >= l


def is_entropy_diverse(held: Held, l: Fraction) -> bool:  # noqa: E741  the paper's letter
    """-sum p log p >= log l, raised to e and to the power n: n^n >= l^n prod n_v^n_v; exact."""
    people = present(held)
    n = sum(people.values())
    product = math.prod(count**count for count in people.values())
    return n > 0 and n**n * l.denominator**n >= l.numerator**n * product


def is_recursively_diverse(held: Held, c: Fraction, l: int) -> bool:  # noqa: E741  the paper's letter
    """r1 < c (r_l + ... + r_m), of at least l values."""
    counts = sorted(present(held).values(), reverse=True)
    return len(counts) >= l and counts[0] < c * sum(counts[l - 1 :])


def is_alpha_k_anonymous(held: Held, size: int, alpha: Fraction, k: int) -> bool:
    """At least k people, and no value of more than the share alpha of those who have one."""
    people = present(held)
    return size >= k and bool(people) and all(share(people, value) <= alpha for value in people)


def is_k_e_anonymous(held: Held, numbers: Sequence[Fraction], k: int, e: Fraction) -> bool:
    """At least k values, of which the greatest is at least e above the least."""
    values = [numbers[value] for value in present(held)]
    return len(values) >= k and max(values) - min(values) >= e


def is_delta_disclosing(held: Held, table: Held, delta: Fraction) -> bool:
    """|ln p / q| < delta for every value of the table; a value that is missing from the class is infinitely rarer."""
    people = present(held)
    if not people:
        return False
    return all(
        value in people and abs(math.log(share(people, value) / share(table, value))) < delta
        for value in present(table)
    )


def is_basic_beta_like(held: Held, table: Held, beta: Fraction) -> bool:
    """(p - q) / q <= beta for every value that is more frequent than in the table."""
    return bool(present(held)) and all(gain <= beta for gain, _ in _gains(held, table))


def is_enhanced_beta_like(held: Held, table: Held, beta: Fraction) -> bool:
    """(p - q) / q <= min(beta, -ln q) for every value that is more frequent than in the table."""
    return bool(present(held)) and all(gain <= beta and gain <= -math.log(q) for gain, q in _gains(held, table))


def _gains(held: Held, table: Held) -> list[tuple[Fraction, Fraction]]:
    """(p - q) / q and q of the values with p > q."""
    shares = [(share(held, value), share(table, value)) for value in present(held)]
    return [((p - q) / q, q) for p, q in shares if p > q]


def equal(one: int, other: int) -> Fraction:
    """1 for any two different values."""
    return Fraction(one != other)


def ordered(values: int) -> Ground:
    """Places between two values, of m - 1."""
    return lambda one, other: Fraction(abs(one - other), max(values - 1, 1))


def hierarchical(paths: Sequence[Sequence[str]]) -> Ground:
    """The level of the lowest common ancestor, of the height; a path is a value's row, from leaf to root."""
    height = len(paths[0]) - 1

    def distance(one: int, other: int) -> Fraction:
        level = next(level for level in range(height + 1) if paths[one][level] == paths[other][level])
        return Fraction(level, height)

    return distance


def earth_moved(held: Held, table: Held, ground: Ground) -> Fraction:
    """The least work that turns the class's distribution into the table's, by shortest augmenting paths.

    Nodes are the values once as sources and once as sinks; earth comes in units of 1 / (n N).
    """
    n, everybody = sum(held.values()), sum(table.values())
    supply = {value: people * everybody for value, people in present(held).items()}
    demand = {value: people * n for value, people in present(table).items()}
    flow = {(source, sink): 0 for source in supply for sink in demand}
    while any(supply.values()):
        path = _cheapest(supply, demand, flow, ground)
        forward, back = path[::2], path[1::2]
        source, sink = forward[0][0], forward[-1][1]
        amount = min([supply[source], demand[sink], *(flow[edge] for edge in back)])
        for edge in forward:
            flow[edge] += amount
        for edge in back:
            flow[edge] -= amount
        supply[source] -= amount
        demand[sink] -= amount
    return sum((ground(*edge) * amount for edge, amount in flow.items()), Fraction(0)) / (n * everybody)


def _cheapest(supply: Held, demand: Held, flow: Mapping[tuple[int, int], int], ground: Ground) -> list[tuple[int, int]]:
    """Edges from a source with earth left to a sink with room left, forward and back in turn (Bellman, Ford)."""
    reached: dict[tuple[str, int], tuple[Fraction, list[tuple[str, int]]]] = {
        ("source", value): (Fraction(0), [("source", value)]) for value, left in supply.items() if left
    }
    for _ in range(len(supply) + len(demand)):
        for source, sink in flow:
            there, here = ("sink", sink), ("source", source)
            cost = ground(source, sink)
            if here in reached and (there not in reached or reached[here][0] + cost < reached[there][0]):
                reached[there] = (reached[here][0] + cost, [*reached[here][1], there])
            if flow[source, sink] and there in reached:
                less = reached[there][0] - cost
                if here not in reached or less < reached[here][0]:
                    reached[here] = (less, [*reached[there][1], here])
    _, nodes = min(reached["sink", value] for value, room in demand.items() if room)
    return [(one[1], other[1]) if one[0] == "source" else (other[1], one[1]) for one, other in pairwise(nodes)]


def is_close(held: Held, table: Held, t: Fraction, ground: Ground) -> bool:
    """The earth mover's distance is at most t."""
    return bool(present(held)) and earth_moved(held, table, ground) <= t


def is_k_map(population: int, k: int) -> bool:
    """At least k people of the population."""
    return population >= k


def is_present(size: int, population: int, low: Fraction, high: Fraction) -> bool:
    """The share of those in the table, of the people of the population, is from low to high."""
    return population > 0 and low <= Fraction(size, population) <= high


def highest_risk(sizes: Sequence[int]) -> Fraction:
    """One over the people of the smallest class."""
    return max(Fraction(1, size) for size in sizes)


def mean_risk(sizes: Sequence[int]) -> Fraction:
    """The mean over people of one over the people of their class."""
    return sum((size * Fraction(1, size) for size in sizes), Fraction(0)) / sum(sizes)
