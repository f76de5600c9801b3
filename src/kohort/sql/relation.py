"""Records that lie in a database, as everything outside its engine knows them: names, numbers of records, texts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count
from math import prod
from typing import TYPE_CHECKING, Final
from weakref import finalize

import numpy as np
import polars as pl

from kohort.engines.limits import shown
from kohort.errors import InputError, LimitError, UnsupportedError
from kohort.errors.display import Summary
from kohort.io.cells import as_text, encode, kept_type
from kohort.sql import queries
from kohort.system.workspace import tallied
from kohort.tables.dataset import Values
from kohort.tables.table import Column, Table, all_of, narrow
from kohort.verify.aggregates import Tuples

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from kohort.arrays import Counts
    from kohort.errors.display import Rows
    from kohort.sql.queries import Dialect
    from kohort.tables.notation import Notation
    from kohort.verify.aggregates import Hashed

#: Bytes that a text of a tuple takes here, at most: its place in Arrow, and while it is coded.
CELL: Final = 48

#: Columns whose values are asked for together.
_TOGETHER: Final = 16

#: Numbers for the names of small tables: no two of a process are the same.
_NUMBERS: Final = count()


@dataclass(frozen=True, slots=True)
class Kind:
    """The type of a column.

    Attributes:
        here: The one that the local engine would read: cells become text by it.
        there: The one that the database answers with.
        notation: How its numbers, which are plain here, are written there; `None` where they are plain there.
    """

    here: pl.DataType
    there: pl.DataType
    notation: Notation | None = None

    @property
    def is_text(self) -> bool:
        """Whether its cells are texts where they lie."""
        return self.there == pl.String

    @property
    def is_plain(self) -> bool:
        """Whether these are the texts that kohort computes with; those of other columns stand in a dictionary."""
        return self.is_text and self.notation is None


def no_op() -> None:
    """Let go of nothing."""


@dataclass(slots=True, eq=False, repr=False, weakref_slot=True)
class Relation(Summary):
    """Records in a database: a `Dataset`, and what the verifier asks.

    Attributes:
        dialect: The database.
        source: What stands for the records after FROM.
        kinds: The columns, in order.
        records: How many records there are.
        where: What the source is called in messages.
        limit: Bytes of memory that an answer may take; `None` for any.
        release_cache: Gives back what the database keeps of the records to answer sooner; it can still be asked.
        sums: What the database must find as sums over all records, in the order of columns, as kohort's own scanner
            did: the first statement that groups the records shows it, too.
        notes: What kohort's own scanner noticed that nobody should have to find out alone.
        apart: A character that no cell has, where one is known; then all cells are texts and none is null. Several are
            counted as one text with it between them, which is quicker.
        faults: The columns that cannot be read, which hold nothing here, and why.
    """

    dialect: Dialect
    source: str
    kinds: Mapping[str, Kind]
    records: int
    where: str
    limit: int | None = None
    release_cache: Callable[[], object] = no_op
    sums: Sequence[tuple[str, int]] = ()
    notes: tuple[str, ...] = ()
    apart: str = ""
    faults: Mapping[str, InputError] = field(default_factory=dict[str, InputError])
    _dictionaries: dict[str, str] = field(default_factory=dict[str, str], init=False)
    _values: dict[str, Values] = field(default_factory=dict[str, Values], init=False)
    _sizes: dict[str, int] = field(default_factory=dict[str, int], init=False)
    _estimates: dict[queries.Cells, int] = field(default_factory=dict[queries.Cells, int], init=False)
    _table: Table | None = field(default=None, init=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The column names, in order."""
        return tuple(self.kinds)

    def _shown(self) -> tuple[str, Rows]:
        return "Relation", [("Records", f"{self.records:,}"), ("Columns", ", ".join(self.names))]

    def distinct(self, name: str) -> Values:
        """The distinct values of a column, and the records with each."""
        if name not in self._values:
            self.refuse_large(self._alone(name))
            self._ask([name])
        return self._values[name]

    def values(self, name: str) -> Column:
        """The distinct values of a column, each once."""
        texts, kind = self.distinct(name).texts, self.kinds[name]
        codes = narrow(np.arange(len(texts)), len(texts))
        return Column(name, texts, codes, kept_type(kind.here), notation=kind.notation)

    def needing(self, names: Collection[str]) -> Relation:
        """The same, once these columns are known to be readable.

        Raises:
            InputError: some of them cannot be read; all of these are named.
        """
        if faults := [fault for name, fault in self.faults.items() if name in names]:
            raise all_of(faults)
        return self

    def look(self, names: Sequence[str]) -> None:
        """Ask for the distinct values of several columns in few passes, before `distinct` asks for each by itself.

        Those that may be too many for memory are left out.
        """
        by_type: dict[pl.DataType, list[str]] = {}
        for name in names:
            if name not in self._values:
                by_type.setdefault(self.kinds[name].there, []).append(name)
        if self.limit is not None:
            self._estimate([self._alone(name) for alike in by_type.values() for name in alike])
        for alike in by_type.values():
            some = [name for name in alike if len(alike) > 1 and self._fits(name, min(len(alike), _TOGETHER))]
            for first in range(0, len(some), _TOGETHER):
                self._ask(some[first : first + _TOGETHER])

    def _fits(self, name: str, columns: int) -> bool:
        if self.limit is None:
            return True
        return self._estimated(self._alone(name)) * CELL * columns <= self.limit

    def _alone(self, name: str) -> queries.Cells:
        return queries.Cells((self._raw(name),), self._from(()))

    def _ask(self, names: Sequence[str]) -> None:
        raw = [self._raw(name) for name in names]
        answer = self._grouped(
            lambda numbers: queries.distinct(self.source, raw, numbers, sets=self.dialect.grouping_sets), len(names)
        )
        for place, name in enumerate(names):
            found = answer.filter(pl.col("place") == place) if len(names) > 1 else answer
            self._take(name, found["c0"], found["n"].cast(pl.Int64))

    def _take(self, name: str, values: pl.Series, counts: pl.Series) -> None:
        """Keep what was answered of a column: its texts, and where they are made here, the text of each value."""
        texts = self._texts(name, values)
        made = pl.DataFrame({"text": texts, "n": counts}).group_by("text").sum()
        if not self.kinds[name].is_plain and name not in self._dictionaries:
            self._dictionaries[name] = self.dialect.give(pl.DataFrame({"value": values, "text": texts}))
        self._values[name] = Values(made["text"], made["n"].to_numpy())

    def note(self, notations: Mapping[str, Notation]) -> None:
        """From now on read the numbers of some columns of text, whose values were asked for, by their notations."""
        self.kinds = {name: replace(kind, notation=notations.get(name)) for name, kind in self.kinds.items()}
        for name in notations:
            found = self._values[name]
            self._take(name, found.texts, pl.Series(found.counts))

    @property
    def notations(self) -> dict[str, Notation]:
        """How numbers are written where the records lie, by column, where they are not plain."""
        return {name: kind.notation for name, kind in self.kinds.items() if kind.notation is not None}

    def _grouped(self, statement: Callable[[Sequence[str]], str], times: int = 1) -> pl.DataFrame:
        """The answer to a statement that groups all records; the first shows that they are those they have to be."""
        sums, self.sums = self.sums, ()
        found = self.dialect.run(statement([number for number, _ in sums]))
        if not sums:
            return found
        records = int(found["n"].sum()) // times
        if records != self.records:
            raise other_records(self, records, due=self.records)
        for place, (name, (_, due)) in enumerate(zip(self.names, sums, strict=True)):
            if int(found[f"s{place}"].sum()) != due * times:
                what = f"{self.dialect.title} splits this text into other cells than kohort's own reader"
                hint = "run without the engine, or give it the table as Parquet"
                raise InputError(what, where=f"{self.where}, column {name!r}", hint=hint)
        return found

    def settle(self) -> None:
        """Show that the records are those they have to be, if no statement has yet."""
        if self.sums:
            self._grouped(lambda numbers: queries.summed(self.source, numbers))

    def tuples(self, columns: Sequence[str], hashed: Hashed | None = None) -> Tuples:
        """The distinct tuples of some columns, with their records and a sum of hashes of others."""
        cells, number = self.hashed(columns, hashed)
        self.refuse_large(cells)
        one = self.as_one(cells)
        found = self._grouped(lambda numbers: queries.tuples(one, number, numbers))
        return self.tuples_of(columns, self._divided(found, len(columns)))

    def hashed(self, columns: Sequence[str], hashed: Hashed | None) -> tuple[queries.Cells, str]:
        """The cells of some columns, and the hash of others of the same record; empty where there are none."""
        others = () if hashed is None else hashed.columns
        every = self.cells([*columns, *others])
        number = "" if hashed is None else self._hashed(every.of[len(columns) :], hashed)
        return queries.Cells(every.of[: len(columns)], every.source), number

    def flagged(
        self, columns: Sequence[str], flagged: Sequence[str], missing: Collection[str]
    ) -> tuple[Table, Counts, pl.Series]:
        """The distinct tuples of some columns, and of others whether they have a value: then the text is not empty.

        With (t,) the records of each, and (t,) a hash of each, by which the database finds its records; two of them may
        have the same.
        """
        cells = self.flags(columns, flagged, missing)
        self.refuse_large(cells)
        one = self.as_one(cells)
        number = self.dialect.number([f"g.c{place}" for place in range(len(one.of))])
        grouped = self._grouped(lambda numbers: queries.hashed(queries.tuples(one, numbers=numbers), number))
        found = self._divided(grouped, len(cells.of))
        table, records = self.table_of([*columns, *flagged], found), found["n"].cast(pl.Int64).to_numpy()
        for name in columns:  # so that nobody has to ask for them again
            column = table[name]
            counts = tallied(column.codes, len(column.values), records)
            self._values.setdefault(name, Values(column.values, counts))
        return table, records, found["p"]

    def as_one(self, cells: queries.Cells) -> queries.Cells:
        """Cells of records as they are counted: as one text, where a character is known that none of them has."""
        if not self.apart:
            return cells
        text = f"concat_ws({self.dialect.literal(self.apart)}, {', '.join(cells.of)})"
        return queries.Cells((text,), cells.source)

    def _divided(self, found: pl.DataFrame, columns: int) -> pl.DataFrame:
        if not self.apart:
            return found
        names = [f"c{place}" for place in range(columns)]
        cells = found["c0"].str.split_exact(self.apart, columns - 1).struct.rename_fields(names)
        return found.drop("c0").hstack(cells.struct.unnest())

    def weigh(
        self, columns: Sequence[str], flagged: Sequence[str], missing: Collection[str], others: Sequence[str], most: int
    ) -> None:
        """Ask in one pass how many tuples there are of some columns, and values of each, where all of them are texts.

        And values of others; in another pass for all these values, where there are more than so many tuples. It makes
        `different`, `look` and `distinct` quicker.
        """
        every = [*dict.fromkeys([*columns, *flagged, *others])]
        if all(self.kinds[name].is_plain for name in every):
            self._estimate([self.flags(columns, flagged, missing), *map(self._alone, every)])
            if self.different(columns, flagged, missing) > most:
                self.look(every)

    def different(self, columns: Sequence[str], flagged: Sequence[str], missing: Collection[str]) -> int:
        """About how many tuples there are of these."""
        return self._estimated(self.flags(columns, flagged, missing))

    def flags(self, columns: Sequence[str], flagged: Sequence[str], missing: Collection[str]) -> queries.Cells:
        """The cells of these."""
        every = self.cells([*columns, *flagged])
        lacking = [self._absent(cell, missing) for cell in every.of[len(columns) :]]
        made = (f"CASE WHEN {one} THEN '' ELSE '1' END" for one in lacking)
        return queries.Cells((*every.of[: len(columns)], *made), every.source)

    def tuples_of(self, columns: Sequence[str], found: pl.DataFrame) -> Tuples:
        """An answer's tuples of some columns, with their records and maybe hashes."""
        counts: Counts = found["n"].cast(pl.Int64).to_numpy()
        sums = np.zeros(counts.size, np.uint64)
        if "h" in found.columns:
            whole = found["h"].cast(pl.Decimal(38, 0)).to_physical()
            sums = (whole % pl.Series([1 << 64], dtype=pl.Int128)).cast(pl.UInt64).to_numpy()
        return Tuples(self.table_of(columns, found), counts, sums)

    def alone(self, names: Sequence[str], *others: str) -> int:
        """How many records have a tuple of these columns, and other cells, that no other record has."""
        self.settle()
        cells = self.cells(names)
        return int(self.dialect.run(queries.alone(cells._replace(of=(*others, *cells.of))))["n"].item())

    def some(self, cells: queries.Cells, most: int) -> pl.DataFrame:
        """The distinct tuples of some cells, and how many records have each; of more than so many, about so many.

        These are chosen by a hash, so that all records of one tuple are, or none.
        """
        self.settle()
        share = -(-self._estimated(cells) // most)
        if share > 1:
            cells = cells._replace(source=f"{cells.source} WHERE {self.dialect.number(cells.of)} % {share} = 0")
        return self.dialect.run(queries.tuples(cells))

    def with_values(self, names: Sequence[str], missing: Collection[str]) -> Relation:
        """The records that have a value in all of these columns."""
        cells = self.cells(names)
        kept = " AND ".join(f"NOT {self._absent(cell, missing)}" for cell in cells.of)
        source = f"(SELECT {queries.RECORDS}.* FROM {cells.source} WHERE {kept})"  # noqa: S608  quoted by the dialect
        records = int(self.dialect.run(queries.sized(source, ()))["n"].item())
        return self.over(source, self.kinds, records)

    def over(self, source: str, kinds: Mapping[str, Kind], records: int) -> Relation:
        """Records made of these, with no other values in columns of the same names."""
        self.settle()
        apart = self.apart if kinds is self.kinds else ""
        made = Relation(self.dialect, source, kinds, records, self.where, self.limit, apart=apart)
        made._dictionaries.update({name: given for name, given in self._dictionaries.items() if name in kinds})
        made._sizes.update(self._sizes | {name: len(values.texts) for name, values in self._values.items()})
        return made

    def most_different(self, names: Sequence[str]) -> int:
        """How many different tuples of some columns there are at the most, by the values that were asked for before."""
        return min(prod(self._sizes.get(name, self.records) for name in names), self.records)

    def hold(self) -> Table:
        """All records of a small table; from now on they can be collected."""
        if self._table is None:
            self.settle()
            cells = self.cells(self.names)
            named = ", ".join(f"{cell} AS c{place}" for place, cell in enumerate(cells.of))
            found = self.dialect.run(f"SELECT {named} FROM {cells.source}")  # noqa: S608  as above
            self._table = self.table_of(self.names, found)
        return self._table

    def table_of(self, names: Sequence[str], found: pl.DataFrame) -> Table:
        """An answer's texts of some columns as a table."""
        texts = (found[f"c{place}"].cast(pl.String) for place in range(len(names)))
        kinds = (self.kinds[name] for name in names)
        columns = (
            replace(encode(name, text, kind.here), notation=kind.notation)
            for name, text, kind in zip(names, texts, kinds, strict=True)
        )
        return Table(tuple(columns), found.height)

    def collect(self) -> Table:
        """The records of a table that is held; others stay where they are."""
        if self._table is not None:
            return self._table
        raise UnsupportedError(
            f"this needs the records themselves, which stay in {self.dialect.title}",
            where=self.where,
            hint="leave this out, or run without --engine (in Python engine=)",
        )

    # ── cells ────────────────────────────────────────────────────────────────────────────────────

    def cells(self, names: Sequence[str]) -> queries.Cells:
        """The text of each cell of some columns, with plain numbers."""
        of = tuple(self._raw(name) if self.kinds[name].is_plain else f"{self._dictionary(name)}.text" for name in names)
        return queries.Cells(of, self._from([name for name in names if not self.kinds[name].is_plain]))

    def written(self, name: str) -> str:
        """The cell of a column among `cells` as it is written where it lies."""
        return self._raw(name) if self.kinds[name].is_text else f"{self._dictionary(name)}.text"

    def _raw(self, name: str) -> str:
        return f"{queries.RECORDS}.{self.dialect.quoted(name)}"

    def _from(self, typed: Sequence[str]) -> str:
        source = f"{self.source} {queries.RECORDS}"
        for name in dict.fromkeys(typed):
            given = self._dictionary(name)
            source = queries.joined(source, given, [(self._raw(name), f"{given}.value")])
        return source

    def _dictionary(self, name: str) -> str:
        if name not in self._dictionaries:
            self.distinct(name)
        return self._dictionaries[name]

    def _texts(self, name: str, values: pl.Series) -> pl.Series:
        kind = self.kinds[name]
        zone = getattr(kind.here, "time_zone", None)
        if zone is not None:
            values = values.dt.convert_time_zone(zone)
        texts = as_text(values if kind.here == values.dtype or zone is not None else values.cast(kind.here))
        if texts.str.contains("\0", literal=True).any():
            hint = "remove the character: most programs end a text there"
            raise InputError("cells hold a NUL character", where=f"{self.where}, column {name!r}", hint=hint)
        return texts if kind.notation is None else kind.notation.read(texts)

    def _absent(self, cell: str, missing: Collection[str]) -> str:
        tokens = ", ".join(self.dialect.literal(token) for token in sorted({"", *missing}))
        return f"coalesce({cell}, '') IN ({tokens})"

    def _hashed(self, cells: Sequence[str], hashed: Hashed) -> str:
        full = cells if hashed.nulls else [f"coalesce({cell}, '')" for cell in cells]
        return self.dialect.hashed(" || ".join([self.dialect.literal(hashed.key), *map(queries.told, full)]))

    def _estimated(self, cells: queries.Cells) -> int:
        self._estimate([cells])
        return self._estimates[cells]

    def _estimate(self, several: Sequence[queries.Cells]) -> None:
        """Ask for those that are not known yet, all of one source, by one statement."""
        unknown = [cells for cells in several if cells not in self._estimates]
        if unknown:
            asked = queries.estimated(unknown[0].source, [self.dialect.different(cells.of) for cells in unknown])
            self._estimates |= zip(unknown, map(int, self.dialect.run(asked).row(0)), strict=True)

    def refuse_large(self, cells: queries.Cells) -> None:
        """Refuse tuples that would not fit into memory, by an estimate of their number."""
        if self.limit is None:
            return
        tuples = self._estimated(cells)
        size = tuples * len(cells.of) * CELL
        if size > self.limit:
            what = f"some {tuples:,} different tuples would take {shown(size)} of memory"
            hint = "drop columns, take fewer quasi-identifiers, or allow more (--memory-limit, in Python memory_limit=)"
            raise LimitError(f"{what}, and the limit is {shown(self.limit)}", where="memory-limit", hint=hint)


def other_records(read: Relation, records: int, *, due: int) -> InputError:
    """The error where a database reads another number of records than there must be."""
    what = f"{read.dialect.title} reads {records:,} records, but kohort's own reader {due:,}"
    return InputError(what, where=read.where, hint="run without the engine")


def unused() -> str:
    """A name for a small table that no other has."""
    return f"kohort_{next(_NUMBERS)}"


class TemporaryTable:
    """A table that stays where the records lie as long as this does, or until it is forgotten."""

    def __init__(self, dialect: Dialect, of: str | pl.DataFrame, *, near: str = "", once: bool = False) -> None:
        """Keep it.

        Args:
            dialect: Where.
            of: A query whose answer it is, or its rows.
            near: Rows with the same number in this column lie near one another.
            once: Whether one other query asks for the answer.
        """
        self.name = dialect.once(of) if once and isinstance(of, str) else dialect.keep(of, near)
        self.forget = finalize(self, dialect.forget, self.name)


def by_class(dialect: Dialect, query: str, class_: str, most: int) -> Iterator[pl.DataFrame]:
    """The rows of an answer, those of whole classes at a time, class after class: `most` of them, or one class.

    First come those without a class, if there are any; these may be in several pieces.
    """
    found = TemporaryTable(dialect, query, once=True)
    table = TemporaryTable(dialect, f"SELECT * FROM {found.name}", near=class_)  # noqa: S608  names of ours
    found.forget()
    yield from dialect.stream(f"SELECT * FROM {table.name} WHERE {class_} IS NULL")  # noqa: S608  as above
    classed = f"(SELECT {class_} FROM {table.name} WHERE {class_} IS NOT NULL)"  # noqa: S608  as above
    sizes = dialect.run(queries.distinct(classed, [class_])).cast(pl.Int64).sort("c0")
    numbers, upto, first = sizes["c0"].to_numpy(), np.cumsum(sizes["n"].to_numpy()), 0
    while first < upto.size:
        before = int(upto[first - 1]) if first else 0
        last = max(int(np.searchsorted(upto, before + most, side="right")), first + 1)
        inside = f"{class_} BETWEEN {numbers[first]} AND {numbers[last - 1]}"
        yield dialect.run(f"SELECT * FROM {table.name} WHERE {inside}")  # noqa: S608  as above
        first = last
    table.forget()
