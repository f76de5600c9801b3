"""Places: where outputs go, what stands there, and whether it may be replaced."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kohort.errors import FileError, TargetError
from kohort.publish.disk import reporting
from kohort.publish.drafts import sweep

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Place:
    """Where an output goes.

    Attributes:
        path: The output's path, its folder resolved.
        former: What stood there when the run began; None when nothing did.
    """

    path: Path
    former: os.stat_result | None

    @property
    def folder(self) -> Path:
        """The folder of the output."""
        return self.path.parent

    def demand_unchanged(self) -> None:
        """Refuse to go on when another run came first."""
        if _version(_status(self.path)) != _version(self.former):
            raise TargetError("the output was changed while this run worked", where=str(self.path), hint="run again")


def examine(paths: Iterable[Path], *, overwrite: bool, inputs: Sequence[Path]) -> list[Place]:
    """The place of every output, each one fit to be published to; the folders are swept on the way."""
    places: list[Place] = []
    for path in paths:
        with reporting("looking at the output", path):
            place = _place(path)
            _refuse_kind(place)
            _refuse_input(place, inputs)
        if any(place.path == other.path for other in places):
            raise TargetError("two outputs have the same path", where=str(path), hint="name another file")
        if place.former and not overwrite:
            raise TargetError("the output exists", where=str(path), hint="name another, or add --overwrite")
        places.append(place)
    return places


def _place(path: Path) -> Place:
    """The place of `path`, its folder usable and cleared of what dead runs left."""
    if not path.parent.is_dir():
        raise FileError("the output's folder does not exist", where=str(path.parent), hint="create it first")
    folder = path.parent.resolve()
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise FileError("the output's folder cannot be read and written", where=str(folder), hint="name another folder")
    sweep(folder)
    return Place(folder / path.name, _status(folder / path.name))


def _refuse_kind(place: Place) -> None:
    """Refuse to replace what is not a file."""
    mode = place.former.st_mode if place.former else stat.S_IFREG
    if stat.S_ISLNK(mode):
        # Following it would write to a folder nobody named; replacing it would leave the file it names as it is.
        raise TargetError("the output is a symbolic link", where=str(place.path), hint="name the file it points to")
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
        raise FileError(f"the output is {kind}", where=str(place.path), hint="name a file")


def _refuse_input(place: Place, inputs: Sequence[Path]) -> None:
    """Refuse to replace a file the run reads, whatever name either goes by."""
    for source in inputs:
        same = place.former and source.exists() and os.path.samestat(source.stat(), place.former)
        if same or os.path.realpath(source) == str(place.path):
            raise TargetError("the output is an input of the same run", where=str(place.path), hint="name another file")


def _status(path: Path) -> os.stat_result | None:
    """What stands at `path`; None when nothing does."""
    try:
        return path.lstat()
    except FileNotFoundError:
        return None


def _version(status: os.stat_result | None) -> tuple[int, ...]:
    """What differs between two looks at a path when anything was written there in between."""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns) if status else ()
