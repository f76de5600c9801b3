"""The verifier in the compiled core: each loop does what its plain twin does, and no wrong number leads elsewhere."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import VerificationError
from kohort.transactions.database import Transactions
from kohort.transactions.problem import ItemSuppression
from kohort.transactions.recode import recode
from kohort.transactions.verify import CoherenceClaim, check_lineage
from kohort.transactions.verify.cohorts import count_cohorts
from kohort.verify.aggregates import first_halves
from tests.reference.transactions import problem_of, raw_databases
from tests.reference.verify_loops import PLAIN, ROOM
from tests.unit.test_native_mondrian import heard, spoil
from tests.unit.transactions.test_moles import larger

if TYPE_CHECKING:
    from tests.reference.transactions import RawDatabase


def work(raw: RawDatabase, seed: int) -> None:
    """Everything that calls a loop; a release is right, or has another lineage, or other items."""
    random = np.random.default_rng(seed)
    problem = problem_of(raw)
    source = problem.database
    assert isinstance(source, Transactions)
    first_halves(pl.Series(["x" * int(size) for size in random.integers(0, 140, 3)]))
    for p in range(1, 4):
        count_cohorts(source, problem.roles.public, problem.roles.private, p=p, least=int(random.integers(1, 3)))
    public, private = (
        frozenset(np.array(source.names)[of].tolist()) for of in (problem.roles.public, problem.roles.private)
    )
    dropped = np.flatnonzero(problem.roles.public & (random.random(len(source.names)) < 0.5)).astype(np.int32)
    right = recode(source, ItemSuppression(dropped))
    names = frozenset(source.names[item] for item in dropped)
    turned = random.permutation(right.lineage)
    other = recode(source, ItemSuppression(np.flatnonzero(random.random(len(source.names)) < 0.3).astype(np.int32)))
    for released, lineage in (
        (right.database, right.lineage),
        (right.database, turned),
        (other.database, other.lineage),
    ):
        with suppress(VerificationError):
            check_lineage(released, CoherenceClaim(source, problem.coherence, public, private, names, lineage))


@given(raw_databases(), st.integers(0, 1 << 32))
def test_loops_write_what_plain_ones_do(raw: RawDatabase, seed: int) -> None:
    """Every array is the same afterwards, whatever the database is."""
    with heard(PLAIN, ROOM, twins=True):
        work(raw, seed)


def test_every_loop_is_compared() -> None:
    """Many different transactions, of which many begin alike."""
    with heard(PLAIN, ROOM, twins=True) as calls:
        for seed in range(3):
            work(larger(seed), seed)
    assert calls.keys() == PLAIN.keys()


@given(raw_databases(), st.integers(0, 1 << 32), st.data())
@pytest.mark.filterwarnings("ignore:overflow")
def test_no_number_leads_the_verifier_beyond_an_array(raw: RawDatabase, seed: int, data: st.DataObject) -> None:
    """Wherever a number is wrong in a call of each loop, nothing outside of the arrays is changed."""
    with heard(PLAIN, ROOM, twins=False) as calls:
        work(raw, seed)
    spoil([data.draw(st.sampled_from(of_one)) for of_one in calls.values()], data)
