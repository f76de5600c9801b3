"""Files that are there whole or not at all, and that need no verification: keys, hierarchies."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO

from kohort import system
from kohort.errors import TargetError

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path


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
