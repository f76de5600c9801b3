"""The Engine protocol: all that kohort asks of the place where records lie.

A search sees counts and answers with a recoding. So an engine reads, counts, recodes, writes and verifies;
`kohort.testing.check_engine` tries one of your own.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Protocol, cast

from kohort.errors import UsageError
from kohort.specification import plugins
from kohort.system.workspace import HEAP

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from kohort.algorithms.problem import Algorithm, Problem, Solution
    from kohort.core.frequency import FrequencySet
    from kohort.core.recoding import Recoding, RegionClasses
    from kohort.io.forms import Format
    from kohort.io.manifest import WrittenPart
    from kohort.io.options import ReadOptions
    from kohort.release import Job, Writing
    from kohort.schema import Schema
    from kohort.schema.domain import Domain
    from kohort.specification import Specification
    from kohort.system.workspace import Workspace
    from kohort.tables.dataset import Dataset, ReleasedRecords
    from kohort.verify import Claim, Verdict


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """A dataset as searches see it.

    Attributes:
        records: Those that entered.
        schema: The schema over the dataset's columns; round grids are steps, since the values are known.
        frequency: The tuples of the records that entered and that the schema does not suppress.
        domains: (d,) what the codes of the quasi-identifiers mean, in schema order.
        suppressed_by_schema: Records that the schema suppresses for their missing values.
        population: The tuples of the population table in the same codes; `None` without one.
        workspace: Where a search should put arrays as long as the table.
    """

    records: int
    schema: Schema
    frequency: FrequencySet
    domains: tuple[Domain, ...]
    suppressed_by_schema: int
    population: FrequencySet | None
    workspace: Workspace = HEAP


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """A dataset that was counted for a job, ready to be recoded.

    Attributes:
        counts: What the search sees.
        recode: Makes the records as they are released (generalized, perturbed, with pseudonyms, ordered by their own
            content) of the answer of a search over the counts, and its classes. Records that it puts in no region are
            suppressed: no value of theirs is left. A `SchemaError` says that a column singles people out.
        search: Where the tuples do not fit into memory, searches them where they are, with the same answer, and its
            classes; which records are in them stays there. The problem's frequency set says no more than how many
            records have which sensitive values. An `InfeasibleError` says that no recoding meets the models.
    """

    counts: Counts
    recode: Callable[[Recoding, RegionClasses], ReleasedRecords]
    search: Callable[[Problem, Algorithm], tuple[Solution, RegionClasses]] | None = None


class Engine(Protocol):
    """Reads, counts, recodes, writes and verifies datasets; the bytes are the same for every engine.

    What an engine cannot do is an `UnsupportedError`.
    """

    def refuse_format(self, format_: Format | None) -> None:
        """Refuse, before any work, a format that the engine does not write; `None` is a release in memory."""
        ...

    def read(self, source: object, options: ReadOptions) -> Dataset:
        """The records of a source."""
        ...

    def count(self, data: Dataset, job: Job, population: Dataset | None = None, *, releasing: bool = False) -> Counted:
        """Count the tuples that the job's search looks at.

        Args:
            data: The records, as read.
            job: The job; its schema is over the dataset's columns.
            population: The population table, where a model needs one.
            releasing: Whether a release is to be made: then columns that no search looks at are checked first.

        Raises:
            SchemaError: a released column singles people out or holds identifiers, and the job does not allow it.
            InputError: values have no place in their domain.
            InfeasibleError: no record enters, or the schema suppresses every one.
        """
        ...

    def write(
        self, released: ReleasedRecords, into: BinaryIO | Path, format_: Format, writing: Writing
    ) -> Sequence[WrittenPart]:
        """Write a release with the types and labels that the source has.

        Args:
            released: The records.
            into: An open file; or an empty folder, for parts of so many records as `writing` says.
            format_: The format.
            writing: What else is asked of the bytes.

        Returns:
            The parts in the order of their records, called as `kohort.io.manifest.part_name` says; of a release
            without records, one part. None of a file.
        """
        ...

    def verify(self, written: BinaryIO | Sequence[WrittenPart], claim: Claim) -> Verdict:
        """Judge the release in an open file, from its start; or in parts, by `kohort.io.manifest.digest_of`."""
        ...


def needed_columns(job: Job, columns: Sequence[str]) -> frozenset[str]:
    """The columns of a table whose cells a job reads: no dropped ones, and no identifying ones but the person's."""
    complete = columns if job.complete == "all" else job.complete
    return frozenset({one.name for one in job.schema.released} | {*complete, job.schema.person or ""})


def searched_sensitive(job: Job) -> list[str]:
    """The sensitive columns that the search looks at: those with a model, or all if it parts equal records by them."""
    judged = {model.declared.sensitive for model in job.models}
    return [one.name for one in job.schema.sensitive if job.algorithm.distinct or one.name in judged]


# ── engines by name ──────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, eq=False)
class EngineKind:
    """How an engine is found and opened: what stands behind its name.

    Attributes:
        specification: Its name, what it reads in a few words, and its own settings as parameters.
        opened: By its name an engine of its own, else one over the connection or session given, `None` where that is
            not one of this engine's; within so many bytes of memory, with a folder for what does not fit, and settings.
        objects: What such an object is called, in messages.
    """

    specification: Specification
    opened: Callable[[object, int | None, Path | None, Mapping[str, Any]], Engine | None]
    objects: str = ""


#: The engine that reads the records into this process.
LOCALLY: Final = "local"

#: Every engine by its name; those of other packages come from entry points.
ENGINES: Final = cast("Mapping[str, EngineKind]", plugins("kohort.engines", {LOCALLY: "kohort.engines:LOCAL"}))


def engine_of(
    engine: object,
    memory_limit: int | None = None,
    spill_folder: str | os.PathLike[str] | None = None,
    **settings: object,
) -> Engine:
    """The engine of that name, or over a connection or session, within so many bytes of memory.

    Args:
        engine: A name, such as `local` or `duckdb`; or an object that one of the engines works with, whose tables or
            frames are then sources, too.
        memory_limit: `None` for any number.
        spill_folder: Where what does not fit goes.
        settings: Settings of that engine alone.

    Raises:
        UsageError: there is no such engine, or it has no such setting, or see `local_engine`.
        MissingExtraError: its library is not installed.
        FileError: it does not start.
    """
    own = {name: value for name, value in settings.items() if value is not None and value != {}}
    for name, kind in ENGINES.items() if own else ():
        for setting in (one.name for one in kind.specification.parameters if one.name in own and name != engine):
            where = setting.replace("_", "-")
            hint = f"add --engine {name}, or leave {where} out"
            raise UsageError(f"{where} applies only to the engine {name}", where=where, hint=hint)
    folder = None if spill_folder is None else Path(spill_folder)
    for kind in (ENGINES[name] for name in ENGINES if not isinstance(engine, str) or name == engine):
        made = kind.opened(engine, memory_limit, folder, own)
        if made is not None:
            return made
    objects = [kind.objects for kind in ENGINES.values() if kind.objects]
    hint = f"one of {', '.join(ENGINES)}, or in Python {' or '.join(objects)}"
    raise UsageError("no such engine", where="engine", hint=hint)
