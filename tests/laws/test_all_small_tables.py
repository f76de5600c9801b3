"""Every table of up to eight records over a small domain: the bound, the true optimum, and what methods lose.

Enumerated, not drawn: all multisets of up to eight of the six tuples of a column of three values and one of two. The
optimum is that of all partitions of the records into classes of k, equal records parted in every way.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import pytest

from kohort.algorithms.lattice.local import LocalRecoding, released_as_nodes
from kohort.algorithms.lattice.optimal import Optimal
from kohort.algorithms.lattice.suppress_cells import SuppressCells
from kohort.algorithms.mondrian.bound import least_loss
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.algorithms.mondrian.ordered import Ordered
from kohort.algorithms.mondrian.top_down import TopDown
from kohort.core.recoding import classes_of
from kohort.engines.problem import outcome_of
from kohort.metrics.known import METRICS
from kohort.models.k_anonymity import KAnonymity
from tests.reference import loss as plain
from tests.reference.loss import KINDS, Mixed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kohort.algorithms.problem import Algorithm
    from tests.reference.loss import Row

pytestmark = pytest.mark.slow

#: The most records, and the most on which all methods are tried; the values of either column.
MOST, TRIED, VALUES = 8, 5, (3, 2)

#: How many records each of the six tuples has.
Counts: TypeAlias = tuple[int, ...]


class Case(NamedTuple):
    """Two kinds of columns whose losses do not depend on which values a table has, and the methods tried on them.

    Attributes:
        kinds: The keys of KINDS.
        methods: What is tried; of each, some answer must be the optimum.
    """

    kinds: tuple[str, str]
    methods: tuple[Algorithm, ...]

    @property
    def tuples(self) -> list[Row]:
        """The six tuples, each with a sensitive value that nothing looks at."""
        columns = (KINDS[kind][0][:many] for kind, many in zip(self.kinds, VALUES, strict=True))
        return [(*cells, 0) for cells in product(*columns)]


CASES = {
    "ranges and sets": Case(("in bounds", "set"), (Mondrian(), Mondrian("loss"), TopDown(), Ordered())),
    "nodes": Case(("ancestor", "cells"), (Mondrian("loss"), Ordered(), LocalRecoding(Optimal()), SuppressCells())),
    "cells": Case(("cells", "cells"), (SuppressCells(), SuppressCells(proven=True))),
}


def tables(case: Case) -> Iterator[tuple[Mixed, Counts]]:
    """Every table of two to eight records."""
    for records in range(2, MOST + 1):
        for chosen in combinations_with_replacement(range(6), records):
            rows = tuple(case.tuples[one] for one in chosen)
            yield Mixed(case.kinds, rows), tuple(map(chosen.count, range(6)))


def optimum(case: Case, k: int) -> Callable[[Counts], Fraction | None]:
    """What the records of a table lose at least in classes of k or more, added up; `None` where there are too few."""
    columns = Mixed(case.kinds, tuple(case.tuples)).columns()

    @cache
    def cost(used: tuple[bool, ...]) -> Fraction:
        """What a record of a class with these tuples loses."""
        return plain.cost([row for row, is_used in zip(case.tuples, used, strict=True) if is_used], columns, ncp=True)

    @cache
    def least(counts: Counts) -> Fraction | None:
        if not any(counts):
            return Fraction(0)
        first = next(at for at, count in enumerate(counts) if count)
        found: list[Fraction] = []
        for taken in product(*(range(count + 1) for count in counts)):
            if taken[first] and sum(taken) >= k:
                rest = least(tuple(count - one for count, one in zip(counts, taken, strict=True)))
                if rest is not None:
                    found.append(sum(taken) * cost(tuple(map(bool, taken))) + rest)
        return min(found, default=None)

    return least


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("name", CASES)
def test_bound_optimum_and_methods(name: str, k: int) -> None:
    """No bound is above the optimum, no method is below it, and what is proven is it."""
    case, sharp = CASES[name], defaultdict[str, int](int)
    least = optimum(case, k)
    for table, counts in tables(case):
        best, problem = least(counts), table.problem(KAnonymity(k))
        if best is None:
            continue
        below = least_loss(problem)
        share = float(best / len(table.rows) / below.columns)
        assert (below.error, below.records) == (0.0, len(table.rows))
        assert below.ncp <= share + 1e-12
        sharp["bound"] += below.ncp > share - 1e-12
        for method in case.methods if len(table.rows) <= TRIED else ():
            shown = released_as_nodes(problem) if getattr(method, "nodes", False) else problem
            solution = method.solve(problem)
            classes = classes_of(solution.recoding, shown.frequency, shown.domains)
            lost = METRICS["ncp"](outcome_of(len(table.rows), 0, k, classes, None, domains=shown.domains))
            assert lost >= share - 1e-12
            assert not solution.proven or lost <= share + 1e-12
            sharp[method.name] += lost < share + 1e-12
    assert all(sharp.values())
