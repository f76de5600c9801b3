"""A certificate checked again against its file: what is the same, what differs, and what the file alone cannot tell.

The certificate of transactions, checked again. It names no item: whoever has the list of private ones brings it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from kohort.assessment.checking.transactions import check_transactions
from kohort.errors import FileError, InfeasibleError, InputError, UsageError
from kohort.io import ReadOptions
from kohort.io.baskets import read_transactions
from kohort.transactions.coherence import Coherence

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from kohort.certificate.form import Certified
    from kohort.certificate.transactions import CoherenceCertificate
    from kohort.io.baskets import BasketOptions
    from kohort.transactions.database import Transactions
    from kohort.transactions.roles import RoleChoice


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


def check_transactions_again(
    path: str | os.PathLike[str],
    known: CoherenceCertificate,
    options: BasketOptions,
    roles: RoleChoice | None = None,
) -> Again:
    """What of the certificate is true of the transactions at `path`.

    Args:
        path: The release.
        known: Its certificate.
        options: The form that it lies in.
        roles: Which items are public and which private; without them coherence is not judged.

    Raises:
        UsageError: the file has not the form, or a name is of no item.
        LimitError: too many sets of items would have to be held.
        FileError: the system failed to read.
    """
    parts = [*of_bytes(path, known)]
    try:
        database = read_transactions(path, options, limits=ReadOptions(allow_empty=True)).database
    except (InputError, InfeasibleError) as fault:
        return Again((*parts, Part("transactions", Outcome.DIFFERENT, f"the file cannot be read: {fault.what}")))
    parts += [
        compared("transactions", known.transactions, len(database)),
        compared("items", known.items, len(database.names)),
        compared("cells", known.cells, database.cells.size),
        _coherence(known, database, roles),
        unchecked(
            "moles before, dropped and removed items, distortion", "only verification sees this: it has the input"
        ),
    ]
    return Again(tuple(parts))


def _coherence(known: CoherenceCertificate, database: Transactions, roles: RoleChoice | None) -> Part:
    """Whether no set of public items is a mole."""
    if roles is None:
        return unchecked(known.model, "the certificate names no item: bring the private ones by --private")
    try:
        model = Coherence.of(h=known.h, k=known.k, p=known.p)
    except UsageError as fault:
        raise InputError(f"the certificate's model is none: {fault.what}") from None
    if model.name != known.model:
        return compared(known.model, known.model, model.name)
    found = check_transactions(database, roles.over(database, model.h), model)
    return Part(model.name, Outcome.SAME if found.met else Outcome.DIFFERENT, "met" if found.met else "NOT met")
