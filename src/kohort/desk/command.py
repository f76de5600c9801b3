"""`kohort app`: the desk, in the browser of this machine."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from warnings import catch_warnings, simplefilter

from kohort import system
from kohort.cli.derive import argument, option
from kohort.cli.screen import echo
from kohort.errors import SourceNote, UsageError


def app(
    source: Path | None = argument(
        "IN", "A file of data to draft a job for, or a job file (.toml). If none is named, the desk asks."
    ),
    *,
    kind: str | None = option(
        "", "The kind of data that IN contains, such as table; by default kohort detects it.", "KIND"
    ),
    browser: bool = option(
        "", "Open the desk in the browser, or only print its address.", "--browser/--no-browser", default=True
    ),
) -> None:
    """Open the desk in your browser: inspect data, choose settings, preview, release."""
    from kohort.desk.serve import desk_of, refuse_missing, run

    refuse_missing()
    from kohort.desk.door import Door

    if source is None and kind:
        raise UsageError("--kind needs a file", where="--kind", hint="name the file, too")
    with catch_warnings():  # what is noted of a table stands on the pages: nobody looks at this terminal
        simplefilter("ignore", SourceNote)
        desk = None if source is None else desk_of(source, Path(), kind or "")
        run(Door(Path.cwd(), desk), _tell, shown=not _is_read_by_others(), browser=browser)


def _tell(text: str) -> None:
    echo(text)
    sys.stdout.flush()


def _is_read_by_others() -> bool:
    """Whether the output goes to a file that other users may read."""
    try:
        mode = os.fstat(sys.stdout.fileno()).st_mode
    except (OSError, ValueError):  # no file, as in a notebook
        return False
    return system.POSIX and stat.S_ISREG(mode) and bool(mode & (stat.S_IRGRP | stat.S_IROTH))
