"""`check_algorithm`: kohort's own methods pass, and every law has an algorithm that breaks it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kohort.algorithms.lattice.datafly import Datafly
from kohort.algorithms.method import METHODS, Choices
from kohort.algorithms.mondrian.forest import Forest
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.core.recoding import FullDomain, Multidimensional
from kohort.core.suppression import SuppressionLimit
from kohort.errors import InfeasibleError
from kohort.testing import WrongReleaseError, check_algorithm

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.algorithms.problem import Algorithm, Problem, Solution

HALF = SuppressionLimit.of("50%")

#: Every method, on levels with and without suppression.
OWN = {
    f"{name}, {limit}": method(Choices(limit=limit))
    for name, method in METHODS.items()
    for limit in (None, SuppressionLimit.of("30%"))
    if limit is None or method.takes("limit")
}


@pytest.mark.parametrize("name", OWN)
def test_our_own_algorithms_pass(name: str) -> None:
    """Every method answers toy problems with releases that are what was asked for."""
    check_algorithm(OWN[name], tables=25, seed=7)


@dataclass(frozen=True)
class Spoiled:
    """An algorithm whose answers are changed."""

    spoil: Callable[[Problem, Solution], Solution]
    inner: Algorithm = field(default_factory=Mondrian)
    full: bool | None = None

    name: str = field(default="spoiled", init=False)
    distinct: bool = field(default=False, init=False)

    @property
    def full_domain(self) -> bool:
        """As the inner one declares, unless it lies."""
        return self.inner.full_domain if self.full is None else self.full

    @property
    def limit(self) -> SuppressionLimit | None:
        """As the inner one."""
        return self.inner.limit

    @property
    def objective(self) -> str | None:
        """As the inner one."""
        return self.inner.objective

    def solve(self, problem: Problem) -> Solution:
        """The spoiled answer."""
        return self.spoil(problem, self.inner.solve(problem))


def refuses(problem: Problem, _: Solution) -> Solution:
    """Says that there is no release."""
    raise InfeasibleError(f"no release of {problem.frequency.records} records")


def loses(_: Problem, found: Solution) -> Solution:
    """Releases a record twice."""
    assert isinstance(found.recoding, Multidimensional)
    counts = found.recoding.counts.copy()
    counts[-1] += 1
    return replace(found, recoding=replace(found.recoding, counts=counts))


def suppresses(problem: Problem, found: Solution) -> Solution:
    """Suppresses everything."""
    assert problem.k
    assert isinstance(found.recoding, FullDomain)
    nothing = np.full_like(found.recoding.of, -1)
    return replace(found, recoding=replace(found.recoding, of=nothing, nodes=found.recoding.nodes[:0]))


def parts(problem: Problem, found: Solution) -> Solution:
    """Releases every tuple as a class of its own."""
    frequency = problem.frequency
    places = np.arange(frequency.counts.size)
    alone = Multidimensional(places, places, frequency.counts, frequency.quasi, frequency.quasi)
    return replace(found, recoding=alone)


def depends(problem: Problem, found: Solution) -> Solution:
    """Cuts only where the first tuple has the least value."""
    first = problem.frequency.quasi[0, 0] == problem.frequency.quasi[:, 0].min()
    return found if first else replace(found, recoding=Forest.uncut(problem.frequency).recoding)


def lifts(_: Problem, found: Solution) -> Solution:
    """Gives regions another least corner."""
    assert isinstance(found.recoding, Multidimensional)
    low = found.recoding.low.copy()
    low += 1
    return replace(found, recoding=replace(found.recoding, low=low))


def widens(_: Problem, found: Solution) -> Solution:
    """Gives regions another greatest corner."""
    assert isinstance(found.recoding, Multidimensional)
    high = found.recoding.high.copy()
    high[high > 0] -= 1
    return replace(found, recoding=replace(found.recoding, high=high))


def raises_nodes(problem: Problem, found: Solution) -> Solution:
    """Says other nodes than those of the tuples."""
    assert problem.k
    assert isinstance(found.recoding, FullDomain)
    return replace(found, recoding=replace(found.recoding, nodes=found.recoding.nodes[::-1] * 0))


LATTICE = Datafly(HALF)

LIES: dict[str, tuple[str, Algorithm]] = {
    "refuses": ("no release found", Spoiled(refuses)),
    "loses": ("in the release twice", Spoiled(loses)),
    "suppresses": ("more records are suppressed", Spoiled(suppresses, LATTICE)),
    "parts": ("does not satisfy the models", Spoiled(parts)),
    "depends": ("order of tuples", Spoiled(depends)),
    "low": ("least codes", Spoiled(lifts)),
    "high": ("greatest codes", Spoiled(widens)),
    "nodes": ("nodes are not those", Spoiled(raises_nodes, LATTICE)),
    "kind": ("full_domain", Spoiled(lambda _, found: found, full=True)),
    "proof": ("optimum is declared proven", Spoiled(lambda _, found: replace(found, proven=True), LATTICE)),
    "bound": ("bound is above", Spoiled(lambda _, found: replace(found, bound=1e9), LATTICE)),
}


@pytest.mark.parametrize("lie", LIES)
def test_what_is_wrong_is_found(lie: str) -> None:
    """Each law is broken by an algorithm that breaks nothing else first, and the toy is shown."""
    law, algorithm = LIES[lie]
    with pytest.raises(WrongReleaseError, match=law) as error:
        check_algorithm(algorithm, tables=300)
    assert error.value.law in str(error.value)
    assert "records" in str(error.value.table)


def test_a_problem_must_not_be_changed() -> None:
    """Whoever solves a problem twice would get another answer."""

    def turns(problem: Problem, found: Solution) -> Solution:
        problem.frequency.quasi[:] = 0
        return found

    with pytest.raises(WrongReleaseError, match="itself was changed"):
        check_algorithm(Spoiled(turns), tables=300)
