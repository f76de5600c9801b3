"""Flags that several commands share, and how their texts are read."""

from __future__ import annotations

import csv
import os
from typing import TYPE_CHECKING, Annotated

import typer

from kohort.errors import InfeasibleError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.engines.table import Table

Source = Annotated[
    str, typer.Argument(metavar="IN", help="The table: CSV, TSV (also .gz), Parquet or Arrow; - is standard input.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the file that is there.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Do all but write: show what the release would cost.")]
Threads = Annotated[
    int,
    typer.Option(
        metavar="N", min=1, help="Threads to use; the bytes are the same for any number.", show_default="all cores"
    ),
]
Separator = Annotated[
    str | None, typer.Option(metavar="CHAR", help="Between the cells of the input; found by itself where not given.")
]
Encoding = Annotated[str, typer.Option(metavar="NAME", help="Encoding of the input.")]
NoHeader = Annotated[
    bool, typer.Option("--no-header", help="The first line is data; columns are called column_1, column_2, …")
]
SkipBlank = Annotated[bool, typer.Option("--skip-blank", help="Pass over empty lines.")]
MissingTokens = Annotated[
    list[str] | None,
    typer.Option(
        "--missing-token",
        metavar="TEXT",
        help="A text that means: no value (repeatable; the empty cell always does).",
    ),
]
Quasi = Annotated[
    list[str] | None, typer.Option("--quasi", metavar="A,B", help="Quasi-identifying columns (repeatable).")
]
K = Annotated[int, typer.Option("--k", metavar="K", help="Every class has at least k records.")]

#: Threads where nothing is said: the cores this process may use.
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def use_threads(threads: int = CORES) -> None:
    """Limit the data-frame library to `threads`, unless the user has; it reads this when it is first imported."""
    os.environ.setdefault("POLARS_MAX_THREADS", str(threads))


def read_table(source: str, separator: str | None, encoding: str, *, no_header: bool, skip_blank: bool) -> Table:
    """The table that the reading flags describe; a terminal sees how long it takes."""
    from kohort.cli.screen import progress

    use_threads()
    from kohort.io import ReadOptions, read

    options = ReadOptions(separator=separator, encoding=encoding, header=not no_header, skip_blank=skip_blank)
    with progress() as tell:
        tell("read")
        try:
            return read(source, options)
        except InfeasibleError as fault:  # the library's hint is a flag that only releases have
            raise InfeasibleError(fault.what, where=fault.where, hint="bring a table with records") from None


def names(texts: Sequence[str] | None) -> list[str]:
    """Column names from comma-separated, repeatable flags; a name with a comma is quoted as in CSV.

    >>> names(["age,sex", 'city,"income, net"'])
    ['age', 'sex', 'city', 'income, net']
    """
    return [name for row in csv.reader(texts or ()) for name in row if name]


def pairs(texts: Sequence[str] | None, flag: str) -> dict[str, str]:
    """`column=value` flags as a mapping.

    Raises:
        UsageError: a text without `=`, or a column given twice.

    >>> pairs(["age=5"], "--grid")
    {'age': '5'}
    """
    columns: set[str] = set()
    for text in texts or ():
        column, equals, _ = text.partition("=")
        if not equals or column in columns:
            what = f"column {column} is given twice" if equals else "there is no = in it"
            raise UsageError(what, where=flag, hint=f"write {flag} COLUMN=VALUE, once per column")
        columns.add(column)
    return readable(texts)


def readable(texts: Sequence[str] | None) -> dict[str, str]:
    """The `column=value` flags that are such; of two for a column, the last.

    >>> readable(["age=5", "sex", "age=10"])
    {'age': '10'}
    """
    parts = (text.partition("=") for text in texts or ())
    return {column: value for column, equals, value in parts if equals}
