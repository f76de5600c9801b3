"""The Engine protocol: all that kohort asks of the place where records lie.

A search sees counts and answers with a recoding. So an engine reads, counts, recodes, writes and verifies;
`kohort.testing.check_engine` tries one of your own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Literal, Protocol, TypeAlias

from kohort.system.workspace import HEAP

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from kohort.algorithms.problem import Algorithm, Problem, Solution
    from kohort.core.frequency import FrequencySet
    from kohort.core.recoding import Recoding, RegionClasses
    from kohort.io.forms import Format
    from kohort.io.manifest import WrittenPart
    from kohort.io.options import ReadOptions
    from kohort.release import Job, Writing
    from kohort.schema import Schema
    from kohort.schema.domain import Domain
    from kohort.system.workspace import Workspace
    from kohort.tables.dataset import Dataset, ReleasedRecords
    from kohort.verify import Claim, Verdict


#: The engines by name: one that reads the records into this process, and those that leave them where they are.
EngineName: TypeAlias = Literal["local", "duckdb", "spark"]


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
