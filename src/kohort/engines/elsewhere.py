"""The engine of records that lie elsewhere: it counts, joins, orders and writes them there, and fetches only counts."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO, Final

import numpy as np
import polars as pl

from kohort import system
from kohort.algorithms.mondrian.in_parts import refused_in_parts
from kohort.engines import limits, sql
from kohort.engines.base import Counts
from kohort.engines.local import LOCAL
from kohort.engines.relation import CELL, Kind, Relation, unused
from kohort.engines.typed import TypedRecords
from kohort.engines.unsafe import (
    refuse_alone,
    refuse_alone_together,
    refuse_leaks,
    refuse_listed,
    singled_out_of,
)
from kohort.errors import InfeasibleError, LimitError, SchemaError, UnsupportedError
from kohort.io.cells import encode
from kohort.io.manifest import WrittenPart, part_name
from kohort.io.write import FORMULA, NUMBER, Format, escaped, refuse_safe
from kohort.schema import Missing, Role
from kohort.tables.coded import CodedTable
from kohort.tables.dataset import CellsByClass, ReleasedRecords, Values
from kohort.tables.table import Column, Table
from kohort.verify.aggregated import Destinations, verify_by_aggregation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kohort.arrays import Counts as Numbers
    from kohort.arrays import Index
    from kohort.core.recoding import Recoding, RegionClasses
    from kohort.core.uniques import Singling
    from kohort.engines.in_parts import CountedInParts
    from kohort.engines.sql import Database
    from kohort.io.options import ReadOptions
    from kohort.release import Job, Writing
    from kohort.tables.dataset import Dataset
    from kohort.verify import Claim, Verdict

#: Records of a population table that are fetched, at most.
SMALL: Final = 1 << 20

#: What released records are called: their class, in the order of the release.
CLASS: Final = "kohort_class"

#: The formats that are written: text by the database, typed cells by kohort.
WRITTEN: Final = frozenset({Format.CSV, Format.TSV, Format.PARQUET})

#: What helps where something cannot be done elsewhere.
_LOCALLY: Final = "leave it out, or run without --engine (in Python engine=); see --memory-limit for large tables"


@dataclass(frozen=True, slots=True, eq=False)
class CountedRelation:
    """Records elsewhere, counted for a job.

    Attributes:
        counts: What the search sees.
        job: The job.
        coded: The tuples that the search judges, with weights.
        columns: Their columns, then those of which only is known whether they have a value.
        flagged: How many of them these are.
        source: The records that entered.
        whole: All records.
    """

    counts: Counts
    job: Job
    coded: CodedTable
    columns: tuple[str, ...]
    flagged: int
    source: Relation
    whole: Relation

    def recode(self, recoding: Recoding, classes: RegionClasses) -> ReleasedRecords:
        """The records as they are released: where they lie, as a query that nobody has run yet."""
        labels, order, ranks = self.coded.placed(recoding, classes)
        rank = ranks.of(slice(0, ranks.records)).astype(np.int64)
        tuples = [self.coded.table[name] for name in self.columns]
        if self.coded.kept is not None:
            tuples = [one.take(self.coded.kept) for one in tuples]
        placed = pl.DataFrame({f"k{place}": one.cells() for place, one in enumerate(tuples)})
        placed = placed.with_columns(pl.Series("class", rank)).filter(pl.col("class") > 0)
        dialect = self.source.dialect
        dialect.give(places := unused(), placed)
        shown = {f"l{place}": one.cells() for place, one in enumerate(labels.values())}
        dialect.give(names := unused(), pl.DataFrame({"class": np.arange(1, order.size + 1), **shown}))
        source = self._query(places, names, list(labels))
        split = len(self.columns) - self.flagged
        sent = SentRelation(self.whole, _destinations(tuples[:split], list(labels.values()), rank))
        kinds = {
            one.name: Kind(pl.String(), pl.String()) if one.role is Role.QUASI else self.source.kinds[one.name]
            for one in self.job.schema.released
        }
        released = self.source.over(source, kinds, int(classes.sizes.sum()))
        refuse_alone_together(released, self.source, self.job)
        none = np.empty(0, np.uint32)
        known = dict(zip(self.columns[:split], tuples, strict=False))
        every = Table(tuple(labels.values()), order.size)
        groups = GroupsElsewhere(released, every, known, rank, self._weights)
        lost = classes.lost[order]
        return ReleasedRecords(released, self.source, sent, none, None, None, lost, groups=groups)

    @property
    def _weights(self) -> Numbers:
        """(t,) the records of each tuple that the schema does not suppress."""
        weights, kept = self.coded.weights, self.coded.kept
        assert weights is not None  # noqa: S101  they were counted
        return weights if kept is None else weights[kept]

    def _placed(self, places: str) -> str:
        """The records that entered, with their place."""
        split = len(self.columns) - self.flagged
        cells = self.source.flags(self.columns[:split], self.columns[split:], self.job.schema.missing)
        return sql.joined(cells.source, places, [(cell, f"{places}.k{at}") for at, cell in enumerate(cells.of)])

    def _query(self, places: str, names: str, quasi: Sequence[str]) -> str:
        """The released records, with the number of their class."""
        source = sql.joined(self._placed(places), names, [(f"{names}.class", f"{places}.class")])
        quoted = self.source.dialect.quoted
        shown = [f"{names}.class AS {CLASS}"]
        for one in self.job.schema.released:
            own = f"{names}.l{quasi.index(one.name)}" if one.name in quasi else f"{sql.RECORDS}.{quoted(one.name)}"
            shown.append(f"{own} AS {quoted(one.name)}")
        return f"(SELECT {', '.join(shown)} FROM {source})"  # noqa: S608  names are quoted by the dialect


@dataclass(frozen=True, slots=True, eq=False)
class GroupsElsewhere:
    """What figures ask of released records.

    Attributes:
        data: The released records.
        labels: (c,) the labels of each class, in the order of the release.
        tuples: The columns that were counted, of the tuples that the schema does not suppress.
        ranks: (t,) the class of each of them, from 1; 0 where it is suppressed.
        weights: (t,) its records.
    """

    data: Relation
    labels: Table
    tuples: Mapping[str, Column]
    ranks: Index
    weights: Numbers

    def released(self, name: str) -> Iterator[CellsByClass]:
        """The cells of a released column, by class: of those that were counted without asking again."""
        if name in self.tuples:
            yield from self.original(name)
            return
        cells = self.data.cells((name,))
        asked = sql.Cells((f"{sql.RECORDS}.{CLASS}", *cells.of), cells.source)
        found = self.data.dialect.run(sql.tuples(asked))
        column = encode(name, found["c1"].cast(pl.String), pl.String())
        yield CellsByClass(found["c0"].to_numpy(), column, found["n"].cast(pl.Int64).to_numpy())

    def singled_out(self, names: Sequence[str]) -> tuple[Singling, ...]:
        """Whom columns and pairs of them single out."""
        return singled_out_of(self.data, names)

    def original(self, name: str) -> Iterator[CellsByClass]:
        """The values that released records had, by class."""
        chosen = np.flatnonzero(self.ranks)
        column = self.tuples[name].take(chosen.astype(np.uint32))
        yield CellsByClass(self.ranks[chosen], column, self.weights[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class SentRelation:
    """All records, and where their tuples are said to have gone: what verification doubts.

    Attributes:
        whole: The records.
        destinations: The labels of their tuples.
    """

    whole: Relation
    destinations: Destinations

    @property
    def names(self) -> tuple[str, ...]:
        """The column names."""
        return self.whole.names

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.whole.records

    def verified(self, paths: Sequence[Path], claim: Claim, engine: str) -> Verdict:
        """Recount these, and what was written to some files."""
        return verify_by_aggregation(paths, self.whole, claim, self.destinations, engine=engine)

    def distinct(self, name: str) -> Values:
        """The distinct values of a column, and the records with each."""
        return self.whole.distinct(name)

    def collect(self) -> Table:
        """Nothing; see `Relation.collect`."""
        return self.whole.collect()


@dataclass(frozen=True, slots=True)
class ElsewhereEngine:
    """Leaves every dataset where it is.

    Attributes:
        base: The database.
        limit: Bytes of memory that the search may use; `None` for any.
        together: Tuples that are searched together, at most: more are searched in parts. `None` for as many as the
            limit has room for.
    """

    base: Database
    limit: int | None = None
    together: int | None = None
    _held: list[TemporaryDirectory[str]] = field(default_factory=list[TemporaryDirectory[str]], repr=False)

    def refuse_format(self, format_: Format | None) -> None:
        """Refuse what is neither delimited text nor Parquet."""
        if format_ in WRITTEN:
            return
        what = "keeps no release in memory" if format_ is None else f"does not write {format_}"
        hint = "name an output that ends with .csv, .tsv or .parquet, or a FOLDER/ (in Python target=)"
        raise UnsupportedError(f"{self.base.title} {what}", where="output", hint=hint)

    def read(self, source: object, options: ReadOptions) -> Relation:
        """The records of a source."""
        found = self.base.relation(source, options, self.limit)
        if not found.records:
            found.hold()  # there is nothing to leave where it lies
        return found

    def count(
        self, data: Dataset, job: Job, population: Dataset | None = None, *, releasing: bool = False
    ) -> CountedRelation | CountedInParts:
        """Count the tuples where the records lie; they are fetched, if there are not too many."""
        assert isinstance(data, Relation)  # noqa: S101  an engine takes only its own datasets
        refuse_unsupported(job, population)
        source = entering(data, job)
        if releasing:
            refuse_alone(source, job)
            refuse_leaks(source, job)
        columns, flagged = _counted(job)
        most = self._most(len(columns) + len(flagged))
        large = most is not None and source.different(columns, flagged, job.schema.missing) > most
        refused = refused_in_parts(job.algorithm, job.models) if large else ""
        if most is not None and large and not refused:
            from kohort.engines.in_parts import CountedInParts  # noqa: PLC0415  it knows the classes above

            return CountedInParts.of(data, source, job, most, releasing=releasing)
        try:
            found = source.flagged(columns, flagged, job.schema.missing)
        except LimitError as error:
            raise LimitError(error.what, where=error.where, hint=_parted(error.hint, refused)) from None
        known = None if population is None else _held(population)
        table = CodedTable(found.table, job.schema, known, weights=found.counts)
        if releasing:
            refuse_listed(table, job)
        frequency = table.count(job.looked_at, distinct=True)
        limits.refuse_large(frequency, self.limit)
        if not frequency.records:
            what = "every record lacks a value, and the schema suppresses those"
            raise InfeasibleError(what, where="missing = suppress", hint="keep missing values as values of their own")
        counts = Counts(source.records, table.schema, frequency, table.domains, table.suppressed, table.population)
        counted = replace(job, schema=table.schema)
        return CountedRelation(counts, counted, table, (*columns, *flagged), len(flagged), source, data)

    def _most(self, columns: int) -> int | None:
        """Tuples of so many columns that are searched together; `None` for any number."""
        if self.together is not None or self.limit is None:
            return self.together
        return max(self.limit // (2 * columns * CELL), 1)  # the other half is the database's

    def write(self, released: ReleasedRecords, file: BinaryIO, format_: Format, writing: Writing) -> None:
        """Let the database write the records as text; typed cells are fetched and written here."""
        if released.groups is None:  # there are none
            LOCAL.write(released, file, format_, writing)
            return
        if format_ is Format.PARQUET:
            _typed(released, writing).write(released.data.records, file)
            return
        lines = _lines(released, format_, writing)
        place = _place(file)
        if place is not None:
            self.base.write_lines(lines.query, lines.header, place)
            return
        with TemporaryDirectory(prefix="kohort-") as folder:
            path = Path(folder, "release")
            self.base.write_lines(lines.query, lines.header, path)
            with path.open("rb") as written:
                copyfileobj(written, file)

    def write_parts(
        self, released: ReleasedRecords, folder: Path, format_: Format, writing: Writing
    ) -> list[WrittenPart]:
        """Write the records as parts of one size; the last one has what is left."""
        if released.groups is None:
            return [*LOCAL.write_parts(released, folder, format_, writing)]
        records = released.data.records
        size = writing.records_per_part or records
        starts = range(0, records, size)
        parts = [
            WrittenPart(folder / part_name(number, format_), min(size, records - start))
            for number, start in enumerate(starts)
        ]
        if format_ is Format.PARQUET:
            typed = _typed(released, writing)
            for part in parts:
                with part.path.open("xb") as file:
                    typed.write(part.records, file)
            return parts
        lines = _lines(released, format_, writing)
        self.base.write_parts(lines.query, lines.header, parts)
        return parts

    def verify_parts(self, parts: Sequence[WrittenPart], claim: Claim) -> Verdict:
        """Recount the input where it lies, and the parts by kohort's own scanner."""
        sent = claim.source
        if not isinstance(sent, SentRelation):
            return LOCAL.verify_parts(parts, claim)
        return sent.verified([part.path for part in parts], claim, self.base.title)

    def verify(self, file: BinaryIO, claim: Claim) -> Verdict:
        """Recount the input where it lies, and what was written by kohort's own scanner."""
        sent = claim.source
        if not isinstance(sent, SentRelation):
            return LOCAL.verify(file, claim)
        place = _place(file)
        if place is not None:
            verdict = sent.verified([place], claim, self.base.title)
        else:
            with TemporaryDirectory(prefix="kohort-") as folder:
                path = Path(folder, "release")
                with path.open("wb") as written:
                    copyfileobj(file, written)
                verdict = sent.verified([path], claim, self.base.title)
        return replace(verdict, parts=())  # it is one file


def _typed(released: ReleasedRecords, writing: Writing) -> TypedRecords:
    """The released records as typed cells."""
    refuse_safe(Format.PARQUET, excel_safe=writing.excel_safe)
    relation, groups = released.data, released.groups
    assert isinstance(relation, Relation) and isinstance(groups, GroupsElsewhere)  # noqa: S101, PT018  its own
    return TypedRecords.of(relation, groups.labels, CLASS)


def _lines(released: ReleasedRecords, format_: Format, writing: Writing) -> Lines:
    """The released records as text."""
    relation, groups = released.data, released.groups
    assert isinstance(relation, Relation) and isinstance(groups, GroupsElsewhere)  # noqa: S101, PT018  its own
    separator = "\t" if format_ is Format.TSV else writing.separator
    return Lines(relation, groups.labels, separator, excel_safe=writing.excel_safe)


def _destinations(tuples: Sequence[Column], labels: Sequence[Column], ranks: Index) -> Destinations:
    """Where the tuples went, of those that are released."""
    chosen = np.flatnonzero(ranks).astype(np.uint32)
    places = (ranks[chosen] - 1).astype(np.uint32)
    made = (replace(one, codes=one.codes.take(places)) for one in labels)
    return Destinations(Table(tuple(one.take(chosen) for one in tuples), chosen.size), Table(tuple(made), chosen.size))


def _place(file: BinaryIO) -> Path | None:
    """A path to an open file, also to one without a name; `None` where the system has none."""
    with suppress(OSError):
        place = system.path_of(file.fileno())
        return place if place.exists() else None
    return None


@dataclass(frozen=True, slots=True)
class Lines:
    """Released records as lines of delimited text.

    Attributes:
        relation: The records.
        labels: (c,) the labels of each class, in the order of the release.
        separator: What stands between cells.
        excel_safe: Whether an apostrophe keeps spreadsheets from running cells.
    """

    relation: Relation
    labels: Table
    separator: str
    excel_safe: bool

    @property
    def header(self) -> str:
        """The names.

        Raises:
            SchemaError: two of them become the same.
        """
        made = self._made(pl.Series(self.relation.names)).to_list()
        if len({*made}) < len(made):
            raise SchemaError("two column names become the same under excel_safe", hint="rename one of them")
        return self.separator.join(made)

    @property
    def query(self) -> str:
        """The lines, in the order of the release."""
        relation = self.relation
        others = [name for name in relation.names if name not in self.labels.names]
        cells = relation.cells(others)
        made = {f"l{place}": self._made(one.cells()) for place, one in enumerate(self.labels.columns)}
        relation.dialect.give(given := unused(), pl.DataFrame({"class": np.arange(1, self.labels.records + 1), **made}))
        rank = f"{sql.RECORDS}.{CLASS}"
        shown = {name: f"{given}.l{place}" for place, name in enumerate(self.labels.names)}
        shown |= {name: self._escaped(cell) for name, cell in zip(others, cells.of, strict=True)}
        line = f" || {relation.dialect.literal(self.separator)} || ".join(shown[name] for name in relation.names)
        source = sql.joined(cells.source, given, [(f"{given}.class", rank)])
        return sql.ordered(f"{line} AS line", source, (rank, *(f"coalesce({cell}, '')" for cell in cells.of)))

    def _made(self, texts: pl.Series) -> pl.Series:
        """Texts as they stand in the file."""
        alone = len(self.relation.names) == 1
        return escaped(texts.fill_null(""), self.separator, excel_safe=self.excel_safe, alone=alone)

    def _escaped(self, cell: str) -> str:
        """The cells of a column as they stand in the file; see `kohort.io.write`."""
        dialect = self.relation.dialect
        text = f"coalesce({cell}, '')"
        if self.excel_safe:
            runs = f"{dialect.matches(text, FORMULA)} AND NOT {dialect.matches(text, NUMBER)}"
            text = f"CASE WHEN {runs} THEN {dialect.literal(chr(39))} || {text} ELSE {text} END"
        signs = [dialect.literal(sign) for sign in (self.separator, '"', "\r", "\n", "\ufeff")]
        special = " OR ".join(f"position({sign} IN {cell}) > 0" for sign in signs)
        quoted = f"'\"' || replace({text}, '\"', '\"\"') || '\"'"
        return f"CASE WHEN {special} THEN {quoted} ELSE {text} END"


def _parted(hint: str, refused: str) -> str:
    """What helps where there are too many tuples, and something of the job needs all of them at once."""
    apart = f"; {refused} needs all tuples at once: --method mondrian with --cut nearest or median searches in parts"
    return f"{hint}{apart if refused else ''}"


def refuse_unsupported(job: Job, population: Dataset | None) -> None:
    """Refuse what needs the records themselves.

    Raises:
        UnsupportedError: the job asks for it; the message says for what.
    """
    for what in _unsupported(job, population):
        raise UnsupportedError(f"{what} needs the records themselves", where="engine", hint=_LOCALLY)


def _unsupported(job: Job, population: Dataset | None) -> Iterator[str]:
    """What of a job cannot be done elsewhere."""
    if job.perturbations:
        yield "perturbation"
    if job.key is not None:
        yield "a column of pseudonyms"
    if job.algorithm.distinct:
        yield f"{job.algorithm.name}, which divides records that are alike,"
    if job.schema.person is not None:
        yield "a person key"
    if population is not None and population.records > SMALL:
        yield f"a population table of more than {SMALL:,} records"


def entering(data: Relation, job: Job) -> Relation:
    """The records that enter.

    Raises:
        InfeasibleError: the job takes complete records only, and none is.
    """
    if not job.complete:
        return data
    names = data.names if job.complete == "all" else job.complete
    found = data.with_values(names, job.schema.missing)
    if not found.records:
        hint = "name fewer columns (--complete-records A,B), or correct the missing tokens"
        raise InfeasibleError("no record is complete", where="complete records", hint=hint)
    return found


def _counted(job: Job) -> tuple[list[str], list[str]]:
    """The columns whose tuples are counted, and those of which only is asked whether they have a value."""
    schema = job.schema
    columns = [one.name for one in schema.quasi]
    columns += [
        one.name
        for one in schema.attributes
        if one.role is Role.SENSITIVE and (one.name in job.looked_at or one.missing is Missing.REFUSE)
    ]
    lacking = [one.name for one in schema.released if one.missing is Missing.SUPPRESS and one.name not in columns]
    return columns, lacking


def _held(population: Dataset) -> Table:
    """A small population table, from now on in memory."""
    assert isinstance(population, Relation)  # noqa: S101  an engine takes only its own datasets
    return population.hold()
