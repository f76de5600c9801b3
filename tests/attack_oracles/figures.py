"""What releases of toy tables give away, by method and label: the figures of docs/weaknesses.md.

    PYTHONPATH=src python -m tests.attack_oracles.figures [refinement] [diverse] [minimality] [suppression]

refinement: six people of four ages, and five of four ages and two cities, k = 2; diverse: five people of four ages with
two illnesses, k = 2 and l = 2. In each cell: the share of generalized cells that are certain by the labels alone, then
with the algorithm; the guesses that are right, likewise; and the share of the inputs that the labels allow and the
algorithm leaves. minimality: four known people of four ages, all assignments of three illnesses, of which each may be
that of half of a class, and three couples of an age; the share of the releases after which somebody's illness is known
more surely. suppression: the share of generalized cells that are certain where a full-domain method may suppress up to
so many records; last, where the levels are named in advance.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

from kohort.algorithms.lattice.datafly import Datafly
from kohort.algorithms.lattice.given import GivenNode
from kohort.algorithms.lattice.optimal import Optimal
from kohort.algorithms.lattice.samarati import Samarati
from kohort.core.suppression import SuppressionLimit
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from tests.attack_oracles.refinement import refinement
from tests.attack_oracles.toy import downcoding, minimality
from tests.attack_oracles.worlds import AGES, HALF, LATTICES, LOCALS, MONDRIANS, world

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from kohort.models.base import PrivacyModel
    from tests.attack_oracles.refinement import Refinement
    from tests.attack_oracles.toy import World

KINDS = ("range", "set", "ancestor", "grid")

#: Three couples of an age.
COUPLES = ("20", "20", "30", "30", "35", "35")

#: Two illnesses, and two different ones in each class.
ILLNESSES = ("a", "b")
DIVERSE: tuple[PrivacyModel, ...] = (KAnonymity(2), DistinctLDiversity("illness", 2))


def refined() -> Iterator[str]:
    """Ages that follow, of ages alone and with cities."""
    yield from lines("6 people", lambda how, label: shown(refinement(world(how, label), 6)))
    yield from lines("5 people, cities", lambda how, label: shown(refinement(world(how, label, cities=True), 5)))


def diverse() -> Iterator[str]:
    """Ages, and ages with their illness, that follow under 2-diversity."""
    yield from lines("l = 2, ages", lambda how, label: shown(refinement(with_illnesses(how, label), 5)))
    yield from lines("l = 2, both", lambda how, label: shown(refinement(with_illnesses(how, label), 5, slice(2))))


def with_illnesses(how: str, label: str) -> World:
    """A world of ages with an illness, two different ones in each class."""
    one = world(how, label, *DIVERSE)
    return replace(one, values=(*one.values, ILLNESSES))


def minimal() -> Iterator[str]:
    """How often somebody's illness is known more surely than promised."""
    yield from lines("breached", breached)


def breached(how: str, label: str) -> str:
    """The share of the releases of all four people, and of three couples, after which somebody's illness is surer."""
    fours = combinations_with_replacement(AGES, 4)
    return ", ".join(_breached(world(how, label, HALF), people) for people in (fours, [COUPLES]))


def _breached(one: World, people: Iterable[Sequence[str]]) -> str:
    """The share of the releases of all assignments of illnesses to these people."""
    every = [minimality(one, tuple((age,) for age in ages), "abc", 0.5) for ages in people]
    return f"{sum(found.breached for found in every) / sum(found.releases for found in every):.0%}"


def shown(found: Refinement) -> str:
    """The figures of one world."""
    cells = max(found.cells, 1)
    certain, guessed = (
        f"{alone / cells:.0%} → {known / cells:.0%}"
        for alone, known in ((found.certain_by_labels, found.certain), (found.guessed_by_labels, found.guessed))
    )
    return f"{certain}; {guessed}; {found.left:.0%}"


def suppressed() -> Iterator[str]:
    """Cells that follow where records may be suppressed: levels that are searched for, and levels that are named."""
    yield "\n| | 6 people: 0 / 1 / 2 suppressed | 5 people, cities |\n|---|---|---|"
    for name in (*LATTICES, "a node given in advance"):
        shown: list[str] = []
        for records, cities in ((6, False), (5, True)):
            rates = (downcoding(suppressing(name, limit, cities=cities), records).rate for limit in range(3))
            shown.append(" / ".join(f"{rate:.0%}" for rate in rates))
        yield f"| {name} | {' | '.join(shown)} |"


def suppressing(how: str, limit: int, *, cities: bool = False) -> World:
    """The world of a full-domain method that may suppress so many records; `LATTICES` or a node given in advance."""
    algorithm = LATTICES.get(how, GivenNode((1, 0) if cities else (1,)))
    assert isinstance(algorithm, Samarati | Optimal | Datafly | GivenNode)
    allowed = replace(algorithm, limit=SuppressionLimit(limit))
    return replace(world("optimal", "ancestor", cities=cities), algorithm=allowed)


def lines(title: str, figure: Callable[[str, str], str]) -> Iterator[str]:
    """A line for each method, a column for each kind of label."""
    yield f"\n| {title} | {' | '.join(KINDS)} |\n|---|---|---|---|---|"
    for how in (*MONDRIANS, *LATTICES, *LOCALS):
        kinds = KINDS if how in MONDRIANS else ("ancestor",)
        yield f"| {how} | {' | '.join(figure(how, kind) if kind in kinds else '' for kind in KINDS)} |"


if __name__ == "__main__":
    parts = {"refinement": refined, "diverse": diverse, "minimality": minimal, "suppression": suppressed}
    for name in sys.argv[1:] or parts:
        for line in parts[name]():
            print(line, flush=True)  # noqa: T201  figures are printed
