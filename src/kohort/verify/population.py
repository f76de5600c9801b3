"""The people of the population table whom a class's labels fit: whoever has only the release cannot tell them apart.

A label is taken at its word. An ancestor fits everybody below it, a range everybody inside, were they outside the
region that the search had in mind. Only a mean says nothing of whom it fits: there it is the values from the least to
the greatest of the class.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kohort.schema import Label, Missing
from kohort.verify.classes import classes_of
from kohort.verify.records import lacking
from kohort.verify.values import with_others
from kohort.verify.verdict import places

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index, Numbers
    from kohort.core.frequency import ClassProfile
    from kohort.tables.table import Table
    from kohort.verify.classes import ReleasedClasses
    from kohort.verify.labels import Meaning
    from kohort.verify.verdict import Claim


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """Which values the labels of one column stand for, as spans of ranks: of a set or a node there may be several.

    Attributes:
        ranks: (u,) the rank of each value, those of the source before those that only the population has.
        first: (L + 1,) the first span of each label, then their number.
        low: (s,) least rank of each span; the spans of a label do not overlap.
        high: (s,) greatest rank.
    """

    ranks: NDArray[np.integer]
    first: Index
    low: NDArray[np.integer]
    high: NDArray[np.integer]

    def spans(self, label: int) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
        """The spans of a label."""
        of = slice(self.first[label], self.first[label + 1])
        return self.low[of], self.high[of]


def cover_of(meaning: Meaning) -> Cover:
    """The values that the labels of a column stand for."""
    labels = meaning.low.size
    of = np.repeat(np.arange(labels), np.diff(meaning.first))
    rank = meaning.ranks.take(meaning.listed)
    apart = (rank < meaning.low.take(of)) | (meaning.high.take(of) < rank)
    stride = len(meaning.values.names) + 2  # ranks begin at -1; the last of a label is no neighbour of the next's first
    listed = np.unique(of[apart] * stride + rank[apart] + 1)
    ends = np.flatnonzero(np.diff(listed) != 1)
    of_run, low = np.divmod(listed[np.append(0, ends + 1)[: listed.size]], stride)
    high = listed[np.append(ends, listed.size - 1)[: listed.size]] % stride
    spanned = np.flatnonzero(meaning.low <= meaning.high)
    of_span = np.append(of_run, spanned)
    order = np.argsort(of_span)
    return Cover(
        meaning.ranks,
        np.searchsorted(of_span[order], np.arange(labels + 1)),
        np.append(low - 1, meaning.low[spanned])[order],
        np.append(high - 1, meaning.high[spanned])[order],
    )


def cover_of_node(due: Index) -> Cover:
    """The values below each node: those that are `due` to be released as it."""
    labels = np.arange(int(due.max(initial=-1)) + 1)
    return Cover(due, np.arange(labels.size + 1), labels, labels)


def cover_of_classes(meaning: Meaning, held: NDArray[np.integer], classes: ReleasedClasses) -> Cover:
    """The values from the least to the greatest of each class, whose number is its label.

    Args:
        meaning: What the column's labels stand for; only the ranks are used.
        held: (m,) the value of each released record.
        classes: The classes of these records.
    """
    ranks = meaning.ranks.take(held)
    low, high = np.full(classes.sizes.size, np.iinfo(np.int32).max), np.full(classes.sizes.size, -1)
    np.minimum.at(low, classes.of, ranks)
    np.maximum.at(high, classes.of, ranks)
    return Cover(meaning.ranks, np.arange(low.size + 1), low, high)


def matched_population(
    claim: Claim,
    table: Table,
    classes: ReleasedClasses,
    due: Mapping[str, Index],
    regions: Mapping[str, Meaning],
) -> MatchedPopulation | None:
    """The population in the terms of the release's labels; `None` where no model asks for it.

    Args:
        claim: What the release says of itself.
        table: The release.
        classes: Its classes.
        due: Of a full-domain release, what each value is due to be released as.
        regions: Of any other, what the labels stand for.
    """
    if claim.known is None or not any(model.declared.population for model in claim.models):
        return None
    covers: list[Cover] = []
    labels: list[NDArray[np.integer]] = []
    for name in (attribute.name for attribute in claim.schema.quasi):
        labels.append(table[name].codes.take(classes.first))
        if name not in regions:
            covers.append(cover_of_node(due[name]))
        elif regions[name].values.label is Label.MEAN:
            labels[-1] = np.arange(classes.first.size)
            covers.append(cover_of_classes(regions[name], claim.original[name].codes.take(claim.lineage), classes))
        else:
            covers.append(cover_of(regions[name]))
    return MatchedPopulation.of(claim, claim.known, covers, np.stack(labels, axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class MatchedPopulation:
    """The population, in the ranks of covers.

    Attributes:
        covers: (d,) what the labels of each quasi-identifier stand for.
        labels: (c, d) those of each released class.
        ranks: (p, d) the different people there are.
        counts: (p,) how many are alike.
    """

    covers: tuple[Cover, ...]
    labels: NDArray[np.integer]
    ranks: NDArray[np.integer]
    counts: Counts

    @classmethod
    def of(
        cls, claim: Claim, population: Table, covers: Sequence[Cover], labels: NDArray[np.integer]
    ) -> MatchedPopulation:
        """The people of the population table, but those whom the schema would suppress for a missing value."""
        kept = np.ones(population.records, np.bool_)
        ranks: list[NDArray[np.integer]] = []
        for attribute, cover in zip(claim.schema.quasi, covers, strict=True):
            column = population[attribute.name]
            if attribute.missing is Missing.SUPPRESS:
                kept &= ~lacking(column, claim)
            value = places(column.values, with_others(claim.original[attribute.name], population))
            ranks.append(cover.ranks.take(value).take(column.codes))
        columns = [column[kept] for column in ranks]
        alike = classes_of(columns, int(kept.sum()))
        matrix = np.stack([column.take(alike.first) for column in columns], axis=1)
        return cls(tuple(covers), labels, matrix, alike.sizes)

    def counted(self, profile: ClassProfile, labels: NDArray[np.integer], of: Numbers) -> ClassProfile:
        """The profile with the people whom each class fits, and how many none does.

        Args:
            profile: What is known of c classes.
            labels: (t, d) different tuples of labels.
            of: (t,) the class that bears each; of several tuples, somebody whom two of them fit counts once.
        """
        found = np.zeros_like(profile.sizes)
        several = np.bincount(of, minlength=found.size) > 1
        parts: dict[int, list[Index]] = {}
        unknown = np.ones(self.counts.size, np.bool_)
        for one, people in self._matches(labels):
            unknown[people] = False
            if several[of[one]]:
                parts.setdefault(int(of[one]), []).append(people)
            else:
                found[of[one]] = self.counts[people].sum()
        for one, lists in parts.items():
            found[one] = self.counts[np.unique(np.concatenate(lists))].sum()
        return replace(profile, population=found, outside=int(self.counts[unknown].sum()))

    def _matches(self, labels: NDArray[np.integer]) -> Iterator[tuple[int, Index]]:
        """For each tuple of labels, by its place, the people whom it fits, where there are any.

        Tuples that begin alike are narrowed together, by the column first whose labels fit the fewest.

        Cost: for every different beginning, one sort of the people whom it fits so far.
        """
        order = self._most_telling_first(labels)
        every = np.arange(self.counts.size)
        open_ = [(0, np.lexsort(labels.T[order[::-1]]), every)] if len(labels) else []
        while open_:
            depth, alike, people = open_.pop()
            if depth == len(order):
                yield int(alike[0]), people
                continue
            cover, borne = self.covers[order[depth]], labels[alike, order[depth]]
            ranks = self.ranks[people, order[depth]]
            by_rank = np.argsort(ranks)
            ranks, people = ranks[by_rank], people[by_rank]
            for group in np.split(alike, np.flatnonzero(np.diff(borne)) + 1):
                low, high = cover.spans(int(labels[group[0], order[depth]]))
                starts, ends = np.searchsorted(ranks, low), np.searchsorted(ranks, high, side="right")
                within = [people[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
                inside = within[0] if len(within) == 1 else np.concatenate([people[:0], *within])
                if inside.size:
                    open_.append((depth + 1, group, inside))

    def _most_telling_first(self, labels: NDArray[np.integer]) -> list[int]:
        fitted: list[float] = []
        for column, cover in enumerate(self.covers):
            ranks = np.sort(self.ranks[:, column])
            inside = np.searchsorted(ranks, cover.high, side="right") - np.searchsorted(ranks, cover.low)
            until = np.append(0, np.cumsum(inside))[cover.first]
            fitted.append(float(np.diff(until).take(labels[:, column]).mean()) if len(labels) else 0.0)
        return sorted(range(len(fitted)), key=fitted.__getitem__)
