"""The landscape says of every node what the definitions say."""

# A model's field is read as the property that it stands for.
# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort import io
from kohort.algorithms.lattice.exhaustive import landscape, minima
from kohort.algorithms.problem import Problem
from kohort.core.suppression import SuppressionLimit
from kohort.errors import LimitError
from kohort.io.options import ReadOptions
from kohort.metrics.known import OBJECTIVES
from kohort.models.base import Declaration
from kohort.models.k_anonymity import KAnonymity
from kohort.schema import Attribute, Role, Schema
from kohort.schema.hierarchy import Hierarchy
from kohort.tables.coded import CodedTable
from tests.reference.lattice import Column, Group, RawTable, every_node, is_above, optima, problem_of
from tests.toy_models import ToyModel

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kohort.arrays import Mask
    from kohort.core.frequency import ClassProfile
    from kohort.core.lattice import Node

FLAT = Column((("a", "*"), ("b", "*")))
DEEP = Column((("p", "pq", "*"), ("q", "pq", "*"), ("r", "rs", "*"), ("s", "rs", "*")))


@dataclass(frozen=True)
class Odd(ToyModel):
    """Only classes of 1, 3, 5 … records: not monotone at all."""

    name: str = "odd"

    @property
    def declared(self) -> Declaration:
        """What it declares."""
        return Declaration(monotone_generalization=False, monotone_suppression=False)

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes have an odd number of records."""
        odd: Mask = classes.sizes % 2 == 1
        return odd


def odd(inside: Group) -> bool:
    """The same of one class."""
    return inside.records % 2 == 1


def at_least_two(inside: Group) -> bool:
    """2-anonymity of one class."""
    return inside.records >= 2


@given(
    st.lists(st.tuples(*map(st.sampled_from, ("ab", "pqrs", "pqrs"))), min_size=1, max_size=12),
    st.integers(0, 6),
    st.sampled_from(sorted(OBJECTIVES)),
    st.sampled_from([(KAnonymity(2), at_least_two, 2), (Odd(), odd, 1)]),
)
def test_every_node_is_what_the_definitions_say(
    records: list[tuple[str, ...]],
    limit: int,
    objective: str,
    asked: tuple[KAnonymity | Odd, Callable[[Group], bool], int],
) -> None:
    """Suppressed records, cost, what is releasable, minimal and optimal: all as defined, monotone model or not."""
    model, satisfied, k = asked
    table = RawTable((FLAT, DEEP, DEEP), tuple(records))
    seen = landscape(problem_of(table, model), SuppressionLimit(limit), objective)
    nodes = every_node(table, satisfied, limit, k)
    releasable = {node for node, plain in nodes.items() if plain.releasable}
    for node, plain in nodes.items():
        below = {other for other in releasable if other != node and is_above(node, other)}
        assert (seen.suppressed[node], seen.releasable[node]) == (plain.suppressed, plain.releasable)
        assert seen.minimal[node] == (node in releasable and not below)
        assert seen.cost[node] == (pytest.approx(plain.cost(objective), abs=1e-9) if plain.releasable else np.inf)
    if seen.optimum is None:
        assert not releasable
    else:
        assert seen.optimum in optima(nodes, objective)
        assert seen.figure(seen.optimum) == pytest.approx(nodes[seen.optimum].figures[objective], abs=1e-9)
    assert (seen.records, seen.limit, seen.models) == (len(records), min(limit, len(records)), (model.name,))


@given(st.lists(st.booleans(), min_size=24, max_size=24))
def test_minima_hold_nowhere_below(holds: list[bool]) -> None:
    """A minimum holds, and nothing that holds lies below it."""
    array = np.array(holds).reshape(2, 3, 4)
    places: list[Node] = [tuple(place) for place in np.argwhere(array).tolist()]
    expected = {place for place in places if not any(is_above(place, other) for other in places if other != place)}
    assert {tuple(place) for place in np.argwhere(minima(array)).tolist()} == expected


@pytest.mark.parametrize(("columns", "max_level", "said"), [(17, 1, "131,072 nodes"), (65, 0, "65 quasi-identifiers")])
def test_what_is_too_large_is_refused(columns: int, max_level: int, said: str) -> None:
    """A lattice of too many nodes or attributes is refused before any node is judged, with a way out."""
    column = Column((("x", "*"),), max_level=max_level)
    problem = problem_of(RawTable((column,) * columns, (("x",) * columns,) * 2), KAnonymity(2))
    with pytest.raises(LimitError, match=said) as raised:
        landscape(problem, SuppressionLimit(), "lm")
    assert raised.value.hint


MARITAL = {
    "Married-spouse-absent": "alone",
    "Widowed": "alone",
    "Separated": "parted",
    "Divorced": "parted",
    "Married-civ-spouse": "married",
    "Married-AF-spouse": "married",
    "Never-married": "never",
}


@pytest.mark.parametrize(
    ("required", "lowest", "optimum", "loss"),
    [
        ((10, 20), {(0, 1, 2, 1), (1, 1, 1, 1)}, (0, 0, 1, 4), 1.11414),
        ((5, 20), {(0, 1, 1, 2), (0, 1, 0, 3), (0, 1, 2, 1), (1, 1, 1, 1), (1, 1, 2, 0)}, (0, 0, 1, 4), 1.11330),
        ((10, 10), {(0, 1, 2, 1)}, (0, 0, 2, 4), 2.0),
    ],
)
def test_adult(adult_csv: Path, required: tuple[int, int], lowest: set[Node], optimum: Node, loss: float) -> None:
    """On Adult the lowest minimal nodes and the optimum are the worked answers of full-domain generalization."""
    ages = [(str(age), *(f"{width}: {(age - 16) // width}" for width in (5, 10, 20)), "*") for age in range(16, 96)]
    hierarchies: dict[str, Hierarchy | str] = {
        "sex": "suppress",
        "race": "suppress",
        "marital-status": Hierarchy.from_rows([(status, group, "*") for status, group in MARITAL.items()]),
        "age": Hierarchy.from_rows(ages),
    }
    schema = Schema(
        tuple(Attribute(name, Role.QUASI, hierarchy=one) for name, one in hierarchies.items()), rest=Role.IDENTIFYING
    )
    k, limit = required
    table = io.read(str(adult_csv), ReadOptions())
    engine = CodedTable(table, schema.over(table.names))
    order = [domain.attribute.name for domain in engine.domains]
    seen = landscape(Problem(engine.count(), engine.domains, (KAnonymity(k),)), SuppressionLimit(limit), "lm")

    def asked(node: Node) -> Node:
        return tuple(node[order.index(name)] for name in hierarchies)

    minimal: list[Node] = [tuple(node) for node in np.argwhere(seen.minimal).tolist()]
    assert {asked(node) for node in minimal if sum(node) == 4} == lowest
    assert min(map(sum, minimal)) == 4
    assert seen.optimum is not None
    assert asked(seen.optimum) == optimum
    assert seen.figure(seen.optimum) == pytest.approx(loss, abs=5e-6)
