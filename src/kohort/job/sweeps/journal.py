"""The points of a sweep that are found already, in a file: a sweep that was killed goes on where it was.

A line for each point, appended in one step when it is found. A line that a kill has cut short is passed over, and so is
one of another input, another job or another version of kohort: its key is another.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import asdict
from errno import ENOSPC
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Self

from kohort import system
from kohort.algorithms.mondrian.bound import LeastLoss
from kohort.errors import FileError, TargetError
from kohort.io.source import state
from kohort.job.sweeps.frame import Ending
from kohort.job.sweeps.tables import Point, Seconds
from kohort.system.disk import reporting
from kohort.system.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

#: How such a file begins: no other is written to, or removed.
HEADER: Final = b'{"audience": "internal", "kohort": "points of a sweep over a table", "form": 1}\n'

#: Who may read and write it.
OWNER_ONLY: Final = 0o600


class Journal(dict[str, Point]):
    """Points by what describes their jobs, each one written when it is added.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "sweep.points.jsonl")
    ...     with Journal.at(path, "input and settings") as journal:
    ...         journal["a job"] = Point(values=(), released=7)
    ...     with Journal.at(path, "input and settings") as journal:
    ...         journal["a job"].released
    7
    """

    def __init__(self, path: Path, of: str, file: int) -> None:
        """Know the points that the open file at `path` holds, those of other inputs among them."""
        self._path, self._of, self._file, self._lock = path, of, file, Lock()
        with os.fdopen(os.dup(file), "rb") as reader:
            held = reader.read()
        if not (held.startswith(HEADER) or HEADER.startswith(held)):
            raise _foreign(path)
        if len(held) < len(HEADER):  # just made, or a kill has cut even this short
            os.truncate(file, 0)
            self._append(HEADER)
        elif not held.endswith(b"\n"):
            self._append(b"\n")
        super().__init__(_points(held[len(HEADER) :]))

    @classmethod
    def at(cls, path: Path, of: str) -> Self:
        """The journal at `path`, made if needed; `of` tells inputs and settings whose points are not the same."""
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise _foreign(path)
        with reporting("opening the journal", path):
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | system.CAREFUL, OWNER_ONLY)
            try:
                return cls(path, of, file)
            except BaseException:
                os.close(file)
                raise

    def __enter__(self) -> Self:
        """Use it until it is closed."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file, which stays."""
        os.close(self._file)

    def remove(self) -> None:
        """Remove the file: the sweep is complete."""
        with reporting("removing the journal", self._path):
            self._path.unlink(missing_ok=True)

    def __contains__(self, job: object) -> bool:
        """Whether the job's point is known."""
        return super().__contains__(self._key(job))

    def __getitem__(self, job: str) -> Point:
        """The job's point."""
        return super().__getitem__(self._key(job))

    def __setitem__(self, job: str, point: Point) -> None:
        """Add a point; it is in the file before it is known."""
        key = self._key(job)
        line = json.dumps({"key": key, "point": asdict(point)}).encode() + b"\n"
        with self._lock, reporting("writing the journal", self._path):
            self._append(line)
            super().__setitem__(key, point)

    def _key(self, job: object) -> str:
        return hashlib.sha256(json.dumps([VERSION, self._of, job]).encode()).hexdigest()

    def _append(self, line: bytes) -> None:
        """Write in one step; what a full disk lets through of it is cut off again."""
        end = os.fstat(self._file).st_size
        if os.write(self._file, line) < len(line):
            os.truncate(self._file, end)
            raise OSError(ENOSPC, os.strerror(ENOSPC))


def beside(out: Path) -> Path:
    """Where the journal of a sweep stands: `NAME.points.jsonl` beside `NAME`."""
    return out.parent / f"{out.name}.points.jsonl"


def digest_of(path: str | Path) -> str:
    """The digest of a file's bytes."""
    state(str(path))
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as fault:
        raise FileError(f"the file cannot be read: {fault.strerror}", where=str(path)) from None


def _points(lines: bytes) -> Iterator[tuple[str, Point]]:
    for line in lines.splitlines():
        with suppress(ValueError, TypeError, KeyError, RecursionError):
            written: dict[str, Any] = json.loads(line)
            held = written["point"]
            seconds, least = held["seconds"], held["least"]
            known = {
                "values": tuple(held["values"]),
                "ending": Ending(held["ending"]),
                "seconds": seconds and Seconds(*seconds),
                "least": least and LeastLoss(**least),
            }
            if isinstance(written["key"], str):
                yield written["key"], Point(**(held | known))


def _foreign(path: Path) -> TargetError:
    hint = "move the file away, or name another --out"
    return TargetError("the file for the sweep's points belongs to something else", where=str(path), hint=hint)
