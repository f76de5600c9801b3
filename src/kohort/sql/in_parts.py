"""Records elsewhere whose tuples do not fit into memory: searched all the same, with the same release.

Mondrian cuts them in parts; methods that judge nodes of hierarchies have the classes of each node counted there.

Which tuple is in which class stays where the records lie. Here are the classes: their labels, their sizes, and nothing
of their records but what is judged, some classes at a time.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from kohort.algorithms.lattice.rollup import levels_of
from kohort.algorithms.mondrian.in_parts import solve_in_parts
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.algorithms.problem import Solution
from kohort.core.branches import with_companions
from kohort.core.frequency import group
from kohort.core.recoding import FullDomain, Multidimensional, classes_of
from kohort.engines.base import Counts
from kohort.engines.gates import refuse_listed, refuse_pairs
from kohort.engines.limits import refuse_empty, shown
from kohort.errors import LimitError, SourceNote
from kohort.errors.display import many
from kohort.schema import Missing
from kohort.sql import queries
from kohort.sql.coded import CodedColumns, CodedTuples
from kohort.sql.gates import RemoteTuples
from kohort.sql.relation import CELL, TemporaryTable, by_class
from kohort.sql.remote import ReleasedRelation, labelled, placed_records
from kohort.sql.written import CLASS
from kohort.tables.coded import labels_in_order
from kohort.tables.dataset import ReleasedRecords
from kohort.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from kohort.algorithms.mondrian.in_parts import Marginals
    from kohort.algorithms.problem import Algorithm, Problem
    from kohort.arrays import Counts as Numbers
    from kohort.arrays import Index
    from kohort.core.frequency import FrequencySet
    from kohort.core.lattice import Node
    from kohort.core.recoding import Recoding, RegionClasses
    from kohort.release import Job
    from kohort.schema.domain import Domain
    from kohort.sql.relation import Relation
    from kohort.tables.dataset import Values
    from kohort.verify.aggregates import Hashed, Tuples


#: How often tuples are held while they are judged: as texts, as they are due, as they were written, and sorted.
HELD: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class CountedInParts:
    """Records elsewhere, counted where they lie.

    Attributes:
        counts: What is known before the search; of the frequency set, the marginals of the first quasi-identifier.
        job: The job.
        columns: Their columns, in codes.
        tuples: Their tuples.
        root: The marginals of all of them.
        levels: They as their levels show them.
        source: The records that enter.
        kept: Those of them that the schema does not suppress.
        whole: All records.
        most: Tuples that are fetched together.
    """

    counts: Counts
    job: Job
    columns: CodedColumns
    tuples: CodedTuples
    root: Marginals
    levels: TuplesOnLevels
    source: Relation
    kept: Relation
    whole: Relation
    most: int

    @classmethod
    def of(cls, whole: Relation, source: Relation, job: Job, most: int, *, releasing: bool) -> CountedInParts:
        """Count the tuples.

        Raises:
            InputError: values have no place in their domain.
            InfeasibleError: the schema suppresses every record.
            SchemaError: a column would be released as lists of people's values.
        """
        columns = CodedColumns.of(source, job)
        if releasing:
            refuse_listed(columns.table, job)
        lacking = [one.name for one in job.schema.released if one.missing is Missing.SUPPRESS]
        kept = source.with_values(lacking, job.schema.missing) if lacking else source
        refuse_empty(kept.records)
        tuples = CodedTuples.of(kept, columns)
        root = tuples.marginals([0])[0]
        suppressed = source.records - kept.records
        domains = with_companions(
            columns.table.domains,
            lambda column: root.of[column].records_by_code(0, len(columns.table.domains[column])),
            tuples.pairs,
        )
        counts = Counts(source.records, columns.table.schema, root.of[0], domains, suppressed, None)
        counted = replace(job, schema=columns.table.schema)
        levels = TuplesOnLevels(tuples, root.of, domains, most)
        return cls(counts, counted, columns, tuples, root, levels, source, kept, whole, most)

    def search(self, problem: Problem, algorithm: Algorithm) -> tuple[Solution, RegionClasses]:
        """What the search answers, without the region of each tuple, and its classes."""
        if not isinstance(algorithm, Mondrian):
            return self._search_nodes(problem, algorithm)
        classes, trace = solve_in_parts(self.tuples, self.root, problem, algorithm, self.most)
        parts, rounds, rows = (trace[key] for key in ("parts", "rounds", "histogram_rows"))
        what = f"the table was searched in {many(parts, 'part')}, since the tuples do not fit into memory together"
        warnings.warn(SourceNote(f"{what}: {many(rounds, 'round')}, {rows:,} histogram rows"), stacklevel=2)
        none, corners = np.empty(0, np.int64), np.empty((0, self.tuples.quasi), np.uint32)
        return Solution(Multidimensional(none, none, none, corners, corners), trace), classes

    def _search_nodes(self, problem: Problem, algorithm: Algorithm) -> tuple[Solution, RegionClasses]:
        found = algorithm.solve(replace(problem, there=self.levels))
        what = f"{many(self.levels.asked, 'node was', 'nodes were')} counted in the engine"
        warnings.warn(SourceNote(f"{what}, since they do not fit into memory together"), stacklevel=3)
        trace = {**found.trace, "nodes_counted": self.levels.asked}
        classes = classes_of(found.recoding, self.levels.last, problem.domains, problem.workspace)
        return replace(found, trace=trace), classes

    def recode(self, recoding: Recoding, classes: RegionClasses) -> ReleasedRecords:
        """The records as they are released: where they lie, as a query that nobody has run yet."""
        labels, order, ranks = labels_in_order(classes, self.columns.quasi)
        of_regions = ranks[classes.of].astype(np.int64)
        if isinstance(recoding, FullDomain):
            placed = self.levels.placed(recoding, of_regions)
        else:
            placed = self._placed(of_regions)
        sizes, every = classes.sizes[order], Table(tuple(labels.values()), order.size)
        cells = self.kept.cells([one.name for one in self.columns.quasi])
        inside = f"{self.classed(cells, placed)} WHERE {placed.name}.class <= {order.size}"
        classed = f"SELECT {placed.name}.class AS {CLASS}, {queries.RECORDS}.* FROM {inside}"  # noqa: S608  names are quoted by the dialect
        sources, data = placed_records(classed, self.source, self.job, int(sizes.sum()))
        released = labelled(data, every)
        refuse_pairs(RemoteTuples(self.source, released).singled_out, self.job, of_people=False)
        witness = ClassesInParts(self, every, placed, sources)
        groups = ReleasedRelation(data, every, sizes, sources, self.kept, witness, most=self.most)
        none, lost = np.empty(0, np.uint32), classes.lost[order]
        return ReleasedRecords(released, self.source, self.whole, none, None, None, lost, groups=groups)

    def _placed(self, of_regions: Index) -> TemporaryTable:
        """Keep the number of each tuple with the class of its region."""
        dialect = self.source.dialect
        name = dialect.give(pl.DataFrame({"region": np.arange(of_regions.size), "class": of_regions}))
        placed = TemporaryTable(dialect, self.tuples.placed(name), once=True)
        dialect.forget(name)
        return placed

    def classed(self, cells: queries.Cells, placed: TemporaryTable, *, outer: bool = False) -> str:
        """Records, whose cells of quasi-identifiers these are, with the class of their tuple."""
        number, source = self.tuples.numbering.of(cells, outer=outer)
        return queries.placed(source, placed.name, number, "p", outer=outer)


@dataclass(frozen=True, slots=True, eq=False)
class ClassesInParts:
    """The class in which each record is said to be released: what verification doubts.

    Attributes:
        counted: All records.
        labels: (c,) the labels of each class.
        placed: Where the class of each tuple stands.
        sources: The released records as they entered, with their class.
    """

    counted: CountedInParts
    labels: Table
    placed: TemporaryTable
    sources: Relation

    def entered(self, name: str) -> Values:
        """The distinct values of a column, and the records that enter with each."""
        return self.counted.source.distinct(name)

    def classed(self, columns: Sequence[str], hashed: Hashed | None) -> Iterator[tuple[Tuples, Index]]:
        """The distinct tuples of some columns, those of whole consecutive classes at a time."""
        counted, whole, dialect = self.counted, self.counted.whole, self.counted.whole.dialect
        grouped = TemporaryTable(dialect, queries.tuples(*whole.hashed(columns, hashed)), once=True)
        quasi = tuple(f"{queries.RECORDS}.c{columns.index(one.name)}" for one in counted.columns.quasi)
        source = counted.classed(queries.Cells(quasi, f"{grouped.name} {queries.RECORDS}"), self.placed, outer=True)
        class_ = f"c{len(columns)}"
        asked = f"SELECT {queries.RECORDS}.*, {self.placed.name}.class AS {class_} FROM {source}"  # noqa: S608  names of ours
        for found in by_class(dialect, asked, class_, max(counted.most // HELD, 1)):
            of = found[class_].cast(pl.Int64).fill_null(0).to_numpy() - 1
            yield whole.tuples_of(columns, found), of
        grouped.forget()

    def pairs(self, identifying: str, released: str) -> Tuples:
        """The distinct pairs of cells in an identifying column and a released one, of released records."""
        if released not in self.labels.names:
            return self.sources.tuples((identifying, released))
        cells = self.sources.cells((identifying,))
        asked = queries.Cells((*cells.of, f"{queries.RECORDS}.{CLASS}"), cells.source)
        self.sources.refuse_large(asked)
        found = self.sources.dialect.run(queries.tuples(asked))
        made = self.sources.tuples_of((identifying,), found)
        labels = self.labels[released].take(found["c1"].cast(pl.Int64).to_numpy() - 1)
        return replace(made, table=Table((*made.table.columns, labels), made.counts.size))


# ── tuples on levels, for a search that judges nodes ─────────────────────────────────────────────
#
# What comes here are how many classes of a node have each size, and the classes themselves where they fit. What goes
# there are, of each level, the codes that stand for its nodes, and at last the class of each group that is released.

#: Shares of classes for each fetch of them: those of several fit together.
SHARES: Final = 8


@dataclass(slots=True, eq=False)
class TuplesOnLevels:
    """Distinct tuples of codes, grouped on levels: what a search that judges nodes asks.

    Attributes:
        tuples: They.
        marginals: (d,) each quasi-identifier alone.
        domains: (d,) what their codes mean.
        most: Rows that are fetched together.
        asked: How many nodes were grouped where the tuples lie.
        last: The classes of the node that was `released` last.
    """

    tuples: CodedTuples
    marginals: tuple[FrequencySet, ...]
    domains: tuple[Domain, ...]
    most: int
    asked: int = field(default=0, init=False)
    last: FrequencySet = field(init=False)

    @contextmanager
    def on(self, node: Node) -> Generator[ClassesOnLevels]:
        """The classes on the levels of a node, kept for some time where the tuples lie."""
        with self._codes(node) as others:
            unchanged = [None] * len(self.tuples.sensitive)
            columns = [*self.tuples.dimensions, *self.tuples.sensitive]
            tuples = queries.added(queries.generalized(self.tuples.source, columns, [*others, *unchanged]))
            table = TemporaryTable(self.tuples.dialect, tuples)
        self.asked += 1
        try:
            yield ClassesOnLevels(self, table.name)
        finally:
            table.forget()

    def released(self, node: Node) -> FrequencySet:
        """The classes of a node, which fit."""
        with self.on(node) as there:
            found = there.fetched()
        assert found is not None  # noqa: S101  they were fetched when the node was judged
        self.last = found
        return found

    @contextmanager
    def _codes(self, node: Node) -> Generator[list[str | None]]:
        """Of each quasi-identifier a small table of the codes that stand for the nodes of a level; none of level 0."""
        dialect, given = self.tuples.dialect, list[str | None]()
        for domain, level in zip(self.domains, node, strict=True):
            if not level:
                given.append(None)
                continue
            _, first, of = np.unique(levels_of(domain, domain.leaves)[level], return_index=True, return_inverse=True)
            codes = {"code": np.arange(of.size), "other": first[of]}
            given.append(dialect.give(pl.DataFrame(codes, schema=dict.fromkeys(codes, pl.Int32))))
        try:
            yield given
        finally:
            for one in filter(None, given):
                dialect.forget(one)

    def placed(self, recoding: FullDomain, ranks: Index) -> TemporaryTable:
        """Keep the number of each tuple of quasi-identifiers with its class.

        The codes by which classes are told are kept on the way: else a database might join these with the classes
        before it joins the tuples, and have each class as often as there are tuples that it might have.

        Args:
            recoding: The release of the node whose classes were `released`.
            ranks: (r,) the class of each region, from 1. What is suppressed is in classes after these.
        """
        quasi, of, dialect = self.last.quasi, recoding.of, self.tuples.dialect
        left = np.flatnonzero(of < 0)
        classes = np.append(ranks, 0)[of]
        classes[left] = int(ranks.max(initial=0)) + 1 + group(quasi[left]).of
        keys = {f"k{place}": quasi[:, place].astype(np.int32) for place in range(quasi.shape[1])}
        frame = pl.DataFrame({**keys, "class": classes}).unique()
        with self._codes(recoding.levels) as others:
            cells = queries.generalized(self.tuples.source, self.tuples.dimensions, others)
            named = ", ".join(f"{cell} AS {key}" for cell, key in zip(cells.of, keys, strict=True))
            rolled = TemporaryTable(dialect, f"SELECT DISTINCT {queries.RECORDS}.p, {named} FROM {cells.source}")  # noqa: S608  names of ours
        name, tuples = dialect.give(frame), f"{rolled.name} {queries.RECORDS}"
        source = queries.joined(tuples, name, [(f"{queries.RECORDS}.{key}", f"{name}.{key}") for key in keys])
        found = TemporaryTable(dialect, f"SELECT {queries.RECORDS}.p, {name}.class FROM {source}")  # noqa: S608  as above
        rolled.forget()
        dialect.forget(name)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class ClassesOnLevels:
    """The classes of a node, where the tuples lie.

    Attributes:
        of: The tuples.
        table: What the table of them is called: of each class, and each of its sensitive values, the records.
    """

    of: TuplesOnLevels
    table: str

    @property
    def spread(self) -> tuple[Numbers, Numbers]:
        """The sizes that classes have, ascending, and how many classes have each."""
        grouped = self.table
        if self.of.tuples.sensitive:
            grouped = f"(SELECT sum(n) AS n FROM {self.table} GROUP BY {self._keys})"  # noqa: S608  names of ours
        found = self._run(queries.distinct(grouped, [f"{queries.RECORDS}.n"])).cast(pl.Int64).sort("c0")
        return found["c0"].to_numpy(), found["n"].to_numpy()

    def fetched(self) -> FrequencySet | None:
        """All of them; `None` where they do not fit into memory."""
        if self._rows(self.table) > self.of.most:
            return None
        return self._frequency(self._run(f"SELECT * FROM {self.table}"))  # noqa: S608  as above

    def large(self, least: int) -> Iterator[FrequencySet]:
        """Those of so many records or more, in shares by a hash: whole ones, some at a time."""
        tuples, dialect = self.of.tuples, self.of.tuples.dialect
        cells = [f"{queries.RECORDS}.{one}" for one in tuples.dimensions]
        large = f"SELECT {self._keys} FROM {self.table} GROUP BY {self._keys} HAVING sum(n) >= {least}"  # noqa: S608  as above
        on = [(cell, f"g.{one}") for cell, one in zip(cells, tuples.dimensions, strict=True)]
        source = queries.joined(f"{self.table} {queries.RECORDS}", f"({large}) g", on)
        shares = SHARES * -(-self._rows(self.table) // self.of.most)
        share = f"({dialect.number(cells)} % {shares} + {shares}) % {shares}"
        asked = f"SELECT {queries.RECORDS}.*, {share} AS share FROM {source}"  # noqa: S608  as above
        yield from map(self._frequency, by_class(dialect, asked, "share", self.of.most))

    @property
    def refused(self) -> LimitError:
        """What is said where they have to be fetched, and do not fit."""
        rows, most, columns = (
            self._rows(self.table),
            self.of.most,
            len(self.of.marginals) + len(self.of.tuples.sensitive),
        )
        size, room = (shown(one * columns * CELL) for one in (rows, most))
        what = f"{rows:,} classes and values on levels that may be released would take {size} of memory"
        hint = (
            "allow more (--memory-limit, in Python memory_limit=), give hierarchies fewer values on their lower levels,"
            " or take fewer quasi-identifiers"
        )
        return LimitError(f"{what}, and there is room for {room}", where="memory-limit", hint=hint)

    @property
    def _keys(self) -> str:
        return ", ".join(self.of.tuples.dimensions)

    def _rows(self, source: str) -> int:
        return int(self._run(queries.sized(f"(SELECT 1 AS c0 FROM {source})", ()))["n"].item())  # noqa: S608  as above

    def _frequency(self, found: pl.DataFrame) -> FrequencySet:
        return self.of.tuples.frequency(found, self.of.tuples.dimensions)

    def _run(self, query: str) -> pl.DataFrame:
        return self.of.tuples.dialect.run(query)
