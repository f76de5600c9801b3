"""Minimality on all assignments of toy size: what the algorithm's reluctance to generalize tells of the illnesses."""

from __future__ import annotations

import os
from itertools import combinations_with_replacement, permutations
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kohort.assessment.risk.attacks.minimality import Adversary
from kohort.assessment.risk.attacks.minimality import minimality as attack
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from tests.attack_oracles.toy import minimality
from tests.attack_oracles.worlds import AGES, HALF, LATTICES, every_way, world

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.models.base import PrivacyModel
    from tests.attack_oracles.toy import Released, Rows

pytestmark = pytest.mark.slow


LARGE = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"

#: What HALF promises.
PROMISE = 0.5

#: Two different illnesses in each class; nothing is promised of their shares.
TWO: tuple[PrivacyModel, ...] = (KAnonymity(2), DistinctLDiversity("illness", 2))


def people(*ages: str) -> Rows:
    """People of these ages."""
    return tuple((age,) for age in ages)


#: Three couples of an age, after one of whose releases Mondrian's cuts give away somebody's illness.
COUPLES = people("20", "20", "30", "30", "35", "35")


@pytest.mark.parametrize(("how", "label"), every_way())
def test_classes_keep_what_was_promised(how: str, label: str) -> None:
    """Who looks at classes alone is never surer than the promise, whoever the people are and whatever they have."""
    sizes = (2, 3, 4) if LARGE else (3,)
    for one in (ages for size in sizes for ages in combinations_with_replacement(AGES, size)):
        found = minimality(world(how, label, HALF), people(*one), "abc", PROMISE)
        assert found.naive <= PROMISE
        assert found.surest >= found.naive or not found.releases


@pytest.mark.parametrize(("how", "label"), every_way())
def test_people_who_are_alike_keep_the_promise(how: str, label: str) -> None:
    """The negative control: among people of one age the algorithm has nothing to choose, and tells nothing."""
    found = minimality(world(how, label, HALF), people(*["25"] * 4), "abc", PROMISE)
    assert found.releases > 0
    assert (found.breached, found.gained, found.surest, found.naive) == (0, 0, PROMISE, PROMISE)


@pytest.mark.parametrize("label", ["range", "ancestor"])
def test_mondrian_tells_that_it_could_not_cut(label: str) -> None:
    """The positive control: a class of couples that was not cut although it could have been says who has what."""
    found = minimality(world("mondrian", label, HALF), COUPLES, "abc", PROMISE)
    assert found.naive == PROMISE
    assert found.surest == 1
    assert 0 < found.breached < found.releases / 2


@pytest.mark.parametrize("how", ["mondrian-relaxed", "mondrian-relaxed, median"])
def test_dealing_by_illness_tells_who_was_dealt(how: str) -> None:
    """Tied records are dealt by their illness in a known order: who knows the people knows who went where, and why."""
    found = minimality(world(how, "range", HALF), people("20", "25", "25", "30"), "abc", PROMISE)
    assert found.naive == PROMISE
    assert found.surest == 1


@pytest.mark.parametrize("how", [*LATTICES, "mondrian"])
def test_diversity_of_values_is_no_bound_on_shares(how: str) -> None:
    """Under distinct diversity lattice methods and grids too tell more than the classes do: some finer one failed."""
    label = "grid" if how == "mondrian" else "ancestor"
    found = minimality(world(how, label, *TWO), people("20", "20", "25", "30", "35"), "ab", PROMISE)
    assert 0 < found.gained < found.releases


def known_of(ages: Sequence[str], illnesses: str, released: Released) -> Adversary:
    """What the package's attack is told of a release: which class people of each age are in, and who is ill there."""
    distinct = sorted(set(ages))
    [dealing] = released.dealings
    pairs = sorted({(distinct.index(row[0]), place) for place, inside in enumerate(dealing) for row in inside})
    held = [
        (place, illnesses.index(illness))
        for place, (_, _, counted) in enumerate(released.printed)
        for illness, records in counted
        for _ in range(records)
    ]
    classes, values = (np.array(part) for part in zip(*held, strict=True))
    counts = np.array([ages.count(age) for age in distinct])
    return Adversary(np.array(pairs), counts, (np.array([int(age) for age in distinct]),), classes, values)


def test_the_attack_claims_nothing_that_a_preimage_denies() -> None:
    """Who is claimed to have an illness for certain has it in every preimage, and somebody is."""
    ages, illnesses = ("20", "20", "30", "30", "30", "30", "35", "35"), "aabcdebc"
    known_besides = "" if LARGE else illnesses[6:]  # who also knows the last two has fewer tables to look at
    first = sorted(set(permutations(illnesses[: len(ages) - len(known_besides)])))
    tables = [tuple(zip(ages, (*ills, *known_besides), strict=True)) for ills in first]
    code = np.array([sorted(set(ages)).index(age) for age in ages])
    certain = 0
    for released, same in world("mondrian", "range", HALF).preimages(tables).items():
        known = known_of(ages, illnesses, released)
        claimed = attack(known)
        if claimed.right == claimed.claims > 0:
            certain += claimed.claims
            held = [np.array([illnesses.index(illness) for _, illness in rows]) for rows in same]
            assert {attack(known, truth=(code, values)).right for values in held} == {claimed.claims}
    assert certain > 0
