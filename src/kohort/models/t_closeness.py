"""t-closeness: in every class, the sensitive values are distributed nearly as in the whole table.

Li, Li, Venkatasubramanian: t-Closeness: Privacy Beyond k-Anonymity and l-Diversity (ICDE 2007), definition 2 and
section 5: the earth mover's distance between the distribution in a class and that in the table is at most t. The ground
distance of two values, 0..1, is
- equal: 1, for any two different values;
- ordered: how many places they lie apart among the m different values, over m - 1;
- hierarchical: the level of their lowest common ancestor, over the height of the hierarchy.

Each of them makes the earth mover's distance a sum over intervals of the values' order of how much the two
distributions differ on it, over a divisor: single values and 2; the first i values, for each i < m, and m - 1; the
values under each node below the root and twice the height.

A class whose people have few of the attribute's values is judged faster. Between two values that it has, what it moves
is known at once: its own share stays the same, and that of the table, added up, ascends; so it is less up to some value
and greater from there on, and sums of it are kept.

It assumes that the distribution in the whole table is known to all and harms nobody, and that the ground distance
says which values mean much the same. It bounds what an attacker learns on the attribute as a whole. It does not
protect from learning much on a rare value (from q to q + t), nor from linking: use k-anonymity with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from kohort.errors import LimitError, SchemaError, UsageError
from kohort.kernels import kernel
from kohort.models._shares import MOST
from kohort.models.base import NOBODY, Achieved, Declaration, check_name, exact_number, greatest_ratio
from kohort.schema.numbers import said
from kohort.specification import SHARE, Parameter, Specification, word

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index, Mask
    from kohort.core.frequency import ClassProfile
    from kohort.schema.sensitive import SensitiveDomain

    #: (c,) how much the distributions of classes and table differ, times the people of both.
    Moved: TypeAlias = NDArray[np.float64]


class ValueLevel(NamedTuple):
    """A level of the values.

    Attributes:
        nodes: (v,) the node of each value, ascending.
        people: (v,) the people of the table with a value below it.
    """

    nodes: Index
    people: Counts

    @classmethod
    def of(cls, nodes: Index, reference: Counts) -> ValueLevel:
        """The level, of values that so many people of the table have."""
        return cls(nodes, np.bincount(nodes, weights=reference).astype(np.int64)[nodes])


def moved_in_order(counts: Counts, places: Index, table: NDArray[np.int64]) -> Moved:
    """(c,) the sum over the first i values, for each i, of how much the class has more or less of them.

    Args:
        counts: (c, w) people of each class with each of some values.
        places: (c, w) which values these are, ascending.
        table: What `added_up` says of all values.
    """
    moved = np.empty(len(counts))
    _in_order(counts, places, table, moved)
    return moved


def moved_by_node(counts: Counts, places: Index, levels: tuple[ValueLevel, ...], people: int) -> Moved:
    """(c,) the sum over the nodes of all `levels` of how much the class has more or less of the values below each.

    Args:
        counts: (c, w) people of each class with each of some values.
        places: (c, w) which values these are, ascending.
        levels: What is known of all values.
        people: Those of the table.
    """
    moved = np.zeros(len(counts))
    for level in levels:
        _by_node(counts, places, level, people, moved)
    return moved


def added_up(reference: Counts) -> NDArray[np.int64]:
    """(2, m + 1) the people of the table with one of the first i values, and the sum of that for all smaller i.

    >>> added_up(np.array([5, 1, 7])).tolist()
    [[0, 5, 6, 13], [0, 0, 5, 11]]
    """
    below = np.append(0, reference.cumsum())
    return np.stack([below, np.cumsum(below) - below])


@kernel
def _in_order(counts: Counts, places: Index, table: NDArray[np.int64], moved: Moved) -> None:
    """Fill `moved`: between one value and the next that somebody has, at once."""
    size = table.shape[1] - 1
    people = table[0, size]
    for row in range(counts.shape[0]):
        total = np.int64(0)
        for column in range(counts.shape[1]):
            total += counts[row, column]
        added, first, found = 0.0, np.int64(1), np.int64(0)
        for column in range(counts.shape[1] + 1):
            count = counts[row, column] if column < counts.shape[1] else total
            if count == 0:
                continue
            end = places[row, column] + 1 if column < counts.shape[1] else size
            # The class has `found` people below each place from `first` to before `end`, the table ever more.
            turn, after = first, end
            if first < end and table[0, end - 1] * total < found * people:
                turn = end  # most often it has either fewer everywhere, or more
            elif first < end and table[0, first] * total >= found * people:
                after = first
            while turn < after:
                middle = (turn + after) // 2
                if table[0, middle] * total < found * people:
                    turn = middle + 1
                else:
                    after = middle
            if first < end:
                more = table[1, end] - 2 * table[1, turn] + table[1, first]
                added += float(2 * turn - first - end) * float(found * people) + float(more) * float(total)
                first = end
            found += count
        moved[row] = added


@kernel
def _by_node(counts: Counts, places: Index, level: ValueLevel, people: int, moved: Moved) -> None:
    """Add to `moved` what one level moves; of the nodes that nobody is in, all that the table has."""
    for row in range(counts.shape[0]):
        total = np.int64(0)
        for column in range(counts.shape[1]):
            total += counts[row, column]
        absent, inside, last = people, np.int64(0), np.int64(-1)
        for column in range(counts.shape[1]):
            if counts[row, column] == 0:
                continue
            value = places[row, column]
            if inside > 0 and level.nodes[value] != level.nodes[last]:
                moved[row] += float(abs(inside * people - level.people[last] * total))
                absent -= level.people[last]
                inside = np.int64(0)
            inside += counts[row, column]
            last = value
        if inside > 0:
            moved[row] += float(abs(inside * people - level.people[last] * total))
            absent -= level.people[last]
        moved[row] += float(absent) * float(total)


#: How far two values are apart.
Distance: TypeAlias = Literal["equal", "ordered", "hierarchical"]

DISTANCES: Final[tuple[Distance, ...]] = ("equal", "ordered", "hierarchical")

#: Why values do not have a distance.
_LACKING: Final = MappingProxyType(
    {"ordered": "the values are not numbers", "hierarchical": "the column has no hierarchy"}
)


@dataclass(frozen=True, slots=True)
class TCloseness:
    """The earth mover's distance of `sensitive` between a class and the table is at most `t`.

    Sums are exact below 2**53 (people of the class, of the table and divisor multiplied), beyond within a trillionth.

    Attributes:
        sensitive: The attribute.
        t: A number from 0 to below 1; also given as int, text or float.
        distance: The ground distance; `None`: hierarchical where the attribute has a hierarchy, else ordered for
            numbers, else equal.

    Raises:
        UsageError: `t` is no such number, or `distance` no such word.

    >>> TCloseness("illness", 0.2).name, TCloseness("salary", 0.2, "ordered").name
    ('0.2-closeness of illness', '0.2-closeness of salary, ordered distance')
    """

    specification: ClassVar[Specification] = Specification(
        key="t",
        first=True,
        title="t-closeness",
        sentence="In every class, the distribution of the values is at most t away from that in the table.",
        usage="--t COLUMN=T",
        parameters=(
            Parameter("t", SHARE, "The greatest earth mover's distance between a class and the table.", (0.5,)),
            Parameter(
                "distance",
                word(*DISTANCES),
                "The ground distance; by default hierarchical with a hierarchy, ordered for numbers, else equal.",
                DISTANCES,
                origin="beside",
            ),
        ),
        unit="share",
        not_promised="Rare values: t limits what is learned of all values together; a rare one may become likely.",
        properties={
            "uses_hierarchy": "unless another distance was chosen, it says how far values are apart",
            "some_values": "what the table has of a value, a class without it lacks",
            "refers": "the distance is that between a class and the table",
            "monotone_generalization": "the distance is convex, so that of a mixture is at most the mean of its parts'",
            "monotone_suppression": (
                "no: a class like the table, merged with a failing one that is large, fails, and more records fail"
            ),
        },
    )

    sensitive: str
    t: Fraction
    distance: Distance | None = None

    def __post_init__(self) -> None:
        """Validate t and the distance."""
        check_name(self.sensitive)
        exact = exact_number(self.t, "t")
        if exact is None or not 0 <= exact < 1:
            raise UsageError(
                "t must be a number from 0 to below 1", hint="every table is 1-close; usual values are 0.1 to 0.3"
            )
        if self.distance is not None and self.distance not in DISTANCES:
            raise UsageError("unknown distance", where="distance", hint=f"one of {', '.join(DISTANCES)}")
        object.__setattr__(self, "t", exact)

    @property
    def name(self) -> str:
        """`t-closeness`, with its t, attribute and, where it was chosen, distance."""
        chosen = "" if self.distance is None else f", {self.distance} distance"
        return f"{said(self.t)}-closeness of {self.sensitive}{chosen}"

    @property
    def declared(self) -> Declaration:
        """What holds of it with these parameters."""
        return Declaration(
            sensitive=self.sensitive,
            uses_hierarchy=self.distance in {None, "hierarchical"},
            needs_hierarchy=self.distance == "hierarchical",
            some_values=True,
            refers=True,
            monotone_generalization=True,
            monotone_suppression=False,
        )

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes have some value and are close to the table.

        Raises:
            SchemaError: The distance is hierarchical and the attribute has no hierarchy.
        """
        histogram = classes.of(self.sensitive)
        counts, domain = histogram.counts, histogram.domain
        ground = _ground(domain, self.distance)
        whole, rest = divmod(self.t.numerator * ground.divisor * ground.people, self.t.denominator)
        if histogram.places is None:
            mask, below = np.empty(len(counts), np.bool_), np.empty(len(domain) + 1, np.int64)
            _judge(counts, ground.intervals, (ground.people, float(whole), rest, self.t.denominator), below, mask)
            return mask
        moved, total = _moved_by_few(counts, histogram.places, ground), counts.sum(axis=1)
        near: Mask = (total > 0) & (moved <= float(whole) * total + rest * total // self.t.denominator)
        return near

    def achieved(self, classes: ClassProfile) -> tuple[Achieved]:
        """The greatest distance of a class from the table; none, by a distance that the values do not have."""
        histogram = classes.of(self.sensitive)
        counts, domain = histogram.counts, histogram.domain
        if self.distance is not None and self.distance not in distances_of(domain):
            return (Achieved("t", None, reason=_LACKING[self.distance]),)
        total = counts.sum(axis=1)
        if not total.all():
            return (Achieved("t", None, reason=NOBODY),)
        ground = _ground(domain, self.distance)
        if histogram.places is None:
            moved, below = np.empty(len(counts)), np.empty(len(domain) + 1, np.int64)
            _measure(counts, ground.intervals, ground.people, below, moved)
        else:
            moved = _moved_by_few(counts, histogram.places, ground)
        return (Achieved("t", greatest_ratio(moved, total) / (ground.divisor * ground.people)),)


def distances_of(domain: SensitiveDomain) -> tuple[Distance, ...]:
    """The ground distances that the values of an attribute have; the last is the one where none is chosen.

    >>> from kohort.schema.sensitive import SensitiveDomain
    >>> distances_of(SensitiveDomain("salary", np.array([1, 2]), numeric=True))
    ('equal', 'ordered')
    """
    has: dict[Distance, bool] = {"equal": True, "ordered": domain.numeric, "hierarchical": bool(domain.levels)}
    return tuple(distance for distance in DISTANCES if has[distance])


@dataclass(frozen=True, slots=True, eq=False)
class _Ground:
    """A ground distance, as intervals of the values' order.

    Attributes:
        intervals: (i, 3) the first value of each, the value after its last, the people of the table with a value in it.
        people: Those of the table with any value.
        divisor: What the sum of differences is divided by.
        levels: Those whose nodes are the intervals; none where they are the first values of the order.
        added: The people of the table, added up in that order; see `added_up`.
    """

    intervals: NDArray[np.int64]
    people: int
    divisor: int
    levels: tuple[ValueLevel, ...]
    added: NDArray[np.int64]


@lru_cache(maxsize=16)
def _ground(domain: SensitiveDomain, distance: Distance | None) -> _Ground:
    """The intervals of a ground distance; a search asks for them millions of times."""
    v, people = len(domain), int(domain.reference.sum())
    if people > MOST:
        raise LimitError(
            f"more than {MOST:,} people", where=f"column {domain.name}", hint="models can judge at most this many"
        )
    if distance == "hierarchical" and v and not domain.levels:
        what = "hierarchical distance needs a hierarchy"
        raise SchemaError(what, where=f"column {domain.name}", hint="add one, or choose another distance")
    if distance is None or not v:
        distance = distances_of(domain)[-1]
    every = np.arange(v + 1)
    nodes: tuple[Index, ...] = (every[:-1],)
    starts, ends, divisor = every[:-1], every[1:], 2
    if distance == "ordered":
        starts, ends, divisor, nodes = np.zeros_like(every[1:-1]), every[1:-1], max(v - 1, 1), ()
    elif distance == "hierarchical":
        firsts = [np.flatnonzero(np.diff(level, prepend=-1)) for level in domain.levels]
        starts, ends = np.concatenate(firsts), np.concatenate([np.append(first[1:], v) for first in firsts])
        divisor, nodes = 2 * len(domain.levels), domain.levels
    added, levels = added_up(domain.reference), tuple(ValueLevel.of(one, domain.reference) for one in nodes)
    intervals = np.stack([starts, ends, added[0, ends] - added[0, starts]], axis=1)
    return _Ground(intervals, people, divisor, levels, added)


def _moved_by_few(counts: Counts, places: Index, ground: _Ground) -> Moved:
    """(c,) how much the distributions differ, of classes that have few of the attribute's values."""
    if ground.levels:
        return moved_by_node(counts, places, ground.levels, ground.people)
    return moved_in_order(counts, places, ground.added)


@kernel
def _judge(
    counts: Counts, intervals: NDArray[np.int64], limit: tuple[int, float, int, int], below: Counts, mask: Mask
) -> None:
    """Fill `mask`; `below` is room for `_moved`.

    The limit is the people of the table, and what the differences may add up to in a class of one person: a + b / c.
    """
    people, whole, rest, denominator = limit
    for row in range(counts.shape[0]):
        moved = _moved(counts, row, intervals, people, below)
        total = below[counts.shape[1]]
        mask[row] = total > 0 and moved <= whole * total + rest * total // denominator


@kernel
def _measure(counts: Counts, intervals: NDArray[np.int64], people: int, below: Counts, moved: Moved) -> None:
    """Fill `moved`: how much the distributions differ; `below` is room for `_moved`."""
    for row in range(counts.shape[0]):
        moved[row] = _moved(counts, row, intervals, people, below)


@kernel
def _moved(counts: Counts, row: int, intervals: NDArray[np.int64], people: int, below: Counts) -> float:
    """How much the distributions of a class and the table differ, times the people of both.

    `below` takes, for each value and the end, the people of the class with a value before it.

    All differences are integers; their sum is a float, which holds integers up to 2**53 exactly and does not overflow.
    """
    total = 0
    for value in range(counts.shape[1]):
        below[value] = total
        total += counts[row, value]
    below[counts.shape[1]] = total
    moved = 0.0
    for place in range(intervals.shape[0]):
        inside = below[intervals[place, 1]] - below[intervals[place, 0]]
        moved += abs(inside * people - intervals[place, 2] * total)
    return moved
