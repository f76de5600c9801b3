"""Perturbation in the compiled core: each loop writes what its plain twin does, and no wrong number leads elsewhere."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.native.library import DRAW_PARTNERS
from kohort.perturbation.microaggregation import mdav
from kohort.perturbation.rank_swapping import RankSwapping
from tests.reference.perturbing_loops import PLAIN
from tests.unit.test_native_mondrian import heard, spoil


def work(seed: int, records: int, columns: int, k: int) -> None:
    """Groups and swapped ranks of numbers of which some are the same, and of a column of them."""
    random = np.random.default_rng(seed)
    points = random.normal(size=(records, columns)).round(seed % 3)
    mdav(points, k)
    RankSwapping("x", Fraction(1, k)).perturb([points[:, 0].copy()], [random])


SIZES = st.integers(0, 1 << 32), st.integers(2, 70), st.integers(1, 4), st.integers(2, 6)


@given(*SIZES)
def test_loops_write_what_plain_ones_do(seed: int, records: int, columns: int, k: int) -> None:
    """Every array is the same afterwards, whatever the numbers are."""
    with heard(PLAIN, twins=True):
        work(seed, records, columns, k)


def test_every_loop_is_compared() -> None:
    """Of many records places are sorted several times."""
    with heard(PLAIN, twins=True) as calls:
        work(1, 700, 2, 3)
    assert calls.keys() == PLAIN.keys()
    assert len(calls["form_groups"]) > 1


@given(*SIZES, st.data())
@pytest.mark.filterwarnings("ignore:overflow")
def test_no_number_leads_perturbation_beyond_an_array(
    seed: int, records: int, columns: int, k: int, data: st.DataObject
) -> None:
    """Wherever a number is wrong in a call of each loop, nothing outside of the arrays is changed."""
    with heard(PLAIN, twins=False) as calls:
        work(seed, records, columns, k)
    spoil([data.draw(st.sampled_from(of_one)) for of_one in calls.values()], data)


@pytest.mark.parametrize("draw", [-0.1, 1.0, np.inf, np.nan])
def test_a_draw_is_a_share(draw: float) -> None:
    """No other number leads to a rank."""
    partners, room = np.empty(3, np.int64), np.empty(4, np.int64)
    with pytest.raises(IndexError, match="does not fit"):
        DRAW_PARTNERS(partners, room, np.full(3, draw), 2)
