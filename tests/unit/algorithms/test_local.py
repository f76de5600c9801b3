"""Local recoding and cell suppression, case by case."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kohort.algorithms.lattice import cells_optimum
from kohort.algorithms.lattice.given import GivenNode
from kohort.algorithms.lattice.local import LocalRecoding
from kohort.algorithms.lattice.optimal import Optimal
from kohort.algorithms.lattice.samarati import Samarati
from kohort.algorithms.lattice.suppress_cells import SuppressCells
from kohort.algorithms.method import METHODS, Choices
from kohort.algorithms.solver import Answer
from kohort.core.recoding import FullDomain, Multidimensional, classes_of
from kohort.core.suppression import SuppressionLimit
from kohort.errors import InfeasibleError, LimitError, UsageError
from kohort.models.average_risk import AverageRisk
from kohort.models.delta_presence import DeltaPresence
from kohort.models.k_anonymity import KAnonymity
from kohort.testing import check_algorithm
from tests.reference.loss import Mixed
from tests.reference.mondrian_tables import DistinctLDiversity

if TYPE_CHECKING:
    from kohort.algorithms.problem import Algorithm, Problem, Solution
    from kohort.algorithms.solver import Program

#: Ages of two decades; the first release puts everybody on decades, and some can have years.
AGES = Mixed(("ancestor of ages",), tuple((age, 0) for age in ["16"] * 3 + ["17"] * 3 + ["25", "44", "95"]))


def released(problem: Problem, found: Solution) -> list[tuple[str, int]]:
    """The labels of the first column, each with its records."""
    classes = classes_of(found.recoding, problem.frequency, problem.domains)
    texts = classes.labels[0].texts
    return sorted((texts[classes.labels[0].of[region]], int(classes.regions[region])) for region in classes.first)


def test_classes_get_the_finest_nodes_that_they_can_afford() -> None:
    """Those of 16 and 17 are enough for a class each; the others stay where the release before has them."""
    problem = AGES.problem(KAnonymity(3))
    found = LocalRecoding(Optimal()).solve(problem)
    assert released(problem, found) == [("*", 3), ("16", 3), ("17", 3)]
    assert found.refined == (4,)
    assert (found.trace["classes_before"], found.trace["classes_after"]) == (1, 3)
    assert not found.proven
    assert found.candidates == ()


def test_what_the_release_before_suppresses_stays_out() -> None:
    """The same three records are in no class, before and after."""
    problem = AGES.problem(KAnonymity(3))
    found = LocalRecoding(GivenNode((1,), SuppressionLimit(3))).solve(problem)
    assert released(problem, found) == [("16", 3), ("17", 3)]
    assert found.refined == (1,)
    classes = classes_of(found.recoding, problem.frequency, problem.domains)
    assert classes.suppressed == 3


@pytest.mark.parametrize(
    "algorithm",
    [
        LocalRecoding(Optimal()),
        LocalRecoding(Optimal(SuppressionLimit.of("20%"))),
        LocalRecoding(Samarati(SuppressionLimit(2))),
        SuppressCells(),
        SuppressCells(proven=True),
    ],
)
def test_it_passes_the_public_checks(algorithm: Algorithm) -> None:
    """Toys by definition: every record once, satisfying classes, no difference by order."""
    check_algorithm(algorithm, tables=40)


def people_of(table: Mixed, owners: list[int]) -> Problem:
    """The table with the person of each record."""
    problem = table.problem(KAnonymity(2))
    rows = sorted(table.rows, key=str)
    codes = {row: problem.frequency.quasi[place] for place, row in enumerate(sorted(set(table.rows), key=str))}
    quasi = np.array([codes[row] for row in rows])
    sensitive = np.array([[row[-1]] for row in rows], np.uint16)
    frequency = replace(
        problem.frequency,
        quasi=quasi,
        sensitive=sensitive,
        counts=np.ones(len(rows), np.int64),
        people=np.array(owners, np.int64),
    )
    return replace(problem, frequency=frequency)


def test_people_are_counted_not_records() -> None:
    """Three records of one person are no class of two people, whatever the level."""
    table = Mixed(("ancestor of ages",), tuple((age, 0) for age in ["16"] * 3 + ["17"] * 3))
    alone = people_of(table, [0, 0, 0, 1, 2, 3])
    assert released(alone, LocalRecoding(GivenNode((1,))).solve(alone)) == [("[16-21)", 6)]
    several = people_of(table, [0, 1, 0, 1, 2, 3])
    assert released(several, LocalRecoding(GivenNode((1,))).solve(several)) == [("16", 3), ("17", 3)]
    assert len(SuppressCells(proven=True).solve(alone).recoding.low) == 1  # type: ignore[union-attr]


def test_classes_that_fail_together_leave_the_release_before() -> None:
    """An average over all classes is met by the release before, and by none in which classes are smaller."""
    problem = AGES.problem(KAnonymity(3), AverageRisk(Fraction(1, 4)))
    found = LocalRecoding(GivenNode((4,))).solve(problem)
    assert isinstance(found.recoding, (FullDomain, Multidimensional))
    classes = classes_of(found.recoding, problem.frequency, problem.domains)
    assert 1 / classes.sizes.mean() <= 0.25


def test_a_label_that_fits_fewer_people_may_not_do() -> None:
    """A population is counted by labels: where the finer one fits too few, the release stays as it was."""
    wide = Mixed(("ancestor of ages",), tuple((age, 0) for age in ["16"] * 4 + ["17"] * 4)).problem(KAnonymity(2))
    known = replace(wide.frequency, sensitive=wide.frequency.sensitive[:, :0], sensitive_domains=())
    problem = replace(wide, frequency=wide.frequency.take(np.array([0]), np.array([4])), population=known)
    problem = replace(problem, models=(KAnonymity(2), DeltaPresence(Fraction(0), Fraction(4, 5))))
    found = LocalRecoding(GivenNode((1,))).solve(problem)
    assert isinstance(found.recoding, FullDomain)
    assert found.refined == (1,)


def test_methods_on_levels_take_it_and_others_do_not() -> None:
    """Each lattice method can be followed by it, a given node too; Mondrian and cell suppression cannot."""
    for name in ("samarati", "optimal", "datafly", "best-effort"):
        assert METHODS[name](Choices(local=True)).name == f"{name}-local"
        assert METHODS[name](Choices(local=False)).name == name
    assert METHODS["optimal"](Choices(local=True, node=(1,))) == LocalRecoding(GivenNode((1,)))
    for name in ("mondrian", "suppress-cells", "suppress-cells-optimal"):
        with pytest.raises(UsageError, match="has no levels"):
            METHODS[name](Choices(local=True))


# ── Cell suppression ─────────────────────────────────────────────────────────────────────────────

PAIRS = Mixed(("cells", "cells"), (("a", "a", 0), ("a", "b", 1), ("b", "b", 0), ("b", "b", 1), ("b", "c", 0)))


def test_equal_records_may_be_parted_where_that_is_cheaper() -> None:
    """Of three equal records one helps out a fourth: two cells in place of the greedy release's four."""
    table = Mixed(("cells",), (("a", 0), ("a", 1), ("a", 0), ("b", 1)))
    problem = table.problem(KAnonymity(2))
    greedy, found = SuppressCells().solve(problem), SuppressCells(proven=True).solve(problem)
    assert greedy.trace == {"suppressed_cells": 4}
    assert (found.trace["suppressed_cells"], found.trace["labels"]) == (2, 2)  # `a`, and `*` for all
    assert found.trace["nodes"] >= 0
    assert (found.proven, found.bound) == (True, 0.5)
    assert (greedy.proven, greedy.bound) == (False, None)


def test_records_that_are_parted_are_dealt_by_sensitive_value() -> None:
    """Of ten equal records, half of each sensitive value, the two that help out are not of one value."""
    table = Mixed(("cells",), (*[("a", 0), ("a", 1)] * 3, ("b", 0), ("b", 1)))
    problem = table.problem(KAnonymity(4))
    found = SuppressCells(proven=True).solve(problem)
    helping = next(leaf for leaf in table.leaves_of(found) if any(row[0] == "b" for row in leaf))
    assert sorted(row[1] for row in helping) == [0, 0, 1, 1]


def test_other_models_refuse_what_the_solver_proposes() -> None:
    """Classes of k records that lack a second sensitive value are no release: the greedy one stands, with the bound."""
    table = Mixed(("cells",), (("a", 0), ("a", 0), ("b", 1), ("b", 1)))
    problem = table.problem(KAnonymity(2), DistinctLDiversity(2))
    found = SuppressCells(proven=True).solve(problem)
    assert (found.trace["suppressed_cells"], found.proven, found.bound) == (4, False, 0.0)


def test_a_solver_that_finds_nothing_or_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it proposes is counted again; the greedy release stands where that leaves records out."""
    problem = PAIRS.problem(KAnonymity(2))
    greedy = SuppressCells().solve(problem).trace["suppressed_cells"]
    for values in (np.empty(0), np.zeros(1)):

        def silent(program: Program, *_: object, found: bool = bool(values.size), **__: object) -> Answer:
            return Answer(np.zeros(program.costs.size if found else 0), 0, 0)

        monkeypatch.setattr(cells_optimum, "solve", silent)
        found = SuppressCells(proven=True).solve(problem)
        assert (found.trace["suppressed_cells"], found.proven, found.bound) == (greedy, False, 0.0)


def test_records_that_the_schema_suppresses_count_in_the_bound() -> None:
    """They lose everything, whatever the cells of the others."""
    problem = replace(PAIRS.problem(KAnonymity(2)), suppressed_by_schema=5)
    with_none, found = (
        SuppressCells(proven=True).solve(replace(problem, suppressed_by_schema=number)).bound for number in (0, 5)
    )
    assert with_none is not None
    assert found == (5 * with_none + 5 * 2) / 10


@pytest.mark.parametrize(("limit", "value"), [("MOST_PAIRS", 1), ("MOST_SUBSETS", 2)])
def test_tables_too_large_to_prove_anything(limit: str, value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rather than run for hours it says so, and which method does without a proof."""
    monkeypatch.setattr(cells_optimum, limit, value)
    with pytest.raises(LimitError, match="4 different tuples of 2 quasi-identifiers") as caught:
        SuppressCells(proven=True).solve(PAIRS.problem(KAnonymity(2)))
    assert "suppress-cells" in caught.value.hint


def test_a_table_that_fails_as_a_whole_has_no_release() -> None:
    """Not even with every cell suppressed."""
    with pytest.raises(InfeasibleError, match="the whole table"):
        SuppressCells().solve(PAIRS.problem(KAnonymity(6)))


def test_classes_that_fail_together_are_one() -> None:
    """Where an average over all classes fails, no value is released."""
    table = Mixed(("cells",), (("a", 0), ("a", 0), ("b", 0), ("b", 0)))
    found = SuppressCells().solve(table.problem(KAnonymity(2), AverageRisk(Fraction(3, 10))))
    assert found.trace["suppressed_cells"] == 4
