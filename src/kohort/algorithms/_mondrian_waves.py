"""Strict Mondrian for any model: cuts of many partitions are proposed together, judged together, and made together.

The models judge class profiles in arrays, so each round proposes a few cuts of every open partition, the nearest to
the middle first, and asks each model once for both sides of all of them. The answer is that of cutting one partition
after another, for a partition's cuts depend on nothing but its own records; it does not depend on the number of
threads either: they cut different partitions.

A histogram has a place for every sensitive value. Where there are thousands, and a model looks only at those that the
people of a class have, small partitions are put together to be cut with a place for each value that occurs in them.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from kohort.algorithms._mondrian_forest import Forest
from kohort.algorithms._mondrian_kernel import STRIDE, Work
from kohort.algorithms._mondrian_sizes import LEAST_SHARE, SHARES_PER_THREAD, buffer_of
from kohort.algorithms._mondrian_wave_counts import Ground, Proposed, Sensitive, Values
from kohort.algorithms._mondrian_wave_kernels import Open, corners, propose, settle
from kohort.frequency import ClassProfile, Histogram
from kohort.recoding import Multidimensional
from kohort.sensitive import SensitiveDomain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.algorithms._mondrian_kernel import Rule
    from kohort.arrays import Codes, Index, Mask
    from kohort.frequency import FrequencySet
    from kohort.models.base import PrivacyModel

#: Cells of the histograms that are judged at once: they stay in the cache between the kernel and the models.
CELLS = 1 << 18

#: Cuts that are judged at once, at least: a partition's first ones always have room.
LEAST_CUTS = 64

#: From this many sensitive values on, partitions that cannot have but few of them are cut apart from the others …
MANY_VALUES = 256

#: … once they have so many times fewer rows than an attribute has values.
FEWER = 8


def strict_by_profile(frequency: FrequencySet, rule: Rule, models: Sequence[PrivacyModel], threads: int) -> Forest:
    """Strict Mondrian of the whole table; a population is not looked at."""
    cutter = Cutter.of(frequency, rule, models)
    rows, records = len(frequency.quasi), frequency.records
    whole = Wave(Open(np.array([[0, rows, records, 0]]), np.full((1, rule.starts.size), -1), np.zeros(1, np.int64)))
    enough = threads * SHARES_PER_THREAD if threads > 1 and rows > LEAST_SHARE else None
    cutter.run(whole, enough)
    waves = whole.shared(threads)
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(cutter.run, waves))
    return _joined(frequency, cutter, np.concatenate([whole.leaves, *(wave.leaves for wave in waves)]))


@dataclass(slots=True, eq=False)
class Wave:
    """Partitions on their way.

    Attributes:
        open_: Those that may still be cut.
        found: The leaves, some at a time: (r, 4) first and last row, records, depth.
    """

    open_: Open
    found: list[Index] = field(default_factory=list[np.ndarray[tuple[int, int], np.dtype[np.int64]]])

    @property
    def leaves(self) -> Index:
        """(r, 4) all leaves."""
        return np.concatenate([np.empty((0, 4), np.int64), *self.found])

    def shared(self, threads: int) -> list[Wave]:
        """The open partitions dealt to some threads, the largest first, so that each has as many rows as another."""
        order = np.argsort(self.open_.parts[:, 0] - self.open_.parts[:, 1], kind="stable")
        return [Wave(_some(self.open_, order[thread::threads])) for thread in range(threads)]


@dataclass(frozen=True, slots=True, eq=False)
class Cutter:
    """What is cut, and who judges.

    Attributes:
        ground: The rows, and the rule by which partitions of them are cut.
        models: What both sides of a cut must satisfy.
        domains: The sensitive values.
        tuples: (t,) the tuples in the order of the buffer's rows.
    """

    ground: Ground
    models: Sequence[PrivacyModel]
    domains: tuple[SensitiveDomain, ...]
    tuples: Index

    @classmethod
    def of(cls, frequency: FrequencySet, rule: Rule, models: Sequence[PrivacyModel]) -> Cutter:
        """The cutter of a whole table; its sensitive codes, and whose it is, become further columns of each row."""
        people, order, person = frequency.people, np.arange(len(frequency.quasi)), -1
        parts: list[Codes | Index] = [frequency.quasi, frequency.sensitive]
        sizes, kind = [len(domain) for domain in frequency.sensitive_domains], frequency.quasi.dtype
        if people is not None:
            person, kind = frequency.quasi.shape[1] + len(sizes), np.dtype(np.uint32)
            parts.append(people[:, np.newaxis])
            sizes.append(1)
            order = np.argsort(people, kind="stable")  # cutting keeps neighbours together
        columns, values = frequency.quasi.shape[1] + np.arange(len(sizes)), np.array(sizes, np.int64)
        rows = cast("Codes", np.concatenate(parts, axis=1, dtype=kind, casting="unsafe")[order])
        sensitive = Sensitive(columns, values, np.cumsum(values) - values, person)
        ground = Ground(buffer_of(rows, frequency.counts[order]), rule, sensitive)
        asked = [one for one in models if people is not None or not one.size_only]  # of records, the rule sees to k
        return cls(ground, asked, frequency.sensitive_domains, order)

    def run(self, wave: Wave, enough: int | None = 0) -> None:
        """Cut the open partitions until none, or more than `enough`, are left; `None` leaves all as they are."""
        if enough is None or not wave.open_.parts.size:
            return
        values, room = self._values(wave.open_), self._room()
        small: list[Open] = []
        while len(wave.open_.parts) > 0 and not 0 < enough < len(wave.open_.parts):
            pieces: list[Open] = []
            rest = self._large(wave.open_, small) if self.narrows else wave.open_
            while len(rest.parts):
                done, proposed = self._proposed(rest, values, room)
                turn = Open(rest.parts[:done], rest.widths[:done], rest.tried[:done])
                wave.found.append(turn.parts[proposed.dimension < 0])
                pieces.append(self._settled(turn, proposed))
                rest = Open(rest.parts[done:], rest.widths[done:], rest.tried[done:])
            wave.open_ = _together([*pieces, _some(wave.open_, np.empty(0, np.int64))])
        for group in self._groups(small):
            apart = Wave(group)
            self._narrowed(group).run(apart)
            wave.found += apart.found

    @property
    def narrows(self) -> bool:
        """Whether partitions of few rows are cut with a place for each value that occurs in them."""
        many = int(self.ground.sensitive.sizes.sum()) >= MANY_VALUES
        return many and all(model.class_only for model in self.models if model.sensitive is not None)

    @property
    def few(self) -> int:
        """Rows of the largest partition that is cut so."""
        return int(self.ground.sensitive.sizes.sum()) // (FEWER * max(len(self.domains), 1))

    def _large(self, open_: Open, small: list[Open]) -> Open:
        """The partitions of many rows; the others are put to the small ones."""
        is_small = open_.parts[:, 1] - open_.parts[:, 0] <= self.few
        small.append(_some(open_, np.flatnonzero(is_small)))
        return _some(open_, np.flatnonzero(~is_small))

    def _groups(self, small: list[Open]) -> Iterator[Open]:
        """Small partitions, in groups of no more rows than the largest may have alone."""
        if not small:
            return
        every = _together(small)
        rows = np.cumsum(every.parts[:, 1] - every.parts[:, 0])
        first = 0
        while first < rows.size:
            before = int(rows[first - 1]) if first else 0
            last = max(int(np.searchsorted(rows, before + self.few, side="right")), first + 1)
            yield _some(every, np.arange(first, last))
            first = last

    def _narrowed(self, open_: Open) -> Cutter:
        """The cutter of some partitions, whose sensitive codes become those of the values that occur in them."""
        buffer, sensitive = self.ground.buffer, self.ground.sensitive
        codes = buffer.codes.reshape(buffer.tuples.size, -1)
        rows = np.concatenate([np.arange(part[0], part[1]) for part in open_.parts])
        sizes, domains = sensitive.sizes.copy(), list[SensitiveDomain]()
        for place, domain in enumerate(self.domains):
            held = codes[rows, sensitive.columns[place]]
            present = held < len(domain)
            values, of = np.unique(held[present], return_inverse=True)
            codes[rows, sensitive.columns[place]] = values.size
            codes[rows[present], sensitive.columns[place]] = of
            sizes[place] = values.size
            domains.append(domain.counted(domain.reference[values]))
        narrowed = Sensitive(sensitive.columns, sizes, np.cumsum(sizes) - sizes, sensitive.person)
        return replace(self, ground=self.ground._replace(sensitive=narrowed), domains=tuple(domains))

    def _proposed(self, open_: Open, values: Values, room: Proposed) -> tuple[int, Proposed]:
        """The cuts that the first of the open partitions propose, and how many these are."""
        partitions = len(open_.parts)
        out = room._replace(
            dimension=np.empty(partitions, np.int64),
            ends=np.empty(partitions, np.int64),
            last=np.empty(partitions, np.bool_),
        )
        done = propose(self.ground, values, open_, out)
        cuts = int(out.ends[done - 1])
        return done, Proposed(
            out.dimension[:done],
            out.ends[:done],
            out.last[:done],
            out.codes[:cuts],
            out.left[:cuts],
            out.sizes[: 2 * cuts],
            out.histograms[: 2 * cuts],
        )

    def _settled(self, open_: Open, proposed: Proposed) -> Open:
        """What is open after the allowed cuts."""
        partitions, dimensions = open_.widths.shape
        out = Open(
            np.empty((2 * partitions, 4), np.int64),
            np.empty((2 * partitions, dimensions), np.int64),
            np.empty(2 * partitions, np.int64),
        )
        found = settle(self.ground.buffer, open_, proposed, self._allowed(proposed), out)
        return Open(out.parts[:found], out.widths[:found], out.tried[:found])

    def _allowed(self, proposed: Proposed) -> Mask:
        """(c,) whether both sides of a cut satisfy all models."""
        starts = self.ground.sensitive.starts.tolist()
        histograms = tuple(
            Histogram(domain, np.ascontiguousarray(proposed.histograms[:, start : start + len(domain)]))
            for domain, start in zip(self.domains, starts, strict=False)  # people come last
        )
        classes = ClassProfile(proposed.sizes, histograms)
        sides = np.logical_and.reduce([model.satisfied(classes) for model in self.models])
        allowed: Mask = sides[0::2] & sides[1::2]
        return allowed

    def _values(self, open_: Open) -> Values:
        """Memory for one thread; what is not needed of it is never touched and so costs nothing."""
        rows = int((open_.parts[:, 1] - open_.parts[:, 0]).max())
        codes, upto = np.empty(rows + 1, np.int64), np.empty(rows + 1, np.int64)  # one more is written, and not read
        return Values(codes, upto, np.empty(self.ground.rule.positions.size, np.int64), self.work())

    def work(self) -> Work:
        """What finding ranges takes."""
        codes, nothing = self.ground.buffer.codes, np.empty(0, np.int64)
        size = STRIDE * (codes.size // self.ground.buffer.tuples.size)
        low, high, none = (np.empty_like(codes, shape=size) for size in (size, size, 0))
        return Work(low, high, nothing, none, nothing, nothing, nothing)

    def _room(self) -> Proposed:
        """Room for proposals; what each partition says of itself is added by and by."""
        cells = int(self.ground.sensitive.sizes.sum())
        cuts = max(CELLS // (2 * max(cells, 1)), LEAST_CUTS)
        nothing = np.empty(0, np.int64)
        return Proposed(
            nothing,
            nothing,
            np.empty(0, np.bool_),
            np.empty(cuts, np.int64),
            np.empty(cuts, np.int64),
            np.empty(2 * cuts, np.int64),
            np.empty((2 * cuts, cells), np.int64),
        )


def _some(open_: Open, chosen: Index) -> Open:
    return Open(open_.parts[chosen], open_.widths[chosen], open_.tried[chosen])


def _together(several: Sequence[Open]) -> Open:
    return Open(*(np.concatenate(parts) for parts in zip(*several, strict=True)))


def _joined(frequency: FrequencySet, cutter: Cutter, leaves: Index) -> Forest:
    """The leaves, left before right: each lies in the rows of the table that its place in the tree has."""
    quasi, buffer = frequency.quasi, cutter.ground.buffer
    tuples = len(quasi)
    leaves = leaves[np.argsort(leaves[:, 0] % tuples)]  # in either half of the buffer
    sizes = leaves[:, 1] - leaves[:, 0]
    starts = np.cumsum(sizes) - sizes
    inside = cutter.tuples[buffer.tuples[np.arange(tuples) + np.repeat(leaves[:, 0] - starts, sizes)]]
    regions = np.empty(tuples, np.int64)
    regions[inside] = np.repeat(np.arange(len(leaves)), sizes)
    low, high = (np.empty_like(quasi, shape=(len(leaves), quasi.shape[1])) for _ in range(2))
    corners(cutter.ground, leaves, cutter.work(), low, high)
    recoding = Multidimensional(np.arange(tuples), regions, frequency.counts, low, high)
    return Forest(recoding, leaves[:, 3])
