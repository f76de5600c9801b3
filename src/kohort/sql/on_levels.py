"""Tuples that stay where the records lie: grouped there on levels of their hierarchies, for a search that judges nodes.

What comes here are how many classes of a node have each size, and the classes themselves where they fit. What goes
there are, of each level, the codes that stand for its nodes, and at last the class of each group that is released.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from kohort.algorithms.lattice.rollup import levels_of
from kohort.core.frequency import group
from kohort.engines.limits import shown
from kohort.errors import LimitError
from kohort.sql import sql
from kohort.sql.relation import CELL, TemporaryTable, by_class

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from kohort.arrays import Counts, Index
    from kohort.core.frequency import FrequencySet
    from kohort.core.lattice import Node
    from kohort.core.recoding import FullDomain
    from kohort.schema.domain import Domain
    from kohort.sql.coded import TuplesElsewhere

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

    tuples: TuplesElsewhere
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
            tuples = sql.added(sql.generalized(self.tuples.source, columns, [*others, *unchanged]))
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
            cells = sql.generalized(self.tuples.source, self.tuples.dimensions, others)
            named = ", ".join(f"{cell} AS {key}" for cell, key in zip(cells.of, keys, strict=True))
            rolled = TemporaryTable(dialect, f"SELECT DISTINCT {sql.RECORDS}.p, {named} FROM {cells.source}")  # noqa: S608  names of ours
        name, tuples = dialect.give(frame), f"{rolled.name} {sql.RECORDS}"
        source = sql.joined(tuples, name, [(f"{sql.RECORDS}.{key}", f"{name}.{key}") for key in keys])
        found = TemporaryTable(dialect, f"SELECT {sql.RECORDS}.p, {name}.class FROM {source}")  # noqa: S608  as above
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
    def spread(self) -> tuple[Counts, Counts]:
        """The sizes that classes have, ascending, and how many classes have each."""
        grouped = self.table
        if self.of.tuples.sensitive:
            grouped = f"(SELECT sum(n) AS n FROM {self.table} GROUP BY {self._keys})"  # noqa: S608  names of ours
        found = self._run(sql.distinct(grouped, [f"{sql.RECORDS}.n"])).cast(pl.Int64).sort("c0")
        return found["c0"].to_numpy(), found["n"].to_numpy()

    def fetched(self) -> FrequencySet | None:
        """All of them; `None` where they do not fit into memory."""
        if self._rows(self.table) > self.of.most:
            return None
        return self._frequency(self._run(f"SELECT * FROM {self.table}"))  # noqa: S608  as above

    def large(self, least: int) -> Iterator[FrequencySet]:
        """Those of so many records or more, in shares by a hash: whole ones, some at a time."""
        tuples, dialect = self.of.tuples, self.of.tuples.dialect
        cells = [f"{sql.RECORDS}.{one}" for one in tuples.dimensions]
        large = f"SELECT {self._keys} FROM {self.table} GROUP BY {self._keys} HAVING sum(n) >= {least}"  # noqa: S608  as above
        on = [(cell, f"g.{one}") for cell, one in zip(cells, tuples.dimensions, strict=True)]
        source = sql.joined(f"{self.table} {sql.RECORDS}", f"({large}) g", on)
        shares = SHARES * -(-self._rows(self.table) // self.of.most)
        share = f"({dialect.number(cells)} % {shares} + {shares}) % {shares}"
        asked = f"SELECT {sql.RECORDS}.*, {share} AS share FROM {source}"  # noqa: S608  as above
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
        return int(self._run(sql.sized(f"(SELECT 1 AS c0 FROM {source})", ()))["n"].item())  # noqa: S608  as above

    def _frequency(self, found: pl.DataFrame) -> FrequencySet:
        return self.of.tuples.frequency(found, self.of.tuples.dimensions)

    def _run(self, query: str) -> pl.DataFrame:
        return self.of.tuples.dialect.run(query)
