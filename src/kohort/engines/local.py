"""The engine of one machine: NumPy over the dictionary codes of a table in memory."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from kohort import io, system
from kohort.core.branches import companions_in
from kohort.core.order import order_by
from kohort.engines import limits, unsafe
from kohort.engines.base import Counts
from kohort.errors import InfeasibleError, UsageError
from kohort.io.manifest import WrittenPart, part_name
from kohort.io.write import write
from kohort.schema import Role
from kohort.tables.coded import CodedTable, Recoded
from kohort.tables.complete import could_enter, entered
from kohort.tables.dataset import ReleasedRecords
from kohort.tables.order import content_keys
from kohort.tables.portions import Portion
from kohort.tables.recoded import RecodedTable
from kohort.tables.table import Column, Table
from kohort.verify import verify, verify_parts
from kohort.workspace import HEAP, Workspace

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from kohort.arrays import Index
    from kohort.core.recoding import Recoding, RegionClasses
    from kohort.engines.base import Engine
    from kohort.io.forms import Format
    from kohort.io.options import ReadOptions
    from kohort.perturbation.effect import Effect
    from kohort.release import Job, Writing
    from kohort.schema import Schema
    from kohort.tables.dataset import Dataset, Linked
    from kohort.verify import Claim, Verdict


@dataclass(frozen=True, slots=True, eq=False)
class CountedTable:
    """A table that was counted for a job.

    Attributes:
        counts: What the search sees.
        job: The job.
        coded: The records that entered, as the search judges them.
        source: The same as they were read.
        whole: All records, as read.
        rows: (n,) where each record that entered stands among all; `None` where all entered.
        changed: The columns that were changed before the search.
    """

    counts: Counts
    job: Job
    coded: CodedTable
    source: Table
    whole: Table
    rows: Index | None
    changed: Table | None

    def recode(self, recoding: Recoding, classes: RegionClasses) -> ReleasedRecords:
        """The records as they are released."""
        system.give_back()
        found = altered(self.coded.recode(recoding, classes), self.job, self.source, self.changed)
        unsafe.refuse_released(found.recoded, self.source, self.job)
        return ReleasedRecords(
            found.recoded.data,
            self.source,
            self.whole,
            found.recoded.lineage,
            self.rows,
            self.changed,
            found.recoded.lost,
            found.effects,
            found.linked,
        )


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """Holds every dataset as a table in memory, or in files that the system may put to disk.

    Attributes:
        workspace: Where arrays as long as a table live.
    """

    workspace: Workspace = HEAP

    def refuse_format(self, format_: Format | None) -> None:
        """Refuse none: it writes every format."""

    def read(self, source: object, options: ReadOptions) -> Table:
        """The records of a file, standard input or a frame."""
        spilling = self.workspace.folder is not None
        if spilling:
            system.give_back_large()
        told = spilling and limits.refuse_full(limits.expected(source), self.workspace)
        table = io.read(source, options, self.workspace)
        if not told:
            limits.refuse_full((table.records, len(table.columns)), self.workspace)
        return table

    def count(
        self, data: Dataset, job: Job, population: Dataset | None = None, *, releasing: bool = False
    ) -> CountedTable:
        """Count the tuples by one pass of hashing over the records."""
        whole = data.collect().needing(job.needed(data.names))
        source, rows = entering(whole, job)
        if releasing:
            unsafe.refuse_unsafe(source, job)
        changed = unsafe.coarsened(source, job)
        known = None if population is None else could_enter(population.collect(), job.schema, job.complete)
        coded = CodedTable(unsafe.with_columns(source, changed), job.schema, known, self.workspace)
        if releasing:
            unsafe.refuse_listed(coded, job)
        frequency = coded.count(job.looked_at, distinct=job.algorithm.distinct)
        limits.refuse_large(frequency, self.workspace.limit, job.algorithm)
        limits.refuse_search(frequency, coded.domains, job, self.workspace)
        if not frequency.records:
            what = "every record lacks a value, and the schema suppresses those"
            raise InfeasibleError(what, where="missing = suppress", hint="keep missing values as values of their own")
        counts = Counts(
            source.records,
            coded.schema,
            frequency,
            companions_in(frequency, coded.domains),
            coded.suppressed,
            coded.population,
            self.workspace,
        )
        return CountedTable(counts, job, coded, source, whole, rows, changed)

    def write(self, released: ReleasedRecords, file: BinaryIO, format_: Format, writing: Writing) -> None:
        """Write the records in one of the formats of files."""
        system.give_back()
        source = released.source.collect()
        table = _table_of(released)
        write(table, file, format_, separator=writing.separator, excel_safe=writing.excel_safe, source=source)

    def write_parts(
        self, released: ReleasedRecords, folder: Path, format_: Format, writing: Writing
    ) -> list[WrittenPart]:
        """Write the records in parts of one size; the last one has what is left."""
        records = released.data.records
        size = writing.records_per_part or max(records, 1)
        parts: list[WrittenPart] = []
        for start in range(0, max(records, 1), size):
            part = WrittenPart(folder / part_name(len(parts), format_), min(size, records - start))
            some = _table_of(released) if part.records == records else Portion(_table_of(released), start, part.records)
            with part.path.open("xb") as file:
                write(some, file, format_, separator=writing.separator, excel_safe=writing.excel_safe)
            parts.append(part)
        return parts

    def verify_parts(self, parts: Sequence[WrittenPart], claim: Claim) -> Verdict:
        """Read the parts again, and check every record against the input."""
        return verify_parts(parts, claim, self.workspace)

    def verify(self, file: BinaryIO, claim: Claim) -> Verdict:
        """Read the bytes again, and check every record against the input."""
        system.give_back()
        return verify(file, claim, self.workspace)


def _table_of(released: ReleasedRecords) -> Table | RecodedTable:
    """The released records, in memory or made some at a time."""
    return released.data if isinstance(released.data, RecodedTable) else released.data.collect()


def entering(table: Table, job: Job) -> tuple[Table, Index | None]:
    """The records that enter, and where they stand in the table: `None` where all enter.

    Raises:
        InfeasibleError: the job takes complete records only, and none is.
    """
    if not job.complete:
        return table, None
    chosen = entered(table, job.complete, job.schema.missing)
    return chosen.table, chosen.rows


#: The engine that is taken where none is named.
LOCAL: Final[Engine] = LocalEngine()


def local_engine(memory_limit: int | None, spill_folder: str | os.PathLike[str] | None = None) -> Engine:
    """The local engine within so many bytes of memory, its long arrays in files of a folder; or without a limit."""
    if memory_limit is None:
        if spill_folder is not None:
            raise UsageError("nothing is spilled without a limit of memory", where="spill-folder", hint=_LIMIT)
        return LOCAL
    if memory_limit < 1:
        raise UsageError("there must be some memory", where="memory-limit", hint=_LIMIT)
    return LocalEngine(Workspace(Path(spill_folder or tempfile.gettempdir()), memory_limit))


_LIMIT: Final = "write an amount such as 4GiB (--memory-limit, in Python memory_limit=)"


# ── what is changed in released cells besides generalization ─────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Altered:
    """Released records whose cells were changed, in the order of their new content."""

    recoded: Recoded
    effects: tuple[Effect, ...] = ()
    linked: tuple[Linked, ...] = ()


def altered(recoded: Recoded, job: Job, source: Table, changed: Table | None = None) -> Altered:
    """The records as they are released: perturbed, with pseudonyms, and in an order that tells nothing of before.

    Cost: besides the perturbations themselves one sort of the records.

    Args:
        recoded: The generalized records.
        job: The job.
        source: The table as it was read.
        changed: The columns that were changed before the search; see `coarsened`.
    """
    if not job.perturbations and job.key is None:
        return Altered(recoded)
    from kohort.tables.perturbing import perturb  # noqa: PLC0415  most jobs change nothing; see `kohort.perturbation`
    from kohort.tables.pseudonyms import linked_by, pseudonymize  # noqa: PLC0415

    done: tuple[Column, ...] = ()
    if changed is not None:  # what a perturbation did is measured from the cells as they were read
        done = tuple(recoded.table[name] for name in changed.names)
        own = Table(tuple(source[name] for name in changed.names), source.records).take(recoded.lineage)
        recoded = replace(recoded, data=unsafe.with_columns(recoded.table, own))
    missing, named = job.schema.missing, [one.name for one in job.schema.pseudonyms]
    table, effects = perturb(recoded.table, job.perturbations, missing=missing, seed=job.seed, done=done)
    if job.key is not None:
        table = pseudonymize(table, named, job.key, missing=missing)
    return Altered(_in_order(table, recoded, job.schema), effects, linked_by(table, named, missing=missing))


def _in_order(table: Table, recoded: Recoded, schema: Schema) -> Recoded:
    """The records by their content, generalized columns first: the order they had tells what the cells were."""
    names = [one.name for one in schema.quasi]
    names += [one.name for one in schema.released if one.role is not Role.QUASI]
    order = order_by(content_keys((table[name].values, table[name].codes) for name in names))
    columns = (
        Column(one.name, one.values, one.codes[order], one.dtype, notation=one.notation) for one in table.columns
    )
    return Recoded(Table(tuple(columns), table.records), recoded.lineage[order], recoded.lost)
