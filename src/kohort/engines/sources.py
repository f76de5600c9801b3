"""Sources of records that lie elsewhere, checked as the local engine checks its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kohort.engines import sql
from kohort.engines.relation import Kind, Relation, other_records
from kohort.errors import InfeasibleError, InputError, UnsupportedError
from kohort.io.typed import check_names, check_types

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from kohort.engines.sql import Dialect
    from kohort.io.options import ReadOptions


@dataclass(frozen=True, slots=True)
class Source:
    """Records that a database can read.

    Attributes:
        where: What they are called in messages.
        sql: What stands for them after FROM.
        types: The types that the local engine would read; `None` where they are those that the database answers with.
        records: How many there must be, where that is known.
        sums: What the database must find as sums over all records, in the order of columns: an expression and its
            value. Where there are any, kohort's own scanner has looked at every byte.
        notes: What it noticed.
        apart: A character that no cell has, where one is known and all of them are texts.
    """

    where: str
    sql: str
    types: Mapping[str, pl.DataType] | None = None
    records: int | None = None
    sums: Sequence[tuple[str, int]] = ()
    notes: tuple[str, ...] = ()
    apart: str = ""


def refuse_altered_text(options: ReadOptions, engine: str) -> None:
    """Refuse options by which text would be changed on the way."""
    if options.trim or options.skip_blank or not options.is_utf8:
        what = f"the engine {engine} reads text as it is: UTF-8, with its blanks and without blank lines"
        raise UnsupportedError(what, where="engine", hint="leave out trim, skip-blank and encoding, or the engine")


def relation_of(
    base: Dialect, found: Source, there: Mapping[str, pl.DataType], options: ReadOptions, limit: int | None
) -> Relation:
    """The records of a source, once no name, type or cell is one that the local engine refuses.

    Args:
        base: The database.
        found: The source.
        there: The columns, with the types that the database answers with.
        options: Whether there may be no records.
        limit: Bytes of memory that an answer may take; `None` for any.
    """
    types = there if found.types is None else found.types
    names = check_names(list(types), found.where)
    check_types(types, found.where)
    kinds = {name: Kind(types[name], there[name]) for name in names}
    made = Relation(base, found.sql, kinds, found.records or 0, found.where, limit)
    made.sums, made.notes, made.apart = found.sums, found.notes, found.apart
    if not found.sums:
        made.records = _checked(made)
    if found.records is not None and found.records != made.records:
        raise other_records(made, made.records, due=found.records)
    if not (made.records or options.allow_empty):
        raise InfeasibleError("there are 0 records", where=found.where, hint="allow an empty table (--allow-empty)")
    return made


def _checked(made: Relation) -> int:
    """How many records there are, once no cell is one that the local engine refuses."""
    cells = {name: f"{sql.RECORDS}.{made.dialect.quoted(name)}" for name in made.names}
    texts = [name for name, kind in made.kinds.items() if kind.is_text]
    floats = [name for name, kind in made.kinds.items() if kind.there.is_float()]
    tests = [f"position(chr(0) IN {cells[name]}) > 0" for name in texts]
    tests += [f"abs({cells[name]}) = CAST('infinity' AS DOUBLE)" for name in floats]
    found = made.dialect.run(sql.sized(made.source, tests))
    for place, name in enumerate([*texts, *floats]):
        wrong = int(found[f"c{place}"].item())
        where = f"{made.where}, column {name!r}"
        if wrong and place < len(texts):
            hint = "remove it: most programs end a text there"
            raise InputError("cells hold a NUL character", where=where, hint=hint)
        if wrong:
            raise InputError(f"{wrong} infinite values", where=where, hint="replace them by a number or by null")
    return int(found["n"].item())
