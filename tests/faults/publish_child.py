"""A process that publishes in forks of itself, with faults injected into the system calls of each run.

It imports nothing heavy, so that forks are cheap and thousands are affordable. One request a line on standard
input, one answer a line on standard output, both JSON. A run writes its trace call by call to a file, which
survives the run's death: the proof that a fault was reached and fired.
"""

from __future__ import annotations

import errno
import fcntl
import functools
import hashlib
import io
import json
import os
import resource
import signal
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn, ParamSpec, TypeVar

from kohort.errors import VerificationError
from kohort.publish import Companion, publish

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

P = ParamSpec("P")
R = TypeVar("R")

#: What a run publishes: enough for several writes.
NEW = b"".join(bytes([65 + chunk]) * 50_000 for chunk in range(3))

#: The calls that are traced and made to fail, by their names in `os`; to them come flock, fsync and write.
CALLS = ("open", "close", "link", "rename", "replace", "unlink", "fchmod", "fstat", "lstat", "stat", "listdir")


@dataclass(frozen=True)
class Request:
    """One run.

    Attributes:
        folder: Where to publish `release.csv` and `release.csv.kohort.json`.
        trace: The file that records the calls and the outcome.
        system: `unnamed`, `named` (no unnamed files) or `linkless` (no hard links either).
        overwrite: Whether what stands there may be replaced.
        faults: What happens at which call, counted from 0: KILL, INT, TERM or the name of an error; with
            `-after`, once the call has been made.
        limit: The largest size of a file the system allows; 0 for no limit.
    """

    folder: str
    trace: str
    system: str
    overwrite: bool
    faults: Mapping[str, str]
    limit: int


class Injector:
    """Counts and traces the calls of a run, and lets chosen ones fail."""

    def __init__(self, request: Request) -> None:
        """Open the trace; nothing is injected yet."""
        self.faults = request.faults
        self.trace = os.open(request.trace, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        self.calls = 0

    def note(self, *words: object) -> None:
        """Append a line to the trace."""
        os.write(self.trace, (" ".join(map(str, words)) + "\n").encode())

    def wrap(self, name: str, call: Callable[P, R]) -> Callable[P, R]:
        """`call`, traced as `name`, failing when its turn comes."""

        @functools.wraps(call)
        def traced(*args: P.args, **options: P.kwargs) -> R:
            fault = self.faults.get(str(self.calls), "")
            self.note("call", name)
            self.calls += 1
            if fault and not fault.endswith("-after"):
                self.fire(name, fault)
            try:
                return call(*args, **options)
            finally:
                if fault.endswith("-after"):
                    self.fire(name, fault.removesuffix("-after"))

        return traced

    def fire(self, name: str, fault: str) -> None:
        """Let a fault happen, and leave the proof of it first."""
        self.note("fired", name)
        if fault in {"KILL", "INT", "TERM"}:
            os.kill(os.getpid(), signal.Signals[f"SIG{fault}"])
        else:
            number = getattr(errno, fault)
            raise OSError(number, os.strerror(number))


class HalvingFile(io.FileIO):
    """A file whose every write takes two calls, so that a fault strikes when half of the bytes are written."""

    def __init__(self, fd: int, injector: Injector) -> None:
        """Write to an open file."""
        super().__init__(fd, "wb", closefd=False)
        self._second = injector.wrap("write", super().write)

    def write(self, data: object, /) -> int:
        """Write one half, then the other."""
        view = memoryview(data)  # type: ignore[arg-type]
        half = view.nbytes // 2
        written = super().write(view[:half])
        return written if written < half else half + self._second(view[half:])


def install(injector: Injector, system: str) -> None:
    """Put the injector before every call of the publisher to the system."""
    true_fstat, true_fdopen, true_open = os.fstat, os.fdopen, os.open
    sync_file = injector.wrap("fsync", os.fsync)
    sync_folder = injector.wrap("fsync of a folder", os.fsync)

    def fsync(fd: int) -> None:
        (sync_folder if stat.S_ISDIR(true_fstat(fd).st_mode) else sync_file)(fd)

    def fdopen(fd: int, mode: str, *, closefd: bool) -> object:
        return io.BufferedWriter(HalvingFile(fd, injector)) if mode == "wb" else true_fdopen(fd, mode, closefd=closefd)

    def open_named_only(path: str, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_TMPFILE == os.O_TMPFILE:
            raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))
        return true_open(path, flags, mode)

    def refuse_link(*_: object, **__: object) -> NoReturn:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    replaced: dict[str, Callable[..., object]] = {"fsync": fsync, "fdopen": fdopen}
    replaced |= {name: injector.wrap(name, getattr(os, name)) for name in CALLS}
    if system != "unnamed":
        replaced["open"] = injector.wrap("open", open_named_only)
    if system == "linkless":
        replaced["link"] = injector.wrap("link", refuse_link)
    for name, call in replaced.items():
        setattr(os, name, call)
    setattr(fcntl, "flock", injector.wrap("flock", fcntl.flock))  # noqa: B010  an assignment would need its exact type


def verify(file: BinaryIO) -> str:
    """The digest of the release; its bytes must be complete."""
    if (written := file.read()) != NEW:
        raise VerificationError("the release is not complete")
    return hashlib.sha256(written).hexdigest()


def run(request: Request) -> None:
    """Publish once, and note how it ended."""

    def terminate(*_: object) -> NoReturn:
        raise SystemExit(143)

    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, terminate)
    injector = Injector(request)
    install(injector, request.system)
    if request.limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (request.limit, request.limit))
    target = Path(request.folder, "release.csv")
    path = target.with_name("release.csv.kohort.json")
    certificate: Companion[str] = Companion(path, str.encode)
    try:
        publish(target, lambda file: file.write(NEW), verify, companions=[certificate], overwrite=request.overwrite)
    except BaseException as error:  # noqa: BLE001  every end of a run is noted
        injector.note("outcome", type(error).__name__, str(error).splitlines()[:1])
    else:
        injector.note("outcome", "published")


def main() -> None:
    """Answer each request with the signal that ended its run, 0 for none."""
    for line in sys.stdin:
        if not (child := os.fork()):
            try:
                run(Request(**json.loads(line)))
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
