"""Sources of records that lie elsewhere, checked as the local engine checks its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import polars as pl

from kohort.errors import InfeasibleError, InputError, LimitError, UnsupportedError
from kohort.io.typed import NO_INFINITY, NO_NUL, check_names, check_type, from_frame
from kohort.sql import queries
from kohort.sql.relation import Kind, Relation, other_records
from kohort.tables.notation import may_be_numbers, noted
from kohort.tables.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.io.options import ReadOptions
    from kohort.sql.queries import Dialect


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
        separator: What stands between cells of a text; empty where nothing is known to.
        apart: A character that no cell has, where one is known and all of them are texts.
    """

    where: str
    sql: str
    types: Mapping[str, pl.DataType] | None = None
    records: int | None = None
    sums: Sequence[tuple[str, int]] = ()
    notes: tuple[str, ...] = ()
    separator: str = ""
    apart: str = ""


def refuse_altered_text(options: ReadOptions, engine: str) -> None:
    """Refuse options by which text would be changed on the way."""
    if options.trim or options.skip_blank or not options.is_utf8:
        what = f"the engine {engine} reads only UTF-8 text, keeps blanks and takes no blank lines"
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
    made = _without(base, found, {name: Kind(types[name], there[name]) for name in names}, _unread(types, found.where))
    made.limit, made.sums, made.notes, made.apart = limit, found.sums, found.notes, found.apart
    if not found.sums:
        made.records, faults = _checked(made)
        if faults:
            made = replace(_without(base, found, made.kinds, {**made.faults, **faults}), records=made.records)
    made.faults = {**_noted(made, options.decimal, options.separator or found.separator), **made.faults}
    if found.records is not None and found.records != made.records:
        raise other_records(made, made.records, due=found.records)
    if not (made.records or options.allow_empty):
        raise InfeasibleError("there are 0 records", where=found.where, hint="allow an empty table (--allow-empty)")
    return made


def _noted(made: Relation, decimal: str | None, separator: str) -> dict[str, InputError]:
    """Let numbers be read by their notations, and tell the columns whose numbers cannot be.

    The first records say whether there are other numbers than plain ones. If so, all values decide.
    """
    texts = [name for name, kind in made.kinds.items() if kind.is_text and name not in made.faults]
    if decimal == "." or not texts:
        return {}
    cells = ", ".join(made.dialect.quoted(name) for name in texts)
    found = made.dialect.run(f"SELECT {cells} FROM {made.source} {queries.RECORDS} LIMIT {_SAMPLE}")  # noqa: S608  quoted
    found.columns = texts  # Spark has other names
    some = from_frame(found)
    shown = noted(some, decimal, separator).columns
    if decimal is None and not any(one.notation or one.fault for one in shown):
        return {}
    faults = dict[str, InputError]()
    columns = list[Column]()
    for one in some.columns:
        try:
            known = may_be_numbers(one.values) and made.distinct(one.name).texts
        except LimitError as error:
            faults[one.name] = InputError(error.what, where=f"{made.where}, column {one.name!r}", hint=error.hint)
            continue
        if known is not False:
            columns.append(replace(one, values=known))
    whole = noted(Table(tuple(columns), 0), decimal, separator)
    made.note(whole.notations)
    made.notes += whole.notes
    return faults | {one.name: one.fault for one in whole.columns if one.fault is not None}


#: Records that are looked at for whether numbers are written otherwise than plain ones.
_SAMPLE: Final = 2_000


def _unread(types: Mapping[str, pl.DataType], where: str) -> dict[str, InputError]:
    faults: dict[str, InputError] = {}
    for name, dtype in types.items():
        try:
            check_type(dtype, f"{where}, column {name!r}")
        except InputError as fault:
            faults[name] = fault
    return faults


def _without(base: Dialect, found: Source, kinds: Mapping[str, Kind], faults: Mapping[str, InputError]) -> Relation:
    if not faults:
        return Relation(base, found.sql, kinds, found.records or 0, found.where)
    cells = (f"CAST(NULL AS STRING) AS {base.quoted(one)}" if one in faults else base.quoted(one) for one in kinds)
    source = f"(SELECT {', '.join(cells)} FROM {found.sql} {queries.RECORDS})"  # noqa: S608  names are quoted
    known = {name: Kind(pl.String(), pl.String()) if name in faults else kind for name, kind in kinds.items()}
    return Relation(base, source, known, found.records or 0, found.where, faults=faults)


def _checked(made: Relation) -> tuple[int, dict[str, InputError]]:
    cells = {name: f"{queries.RECORDS}.{made.dialect.quoted(name)}" for name in made.names}
    texts = [name for name, kind in made.kinds.items() if kind.is_text]
    floats = [name for name, kind in made.kinds.items() if kind.there.is_float()]
    tests = [f"instr({cells[name]}, chr(0)) > 0" for name in texts]
    tests += [f"abs({cells[name]}) = CAST('infinity' AS DOUBLE)" for name in floats]
    found = made.dialect.run(queries.sized(made.source, tests))
    faults: dict[str, InputError] = {}
    for place, name in enumerate([*texts, *floats]):
        wrong, text = int(found[f"c{place}"].item()), place < len(texts)
        what, hint = ("cells hold a NUL character", NO_NUL) if text else (f"{wrong} infinite values", NO_INFINITY)
        if wrong:
            faults[name] = InputError(what, where=f"{made.where}, column {name!r}", hint=hint)
    return int(found["n"].item()), faults
