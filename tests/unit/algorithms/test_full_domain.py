"""A node becomes a recoding: one level for each attribute, and what fails the models is suppressed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kohort.algorithms.lattice.judge import full_domain
from kohort.algorithms.lattice.local import LocalRecoding
from kohort.algorithms.lattice.optimal import Optimal
from kohort.algorithms.lattice.suppress_cells import SuppressCells
from kohort.algorithms.method import on_nodes
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.core.recoding import FullDomain, RegionClasses, classes_of
from kohort.models.k_anonymity import KAnonymity
from tests.reference.lattice import Column, RawTable, problem_of
from tests.reference.mondrian_tables import DistinctLDiversity

if TYPE_CHECKING:
    from kohort.algorithms.problem import Algorithm

TOWNS = Column((("Bari", "Sud", "*"), ("Milano", "Nord", "*"), ("Torino", "Nord", "*"), ("Lecce", "Sud", "*")))
SEX = Column((("f", "*"), ("m", "*")))

#: 3 records of one tuple, 1 and 1 that meet a level higher, 1 that meets nobody before the root.
TABLE = RawTable(
    (TOWNS, SEX),
    (("Bari", "f"), ("Bari", "f"), ("Milano", "m"), ("Bari", "f"), ("Torino", "m"), ("Lecce", "m")),
    ("x", "x", "x", "x", "y", "x"),
)


def released(node: tuple[int, ...], *, apart: bool = False) -> tuple[FullDomain, RegionClasses]:
    """The recoding of a node for 2-anonymity, and its classes."""
    problem = problem_of(TABLE, KAnonymity(2), apart=apart)
    recoding = full_domain(problem, node)
    return recoding, classes_of(recoding, problem.frequency, problem.domains)


def texts(classes: RegionClasses) -> dict[tuple[str, ...], int]:
    """The records with each combination of released values."""
    return {
        tuple(labels.texts[labels.of[region]] for labels in classes.labels): int(size)
        for region, size in zip(classes.first, classes.sizes, strict=True)
    }


@pytest.mark.parametrize("apart", [False, True])
def test_classes_are_released_under_the_labels_of_their_level(*, apart: bool) -> None:
    """Each attribute on its own level; the records of failing classes are in no region."""
    recoding, classes = released((1, 0), apart=apart)
    assert recoding.levels == (1, 0)
    assert texts(classes) == {("Sud", "f"): 3, ("Nord", "m"): 2}
    assert classes.suppressed == 1
    assert classes.labels[0].texts == ("Sud", "Nord")
    assert [labels.losses.tolist() for labels in classes.labels] == [[1 / 3, 1 / 3], [0, 0]]


def test_tuples_know_their_region() -> None:
    """Every tuple of a kept class lies in the region with its nodes; others have none."""
    recoding, _ = released((0, 1))
    assert recoding.of.tolist() == [0, -1, -1, -1]
    assert recoding.nodes.tolist() == [[0, 0]]
    assert released((2, 0))[0].of.tolist() == [0, 1, 1, 1]


def test_everything_may_be_suppressed() -> None:
    """Where no class meets the models there are no regions, no labels and no classes."""
    problem = problem_of(TABLE, KAnonymity(4))
    recoding = full_domain(problem, (0, 0))
    classes = classes_of(recoding, problem.frequency, problem.domains)
    assert set(recoding.of.tolist()) == {-1}
    assert recoding.nodes.shape == (0, 2)
    assert (classes.suppressed, classes.sizes.size, [len(labels.texts) for labels in classes.labels]) == (6, 0, [0, 0])


def test_all_models_are_asked() -> None:
    """A class is kept if every model accepts it, sensitive values counted."""
    problem = problem_of(TABLE, KAnonymity(2), DistinctLDiversity(2))
    recoding = full_domain(problem, (1, 0))
    classes = classes_of(recoding, problem.frequency, problem.domains)
    assert texts(classes) == {("Nord", "m"): 2}
    assert classes.suppressed == 4


def test_a_missing_value_stays_apart_up_to_the_root() -> None:
    """Below the root it is released as an empty cell; at the root as all others are."""
    table = replace(TABLE, records=(*TABLE.records[:4], ("", "m"), ("", "m")))
    problem = problem_of(table, KAnonymity(2))
    for level, expected in ((1, {("Sud", "f"): 3, ("", "m"): 2}), (2, {("*", "f"): 3, ("*", "m"): 3})):
        recoding = full_domain(problem, (level, 0))
        assert texts(classes_of(recoding, problem.frequency, problem.domains)) == expected


def test_what_releases_nodes_says_so() -> None:
    """Full-domain algorithms, and what refines their answers or suppresses cells; no cut of Mondrian."""
    some: list[Algorithm] = [Optimal(), LocalRecoding(Optimal()), SuppressCells(), Mondrian()]
    assert [*map(on_nodes, some)] == [True, True, True, False]
