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
from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeAlias

import numpy as np

from kohort.errors import SchemaError, UsageError
from kohort.models._shares import people_of, places_of
from kohort.models.base import NOBODY, Achieved, Declaration, check_name, exact_number, greatest_ratio
from kohort.native.library import MOVE, MOVE_BY_NODE, MOVE_IN_ORDER
from kohort.schema.numbers import said
from kohort.specification import SHARE, Parameter, Specification, word

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index, Mask
    from kohort.core.frequency import ClassProfile, Histogram
    from kohort.schema.sensitive import SensitiveDomain

    #: (c,) how much the distributions of classes and table differ, times the people of both.
    Moved: TypeAlias = NDArray[np.float64]


def added_up(reference: Counts) -> NDArray[np.int64]:
    """(2, m + 1) the people of the table with one of the first i values, and the sum of that for all smaller i.

    >>> added_up(np.array([5, 1, 7])).tolist()
    [[0, 5, 6, 13], [0, 0, 5, 11]]
    """
    below = np.append(0, reference.cumsum())
    return np.stack([below, np.cumsum(below) - below])


def people_below(nodes: Index, reference: Counts) -> Counts:
    """(l, v) the people of the table with a value below each of these nodes, as each value has one on each level.

    >>> people_below(np.array([[0, 1, 2], [0, 0, 1]]), np.array([5, 1, 7])).tolist()
    [[5, 1, 7], [6, 6, 7]]
    """
    return np.array([np.bincount(level, weights=reference)[level] for level in nodes], np.int64)


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
        ground = _ground(histogram.domain, self.distance)
        whole, rest = divmod(self.t.numerator * ground.divisor * ground.people, self.t.denominator)
        total, moved = _moved(histogram, ground)
        near: Mask = (total > 0) & (moved <= float(whole) * total + rest * total // self.t.denominator)
        return near

    def achieved(self, classes: ClassProfile) -> tuple[Achieved]:
        """The greatest distance of a class from the table; none, by a distance that the values do not have."""
        histogram = classes.of(self.sensitive)
        if self.distance is not None and self.distance not in distances_of(histogram.domain):
            return (Achieved("t", None, reason=_LACKING[self.distance]),)
        ground = _ground(histogram.domain, self.distance)
        total, moved = _moved(histogram, ground)
        if not total.all():
            return (Achieved("t", None, reason=NOBODY),)
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
        nodes: (l, v) the nodes that are the intervals, of each value on each level, ascending; none where the intervals
            are the first values of the order.
        table: The people of the table below these nodes (see `people_below`), or else added up in the order (see
            `added_up`).
    """

    intervals: NDArray[np.int64]
    people: int
    divisor: int
    nodes: Index
    table: NDArray[np.int64]


@lru_cache(maxsize=16)
def _ground(domain: SensitiveDomain, distance: Distance | None) -> _Ground:
    """The intervals of a ground distance; a search asks for them millions of times."""
    v, people = len(domain), people_of(domain)
    if distance == "hierarchical" and v and not domain.levels:
        what = "hierarchical distance needs a hierarchy"
        raise SchemaError(what, where=f"column {domain.name}", hint="add one, or choose another distance")
    if distance is None or not v:
        distance = distances_of(domain)[-1]
    every = np.arange(v + 1)
    nodes = every[np.newaxis, :-1]
    starts, ends, divisor = every[:-1], every[1:], 2
    if distance == "ordered":
        starts, ends, divisor, nodes = np.zeros_like(every[1:-1]), every[1:-1], max(v - 1, 1), nodes[:0]
    elif distance == "hierarchical":
        firsts = [np.flatnonzero(np.diff(level, prepend=-1)) for level in domain.levels]
        starts, ends = np.concatenate(firsts), np.concatenate([np.append(first[1:], v) for first in firsts])
        divisor, nodes = 2 * len(domain.levels), np.array(domain.levels, np.int64)
    added = added_up(domain.reference)
    intervals = np.stack([starts, ends, added[0, ends] - added[0, starts]], axis=1)
    return _Ground(intervals, people, divisor, nodes, people_below(nodes, domain.reference) if nodes.size else added)


def _moved(histogram: Histogram, ground: _Ground) -> tuple[Counts, Moved]:
    """(c,) the people of each class, and (c,) how much its distribution and the table's differ.

    All differences are integers; their sum is a float, which holds integers up to 2**53 exactly and does not overflow.
    """
    counts, width, places = places_of(histogram)
    total, moved, people = np.empty(len(counts), np.int64), np.empty(len(counts)), ground.people
    if histogram.places is None:
        MOVE(counts, width, ground.intervals, people, np.empty(width + 1, np.int64), total, moved)
    elif ground.nodes.size:
        MOVE_BY_NODE(counts, width, places, ground.nodes, ground.table, ground.nodes.shape[1], people, total, moved)
    else:
        MOVE_IN_ORDER(counts, width, places, ground.table, total, moved)
    return total, moved
