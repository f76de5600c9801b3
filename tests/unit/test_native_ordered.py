"""The order cut in the compiled core: each loop writes what its plain twin does; no wrong number leads elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kohort.algorithms.mondrian.bound import Reach
from kohort.algorithms.mondrian.costs import Groups
from kohort.algorithms.mondrian.division import Division, Line, Window, divide
from kohort.algorithms.mondrian.ordered import Ordered
from kohort.algorithms.mondrian.top_down import TopDown
from kohort.models.k_anonymity import KAnonymity
from kohort.native.library import CHAIN, COST_WITH_EACH, ENCLOSE, FOLLOW, GATHER, LEAN, TURN
from kohort.system.workspace import HEAP
from tests.laws import test_loss_laws
from tests.laws.test_loss_kernel_laws import Table, tables
from tests.laws.test_loss_laws import diverse
from tests.reference.loss import Mixed
from tests.reference.mondrian_tables import DistinctLDiversity
from tests.reference.order_loops import PLAIN
from tests.unit.test_native_mondrian import heard, spoil

#: Sizes of columns: few values, and more than a word has bits, or two bytes hold.
SIZES = (2, 5, 70, 70_000)

#: A table of a range, a set and ancestors.
ALL_KINDS = Mixed(
    ("range", "set", "ancestor"),
    tuple(
        (("1", "2", "5", "9")[at % 4], "abcdef"[at * at % 5], ("Bari", "Milano", "Torino")[at % 3], at % 3)
        for at in range(40)
    ),
)


def solved(table: Mixed, k: int) -> None:
    """Everything that calls a loop: the order cut, where sizes decide and where a model does, two groups, the bound."""
    problem = table.problem(KAnonymity(k))
    Ordered().solve(problem)
    TopDown().solve(problem)
    Reach.of(problem).least(0, k, 40)
    if diverse(list(table.rows), k, 2):
        Ordered().solve(table.problem(KAnonymity(k), DistinctLDiversity(2)))


def called(table: Table, k: int, seed: int) -> None:
    """Each loop that looks at places, once, on a table of any width."""
    places, counts, costs = table
    random, tuples = np.random.default_rng(seed), counts.size
    starts = np.unique(np.append(random.integers(0, tuples, 4), [0, tuples]))
    some = Groups.empty(starts.size - 1, costs)
    GATHER(costs, places, starts[:0], starts, some)
    some.cost(costs)
    COST_WITH_EACH(costs, some.one(0), places, np.empty(tuples, np.int64))
    order = random.permutation(tuples)
    CHAIN(costs, places, starts, order)
    FOLLOW(costs, some, random.permutation(starts.size - 1), 2, 3)
    LEAN(costs, places, starts, some, np.empty(tuples, np.int64))
    line, records = Line(places, np.append(0, np.cumsum(counts)), costs), int(counts.sum())
    out, seen = Division.none(records, HEAP), Window.of(2 * k, costs)
    allowed = random.random((records, k + 1)) < 0.9
    divide(line, (1, records, k, 0), allowed if random.integers(2) else allowed[:0], seen, out)
    assert out.ends.size == 0 or out.ends[-1] == records
    TURN(np.unique(places, axis=0), places.shape[1], *np.zeros((2, len(np.unique(places, axis=0)), 2), np.int64))
    low, high = places[:1].repeat(3, axis=0), places[:1].repeat(3, axis=0)
    ENCLOSE(places, places.shape[1], order, random.integers(0, 3, tuples), low, high)


@given(test_loss_laws.tables(), st.integers(2, 4))
def test_searches_write_what_plain_ones_do(table: Mixed, k: int) -> None:
    """Every array is the same after each call of a search, whatever the table is."""
    assume(len(table.rows) >= k)
    with heard(PLAIN, twins=True):
        solved(table, k)


@given(tables(SIZES), st.integers(1, 5), st.integers(0, 1 << 32))
def test_loops_write_what_plain_ones_do(table: Table, k: int, seed: int) -> None:
    """Likewise on tables of many columns, of sets of many words, of codes of four bytes."""
    with heard(PLAIN, twins=True):
        called(table, k, seed)


def test_every_loop_is_compared() -> None:
    """A table of several kinds of column leads to every loop."""
    with heard(PLAIN, twins=True) as calls:
        solved(ALL_KINDS, 2)
    assert calls.keys() == PLAIN.keys()


@given(test_loss_laws.tables(most=12), tables(SIZES[:3]), st.integers(2, 4), st.data())
@pytest.mark.filterwarnings("ignore:overflow")
def test_no_number_leads_an_order_beyond_an_array(mixed: Mixed, table: Table, k: int, data: st.DataObject) -> None:
    """Wherever a number is wrong in a call of each loop, nothing outside of the arrays is changed."""
    assume(len(mixed.rows) >= k)
    with heard(PLAIN, twins=False) as calls:
        solved(mixed, k)
        called(table, k, data.draw(st.integers(0, 99)))
    spoil([data.draw(st.sampled_from(of_one)) for of_one in calls.values()], data)
