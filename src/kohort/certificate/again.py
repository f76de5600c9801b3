"""A certificate checked again against its file: what is the same, what differs, and what the file alone cannot tell."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from kohort.errors import FileError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from kohort.certificate.form import Certified


class Outcome(StrEnum):
    """How a part of a certificate fares."""

    SAME = "same"
    """It was found again."""
    DIFFERENT = "different"
    """Something else was found."""
    UNCHECKED = "not checked"
    """It cannot be seen in what is at hand."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a certificate, checked again.

    Attributes:
        name: What it is.
        outcome: How it fares.
        told: What is certified, and what was found instead; or what would have to be brought.
    """

    name: str
    outcome: Outcome
    told: str


@dataclass(frozen=True, slots=True)
class Again:
    """A certificate, checked again.

    Attributes:
        parts: Its parts.
    """

    parts: tuple[Part, ...]

    @property
    def met(self) -> bool:
        """Whether nothing differs."""
        return all(part.outcome is not Outcome.DIFFERENT for part in self.parts)

    def __bool__(self) -> bool:
        """Whether nothing differs."""
        return self.met


def compared(name: str, certified: object, found: object) -> Part:
    """Whether what is certified was found.

    >>> compared("records", 7, 8).told
    '7, found 8'
    """
    if certified == found:
        return Part(name, Outcome.SAME, _said(found))
    return Part(name, Outcome.DIFFERENT, f"{_said(certified)}, found {_said(found)}")


def unchecked(name: str, why: str) -> Part:
    """A part that cannot be seen."""
    return Part(name, Outcome.UNCHECKED, why)


def of_bytes(path: str | os.PathLike[str], known: Certified) -> Iterator[Part]:
    """The size and the digest of the file.

    Raises:
        FileError: the system failed to read it.
    """
    try:
        with Path(path).open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            size = file.tell()
    except OSError as error:
        raise FileError(f"reading the release failed: {error.strerror}", where=str(path)) from None
    yield compared("size", known.size, size)
    yield compared("sha256", known.sha256, sha256)


def _said(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
