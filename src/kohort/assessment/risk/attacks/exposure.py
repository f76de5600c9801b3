"""Range ends that are one person's value: the age of the oldest of a class stands in its label.

A closed range prints the least and the greatest value of its class. Where one person alone has such a value, anyone
who knows that he is the oldest of the class reads his exact age. The attack needs the input: only that says how many
people have the value. Intervals of a public grid print no person's value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.assessment.risk.attacks.base import Attack
from kohort.assessment.risk.attacks.downcoding import claimed_cells, true_cells

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kohort.assessment.population import PopulationMatch
    from kohort.assessment.risk.attacks.base import ReleaseView


def exposure(view: ReleaseView, match: PopulationMatch, nodes: Sequence[Collection[str]]) -> Attack:
    """Attack the people who alone in their class have a value that is an end of its range, in any column.

    Where classes overlap, those count who alone of all people that fit the class have the value: some record of the
    class has it, so it is theirs.
    """
    exposed = np.zeros(len(match.people.tuples), np.bool_)
    tuples, counts = match.pairs[:, 0], match.people.counts
    for column, known in enumerate(nodes):
        cells = true_cells(match, column)
        at_end = np.isin(cells, claimed_cells(view, column, match, known, ranges=True))
        _, cell = np.unique(cells[at_end], return_inverse=True)
        holders = np.bincount(cell, weights=counts[tuples[at_end]])
        exposed[tuples[at_end][holders[cell] == 1]] = True
    people = int(counts[exposed].sum())
    return Attack.scored("exposure", view.records, people, float(people), 0.0)
