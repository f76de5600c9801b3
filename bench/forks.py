"""Processes of kohort with a fault at one call to the system: forks of one that has everything loaded, under strace.

A process of its own takes seconds to import what it needs; a fork takes the tenth of one. strace lets it make its
calls, and one of them fail or bring a signal, whoever makes it: Python, polars, the C library.
"""

from __future__ import annotations

import gc
import mmap
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: The calls that are counted: all that read or change files and folders.
CALLS: Final = (
    *("openat", "read", "pread64", "readv", "write", "pwrite64", "writev", "mmap", "ftruncate", "fallocate", "fsync"),
    *("fdatasync", "link", "linkat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat"),
    *("rmdir", "getdents64", "flock", "fchmod", "chmod", "fchmodat", "copy_file_range", "sendfile", "fcopyfile"),
)

#: What can happen at each, as strace says it; the number of the signal that ends a run, or 0.
FAULTS: Final = {
    "KILL": "signal=KILL",
    "ENOSPC": "error=ENOSPC",
    "EIO": "error=EIO",
    "EINTR": "error=EINTR",
    "SIGINT": "signal=INT",
    "SIGTERM": "signal=TERM",
}

#: The seconds after which a run hangs, and how it has ended then.
_PATIENCE: Final = 60
HANGS: Final = 999

#: strace counts the calls of each thread for itself. So many calls before all others take those of the main thread
#: apart from those of a library's threads.
_AHEAD: Final = 64
_BY_OTHERS: Final = frozenset({"openat", "read", "pread64", "write", "pwrite64", "writev", "mmap"})

_entry = re.compile(r"(\d+) +([a-z0-9_]+)\((.*)").fullmatch


@dataclass(frozen=True, slots=True)
class Call:
    """A call in a folder.

    Attributes:
        name: Its name.
        place: The how manyth call of this name its thread makes, from 1.
        main: Whether that is the main thread.
        text: As strace prints it.
    """

    name: str
    place: int
    main: bool
    text: str

    @property
    def apart(self) -> bool:
        """Whether it must be taken apart from the calls of other threads."""
        return self.main and self.name in _BY_OTHERS


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended.

    Attributes:
        status: The exit status, or minus the signal that ended it.
        out: What it printed.
        err: What it reported.
        calls: The calls that it made in its folder.
        elsewhere: Whether the fault happened to a call elsewhere, in another thread, too.
    """

    status: int
    out: str
    err: str
    calls: tuple[Call, ...]
    elsewhere: bool = False


def available() -> bool:
    """Whether there is an strace that can be used."""
    return shutil.which("strace") is not None


def load() -> None:
    """Load what every run needs; without a thread of polars, which no fork would have."""
    from importlib import import_module  # noqa: PLC0415  only here
    from pkgutil import walk_packages  # noqa: PLC0415

    import kohort  # noqa: PLC0415  as late as polars, whose threads are limited before

    for module in walk_packages(kohort.__path__, "kohort."):
        if not module.name.endswith(("__main__", "spark")):
            with suppress(ImportError):
                import_module(module.name)
    gc.freeze()


def run(
    words: Sequence[str],
    folder: Path,
    logs: Path,
    *,
    fault: tuple[str, Call] | None = None,
    prepare: Callable[[], None] = lambda: None,
    traced: bool = True,
) -> Ended:
    """Run a command once.

    Args:
        words: What follows `kohort`.
        folder: The calls in it are counted.
        logs: A folder for what strace and the run say.
        fault: One of `FAULTS`, and the call that it happens to.
        prepare: Called first in the run's process.
        traced: Whether strace looks at it.
    """
    child = os.fork()
    if not child:
        _carry_out(words, logs, prepare, stopped=traced, ahead=fault is not None and fault[1].apart)
    trace = logs / "trace"
    tracer = None
    if traced:
        os.waitpid(child, os.WUNTRACED)
        injected = (
            []
            if fault is None
            else [
                "-e",
                f"inject={fault[1].name}:{FAULTS[fault[0]]}:when={fault[1].place + (_AHEAD if fault[1].apart else 0)}",
            ]
        )
        said = [
            "strace",
            "-f",
            "-y",
            "-s",
            "0",
            "-o",
            str(trace),
            "-e",
            "signal=none",
            "-e",
            f"trace={','.join(f'?{one}' for one in CALLS)}",
        ]
        tracer = subprocess.Popen([*said, *injected, "-p", str(child)], stderr=subprocess.DEVNULL)
        while f"TracerPid:\t{tracer.pid}\n" not in Path(f"/proc/{child}/status").read_text():
            time.sleep(0.002)
        os.kill(child, signal.SIGCONT)
    status = _awaited(child)
    if tracer is not None:
        tracer.wait()
    out, err = ((logs / name).read_text(errors="replace") for name in ("out", "err"))
    if not traced:
        return Ended(status, out, err, ())
    elsewhere = any("(INJECTED)" in line and str(folder) not in line for line in _lines(trace))
    skipped = _AHEAD if fault is not None and fault[1].apart else 0
    return Ended(status, out, err, tuple(_calls(trace, folder, child, skipped)), elsewhere)


def _awaited(child: int) -> int:
    """How a process ends; one that hangs is killed and has status `HANGS`."""
    end = time.monotonic() + _PATIENCE
    while True:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return HANGS
        time.sleep(0.005)


def _carry_out(
    words: Sequence[str], logs: Path, prepare: Callable[[], None], *, stopped: bool, ahead: bool
) -> NoReturn:
    """Be the run."""
    from kohort.__main__ import run as run_kohort  # noqa: PLC0415  it is loaded

    status = 70
    try:
        for number, name in enumerate(("out", "err"), start=1):
            fd = os.open(logs / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(fd, number)
            os.close(fd)
        os.chdir("/")
        prepare()
        sys.argv = ["kohort", *words]
        if stopped:
            os.kill(os.getpid(), signal.SIGSTOP)
        if ahead:
            _call_ahead()
        run_kohort()
    except SystemExit as end:
        status = int(end.code or 0)
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _call_ahead() -> None:
    """Make `_AHEAD` calls of each kind that other threads make too."""
    for _ in range(_AHEAD):
        fd = os.open(os.devnull, os.O_RDWR)
        os.read(fd, 1)
        os.pread(fd, 1, 0)
        os.write(fd, b"")
        os.pwrite(fd, b"", 0)
        os.writev(fd, [b""])
        os.close(fd)
        mmap.mmap(-1, 1).close()


def _lines(trace: Path) -> list[str]:
    return trace.read_text(errors="replace").splitlines()


def _calls(trace: Path, folder: Path, main: int, skipped: int) -> list[Call]:
    """The calls of a run that concern a folder."""
    made: dict[tuple[str, str], int] = {}
    found: list[Call] = []
    for line in _lines(trace):
        if entry := _entry(line):
            thread, name, rest = entry.groups()
            place = made[thread, name] = made.get((thread, name), 0) + 1
            if str(folder) in rest:
                own = int(thread) == main
                place -= skipped if own and name in _BY_OTHERS else 0
                found.append(Call(name, place, own, f"{name}({rest}".replace(f"{folder}/", "")))
    return found
