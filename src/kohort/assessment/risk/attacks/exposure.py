"""Range ends held by one person: who knows a class, and that somebody in it is the oldest, knows how old he is.

A closed range prints the least and the greatest value of its class. Where one person alone has it, what is printed is
his. Needs the input: only it says how many have the value. Intervals of a public grid print no value of anybody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.assessment.risk.attacks.base import Attack
from kohort.assessment.risk.attacks.downcoding import held_cells, told_cells

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kohort.assessment.risk.attacks.matching import Match, View


def exposure(view: View, match: Match, nodes: Sequence[Collection[str]]) -> Attack:
    """The people who alone in their class have a value that is an end of its range, in any column.

    Where classes overlap, alone is who alone fits the class: one of these must have the value.

    Args:
        view: The release.
        match: The input's people, by all quasi-identifying columns.
        nodes: Per column, the labels that are nodes of a hierarchy.
    """
    alone = np.zeros(len(match.tuples), np.bool_)
    tuples, counts = match.pairs[:, 0], match.counts
    for column, known in enumerate(nodes):
        held = held_cells(match, column)
        at_end = np.isin(held, told_cells(view, column, match, known, ranges=True))
        _, cell = np.unique(held[at_end], return_inverse=True)
        holders = np.bincount(cell, weights=counts[tuples[at_end]])
        alone[tuples[at_end][holders[cell] == 1]] = True
    exposed = int(counts[alone].sum())
    return Attack("exposure", view.of.size, exposed, float(exposed), 0.0)
