"""The folder of a job as it will be once the job is saved."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kohort.schema.hierarchies import HeldFile


@dataclass(frozen=True, slots=True)
class Folder(os.PathLike[str]):
    """A folder, and files that are still to be written into it. A job names these, so its text says which they are.

    Attributes:
        path: Where it is.
        held: The files; no two of one name were ever different.

    >>> from pathlib import Path
    >>> Path(Folder("desk")) / "people.csv"
    PosixPath('desk/people.csv')
    """

    path: str
    held: tuple[HeldFile, ...] = field(default=(), compare=False)

    def __fspath__(self) -> str:
        """Where it is."""
        return self.path
