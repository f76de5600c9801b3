"""Metamorphic laws: what becomes of the release, by every method, where the input changes in a way that is understood.

Tables are seen as algorithms see them, small enough for optimal searches; transactions likewise.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.algorithms.method import METHODS, OBJECTIVE, Choices
from kohort.core.frequency import profile
from kohort.core.recoding import Multidimensional, classes_of
from kohort.core.suppression import SuppressionLimit
from kohort.errors import InfeasibleError
from kohort.metrics.known import metric_of
from kohort.testing.problems import ToyTable
from kohort.transactions.sweep import METHODS as TRANSACTION_METHODS
from tests.reference.transactions import RawDatabase, all_moles, problem_of, raw_databases, released

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.algorithms.problem import Algorithm, Problem, Solution

pytestmark = pytest.mark.slow

#: The methods, without suppression: each as it is where nothing is chosen.
CHOICES = Choices(limit=SuppressionLimit.of(0), objective=OBJECTIVE)
ALGORITHMS: dict[str, Algorithm] = {
    key: method.make(
        replace(
            CHOICES,
            **{
                name: None
                for name in ("limit", "objective")
                if name not in {one.name for one in method.specification.parameters}
            },
        )
    )
    for key, method in METHODS.items()
}

#: Those of them whose answer loses least among releases of their kind.
EXACT = ("optimal",)

#: One whose cost grows with every tuple faster than others'.
SLOW = "suppress-cells-optimal"

every_method = pytest.mark.parametrize("method", ALGORITHMS)


@st.composite
def tables(draw: st.DrawFn) -> ToyTable:
    """Distinct tuples of numbers and names, with a sensitive value, k and l."""
    width = draw(st.integers(1, 3))
    cells = st.tuples(*(st.sampled_from("abc" if place % 2 else "01234567") for place in range(width)))
    rows = draw(st.lists(st.tuples(cells, st.integers(0, 2)), min_size=1, max_size=9, unique=True))
    counts = draw(st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows)))
    k, diversity = draw(st.integers(2, 4)), draw(st.integers(1, 2))
    return table_of(rows, counts, k, diversity)


def table_of(rows: Sequence[tuple[tuple[str, ...], int]], counts: Sequence[int], k: int, diversity: int) -> ToyTable:
    """The table of some tuples, their sensitive values numbered anew."""
    used = sorted({value for _, value in rows})
    values = tuple(used.index(value) for _, value in rows)
    return ToyTable(tuple(cells for cells, _ in rows), values, tuple(counts), k, diversity)


def sized(method: str, table: ToyTable) -> ToyTable:
    """As much of a table as a method can be tried on: of the slow one a few tuples."""
    most = 4 if method == SLOW else len(table.cells)
    rows = list(zip(table.cells, table.values, strict=True))[:most]
    return table_of(rows, table.counts[:most], table.k, table.diversity)


def solved(method: str, problem: Problem) -> Solution | None:
    """The answer of a method; `None` where there is none."""
    try:
        return ALGORITHMS[method].solve(problem)
    except InfeasibleError:
        return None


def pieces(problem: Problem, found: Solution) -> list[tuple[int, int, tuple[str, ...]]]:
    """Of each part of a class: its tuple, its records and its labels."""
    classes = classes_of(found.recoding, problem.frequency, problem.domains)
    texts = list(zip(*([label.texts[int(at)] for at in label.of] for label in classes.labels), strict=True))
    if isinstance(found.recoding, Multidimensional):
        recoding = found.recoding
        parts = zip(recoding.tuples.tolist(), recoding.counts.tolist(), recoding.regions.tolist(), strict=True)
    else:
        regions = found.recoding.of.tolist()
        parts = zip(range(len(regions)), problem.frequency.counts.tolist(), regions, strict=True)
    return [(place, count, texts[region]) for place, count, region in parts]


def partition(problem: Problem, found: Solution) -> set[frozenset[tuple[int, int]]]:
    """Which tuples, and how many records of each, are in a class together."""
    together: dict[tuple[str, ...], Counter[int]] = {}
    for place, count, labels in pieces(problem, found):
        together.setdefault(labels, Counter())[place] += count
    return {frozenset(records.items()) for records in together.values()}


def loss(found: Solution) -> float:
    """What the release of a method on levels loses by its objective."""
    assert found.candidates
    return metric_of(OBJECTIVE).cost(found.candidates[0].outcome)


# ── Tables ───────────────────────────────────────────────────────────────────────────────────────


@every_method
@given(tables(), st.integers(2, 3))
def test_a_table_twice_over_with_twice_the_k(method: str, table: ToyTable, times: int) -> None:
    """If everybody is there m times, m·k-anonymity is possible where k-anonymity was; optimal answers are the same."""
    table = sized(method, table)
    larger = replace(table, counts=tuple(times * count for count in table.counts), k=times * table.k)
    one, other = solved(method, table.problem()), solved(method, larger.problem())
    assert (one is None) == (other is None)
    if one and other and method in {"samarati", "optimal", "datafly"}:
        assert {labels for *_, labels in pieces(table.problem(), one)} == {
            labels for *_, labels in pieces(larger.problem(), other)
        }


@every_method
@given(tables(), st.sampled_from(["n{}", "{}{}", "Zürich {}"]))
def test_names_do_not_matter(method: str, table: ToyTable, pattern: str) -> None:
    """Other names in the same order: the same classes."""
    table = sized(method, table)
    renamed = tuple(
        tuple(pattern.replace("{}", cell) if place % 2 else cell for place, cell in enumerate(row))
        for row in table.cells
    )
    other = replace(table, cells=renamed)
    one, two = (solved(method, each.problem()) for each in (table, other))
    assert (one is None) == (two is None)
    if one and two:
        assert partition(table.problem(), one) == partition(other.problem(), two)


@every_method
@given(tables())
def test_a_constant_column_changes_nothing(method: str, table: ToyTable) -> None:
    """One more quasi-identifier that is the same for everybody: the same classes."""
    table = sized(method, table)
    value = "b" if len(table.cells[0]) % 2 else "5"
    more = replace(table, cells=tuple((*row, value) for row in table.cells))
    one, two = (solved(method, each.problem()) for each in (table, more))
    assert (one is None) == (two is None)
    if one and two:
        assert partition(table.problem(), one) == partition(more.problem(), two)


@every_method
@given(tables(), st.integers(0, 3), st.integers(0, 1))
def test_more_protection_is_not_easier(method: str, table: ToyTable, more: int, diverse: int) -> None:
    """Where a greater k and l can be met, the smaller ones can; the release meets them too, and optima lose more."""
    table = sized(method, table)
    possible = min(table.diversity + diverse, len(set(table.values)))
    strict = replace(table, k=min(table.k + more, max(2, sum(table.counts))), diversity=possible)
    table = replace(table, k=min(table.k, strict.k), diversity=min(table.diversity, possible))
    found = solved(method, strict.problem())
    if found is None:
        assert sum(table.counts) < 2
        return
    easier = solved(method, table.problem())
    assert easier is not None
    problem = table.problem()
    parts = pieces(problem, found)
    names = sorted({labels for *_, labels in parts})
    tuples = np.array([place for place, *_ in parts], np.int64)
    counts = np.array([count for _, count, _ in parts], np.int64)
    of = np.array([names.index(labels) for *_, labels in parts], np.int64)
    classes = profile(problem.frequency.take(tuples, counts), of, len(names))
    assert all(model.satisfied(classes).all() for model in problem.models)
    if method in EXACT:
        assert loss(easier) <= loss(found)


@every_method
@given(tables())
def test_what_is_safe_is_released_as_it_is(method: str, table: ToyTable) -> None:
    """Where every tuple has k records already, no method changes anything: releasing again changes nothing."""
    table = sized(method, table)
    safe = replace(table, counts=tuple(table.k * count for count in table.counts), diversity=1)
    problem = safe.problem()
    found = solved(method, problem)
    assert found is not None
    assert {frozenset(place for place, _ in together) for together in partition(problem, found)} == {
        frozenset(place for place, row in enumerate(safe.cells) if row == cells) for cells in set(safe.cells)
    }


# ── Transactions ─────────────────────────────────────────────────────────────────────────────────

every_suppression = pytest.mark.parametrize("method", TRANSACTION_METHODS)


def left(raw: RawDatabase, method: str) -> RawDatabase | None:
    """The database that a method releases; `None` where there is no release."""
    try:
        return released(raw, TRANSACTION_METHODS[method].solve(problem_of(raw)).suppression)
    except InfeasibleError:
        return None


def small(raw: RawDatabase) -> RawDatabase:
    """So few items and known ones that every set of them can be looked at."""
    return replace(raw, p=min(raw.p, 2))


@every_suppression
@given(raw_databases(), st.integers(2, 3))
def test_transactions_twice_over_with_twice_the_k(method: str, raw: RawDatabase, times: int) -> None:
    """If every transaction is there m times and cohorts are m times as large, the release is there m times, too."""
    larger = replace(raw, rows=tuple(row for row in raw.rows for _ in range(times)), k=times * raw.k)
    one, other = left(raw, method), left(larger, method)
    assert one is not None
    assert other is not None
    if method != "cells":  # copies of a transaction may lose different items
        assert Counter(other.rows) == Counter({row: times * count for row, count in Counter(one.rows).items()})


@every_suppression
@given(raw_databases())
def test_an_item_of_everybody_changes_nothing(method: str, raw: RawDatabase) -> None:
    """Whoever knows that a person has what all have knows no more: it stays (but with `all`, where nothing does)."""
    item = len(raw.weights)
    more = replace(
        raw,
        rows=tuple(row | {item} for row in raw.rows),
        public=raw.public | {item},
        weights=(*raw.weights, 1),
    )
    one, other = left(raw, method), left(more, method)
    assert one is not None
    assert other is not None
    assert Counter(row - {item} for row in other.rows) == Counter(one.rows)
    assert method == "all" or all(item in row for row in other.rows)


@every_suppression
@given(raw_databases(), st.integers(0, 3))
def test_larger_cohorts_are_not_easier(method: str, raw: RawDatabase, more: int) -> None:
    """A release with larger cohorts meets a smaller k, too; with the smaller k, an optimum loses no more."""
    strict = replace(small(raw), k=raw.k + more)
    found = left(strict, method)
    if found is None:
        assert len(strict.rows) < strict.k
        return
    assert not all_moles(replace(found, k=raw.k))
    easier = left(small(raw), method)
    assert easier is not None
    if method == "optimal":
        assert cost(small(raw), easier) <= cost(strict, found)


@every_suppression
@given(raw_databases())
def test_a_release_is_released_as_it_is(method: str, raw: RawDatabase) -> None:
    """Nothing is suppressed of what is coherent already."""
    found = left(raw, method)
    assert found is not None
    again = left(found, method)
    assert again is not None
    assert again.rows == found.rows


def cost(raw: RawDatabase, found: RawDatabase) -> int:
    """What a release loses of a database."""
    return sum(raw.weights[item] for one, other in zip(raw.rows, found.rows, strict=True) for item in one - other)
