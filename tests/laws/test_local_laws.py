"""Laws of local recoding and of cell suppression, against the plain reference and against all partitions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kohort.algorithms.lattice.local import LocalRecoding, refined
from kohort.algorithms.lattice.optimal import Optimal
from kohort.algorithms.lattice.suppress_cells import SuppressCells
from kohort.algorithms.mondrian.forest import Forest
from kohort.algorithms.problem import Solution
from kohort.core.recoding import FullDomain, Multidimensional, classes_of
from kohort.core.suppression import SuppressionLimit
from kohort.errors import InfeasibleError
from kohort.models.k_anonymity import KAnonymity
from kohort.testing.problems import draw_table
from tests.laws.test_loss_laws import diverse
from tests.quick import examples
from tests.reference import loss as plain
from tests.reference.loss import KINDS, Mixed
from tests.reference.mondrian_tables import VALUES, DistinctLDiversity

if TYPE_CHECKING:
    from fractions import Fraction
    from random import Random

    from kohort.algorithms.problem import Problem

NODES = sorted(kind for kind, (_, said) in KINDS.items() if "hierarchy" in said)
CELLS = ["cells", "dear cells"]


@st.composite
def tables(draw: st.DrawFn, kinds: list[str], *, most: int, columns: int = 3) -> Mixed:
    """Tables of columns with hierarchies, some with missing values."""
    chosen = tuple(draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=columns)))
    gaps = draw(st.booleans())
    cells = [st.sampled_from([*KINDS[kind][0], *[""] * gaps]) for kind in chosen]
    rows = draw(st.lists(st.tuples(*cells, st.integers(0, VALUES)), min_size=2, max_size=most))
    for place in range(len(chosen)):
        assume(any(row[place] for row in rows))
    return Mixed(chosen, tuple(rows))


@given(tables(NODES, most=24), st.integers(1, 4), st.integers(1, 2), st.randoms(use_true_random=False))
def test_classes_are_refined_as_the_reference_says(table: Mixed, k: int, l: int, random: Random) -> None:  # noqa: E741  the paper's letter
    """From one class of all records: the same classes as by the definition, in any order of the tuples."""
    assume(diverse(list(table.rows), k, l))
    problem, columns = table.problem(KAnonymity(max(k, 2)), DistinctLDiversity(l)), table.columns()
    assume(len(table.rows) >= max(k, 2))
    found = refined(problem, Forest.uncut(problem.frequency))
    leaves = table.leaves_of(Solution(found))
    expected = plain.refined(list(table.rows), columns, lambda rows: diverse(rows, max(k, 2), l))
    assert sorted(leaves, key=str) == sorted(expected, key=str)
    order = np.arange(problem.frequency.counts.size)
    random.shuffle(order)  # type: ignore[arg-type]
    turned = replace(problem, frequency=problem.frequency.take(order, problem.frequency.counts[order]))
    other = refined(turned, Forest.uncut(turned.frequency))
    assert parts_of(turned, other) == parts_of(problem, found)


def parts_of(problem: Problem, recoding: Multidimensional) -> Counter[tuple[tuple[int, ...], ...]]:
    """The classes as sorted tuples of codes."""
    found: list[list[tuple[int, ...]]] = [[] for _ in recoding.low]
    for piece, region, count in zip(recoding.tuples, recoding.regions, recoding.counts, strict=True):
        codes = (*problem.frequency.quasi[piece].tolist(), *problem.frequency.sensitive[piece].tolist())
        found[int(region)] += [codes] * int(count)
    return Counter(tuple(sorted(one)) for one in found)


@given(st.integers(0, 1 << 32), st.integers(0, 6))
def test_it_never_loses_more_than_the_release_it_refines(seed: int, limit: int) -> None:
    """No attribute loses more than in the full-domain release, the same records are suppressed, all classes satisfy."""
    problem = draw_table(np.random.default_rng(seed)).problem()
    search = Optimal(SuppressionLimit(limit))
    try:
        start = search.solve(problem).recoding
    except InfeasibleError:
        return
    assert isinstance(start, FullDomain)
    found = LocalRecoding(search).solve(problem)
    assert isinstance(found.recoding, Multidimensional)
    assert found.refined == start.levels
    before, after = (classes_of(one, problem.frequency, problem.domains) for one in (start, found.recoding))
    for old, new in zip(before.labels, after.labels, strict=True):
        assert np.dot(new.losses, after.regions) <= np.dot(old.losses, before.regions) + 1e-9
    assert after.suppressed == before.suppressed
    assert np.array_equal(found.recoding.regions < 0, start.of < 0)
    inside = [set(start.of[found.recoding.regions == region].tolist()) for region in range(len(found.recoding.low))]
    assert all(len(one) == 1 for one in inside)


def cost_of(table: Mixed, found: Solution) -> Fraction:
    """What the cells that a release suppresses cost."""
    return plain.total(table.leaves_of(found), table.columns())


@given(tables(CELLS, most=24), st.integers(2, 4), st.integers(1, 2))
def test_cells_are_suppressed_as_the_reference_says(table: Mixed, k: int, l: int) -> None:  # noqa: E741  the paper's letter
    """From one class of all records: step by step, the value whose records save most by a class of their own."""
    assume(diverse(list(table.rows), k, l))
    problem = table.problem(KAnonymity(k), DistinctLDiversity(l))
    expected = plain.refined(list(table.rows), table.columns(), lambda rows: diverse(rows, k, l))
    assert sorted(table.leaves_of(SuppressCells().solve(problem)), key=str) == sorted(expected, key=str)


@settings(max_examples=examples(60))
@given(tables(CELLS, most=7), st.integers(2, 3))
def test_the_optimum_is_that_of_all_partitions(table: Mixed, k: int) -> None:
    """No partition into classes of k records suppresses less; the greedy release never less than the optimum."""
    assume(len(table.rows) >= k)
    problem, columns = table.problem(KAnonymity(k)), table.columns()
    least = min(plain.total(one, columns) for one in plain.partitions(list(table.rows), k))
    greedy, found = SuppressCells().solve(problem), SuppressCells(proven=True).solve(problem)
    assert cost_of(table, found) == least <= cost_of(table, greedy)
    assert found.proven
    assert found.bound is not None
    assert abs(found.bound * len(table.rows) - least) < 1e-9
    leaves = table.leaves_of(found)
    assert min(map(len, leaves)) >= k
    assert Counter(row for leaf in leaves for row in leaf) == Counter(table.rows)


@settings(max_examples=examples(60))
@given(tables(CELLS, most=7, columns=2), st.integers(2, 3))
def test_the_bound_holds_for_other_models_too(table: Mixed, k: int) -> None:
    """With l-diversity the bound is below every release that satisfies, and what is proven is the least."""
    assume(diverse(list(table.rows), k, 2))
    problem, columns = table.problem(KAnonymity(k), DistinctLDiversity(2)), table.columns()
    allowed = [
        plain.total(one, columns)
        for one in plain.partitions(list(table.rows), k)
        if all(diverse(part, k, 2) for part in one)
    ]
    found = SuppressCells(proven=True).solve(problem)
    assert found.bound is not None
    assert found.bound * len(table.rows) <= min(allowed) + 1e-9
    assert cost_of(table, found) >= min(allowed)
    assert not found.proven or cost_of(table, found) == min(allowed)
    assert all(diverse(leaf, k, 2) for leaf in table.leaves_of(found))
