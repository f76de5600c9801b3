"""Count and recode a table in memory: NumPy over its dictionary codes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import polars as pl

from kohort.core.frequency import FrequencySet, group, numbered, people_in
from kohort.core.order import SortKey, order_by
from kohort.core.recoding import FullDomain
from kohort.core.texts import Halves, Sets
from kohort.errors import InputError, SchemaError
from kohort.errors.display import many
from kohort.schema import Missing, Role
from kohort.schema.domain import Domain, resolve
from kohort.schema.domain.readings import check_readings
from kohort.schema.hierarchy import Hierarchy
from kohort.schema.sensitive import resolve as resolve_sensitive
from kohort.system.workspace import HEAP, blocks, tallied
from kohort.tables.people import note_spellings, owners_of, person_codes
from kohort.tables.recoded import RecodedColumn, RecodedTable
from kohort.tables.table import Column, Table, all_of, narrow
from kohort.tables.texts import content_keys, ranks_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Codes, Counts, Index, Numbers, Shares
    from kohort.core.labels import Labels
    from kohort.core.recoding import Recoding, RegionClasses
    from kohort.core.texts import Texts
    from kohort.schema import Attribute, Schema
    from kohort.schema.sensitive import SensitiveDomain
    from kohort.system.workspace import Workspace
    from kohort.tables.table import CellCodes, Table


@dataclass(frozen=True, slots=True, eq=False)
class Recoded:
    """Generalized records, without the suppressed ones, in the order of their own content.

    Attributes:
        data: m released records: quasi-identifiers as labels, the other columns unchanged, identifying ones gone.
        lineage: (m,) the input record that each released record was. Never released: verification checks it.
        lost: (c,) the mean loss of a record's quasi-identifiers in each class, in the order of the classes.
    """

    data: RecodedTable | Table
    lineage: Numbers
    lost: Shares

    @property
    def table(self) -> Table:
        """The records in memory."""
        return self.data.collect()


class Dealt(NamedTuple):
    """How many records of each weighted row are released in which class.

    Attributes:
        labels: The released values of each quasi-identifier, with the one of each class, in the order of the release.
        classes: (c,) each class of the order of the release, as `RegionClasses` numbers it.
        rows: (p,) the row of the table that each piece is of; those of a row follow one another.
        ranks: (p,) the place of its class in that order, from 1.
        counts: (p,) its records.
    """

    labels: dict[str, Column]
    classes: NDArray[np.uint32]
    rows: Index
    ranks: Index
    counts: Counts


@dataclass(slots=True, eq=False)
class CodedTable:
    """A table whose quasi-identifiers have codes in their domains: it counts its tuples and recodes its records.

    Attributes:
        table: The encoded input, n records.
        schema: A schema over exactly the table's columns; round grids become steps once the values are known.
        known: A population table, with the quasi-identifying columns, or `None`. Its values are in the domains too.
        workspace: Where arrays as long as the table live.
        weights: (n,) how many records each row stands for; `None` where each is one.
        counted: Where the table has no records but the distinct values of each column, (v,) the records with each.
        domains: (d,) the domain of each quasi-identifier.
        population: Its tuples in the codes of the domains.
    """

    table: Table
    schema: Schema
    known: Table | None = None
    workspace: Workspace = field(default=HEAP, repr=False)
    weights: Counts | None = field(default=None, repr=False)
    counted: Mapping[str, Counts] | None = field(default=None, repr=False)
    population: FrequencySet | None = field(init=False, repr=False)
    domains: tuple[Domain, ...] = field(init=False)
    _codes: tuple[Index, ...] = field(init=False, repr=False)
    _kept: NDArray[np.uint32] | None = field(init=False, repr=False)
    _tuples: int = field(init=False, repr=False)
    _tuple_of: Numbers | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Resolve the domains; set aside the records that the schema suppresses."""
        if self.known is not None:
            check_columns(self.known, self.schema)
        resolved: list[tuple[Domain, Index]] = []
        faults: list[InputError] = []
        for attribute in self.schema.quasi:
            try:
                resolved.append(self._resolve(attribute))
            except InputError as fault:
                faults.append(fault)
        faults += self._refused()
        if faults:
            raise all_of(faults)
        self.domains = tuple(domain for domain, _ in resolved)
        self.schema = self.schema.changed(domain.attribute for domain in self.domains)
        self._codes = tuple(
            codes[: len(self.table[one.name].values)]
            for one, (_, codes) in zip(self.schema.quasi, resolved, strict=True)
        )
        self.population = None
        if self.known is not None:
            self.population = population_tuples(self.known, self.table, self.schema, [codes for _, codes in resolved])
        self._kept = self._keep() if self.counted is None else None

    @property
    def codes(self) -> tuple[Index, ...]:
        """(v,) of each quasi-identifier, the code of each of the column's values."""
        return self._codes

    def _refused(self) -> list[InputError]:
        """Of sensitive columns whose missing values the schema refuses, what is wrong: whether or not a model looks."""
        faults: list[InputError] = []
        for attribute in self.schema.sensitive:
            try:
                if attribute.missing is Missing.REFUSE:
                    self.sensitive(attribute)
            except InputError as fault:
                faults.append(fault)
        return faults

    def _resolve(self, attribute: Attribute) -> tuple[Domain, Index]:
        """The domain, and the code of each value of the table, then of each that only the population table has."""
        column, other = self.table[attribute.name], self.known[attribute.name] if self.known else None
        if column.notation is not None and isinstance(attribute.hierarchy, Hierarchy):
            attribute = replace(attribute, hierarchy=column.notation.plain(attribute.hierarchy))
        values = with_others(column, other)
        counts = np.append(self.records_with(column), np.zeros(len(values) - len(column.values), np.int64))
        try:
            domain, codes = resolve(attribute, values, counts, self.schema.missing)
        except InputError as fault:
            if other is not None:
                resolve(attribute, column.values.to_list(), self.records_with(column), self.schema.missing)
                raise _of_population(fault, attribute.name) from None
            raise
        check_readings(domain, self.schema.missing)
        return domain, codes

    def _keep(self) -> NDArray[np.uint32] | None:
        lacking = self.schema.missing
        suppressing = [
            self.workspace.taken(column.absent(lacking), column.codes)
            for attribute in self.schema.released
            if attribute.missing is Missing.SUPPRESS
            for column in [self.table[attribute.name]]
        ]
        suppressing = [absent for absent in suppressing if absent.any()]
        return np.flatnonzero(~np.logical_or.reduce(suppressing)).astype(np.uint32) if suppressing else None

    def records_with(self, column: Column) -> Counts:
        """(v,) records with each value of a column."""
        if self.counted is not None:
            return self.counted[column.name]
        if self.weights is None:
            return column.counts()
        return np.bincount(column.codes, self.weights, len(column.values)).astype(np.int64)

    @property
    def suppressed(self) -> int:
        """Records that the schema suppresses for their missing values."""
        if self._kept is None:
            return 0
        if self.weights is None:
            return self.table.records - self._kept.size
        return int(self.weights.sum() - self.weights[self._kept].sum())

    def count(self, sensitive: Sequence[str] = (), *, distinct: bool = False) -> FrequencySet:
        """The frequency set; one pass of hashing over the records.

        Cost: 2 to 4 bytes per record and column, 4 per record for the tuple it has.
        """
        quasi = [
            SortKey(codes, self._rows(one.name)) for codes, one in zip(self._codes, self.schema.quasi, strict=True)
        ]
        attributes = [one for one in self.schema.attributes if one.name in sensitive]
        resolved = [self.sensitive(attribute) for attribute in attributes]
        held = [SortKey(codes, self._rows(one.name)) for one, (_, codes) in zip(attributes, resolved, strict=True)]
        whose = [] if self.schema.person is None else [self._person(self.schema.person)]
        matrix = self._matrix([*quasi, *held, *whose])
        tuples, counts = self._grouped(matrix, give_up=not distinct)
        d, s = len(quasi), len(held)
        return FrequencySet(
            self.workspace.copied(tuples[:, :d]) if held or whose else tuples,
            tuples[:, d : d + s],
            counts,
            tuple(domain for domain, _ in resolved),
            tuples[:, -1].astype(np.int64) if whose else None,
        )

    def _matrix(self, columns: Sequence[SortKey]) -> Codes:
        """(m, columns) the rows' codes; filled a few rows at a time, while they are in the cache."""
        large = max(column.bits for column in columns) > np.iinfo(np.uint16).bits
        shape = self.table.records if self._kept is None else self._kept.size, len(columns)
        matrix = self.workspace.empty(shape, np.uint32) if large else self.workspace.empty(shape, np.uint16)
        narrowed = [SortKey(column.ranks.astype(matrix.dtype), column.codes) for column in columns]
        for rows in blocks(len(matrix)):
            for place, column in enumerate(narrowed):
                matrix[rows, place] = column.of(rows)
        return matrix

    def _grouped(self, matrix: Codes, *, give_up: bool) -> tuple[Codes, Counts]:
        weights = self.weights if self.weights is None or self._kept is None else self.weights[self._kept]
        found = numbered(matrix, self.workspace.numbers(len(matrix)), give_up=give_up, workspace=self.workspace)
        if found is None or found[0].size == len(matrix):  # groups are numbered as they appear
            self._tuples, self._tuple_of = len(matrix), None
            counts = self.workspace.empty(len(matrix), np.int64)
            counts[:] = 1 if weights is None else weights
            return matrix, counts
        first, self._tuple_of = found
        self._tuples = first.size
        if weights is None:
            return matrix[first], tallied(self._tuple_of, first.size)
        return matrix[first], np.bincount(self._tuple_of, weights, first.size).astype(np.int64)

    def sensitive(self, attribute: Attribute) -> tuple[SensitiveDomain, Index]:
        """The domain of a sensitive attribute, with its people counted, and the code of each value of the table."""
        column = self.table[attribute.name]
        domain, codes = resolve_sensitive(
            attribute, column.values.to_list(), self.records_with(column), self.schema.missing
        )
        if self.schema.person is None:
            return domain, codes
        held, whose = codes[column.codes], person_codes(self.table[self.schema.person])
        people = people_in(held, len(domain) + 1, np.ones(held.size, np.int64), whose)
        return domain.counted(people[:-1]), codes

    def _person(self, name: str) -> SortKey:
        column = self.table[name]
        lacking = column.absent(self.schema.missing)
        if lacking.any():
            raise InputError(
                f"{many(int(self.records_with(column)[lacking].sum()), 'record has', 'records have')} no person key",
                where=f"column {name}",
                hint=f"to count people, every record needs a person key: fill in the key, or leave the others out"
                f' (--complete-records {name}; in a job file complete-records = ["{name}"])',
            )
        note_spellings(column)
        ranks, owners = ranks_of(column.values), owners_of(column)
        return SortKey(ranks if owners is None else ranks[owners], self._rows(name))

    def recode(self, recoding: Recoding, classes: RegionClasses) -> Recoded:
        """Apply the recoding; the output is ordered by its own content, labels first, so that order tells nothing.

        Records in no region come first in that order, and are cut off: they, and values that only they had, are gone.

        Cost: one sort of the records and one of the classes; besides the output some 12 bytes per record.
        """
        others = self._others()
        labels, order, rank = self._in_order(classes)
        ranks = self._classes(recoding, rank, others)
        lineage = order_by([ranks, *others], self.workspace)[classes.suppressed :]
        if self._kept is not None:
            lineage = self.workspace.taken(self._kept, lineage)
        columns = [
            RecodedColumn(labels[name]) if name in labels else RecodedColumn.of(self.table[name], lineage)
            for name in (attribute.name for attribute in self.schema.released)
        ]
        records = RecodedTable(columns, classes.sizes[order], lineage, self.workspace)
        return Recoded(records, lineage, classes.lost[order])

    def dealt(self, recoding: Recoding, classes: RegionClasses) -> Dealt:
        """Rows that stand for several records, as `recode` would release these.

        Args:
            recoding: The answer of a search over the counts; where it deals a tuple to several regions, the rows are
                over all released columns.
            classes: Its classes.
        """
        labels, order, rank = self._in_order(classes)
        assert self.weights is not None  # noqa: S101  what has none is recoded
        rows = np.arange(self.table.records) if self._kept is None else self._kept.astype(np.int64)
        counts = self.weights.take(rows)
        if isinstance(recoding, FullDomain) or recoding.tuples.size == self._tuples:
            ranks = self._classes(recoding, rank, ()).of(slice(0, rows.size))
        else:
            by_content = self._by_content(self._others())
            mine, theirs = np.cumsum(counts.take(by_content)), np.cumsum(recoding.counts)
            ends = np.union1d(mine, theirs)
            rows = rows.take(by_content).take(np.searchsorted(mine, ends))
            ranks = np.append(rank, 0).take(recoding.regions).take(np.searchsorted(theirs, ends))
            counts = np.diff(ends, prepend=0)
        released = ranks > 0
        return Dealt(labels, order, rows[released], ranks[released].astype(np.int64), counts[released])

    def _others(self) -> list[SortKey]:
        """What kept rows are ordered by after their labels."""
        names = [attribute.name for attribute in self.schema.released if attribute.role is not Role.QUASI]
        return content_keys((self.table[name].values, self._rows(name)) for name in names)

    def _in_order(self, classes: RegionClasses) -> tuple[dict[str, Column], NDArray[np.uint32], NDArray[np.uint32]]:
        labels, order, ranks = labels_in_order(
            classes, [self.table[one.name] for one in self.schema.quasi], self.workspace
        )
        return labels, order, ranks[classes.of]

    def _by_content(self, others: Sequence[SortKey]) -> NDArray[np.uint32]:
        """The kept rows tuple by tuple, those of a tuple by what else they hold."""
        return order_by([SortKey(np.arange(self._tuples), self._tuple_of), *others], self.workspace)

    def _rows(self, name: str) -> CellCodes:
        codes = self.table[name].codes
        return codes if self._kept is None else self.workspace.taken(codes, self._kept)

    def _classes(self, recoding: Recoding, rank: NDArray[np.uint32], others: Sequence[SortKey]) -> SortKey:
        """The rank of each kept record's class, from that of each region; 0 where the recoding suppresses it.

        Records of a tuple that lies in several regions are dealt to them by what else they hold.
        """
        if isinstance(recoding, FullDomain):
            return SortKey(self.workspace.taken(np.append(rank, np.uint32(0)), recoding.of), self._tuple_of)
        ranks = self.workspace.taken(np.append(rank, np.uint32(0)), recoding.regions)
        if recoding.tuples.size == self._tuples:
            return SortKey(ranks, self._tuple_of)
        by_content = self._by_content(others)
        dealt = self.workspace.like(by_content, by_content.size)
        dealt[by_content] = np.repeat(ranks, recoding.counts)
        return SortKey(dealt)


def labels_in_order(
    classes: RegionClasses, sources: Sequence[Column], workspace: Workspace = HEAP
) -> tuple[dict[str, Column], NDArray[np.uint32], NDArray[np.uint32]]:
    """The classes in the order of a release, which is that of their labels.

    Args:
        classes: The classes of a recoding.
        sources: The quasi-identifiers of the input: a missing value is null where one of its values is.
        workspace: Whose memory is used.

    Returns:
        The released values of each quasi-identifier, with the one of each class in that order; (c,) each class of that
        order, as `RegionClasses` numbers it; (c,) the place of each class in it, from 1.
    """

    def labelled(place: int) -> tuple[Column, Index]:
        column = _labels_of(classes.labels[place], classes, sources[place])
        return column, ranks_of(column.values)

    labels = list(workspace.side_by_side(labelled, range(len(sources))))
    order = order_by([SortKey(ranks, column.codes) for column, ranks in labels])
    rank = np.empty_like(order)
    rank[order] = np.arange(1, rank.size + 1)
    ordered = {column.name: replace(column, codes=column.codes[order]) for column, _ in labels}
    return ordered, order, rank


def _labels_of(labels: Labels, classes: RegionClasses, source: Column) -> Column:
    values = _series(labels.texts).alias(source.name)
    if source.values.null_count():
        values = values.set(values == "", None)
    timed = isinstance(source.dtype, pl.Datetime) and source.values.str.contains("T", literal=True).any()
    dtype = pl.String() if timed else source.dtype  # a label is a day, not its first moment
    codes = narrow(labels.of[classes.first], len(values))
    return Column(source.name, values, codes, dtype, notation=source.notation)


def _series(texts: Texts) -> pl.Series:
    """The texts; where they are made of others, column by column."""
    if isinstance(texts, Halves):
        first, second = (pl.Series(halves, dtype=pl.String) for halves in (texts.first, texts.second))
        return first.gather(texts.first_of) + second.gather(texts.second_of)
    if isinstance(texts, Sets):
        quoted = pl.Series(texts.quoted, dtype=pl.String)
        parts = [_sets(texts, some, quoted) for some in texts.members]
    else:
        parts = [pl.Series(some, dtype=pl.String) for some in texts.parts()]
    return pl.concat([pl.Series([], dtype=pl.String), *parts], rechunk=True)


#: Fewer sets are written one by one: a column of members costs some microseconds, however short it is.
_FEW: Final = 256


def _sets(texts: Sets, members: NDArray[np.integer], quoted: pl.Series) -> pl.Series:
    if len(members) < _FEW or members.shape[1] == 1:
        return pl.Series(map(texts.text, members.tolist()), dtype=pl.String)
    first, *others, last = members.T
    columns = [("{" + quoted).gather(first), *map(quoted.gather, others), (quoted + "}").gather(last)]
    named = pl.DataFrame({f"{place}": column for place, column in enumerate(columns)})
    return named.select(pl.concat_str(pl.all(), separator=", ")).to_series()


def _of_population(fault: InputError, name: str) -> InputError:
    hint = "values of the population table must be in the column's hierarchy, bounds and grid too"
    return type(fault)("some values of the population table are outside the domain", where=f"column {name}", hint=hint)


# ── the population table ─────────────────────────────────────────────────────────────────────────


def check_columns(population: Table, schema: Schema) -> None:
    """Refuse a population table that lacks a quasi-identifying column."""
    lacking = [one.name for one in schema.quasi if one.name not in population.names]
    if lacking:
        raise SchemaError(
            f"the population table has no column {', '.join(lacking)}",
            where="population",
            hint="the population table needs every quasi-identifying column under the same name",
        )


def with_others(column: Column, other: Column | None) -> list[str | None]:
    """The values of a column, then those that only the same column of the population table has."""
    values: list[str | None] = column.values.to_list()
    known = set(values)
    return values + [value for value in (other.values.to_list() if other else ()) if value not in known]


def population_tuples(population: Table, table: Table, schema: Schema, codes: Sequence[Index]) -> FrequencySet:
    """The tuples of the population table, without the records that the schema would suppress for a missing value.

    Args:
        population: The population table.
        table: The table to release.
        schema: Over the table's columns.
        codes: Of each quasi-identifier, the code of each value `with_others`; negative where it is suppressed.
    """
    columns: list[Index] = []
    for attribute, code_of in zip(schema.quasi, codes, strict=True):
        column = population[attribute.name]
        code = dict(zip(with_others(table[attribute.name], column), code_of.tolist(), strict=True))
        columns.append(np.array([code[value] for value in column.values.to_list()], np.int64)[column.codes])
    every = np.stack(columns, axis=1)
    matrix = every[(every >= 0).all(axis=1)].astype(np.uint32)
    grouping = group(matrix)
    return FrequencySet(matrix[grouping.first], np.empty((grouping.first.size, 0), np.uint32), grouping.counts)
