"""The engine of one machine: NumPy over the dictionary codes of an encoded table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from kohort.domain import Domain, resolve
from kohort.engines.base import Recoded
from kohort.engines.table import Column, Table, narrow
from kohort.frequency import FrequencySet, group
from kohort.schema import Missing, Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Codes, Index
    from kohort.recoding import Classes, Recoding
    from kohort.schema import Schema


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """What `recode` needs of the last count: the tuple of each kept record."""

    tuple_of: Index


@dataclass(slots=True, eq=False)
class LocalEngine:
    """Counts and recodes one table in memory.

    Attributes:
        table: The encoded input, n records.
        schema: A schema over exactly the table's columns.
        domains: (d,) the domain of each quasi-identifier.
    """

    table: Table
    schema: Schema
    domains: tuple[Domain, ...] = field(init=False)
    _codes: tuple[Index, ...] = field(init=False, repr=False)
    _kept: Index | None = field(init=False, repr=False)
    _tuple_of: Index = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Resolve the domains; set aside the records that the schema suppresses."""
        resolved = [self._resolve(attribute.name) for attribute in self.schema.quasi]
        self.domains = tuple(domain for domain, _ in resolved)
        self._codes = tuple(codes for _, codes in resolved)
        self._kept = self._keep()

    def _resolve(self, name: str) -> tuple[Domain, Index]:
        attribute = next(one for one in self.schema.quasi if one.name == name)
        column = self.table[name]
        counts = np.bincount(column.codes, minlength=len(column.values)).astype(np.int64)
        return resolve(attribute, column.values.to_list(), counts, self.schema.missing)

    def _keep(self) -> Index | None:
        """The records to release, ascending; `None` for all."""
        gone = np.zeros(self.table.records, np.bool_)
        for domain, codes in zip(self.domains, self._codes, strict=True):
            if domain.attribute.missing is Missing.SUPPRESS and domain.missing >= 0:
                gone |= (codes == domain.missing)[self.table[domain.attribute.name].codes]
        return np.flatnonzero(~gone) if gone.any() else None

    @property
    def suppressed(self) -> int:
        """Records that the schema suppresses for their missing values."""
        return 0 if self._kept is None else self.table.records - self._kept.size

    def count(self, sensitive: Sequence[str] = (), *, distinct: bool = False) -> FrequencySet:
        """The frequency set; one pass of hashing over the records.

        Cost: 2 to 4 bytes per record and column, 8 per record for the tuple it has.
        """
        columns = [(codes, self._rows(name.attribute.name)) for codes, name in zip(self._codes, self.domains, strict=True)]
        columns += [(_ranks(self.table[name].values), self._rows(name)) for name in sensitive]
        matrix = _matrix(columns, self.table.records - self.suppressed)
        grouping = group(matrix, give_up=not distinct)
        self._tuple_of = grouping.of
        tuples = matrix if grouping.first.size == len(matrix) else matrix[grouping.first]
        d = len(self.domains)
        sizes = tuple(len(self.table[name].values) for name in sensitive)
        return FrequencySet(np.ascontiguousarray(tuples[:, :d]), tuples[:, d:], grouping.counts, sizes)

    def recode(self, recoding: Recoding, classes: Classes) -> Recoded:
        """Apply the recoding; the output is ordered by its own content, labels first, so that order tells nothing."""
        others = [attribute.name for attribute in self.schema.released if attribute.role is not Role.QUASI]
        class_of = classes.of[self._regions(recoding, others)]
        order = _argsort([(_class_ranks(classes), class_of), *((_ranks(self.table[name].values), self._rows(name)) for name in others)])
        lineage = order if self._kept is None else self._kept[order]
        released = class_of[order]
        labels = {domain.attribute.name: place for place, domain in enumerate(self.domains)}
        columns = tuple(
            self._labelled(attribute.name, classes, labels[attribute.name], released)
            if attribute.role is Role.QUASI
            else _taken(self.table[attribute.name], lineage)
            for attribute in self.schema.released
        )
        return Recoded(Table(columns, lineage.size), lineage)

    def _rows(self, name: str) -> NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]:
        """The column's codes of the kept records."""
        codes = self.table[name].codes
        return codes if self._kept is None else codes[self._kept]

    def _regions(self, recoding: Recoding, others: Sequence[str]) -> Index:
        """(m,) the region of each kept record; records of a tuple in several regions are dealt by their content."""
        whole = recoding.tuples.size == self._tuple_of.max(initial=-1) + 1
        if whole:
            return recoding.regions[self._tuple_of]
        by_content = _argsort([(None, self._tuple_of), *((_ranks(self.table[name].values), self._rows(name)) for name in others)])
        regions = np.empty(by_content.size, np.int64)
        regions[by_content] = np.repeat(recoding.regions, recoding.counts)
        return regions

    def _labelled(self, name: str, classes: Classes, place: int, class_of: Index) -> Column:
        labels = classes.labels[place]
        used, codes = np.unique(labels.of[classes.first], return_inverse=True)
        texts: list[str | None] = [labels.texts[label] for label in used.tolist()]
        if self.table[name].values.null_count():
            texts = [text or None for text in texts]
        return Column(name, pl.Series(name, texts, dtype=pl.String), narrow(codes, len(texts))[class_of], pl.String())


def _matrix(columns: Sequence[tuple[Index, NDArray[np.integer]]], records: int) -> Codes:
    """(m, columns) the rows' codes: column j holds `translation[codes]`."""
    largest = max(int(translation.max(initial=0)) for translation, _ in columns)
    matrix: Codes = np.empty((records, len(columns)), np.uint16 if largest < 1 << 16 else np.uint32)
    for place, (translation, codes) in enumerate(columns):
        matrix[:, place] = translation.astype(matrix.dtype)[codes]
    return matrix


def _ranks(values: pl.Series) -> Index:
    """(v,) rank of each value as text, missing first."""
    ranks = np.empty(len(values), np.int64)
    ranks[values.arg_sort(nulls_last=False).to_numpy()] = np.arange(len(values))
    return ranks


def _class_ranks(classes: Classes) -> Index:
    """(c,) rank of each class by its labels as text, first attribute first."""
    keys = [_ranks(pl.Series(label.texts, dtype=pl.String))[label.of[classes.first]] for label in classes.labels]
    ranks = np.empty(classes.sizes.size, np.int64)
    ranks[np.lexsort(keys[::-1])] = np.arange(ranks.size)
    return ranks


def _argsort(keys: Sequence[tuple[Index | None, NDArray[np.integer]]]) -> Index:
    """The order of records by several keys, first key first; each is `ranks[codes]`, or the codes themselves.

    Keys are packed into as few 64-bit words as hold them, mostly one. Equal records may come in any order: they are
    released alike.
    """
    words: list[NDArray[np.uint64]] = []
    room = 0
    for ranks, codes in keys:
        values = codes.astype(np.uint64) if ranks is None else ranks.astype(np.uint64)[codes]
        bits = int(values.max(initial=0)).bit_length()
        if bits > room:
            words.append(values)
            room = 64 - bits
        else:
            words[-1] = (words[-1] << np.uint64(bits)) | values
            room -= bits
    return np.argsort(words[0]) if len(words) == 1 else np.lexsort(words[::-1])


def _taken(column: Column, rows: Index) -> Column:
    """The column's cells of `rows`, with the values that still occur."""
    codes = column.codes[rows]
    counts = np.bincount(codes, minlength=len(column.values))
    if counts.all():
        return Column(column.name, column.values, codes, column.dtype)
    used = np.flatnonzero(counts)
    renumbered = np.zeros(counts.size, np.int64)
    renumbered[used] = np.arange(used.size)
    return Column(column.name, column.values.gather(used), narrow(renumbered, used.size)[codes], column.dtype)
