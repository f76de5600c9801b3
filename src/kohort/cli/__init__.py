"""The command line: arguments in, exit status out."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

import typer

from kohort.cli import anonymize, check, demo, describe, generate, hierarchy
from kohort.errors import KohortError

if TYPE_CHECKING:
    from types import FrameType

app = typer.Typer(
    name="kohort",
    help="Make tables safe to release, prove it on the bytes that leave, and see what it cost.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(demo.demo)
app.command()(describe.inspect)
app.command()(describe.init)
app.command()(anonymize.anonymize)
app.command()(anonymize.run)
app.command()(check.check)
app.command()(describe.schema)
app.add_typer(hierarchy.app, name="hierarchy")
app.add_typer(generate.app, name="generate")


@app.callback(invoke_without_command=True)
def _version(
    context: typer.Context,
    *,
    version: bool = typer.Option(False, "--version", help="Print kohort's version and stop."),  # noqa: FBT003  typer's signature
) -> None:
    if version:
        from kohort import __version__  # noqa: PLC0415  one flag needs it

        typer.echo(__version__)
        context.exit()


def main() -> None:
    """Run the command line and leave with the exit status of design.md: 0, or the error's own."""
    signal.signal(signal.SIGTERM, _terminated)
    try:
        app()
    except KohortError as fault:
        typer.echo(f"kohort: {fault}", err=True)
        sys.exit(fault.exit_status)
    except KeyboardInterrupt:
        typer.echo("kohort: interrupted; nothing was published", err=True)
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read our output has left; Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(6)


def _terminated(_signal: int, _frame: FrameType | None) -> None:
    """Leave as after Ctrl-C, so that whatever is open is cleaned up, but with the status of SIGTERM."""
    sys.exit(143)
