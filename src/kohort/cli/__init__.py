"""The command line: arguments in, exit status out."""

from __future__ import annotations

import gc
import signal
import sys
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from kohort.cli import (
    anonymize,
    check,
    compare,
    demo,
    describe,
    generate,
    hierarchy,
    key,
    perturb,
    report,
    risk,
    sweep,
    transactions,
)
from kohort.errors import FileError, JobError, KohortError, LimitError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

#: A fault of kohort itself: none of the statuses that scripts rely on (as sysexits.h has it).
INTERNAL = 70

#: What is left to say of a run that was stopped by a signal.
_STOPPED = {
    130: "interrupted; what was not complete was not published",
    143: "terminated; what was not complete was not published",
}

app = typer.Typer(
    name="kohort",
    help="Make personal data safe to release, prove it on the bytes that leave, and see what it cost.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(demo.demo)
app.command()(describe.inspect)
app.command()(describe.init)
app.command()(anonymize.anonymize)
app.command()(transactions.transactions)
app.command()(anonymize.run)
app.command()(check.check)
app.command()(report.report)
app.command()(risk.risk)
app.command()(compare.compare)
app.command()(perturb.perturb)
app.command()(sweep.sweep)
app.command()(key.key)
app.command()(describe.schema)
app.add_typer(hierarchy.app, name="hierarchy")
app.add_typer(generate.app, name="generate")


@app.callback(invoke_without_command=True)
def _version(
    context: typer.Context,
    *,
    version: Annotated[bool, typer.Option("--version", help="Print kohort's version and stop.")] = False,
) -> None:
    if version:
        from kohort import __version__

        typer.echo(__version__)
        context.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0, or the error's own. No traceback, whatever happens.

    Args:
        arguments: What follows the program's name; `None` takes what the process was started with.
    """
    gc.disable()  # imports make a million objects, all of which stay: looking for cycles among them costs 0.1 s
    signal.signal(signal.SIGTERM, _terminate)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # escape what the terminal's encoding lacks
    status, message = 0, ""
    try:
        app(arguments, prog_name="kohort")
    except BaseException as end:  # noqa: BLE001  the last resort: a traceback may show cells, `_ending` cannot
        status, message = _ending(end)
    if message:
        with suppress(OSError):  # nobody may be listening any more
            typer.echo(f"kohort: {message}", err=True)
    return status


def _ending(end: BaseException) -> tuple[int, str]:
    """The exit status that what was raised means, and what is left to say."""
    match end:
        case JobError():
            ending = end.exit_status, "\n".join([end.what, *map(_item, end.exceptions)])
        case KohortError():
            ending = end.exit_status, str(end)
        case SystemExit():
            status = int(end.code or 0)
            ending = status, _STOPPED.get(status, "")
        case KeyboardInterrupt():
            ending = 130, _STOPPED[130]
        case MemoryError():
            ending = LimitError.exit_status, "the memory is used up; nothing more was published"
        case OSError():
            ending = FileError.exit_status, f"the system refused: {end.strerror}"
        case _:
            ending = INTERNAL, _internal(end)
    return ending


def _item(fault: Exception) -> str:
    """One fault of several."""
    return "- " + str(fault).replace("\n", "\n  ")


def _internal(fault: BaseException) -> str:
    """Where kohort itself failed: kinds and places only, since an error's text may repeat a cell."""
    root = Path(__file__).parents[1]
    places = [frame for frame in extract_tb(fault.__traceback__) if Path(frame.filename).is_relative_to(root)]
    steps = [f"    {Path(frame.filename).relative_to(root)}, line {frame.lineno}" for frame in places]
    return "\n".join([f"a fault of its own ({type(fault).__name__}); please report these lines:", *steps])


def _terminate(_signal: int, _frame: FrameType | None) -> NoReturn:
    """Leave as after Ctrl-C, so that whatever is open is cleaned up, but with the status of SIGTERM."""
    sys.exit(143)
