"""A certificate read back and checked again: what is the same, what differs, and what the file alone cannot tell.

Nothing but what this version writes, or the last form, is accepted. `table_again`, or the room of another kind,
compares it with the file; what they have no part about is told as not shown by the file.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, cast

from kohort.certificate.form import FORMS, digest
from kohort.certificate.signing import is_signed, read_public_key, signed_at, signer
from kohort.errors import FileError, InputError, MissingExtraError, VerificationError
from kohort.io.manifest import altered, digest_of, has_manifest, read_manifest
from kohort.io.stored import stored, text_of
from kohort.schema.numbers import LARGEST
from kohort.specification import plugins
from kohort.system import open_at_once

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from kohort.certificate.form import Certified


T = TypeVar("T")

#: The fields that `read_certificate` has compared with the others, and the signature, which is a part of its own.
_READ: Final = frozenset({"form", "kind", "job_sha256", "signature"})


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
        fields: The fields of the certificate that it is about, such as `k` and `checks.order`.
    """

    name: str
    outcome: PartOutcome
    told: str
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Again:
    """A certificate, checked again."""

    parts: tuple[CheckedPart, ...]

    @property
    def met(self) -> bool:
        """Whether nothing differs."""
        return all(part.outcome is not PartOutcome.DIFFERENT for part in self.parts)

    def __bool__(self) -> bool:
        """Whether nothing differs."""
        return self.met


def _text(value: object) -> str:
    """A value as text: numbers with commas, nothing as `none`."""
    return f"{value:,}" if isinstance(value, int) else "none" if value is None or not value else str(value)


def compared(name: str, certified: T, found: T, *of: str, told: Callable[[T], str] = _text) -> CheckedPart:
    """Whether what is certified was found; the part is about the fields `of`, or the one that is called as it is.

    >>> compared("records", 7, 8).told
    '7, found 8'
    """
    met = certified == found
    return judged(name, told(found) if met else f"{told(certified)}, found {told(found)}", *of, met=met)


def judged(name: str, told: str, *of: str, met: bool) -> CheckedPart:
    """A part that is met or not."""
    return CheckedPart(name, PartOutcome.SAME if met else PartOutcome.DIFFERENT, told, of or (name,))


def keyed(name: str, certified: Mapping[str, object], found: Mapping[str, object]) -> Iterator[CheckedPart]:
    """The values of a mapping, compared with those that it has to hold."""
    shown = {key: value for key, value in found.items() if key in certified}
    wrong = [f"{key} {certified[key]}, found {value}" for key, value in shown.items() if certified[key] != value]
    wrong += [f"{key} is absent or too many" for key in sorted(found.keys() ^ certified.keys())]
    of = [f"{name}.{key}" for key in shown] or [name]
    yield judged(name, "; ".join(wrong) or ", ".join(shown) or "none", *of, met=not wrong)


def between(name: str, certified: int, least: int, most: int, *of: str) -> CheckedPart:
    """A count that the file shows to lie between two numbers.

    >>> between("exposed", 3, 0, 2).told, between("exposed", 1, 0, 2).told
    ('3, but the file shows 0 to 2', '1; the file shows 0 to 2')
    """
    if not least <= certified <= most:
        return judged(name, f"{certified:,}, but the file shows {least:,} to {most:,}", *of, met=False)
    if least == most:
        return judged(name, f"{certified:,}", *of, met=True)
    return unchecked(name, f"{certified:,}; the file shows {least:,} to {most:,}", *of)


def limits(due: tuple[str, ...], certified: tuple[str, ...]) -> CheckedPart:
    """Whether what is not promised follows from the job."""
    told = f"{len(due)} limits" if due == certified else "these are not the limits that follow from the job"
    return judged("not promised", told, "not_promised", met=due == certified)


def unchecked(name: str, why: str, *of: str) -> CheckedPart:
    """A part that cannot be seen."""
    return CheckedPart(name, PartOutcome.UNCHECKED, why, of or (name,))


def fields_of(known: Certified) -> tuple[str, ...]:
    """Every field of a certificate; of a mapping each of its keys, as `checks.order`.

    A list that is derived from what the certificate holds: whatever no part is about cannot be known from the file.
    """
    found: list[str] = []
    for one in fields(known):
        value: object = getattr(known, one.name)
        keys: list[str] = [*cast("Mapping[str, object]", value)] if isinstance(value, dict) else []
        found += [f"{one.name}.{key}" for key in keys] or [one.name]
    return tuple(found)


def unseen(known: Certified, parts: Iterable[CheckedPart], why: str) -> CheckedPart:
    """What no part is about: a part that cannot be seen. A mapping of which nothing can be is told by its name."""
    seen = {field for part in parts for field in part.fields} | _READ
    every = fields_of(known)
    rest = tuple(field for field in every if not {field, field.partition(".")[0]} & seen)
    partly = {field.partition(".")[0] for field in every if field not in rest}
    names = dict.fromkeys(field if (head := field.partition(".")[0]) in partly else head for field in rest)
    return unchecked("not shown by the file", f"{', '.join(names)}: {why}", *dict.fromkeys((*rest, *names)))


def of_bytes(path: str | os.PathLike[str], known: Certified) -> Iterator[CheckedPart]:
    """The size and the digest of the file; of a table in a database those of its text."""
    file_ = Path(path)
    try:
        if (place := stored(path)) is not None:
            text = text_of(place)
            sha256, size = hashlib.sha256(text).hexdigest(), len(text)
        elif has_manifest(file_):
            listed = read_manifest(file_)
            yield compared("parts", f"{len(listed.parts):,}", altered(file_, listed) or f"{len(listed.parts):,}")
            there = [one for one in listed.paths(file_) if one.is_file()]
            sha256, size = digest_of(there, text=bool(listed.separator))
        else:  # a folder has one part
            file_ = file_ / Path(known.release).name if file_.is_dir() else file_
            with open(file_, "rb", opener=open_at_once) as file:
                sha256, size = hashlib.file_digest(file, "sha256").hexdigest(), file.tell()
    except OSError as error:
        raise FileError(f"reading the release failed: {error.strerror}", where=str(path)) from None
    yield compared("size", known.size, size)
    yield compared("sha256", known.sha256, sha256)


#: Bytes of a certificate that are read: one of a release of 100,000 parts has a tenth of them.
_LONGEST: Final = 1 << 28

#: The kinds of certificate; one of another package is a subclass of `Certified` at an entry point of this group.
_KINDS: Final[Mapping[str, type[Certified]]] = plugins(
    "kohort.certificates", {"table": "kohort.certificate.table:Certificate"}
)


def read_certificate(path: str | os.PathLike[str]) -> Certified:
    """The certificate in a file, of any kind; nothing but what kohort writes is accepted.

    Raises:
        InputError: the file is no certificate of this form, to the byte.
        FileError: the system failed to read it.
    """
    try:
        with open(path, "rb", opener=open_at_once) as file:
            text = file.read(_LONGEST)
    except (FileNotFoundError, ValueError):
        hint = "without a certificate nothing shows that the release was verified; publish the release again"
        raise FileError("no such certificate", where=str(path), hint=hint) from None
    except OSError as error:
        raise FileError(f"reading the certificate failed: {error.strerror}", where=str(path)) from None
    known = _decoded(text)
    if known is None or not _is_written(known, text):
        raise InputError(
            "the file is not a certificate of this version of kohort, or was changed",
            where=str(path),
            hint="a certificate lies beside its release and is called NAME.kohort.json",
        )
    return known


def _is_written(known: Certified, text: bytes) -> bool:
    """Whether kohort writes a certificate so, to the byte; never one that holds what JSON reads but no text can say."""
    try:
        return known.encode() == text and known.job_sha256 == digest(known.job)
    except (ValueError, RecursionError):  # a lone surrogate, a number without end (1e999), endless nesting
        return False


def _decoded(text: bytes) -> Certified | None:
    try:
        parts: object = json.loads(text, parse_constant=Fraction)  # which refuses NaN and infinities
    except (ValueError, RecursionError):
        return None
    if not isinstance(parts, dict):
        return None
    given = cast("dict[str, object]", parts)
    kind = _KINDS.get(str(given.get("kind")))
    expected = {} if kind is None else {field.name: str(field.type) for field in fields(kind)}
    if kind is None or given.keys() != expected.keys() or given["form"] not in FORMS:
        return None
    if not all(_is(given[name], annotation) for name, annotation in expected.items()):
        return None
    build = cast("Callable[..., Certified]", kind)  # the parts are of its fields' kinds
    return build(
        **{name: tuple(cast("list[str]", part)) if isinstance(part, list) else part for name, part in given.items()}
    )


def _is(part: object, kind: str) -> bool:  # noqa: PLR0911  one for each kind
    match kind:
        case "str" | "str | None":
            return isinstance(part, str) or (part is None and kind != "str")
        case "bool":
            return isinstance(part, bool)
        case "int" | "int | None":
            whole = isinstance(part, int) and not isinstance(part, bool) and 0 <= part < LARGEST
            return whole or (part is None and kind != "int")
        case "float":
            return isinstance(part, int | float) and not isinstance(part, bool)
        case "tuple[str, ...]" | "tuple[Mapping[str, object], ...]":
            inner = "str" if kind == "tuple[str, ...]" else "Mapping[str, str | int | tuple[str, ...]]"
            return isinstance(part, list) and all(_is(one, inner) for one in cast("list[object]", part))
        case "str | int | tuple[str, ...]":  # a column or several, and counts of people; a digest
            return any(_is(part, one) for one in kind.split(" | "))
        case _:
            inner = kind.removeprefix("Mapping[str, ").removesuffix("]")
            return isinstance(part, dict) and (
                inner == "object" or all(_is(one, inner) for one in cast("dict[str, object]", part).values())
            )


# ── whether a certificate is signed, by whom, and whether that is who it has to be ───────────────

#: What the part is called.
_NAME = "signature"

#: What to do about a signature that proves nothing.
_HINT = "do not use the file; ask the sender for the release and its certificate"


def checked_signature(
    known: Certified, release: str | os.PathLike[str], trust: str | os.PathLike[str] | None
) -> CheckedPart:
    """What is true of a certificate's signature.

    Args:
        known: The certificate.
        release: The file that it is of.
        trust: The file of the public key that must have signed it; `None` for any, or none.

    Raises:
        VerificationError: a key of low order signed it; or `trust` is given, and that key did not sign it, or signed it
            for another file.
        InputError: the file holds no public key.
        FileError: the system failed to read.
        MissingExtraError: `trust` is given, and the library that checks signatures is not installed.
    """
    by = signer(known.signature or "")
    if by is not None and by.weak:
        raise VerificationError("the certificate is signed with a key of low order, as anyone can sign", hint=_HINT)
    if trust is None:
        return _by_anyone(known)
    key = read_public_key(trust)
    if known.signature is None:
        raise VerificationError("the certificate is not signed, so anyone can have written it", hint=_HINT)
    if not is_signed(known.encode(), known.signature):
        raise VerificationError("the certificate is not what was signed, or its signature is damaged", hint=_HINT)
    if by != key:
        raise VerificationError("the certificate is signed with another key than the one you trust", hint=_HINT)
    if any(part.outcome is PartOutcome.DIFFERENT for part in of_bytes(release, known)):
        raise VerificationError("the signed certificate is for another file", hint=_HINT)
    return judged(_NAME, f"by the key you trust, {key.fingerprint}{_time(known.signature)}", met=True)


def _time(signature: str) -> str:
    time = signed_at(signature)
    return ", time not stated" if time is None else f", at {time}"


def _by_anyone(known: Certified) -> CheckedPart:
    """Whether a signature is whole; who made it only somebody knows who trusts a key."""
    if known.signature is None:
        return unchecked(_NAME, "unsigned: anyone can have written this certificate")
    by = signer(known.signature)
    try:
        whole = by is not None and is_signed(known.encode(), known.signature)
    except MissingExtraError as fault:
        return unchecked(_NAME, f"{fault.what}: {fault.hint}")
    if by is None or not whole:
        return judged(_NAME, "the certificate is not what was signed, or its signature is damaged", met=False)
    return unchecked(
        _NAME, f"by the key {by.fingerprint}{_time(known.signature)}; give the public key that you trust with --trust"
    )
