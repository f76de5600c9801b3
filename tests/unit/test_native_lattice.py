"""The lattice in the compiled core: each loop writes what its plain twin does, and no wrong number leads elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.algorithms.lattice import classes
from kohort.algorithms.lattice.judge import NodeEvaluator
from kohort.algorithms.lattice.local import refined, released_as_nodes
from kohort.algorithms.lattice.rollup import Fields
from kohort.algorithms.mondrian.forest import Forest
from kohort.metrics.known import OBJECTIVES
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from tests.reference.lattice import RawTable, problem_of
from tests.reference.lattice_loops import PLAIN
from tests.unit.algorithms.lattices import random_table
from tests.unit.algorithms.test_rollup import table
from tests.unit.test_native_mondrian import heard, spoil

if TYPE_CHECKING:
    from collections.abc import Generator

    from numpy.typing import NDArray


@pytest.fixture(autouse=True)
def _unpacked() -> Generator[None]:
    """Fields are packed in each call, and not before, so that tests can look at them and change them."""

    def unpacked(fields: Fields, _: object, *arrays: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return fields.word, fields.shift, fields.mask, fields.room, *arrays

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Fields, "table", unpacked)
        yield


def owned(raw: RawTable, seed: int) -> RawTable:
    """A table with a sensitive attribute; some of its records may be of one person, and some people be known."""
    draw = np.random.default_rng(seed)
    records = len(raw.records)
    raw = replace(raw, sensitive=tuple(draw.choice(["A", "B", "C", ""], records).tolist()))
    if draw.integers(0, 2):
        raw = replace(raw, people=tuple(draw.choice(["p", "q", "r", "s"], records).tolist()))
    return replace(raw, population=raw.records[: records // 2 + 1]) if draw.integers(0, 2) else raw


def work(raw: RawTable) -> None:
    """Everything that calls a loop: some nodes judged, of each level more or fewer attributes, and classes refined."""
    problem = problem_of(raw, KAnonymity(2), DistinctLDiversity("disease", 2))
    judge = NodeEvaluator.of(problem, len(raw.records), OBJECTIVES["lm"])
    for level in range(4):
        for first in range(2):
            judge.judge(tuple(min(level if place >= first else 0, top) for place, top in enumerate(judge.lattice.top)))
    plain = released_as_nodes(problem_of(replace(raw, people=(), population=None), KAnonymity(2)))
    refined(plain, Forest.uncut(plain.frequency))


@given(st.integers(0, 1 << 32), st.sampled_from([1 << 31, 1]))
def test_loops_write_what_plain_ones_do(seed: int, narrow: int) -> None:
    """Every array is the same afterwards, whatever the table is, and however wide its tallies."""
    with pytest.MonkeyPatch.context() as patch, heard(PLAIN, twins=True):
        patch.setattr(classes, "NARROW", narrow)
        work(owned(random_table(seed), seed))


def test_every_loop_is_compared() -> None:
    """Keys of one word, and of two, some nodes that are parted from many tuples, and bits that are weighed."""
    with heard(PLAIN, twins=True) as calls:
        for attributes in (4, 22):
            work(table(attributes, records=60))
        work(owned(table(3), 1))
    assert calls.keys() >= PLAIN.keys()
    assert {cast("Any", given)[1].shape[1] for _, given in calls["roll"]} == {1, 2}


@given(st.integers(0, 1 << 32), st.data())
@pytest.mark.filterwarnings("ignore:overflow")
def test_no_number_leads_the_lattice_beyond_an_array(seed: int, data: st.DataObject) -> None:
    """Wherever a number is wrong in a call of each loop, nothing outside of the arrays is changed."""
    with heard(PLAIN, twins=False) as calls:
        work(owned(random_table(seed), seed))
        work(table(22, records=20))
    spoil([data.draw(st.sampled_from(of_one)) for name, of_one in calls.items() if name in PLAIN], data)
