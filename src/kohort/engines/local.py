"""The engine of one machine: NumPy over the dictionary codes of a table in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from kohort import io, system
from kohort.core.branches import companions_in
from kohort.core.order import order_by
from kohort.engines import gates, limits
from kohort.engines.base import Counted, Counts, needed_columns, searched_sensitive
from kohort.errors import UsageError
from kohort.io.manifest import WrittenPart, part_name
from kohort.io.write import write
from kohort.schema import Role
from kohort.system.workspace import HEAP, Workspace
from kohort.tables.coded import CodedTable, Recoded
from kohort.tables.complete import could_enter, entered
from kohort.tables.dataset import ReleasedRecords, linked_by
from kohort.tables.people import person_codes
from kohort.tables.recoded import RecodedTable
from kohort.tables.table import Column, Table
from kohort.tables.texts import content_keys
from kohort.verify import verify, verify_parts

if TYPE_CHECKING:
    import os

    from kohort.core.recoding import Recoding, RegionClasses
    from kohort.engines.base import Engine
    from kohort.io.forms import Format
    from kohort.io.options import ReadOptions
    from kohort.perturbation.effect import Effect
    from kohort.release import Job, Writing
    from kohort.schema import Schema
    from kohort.tables.dataset import Dataset, Linked
    from kohort.verify import Claim, Verdict


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

    def count(self, data: Dataset, job: Job, population: Dataset | None = None, *, releasing: bool = False) -> Counted:
        """Count the tuples by one pass of hashing over the records."""
        whole = data.collect().needing(needed_columns(job, data.names))
        source, rows = entered(whole, job.complete, job.schema.missing)
        if releasing:
            person = job.schema.person
            here = gates.Tuples(source, None, None if person is None else person_codes(source[person]))
            gates.refuse_unsafe(here, [(job.schema, here)], job, partial(gates.coded, source, job))
        changed = gates.coarsened(source, job)
        known = None if population is None else could_enter(population.collect(), job.schema, job.complete)
        coded = CodedTable(gates.with_columns(source, changed), job.schema, known, self.workspace)

        def recode(recoding: Recoding, classes: RegionClasses) -> ReleasedRecords:
            system.give_back()
            found, effects, linked = altered(coded.recode(recoding, classes), job, source, changed)
            gates.refuse_released(found, source, job)
            known = source, whole, found.lineage, rows, changed
            return ReleasedRecords(found.data, *known, found.lost, effects, linked)

        limit, distinct = self.workspace.limit, job.algorithm.distinct
        return Counted(counts_of(coded, source.records, job, limit, distinct=distinct, releasing=releasing), recode)

    def write(
        self, released: ReleasedRecords, into: BinaryIO | Path, format_: Format, writing: Writing
    ) -> list[WrittenPart]:
        """Write the records in one of the formats of files; of several parts, the last one has what is left."""
        system.give_back()
        table = _table_of(released)
        put = partial(write, format_=format_, separator=writing.separator, excel_safe=writing.excel_safe)
        if not isinstance(into, Path):
            put(table, into, source=released.source.collect())
            return []
        parts, start = parts_in(into, format_, table.records, writing), 0
        for part in parts:
            with part.path.open("xb") as file:
                put(table.part(slice(start, start + part.records)), file)
            start += part.records
        return parts

    def verify(self, written: BinaryIO | Sequence[WrittenPart], claim: Claim) -> Verdict:
        """Read the bytes again, and check every record against the input."""
        system.give_back()
        if isinstance(written, Sequence):
            return verify_parts(written, claim, self.workspace)
        return verify(written, claim, self.workspace)


def _table_of(released: ReleasedRecords) -> Table | RecodedTable:
    return released.data if isinstance(released.data, RecodedTable) else released.data.collect()


def counts_of(
    coded: CodedTable, records: int, job: Job, limit: int | None, *, distinct: bool, releasing: bool
) -> Counts:
    """What a search sees of so many records, whose tuples have codes, within so many bytes of memory."""
    if releasing:
        gates.refuse_listed(coded, job)
    frequency = coded.count(searched_sensitive(job), distinct=distinct)
    limits.refuse_large(frequency, limit, job.algorithm)
    limits.refuse_search(frequency, coded.domains, job, coded.workspace)
    limits.refuse_empty(frequency.records)
    domains = companions_in(frequency, coded.domains)
    return Counts(records, coded.schema, frequency, domains, coded.suppressed, coded.population, coded.workspace)


def parts_in(folder: Path, format_: Format, records: int, writing: Writing) -> list[WrittenPart]:
    """The parts of so many records that `writing` asks for; of no record one part."""
    size = writing.records_per_part or max(records, 1)
    starts = enumerate(range(0, max(records, 1), size))
    return [WrittenPart(folder / part_name(at, format_), min(size, records - start)) for at, start in starts]


#: The engine that is taken where none is named.
LOCAL: Final[Engine] = LocalEngine()


def local_engine(memory_limit: int | None, spill_folder: str | os.PathLike[str] | None = None) -> Engine:
    """The local engine within so many bytes of memory, its long arrays in files of a folder; or without a limit."""
    if memory_limit is None:
        if spill_folder is not None:
            raise UsageError("a spill folder needs a memory limit", where="spill-folder", hint=_LIMIT)
        return LOCAL
    if memory_limit < 1:
        raise UsageError("the memory limit must be above 0", where="memory-limit", hint=_LIMIT)
    return LocalEngine(Workspace(Path(spill_folder or tempfile.gettempdir()), memory_limit))


_LIMIT: Final = "write an amount such as 4GiB (--memory-limit, in Python memory_limit=)"


# ── what is changed in released cells besides generalization ─────────────────────────────────────


def altered(
    recoded: Recoded, job: Job, source: Table, changed: Table | None = None
) -> tuple[Recoded, tuple[Effect, ...], tuple[Linked, ...]]:
    """The records as they are released: perturbed, with pseudonyms, and in an order that tells nothing of before.

    Also what perturbations did, and how far pseudonyms link records.

    Cost: besides the perturbations themselves one sort of the records.

    Args:
        recoded: The generalized records.
        job: The job.
        source: The table as it was read.
        changed: The columns that were changed before the search; see `coarsened`.
    """
    if not job.perturbations and job.key is None:
        return recoded, (), ()
    from kohort.tables.perturbing import (  # noqa: PLC0415  most jobs change nothing; see `kohort.perturbation`
        perturb,
        pseudonymize,
    )

    done: tuple[Column, ...] = ()
    if changed is not None:  # what a perturbation did is measured from the cells as they were read
        done = tuple(recoded.table[name] for name in changed.names)
        own = Table(tuple(source[name] for name in changed.names), source.records).take(recoded.lineage)
        recoded = replace(recoded, data=gates.with_columns(recoded.table, own))
    missing, named = job.schema.missing, [one.name for one in job.schema.pseudonyms]
    table, effects = perturb(recoded.table, job.perturbations, missing=missing, seed=job.seed, done=done)
    if job.key is not None:
        table = pseudonymize(table, named, job.key, missing=missing)
    return _in_order(table, recoded, job.schema), effects, linked_by(table, named, missing=missing)


def _in_order(table: Table, recoded: Recoded, schema: Schema) -> Recoded:
    """The records by their content, generalized columns first: the order they had tells what the cells were."""
    names = [one.name for one in schema.quasi]
    names += [one.name for one in schema.released if one.role is not Role.QUASI]
    order = order_by(content_keys((table[name].values, table[name].codes) for name in names))
    columns = (
        Column(one.name, one.values, one.codes[order], one.dtype, notation=one.notation) for one in table.columns
    )
    return Recoded(Table(tuple(columns), table.records), recoded.lineage[order], recoded.lost)
