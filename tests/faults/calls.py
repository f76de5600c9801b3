"""Faults at chosen calls to the system, within this process: cheap enough for every call and every fault.

What is killed here makes no further call, as a dead process makes none; its locks end, because files are still closed.
"""

from __future__ import annotations

import errno
import fcntl
import io
import os
import signal
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self
from unittest.mock import patch

from kohort import system

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

#: The calls that are counted and made to fail, by their names in `os`.
CALLS: Final = (
    *("open", "link", "rename", "replace", "unlink", "mkdir", "rmdir", "fsync", "fchmod", "fstat", "lstat", "stat"),
    *("scandir", "listdir"),
)

#: Those of them that only look.
_LOOKS: Final = frozenset({"fstat", "lstat", "stat", "scandir", "listdir"})

#: What can happen: before a call, instead of it, or (`-after`, `lost`) once it has been made.
FAULTS: Final = ("KILL", "KILL-after", "ENOSPC", "EIO", "EINTR", "lost", "SIGINT", "SIGINT-after")


class KilledError(BaseException):
    """The process is dead."""


@dataclass
class Calls:
    """The calls of a run.

    Attributes:
        place: At which call, from 0, the fault is; -1 for none.
        fault: One of `FAULTS`; with a real signal's name in a process of its own.
        names: The calls so far.
        fired: The call that the fault hit.
        real: Whether signals are real ones.
        told: Called before the fault happens.
    """

    place: int = -1
    fault: str = ""
    names: list[str] = field(default_factory=list[str])
    fired: str = ""
    real: bool = False
    dead: bool = False
    told: Callable[[], object] = field(default=lambda: None)

    def made(self, name: str, call: Callable[..., Any], *args: Any, **options: Any) -> Any:  # noqa: ANN401  any call
        """Make a call, unless its turn to fail has come."""
        if self.dead:
            raise KilledError
        self.names.append(name)
        if len(self.names) - 1 != self.place:
            return call(*args, **options)
        self.fired = name
        self.told()
        if self.fault.endswith("-after") or self.fault == "lost":
            result = call(*args, **options)
            if hasattr(result, "close"):
                result.close()
        self._fire(self.fault.removesuffix("-after"))
        return call(*args, **options)  # a real signal that nothing came of

    def _fire(self, fault: str) -> None:
        """Let the fault happen."""
        if self.real and fault in {"KILL", "SIGINT", "SIGTERM"}:
            os.kill(os.getpid(), signal.SIGKILL if fault == "KILL" else signal.Signals[fault])
        elif fault == "KILL":
            self.dead = True
            raise KilledError
        elif fault == "SIGINT":
            raise KeyboardInterrupt
        else:
            number = errno.EIO if fault == "lost" else getattr(errno, fault)
            raise OSError(number, os.strerror(number))


class _Writer:
    """An open file whose writes are calls, each made in two halves."""

    def __init__(self, file: Any, calls: Calls) -> None:  # noqa: ANN401  a file of any kind
        self._file, self._calls = file, calls

    def write(self, data: Any) -> int:  # noqa: ANN401  anything that has bytes
        """Write one half, then the other."""
        content = bytes(data)
        half = len(content) // 2
        self._file.write(content[:half])
        self._calls.made("write", self._file.write, content[half:])
        return len(content)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  whatever the file has
        return getattr(self._file, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


@contextmanager
def injected(
    calls: Calls, *, without: tuple[str, ...] = (), within: Path | None = None, fast: bool = True
) -> Generator[None]:
    """Let the calls of a block be counted, and one of them fail.

    Args:
        calls: What fails where.
        without: What the system does not have: `unnamed` files, `link`, `exchange`.
        within: Count looks at files not at all, and openings only in this folder: imports and caches make thousands.
        fast: Let the disk confirm nothing: nobody cuts the power.
    """
    true_open, true_fdopen, true_os_open, true_close = io.open, os.fdopen, os.open, os.close
    held: set[int] = set()

    def opened(file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:  # noqa: ANN401  as io.open
        if within and not Path(str(file)).absolute().is_relative_to(within):
            return true_open(file, mode, *args, **options)
        found = calls.made("open", true_open, file, mode, *args, **options)
        return _Writer(found, calls) if mode in {"wb", "xb"} else found

    def fdopened(fd: int, mode: str, **options: Any) -> Any:  # noqa: ANN401  as os.fdopen
        found = true_fdopen(fd, mode, **options)
        return _Writer(found, calls) if mode == "wb" else found

    def os_opened(path: Any, flags: int, *args: Any, **options: Any) -> int:  # noqa: ANN401  as os.open
        if "unnamed" in without and flags & os.O_TMPFILE == os.O_TMPFILE:
            _refused()
        held.add(fd := true_os_open(path, flags, *args, **options))
        return fd

    def closed(fd: int) -> None:
        held.discard(fd)
        true_close(fd)

    replaced: dict[str, Any] = {name: getattr(os, name) for name in CALLS if not (within and name in _LOOKS)}
    replaced["open"] = os_opened
    if fast:
        replaced["fsync"] = _nothing
    if "link" in without:
        replaced["link"] = _refused
    exchange = _refused if "exchange" in without else system.exchange
    with ExitStack() as patched:
        for name, call in replaced.items():
            patched.enter_context(patch.object(os, name, partial(calls.made, name, call)))
        patched.enter_context(patch.object(os, "fdopen", fdopened))
        patched.enter_context(patch.object(os, "close", closed))
        patched.callback(_end, held, true_close)
        patched.enter_context(patch.object(io, "open", opened))
        patched.enter_context(patch.object(fcntl, "flock", partial(calls.made, "flock", fcntl.flock)))
        patched.enter_context(patch.object(system, "exchange", partial(calls.made, "exchange", exchange)))
        yield


def _end(held: set[int], close: Callable[[int], None]) -> None:
    """Close what a dead process would have had open."""
    for fd in held:
        close(fd)


def _nothing(*_: object) -> None:
    """Do nothing."""


def _refused(*_: object, **__: object) -> int:
    raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))
