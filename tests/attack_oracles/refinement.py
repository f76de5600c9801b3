"""Combinatorial refinement in toy worlds: which inputs are left, since each choice was the one of least loss.

Chhillar, Righi, Sutter, Kornaropoulos: Exposing Privacy Risks in Anonymizing Clinical Data (arXiv 2509.03350, 2025).
The attacker knows nobody, only the job, the algorithm and the release. The labels leave some inputs; of these the
algorithm would have released many otherwise. The paper excludes inputs of ARX's local recoding by a linear program;
here all tables of toy size are released, so that what is left is exact, for every algorithm.

The control is the same attacker without the algorithm: every way to fill the classes that the labels allow is as likely
as another. What he finds follows from the labels alone; only what is found beyond that follows from choices.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, TypeAlias

from kohort.schema.hierarchy import Hierarchy
from tests.attack_oracles.toy import Record, printed, resolved
from tests.reference.labels import Values, label

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kohort.schema import Attribute
    from tests.attack_oracles.toy import Printed, World

#: What a class may hold: how many records have each tuple of values.
Inside: TypeAlias = "Counter[Record]"


@dataclass(frozen=True)
class Refinement:
    """What the releases of all tables of one size give back; cells are those whose label is not the value itself.

    Attributes:
        cells: Cells of the attacked columns, over all tables.
        certain: Cells whose value follows from the release and the algorithm.
        certain_by_labels: Those of which it follows from the labels alone.
        guessed: Cells that the likeliest value of each class is right for.
        guessed_by_labels: The same, with the values that the labels alone make likeliest.
        left: The share of the inputs allowed by the labels that the algorithm would release so; the mean of all tables.
    """

    cells: int
    certain: int
    certain_by_labels: int
    guessed: int
    guessed_by_labels: int
    left: float


def refinement(world: World, records: int, columns: slice = slice(1)) -> Refinement:
    """What is left of the inputs of so many records, and what follows of these columns, the first one's label given."""
    allowed = fillings(world, records)
    found, left, tables = Counter[str](), 0.0, 0
    for released, same in world.preimages(world.tables(records)).items():
        dealings = [dealing for one in same.values() for dealing in one.dealings]
        filled = [[one[place] for one in dealings] for place in range(len(released.printed))]
        could = [allowed[one] for one in released.printed]
        tables += len(same)
        left += len(same) * len(dealings) / prod(map(len, could))
        for shown, insides, every in zip(released.printed, filled, could, strict=True):
            if shown[0][0] not in world.values[0]:
                found += _found(insides, every, columns)
    certain, guessed = ((found[name], found[f"{name} by labels"]) for name in ("certain", "guessed"))
    return Refinement(found["cells"], *certain, *guessed, left / tables if tables else 1.0)


def _found(insides: Sequence[Inside], every: Sequence[Inside], columns: slice) -> Counter[str]:
    """What is known of a class, which holds each of `insides` as often; the labels alone allow `every` one of these."""
    known, allowed = ([_part(one, columns) for one in each] for each in (insides, every))
    truth = sum(known, Counter[Record]())
    return Counter(
        {
            "cells": truth.total(),
            "certain": _least(known).total() * len(known),
            "certain by labels": _least(allowed).total() * len(known),
            "guessed": truth[_likeliest(known)],
            "guessed by labels": truth[_likeliest(allowed)],
        }
    )


def _part(inside: Inside, columns: slice) -> Inside:
    """The records with these columns alone."""
    part = Counter[Record]()
    for row, count in inside.items():
        part[row[columns]] += count
    return part


def _least(insides: Sequence[Inside]) -> Inside:
    """What all of them hold."""
    least = insides[0]
    for one in insides[1:]:
        least = least & one
    return least


def _likeliest(insides: Iterable[Inside]) -> Record:
    """What a record has in most of them, the smallest of equals."""
    total = sum(insides, Counter[Record]())
    return min(total, key=lambda row: (-total[row], row))


def fillings(world: World, records: int) -> dict[Printed, list[Inside]]:
    """What each class of up to so many records may hold by its labels alone."""
    found: defaultdict[Printed, list[Inside]] = defaultdict(list)
    for size in range(1, records + 1):
        for rows in world.tables(size):
            for labels in _labels(world, rows):
                found[printed(labels, inside := Counter(rows), len(world.attributes))].append(inside)
    return dict(found)


def _labels(world: World, rows: Sequence[Record]) -> Iterable[Record]:
    """The labels that a class of these records may have: of full-domain methods one for each node above all of them."""
    columns = [
        _of_column(attribute, values, [row[place] for row in rows], nodes=world.algorithm.full_domain)
        for place, (attribute, values) in enumerate(zip(world.attributes, world.values, strict=False))
    ]
    return product(*columns)


def _of_column(attribute: Attribute, values: Sequence[str], inside: Sequence[str], *, nodes: bool) -> Sequence[str]:
    """The labels that a class with these values may have in one column."""
    if nodes:
        assert isinstance(attribute.hierarchy, Hierarchy)
        above = [dict.fromkeys(path) for path in attribute.hierarchy.rows() if path[0] in inside]
        return [node for node in above[0] if all(node in path for path in above)]
    domain, _ = resolved(attribute, tuple((value, 1) for value in values))
    return [label(Values(attribute, values, domain.scale == "numeric"), domain.label, inside).text]
