"""What a run needs of memory and disk: said, and refused where there is too little, before the work is done."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from kohort import system
from kohort.algorithms.method import on_nodes
from kohort.errors import InfeasibleError, InputError, LimitError, SourceNote
from kohort.io import source as files

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.algorithms.problem import Algorithm
    from kohort.core.frequency import FrequencySet
    from kohort.release import Job
    from kohort.schema.domain import Domain
    from kohort.system.workspace import Workspace

#: Bytes of a record on disk, at most, for each column and besides: its codes in the table, among the tuples and in
#: the release; its tuple, place, region and class, and the words that are sorted. Measured by `bench.scale`.
EACH_COLUMN: Final = 12
EACH_RECORD: Final = 48

#: Bytes of memory for each tuple that is grouped, at least: two places of a hash table, and which it is. Of tuples that
#: the frequency set holds several times there are a tenth at most.
GROUPED: Final = 14

#: Less than this on disk is not worth a note.
SAID: Final = 1 << 30

#: Bytes of a text by which its records are counted.
_SAMPLE: Final = 1 << 20

#: What may stand between the cells of a text, as bytes.
_SEPARATORS: Final = (b",", b";", b"\t", b"|")


def expected(source: object) -> tuple[int, int] | None:
    """About how many records and columns a text file has, by its size and its beginning; `None` of anything else."""
    path = os.fspath(cast("str | os.PathLike[str]", source)) if isinstance(source, str | os.PathLike) else ""
    if not Path(path).is_file():
        return None
    content = files.mapped(path)
    sample = bytes(content[:_SAMPLE])
    try:
        if files.form(path, content) != "text" or not sample:
            return None
    except InputError:  # a database, or nothing that can be read: its reader knows
        return None
    lines = max(sample.count(b"\n"), sample.count(b"\r"), 1)
    line = sample.splitlines()[0]
    return len(content) * lines // len(sample), 1 + max(map(line.count, _SEPARATORS))


def refuse_full(size: tuple[int, int] | None, workspace: Workspace) -> bool:
    """Say what a run of so many records and columns takes on disk at most; refuse it where there is not so much.

    Returns:
        Whether anything could be said.

    Raises:
        LimitError: the folder has too little room.
    """
    if workspace.folder is None or size is None:
        return False
    records, columns = size
    needed, free = records * (EACH_COLUMN * columns + EACH_RECORD), system.free(workspace.folder)
    if needed > free:
        what = f"some {records:,} records may take {shown(needed)} on disk, and {shown(free)} are free"
        hint = "make room, or name another folder (--spill-folder, in Python spill_folder=)"
        raise LimitError(what, where=str(workspace.folder), hint=hint)
    if needed >= SAID:
        note = f"the run takes up to {shown(needed)} on disk, in {workspace.folder}; {shown(free)} are free there"
        warnings.warn(SourceNote(note), stacklevel=3)
    return True


def search_room(frequency: FrequencySet, domains: Sequence[Domain], job: Job) -> int:
    """Bytes on disk that a search takes at most, besides what `EACH_RECORD` has room for."""
    if on_nodes(job.algorithm):
        from kohort.algorithms.lattice.rollup import room_for  # noqa: PLC0415  of these methods alone

        return room_for(frequency, domains)
    each: int = getattr(job.algorithm, "each_tuple", 0)
    each_class: Callable[[Sequence[Domain]], int] = getattr(job.algorithm, "each_class", lambda _: 0)
    return frequency.counts.size * each + frequency.records // max(job.k, 1) * each_class(domains)


def refuse_search(frequency: FrequencySet, domains: Sequence[Domain], job: Job, workspace: Workspace) -> None:
    """Refuse a search that takes more than the disk has."""
    if workspace.folder is None:
        return
    tuples, needed, free = frequency.counts.size, search_room(frequency, domains, job), system.free(workspace.folder)
    if needed > free:
        what = f"{tuples:,} different tuples may take another {shown(needed)} on disk, and {shown(free)} are free"
        hint = "make room, name another folder (--spill-folder, in Python spill_folder=), or take another method"
        raise LimitError(what, where=str(workspace.folder), hint=hint)


def refuse_large(frequency: FrequencySet, limit: int | None, algorithm: Algorithm | None = None) -> None:
    """Refuse a frequency set that is larger than the memory, with what a search on levels needs to group its tuples."""
    tuples = len(frequency.quasi)
    own = frequency.quasi.nbytes + frequency.sensitive.nbytes + frequency.counts.nbytes
    grouped = algorithm is not None and on_nodes(algorithm) and not frequency.sensitive_domains
    size = own + (GROUPED * tuples if grouped else 0)
    if limit is not None and size > limit:
        search = f", and the search groups them in another {shown(size - own)}:" if grouped else ","
        what = f"{tuples:,} different tuples take {shown(own)} of memory{search}"
        what += f" {shown(size - limit)} more than the limit"
        hint = "give a hierarchy or a coarser grid, fewer quasi-identifiers, or a larger limit"
        raise LimitError(what, where="memory-limit", hint=hint)


def refuse_empty(records: int) -> None:
    """Refuse a job whose schema suppresses every record."""
    if not records:
        what = "every record lacks a value, and the schema suppresses those"
        raise InfeasibleError(what, where="missing = suppress", hint="keep missing values as values of their own")


def shown(size: int) -> str:
    """Bytes as a person reads them.

    >>> shown(12_345_678), shown(900)
    ('12.3 MB', '900 bytes')
    """
    power = min((len(str(size)) - 1) // 3, 4)
    return f"{size / 1000**power:.{min(power, 1)}f} {('bytes', 'kB', 'MB', 'GB', 'TB')[power]}"
