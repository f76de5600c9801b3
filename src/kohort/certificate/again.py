"""A certificate read back and checked again: what is the same, what differs, and what the file alone cannot tell.

Nothing but what this version writes is accepted. A certificate of transactions names no item: to check it, bring the
list of private items.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from kohort.assessment.checking.transactions import check_transactions
from kohort.certificate.form import FORM, digest
from kohort.certificate.table import Certificate
from kohort.certificate.transactions import CoherenceCertificate
from kohort.errors import FileError, InfeasibleError, InputError, UsageError
from kohort.io import ReadOptions
from kohort.io.baskets import read_transactions
from kohort.io.manifest import altered, digest_of, has_manifest, read_manifest
from kohort.io.stored import stored, text_of
from kohort.transactions.coherence import Coherence

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    from kohort.certificate.form import Certified
    from kohort.io.baskets import BasketOptions
    from kohort.transactions.database import Transactions
    from kohort.transactions.roles import RoleChoice


class PartOutcome(StrEnum):
    """How a part of a certificate fares."""

    SAME = "same"
    """The file has it as certified."""
    DIFFERENT = "different"
    """The file differs."""
    UNCHECKED = "not checked"
    """The given files do not show it."""


@dataclass(frozen=True, slots=True)
class CheckedPart:
    """A part of a certificate, checked again.

    Attributes:
        name: What it is.
        outcome: How it fares.
        told: What is certified, and what was found instead; or what would have to be brought.
    """

    name: str
    outcome: PartOutcome
    told: str


@dataclass(frozen=True, slots=True)
class Again:
    """A certificate, checked again.

    Attributes:
        parts: Its parts.
    """

    parts: tuple[CheckedPart, ...]

    @property
    def met(self) -> bool:
        """Whether nothing differs."""
        return all(part.outcome is not PartOutcome.DIFFERENT for part in self.parts)

    def __bool__(self) -> bool:
        """Whether nothing differs."""
        return self.met


def compared(name: str, certified: object, found: object) -> CheckedPart:
    """Whether what is certified was found.

    >>> compared("records", 7, 8).told
    '7, found 8'
    """
    if certified == found:
        return CheckedPart(name, PartOutcome.SAME, _said(found))
    return CheckedPart(name, PartOutcome.DIFFERENT, f"{_said(certified)}, found {_said(found)}")


def unchecked(name: str, why: str) -> CheckedPart:
    """A part that cannot be seen."""
    return CheckedPart(name, PartOutcome.UNCHECKED, why)


def of_bytes(path: str | os.PathLike[str], known: Certified) -> Iterator[CheckedPart]:
    """The size and the digest of the file; of a table in a database those of its text.

    Raises:
        FileError: the system failed to read it.
    """
    if (place := stored(path)) is not None:
        text = text_of(place)
        yield compared("size", known.size, len(text))
        yield compared("sha256", known.sha256, hashlib.sha256(text).hexdigest())
        return
    file_ = Path(path)
    if has_manifest(file_):
        yield from _of_parts(file_, known)
        return
    if file_.is_dir():  # of which it is the one part
        file_ /= Path(known.release).name
    try:
        with file_.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            size = file.tell()
    except OSError as error:
        raise FileError(f"reading the release failed: {error.strerror}", where=str(path)) from None
    yield compared("size", known.size, size)
    yield compared("sha256", known.sha256, sha256)


def _of_parts(folder: Path, known: Certified) -> Iterator[CheckedPart]:
    """Whether the parts are those that the manifest lists, and joined those that were certified."""
    listed = read_manifest(folder)
    yield compared("parts", f"{len(listed.parts):,}", altered(folder, listed) or f"{len(listed.parts):,}")
    try:
        sha256, size = digest_of([path for path in listed.paths(folder) if path.is_file()], text=bool(listed.separator))
    except OSError as error:
        raise FileError(f"reading the release failed: {error.strerror}", where=str(folder)) from None
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
        return Again(
            (*parts, CheckedPart("transactions", PartOutcome.DIFFERENT, f"the file cannot be read: {fault.what}"))
        )
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


def _coherence(known: CoherenceCertificate, database: Transactions, roles: RoleChoice | None) -> CheckedPart:
    """Whether no set of public items is a mole."""
    if roles is None:
        return unchecked(known.model, "the certificate names no item: give the private ones with --private")
    try:
        model = Coherence.of(h=known.h, k=known.k, p=known.p)
    except UsageError as fault:
        raise InputError(f"the certificate's model is not valid: {fault.what}") from None
    if model.name != known.model:
        return compared(known.model, known.model, model.name)
    found = check_transactions(database, roles.over(database, model.h), model)
    return CheckedPart(
        model.name, PartOutcome.SAME if found.met else PartOutcome.DIFFERENT, "met" if found.met else "NOT met"
    )


#: The kinds of certificate.
_KINDS: Final = {"table": Certificate, "transactions": CoherenceCertificate}


def read_certificate(path: str | os.PathLike[str]) -> Certificate | CoherenceCertificate:
    """The certificate in a file, of a table or of transactions; nothing but what kohort writes is accepted.

    Raises:
        InputError: the file is no certificate of this form, to the byte.
        FileError: the system failed to read it.
    """
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise FileError(f"reading the certificate failed: {error.strerror}", where=str(path)) from None
    known = _decoded(text)
    if known is None or known.encode() != text or known.job_sha256 != digest(known.job):
        raise InputError(
            "this is not a certificate in the form of this version, or it was changed",
            where=str(path),
            hint="a certificate lies beside its release and is called NAME.kohort.json",
        )
    return known


def _decoded(text: bytes) -> Certificate | CoherenceCertificate | None:
    """The certificate that JSON text describes; `None` where a part is missing, unknown or of another kind."""
    try:
        parts: object = json.loads(text, parse_constant=Fraction)  # which refuses NaN and infinities
    except (ValueError, RecursionError):
        return None
    if not isinstance(parts, dict):
        return None
    given = cast("dict[str, object]", parts)
    kind = _KINDS.get(str(given.get("kind")))
    expected = {} if kind is None else {field.name: str(field.type) for field in fields(kind)}
    if kind is None or given.keys() != expected.keys() or given["form"] != FORM:
        return None
    if not all(_is(given[name], annotation) for name, annotation in expected.items()):
        return None
    build = cast("Callable[..., Certificate | CoherenceCertificate]", kind)  # the parts are of its fields' kinds
    return build(
        **{name: tuple(cast("list[str]", part)) if isinstance(part, list) else part for name, part in given.items()}
    )


def _is(part: object, kind: str) -> bool:
    """Whether a part of JSON is what the annotation `kind` asks for."""
    match kind:
        case "str":
            return isinstance(part, str)
        case "bool":
            return isinstance(part, bool)
        case "int" | "int | None":
            whole = isinstance(part, int) and not isinstance(part, bool) and part >= 0
            return whole or (part is None and kind != "int")
        case "float":
            return isinstance(part, int | float) and not isinstance(part, bool)
        case "tuple[str, ...]" | "tuple[Mapping[str, object], ...]":
            inner = kind.removeprefix("tuple[").removesuffix(", ...]")
            return isinstance(part, list) and all(_is(one, inner) for one in cast("list[object]", part))
        case _:
            inner = kind.removeprefix("Mapping[str, ").removesuffix("]")
            return isinstance(part, dict) and (
                inner == "object" or all(_is(one, inner) for one in cast("dict[str, object]", part).values())
            )
