"""Small-world inversion: cells whose exact value is certain although their label covers more.

Cohen: Attacks on Deidentification's Defenses (USENIX Security 2022), section 3, calls it downcoding: an attacker who
knows that an algorithm generalizes no more than it must can exclude tables, and at times all but one. Here one rule
without a search does it: a label is no wider than its class, so some record has each value that it prints. That holds
for Mondrian's closed ranges and sets, and not for an interval of a public grid, whose ends were there before the data.

These cells do not distinguish the records of a class, so one of them counts as certain if the class certainly has a
record with this value. The figure is a lower bound: for all small tables, tests/attack_oracles finds how much an
attacker recovers who excludes every table from which the algorithm would have made another release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.assessment.labels import canonical, printed_values
from kohort.assessment.population import joined
from kohort.assessment.risk.attacks.base import Attack

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kohort.arrays import Counts, Index
    from kohort.assessment.population import PopulationMatch
    from kohort.assessment.risk.attacks.base import ReleaseView


def certain_cells(labels: Sequence[str], sizes: Counts, *, nodes: Collection[str] = ()) -> Counts:
    """(c,) the cells of one column in each class whose exact value is certain though the label covers more.

    Args:
        labels: (c,) the label of each class.
        sizes: (c,) its records.
        nodes: Labels that are nodes of a hierarchy, such as `{a, b}`: they print no value.

    >>> certain_cells(["[20-29]", "{a, b, c}", "[20-30)", "25"], np.array([5, 2, 5, 5])).tolist()
    [2, 2, 0, 0]
    """
    certain = {label: 0 if label in nodes else len(printed_values(label)) for label in set(labels)}
    return np.minimum([certain[label] for label in labels], sizes)


def downcoding(view: ReleaseView, nodes: Sequence[Collection[str]], match: PopulationMatch | None = None) -> Attack:
    """The share of all quasi-identifying cells that are certain though their label covers more.

    Args:
        view: The release.
        nodes: Per quasi-identifying column, the labels that are nodes of a hierarchy.
        match: The input's people, by all columns, to check the claims; without it the rule is believed.
    """
    claims, right = 0, 0
    for column, (labels, known) in enumerate(zip(view.labels, nodes, strict=True)):
        codes: list[int] = view.classes.codes[:, column].tolist()
        of_class = [labels[code] for code in codes]
        certain = int(certain_cells(of_class, view.classes.sizes, nodes=known).sum())
        claims += certain
        if match is None:
            right += certain
        else:
            claimed = claimed_cells(view, column, match, known)
            right += min(certain, int(np.isin(claimed, true_cells(match, column)).sum()))
    return Attack.scored("downcoding", view.records * len(view.quasi), claims, float(right), 0.0, unit="cells")


def claimed_cells(
    view: ReleaseView, column: int, match: PopulationMatch, nodes: Collection[str] = (), *, ranges: bool = False
) -> Index:
    """The values that each class has by its label, as class x values + value; with `ranges`, only the ends of ranges.

    A value is the place among those of the people, or one behind the last where nobody has it.
    """
    values = match.people.values[column]
    place = {canonical(value): at for at, value in enumerate(values)}
    claimed = [
        (at, place.get(canonical(value), len(values)))
        for at, label in enumerate(view.labels[column])
        if label not in nodes and (label.startswith("[") or not ranges)
        for value in printed_values(label)
    ]
    label_of, value_of = np.array(claimed, dtype=np.int64).reshape(-1, 2).T
    classes, cell = joined(label_of, view.classes.codes[:, column].astype(np.int64))
    cells: Index = classes * (len(values) + 1) + value_of[cell]
    return cells


def true_cells(match: PopulationMatch, column: int) -> Index:
    """(m,) the value that each pair of a tuple and a class has, in the numbers of `claimed_cells`."""
    values = match.people.tuples[match.pairs[:, 0], column].astype(np.int64)
    cells: Index = match.pairs[:, 1] * (len(match.people.values[column]) + 1) + values
    return cells


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
