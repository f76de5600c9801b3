"""A certificate read back: nothing but what this version writes is accepted."""

from __future__ import annotations

import json
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from kohort.certificate.form import FORM, digest
from kohort.certificate.table import Certificate
from kohort.certificate.transactions import CoherenceCertificate
from kohort.errors import FileError, InputError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

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
            "this is no certificate of this version's form, or it was changed",
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
