"""Laws of cuts by loss and of the order cut at their edges: dealt cuts, columns of one value, extreme weights, no k."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.algorithms.mondrian.ordered import Ordered
from kohort.errors import InfeasibleError
from kohort.models.k_anonymity import KAnonymity
from tests.laws.test_loss_laws import KS, diverse, tables
from tests.laws.test_ordered_laws import unified
from tests.reference import loss as plain
from tests.reference.loss import KINDS, Mixed
from tests.reference.mondrian_tables import VALUES, DistinctLDiversity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.algorithms.problem import Algorithm

WAYS = st.sampled_from([Mondrian("loss"), Mondrian("loss", relaxed=True), Ordered()])


@given(tables(), KS)
def test_reference_agrees_on_dealt_cuts(table: Mixed, k: int) -> None:
    """Relaxed leaves are the plain reference's: strict cuts by loss, and where none is allowed, half of the widest."""
    table = Mixed(table.kinds, tuple(unified(table)))  # the frequency set is distinct, as the method asks
    assume(len(table.rows) >= k)
    expected = plain.relaxed(table, lambda rows: len(rows) >= k)
    assert table.leaves_of(Mondrian("loss", relaxed=True).solve(table.problem(KAnonymity(k)))) == expected


@given(tables(most=24, columns=2), KS, st.integers(2, 3))
def test_reference_agrees_on_dealt_cuts_and_diversity(table: Mixed, k: int, l: int) -> None:  # noqa: E741
    """The same where each side needs l different sensitive values."""
    table = Mixed(table.kinds, tuple(unified(table)))
    assume(diverse(list(table.rows), k, l))
    expected = plain.relaxed(table, lambda rows: diverse(rows, k, l))
    found = Mondrian("loss", relaxed=True).solve(table.problem(KAnonymity(k), DistinctLDiversity(l)))
    assert table.leaves_of(found) == expected


@given(tables(columns=2), KS, WAYS, st.data())
def test_a_column_of_one_value_changes_nothing(table: Mixed, k: int, how: Algorithm, data: st.DataObject) -> None:
    """A column with one value, or without any, leaves the classes as they are, wherever it stands in the schema."""
    table = Mixed(table.kinds, tuple(unified(table)))
    assume(len(table.rows) >= k)
    at, kind = data.draw(st.integers(0, len(table.kinds))), data.draw(st.sampled_from(sorted(KINDS)))
    cell = data.draw(st.sampled_from(["", KINDS[kind][0][0]]))
    wider = Mixed(
        (*table.kinds[:at], kind, *table.kinds[at:]), tuple((*row[:at], cell, *row[at:]) for row in table.rows)
    )
    found, other = (one.leaves_of(how.solve(one.problem(KAnonymity(k)))) for one in (table, wider))
    assert [sorted(((*row[:at], *row[at + 1 :]) for row in leaf), key=str) for leaf in other] == found


@given(tables(), KS, WAYS, st.lists(st.sampled_from([Fraction(1, 10**9), Fraction(10**9), Fraction(1, 7)]), min_size=3))
def test_extreme_weights_keep_every_class_whole(table: Mixed, k: int, how: Algorithm, weights: list[Fraction]) -> None:
    """However unequal the weights, classes have k records and hold each once, and no two strict leaves could be cut."""
    table = Mixed(table.kinds, tuple(unified(table)))
    assume(len(table.rows) >= k)
    with pytest.MonkeyPatch.context() as patch:
        for kind, weight in zip(dict.fromkeys(table.kinds), weights, strict=False):
            patch.setattr(plain, "KINDS", weighted(plain.KINDS, kind, weight))
        leaves = table.leaves_of(how.solve(table.problem(KAnonymity(k))))
        columns = table.columns()
    assert Counter(row for leaf in leaves for row in leaf) == Counter(table.rows)
    assert min(map(len, leaves)) >= k
    if how.name == "mondrian":
        assert all(plain.best_cut(leaf, columns, lambda side: len(side) >= k) is None for leaf in leaves)


def weighted(kinds: Mapping[str, object], kind: str, weight: Fraction) -> Mapping[str, object]:
    """The kinds of columns, one with another weight."""
    values, parts = KINDS[kind]
    return {**kinds, kind: (values, {**parts, "weight": weight})}


@given(tables(most=20), WAYS)
def test_where_every_record_is_enough_nothing_is_lost(table: Mixed, how: Algorithm) -> None:
    """Where a class of one satisfies, only equal records are together."""
    table = Mixed(table.kinds, tuple((*row[:-1], int(row[-1]) % VALUES) for row in unified(table)))
    leaves = table.leaves_of(how.solve(table.problem(DistinctLDiversity(1))))
    assert all(len({row[:-1] for row in leaf}) == 1 for leaf in leaves)


@given(tables(most=6), WAYS)
def test_the_whole_table_is_one_class_or_none(table: Mixed, how: Algorithm) -> None:
    """Of n records n is the greatest k: it leaves one class; one more, and there is no release."""
    n = len(table.rows)
    assert table.leaves_of(how.solve(table.problem(KAnonymity(n)))) == [sorted(table.rows, key=str)]
    with pytest.raises(InfeasibleError):
        how.solve(table.problem(KAnonymity(n + 1)))
