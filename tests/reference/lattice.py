"""Full-domain generalization once more, plainly: every record and node spelled out, straight from the definitions.

It is the oracle of the lattice searches. A table is lists of texts, a hierarchy is rows of texts, a class is a list of
records; nothing is rolled up, packed or pruned. `problem_of` gives the package's view of the same table.
"""

# A model's field is read as the property that it stands for.
# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kohort.algorithms.problem import Problem
from kohort.core.frequency import FrequencySet
from kohort.models.base import Declaration, PrivacyModel
from kohort.schema import Attribute, Order, Role
from kohort.schema.domain import resolve
from kohort.schema.hierarchy import Hierarchy
from kohort.schema.sensitive import SensitiveDomain
from tests.toy_models import ToyModel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.arrays import Index, Mask
    from kohort.core.frequency import ClassProfile
    from kohort.core.lattice import Node
    from kohort.schema.domain import Domain

#: The texts of a record, or of a class: one for each quasi-identifier.
Cells: TypeAlias = tuple[str, ...]

#: Each leaf of a hierarchy, and its row: itself, then its ancestors up to the root.
Rows: TypeAlias = "Mapping[str, tuple[str, ...]]"

#: Whether a class may be released.
Satisfied: TypeAlias = "Callable[[Group], bool]"

#: Whether all released classes may be, and so many people of the population whom none of them fits.
Together: TypeAlias = "Callable[[Sequence[Group], int], bool]"

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
    def leaves(self) -> list[str]:
        """The values there may be."""
        return [row[0] for row in self.rows]

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
        sensitive: the disease of each record, "" is none; empty where the table has no such attribute.
        income: a second sensitive attribute, of whole numbers; the same.
        people: whose each record is; empty where that is not known.
        population: the cells of the people of a population table; `None` without one.
    """

    columns: tuple[Column, ...]
    records: tuple[Cells, ...]
    sensitive: tuple[str, ...] = ()
    income: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    population: tuple[Cells, ...] | None = None


#: The hierarchy of the diseases that tests name A, B …: a disease, its kind.
KINDS = {"A": "1", "B": "1", "C": "2", "D": "2"}


def problem_of(table: RawTable, *models: PrivacyModel, threads: int = 1, apart: bool = False) -> Problem:
    """The table as algorithms see it; `apart` leaves every record a tuple of its own."""
    resolved = [_resolved(table, place) for place in range(len(table.columns))]
    sensitive = {name: of for name, of in (("disease", table.sensitive), ("income", table.income)) if of}
    held = [_sensitive(table, name) for name in sensitive]
    people = {person: code for code, person in enumerate(dict.fromkeys(table.people))}
    codes = [*(of for _, of in resolved), *(of for _, of in held), *([people] if people else [])]
    cells = zip(
        *zip(*table.records, strict=True), *sensitive.values(), *([table.people] if people else []), strict=True
    )
    rows = [tuple(of[cell] for of, cell in zip(codes, record, strict=True)) for record in cells]
    tuples = [(row, 1) for row in rows] if apart else list(Counter(rows).items())
    matrix = np.array([row for row, _ in tuples], dtype=np.uint16)
    d, s = len(resolved), len(held)
    frequency = FrequencySet(
        matrix[:, :d].copy(),
        matrix[:, d : d + s].copy(),
        np.array([count for _, count in tuples], dtype=np.int64),
        tuple(domain for domain, _ in held),
        matrix[:, -1].astype(np.int64) if people else None,
    )
    population = None if table.population is None else _population(table.population, [of for _, of in resolved])
    return Problem(frequency, tuple(domain for domain, _ in resolved), models, threads, population=population)


def _population(population: tuple[Cells, ...], codes: list[dict[str, int]]) -> FrequencySet:
    """The tuples of a population table, each person one of their own."""
    rows = [[of[cell] for of, cell in zip(codes, cells, strict=True)] for cells in population]
    matrix = np.array(rows, dtype=np.uint32).reshape(len(rows), len(codes))
    return FrequencySet(matrix, np.empty((len(rows), 0), np.uint32), np.ones(len(rows), np.int64))


def _sensitive(table: RawTable, name: str) -> tuple[SensitiveDomain, dict[str, int]]:
    """The domain of a sensitive attribute, people counted, and the code of each text; that of no value is the last."""
    cells = table.sensitive if name == "disease" else table.income
    values = sorted(set(cells) - {""}, key=str if name == "disease" else Fraction)
    whose = table.people or range(len(cells))
    held = Counter(value for value, _ in set(zip(cells, whose, strict=True)))
    levels: tuple[Index, ...] = ()
    if name == "disease" and values and set(values) <= set(KINDS):
        levels = (np.arange(len(values)), np.array([int(KINDS[value]) for value in values], dtype=np.int64))
    reference = np.array([held[value] for value in values], dtype=np.int64)
    domain = SensitiveDomain(name, reference, numeric=name == "income", levels=levels)
    return domain, {value: code for code, value in enumerate([*values, ""])}


def _resolved(table: RawTable, place: int) -> tuple[Domain, dict[str, int]]:
    """The domain of a column, and the code of each text of the table and the population."""
    column = table.columns[place]
    cells = Counter(record[place] for record in table.records)
    for known in table.population or ():
        cells.setdefault(known[place], 0)
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


def is_above(node: Node, other: Node) -> bool:
    """Whether `node` is `other` or generalizes it further."""
    return all(one >= level for one, level in zip(node, other, strict=True))


@dataclass(frozen=True)
class NotByThree(ToyModel):
    """No class of 3, 6, 9 … records: as far from monotone as a model of sizes can be."""

    name: str = "not by three"

    @property
    def declared(self) -> Declaration:
        """What it declares."""
        return Declaration(monotone_generalization=False, monotone_suppression=False)

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes three does not divide."""
        divided: Mask = classes.sizes % 3 != 0
        return divided


# ── By definition ────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Group:
    """A class before anything is suppressed.

    Attributes:
        records: how many records it has.
        values: of each sensitive attribute, who has which value: pairs of a value and a person, "" left out.
        people: whose records they are; without a person key every record is a person.
        population: people of the population whom the released values fit.
    """

    records: int
    values: Mapping[str, frozenset[tuple[str, str]]]
    people: frozenset[str]
    population: int

    def held(self, name: str) -> Counter[str]:
        """How many people have each value."""
        return Counter(value for value, _ in self.values[name])


@dataclass(frozen=True)
class Plain:
    """A node of the lattice.

    Attributes:
        node: the level of each quasi-identifier.
        suppressed: records in classes that may not be released.
        released: records of each other class, by its released values.
        releasable: whether so many may be suppressed, and some are left.
        figures: every metric by name.
    """

    node: Node
    suppressed: int
    released: Mapping[Cells, int]
    releasable: bool
    figures: Mapping[str, float]

    @property
    def sizes(self) -> list[int]:
        """The sizes of the released classes, ascending."""
        return sorted(self.released.values())

    def cost(self, metric: str) -> float:
        """The figure, turned so that less is better: of all metrics only precision is better when greater."""
        return -self.figures[metric] if metric == "precision" else self.figures[metric]


def every_node(
    table: RawTable, satisfied: Satisfied, limit: int, k: int, together: Together = lambda _classes, _outside: True
) -> dict[Node, Plain]:
    """All nodes of the lattice."""
    rows = [
        _rows(column, [record[at] for record in (*table.records, *(table.population or ()))])
        for at, column in enumerate(table.columns)
    ]
    levels = (range(column.top + 1) for column in table.columns)
    return {node: _plain(table, rows, node, _Asked(satisfied, together, limit, k)) for node in product(*levels)}


@dataclass(frozen=True)
class _Asked:
    """What is asked of a release: of each class, of all together, and of how many records it may leave out."""

    satisfied: Satisfied
    together: Together
    limit: int
    k: int


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


def _rows(column: Column, cells: list[str]) -> Rows:
    """Each leaf and its ancestors; a missing value is a leaf of its own, kept apart up to the root."""
    missing = {"": ("",) * column.height + column.rows[0][-1:]} if "" in cells else {}
    return missing | {row[0]: row for row in column.rows}


def _groups(table: RawTable, labels: list[Cells], known: list[Cells]) -> dict[Cells, Group]:
    """The classes, given the released values of each record, and those that each person of the population fits."""
    inside: defaultdict[Cells, list[int]] = defaultdict(list)
    for row, label in enumerate(labels):
        inside[label].append(row)
    whose = table.people or tuple(map(str, range(len(labels))))
    columns = {"disease": table.sensitive or ("",) * len(labels), "income": table.income or ("",) * len(labels)}
    return {
        label: Group(
            len(rows),
            {name: frozenset((of[row], whose[row]) for row in rows if of[row]) for name, of in columns.items()},
            frozenset(whose[row] for row in rows),
            known.count(label),
        )
        for label, rows in inside.items()
    }


def _plain(table: RawTable, rows: list[Rows], node: Node, asked: _Asked) -> Plain:
    """One node."""
    labels, known = (
        [tuple(of[cell][level] for of, cell, level in zip(rows, cells, node, strict=True)) for cells in records]
        for records in (table.records, table.population or ())
    )
    classes = _groups(table, labels, known)
    kept = {label: group for label, group in classes.items() if asked.satisfied(group)}
    released = {label: group.records for label, group in kept.items()}
    suppressed = len(labels) - sum(released.values())
    parts = [
        _Part(
            table.columns[at],
            rows[at],
            level,
            Counter(record[at] for record in table.records),
            Counter(record[at] for record, label in zip(table.records, labels, strict=True) if label in released),
        )
        for at, level in enumerate(node)
    ]
    figures = _figures(parts, list(released.values()), asked.k)
    outside = len(known) - sum(group.population for group in kept.values())
    allowed = suppressed <= asked.limit and suppressed < len(labels)
    releasable = allowed and asked.together([*kept.values()], outside)
    return Plain(node, suppressed, released, releasable, figures)


@dataclass(frozen=True)
class _Part:
    """One quasi-identifier of a release.

    Attributes:
        column: what is said of it.
        rows: its hierarchy.
        level: how far it is generalized.
        records: how many records of the input have each value.
        kept: how many released ones.
    """

    column: Column
    rows: Rows
    level: int
    records: Counter[str]
    kept: Counter[str]

    @property
    def suppressed(self) -> int:
        """Records that are not released."""
        return self.records.total() - self.kept.total()

    def alike(self, cell: str) -> list[str]:
        """The leaves that the released value of a cell may stand for: M of them."""
        return [leaf for leaf, row in self.rows.items() if row[self.level] == self.rows[cell][self.level]]

    def loss(self) -> Fraction:
        """LM: the mean of (M - 1)/(|A| - 1), 0 where |A| = 1, over the released records, and 1 for each other."""
        others = max(len(self.rows) - 1, 1)
        lost = sum(Fraction(len(self.alike(cell)) - 1, others) * count for cell, count in self.kept.items())
        return Fraction(lost + self.suppressed, self.records.total())

    def arx_loss(self) -> Fraction:
        """(Σ share - n/|leaves|)/(n - n/|leaves|), cut off after ten decimals.

        Where there is but one leaf that is 0/0; the attribute then loses what LM says.
        """
        leaves, n = len(self.rows), self.records.total()
        if leaves == 1:
            loss = self.loss()
        else:
            shares = sum(Fraction(len(self.alike(cell)), leaves) * count for cell, count in self.kept.items())
            loss = (shares + self.suppressed - Fraction(n, leaves)) / (n - Fraction(n, leaves))
        return Fraction(math.floor(loss * 10**10), 10**10)

    def steps(self) -> Fraction:
        """The sum of level/height over the released records, and 1 for each other."""
        return self.kept.total() * Fraction(self.level, self.column.height) + self.suppressed

    def bits(self) -> float:
        """The sum of -log2 P(original | released) over all records, P by the input's frequencies."""
        n = self.records.total()
        told = {cell: sum(self.records[leaf] for leaf in self.alike(cell)) for cell in self.records}
        return math.fsum(
            self.kept[cell] * math.log2(told[cell] / count) + (count - self.kept[cell]) * math.log2(n / count)
            for cell, count in self.records.items()
        )


def _figures(parts: list[_Part], sizes: list[int], k: int) -> dict[str, float]:
    """Every metric of semantics.md, section 1, and ARX's loss; in all sums attributes count by their weight."""
    n, suppressed, weights = parts[0].records.total(), parts[0].suppressed, [part.column.weight for part in parts]
    loss = sum(part.loss() * part.column.weight for part in parts)
    steps = sum(part.steps() * part.column.weight for part in parts)
    varying = [part for part in parts if len(part.rows) > 1] or parts
    return {
        "lm": float(loss),
        "ncp": float(
            sum(part.loss() * part.column.weight for part in varying) / sum(part.column.weight for part in varying)
        ),
        "arx_loss": _geometric([part.arx_loss() for part in parts], weights),
        "c_dm": float(sum(size * size for size in sizes) + suppressed * n),
        "c_avg": sum(sizes) / len(sizes) / k if sizes else 0.0,
        "precision": float(1 - steps / (n * sum(weights))),
        "entropy": math.fsum(part.bits() * float(part.column.weight) for part in parts),
        "height": float(sum(part.level * part.column.weight for part in parts)),
    }


def _geometric(losses: list[Fraction], weights: list[Fraction]) -> float:
    """The product of (loss + 1) to the power of each attribute's share of the weights, less 1."""
    logs = [math.log1p(loss) * float(weight / sum(weights)) for loss, weight in zip(losses, weights, strict=True)]
    return math.expm1(math.fsum(logs))
