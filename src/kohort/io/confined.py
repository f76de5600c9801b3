"""What a supplied file has computed when it is read: in a process of its own, with little time and memory.

A statement in a database may count for ever or ask for all memory there is, in one step that nothing interrupts. So
another process computes it, which the system ends. That has one thread, no variables of this process's environment,
and sends the answer as Arrow.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Final

import polars as pl

from kohort.errors import InputError, KohortError, LimitError

#: Seconds of a processor, and bytes of memory, that it may take. A copy of the answer comes to the memory.
SECONDS: Final = 5
MEMORY: Final = 512 << 20

#: Seconds by the clock after which it is given up: where the system has no limits, or the process waits for itself.
_PATIENCE: Final = 120

#: Variables by which a process finds its libraries. Nothing else of the environment is known there.
_LIBRARIES: Final = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "PATH")

#: And those by which libraries start no threads, set no memory aside and print nothing.
_ALONE: Final = {
    "POLARS_MAX_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "RUST_BACKTRACE": "0",
}

#: What the process runs: the same kohort, with the libraries of this process.
_PROGRAM: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from kohort.io.confined import main; main(*sys.argv[2:])"
)


def confined(path: str, key: str, name: str) -> pl.DataFrame:
    """The records of a view in a database file, or of whatever else is computed when it is read.

    Raises:
        InputError: it cannot be computed.
        LimitError: it takes too much time or memory.
    """
    where, paths = f"{path}, view {name!r}", [str(Path(one).absolute()) for one in sys.path]
    known = {one: os.environ[one] for one in _LIBRARIES if one in os.environ}
    command = [sys.executable, "-I", "-c", _PROGRAM, json.dumps(paths), str(Path(path).absolute()), key, name]
    with suppress(subprocess.TimeoutExpired):
        ran = subprocess.run(  # noqa: S603  Python itself
            command, capture_output=True, check=False, stdin=subprocess.DEVNULL, env=known | _ALONE, timeout=_PATIENCE
        )
        if not ran.returncode:
            return pl.read_ipc(BytesIO(ran.stdout))
        if ran.returncode == InputError.exit_status:
            what, hint = json.loads(ran.stderr)
            raise InputError(what, where=where, hint=hint)
    what = f"to compute it takes more than {SECONDS} seconds of a processor, or {MEMORY >> 20} MiB of memory"
    raise LimitError(what, where=where, hint="copy it into a table of the database, and name that")


def main(path: str, key: str, name: str) -> None:
    """What the process does: send the records, or say what is wrong and end with the status of that."""
    limit()
    from kohort.io.databases import computed  # noqa: PLC0415  it calls what is here

    try:
        computed(path, key, name).write_ipc(sys.stdout.buffer)
    except KohortError as error:
        json.dump((error.what, error.hint), sys.stderr)
        sys.exit(error.exit_status)
    except MemoryError:
        sys.exit(LimitError.exit_status)


def limit() -> None:
    """Have the system end this process where it takes more."""
    with suppress(ImportError):  # Windows has no limits
        import resource  # noqa: PLC0415  as above

        for what, most in ((resource.RLIMIT_CPU, SECONDS), (resource.RLIMIT_DATA, MEMORY), (resource.RLIMIT_CORE, 0)):
            hard = resource.getrlimit(what)[1]
            resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
