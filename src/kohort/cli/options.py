"""Flags that several commands share, and how their texts are read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from kohort.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

Source = Annotated[str, typer.Argument(metavar="IN", help="The table: CSV, TSV (also .gz), Parquet or Arrow; - is standard input.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the file that is there.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Do all but write: show what the release would cost.")]
Threads = Annotated[int, typer.Option(min=1, help="Threads to use; the bytes are the same for any number.", show_default="all cores")]
Separator = Annotated[str | None, typer.Option(help="Between the cells of the input; found by itself where not given.")]
Encoding = Annotated[str, typer.Option(help="Encoding of the input.")]
NoHeader = Annotated[bool, typer.Option("--no-header", help="The first line is data; columns are called column_1, column_2, …")]
MissingTokens = Annotated[list[str] | None, typer.Option("--missing-token", help="A text that means: no value (repeatable; the empty cell always does).")]
Quasi = Annotated[list[str] | None, typer.Option("--quasi", help="Quasi-identifying columns, separated by commas.")]
K = Annotated[int, typer.Option("--k", help="Every class has at least k records.")]

#: Threads where nothing is said: the cores this process may use.
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def use_threads(threads: int) -> None:
    """Limit the data-frame library to `threads`; it reads this when it is first imported."""
    os.environ.setdefault("POLARS_MAX_THREADS", str(threads))


def names(texts: Sequence[str] | None) -> list[str]:
    """Column names from comma-separated, repeatable flags.

    >>> names(["age,sex", "city"])
    ['age', 'sex', 'city']
    """
    return [name for text in texts or () for name in text.split(",") if name]


def pairs(texts: Sequence[str] | None, flag: str) -> dict[str, str]:
    """`column=value` flags as a mapping.

    Raises:
        UsageError: a text without `=`, or a column given twice.

    >>> pairs(["age=5"], "--grid")
    {'age': '5'}
    """
    found: dict[str, str] = {}
    for text in texts or ():
        column, equals, value = text.partition("=")
        if not equals or column in found:
            raise UsageError(f"{flag} wants COLUMN=VALUE, once per column", where=flag, hint=f"for example {flag} age=5")
        found[column] = value
    return found
