"""Files and folders: locks, the errors of the system in words, and files that are there whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO

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


def refuse_name(path: Path) -> None:
    """Validate the name of an output.

    That is `-`, by which standard output is meant, on which nothing is taken back; and what is no text, which a
    certificate could not repeat.
    """
    if str(path) == "-":
        hint = "name a file (./- for a file called -)"
        raise TargetError("nothing is published on standard output", where="-", hint=hint)
    if "\0" in path.name or path.name.encode(errors="replace").decode() != path.name:
        what = "the output's name holds NUL, or bytes that are not UTF-8"
        raise TargetError(what, where=str(path), hint="choose another name")


@contextmanager
def whole_file(path: Path, *, mode: int | None = None, overwrite: bool = False) -> Generator[BinaryIO]:
    """A new file to write to, which gets its name at the end, once the disk has it.

    A run that dies before leaves nothing. Where there are no unnamed files it leaves a temporary name, which the next
    publication in the folder removes.

    Args:
        path: The name.
        mode: Who may read it; if not given, as for any new file.
        overwrite: Whether it may replace what is there.
    """
    name = path.parent / system.temporary_name()
    with ExitStack() as end:
        end.callback(_remove, name)  # before the name exists, lest an interrupt come between
        opened = end.enter_context(ExitStack())
        unnamed = system.open_unnamed(path.parent)
        fd = _open_named(name) if unnamed is None else unnamed
        opened.callback(os.close, fd)
        with os.fdopen(fd, "wb", closefd=False) as file:
            yield file
        system.set_mode(fd, mode)
        system.confirm(fd)
        if not system.POSIX:
            opened.close()
        if unnamed is not None:
            system.name_unnamed(fd, name if overwrite else path)
        if overwrite:
            name.replace(path)
        elif unnamed is None:
            system.move(name, path)


def _open_named(name: Path) -> int:
    """A new file for its owner only, locked: what is locked is not removed as left by a run that died."""
    fd = os.open(name, os.O_CREAT | os.O_EXCL | os.O_RDWR | system.CAREFUL, 0o600)
    with suppress(OSError):
        system.lock(fd)
    return fd


def _remove(name: Path) -> None:
    with suppress(OSError):
        name.unlink()
