"""Full-domain generalization once more, plainly: every record and node spelled out, straight from the definitions.

It is the oracle of the lattice searches. A table is lists of texts, a hierarchy is rows of texts, a class is a list of
records; nothing is rolled up, packed or pruned. `problem_of` gives the package's view of the same table.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kohort.domain import resolve
from kohort.frequency import FrequencySet
from kohort.hierarchy import Hierarchy
from kohort.problem import Problem
from kohort.schema import Attribute, Order, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.domain import Domain
    from kohort.lattice import Node
    from kohort.models.base import PrivacyModel

#: Whether a class may be released: the sensitive value of each of its records ("" where the table has none).
Satisfied: TypeAlias = "Callable[[Sequence[str]], bool]"

#: Costs that differ by less than this, relatively, are tied.
TIED = 1e-9

#: Costs that differ by less than this differ by the rounding of floats alone.
ROUNDING = 1e-13


@dataclass(frozen=True)
class Column:
    """A quasi-identifier: its hierarchy and how it may be used.

    Attributes:
        rows: each leaf, and then its ancestors up to the root.
        weight: how much it counts.
        max_level: the greatest level that may be used; `None` for the root.
        order: what gives its values their codes.
    """

    rows: tuple[tuple[str, ...], ...]
    weight: Fraction = Fraction(1)
    max_level: int | None = None
    order: Order | None = None

    @property
    def height(self) -> int:
        """The level of the root."""
        return len(self.rows[0]) - 1

    @property
    def top(self) -> int:
        """The greatest level that may be used."""
        return self.height if self.max_level is None else min(self.max_level, self.height)


@dataclass(frozen=True)
class RawTable:
    """Records as texts.

    Attributes:
        columns: the quasi-identifiers.
        records: the cells of each record, one a column; "" is a missing value.
        sensitive: the sensitive value of each record; empty where the table has none.
    """

    columns: tuple[Column, ...]
    records: tuple[tuple[str, ...], ...]
    sensitive: tuple[str, ...] = ()


def problem_of(table: RawTable, *models: PrivacyModel, threads: int = 1, apart: bool = False) -> Problem:
    """The table as algorithms see it; `apart` leaves every record a tuple of its own."""
    resolved = [_resolved(table, place) for place in range(len(table.columns))]
    names = sorted(set(table.sensitive))
    codes = [*(of for _, of in resolved), *([{name: code for code, name in enumerate(names)}] if names else [])]
    cells = (
        [(*record, one) for record, one in zip(table.records, table.sensitive, strict=True)] if names else table.records
    )
    rows = [tuple(of[cell] for of, cell in zip(codes, record, strict=True)) for record in cells]
    tuples = [(row, 1) for row in rows] if apart else list(Counter(rows).items())
    matrix = np.array([row for row, _ in tuples], dtype=np.uint16)
    frequency = FrequencySet(
        matrix[:, : len(resolved)].copy(),
        matrix[:, len(resolved) :].copy(),
        np.array([count for _, count in tuples], dtype=np.int64),
        (len(names),) if names else (),
    )
    return Problem(frequency, tuple(domain for domain, _ in resolved), models, threads)


def _resolved(table: RawTable, place: int) -> tuple[Domain, dict[str, int]]:
    """The domain of a column, and the code of each text."""
    column = table.columns[place]
    cells = Counter(record[place] for record in table.records)
    attribute = Attribute(
        f"q{place}",
        Role.QUASI,
        hierarchy=Hierarchy.from_rows(column.rows),
        weight=column.weight,
        max_level=column.max_level,
        order=column.order,
    )
    domain, codes = resolve(attribute, list(cells), np.array(list(cells.values())), frozenset({""}))
    return domain, dict(zip(cells, codes.tolist(), strict=True))


# ── By definition ────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Plain:
    """A node of the lattice.

    Attributes:
        node: the level of each quasi-identifier.
        suppressed: records in classes that may not be released.
        classes: sizes of the others, ascending.
        releasable: whether so many may be suppressed, and some are left.
        figures: every metric by name.
    """

    node: Node
    suppressed: int
    classes: tuple[int, ...]
    releasable: bool
    figures: Mapping[str, float]

    def cost(self, metric: str) -> float:
        """The figure, turned so that less is better: of all metrics only precision is better when greater."""
        return -self.figures[metric] if metric == "precision" else self.figures[metric]


def every_node(table: RawTable, satisfied: Satisfied, limit: int, k: int) -> dict[Node, Plain]:
    """All nodes of the lattice."""
    columns = [
        _PlainColumn(column, [record[at] for record in table.records]) for at, column in enumerate(table.columns)
    ]
    levels = (range(column.top + 1) for column in table.columns)
    return {node: _plain(table, columns, node, (satisfied, limit, k)) for node in product(*levels)}


def k_minimal(nodes: Mapping[Node, Plain]) -> list[Node]:
    """The releasable nodes of least height, in lexicographic order; none where no node is releasable."""
    height = min((sum(node) for node, plain in nodes.items() if plain.releasable), default=-1)
    return sorted(node for node, plain in nodes.items() if plain.releasable and sum(node) == height)


def optima(nodes: Mapping[Node, Plain], metric: str) -> set[Node]:
    """The releasable nodes that may be called the optimum; none where no node is releasable.

    That is one: of the tied ones the lowest, then the lexicographically first. Only where costs differ, but by so
    little that they may be called tied or not, it is any of these.
    """
    costs = {node: plain.cost(metric) for node, plain in nodes.items() if plain.releasable}
    if not costs:
        return set()
    least = min(costs.values())
    tied = {node for node, cost in costs.items() if math.isclose(cost, least, rel_tol=TIED, abs_tol=ROUNDING)}
    same = {node for node in tied if math.isclose(costs[node], least, rel_tol=ROUNDING, abs_tol=ROUNDING)}
    return tied if same != tied else {min(tied, key=lambda node: (sum(node), node))}


class _PlainColumn:
    """One column of records, and the released value of each on each level."""

    def __init__(self, column: Column, cells: list[str]) -> None:
        """A missing value is a leaf of its own, kept apart up to the root."""
        rows = {row[0]: row for row in column.rows}
        if "" in cells and "" not in rows:
            rows[""] = ("",) * column.height + column.rows[0][-1:]
        self.weight, self.height, self.cells, self.rows = column.weight, column.height, cells, rows

    def released(self, level: int) -> list[str]:
        """The released value of each record."""
        return [self.rows[cell][level] for cell in self.cells]

    def may_be(self, level: int, label: str) -> list[str]:
        """The leaves that a released value may stand for."""
        return [leaf for leaf, row in self.rows.items() if row[level] == label]

    def losses(self, level: int, kept: list[bool]) -> Fraction:
        """LM of the attribute: (M - 1)/(|A| - 1) of each released record, 1 of each other; their mean."""
        whole = len(self.rows) - 1
        widths = {label: len(self.may_be(level, label)) - 1 for label in set(self.released(level))}
        lost = [
            (Fraction(widths[label], whole) if whole else Fraction(0)) if keeps else Fraction(1)
            for label, keeps in zip(self.released(level), kept, strict=True)
        ]
        return sum(lost, Fraction(0)) / len(kept)

    def arx(self, level: int, kept: list[bool]) -> Fraction:
        """ARX's loss of the attribute as issue 3 writes it, cut off after ten decimals.

        Where a hierarchy has but one leaf the formula is 0/0; the attribute then loses what LM says.
        """
        records, leaves = len(kept), len(self.rows)
        if leaves == 1:
            return _floored(self.losses(level, kept))
        shares = {label: Fraction(len(self.may_be(level, label)), leaves) for label in set(self.released(level))}
        total = sum(
            (shares[label] if keeps else Fraction(1) for label, keeps in zip(self.released(level), kept, strict=True)),
            Fraction(0),
        )
        least = Fraction(records, leaves)
        return _floored((total - least) / (records - least))

    def bits(self, level: int, kept: list[bool]) -> float:
        """Sum of -log2 P(original | released) over the records, P by the input's frequencies."""
        original, released = Counter(self.cells), Counter(self.released(level))
        every = len(kept)
        return math.fsum(
            math.log2((released[label] if keeps else every) / original[cell])
            for cell, label, keeps in zip(self.cells, self.released(level), kept, strict=True)
        )


def _floored(loss: Fraction) -> Fraction:
    return Fraction(math.floor(loss * 10**10), 10**10)


def _plain(table: RawTable, columns: list[_PlainColumn], node: Node, asked: tuple[Satisfied, int, int]) -> Plain:
    """One node."""
    satisfied, limit, k = asked
    released = list(zip(*(column.released(level) for column, level in zip(columns, node, strict=True)), strict=True))
    classes: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for label, sensitive in zip(released, table.sensitive or [""] * len(released), strict=True):
        classes[label].append(sensitive)
    good = {label: satisfied(inside) for label, inside in classes.items()}
    kept = [good[label] for label in released]
    sizes = tuple(sorted(len(inside) for label, inside in classes.items() if good[label]))
    suppressed = len(released) - sum(sizes)
    releasable = suppressed <= limit and suppressed < len(released)
    return Plain(node, suppressed, sizes, releasable, _figures(columns, node, kept, (sizes, k)))


def _figures(
    columns: list[_PlainColumn], node: Node, kept: list[bool], classes: tuple[tuple[int, ...], int]
) -> dict[str, float]:
    """Every metric of semantics.md, section 1, and ARX's."""
    sizes, k = classes
    records, suppressed = len(kept), kept.count(False)
    at = list(zip(columns, node, strict=True))
    weights = [column.weight for column in columns]
    losses = [column.losses(level, kept) for column, level in at]
    loss = sum((one * weight for one, weight in zip(losses, weights, strict=True)), Fraction(0))
    levels = [sum(Fraction(level, column.height) if keeps else Fraction(1) for keeps in kept) for column, level in at]
    cells = sum((one * weight for one, weight in zip(levels, weights, strict=True)), Fraction(0))
    return {
        "lm": float(loss),
        "ncp": float(loss / sum(weights)),
        "lm_geometric": _geometric(losses, weights),
        "arx_loss": _geometric([column.arx(level, kept) for column, level in at], weights),
        "c_dm": float(sum(size * size for size in sizes) + suppressed * records),
        "c_avg": sum(sizes) / len(sizes) / k if sizes else 0.0,
        "precision": float(1 - cells / (records * sum(weights))),
        "entropy": math.fsum(column.bits(level, kept) * float(column.weight) for column, level in at),
        "height": float(sum(level * column.weight for column, level in at)),
    }


def _geometric(losses: list[Fraction], weights: list[Fraction]) -> float:
    """The product of (loss + 1) to the power of each attribute's share of the weights, less 1."""
    whole = sum(weights)
    logs = [math.log1p(loss) * float(weight / whole) for loss, weight in zip(losses, weights, strict=True)]
    return math.expm1(math.fsum(logs))
