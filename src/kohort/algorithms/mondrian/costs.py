"""What the labels of a group of tuples will lose, as integers, so that groups are compared exactly.

A group's cost is the sum over the quasi-identifiers of weight x loss of the label that the group would be released
under: of a range or grid interval, of a set, or of a common ancestor. `kohort.core.labels` says what each loses.

Of a set of m of |A| values NCP counts (m - 1) / (|A| - 1), GCP m / |A|, and either nothing of a value by itself. Cuts
are judged by half of a value more than NCP counts: that the second value costs more than each later one keeps groups of
one value together, which loses less by both measures than judging by NCP alone does.

One unit is one over the common denominator of all losses, and every cost is a whole number of units. Where 63 bits do
not hold the records times the greatest cost in such units, the unit is a power of two as small as they allow, and each
entry of the tables below is rounded once; costs stay integers that do not depend on the machine or on any order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.native.library import COST_GROUPS, GATHER
from kohort.schema import Label, Scale
from kohort.system.workspace import HEAP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Codes, Index, Positions
    from kohort.core.frequency import Words
    from kohort.schema.domain import Domain
    from kohort.schema.hierarchy import Hierarchy
    from kohort.system.workspace import Workspace

#: The kinds of label, as the kernels know them.
SPAN: Final = 0
SET: Final = 1
ANCESTOR: Final = 2

#: Products of records and costs stay below this.
LARGEST: Final = 1 << 62

#: What a group costs at most, in weights: the set of both values of a column that has two.
DEAREST: Final = Fraction(3, 2)

#: Bits of a word.
BITS: Final = 64

#: Greater than any place.
BEYOND: Final = 1 << 62


class Costs(NamedTuple):
    """Tables from which the cost of a group is read; the places of an attribute lie one after another.

    A place is a value's code, or its leaf where labels are ancestors.

    Attributes:
        kinds: (d,) SPAN, SET or ANCESTOR.
        first: (d,) where each attribute's places begin in `starts` and `ends`.
        starts: units where a span begins whose least place this is.
        ends: units where a span ends whose greatest place this is; of sets, the cost of one with so many values more.
        gaps: (d,) the place of a number's missing value, which no range can hold beside numbers; -1 where none is.
        whole: (d,) units of the label that may stand for anything.
        nodes: of ancestors: the node of each leaf, level by level, an attribute's after those of the one before it.
        above: likewise the cost of that node.
        levels: (d, 2) of ancestors: where its nodes begin, and how many leaves it has.
        words: (d + 1,) where each attribute's bits begin in the words of a group; only sets have some.
    """

    kinds: Index
    first: Index
    starts: Index
    ends: Index
    gaps: Index
    whole: Index
    nodes: Index
    above: Index
    levels: Index
    words: Index


class Groups(NamedTuple):
    """What is known of g groups of tuples, as far as their labels go.

    Attributes:
        low: (g, d) least place in each attribute; BEYOND in an empty group.
        high: (g, d) greatest place; -1 in an empty group.
        bits: (g, w) which places occur, of attributes that are released as sets.
    """

    low: Index
    high: Index
    bits: Words

    @classmethod
    def empty(cls, number: int, costs: Costs, workspace: Workspace = HEAP) -> Groups:
        """So many groups without tuples."""
        low, high = (workspace.empty((number, costs.kinds.size), np.int64) for _ in range(2))
        low[...], high[...] = BEYOND, -1
        return cls(low, high, workspace.zeros((number, max(int(costs.words[-1]), 1)), np.uint64))

    def one(self, number: int) -> Groups:
        """One of them alone, in the same memory."""
        some = slice(number, number + 1)
        return Groups(self.low[some], self.high[some], self.bits[some])

    def add(self, places: Codes, rows: Sequence[int], costs: Costs) -> None:
        """Put some tuples into the only group."""
        GATHER(costs, places, np.array(rows), np.array([0, len(rows)]), self)

    def cost(self, costs: Costs) -> Index:
        """(g,) what each group costs; none is empty."""
        found = np.empty(len(self.low), np.int64)
        COST_GROUPS(costs, self, found)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Priced:
    """The tuples of a table and what their groups cost.

    Attributes:
        places: (t, d) the place of each tuple.
        costs: The tables.
        unit: What one unit is worth: cost / unit is the weighted sum of losses.
    """

    places: Codes
    costs: Costs
    unit: Fraction

    @classmethod
    def of(
        cls,
        quasi: Codes,
        domains: Sequence[Domain],
        records: int,
        *,
        reported: bool = False,
        workspace: Workspace = HEAP,
    ) -> Priced:
        """The prices of a table of so many records; where they are `reported`, NCP without weights."""
        tables = [_table(domain, reported=reported) for domain in domains]
        unit = _unit(tables, records)
        many = max(table.starts.size for table in tables) > 1 << 16
        places: Codes = workspace.empty(quasi.shape, np.uint32) if many else workspace.like(quasi, quasi.shape)
        places[...] = quasi
        for column, table in enumerate(tables):
            if table.hierarchy is not None:
                places[:, column] = table.place[quasi[:, column]]
        return cls(places, _tables(tables, unit), Fraction(unit))


class _Table(NamedTuple):
    """One attribute, before the unit is known.

    Attributes:
        kind: SPAN, SET or ANCESTOR.
        factor: What one step of `starts` and `ends` is worth.
        starts: (p,) steps where a span begins.
        ends: (p,) steps where it ends; of sets and ancestors, steps by the values that they have more than one.
        gap: The place of the missing number.
        weight: The attribute's.
        place: (v,) of ancestors: the leaf of each code.
        hierarchy: Of ancestors.
    """

    kind: int
    factor: Fraction
    starts: Positions
    ends: Positions
    gap: int
    weight: Fraction
    place: Index
    hierarchy: Hierarchy | None = None


def _table(domain: Domain, *, reported: bool) -> _Table:
    weight, every = Fraction(1) if reported else Fraction(domain.attribute.weight), np.arange(len(domain))
    match domain.label:
        case Label.SET:
            steps = 2 * every + (0 if reported else every > 0)
            return _Table(SET, _per(weight, 2 * domain.others), steps, steps, -1, weight, every)
        case Label.ANCESTOR:
            assert domain.hierarchy is not None  # noqa: S101  the schema refuses ancestor labels without one
            leaves = np.arange(len(domain.hierarchy.leaves))
            factor = _per(weight, domain.others)
            return _Table(ANCESTOR, factor, leaves, leaves, -1, weight, domain.leaves, domain.hierarchy)
        case _:
            gap = domain.missing if domain.scale is Scale.NUMERIC else -1
            extent = Fraction(domain.ends[1]) - Fraction(domain.ends[0])
            starts, ends, parts = _grid(domain) if domain.label is Label.GRID else (domain.positions,) * 2 + (1,)
            return _Table(SPAN, _per(weight, extent * parts), starts, ends, gap, weight, every)


def _per(weight: Fraction, whole: Fraction | float) -> Fraction:
    return weight / Fraction(whole) if whole > 0 else Fraction(0)


def _grid(domain: Domain) -> tuple[Positions, Positions, int]:
    """Where the values begin and end that an interval may stand for, in parts of a position; and how many parts.

    A step is a whole number of parts, unless numbers have so many decimals that 63 bits do not hold their places.
    """
    step = domain.step
    first, last = (Fraction(end) / step for end in domain.ends)
    least = max(math.ceil(first) * step, Fraction(int(domain.positions[0])))
    most = min(math.floor(last) * step, int(domain.upper[-1]) - step)
    begins = [max(Fraction(low), least) for low in domain.positions.tolist()]
    stops = [min(Fraction(high) - step, most) for high in domain.upper.tolist()]
    widest = max(1, *(math.ceil(abs(one)) for one in (*begins, *stops)))
    parts = min(step.denominator, LARGEST // widest)
    starts, ends = (np.array([round(one * parts) for one in side], dtype=np.int64) for side in (begins, stops))
    return starts, ends, parts


def _unit(tables: Sequence[_Table], records: int) -> int:
    """How many units a loss of 1 has: the common denominator, or the greatest power of two that 63 bits allow."""
    total = sum((table.weight for table in tables), Fraction(0)) * DEAREST
    exact = math.lcm(*(one.denominator for table in tables for one in (table.factor, table.weight)))
    if exact * total * records < LARGEST:
        return exact
    return 1 << max((LARGEST // math.ceil(total * records)).bit_length() - 1, 0)


def _in_units(table: _Table, steps: Index, unit: int) -> Index:
    """So many steps in units; those of spans from the least on."""
    steps, factor = steps - (int(table.starts.min()) if table.kind == SPAN else 0), table.factor * unit
    if factor.denominator == 1:
        return steps * int(factor)
    return np.rint(steps.astype(np.float64) * float(factor)).astype(np.int64)


def _tables(tables: Sequence[_Table], unit: int) -> Costs:
    sizes = [table.starts.size for table in tables]
    nodes, above = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    levels: list[tuple[int, int]] = []
    for table in tables:
        levels.append((sum(map(len, nodes)), table.starts.size))
        if table.hierarchy is not None:
            for level, of in enumerate(table.hierarchy.maps):
                nodes.append(of)
                above.append(_in_units(table, table.hierarchy.covered(level)[of] - 1, unit))
    words = [-(-size // BITS) if table.kind == SET else 0 for table, size in zip(tables, sizes, strict=True)]
    starts = np.concatenate([_in_units(table, table.starts, unit) for table in tables])
    ends = np.concatenate([_in_units(table, table.ends, unit) for table in tables])
    return Costs(
        np.array([table.kind for table in tables]),
        np.cumsum([0, *sizes])[:-1],
        starts,
        starts if np.array_equal(starts, ends) else ends,  # one table keeps more of the processor's cache
        np.array([table.gap for table in tables]),
        np.array([round(table.weight * unit) for table in tables]),
        np.concatenate(nodes),
        np.concatenate(above),
        np.array(levels),
        np.cumsum([0, *words]),
    )
