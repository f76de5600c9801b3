"""`kohort app`: the desk, in the browser of this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kohort.cli import options
from kohort.cli.screen import echo
from kohort.errors import UsageError


def app(
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="IN",
            help=(
                "A table or transactions to draft a job for, or a job file (.toml). If none is named, the desk asks."
            ),
        ),
    ] = None,
    *,
    transactions: Annotated[
        bool | None,
        typer.Option(
            "--transactions/--table",
            help="What IN contains; if not given, kohort detects it from the form of its lines.",
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the desk in the browser, or only print its address.")
    ] = True,
) -> None:
    """Open the desk: see a table or transactions, choose roles and models, try and release, in your browser."""
    options.use_threads()
    from kohort.app.serve import Opening, desk_of, refuse_missing, run

    refuse_missing()
    from kohort.app.door import Door

    if source is None and transactions is not None:
        raise UsageError("the flag describes a file, and no file is named", where="--transactions", hint="name it, too")
    desk = None if source is None else desk_of(source, Path(), transactions=transactions)
    run(Door(Path.cwd(), desk), Opening(_tell, browser=browser))


def _tell(address: str) -> None:
    """Print the address at once, also into a pipe."""
    echo(f"The desk is open, for the first browser that opens this address:\n\n  {address}\n\nCtrl-C closes it.")
    import sys

    sys.stdout.flush()
