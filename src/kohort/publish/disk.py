"""What the system is asked and says: locks of folders, and its errors in words."""

from __future__ import annotations

import errno
import os
import shutil
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from kohort import system
from kohort.errors import FileError, KohortError, TargetError

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

#: Attempts at a folder's lock and the seconds between them: five seconds, for what others hold for milliseconds.
_ATTEMPTS, _PAUSE = 100, 0.05


@contextmanager
def locked(folder: Path) -> Generator[int | None]:
    """The open folder, locked against other runs that publish or sweep there; `None` where folders cannot be opened.

    Where folders have no locks, runs are kept apart by `link` alone.
    """
    fd = system.open_folder(folder)
    if fd is None:
        yield None
        return
    try:
        for _ in range(_ATTEMPTS):
            if _lock(fd):
                break
            time.sleep(_PAUSE)
        else:
            raise TargetError("another program has locked the output's folder", where=str(folder), hint="run again")
        yield fd
    finally:
        os.close(fd)


def _lock(fd: int) -> bool:
    """Whether nobody else holds a folder's lock: now we do, or this file system has none."""
    try:
        system.lock(fd)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


@contextmanager
def reporting(doing: str, path: Path) -> Generator[None]:
    """Turn what the system refuses into a `FileError` that says what failed, where and why."""
    try:
        yield
    except KohortError:
        raise
    except Exception as error:
        number = system.error_number(error)
        if number is None and not isinstance(error, OSError):
            raise
        raise FileError(f"{doing} failed: {reason(number)}", where=str(path), hint=_hint(number, path)) from error


def reason(number: int | None) -> str:
    """An error of the system in words, with its own name for it.

    >>> reason(28)
    'No space left on device (ENOSPC)'
    """
    return f"{os.strerror(number)} ({errno.errorcode.get(number, number)})" if number else "no reason was given"


def _hint(number: int | None, path: Path) -> str:
    """What the reader can do about an error; empty when nothing is sure to help."""
    if number == errno.EFBIG:
        return "the system limits the size of a file: see ulimit -f"
    if number not in {errno.ENOSPC, errno.EDQUOT}:
        return ""
    room = "make room, or name another folder"
    with suppress(OSError):
        return f"{room}: {shutil.disk_usage(path.parent).free:,} bytes are free in this one"
    return room
