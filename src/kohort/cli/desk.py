"""`kohort app`: the desk, in the browser of this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kohort.cli import options
from kohort.cli.screen import echo


def app(
    source: Annotated[
        Path,
        typer.Argument(metavar="IN", help="A table to draft a job for, or a job file (.toml) to go on with."),
    ],
    *,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the desk in the browser, or only print its address.")
    ] = True,
) -> None:
    """Open the desk: see a table, choose roles and models, try them and release, in the browser of this machine."""
    options.use_threads()
    from kohort.app.serve import Opening, desk_of, refuse_missing, run

    refuse_missing()
    desk = desk_of(source, Path())
    run(desk, Opening(_tell, browser=browser))


def _tell(address: str) -> None:
    """Print the address at once, also into a pipe."""
    echo(f"The desk is open, for the browser that goes there first:\n\n  {address}\n\nCtrl-C closes it.")
    import sys

    sys.stdout.flush()
