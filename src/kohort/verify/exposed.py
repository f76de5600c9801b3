"""Whose exact value a label gives away: it stands for several, prints this one, and nobody else of the class has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.core.uniques import Exposed
from kohort.schema import Label
from kohort.verify.labels import ANY
from kohort.verify.lone import People

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kohort.arrays import Index, Mask
    from kohort.engines.table import Column, Table
    from kohort.verify.classes import Classes
    from kohort.verify.labels import Meaning
    from kohort.verify.verdict import Claim


def exposure(
    table: Table, meanings: Mapping[str, Meaning], claim: Claim, classes: Classes, people: Index | None
) -> Exposed:
    """Who is exposed, by what.

    Args:
        table: The release.
        meanings: What the labels of its columns stand for; nodes of a full-domain release are no data.
        claim: Which records of the input these are.
        classes: Its classes.
        people: (m,) whose each record is.
    """
    whose = People.among(table.records, people)
    by = {kind: np.zeros(table.records, np.bool_) for kind in (Label.RANGE, Label.SET, Label.MEAN)}
    for name, meaning in meanings.items():
        kind = meaning.values.label
        if kind in by:
            by[kind] |= _exposed(table[name], meaning, claim.source[name].codes.take(claim.lineage), classes, whose)
    every = np.logical_or.reduce([*by.values()])
    return Exposed(whose.count(every), *(whose.count(records) for records in by.values()))


def _exposed(column: Column, meaning: Meaning, values: NDArray[np.integer], classes: Classes, people: People) -> Mask:
    """(m,) which records have a value that their label prints and nobody else of their class has."""
    exposed = np.zeros(values.size, np.bool_)
    records = np.flatnonzero(_printed(column, meaning, values, classes))
    ranks, names = meaning.ranks.take(values.take(records)).astype(np.int64), len(meaning.values.names)
    cells, size = classes.of.take(records) * names + ranks, classes.sizes.size * names
    exposed[records[people.taken(records).lone(cells, size)]] = True
    return exposed


def _printed(column: Column, meaning: Meaning, values: NDArray[np.integer], classes: Classes) -> Mask:
    """(m,) which records have a value that their label prints, though it stands for others too."""
    label, rank = column.codes, meaning.ranks.take(values)
    present: Mask = ~meaning.values.absent.take(values)
    match meaning.values.label:
        case Label.RANGE:
            low, high = meaning.low.take(label), meaning.high.take(label)
            ends: Mask = (low >= 0) & (low < high) & ((rank == low) | (rank == high))
            return present & ends
        case Label.SET:
            return present & _sets(column, meaning).take(label)
        case _:  # means
            texts = [np.nan if text in {None, "", ANY} else float(text) for text in column.values.to_list()]
            several = np.zeros(classes.sizes.size, np.bool_)
            several[classes.of[rank != rank.take(classes.first).take(classes.of)]] = True
            own: Mask = meaning.values.amounts().take(values) == np.array(texts).take(label)
            return present & own & several.take(classes.of)


def _sets(column: Column, meaning: Meaning) -> Mask:
    """(L,) which labels list several values."""
    of = meaning.listed % meaning.low.size
    ranks = meaning.ranks.take(meaning.listed // meaning.low.size) + 2  # a missing value has -1 or -2
    kinds = np.unique(of * (len(meaning.values.names) + 2) + ranks) // (len(meaning.values.names) + 2)
    braced = column.values.fill_null("").str.starts_with("{").to_numpy()
    several: Mask = (np.bincount(kinds, minlength=meaning.low.size) > 1) & braced
    return several
