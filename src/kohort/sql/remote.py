"""The engine of records that lie elsewhere: it counts, joins, orders and writes them there, and fetches only counts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO, Final

import numpy as np
import polars as pl

from kohort import system
from kohort.algorithms.lattice.remote import judges_nodes, refused_remotely
from kohort.algorithms.mondrian.in_parts import refused_in_parts
from kohort.engines.base import Counted, needed_columns, searched_sensitive
from kohort.engines.gates import Tuples, refuse_pairs, refuse_unsafe
from kohort.engines.local import LOCAL, counts_of, parts_in
from kohort.errors import LimitError, UnsupportedError
from kohort.io.forms import FORMATS, Format
from kohort.io.write import refuse_safe
from kohort.schema import Missing, Role
from kohort.sql import queries
from kohort.sql.coded import CodedColumns
from kohort.sql.gates import RemoteTuples, checked_columns, leaking_of, singled_out_of, together_in
from kohort.sql.relation import CELL, Kind, Relation, by_class
from kohort.sql.verify.aggregated import Destinations, verify_by_aggregation
from kohort.sql.verify.in_parts import verify_in_parts
from kohort.sql.written import CLASS, TypedRecords, lines_of
from kohort.tables.coded import CodedTable, Dealt
from kohort.tables.complete import could_enter, refuse_none
from kohort.tables.dataset import CellsByClass, ReleasedRecords
from kohort.tables.people import person_codes
from kohort.tables.table import Column, Table, narrow
from kohort.verify.singling import singled_out, together
from kohort.verify.verdict import places

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from kohort.arrays import Counts as Numbers
    from kohort.arrays import Index
    from kohort.core.recoding import Recoding, RegionClasses
    from kohort.core.uniques import Singling
    from kohort.io.manifest import WrittenPart
    from kohort.io.options import ReadOptions
    from kohort.release import Job, Writing
    from kohort.sql.queries import Dialect
    from kohort.sql.verify.in_parts import ClassedRelation
    from kohort.tables.dataset import Dataset
    from kohort.verify import Claim, Verdict

#: Records of a population table that are fetched, at most.
SMALL: Final = 1 << 20

#: The number of a record among those that are alike.
AMONG: Final = "kohort_number"

#: What helps where something cannot be done elsewhere.
_LOCALLY: Final = "leave this out, or run without --engine (in Python engine=); see --memory-limit for large tables"


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedRelation:
    """Released records where they lie: what figures, writers and verification ask of them.

    Attributes:
        data: The released records, with the number of their class instead of their quasi-identifiers.
        labels: (c,) the labels of each class, in the order of the release.
        sizes: (c,) the records of each class.
        sources: The released records as they entered, with their class.
        entered: The records that could enter.
        witness: Where tuples are said to have gone, or in which class each record is said to be.
        tuples: The tuples that are released, where they were fetched; those that are dealt to several classes once for
            each.
        ranks: (p,) the class of each of them, from 1.
        weights: (p,) its records.
        people: (p,) whose they are; `None` without a person key.
        most: Where the tuples do not fit into memory, how many are fetched together.
    """

    data: Relation
    labels: Table
    sizes: Numbers
    sources: Relation
    entered: Relation
    witness: Destinations | ClassedRelation
    tuples: Table = field(default_factory=lambda: Table((), 0))
    ranks: Index = field(default_factory=lambda: np.empty(0, np.int64))
    weights: Numbers = field(default_factory=lambda: np.empty(0, np.int64))
    people: Index | None = None
    most: int | None = None

    def cells(self, name: str) -> Iterator[CellsByClass]:
        """The cells of a column by class: of those that were fetched without asking again."""
        if name in self.tuples.names:
            yield CellsByClass(self.ranks, self.tuples[name], self.weights)
            return
        texts, cells, dialect = self.entered.distinct(name).texts, self.sources.cells((name,)), self.data.dialect
        asked = queries.tuples(queries.Cells((*cells.of, f"{queries.RECORDS}.{CLASS}"), cells.source))
        for found in [dialect.run(asked)] if self.most is None else by_class(dialect, asked, "c1", self.most):
            codes = narrow(places(found["c0"].cast(pl.String), texts), len(texts))
            classes, counts = (found[one].cast(pl.Int64).to_numpy() for one in ("c1", "n"))
            yield CellsByClass(classes, Column(name, texts, codes, pl.String()), counts)

    def singled_out(self, names: Sequence[str]) -> tuple[Singling, ...]:
        """The records that one or two columns make unique."""
        if self.people is None:
            return singled_out_of(self.data, names)
        return singled_out([self.tuples[name] for name in names], self.people)

    def together(self, sets: Sequence[Sequence[str]]) -> tuple[Singling, ...]:
        """Whom each of some sets of columns singles out; that with labels by the class."""
        labels = {*self.labels.names}
        if self.people is None:
            return together_in(self.data, sets, labels, f"{queries.RECORDS}.{CLASS}")
        names = dict.fromkeys(name for one in sets for name in one if name not in labels)
        columns = [self.tuples[name] for name in names] + [one.take(self.ranks - 1) for one in self.labels.columns]
        return together([Table(tuple(columns), self.ranks.size)], self.ranks.size, sets, people=self.people)

    def witnesses(self, names: Sequence[str], most: int) -> tuple[Index, Table]:
        """Some of the released records, evenly chosen by the hash of their cells, and then of those."""
        cells = self.sources.cells(names)
        found = self.sources.some(cells._replace(of=(*cells.of, f"{queries.RECORDS}.{CLASS}")), most)
        found = found.sort(found.columns)
        ends: Index = np.cumsum(found["n"].to_numpy())
        records = int(ends[-1])
        chosen = np.linspace(0, records - 1, min(records, most)).astype(np.int64)
        found = found[np.searchsorted(ends, chosen, side="right")]
        return found[f"c{len(names)}"].cast(pl.Int64).to_numpy() - 1, self.sources.table_of(names, found)

    def verified(self, paths: Sequence[Path], claim: Claim, engine: str) -> Verdict:
        """Recount the input where it lies, and what was written to some files."""
        whole = claim.source
        assert isinstance(whole, Relation)  # noqa: S101  an engine takes only its own datasets
        if isinstance(self.witness, Destinations):
            verdict = verify_by_aggregation(paths, whole, claim, self.witness, engine=engine)
        else:
            verdict = verify_in_parts(paths, self.witness, claim, engine=engine)
        whole.release_cache()
        return verdict


def placed_records(classed: str, entered: Relation, job: Job, records: int) -> tuple[Relation, Relation]:
    """Released records as they entered, and as they are released but for their quasi-identifiers, with their class.

    Args:
        classed: A query for them, with the number of their class.
        entered: The records that entered.
        job: The job.
        records: How many are released.
    """
    sources = entered.over(f"({classed})", entered.kinds, records)
    kinds = {
        one.name: Kind(pl.String(), pl.String()) if one.role is Role.QUASI else entered.kinds[one.name]
        for one in job.schema.released
    }
    return sources, sources.over(sources.source, kinds, records)


@dataclass(frozen=True, slots=True, eq=False)
class FetchedTuples:
    """Tuples of records elsewhere that the search judges here.

    Attributes:
        coded: They, with weights.
        columns: Their columns.
        flagged: Those of which only is known whether they have a value.
        source: The records that entered.
        numbers: (t,) a hash of each tuple.
    """

    coded: CodedTable
    columns: tuple[str, ...]
    flagged: tuple[str, ...]
    source: Relation
    numbers: pl.Series

    def recode(self, job: Job, whole: Relation, recoding: Recoding, classes: RegionClasses) -> ReleasedRecords:
        """The records as they are released: where they lie, as a query that nobody has run yet."""
        dealt = self.coded.dealt(recoding, classes)
        tuples = [self.coded.table[name].take(dealt.rows) for name in (*self.columns, *self.flagged)]
        assert self.coded.weights is not None  # noqa: S101  they were counted
        parted = bool((dealt.counts < self.coded.weights.take(dealt.rows)).any())
        labels = Table(tuple(dealt.labels.values()), dealt.classes.size)
        known = Table(tuple(tuples[: len(self.columns)]), dealt.rows.size)
        sizes = classes.sizes[dealt.classes]
        classed = self._placed(tuples, dealt, parted=parted, missing=job.schema.missing)
        sources, data = placed_records(classed, self.source, job, int(sizes.sum()))
        released = labelled(data, labels)
        people = None if job.schema.person is None else person_codes(known[job.schema.person])
        held = RemoteTuples(self.source, released) if people is None else Tuples(known, dealt.counts, people)
        refuse_pairs(held.singled_out, job, of_people=people is not None)
        groups = ReleasedRelation(
            data,
            labels,
            sizes,
            sources,
            self.source,
            Destinations(known, labels.take(dealt.ranks - 1), dealt.counts if parted else None),
            known,
            dealt.ranks,
            dealt.counts,
            people,
        )
        lost, none = classes.lost[dealt.classes], np.empty(0, np.uint32)
        return ReleasedRecords(released, self.source, whole, none, None, None, lost, groups=groups)

    def _placed(self, tuples: Sequence[Column], dealt: Dealt, *, parted: bool, missing: frozenset[str]) -> str:
        """The released records as they entered, with the number of their class.

        They are found by the hash of their tuple, which is much less to send and to compare than its texts; unless two
        tuples have the same one. Records of a tuple that goes to several classes are alike in all that is released:
        they are numbered, in any order, and the first so many go to the first class.
        """
        dialect = self.source.dialect
        source, also, alike = self.source, "", self.numbers.is_duplicated().any()
        keys = {f"k{at}": one.cells() for at, one in enumerate(tuples)} if alike else {"k0": self.numbers[dealt.rows]}
        places = dialect.give(pl.DataFrame({**keys, **_destined(dealt, parted=parted)}))
        if parted:
            source = source.over(queries.numbered(source.cells(self.columns), AMONG), source.kinds, source.records)
            also = f" AND {queries.RECORDS}.{AMONG} BETWEEN {places}.low AND {places}.high"
        cells = source.flags(self.columns, self.flagged, missing)
        if alike:
            joined = queries.joined(
                cells.source, places, [(cell, f"{places}.k{at}") for at, cell in enumerate(cells.of)]
            )
        else:
            joined = queries.placed(cells.source, places, dialect.number(source.as_one(cells).of), "k0")
        return f"SELECT {places}.class AS {CLASS}, {queries.RECORDS}.* FROM {joined}{also}"  # noqa: S608  names are quoted by the dialect


@dataclass(frozen=True, slots=True)
class RemoteEngine:
    """Leaves every dataset where it is.

    Attributes:
        base: The database.
        limit: Bytes of memory that the search may use; `None` for any.
        together: Tuples that are searched together, at most: more are searched in parts. `None` for as many as the
            limit has room for.
    """

    base: Dialect
    limit: int | None = None
    together: int | None = None

    def refuse_format(self, format_: Format | None) -> None:
        """Refuse what no engine writes: it writes text, and kohort typed cells."""
        if format_ is not None and format_.form.by_engines:
            return
        what = "keeps no release in memory" if format_ is None else f"does not write {format_}"
        *endings, last = (f".{key}" for key, form in FORMATS.items() if form.by_engines)
        hint = f"name an output that ends with {', '.join(endings)} or {last}, or a FOLDER/ (in Python target=)"
        raise UnsupportedError(f"{self.base.title} {what}", where="output", hint=hint)

    def read(self, source: object, options: ReadOptions) -> Relation:
        """The records of a source."""
        found = self.base.relation(source, options, self.limit)
        if not found.records:
            found.hold()  # there is nothing to leave where it lies
        return found

    def count(self, data: Dataset, job: Job, population: Dataset | None = None, *, releasing: bool = False) -> Counted:
        """Count the tuples where the records lie; they are fetched, if there are not too many."""
        assert isinstance(data, Relation)  # noqa: S101  an engine takes only its own datasets
        assert population is None or isinstance(population, Relation)  # noqa: S101  as above
        refuse_unsupported(job, population)
        source = entering(data.needing(needed_columns(job, data.names)), job)
        alone = job.schema.person is None
        columns, flagged = _counted(job)
        most = self._most(len(columns) + len(flagged))
        if most is not None:
            source.weigh(columns, flagged, job.schema.missing, checked_columns(job), most)
        if releasing and alone:
            source.look(checked_columns(job))
            there = RemoteTuples(source, source)
            refuse_unsafe(there, leaking_of(source, job), job, lambda: CodedColumns.of(source, job).table)
        refused = ""
        if most is not None and source.different(columns, flagged, job.schema.missing) > most:
            refused = _needing_all(job)
            if not refused:
                from kohort.sql.in_parts import CountedInParts  # noqa: PLC0415  it knows the classes above

                parts = CountedInParts.of(data, source, job, most, releasing=releasing)
                return Counted(parts.counts, parts.recode, parts.search)
        try:
            tuples, weights, numbers = source.flagged(columns, flagged, job.schema.missing)
        except LimitError as error:
            raise LimitError(error.what, where=error.where, hint=_parted(error.hint, refused)) from None
        if releasing and job.schema.person is not None:
            here = Tuples(tuples, weights, person_codes(tuples[job.schema.person]))
            coded = partial(CodedTable, tuples, job.schema, weights=weights)
            refuse_unsafe(here, leaking_of(source, job), job, coded)
        known = None if population is None else could_enter(population.hold(), job.schema, job.complete)
        table = CodedTable(tuples, job.schema, known, weights=weights)
        counts = counts_of(table, source.records, job, self.limit, distinct=True, releasing=releasing)
        fetched = FetchedTuples(table, tuple(columns), tuple(flagged), source, numbers)
        return Counted(counts, partial(fetched.recode, replace(job, schema=table.schema), data))

    def _most(self, columns: int) -> int | None:
        """Tuples of so many columns that are searched together; `None` for any number."""
        if self.together is not None or self.limit is None:
            return self.together
        return max(self.limit // (2 * columns * CELL), 1)  # the other half is the database's

    def write(
        self, released: ReleasedRecords, into: BinaryIO | Path, format_: Format, writing: Writing
    ) -> Sequence[WrittenPart]:
        """Let the database write the records as text; typed cells are fetched and written here."""
        groups = released.groups
        if not isinstance(groups, ReleasedRelation):  # there are none
            return LOCAL.write(released, into, format_, writing)
        parts = parts_in(into, format_, groups.data.records, writing) if isinstance(into, Path) else []
        if format_ is Format.PARQUET:
            refuse_safe(format_, excel_safe=writing.excel_safe)
            typed = TypedRecords.of(groups.data, groups.labels)
            for part in parts:
                with part.path.open("xb") as file:
                    typed.write(part.records, file)
            if not isinstance(into, Path):
                typed.write(groups.data.records, into)
            return parts
        separator, safe = format_.form.separator or writing.separator, writing.excel_safe
        query, header = lines_of(groups.data, groups.labels, groups.sizes, separator, excel_safe=safe)
        if isinstance(into, Path):
            self.base.write(query, header, [(part.path, part.records) for part in parts])
            return parts
        with _path_of(into, reading=False) as path:
            self.base.write(query, header, [(path, None)])
        return parts

    def verify(self, written: BinaryIO | Sequence[WrittenPart], claim: Claim) -> Verdict:
        """Recount the input where it lies, and what was written by kohort's own scanner."""
        if not isinstance(claim.groups, ReleasedRelation):
            return LOCAL.verify(written, claim)
        if isinstance(written, Sequence):
            return claim.groups.verified([part.path for part in written], claim, self.base.title)
        with _path_of(written, reading=True) as path:
            verdict = claim.groups.verified([path], claim, self.base.title)
        return replace(verdict, parts=())  # it is one file


def labelled(placed: Relation, labels: Table) -> Relation:
    """Released records with the (c,) labels of their class, in place of its number."""
    dialect = placed.dialect
    shown = {f"l{place}": one.cells() for place, one in enumerate(labels.columns)}
    names = dialect.give(pl.DataFrame({"class": np.arange(1, labels.records + 1), **shown}))
    own = {name: f"{names}.l{place} AS {dialect.quoted(name)}" for place, name in enumerate(labels.names)}
    of = [own.get(name, f"{queries.RECORDS}.{dialect.quoted(name)}") for name in placed.names]
    source = queries.placed(f"{placed.source} {queries.RECORDS}", names, f"{queries.RECORDS}.{CLASS}", "class")
    return placed.over(f"(SELECT {', '.join(of)} FROM {source})", placed.kinds, placed.records)  # noqa: S608  as above


def _destined(dealt: Dealt, *, parted: bool) -> dict[str, pl.Series]:
    """The class of each piece of a tuple; where some go to several, also its records, from the first to the last."""
    cells = {"class": pl.Series(dealt.ranks)}
    if parted:
        ends, fresh = np.cumsum(dealt.counts), np.diff(dealt.rows, prepend=-1) != 0
        before = ends - dealt.counts
        before -= before[fresh].take(np.cumsum(fresh) - 1)
        cells |= {"low": pl.Series(before + 1), "high": pl.Series(before + dealt.counts)}
    return cells


@contextmanager
def _path_of(file: BinaryIO, *, reading: bool) -> Generator[Path]:
    """A path to an open file, also to one without a name; where the system has none, to a copy of it."""
    place = None
    with suppress(OSError):
        place = system.path_of(file.fileno())
    if place is not None and place.exists():
        yield place
        return
    with TemporaryDirectory(prefix="kohort-") as folder:
        path = Path(folder, "release")
        if reading:
            with path.open("wb") as copy:
                copyfileobj(file, copy)
        yield path
        if not reading:
            with path.open("rb") as copy:
                copyfileobj(copy, file)


def _parted(hint: str, refused: str) -> str:
    """What helps where there are too many tuples, and something of the job needs all of them at once."""
    apart = f"; {refused} needs all tuples at once: --method mondrian with --cut nearest or median searches in parts"
    apart += ", and samarati, optimal, datafly and --node count in the engine"
    return f"{hint}{apart if refused else ''}"


def _needing_all(job: Job) -> str:
    """What of a job needs all tuples at once; empty where nothing does."""
    if job.schema.person is not None:
        return "the person key"
    refused = refused_remotely if judges_nodes(job.algorithm) else refused_in_parts
    return refused(job.algorithm, job.models)


def refuse_unsupported(job: Job, population: Dataset | None) -> None:
    """Refuse what needs the records themselves."""
    large = population is not None and population.records > SMALL
    unsupported = {
        "perturbation": bool(job.perturbations),
        "a column of pseudonyms": job.key is not None,
        f"a population table of more than {SMALL:,} records": large,
    }
    for what in (what for what, asked in unsupported.items() if asked):
        raise UnsupportedError(f"{what} needs the records themselves", where="engine", hint=_LOCALLY)


def entering(data: Relation, job: Job) -> Relation:
    """The records that enter."""
    if not job.complete:
        return data
    names = data.names if job.complete == "all" else job.complete
    found = data.with_values(names, job.schema.missing)
    refuse_none(found.records)
    return found


def _counted(job: Job) -> tuple[list[str], list[str]]:
    """The columns whose tuples are counted, and those of which only is asked whether they have a value.

    Where records that are alike may be parted, or people are counted, what is released decides: then that is all of it.
    """
    schema = job.schema
    columns = [one.name for one in schema.quasi]
    if job.algorithm.distinct or schema.person is not None:
        columns += [one.name for one in schema.released if one.role is not Role.QUASI]
        return [*columns, *([] if schema.person is None else [schema.person])], []
    searched = searched_sensitive(job)
    columns += [one.name for one in schema.sensitive if one.name in searched or one.missing is Missing.REFUSE]
    lacking = [one.name for one in schema.released if one.missing is Missing.SUPPRESS and one.name not in columns]
    return columns, lacking
