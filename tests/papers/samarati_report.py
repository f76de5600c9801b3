"""A published report of Samarati's experiment on UCI Adult, by its own definitions, in plain code.

The report is known here only by what semantics.md records of it: its definitions, three of its losses, one of them
with its (k, limit) = (5, 20), and that it prints other rows at (10, 20) and (20, 20). All else is derived below, in
code that shares nothing with kohort. `docs/papers.md` shows what it gives beside the true answers.
"""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from tests.reference.lattice import Column, RawTable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kohort.core.lattice import Node

NAMES = ("sex", "race", "marital-status", "age")

MARRIAGES = (
    ("Married-spouse-absent", "Widowed"),
    ("Separated", "Divorced"),
    ("Married-civ-spouse", "Married-AF-spouse"),
    ("Never-married",),
)

#: Ages are generalized to bins of so many years from 16 on, up to 95.
YEARS = (5, 10, 20)

#: Sex and race have nothing between a value and all values.
RACES = ("Amer-Indian-Eskimo", "Asian-Pac-Islander", "Black", "Other", "White")
COLUMNS = (
    Column((("Female", "*"), ("Male", "*"))),
    Column(tuple((race, "*") for race in RACES)),
    Column(tuple((status, f"group {at}", "*") for at, group in enumerate(MARRIAGES) for status in group)),
    Column(tuple((str(age), *(f"{(age - 16) // year} by {year}" for year in YEARS), "*") for age in range(16, 96))),
)


def adult_of(path: Path) -> RawTable:
    """The four columns of adult.csv and their seed hierarchies."""
    with path.open(newline="", encoding="utf-8") as file:
        records = tuple(tuple(record[name] for name in NAMES) for record in csv.DictReader(file))
    return RawTable(COLUMNS, records)


#: Records of each class of a node, by its released values.
Sizes: TypeAlias = "Counter[tuple[str, ...]]"


@dataclass(frozen=True)
class Report:
    """The report's program, from the definitions that it uses.

    Attributes:
        table: the records.
        nodes: the classes of every node.
    """

    table: RawTable
    nodes: Mapping[Node, Sizes]

    @classmethod
    def of(cls, table: RawTable) -> Report:
        """Every node of the lattice, class by class."""
        ancestors = [{one[0]: one for one in column.rows} for column in table.columns]
        distinct = Counter(table.records)
        nodes: dict[Node, Sizes] = {}
        for node in product(*(range(column.height + 1) for column in table.columns)):
            nodes[node] = Counter()
            for record, count in distinct.items():
                label = tuple(of[cell][at] for of, cell, at in zip(ancestors, record, node, strict=True))
                nodes[node][label] += count
        return cls(table, nodes)

    def violations(self, node: Node, k: int) -> int:
        """Records in classes of k or fewer: one too many, a class of k is anonymous."""
        return sum(size for size in self.nodes[node].values() if size <= k)

    def answers(self, k: int, limit: int) -> list[Node]:
        """The nodes that pass on the height where its bisection ends: the first on which not all nodes agree."""
        low, high = 0, max(map(sum, self.nodes))
        while low < high:
            middle = (low + high) // 2
            nodes = [node for node in self.nodes if sum(node) == middle]
            passing = [node for node in nodes if self.violations(node, k) <= limit]
            if 0 < len(passing) < len(nodes):
                return passing
            low, high = (low, middle) if passing else (middle + 1, high)
        return [node for node in self.nodes if sum(node) == low and self.violations(node, k) <= limit]

    def loss(self, node: Node, k: int) -> float:
        """Its LM: of age M/|A|, and for a suppressed record 4, on top of what the record loses anyway."""
        lost = sum(size * self._lost(node, label) for label, size in self.nodes[node].items())
        return (lost + len(node) * self.violations(node, k)) / self.nodes[node].total()

    def _lost(self, node: Node, label: tuple[str, ...]) -> float:
        """What one released record loses: of names (M - 1)/(|A| - 1), of age M/|A|, 0 where it is told."""
        lost = 0.0
        for column, level, text in zip(COLUMNS, node, label, strict=True):
            alike, every = sum(one[level] == text for one in column.rows), len(column.rows)
            numeric = column is COLUMNS[-1]
            lost += alike / every * (level > 0) if numeric else (alike - 1) / (every - 1)
        return lost
