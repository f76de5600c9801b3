"""The process `kohort`, also as `python -m kohort`: what is settled before the command line is imported."""

from __future__ import annotations

import os
import signal
import sys
from typing import Final

#: By which polars gives freed addresses back, too: else a system that counts what is set aside, as with `ulimit -d`,
#: refuses a run that uses a fraction of it.
RETURNING: Final = {"_RJEM_MALLOC_CONF": "retain:false"}


def run() -> None:
    """Run the command line and leave with its status.

    Signals wait while it is imported: it can say how it ends only afterwards.
    """
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    _keep_the_screen()
    for name, value in RETURNING.items():
        os.environ.setdefault(name, value)
    from kohort.cli import main  # noqa: PLC0415  it loads most of what a command needs

    sys.exit(main())


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
