"""What a person or a program sees: progress on a terminal, one JSON object, or a few lines."""

from __future__ import annotations

import json
import logging
import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kohort.errors import FileError
from kohort.shown import INTERNAL, for_steward, readable, readable_json

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from kohort.report import Json


@contextmanager
def progress(*, quiet: bool = False) -> Generator[Callable[[str], None]]:
    """A line on standard error that says which stage runs and since when; only on a terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("start", total=None)

        def on_progress(stage: str) -> None:
            bar.update(task, description=f"{readable(stage, '')} …")

        def waiting(record: logging.LogRecord) -> bool:
            """Show as a stage what compiled loops are waited for."""
            on_progress(record.getMessage())
            return True

        log = logging.getLogger("kohort.machine_code")
        log.addFilter(waiting)
        log.setLevel(logging.INFO)
        try:
            yield on_progress
        finally:
            log.removeFilter(waiting)
            log.setLevel(logging.NOTSET)


def echo(text: str, *, err: bool = False) -> None:
    """Print a text, in which nothing steers the terminal; to standard error if `err`."""
    click.echo(readable(text), err=err)


def echo_json(document: object, *, indent: int | None = None) -> None:
    """Print a JSON document, in ASCII: so it survives any encoding of the terminal or pipe."""
    click.echo(readable_json(json.dumps(document, indent=indent)))


def say(
    text: str,
    figures: Mapping[str, Json] | None = None,
    *,
    as_json: bool = False,
    quiet: bool = False,
    internal: bool = False,
) -> None:
    """Print `figures` as one JSON object, or else `text` unless quiet.

    What is made of the input, for the steward who has it, says so before anything else.

    Raises:
        FileError: standard output takes no more; quietly an `Exit` of the same status where its reader has left.
    """
    if quiet and not as_json:
        return
    if internal:
        text, figures = for_steward(text), {**INTERNAL, **(figures or {})}
    try:
        if as_json:
            echo_json(figures)
        else:
            echo(text)
    except BrokenPipeError:
        with Path(os.devnull).open("wb") as nowhere:  # Python would complain once more when it flushes at exit
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        raise click.exceptions.Exit(FileError.exit_status) from None
    except OSError as fault:
        raise FileError(f"printing failed: {fault.strerror}", where="standard output") from None
