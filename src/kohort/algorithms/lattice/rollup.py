"""Roll-up: the classes of a node from those of any node below it, never from the records again.

LeFevre, DeWitt, Ramakrishnan: Incognito (SIGMOD 2005), the rollup property. A class is a key: per quasi-identifier
the number of a value, packed into 64-bit words; of the values that a node does not tell apart the least one stands for
all. To generalize is then to look up, in each field that changes, who stands for it; equal keys are merged by hashing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from kohort.algorithms.lattice.classes import Layout, NodeClasses, Rolled
from kohort.core.frequency import group
from kohort.native.library import ADD_ROWS, ROLL, ROLLED
from kohort.system.workspace import HEAP, blocks, tallied

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index
    from kohort.core.frequency import FrequencySet, Words
    from kohort.core.lattice import Node
    from kohort.native.library import Array, Together
    from kohort.schema.domain import Domain
    from kohort.system.workspace import Workspace

    #: What becomes of a class: the class above that it is merged into, (c,).
    Merged: TypeAlias = NDArray[np.int32]

#: Bits of a word.
WORD = 64

#: Bytes of classes that are kept to roll further nodes up from.
KEPT = 1 << 28

#: Nodes that are kept: looking through them must cost less than it saves.
MOST_KEPT = 1 << 11

#: Classes of a place where no node is remembered: more than any node has.
_UNKNOWN = np.iinfo(np.int64).max

#: Where so many times fewer classes come out than go in, a nearer base would have served; after so many such times
#: one is made on the way.
MUCH, PATIENCE = 16, 4


@dataclass(frozen=True, slots=True, eq=False)
class Fields:
    """Where each quasi-identifier lies in a key, and who stands for whom on each level.

    Attributes:
        values: (d,) number of values of each quasi-identifier.
        word: (d,) word of its field.
        shift: (d,) lowest bit of its field.
        mask: (d,) its field, moved to the lowest bit.
        starts: (d, levels) where a level's part of `stands` begins.
        room: (5 d,) where the core lays out the fields that it looks at.
        stands: for every quasi-identifier, level and value: the least value of the same node, shifted into the field.
    """

    values: Index
    word: Index
    shift: NDArray[np.uint64]
    mask: NDArray[np.uint64]
    starts: Index
    room: NDArray[np.uint64]
    stands: NDArray[np.uint64]

    @classmethod
    def of(cls, nodes: Sequence[Sequence[Index]]) -> Fields:
        """The fields for `nodes[attribute][level]`, (v,) the node of each value, the values in leaf order."""
        values = [levels[0].size for levels in nodes]
        bits = [max(size - 1, 1).bit_length() for size in values]
        word, shift, used = list[int](), list[int](), WORD
        for width in bits:
            fresh = used + width > WORD
            word.append((word[-1] if word else -1) + fresh)
            shift.append(0 if fresh else used)
            used = shift[-1] + width
        starts = np.zeros((len(nodes), max(map(len, nodes))), np.int64)
        stands: list[NDArray[np.uint64]] = []
        place = 0
        for attribute, levels in enumerate(nodes):
            for level, node in enumerate(levels):
                starts[attribute, level] = place
                place += node.size
                _, first, of = np.unique(node, return_index=True, return_inverse=True)
                stands.append(first[of].astype(np.uint64) << np.uint64(shift[attribute]))
        return cls(
            np.array(values),
            np.array(word),
            np.array(shift, np.uint64),
            np.array([(1 << width) - 1 for width in bits], np.uint64),
            starts,
            np.empty(5 * len(nodes), np.uint64),
            np.concatenate(stands),
        )

    def table(self, kind: Together, *arrays: NDArray[Any]) -> Array:
        """The fields and some arrays as the core takes them, which must be kept as long."""
        return kind.from_param((self.word, self.shift, self.mask, self.room, *arrays))

    def packed(self, values: Sequence[NDArray[np.integer]], workspace: Workspace = HEAP) -> Words:
        """(t, w) the keys of tuples given as d arrays of (t,) values."""
        keys = workspace.zeros((values[0].size, int(self.word[-1]) + 1), np.uint64)
        for some in blocks(len(keys)):
            for column, word, shift in zip(values, self.word, self.shift, strict=True):
                keys[some, word] |= column[some].astype(np.uint64) << shift
        return keys


@dataclass(slots=True, eq=False)
class RollUp:
    """Gives the classes of any node, from the finer node with the fewest classes among those it remembers.

    The person, where there is one, is one more field of the keys, which no node generalizes: what is rolled up and
    remembered is parts of classes.

    Attributes:
        fields: How classes are packed into keys; the last field may be the person.
        bottom: The classes of the node that generalizes nothing.
        layout: What is tallied in classes.
        workspace: Where arrays as long as the tuples live.
        walked: Classes looked at so far, over all nodes rolled up.
        rolled: Nodes rolled up so far.
    """

    fields: Fields
    bottom: Rolled
    layout: Layout
    workspace: Workspace = HEAP
    walked: int = 0
    rolled: int = 0
    _known: list[Rolled] = field(default_factory=list[Rolled], repr=False)
    _places: dict[Node, int] = field(default_factory=dict["Node", int], repr=False)
    _starts: list[list[int]] = field(init=False, repr=False)
    _levels: NDArray[np.uint16] = field(init=False, repr=False)
    _classes: Index = field(init=False, repr=False)
    _used: Index = field(init=False, repr=False)
    _spoiled: Index = field(init=False, repr=False)
    _bytes: int = field(default=0, repr=False)
    _room: tuple[Words, Counts, Merged, NDArray[np.int32]] = field(init=False, repr=False)
    _table: Array = field(init=False, repr=False)

    @classmethod
    def of(
        cls,
        frequency: FrequencySet,
        domains: Sequence[Domain],
        population: FrequencySet | None = None,
        workspace: Workspace = HEAP,
    ) -> RollUp:
        """The roll-up over a frequency set, and a population in the same codes, up to the roots of the hierarchies.

        Cost: one grouping of the tuples; 8 bytes per value and level, and per class 8 a word and 8 for its size, and
        4 for each value of each sensitive attribute that the models look at.

        Raises:
            LimitError: There are too many sensitive values for so many classes.
        """
        quasi = frequency.quasi if population is None else np.concatenate([frequency.quasi, population.quasi])
        others = 0 if population is None else population.counts.size
        ranks = (np.argsort(np.argsort(domain.leaves)) for domain in domains)
        values: list[NDArray[np.integer]] = [
            workspace.taken(rank.astype(quasi.dtype), quasi[:, place]) for place, rank in enumerate(ranks)
        ]
        nodes = [levels_of(domain, np.sort(domain.leaves)) for domain in domains]
        if frequency.people is not None:
            whose = group(frequency.people.astype(np.uint64)[:, np.newaxis], workspace=workspace).of
            nobody = int(whose.max(initial=-1)) + 1
            values.append(np.append(whose, np.full(others, nobody)) if others else whose)
            nodes.append([np.arange(nobody + 1), np.zeros(nobody + 1, np.int64)])
        fields, layout = Fields.of(nodes), Layout.of(frequency.sensitive_domains, population=population is not None)
        keys = fields.packed(values, workspace)
        grouping = group(keys, workspace=workspace)
        counts = np.append(frequency.counts, np.zeros(others, np.int64)) if others else frequency.counts
        sizes = tallied(grouping.of, grouping.first.size, counts, workspace)
        tallies = layout.tallied(frequency, population, grouping.of, workspace)
        bottom = Rolled((0,) * len(domains), workspace.taken(keys, grouping.first), sizes, tallies)
        return cls(fields, bottom, layout, workspace)

    def __post_init__(self) -> None:
        """Know the bottom, and make room for the result of a roll-up."""
        self._levels = np.zeros((MOST_KEPT, len(self.bottom.node)), np.uint16)
        self._classes = np.full(MOST_KEPT, _UNKNOWN)
        self._used = np.zeros(MOST_KEPT, np.int64)
        self._spoiled = np.zeros(MOST_KEPT, np.int64)
        keys, room, classes = self.bottom.keys, self.workspace, len(self.bottom.keys)
        merged, slots = (room.empty(size, np.int32) for size in (classes, _slots_for(classes)))
        self._room = room.like(keys, keys.shape), room.empty(classes, np.int64), merged, slots
        self._table = self.fields.table(ROLLED, self.fields.stands, *self._room)
        self._starts = self.fields.starts.tolist()
        self._keep(self.bottom)

    def at(self, node: Node) -> Rolled:
        """The classes of `node`."""
        if node in self._places:
            return self._known[self._places[node]]
        place = self._cheapest(node)
        base = self._known[place]
        if self._spoiled[place] < PATIENCE:
            rolled = self.up(base, node)
            self._spoiled[place] += len(rolled.keys) * MUCH < len(base.keys)
        else:
            rolled = self.up(self._nearer(base, node), node)
        self._keep(rolled)
        return rolled

    def _cheapest(self, node: Node) -> int:
        """Where the node with the fewest classes is, among those known at or below `node`."""
        below = (self._levels <= np.array(node, np.uint16)).all(axis=1)
        place = int(np.where(below, self._classes, _UNKNOWN).argmin())
        self._used[place] = self.rolled
        return place

    def _nearer(self, base: Rolled, node: Node) -> Rolled:
        """The classes of a node between both, which serve others too: it leaves the attribute with fewest values."""
        changed = (place for place, level in enumerate(node) if level != base.node[place])
        left = min(changed, key=self.fields.values.__getitem__)
        stone = (*node[:left], base.node[left], *node[left + 1 :])
        if stone in self._places:
            return self._known[self._places[stone]]
        rolled = self.up(base, stone)
        self._keep(rolled)
        return rolled

    def up(self, base: Rolled, node: Node) -> Rolled:
        """The classes of `node` from those of `base`, a node below it; one hash for each class of `base`."""
        levels, width = zip(self._starts, node, base.node, strict=False), self.layout.width
        starts = [-1 if level == below else of[level] for of, level, below in levels]
        keys, sizes, merged = self._merged(base, starts, told=width > 0)
        self.walked += len(base.keys)
        self.rolled += 1
        if not width:
            return Rolled(node, keys, sizes, base.tallies[: sizes.size])
        tallies = self.workspace.zeros((sizes.size, width), base.tallies.dtype)
        ADD_ROWS(base.tallies, merged, 0, tallies)
        return Rolled(node, keys, sizes, tallies)

    def _merged(self, base: Rolled, starts: list[int], *, told: bool) -> tuple[Words, Counts, Merged]:
        """Keys and records of what classes become, and, if it is to be told, which class becomes which."""
        found = ROLL(self._table, base.keys, base.sizes, np.array(starts), told)
        keys, sizes, merged, _ = self._room
        return self.workspace.copied(keys[:found]), self.workspace.copied(sizes[:found]), merged[: base.sizes.size]

    def classes(self, rolled: Rolled) -> NodeClasses:
        """The classes of a node as models judge them.

        Cost: nothing, unless people are counted: then one more hash for each part of a class.
        """
        people, layout = rolled.sizes, self.layout
        if len(rolled.node) < self.fields.word.size:
            rolled, people = self._whole(rolled)
        if layout.population:  # nobody of the table is in some
            there = np.flatnonzero(people)
            rolled = Rolled(rolled.node, rolled.keys[there], rolled.sizes[there], rolled.tallies[there])
            people = people[there]
        return NodeClasses(rolled, people, layout)

    def _whole(self, parts: Rolled) -> tuple[Rolled, Counts]:
        """Classes from their parts, and the people of each."""
        person, layout = len(parts.node), self.layout
        keys, sizes, merged = self._merged(parts, [-1] * person + self._starts[person][1:2], told=True)
        somebodys = np.sign(parts.sizes) if layout.population else None  # a part without records is nobody's
        people = tallied(merged, sizes.size, somebodys, self.workspace)
        tallies = self.workspace.zeros((sizes.size, layout.width), parts.tallies.dtype)
        ADD_ROWS(parts.tallies, merged, layout.values, tallies)
        return Rolled(parts.node, keys, sizes, tallies), people

    def _keep(self, rolled: Rolled) -> None:
        """Remember a node's classes; forget those unused for longest, but never the bottom, when they are too many."""
        while len(self._known) == MOST_KEPT or (len(self._known) > 1 and self._bytes + rolled.bytes > KEPT):
            self._forget(1 + int(self._used[1 : len(self._known)].argmin()))
        place = self._places[rolled.node] = len(self._known)
        self._known.append(rolled)
        self._levels[place], self._classes[place] = rolled.node, len(rolled.keys)
        self._used[place], self._spoiled[place] = self.rolled, 0
        self._bytes += rolled.bytes

    def _forget(self, place: int) -> None:
        self._bytes -= self._known[place].bytes
        end = len(self._known) - 1
        del self._places[self._known[place].node]
        if place < end:
            self._known[place] = self._known[end]
            self._places[self._known[end].node] = place
        for column in (self._levels, self._classes, self._used, self._spoiled):
            column[place] = column[end]
        self._known.pop()
        self._classes[end] = _UNKNOWN


def room_for(frequency: FrequencySet, domains: Sequence[Domain]) -> int:
    """Bytes of the workspace that a roll-up takes at most: the bottom, nodes that are kept, and two in the making."""
    tuples, people = frequency.counts.size, () if frequency.people is None else (frequency.counts.size,)
    bits = [max(size - 1, 1).bit_length() for size in (*map(len, domains), *people)]
    words = -(-sum(bits) // (WORD - max(bits) + 1))
    each = 8 * (words + 1) + 8 * sum(map(len, frequency.sensitive_domains))
    nodes = prod(1 + one.hierarchy.height for one in domains if one.hierarchy is not None)
    room: int = tuples * (4 * each + 32) + min(nodes * tuples * each, KEPT)
    return room


def levels_of(domain: Domain, leaves: Index) -> list[Index]:
    """Per level, the hierarchy node of each of the `leaves`."""
    assert domain.hierarchy is not None  # noqa: S101  a job with a lattice method has one for each
    return [of_leaf[leaves] for of_leaf in domain.hierarchy.maps]


def _slots_for(classes: int) -> int:
    """Slots of a hash table that is at most half full: a power of two."""
    return 1 << (2 * classes).bit_length()
