"""Small-world inversion on all tables of toy size: what a release tells of exact values, and that a grid tells none."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from kohort.algorithms.lattice.given import GivenNode
from kohort.assessment.risk.attacks.downcoding import certain_cells as claimed_cells
from kohort.core.suppression import SuppressionLimit
from kohort.models.k_anonymity import KAnonymity
from tests.attack_oracles.figures import suppressing
from tests.attack_oracles.toy import Released, certain_cells, downcoding
from tests.attack_oracles.worlds import AGES, LATTICES, MONDRIANS, every_way, world

pytestmark = pytest.mark.slow

#: Records of the tables, of ages alone and of ages with cities: all tables of these sizes are looked at.
LARGE = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"
ALONE, WITH_CITIES = (range(2, 11), range(2, 7)) if LARGE else (range(2, 7), range(3, 5))

SIZES = [(records, False) for records in ALONE] + [(records, True) for records in WITH_CITIES]

#: The cell of the grid that holds each age.
CELL = {"20": "[20-30)", "25": "[20-30)", "30": "[30-40)", "35": "[30-40)"}


@pytest.mark.parametrize("how", MONDRIANS)
def test_a_grid_gives_back_no_value(how: str) -> None:
    """Of no table is any age certain below its interval: at least one table with other ages has the same release."""
    for records, cities in SIZES:
        found = downcoding(world(how, "grid", cities=cities), records)
        assert found.cells > 0
        assert found.certain == 0


@pytest.mark.parametrize("how", MONDRIANS)
def test_preimages_with_a_grid_are_closed_under_moves_inside_cells(how: str) -> None:
    """Tables whose ages lie in the same cells have the same release, all of them and whatever the cities."""
    for records, cities in SIZES:
        seen: dict[tuple[tuple[str, ...], ...], Released | None] = {}
        toy = world(how, "grid", cities=cities)
        for rows in toy.tables(records):
            cells = tuple(sorted((CELL[age], *rest) for age, *rest in rows))
            released = toy.released(rows)
            assert seen.setdefault(cells, released) == released


@pytest.mark.parametrize(("how", "label"), [way for way in every_way() if way[1] in {"range", "set"}])
def test_counts_by_labels_alone_are_bounds_from_below(how: str, label: str) -> None:
    """What the package's report and attack count without any search is certain in every preimage."""
    for records, cities in SIZES:
        toy = world(how, label, cities=cities)
        for released, same in toy.preimages(toy.tables(records)).items():
            known = certain_cells(same.values(), 0)
            generalized = [labels[0] not in AGES for labels, _, _ in released.printed]
            certain = [least.total() * wide for least, wide in zip(known, generalized, strict=True)]
            sizes = np.array([size for _, size, _ in released.printed])
            claimed = claimed_cells([labels[0] for labels, _, _ in released.printed], sizes)
            assert all(np.less_equal(claimed, certain))
            assert all(one.told[0] <= sum(certain) for one in same.values())


@pytest.mark.parametrize("how", MONDRIANS)
@pytest.mark.parametrize("label", ["grid", "ancestor"])
def test_nothing_is_claimed_of_public_labels(how: str, label: str) -> None:
    """Of intervals of a grid and of nodes neither the report nor the attack claims an age by the label alone."""
    toy = world(how, label)
    for released, same in toy.preimages(toy.tables(4)).items():
        labels = [labels[0] for labels, _, _ in released.printed]
        sizes = np.array([size for _, size, _ in released.printed])
        assert not claimed_cells(labels, sizes, nodes={"20s", "30s", "*"}).any()
        assert all(one.told[0] == 0 for one in same.values())


def test_pairs_with_ranges_are_given_back_whole() -> None:
    """The positive control: both ends of the range of a pair are its two ages, so that every cell is certain."""
    toy = world("mondrian", "range")
    released = toy.released(tuple((age,) for age in AGES))
    assert released is not None
    assert [labels for labels, _, _ in released.printed] == [("[20-25]",), ("[30-35]",)]
    same = toy.preimages(toy.tables(4))[released]
    assert [least.total() for least in certain_cells(same.values(), 0)] == [2, 2]


def test_a_node_for_everybody_gives_nothing_back() -> None:
    """The negative control: where k is the whole table, of five ages below one `*` none is certain."""
    toy = replace(world("optimal", "ancestor"), models=(KAnonymity(5),))
    released = toy.released((("20",), ("20",), ("25",), ("30",), ("35",)))
    assert released is not None
    assert [labels for labels, _, _ in released.printed] == [("*",)]
    assert certain_cells(toy.preimages(toy.tables(5))[released].values(), 0) == [Counter()]


@pytest.mark.parametrize("how", LATTICES)
def test_full_domain_gives_back_less_than_mondrian(how: str) -> None:
    """The same nodes chosen for all records together tell less of single ages than those chosen region by region."""
    for records in (4, 5, 6):
        assert (
            downcoding(world(how, "ancestor"), records).rate < downcoding(world("mondrian", "ancestor"), records).rate
        )


def test_local_recoding_gives_back_more_than_what_it_refines() -> None:
    """Nodes chosen class by class tell more than one level for all, less than the order cut; hidden cells little."""
    for records in (4, 5, 6):
        whole, local, ordered = (
            downcoding(world(how, "ancestor"), records).rate for how in ("optimal", "optimal-local", "ordered")
        )
        assert whole < local < ordered
        assert downcoding(world("suppress-cells", "ancestor"), records).rate < 0.1


@pytest.mark.parametrize("node", [(0,), (1,), (2,)])
@pytest.mark.parametrize("limit", [0, 1, 2, 6])
def test_suppression_on_named_levels_gives_nothing_back(node: tuple[int], limit: int) -> None:
    """Where levels are named in advance, no generalized cell is certain, however many records may be suppressed."""
    toy = replace(world("optimal", "ancestor"), algorithm=GivenNode(node, limit=SuppressionLimit(limit)))
    for records in (4, 5, 6):
        assert downcoding(toy, records).certain == 0
    assert downcoding(suppressing("named", limit, cities=True), 4).certain == 0


@pytest.mark.parametrize("how", LATTICES)
def test_suppression_on_levels_of_the_data_gives_back_much(how: str) -> None:
    """The control: a search that may suppress one record tells by its levels that fewer would not have done."""
    none, one = (downcoding(suppressing(how, limit), 6).rate for limit in (0, 1))
    assert none < 0.05
    assert one > 0.25


def test_what_cannot_be_released_has_no_preimage() -> None:
    """Fewer records than k: no table has a release, and no cell is counted."""
    found = downcoding(world("mondrian", "range"), 1)
    assert (found.cells, found.certain, found.rate) == (0, 0, 0.0)
