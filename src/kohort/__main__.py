"""The process `kohort`, also as `python -m kohort`: what is settled before the command line is imported."""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

#: By which polars and DuckDB give freed addresses back, too, and Arrow, by which databases answer, sets no gigabyte
#: aside for its first answer: else a system that counts what is set aside, as with `ulimit -d`, refuses a run that uses
#: a fraction of it.
RETURNING: Final = {
    "_RJEM_MALLOC_CONF": "retain:false",
    "DUCKDB_JE_MALLOC_CONF": "retain:false",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}

#: By which NumPy starts no threads for products of matrices: kohort has none, and waiting for work takes a sixth of a
#: small run.
WITHOUT_MATRICES: Final = {"OPENBLAS_NUM_THREADS": "1"}

#: By which pydantic lets no other installed package watch what it validates, and looks for none.
UNWATCHED: Final = {"PYDANTIC_DISABLE_PLUGINS": "__all__"}

#: By which polars prints no way to where it failed: to find it takes memory, and where that is what failed, the process
#: would wait for itself for ever.
WITHOUT_TRACES: Final = {"RUST_BACKTRACE": "0"}


def run() -> None:
    """Run the command line and leave with its status.

    Signals wait while it is imported: it can say how it ends only afterwards.
    """
    gc.disable()  # as the command line does, for what is imported before it
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    _open_streams()
    _keep_the_screen()
    for name, value in (RETURNING | WITHOUT_MATRICES | UNWATCHED).items():
        os.environ.setdefault(name, value)
    os.environ |= WITHOUT_TRACES
    status = with_room(_main)
    _let_go(sys.stdout, sys.stderr)
    gc.freeze()  # else Python looks for cycles among all objects once more as it ends: a fifth of a small run
    sys.exit(status)


def _main() -> int:
    from kohort.cli import main  # noqa: PLC0415  it loads most of what a command needs

    return main()


def with_room(function: Callable[[], int]) -> int:
    """Call a function with room for the frames of all that it calls.

    Python keeps frames in pieces of 16 KiB. A call across the end of one asks the system for the next, and gives it
    back as it returns: a loop that happens to stand there does so thousands of times. A frame that claims half a
    mebibyte makes Python ask for a whole one, of which the other half is left; only what is touched takes memory.
    """
    return function()


with_room.__code__ = with_room.__code__.replace(co_stacksize=(1 << 16) + 1)


def _open_streams() -> None:
    """Have standard streams that are closed lead to and from nowhere.

    Else the next file that is opened, a release perhaps, is the standard error to whatever library prints there.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        try:
            os.fstat(number)
        except OSError:
            with suppress(OSError):  # no file may be opened any more
                os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # noqa: FBT003  the least free number: this one
                setattr(sys, name, open(number, mode, encoding="utf-8"))  # noqa: PTH123, SIM115  it stays


def _let_go(*streams: TextIO) -> None:
    """Throw away what a stream cannot print: Python would end with a status of its own, 120, as it tries again."""
    for stream in streams:
        try:
            stream.flush()
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def _keep_the_screen() -> None:
    """Show on the standard error what kohort writes there, and nothing that a library writes by itself.

    Libraries in other languages print where they failed before they tell, with what they had in hand: cells, too.
    """
    try:
        screen, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    except OSError:  # there is no standard error, or no file may be opened any more
        return
    sys.stderr = open(screen, "w", encoding="utf-8", errors="backslashreplace", buffering=1)  # noqa: PTH123, SIM115  it stays
    os.dup2(nowhere, 2)
    os.close(nowhere)


if __name__ == "__main__":
    run()
