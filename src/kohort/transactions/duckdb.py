"""Transactions that lie in DuckDB: a record for each item of each, counted, ordered and written where they lie.

A search for moles asks for supports, level by level (`duckdb_levels`), and a release for the transactions less the
suppressed items, in the order of their content. Of neither does a transaction come here before it is released, and then
it is written some at a time by the local writer: so the file is the local one, byte for byte.

The database is DuckDB, which puts to disk what its memory does not hold. It pays where the memory of this process
ends, and nowhere else: kernels over arrays count several times faster.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from kohort import system
from kohort.engines.limits import shown
from kohort.errors import InputError, UnsupportedError
from kohort.errors.display import Summary, many
from kohort.io.options import ReadOptions
from kohort.sql import queries
from kohort.sql.relation import TemporaryTable
from kohort.tables.people import respelled
from kohort.tables.texts import UNEVEN_NUMBER, even_keys
from kohort.transactions.cells import LocalSuppression
from kohort.transactions.database import Transactions, in_item_order
from kohort.transactions.duckdb_levels import CohortCounter
from kohort.transactions.io import IN_PIECES
from kohort.transactions.io.cells import check_items
from kohort.transactions.io.options import BasketOptions, Form
from kohort.transactions.io.typed import COUNTED, empty, long_columns
from kohort.transactions.io.write import UNIT
from kohort.transactions.problem import ItemSuppression
from kohort.transactions.roles import Draw, Drawn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.arrays import Counts, Index, Items, Mask
    from kohort.errors.display import Rows
    from kohort.sql.duckdb import DuckDB
    from kohort.sql.queries import Dialect
    from kohort.sql.relation import Relation
    from kohort.transactions._engines import Counting
    from kohort.transactions.problem import Suppression
    from kohort.transactions.release import TransactionJob

#: Bytes that a cell of the long form takes at most where it is read into memory, searched and verified; measured by
#: `python -m bench.transactions elsewhere`.
EACH_CELL: Final = 48

#: What stands for an item where a record names none.
_NONE: Final = -1

#: Of keys: those that capitals and zeros alone make uneven, and among them whole numbers.
_PLAIN: Final = "^[!-~]+( [!-~]+)*$"
_WHOLE: Final = r"^[0-9]+(\.0*)?$"
_ZEROS: Final = r"^0[0-9]+(\.0*)?$"

#: What helps where transactions have to be in memory.
_LOCALLY: Final = "leave out the engine (--engine, in Python engine=): transactions are then read into memory"


def _cells(relation: Relation, key: str, item: str, items: Sequence[str], *, every: bool = False) -> str:
    """Each transaction (`t`), by its key, and the places of those of its items that are named (`i`), none twice."""
    given = relation.dialect.give(_numbered(items))
    asked = relation.cells([item])
    join, place = ("LEFT JOIN", f"coalesce({given}.place, {_NONE})") if every else ("JOIN", f"{given}.place")
    source = f"{asked.source} {join} {given} ON {asked.of[0]} = {given}.text"
    return f"SELECT DISTINCT {key} AS t, {place} AS i FROM {source}"  # noqa: S608  quoted by the dialect


def _numbered(items: Sequence[str]) -> pl.DataFrame:
    numbers = np.arange(len(items), dtype=np.int32)
    return pl.DataFrame({"text": pl.Series(items, dtype=pl.String), "place": numbers})


@dataclass(frozen=True, eq=False, repr=False)  # no slots: what is counted once is kept
class Baskets(Summary):
    """A transaction database elsewhere; see `kohort.transactions.database.Database`.

    Attributes:
        names: (m,) the items' names, in item order.
        supports: (m,) the transactions that contain each.
        codes: (m,) what each is called in `cells`.
        transactions: How many there are.
        repeated: Records that name an item which their transaction already had.
        cells: Each transaction and each of its items, none twice.
        relation: The records.
        dialect: The database that has them.
        key: What tells their transactions apart.
        item: The column of their items.
    """

    names: tuple[str, ...]
    supports: Counts
    codes: Items
    transactions: int
    repeated: int
    cells: TemporaryTable = field(repr=False)
    relation: Relation = field(repr=False)
    dialect: DuckDB = field(repr=False)
    key: str = field(repr=False)
    item: str = field(repr=False)

    def _shown(self) -> tuple[str, Rows]:
        counts = (("Transactions", len(self)), ("Items", len(self.names)), ("Cells", self.size))
        return "Baskets", [(name, f"{count:,}") for name, count in counts]

    def __len__(self) -> int:
        """The number of transactions."""
        return self.transactions

    @property
    def title(self) -> str:
        """The database and its version."""
        return self.dialect.title

    @property
    def size(self) -> int:
        """The number of cells."""
        return int(self.supports.sum())

    @cached_property
    def _lengths(self) -> tuple[int, int]:
        """The transactions of some items, and the most items of one."""
        each = f"SELECT count(*) AS n FROM {self.of(self.codes)} x GROUP BY x.t"  # noqa: S608  names of ours
        found = self.dialect.run(f"SELECT count(*) AS c, max(y.n) AS m FROM ({each}) y")  # noqa: S608  as above
        return int(found["c"].item()), int(found["m"].item() or 0)

    @property
    def empty(self) -> int:
        """The transactions of no items."""
        return len(self) - self._lengths[0]

    @property
    def longest(self) -> int:
        """The most items of a transaction."""
        return self._lengths[1]

    def only(self, items: Mask) -> Baskets:
        """The same transactions over fewer items."""
        names = tuple(name for name, stays in zip(self.names, items.tolist(), strict=True) if stays)
        return replace(self, names=names, supports=self.supports[items], codes=self.codes[items])

    def renamed(self, names: tuple[str, ...]) -> Baskets:
        """The same transactions, whose items have these names (m,)."""
        return replace(self, names=names)

    def of(self, codes: Items) -> str:
        """The cells of some items, each by its place among these: `t` and `i`."""
        given = self.dialect.give(pl.DataFrame({"code": codes, "place": np.arange(codes.size)}))
        source = f"{self.cells.name} c JOIN {given} g ON g.code = c.i"
        return f"(SELECT c.t, g.place AS i FROM {source})"  # noqa: S608  names of ours

    def counting(self, public: Index, private: Index) -> Counting:
        """What counts cohorts, by aggregation."""
        return CohortCounter(self.dialect, self.of, self.codes[public], self.codes[private])

    def recode(self, suppression: Suppression) -> tuple[Baskets, Index, Items]:
        """The transactions less the suppressed items, as a query that nobody has run yet; no lineage; the items."""
        assert isinstance(suppression, ItemSuppression)  # noqa: S101  others were refused before there was a search
        stays = np.ones(len(self.names), np.bool_)
        stays[suppression.items] = False
        return self.only(stays), np.empty(0, np.int64), suppression.items

    # ── the release ──────────────────────────────────────────────────────────────────────────────

    def pieces(self) -> Iterator[Transactions]:
        """The transactions in the order of their own content, some at a time."""
        digits = len(str(len(self.names)))
        numbers = [str(place).zfill(digits) for place in range(len(self.names))]
        schema = {"code": pl.Int32(), "text": pl.String()}
        given = self.dialect.give(pl.DataFrame({"code": self.codes, "text": numbers}, schema))
        made = f"coalesce({self.dialect.listed('g.text', ' ', 'c.i')}, '') AS line"
        cells, shares = self._in_shares(self.cells)
        source = f"{cells.name} c LEFT JOIN {given} g ON g.code = c.i"
        asked = (f"SELECT {made} FROM {source} WHERE {share} GROUP BY c.t" for share in shares)  # noqa: S608  names of ours
        each = [TemporaryTable(self.dialect, query) for query in asked]
        whole = " UNION ALL ".join(f"SELECT * FROM {one.name}" for one in each)  # noqa: S608  as above
        kept = TemporaryTable(self.dialect, whole) if each[1:] else each[0]
        del cells, each  # many tables hold on to memory that sorting needs
        for test in self._ranges(f"{kept.name} y", f"substr(y.line, 1, {digits})", len(shares)):
            lines_of = f"SELECT y.line FROM {kept.name} y WHERE {test} ORDER BY y.line"  # noqa: S608  as above
            for some in self.dialect.stream(lines_of):
                yield self._read(some["line"])

    def _in_shares(self, cells: TemporaryTable) -> tuple[TemporaryTable, Sequence[str]]:
        """The cells, and conditions that divide their transactions into shares whose texts can be listed together."""
        number, many = self.dialect.share("c.t", self.size)
        if many == 1:
            return cells, ["1 = 1"]
        together = f"SELECT c.t, c.i, {number} AS s FROM {cells.name} c ORDER BY s"  # noqa: S608  names of ours
        return TemporaryTable(self.dialect, together), [f"c.s = {share}" for share in range(many)]

    def _ranges(self, lines: str, first: str, shares: int) -> Iterator[str]:
        """Conditions that divide lines, in their order, into at most so many shares about alike, by their first place.

        DuckDB puts to disk what it sorts, but not long texts.
        """
        if shares == 1:
            yield "1 = 1"
            return
        asked = f"SELECT {first} AS f, count(*) AS n FROM {lines} GROUP BY {first}"  # noqa: S608  names of ours
        counts = self.dialect.run(asked).sort("f")
        share = (counts["n"].cum_sum() - 1) * shares // counts["n"].sum()
        for (_,), some in counts.group_by(share, maintain_order=True):
            low, high = (self.dialect.literal(some["f"][end]) for end in (0, -1))
            yield f"{first} BETWEEN {low} AND {high}"

    def _read(self, lines: pl.Series) -> Transactions:
        """Transactions whose items' places stand in a line each."""
        sizes = lines.str.count_matches(" ", literal=True).to_numpy() + (lines != "").to_numpy()
        cells = lines.filter(lines != "").str.split(" ").explode().str.to_integer().to_numpy().astype(np.int32)
        return Transactions(self.names, np.append(0, sizes.cumsum(dtype=np.int64)), cells)

    # ── what verification asks: of the records, again ────────────────────────────────────────────

    def _named(self, items: Sequence[str], *, every: bool = False) -> str:
        return _cells(self.relation, self.key, self.item, items, every=every)

    def hashes(self, items: Sequence[str], key: str) -> tuple[int, int]:
        """The transactions, and the sum of hashes of what they have of these items."""
        dialect = self.dialect
        given = dialect.give(_numbered(items))
        listed = dialect.listed("g.text", UNIT, "c.i")
        number = dialect.hashed(f"{dialect.literal(key)} || coalesce({listed}, '')")
        cells, shares = self._in_shares(TemporaryTable(dialect, self._named(items, every=True)))
        source = f"{cells.name} c LEFT JOIN {given} g ON g.place = c.i"
        transactions = total = 0
        for share in shares:
            each = f"SELECT {number} AS h FROM {source} WHERE {share} GROUP BY c.t"  # noqa: S608  names of ours
            found = dialect.run(f"SELECT count(*) AS n, coalesce(sum(y.h), 0) AS h FROM ({each}) y")  # noqa: S608  as above
            transactions += int(found["n"].item())
            total += int(found["h"].cast(pl.Decimal(38, 0)).to_physical().item())
        return transactions, total % (1 << 64)

    def sets(self, public: Sequence[str], private: Sequence[str], most: int) -> Iterator[tuple[Counts, Counts, Counts]]:
        """All sets of public items that occur, by how many these are: from 1 up to `most`."""
        known = TemporaryTable(self.dialect, self._named(public))
        source = f"{self.relation.source} {queries.RECORDS}"
        everyone = f"SELECT DISTINCT {self.key} AS t, {_NONE} AS i FROM {source}"  # noqa: S608  as above
        hidden = TemporaryTable(self.dialect, f"{self._named(private)} UNION ALL {everyone}")
        for size in range(1, most + 1):
            yield self._sets(known.name, hidden.name, size)

    def _sets(self, known: str, hidden: str, size: int) -> tuple[Counts, Counts, Counts]:
        """The sets of so many items.

        Beside its private items every transaction has one that is none: with it a set is in as many as it is at all.
        """
        joins = "".join(f" JOIN {known} x{at} ON x{at}.t = x0.t AND x{at}.i > x{at - 1}.i" for at in range(1, size))
        set_ = ", ".join(f"x{at}.i AS i{at}" for at in range(size))
        by = ", ".join(f"x{at}.i" for at in range(size))
        source = f"{known} x0{joins} JOIN {hidden} y ON y.t = x0.t"
        pairs = f"SELECT {set_}, y.i AS e, count(*) AS n FROM {source} GROUP BY {by}, y.i"  # noqa: S608  names of ours
        whole, most = (f"max(CASE WHEN p.e {sign} {_NONE} THEN p.n ELSE 0 END)" for sign in ("=", ">"))
        by = ", ".join(f"p.i{at}" for at in range(size))
        each = f"SELECT {whole} AS n, {most} AS m FROM ({pairs}) p GROUP BY {by}"  # noqa: S608  as above
        asked = f"SELECT s.n, max(s.m) AS m, count(*) AS w FROM ({each}) s GROUP BY s.n"  # noqa: S608  as above
        found = self.dialect.run(asked)
        supports, tops, sets = (found[name].cast(pl.Int64).to_numpy() for name in ("n", "m", "w"))
        return supports, tops, sets


def duckdb_of(base: Dialect) -> DuckDB:
    """The database that counts transactions; another one is refused."""
    from kohort.sql.duckdb import DuckDB  # noqa: PLC0415  only where it is asked for

    if isinstance(base, DuckDB):
        return base
    hint = f"write the records as Parquet, and name the engine duckdb, or {_LOCALLY}"
    raise UnsupportedError(f"transactions are not counted in {base.title}", where="engine", hint=hint)


def refuse_unsupported(job: TransactionJob) -> None:
    """Refuse what needs the transactions themselves."""
    if isinstance(job.algorithm, LocalSuppression):
        what, hint = "to suppress single cells", "suppress whole items"
    elif isinstance(job.roles, Drawn) and job.roles.draw is Draw.PAPER:
        what, hint = "to draw roles by the paper's rule", "draw among all items or the feasible ones, list the roles"
    else:
        return
    where = "suppress" if isinstance(job.algorithm, LocalSuppression) else "draw"
    raise UnsupportedError(f"{what}, the transactions must be in memory", where=where, hint=f"{hint}, or {_LOCALLY}")


def refuse_form(form: Form | None) -> None:
    """Refuse a form of release that is not written some transactions at a time; `None` is a release in memory."""
    if form not in IN_PIECES:
        what = "are not kept in memory" if form is None else f"are not written in the form {form}"
        hint = f"name an output in the form basket or long (--out-format), or {_LOCALLY}"
        raise UnsupportedError(f"transactions in an engine {what}", where="format", hint=hint)


def baskets_of(
    base: DuckDB, source: object, options: BasketOptions, limit: int | None, *, even_small: bool = False
) -> Baskets:
    """The transactions in records of the long form, once nothing is in them that the local reader refuses.

    Args:
        base: The database.
        source: The records.
        options: Their columns.
        limit: Bytes of memory that this process may use; `None` for all that the machine has.
        even_small: Whether to count elsewhere what would be counted faster here.

    Raises:
        UnsupportedError: they have another form, or fit into memory.
        UsageError: which columns matter is not clear.
        InputError: a record says no transaction, or an item's name is not fit for one.
        InfeasibleError: there are none.
        LimitError: the items' names do not fit into memory.
    """
    if options.form is not Form.LONG:
        what = f"transactions of the form {options.form} are read into memory"
        hint = f"give the long form, a record for each item (--format long), or {_LOCALLY}"
        raise UnsupportedError(what, where="format", hint=hint)
    relation = base.relation(source, ReadOptions(separator=options.separator, encoding=options.encoding), limit)
    if not even_small:
        refuse_small(relation.records, limit)
    key, item = long_columns(relation.names, relation.where, options)
    cell = f"{queries.RECORDS}.{base.quoted(key)}"
    _check_key(relation, key, cell)
    values = relation.distinct(item)
    nameless = empty(values.texts)
    named = check_items(values.texts.filter(pl.Series(~nameless)).to_list(), f"{relation.where}, column {item!r}")
    names = in_item_order(named)
    cells = TemporaryTable(base, _cells(relation, cell, item, names, every=True))
    n = int(base.run(f"SELECT count(DISTINCT t) AS n FROM {cells.name}")["n"].item())  # noqa: S608  a name of ours
    counts = base.run(f"SELECT i, count(*) AS n FROM {cells.name} WHERE i > {_NONE} GROUP BY i")  # noqa: S608  as above
    supports = np.zeros(len(names), np.int64)
    supports[counts["i"].to_numpy()] = counts["n"].to_numpy()
    repeated = int(values.counts[~nameless].sum() - supports.sum())
    codes = np.arange(len(names), dtype=np.int32)
    return Baskets(names, supports, codes, n, repeated, cells, relation, base, cell, item)


def refuse_small(records: int, limit: int | None) -> None:
    """Refuse a database that is counted faster here: whose transactions fit into the memory that there is."""
    needed, room = records * EACH_CELL, limit or system.memory() // 2
    if needed <= room:
        what = f"{many(records, 'record')} need at most {shown(needed)}: counting in memory is much faster"
        hint = f"{_LOCALLY}. An engine is for more than {shown(room)} (see --memory-limit)"
        raise UnsupportedError(what, where="engine", hint=hint)


def _check_key(relation: Relation, key: str, cell: str) -> None:
    where = f"{relation.where}, column {key!r}"
    kind = relation.kinds[key]
    if kind.there.is_float() or kind.there.is_decimal():
        what = "the key of a transaction must be text, whole numbers or dates"
        raise UnsupportedError(what, where=where, hint=f"cast the column, or {_LOCALLY}")
    test = f"{cell} IS NULL" + (f" OR {cell} = ''" if kind.is_text else "")
    missing = int(relation.dialect.run(queries.sized(relation.source, [test]))["c0"].item())
    if missing:
        what = f"{many(missing, 'record')} without a transaction"
        raise InputError(what, where=where, hint="fill in these cells, or drop them")
    if kind.is_text:
        _check_spellings(relation, cell, where)


def _check_spellings(relation: Relation, cell: str, where: str) -> None:
    """Refuse keys that are alike; those that SQL cannot even out as `even_keys` does are fetched."""
    dialect = relation.dialect
    source = f"(SELECT DISTINCT {cell} AS k FROM {relation.source} {queries.RECORDS}) x"  # noqa: S608  quoted by the dialect
    whole, zeros = dialect.matches("x.k", _WHOLE), dialect.matches("x.k", _ZEROS)
    odd = f"NOT {dialect.matches('x.k', _PLAIN)} OR ({dialect.matches('x.k', UNEVEN_NUMBER)} AND NOT {whole})"
    keys = dialect.run(f"SELECT x.k FROM {source} WHERE {odd}")["k"]  # noqa: S608  as above
    made = dialect.give(pl.DataFrame({"k": keys, "even": even_keys(keys)}, {"k": pl.String(), "even": pl.String()}))
    even = f"CASE WHEN {whole} THEN substr(x.k, 1, position('.' IN concat(x.k, '.')) - 1) ELSE lower(x.k) END"
    bare = f"coalesce(nullif(trim(LEADING '0' FROM {even}), ''), '0')"
    even = f"coalesce(g.even, CASE WHEN {zeros} THEN {bare} ELSE {even} END)"
    each = f"SELECT count(*) AS n FROM {source} LEFT JOIN {made} g ON g.k = x.k GROUP BY {even}"  # noqa: S608  as above
    found = dialect.run(f"SELECT sum(y.n) AS n, count(*) AS p FROM ({each}) y WHERE y.n > 1")  # noqa: S608  as above
    if found["p"].item():
        raise respelled(int(found["n"].item()), int(found["p"].item()), where, COUNTED)
