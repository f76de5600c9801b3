"""Cohorts counted where the transactions lie, level by level.

The transactions of the sound sets of a level are kept there, a row for each set and transaction. Candidates, made here
as Apriori does, go there as a small table: a base and one more item, as one number. A row that has such an item beyond
its set is a transaction of the candidate. So a level is one join and one aggregation.

Cost of a level: the rows kept, which are the sum of the sound sets' supports, and for each of them the public items of
its transaction that follow; where private items are looked at, those besides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from kohort.sql.relation import TemporaryTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.arrays import Counts, Index, Items
    from kohort.sql.queries import Dialect
    from kohort.transactions._levels import Candidates, Level

#: Candidates counted at once: each time the kept rows are gone through, so many more than in memory.
_ROOM: Final = 1 << 22


class CohortCounter:
    """Counts cohorts in a database.

    Args:
        dialect: The database.
        cells: Gives the cells of some items, by their codes: `t`, and `i`, the place among these.
        public: The codes of the public items.
        private: Those of the private ones.
    """

    def __init__(self, dialect: Dialect, cells: Callable[[Items], str], public: Items, private: Items) -> None:
        """Nothing is counted yet."""
        self._dialect, self._cells = dialect, cells
        self._public, self._private = public, private
        self._known: TemporaryTable | None = None
        self._hidden: TemporaryTable | None = None
        self._given: TemporaryTable | None = None
        self._rows: tuple[int, TemporaryTable] | None = None

    @property
    def room(self) -> int:
        """Candidates to be counted at once."""
        return _ROOM

    def among(self, items: Index) -> CohortCounter:
        """The same over some of the public items."""
        made = CohortCounter(self._dialect, self._cells, self._public[items], self._private)
        made._hidden = self._hidden
        return made

    def singles(self, items: Index, _share: tuple[int, int]) -> Counts:
        """The most transactions that each of these items has in common with a private item."""
        if not items.size:
            return np.zeros(0, np.int64)
        return self._most(f"{self._cells(self._public[items])} b", "b.i", items.size)

    def supports(self, level: Level, found: Candidates) -> Counts:
        """(c,) the transactions that contain each candidate."""
        source = self._joined(level, found.base, found.item)
        query = f"SELECT g.place AS c0, count(*) AS n FROM {source} GROUP BY g.place"  # noqa: S608  names of ours
        return self._numbers(query, found.base.size)

    def tops(
        self, level: Level, found: Candidates, doubtful: Index, _supports: Counts, _share: tuple[int, int]
    ) -> Counts:
        """The most transactions of each doubtful candidate that have one private item."""
        source = self._joined(level, found.base[doubtful], found.item[doubtful])
        return self._most(source, "g.place", doubtful.size)

    def _most(self, source: str, place: str, size: int) -> Counts:
        if self._hidden is None:
            self._hidden = TemporaryTable(self._dialect, f"SELECT * FROM {self._cells(self._private)} c")  # noqa: S608  as above
        joined = f"{source} JOIN {self._hidden.name} y ON y.t = b.t"
        pairs = f"SELECT {place} AS c0, count(*) AS n FROM {joined} GROUP BY {place}, y.i"  # noqa: S608  as above
        return self._numbers(f"SELECT p.c0, max(p.n) AS n FROM ({pairs}) p GROUP BY p.c0", size)  # noqa: S608  as above

    def _numbers(self, query: str, size: int) -> Counts:
        answer = self._dialect.run(query)
        numbers = np.zeros(size, np.int64)
        numbers[answer["c0"].to_numpy()] = answer["n"].to_numpy()
        return numbers

    def _joined(self, level: Level, base: Index, item: Items) -> str:
        """The transactions (`b.t`) of sets of a level that also have an item; `g.place` says which of the pairs."""
        return self._extended(self._sets(level), base, item)

    def _extended(self, sets: str, base: Index, item: Items) -> str:
        """The same of the sets of any rows.

        One number stands for base and item, made of both tables: otherwise a database could join each base with all
        its candidates first.
        """
        width = self._public.size
        pairs = pl.DataFrame({"pair": base * width + item, "place": np.arange(base.size)})
        self._given = TemporaryTable(self._dialect, pairs)
        joined = f"{sets} b JOIN {self._items()} x ON x.t = b.t AND x.i > b.i"
        return f"{joined} JOIN {self._given.name} g ON g.pair = b.s * {width} + x.i"

    def _items(self) -> str:
        if self._known is None:
            self._known = TemporaryTable(self._dialect, f"SELECT * FROM {self._cells(self._public)} c")  # noqa: S608  names of ours
        return self._known.name

    def _sets(self, level: Level) -> str:
        """The sets of a level (`s`) of each transaction (`t`), and their last items (`i`)."""
        if level.size == 1:
            return f"(SELECT t, i AS s, i FROM {self._items()})"  # noqa: S608  names of ours
        if self._rows is None or self._rows[0] != level.size:
            below = f"(SELECT t, i AS s, i FROM {self._items()})" if self._rows is None else self._rows[1].name  # noqa: S608  as above
            joined = self._extended(below, level.parts[:, -1], level.items[:, -1])
            query = f"SELECT b.t, g.place AS s, x.i FROM {joined}"  # noqa: S608  as above
            self._rows = level.size, TemporaryTable(self._dialect, query)
        return self._rows[1].name
