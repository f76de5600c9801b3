"""What a library makes of a supplied file, in a process of its own, with little time and memory.

A file can ask its reader for all memory there is, or to count for ever, in one step that nothing interrupts; and where
a library in another language fails, it ends its process. So another process reads it, which the system ends. That has
one thread, no variables of this process's environment, and sends the table as Arrow.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import Final

import polars as pl

from kohort.errors import FileError, InputError, KohortError, LimitError, MissingExtraError
from kohort.io.forms import FORMATS, Content, FileFormat
from kohort.system import limit, memory
from kohort.tables.table import Labels

#: Seconds of a processor, and bytes of memory, that it may take. A copy of the answer comes to the memory.
SECONDS: Final = 5
MEMORY: Final = 512 << 20

#: How much more for each MiB of a file whose size tells how much it holds: at least twice what a workbook of a million
#: records takes.
_SECONDS_EACH, _MEMORY_EACH = 4, 192 << 20

#: Seconds by the clock, for each of a processor, after which it is given up: where the system has no limits, or the
#: process waits for itself.
_PATIENCE: Final = 24

#: Variables by which a process finds its libraries. Nothing else of the environment is known there.
_LIBRARIES: Final = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "PATH")

#: And those by which libraries start no threads, set no memory aside and print nothing.
_ALONE: Final = {
    "POLARS_MAX_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "RUST_BACKTRACE": "0",
}

#: What the process runs: the same kohort, with the libraries of this process.
_PROGRAM: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from kohort.io.confined import main; main(*sys.argv[2:])"
)

#: What it can say is wrong, by its status.
_ERRORS: Final = {one.exit_status: one for one in (InputError, FileError, LimitError, MissingExtraError)}

#: How it ends where a library fails: by an error that is none of kohort's, or by the system for what it did.
_FAILED: Final = frozenset({1, -4, -7, -8, -11})


def read_file(form: FileFormat, path: str, inner: str, *how: str) -> Content:
    """The table in a file, or the one called `inner`, as its format reads it, in a process with limits if due."""
    if not form.confined:
        return form.read(path, inner, *how)
    return confined(path, form.key, inner, *how, where=path, hint=form.too_large, grows=True)


def confined(path: str, key: str, inner: str, *how: str, where: str, hint: str, grows: bool) -> Content:
    """The table in a file, as the `read` of its format has it.

    Args:
        path: The file.
        key: Its format, one of `FORMATS`.
        inner: The sheet, table or view.
        how: What else the format is told.
        where: What is named where nothing more is known.
        hint: What to do where it takes too much.
        grows: Whether a larger file may take more.

    Raises:
        InputError: it cannot be read or computed.
        LimitError: it takes too much time or memory.
        MissingExtraError: a library is not installed.
    """
    size = Path(path).stat().st_size if grows else 0
    seconds, most = SECONDS + size * _SECONDS_EACH // (1 << 20), MEMORY + size * _MEMORY_EACH // (1 << 20)
    most = min(most, max(memory(), MEMORY))
    paths = json.dumps([str(Path(one).absolute()) for one in sys.path])
    known = {one: os.environ[one] for one in _LIBRARIES if one in os.environ}
    command = [sys.executable, "-I", "-c", _PROGRAM, paths, path, key, inner, str(seconds), str(most), *how]
    with suppress(subprocess.TimeoutExpired):
        ran = subprocess.run(  # noqa: S603  Python itself
            command,
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
            env=known | _ALONE,
            timeout=_PATIENCE * seconds,
        )
        said = ran.stderr.rpartition(b"\n")[2]
        if not ran.returncode:
            told = json.loads(said)
            labels = {name: Labels(**one) for name, one in told["labels"].items()}
            return Content(pl.read_ipc(BytesIO(ran.stdout)), labels, tuple(told["notes"]))
        if said and ran.returncode in _ERRORS:
            raise _ERRORS[ran.returncode](**json.loads(said))
        if ran.returncode in _FAILED:
            raise InputError(f"the {FORMATS[key].title} file is damaged: its reader failed", where=where)
    what = f"reading takes more than {seconds} seconds of a processor, or {most >> 20} MiB of memory"
    raise LimitError(what, where=where, hint=hint)


def main(path: str, key: str, inner: str, seconds: str, most: str, *how: str) -> None:
    """What the process does: send the table, or say what is wrong and end with the status of that."""
    limit(int(seconds), int(most))
    try:
        found = FORMATS[key].read(path, inner, *how)
        found.frame.write_ipc(sys.stdout.buffer)
    except KohortError as error:
        if error.hint or not isinstance(error, LimitError):  # else it is a limit of this process
            _say({"what": error.what, "where": error.where, "hint": error.hint})
        sys.exit(error.exit_status)
    except MemoryError:
        sys.exit(LimitError.exit_status)
    _say({"labels": {name: asdict(one) for name, one in found.labels.items()}, "notes": found.notes})


def _say(what: object) -> None:
    """Tell the other process: in the last line, behind what libraries have printed."""
    sys.stderr.write(f"\n{json.dumps(what)}")
