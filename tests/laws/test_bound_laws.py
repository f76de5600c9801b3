"""Laws of the bound: for single records it is a plain search's, and no release of classes of k records loses less."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kohort.algorithms.mondrian.bound import Reach, least_loss
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.algorithms.mondrian.ordered import Ordered
from kohort.algorithms.mondrian.top_down import TopDown
from kohort.core.recoding import classes_of
from kohort.engines.problem import outcome_of
from kohort.metrics.known import METRICS
from kohort.models.k_anonymity import KAnonymity
from tests.laws.test_loss_laws import tables
from tests.reference import loss as plain
from tests.reference.loss import KINDS, Mixed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.algorithms.problem import Algorithm

KS = st.integers(2, 4)

#: Everything that releases labels of regions.
METHODS: tuple[Algorithm, ...] = (
    *(Mondrian(cut, relaxed=relaxed) for cut in ("nearest", "median", "loss") for relaxed in (False, True)),
    Ordered(),
    TopDown(),
)

#: More tuples than any search here looks at.
ENOUGH = 1 << 20


@pytest.fixture(autouse=True)
def unweighted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights guide a search; a report, and so the bound, weighs all attributes alike."""
    alike: Mapping[str, object] = {
        kind: (texts, {key: value for key, value in parts.items() if key != "weight"})
        for kind, (texts, parts) in KINDS.items()
    }
    monkeypatch.setattr(plain, "KINDS", alike)


@given(tables(most=9), KS, st.integers(0, 30))
def test_one_records_bound_is_a_plain_searchs(table: Mixed, k: int, few: int) -> None:
    """The cheapest group of k records with a record is found; a search that stops early gives no more than that."""
    assume(len(table.rows) >= k)
    columns, problem = table.columns(), table.problem(KAnonymity(k))
    reach, rows = Reach.of(problem), sorted(set(table.rows), key=str)
    for row, tuple_ in zip(rows, reach.which.tolist(), strict=True):
        least = plain.cheapest_with(table.rows.index(row), list(table.rows), columns, k)
        found = reach.least(tuple_, k, ENOUGH)
        assert found.exact
        assert found.cost == reach.priced.unit * least
        stopped = reach.least(tuple_, k, few)
        assert stopped.cost <= found.cost
        assert stopped.cost == found.cost or not stopped.exact


@given(tables(most=8, columns=2), st.integers(2, 3), st.integers(0, 400))
def test_no_release_of_a_small_table_loses_less(table: Mixed, k: int, looks: int) -> None:
    """Of all ways to put the records into classes of k, none loses less than the bound, however early it stops."""
    assume(len(table.rows) >= k)
    columns, records = table.columns(), len(table.rows)
    best = min(plain.total(classes, columns, ncp=True) for classes in plain.partitions(list(table.rows), k))
    found = least_loss(table.problem(KAnonymity(k)), looks=looks)
    several = sum(domain.varies for domain in table.problem(KAnonymity(k)).domains)
    assert found.columns == (several or len(columns))
    assert found.ncp <= float(Fraction(best, records * found.columns)) + 1e-12
    assert (found.records, found.error) == (records, 0.0)


@given(tables(), KS)
def test_no_method_loses_less(table: Mixed, k: int) -> None:
    """The loss that a release reports is not below the bound, whatever the weights that guide its search."""
    assume(len(table.rows) >= k)
    problem = table.problem(KAnonymity(k))
    least = least_loss(problem).ncp
    for how in METHODS:
        classes = classes_of(how.solve(problem).recoding, problem.frequency, problem.domains)
        assert (
            least <= METRICS["ncp"](outcome_of(len(table.rows), 0, k, classes, None, domains=problem.domains)) + 1e-12
        )


@given(tables(most=30), st.integers(1, 12), st.randoms(use_true_random=False))
def test_a_sample_does_not_depend_on_the_order_of_tuples(table: Mixed, drawn: int, random: object) -> None:
    """Equal tables and seeds draw equal records; a standard error tells that not all were looked at."""
    assume(len(table.rows) > drawn)
    problem = table.problem(KAnonymity(2))
    order = list(range(problem.frequency.counts.size))
    random.shuffle(order)  # type: ignore[attr-defined]
    turned = replace(problem, frequency=problem.frequency.take(np.array(order), problem.frequency.counts[order]))
    one, other = (least_loss(each, records=drawn, seed=3) for each in (problem, turned))
    assert one == other
    assert one.records == drawn
    assert one.exact <= drawn
