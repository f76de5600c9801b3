"""What a person or a program sees: progress on a terminal, one JSON object, or a few lines."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kohort.report import Json


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A line on standard error that says which stage runs and since when; only on a terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console  # noqa: PLC0415  only where there is a terminal
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("start", total=None)
        yield lambda stage: bar.update(task, description=f"{stage} …")


def say(text: str, figures: Json, *, as_json: bool, quiet: bool = False) -> None:
    """Print `figures` as JSON or else `text`, unless quiet."""
    if as_json:
        typer.echo(json.dumps(figures, ensure_ascii=False))
    elif not quiet:
        typer.echo(text)
