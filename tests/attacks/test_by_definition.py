"""Each attack agrees with its definition, followed person by person on small tables."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kohort.assessment.risk.attacks.homogeneity import background, homogeneity
from kohort.assessment.risk.attacks.linking import intersection, left_open, linking
from kohort.assessment.risk.attacks.minimality import credibility

#: People: the class and the value of each, below 0 for a missing one.
TABLES = st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 2)), min_size=1, max_size=9)


def certain(people: list[tuple[int, int]], known: int) -> int:
    """People whose value is the only one left when some that an attacker knows are taken from their class."""
    right = 0
    for one, (of, value) in enumerate(people):
        others = [other for at, (klass, other) in enumerate(people) if klass == of and at != one and other >= 0]
        fewest = range(min(known, len(others)) + 1)
        left = (set(others) if not out else _without(others, out) for n in fewest for out in combinations(others, n))
        right += value >= 0 and any(rest <= {value} for rest in left)
    return right


def _without(others: list[int], out: tuple[int, ...]) -> set[int]:
    return set((Counter(others) - Counter(out)).elements())


@given(TABLES)
def test_homogeneity_and_background(people: list[tuple[int, int]]) -> None:
    """Right are the people whose value alone remains when nobody, or the most telling other person, is left out."""
    classes, values = np.array(people, dtype=np.int64).T
    known = {0: homogeneity(classes, values), 1: background(classes, values)}
    for others, found in known.items():
        assert found.right == certain(people, others)
        assert found.right <= found.claims <= found.targets == len(people)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 1)), min_size=1, max_size=6))
def test_the_baseline_is_the_mean_over_all_ways_to_deal_the_values(people: list[tuple[int, int]]) -> None:
    """Dealt to the same classes in every order, the values give the baseline on average."""
    classes, values = np.array(people, dtype=np.int64).T
    ways = set(permutations(values.tolist()))  # each comes from as many orders of the people as any other
    for attack in (homogeneity, background):
        rates = [attack(classes, np.array(way)).rate for way in ways]
        assert attack(classes, values).baseline == pytest.approx(sum(rates) / len(ways))


def test_whoever_has_no_value_makes_a_claim_wrong() -> None:
    """In a class of one value, what is claimed of who has none is wrong, and he hides nobody."""
    found = homogeneity(np.array([0, 0, 0]), np.array([5, 5, -1]))
    assert (found.claims, found.right) == (3, 2.0)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.data())
def test_linking(sizes: list[int], data: st.DataObject) -> None:
    """A person is linked rightly with one over the records he fits, if his own record can be among them."""
    every = st.sets(st.integers(0, len(sizes) - 1))
    people = data.draw(st.lists(st.tuples(every, every), min_size=1, max_size=6))
    fits = np.array([(p, c) for p, (said, _) in enumerate(people) for c in sorted(said)], dtype=np.int64).reshape(-1, 2)
    own = np.array([(p, c) for p, (_, true) in enumerate(people) for c in sorted(true)], dtype=np.int64).reshape(-1, 2)
    expected, blind = 0.0, 0.0
    for said, true in people:
        among, where = sum(sizes[c] for c in said), sum(sizes[c] for c in true)
        blind += 1 / among if among else 0
        expected += sum(sizes[c] for c in said & true) / where / among if among and where else 0
    found = linking(fits, np.array(sizes), len(people), truth=own)
    assert found.right == pytest.approx(expected)
    assert linking(fits, np.array(sizes), len(people)).right == pytest.approx(blind)
    assert found.claims == sum(bool(said) for said, _ in people)


RELEASE = st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 3)), min_size=1, max_size=8)
FITS = st.lists(st.sets(st.integers(0, 2)), min_size=4, max_size=4)


@given(st.lists(st.tuples(RELEASE, FITS), min_size=1, max_size=3), st.lists(st.integers(-1, 3), min_size=4, max_size=4))
def test_intersection(releases: list[tuple[list[tuple[int, int]], list[set[int]]]], truth: list[int]) -> None:
    """A claim is the only value in the intersection of what the releases leave somebody, if it is a value."""
    left, sets = list[NDArray[np.int64]](), list[list[set[int]]]()
    for records, fits in releases:
        classes, values = np.array(records, dtype=np.int64).T
        pairs = np.array([(t, c) for t, of in enumerate(fits) for c in sorted(of)], dtype=np.int64).reshape(-1, 2)
        left.append(left_open(pairs, classes, values, 4))
        sets.append([{value for klass, value in records if klass in of} for of in fits])
    common = [_common(one) for one in zip(*sets, strict=True)]
    claims = [next(iter(one)) if len(one) == 1 else -1 for one in common]
    found = intersection(left, np.arange(4), 4, truth=np.array(truth))
    assert found.claims == sum(claim >= 0 for claim in claims)
    assert found.right == sum(claim == true >= 0 for claim, true in zip(claims, truth, strict=True))
    assert intersection(left, np.arange(4), 4).right == found.claims


def _common(sets: tuple[set[int], ...]) -> set[int]:
    return {value for value in sets[0] if all(value in one for one in sets)}


@given(st.lists(st.integers(1, 3), min_size=1, max_size=3), st.data(), st.sampled_from(["1/2", "1/3", "2/3"]))
def test_credibility(groups: list[int], data: st.DataObject, share: str) -> None:
    """The share of the ways to choose who has the value, among those where it is too frequent in some group."""
    limit, people = Fraction(share), [group for group, size in enumerate(groups) for _ in range(size)]
    having = data.draw(st.integers(0, len(people)))
    ways = [Counter(people[one] for one in way) for way in combinations(range(len(people)), having)]
    kept = [way for way in ways if any(way[group] > limit * size for group, size in enumerate(groups))]
    expected = [
        Fraction(sum(way[group] for way in kept), len(kept) * size) if kept else Fraction(0)
        for group, size in enumerate(groups)
    ]
    assert credibility(tuple(groups), having, limit) == tuple(expected)
