"""The step of rounding that is proposed for a near-unique measure."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.assessment.risk.rounding import RoundingProposal, proposed, rounding_step
from kohort.engines.perturbing import perturb
from kohort.io import read
from kohort.perturbation.rounding import Rounding
from kohort.verify.singling import singled_out

#: Cells of a measure: whole numbers and decimals, near and far, some missing, some that mean none.
CELLS = st.lists(
    st.one_of(
        st.integers(-200, 2_000).map(str),
        st.integers(0, 100_000).map(lambda cents: f"{cents / 100:.2f}"),
        st.sampled_from(["", "999", "1000"]),
    ),
    min_size=20,
    max_size=120,
)


@given(CELLS, st.none() | st.integers(2, 60))
def test_the_bound_holds_after_that_very_rounding(cells: list[str], each: int | None) -> None:
    """Rounded by the perturbation that is proposed, at most 5 % stand alone, as many as is said, and no step before."""
    table = read(pl.DataFrame({"pay": cells}))
    people = None if each is None else np.arange(len(cells)) % each
    missing = frozenset({"", "999"})
    found = proposed(table["pay"], missing=missing, people=people)
    (before,) = singled_out(table.columns, people)
    if found is None:
        return
    assert (found.before, found.people) == (before.unique, before.people)
    assert 20 * before.unique > before.people

    def alone(step: Fraction) -> int:
        made, _ = perturb(table, [Rounding("pay", step)], missing=missing, seed=None)
        (after,) = singled_out(made.columns, people)
        return after.unique

    assert alone(found.step) == found.after <= found.people / 20
    lesser = [lead * Fraction(10) ** power for lead in (1, 2, 5) for power in range(-2, 5)]
    assert all(20 * alone(step) > found.people for step in lesser if step < found.step)
    if each is None:
        texts, counts = table["pay"].values.to_list(), table["pay"].counts()
        assert rounding_step(texts, counts, missing=missing) == found


@pytest.mark.parametrize(
    "values",
    [
        [*"abcdefghij"],
        [str(2**60 + place) for place in range(40)],
        ["1"],
        [str(3**place) for place in range(30)],
        ["007", *map(str, range(30))],
        [],
    ],
)
def test_none_is_proposed_where_none_would_do(values: list[str]) -> None:
    """Names, codes, numbers too large, one value, or ones so far apart that only a standard deviation would do."""
    assert rounding_step(values, [1] * len(values)) is None


def test_none_is_proposed_where_few_stand_alone() -> None:
    """At most 5 % may stand alone as it is."""
    assert rounding_step(["1", "2"], [1, 19]) is None


def test_missing_people_stand_alone_still() -> None:
    """Who alone lacks a value stands alone whatever the step."""
    numbers = [str(place) for place in range(39)]
    found = rounding_step([*numbers, None], [1] * 40)
    assert found is not None
    assert found == replace(rounding_step([*numbers, "?"], [1] * 40, missing=["?"]) or found)
    assert found.after >= 1


def test_what_it_helps_and_costs_is_said() -> None:
    """In one phrase, with the value of `--perturb`."""
    one = RoundingProposal(Fraction(1, 2), 90, 1, 90, 1234.4, 0.0123)
    assert one.perturbation("weight") == "weight=rounding:step=0.5"
    assert one.told == (
        "1 person is unique instead of 90; values change by 1,234 on average, 1.2 % of their standard deviation"
    )
