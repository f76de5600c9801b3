"""Flags that several commands share and that no job file has, and how the texts of flags are read."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from kohort import system
from kohort.cli.derive import Given, Keys, option
from kohort.errors import InfeasibleError

if TYPE_CHECKING:
    from collections.abc import Generator

    from kohort.io import ReadOptions
    from kohort.tables.table import Table

#: The flags that say how a table is read.
READING: Final = ("separator", "encoding", "header", "names", "skip-rows", "skip-blank", "trim", "decimal")

Source = Annotated[str, Keys(only=("path",))]
ReadingWithTokens = Annotated[Given, Keys(only=("path", *READING, "missing-token"))]
K = Annotated[int, Keys(only=("k",))]
Json = Annotated[
    bool, option("Run", "Print one JSON object instead of text; an error is an object too.", "--json", first=True)
]
Quiet = Annotated[bool, option("Run", "Print nothing but errors.")]
Overwrite = Annotated[bool, option("Output", "Replace files that exist.", "--overwrite", first=True)]
DryRun = Annotated[bool, option("Output", "Write nothing: show what the release would cost.", "--dry-run", first=True)]
ShowValues = Annotated[
    bool, option("Run", "Show the cells of failing classes, or the private items that prevent a release.")
]
#: Threads by default: the cores that this process may use.
CORES = system.cores()


def _of_use(_context: object, _flag: object, threads: int) -> int:
    return min(threads, system.MOST_THREADS)


Threads = Annotated[
    int,
    option(
        "Run",
        "Threads to use; the release is the same for any number.",
        "N",
        shown="all cores",
        min=1,
        callback=_of_use,
    ),
]


class Run(NamedTuple):
    """How a job is run, and what is printed of it."""

    threads: Threads = CORES
    json: Json = False
    quiet: Quiet = False
    dry_run: DryRun = False
    overwrite: Overwrite = False


class Printed(NamedTuple):
    """What is printed."""

    json: Json = False
    quiet: Quiet = False


class Written(NamedTuple):
    """What is replaced, and what is printed."""

    overwrite: Overwrite = False
    json: Json = False
    quiet: Quiet = False


def reader(reading: Given) -> ReadOptions:
    """The options for the reader."""
    from kohort.io import ReadOptions
    from kohort.job.codec import names

    given = {key.attribute: reading[key.flag] for key in reading.keys if key.attribute in ReadOptions.__slots__}
    given |= {"names": tuple(names(reading["names"]))}
    return ReadOptions(**given)


def read_table(reading: Given, source: str | None = None) -> Table:
    """The table at `source`, or else at the path that the reading flags name; a terminal sees how long it takes."""
    from kohort.cli.judged import certified_job
    from kohort.cli.screen import progress
    from kohort.io import read

    path, how = reading["path"] if source is None else source, reader(reading)
    if how.decimal is None and (job := certified_job(path)) is not None:
        how = replace(how, decimal=job.reading.decimal or ".")
    with progress() as on_progress:
        on_progress("read")
        with refusing_empty():
            return read(path, how)


#: How the flag of missing values differs from a job's where a file is matched with a population.
MISSING: Final = MappingProxyType(
    {
        "help": (
            "How the release of IN treated a missing value (default: as its certificate says): own-value, a value like"
            " any other; suppress, so that people without a value match no record; or refuse, an error."
        )
    }
)


@contextmanager
def refusing_empty() -> Generator[None]:
    """Hint at what helps where a table has no record: the library's hint is a flag that only releases have."""
    try:
        yield
    except InfeasibleError as fault:
        raise InfeasibleError(fault.what, where=fault.where, hint="use a table with records") from None
