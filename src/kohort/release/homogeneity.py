"""What classes say of a sensitive attribute without anybody being linked: how alike the values in them are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, assert_never

import numpy as np

from kohort.frequency import group
from kohort.recoding import FullDomain, Multidimensional

if TYPE_CHECKING:
    from kohort.arrays import Index
    from kohort.frequency import FrequencySet
    from kohort.recoding import Classes, Recoding


class Homogeneity(NamedTuple):
    """How sure the classes of a release make of one sensitive attribute.

    People are counted where the schema has a person key, else records. Missing values are none.

    Attributes:
        alike: People with a value in classes where only one value occurs: whoever knows the class knows it.
        share: The largest share of one value among the people of a class who have a value; 0 where nobody has.
    """

    alike: int
    share: float


class Pieces(NamedTuple):
    """Where the tuples of a frequency set go; relaxed partitioning may deal one to several classes.

    Attributes:
        tuples: (m,) the tuple of each piece.
        classes: (m,) its class.
        counts: (m,) its records.
    """

    tuples: Index
    classes: Index
    counts: Index


def pieces_of(recoding: Recoding, frequency: FrequencySet, classes: Classes) -> Pieces:
    """The pieces of what is released."""
    match recoding:
        case Multidimensional():
            return Pieces(recoding.tuples, classes.of[recoding.regions], recoding.counts)
        case FullDomain():
            kept = np.flatnonzero(recoding.of >= 0)
            return Pieces(kept, classes.of[recoding.of[kept]], frequency.counts[kept])
        case _:
            assert_never(recoding)


def disclosed(
    recoding: Recoding, frequency: FrequencySet, classes: Classes
) -> tuple[int | None, dict[str, Homogeneity]]:
    """People released, and the homogeneity by attribute; nothing is done where neither is known."""
    if frequency.people is None and not frequency.sensitive_domains:
        return None, {}
    pieces = pieces_of(recoding, frequency, classes)
    return people_of(frequency, pieces), homogeneity_of(frequency, pieces)


def people_of(frequency: FrequencySet, pieces: Pieces) -> int | None:
    """How many people are released; `None` where it is not known whose a record is."""
    return None if frequency.people is None else np.unique(frequency.people[pieces.tuples]).size


def homogeneity_of(frequency: FrequencySet, pieces: Pieces) -> dict[str, Homogeneity]:
    """The homogeneity of every sensitive attribute that the frequency set holds, by its name.

    Cost: one pass of hashing over the pieces for each; no table of classes times values.
    """
    return {
        domain.name: _homogeneity(frequency, pieces, frequency.sensitive[:, column].astype(np.int64), len(domain))
        for column, domain in enumerate(frequency.sensitive_domains)
    }


def _homogeneity(frequency: FrequencySet, pieces: Pieces, values: Index, missing: int) -> Homogeneity:
    """That of one attribute, given the code of each tuple."""
    held, counts = values[pieces.tuples], pieces.counts
    present = held < missing
    cells, counts = np.stack([pieces.classes[present], held[present]], axis=1), counts[present]
    if not counts.size:
        return Homogeneity(0, 0.0)
    if frequency.people is not None:  # who has several records of one value in a class has it once
        whose = frequency.people[pieces.tuples][present]
        once = group(np.column_stack([cells, whose]).astype(np.uint64)).first
        cells, counts = cells[once], np.ones(once.size, np.int64)
    grouping = group(cells.astype(np.uint64))
    people = np.bincount(grouping.of, weights=counts)
    of = cells[grouping.first, 0]
    totals = np.bincount(of, weights=people)
    alone = np.bincount(of) == 1
    return Homogeneity(int(totals[alone].sum()), float((people / totals[of]).max()))
