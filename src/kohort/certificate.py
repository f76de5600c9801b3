"""The certificate beside a release: what was promised and found, for whoever receives the file. It names no value."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from kohort import __version__
from kohort.errors import FileError, InputError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    from kohort.verify import Verdict

#: The form of the file; it changes when a key does.
FORM: Final = 2

#: The libraries whose version can make a difference to a release.
_LIBRARIES: Final = ("numba", "numpy", "polars")

#: What no certificate can promise, whatever the models.
NOT_PROMISED: Final = (
    "Linkage with other data: what is learned by joining this release with others of the same people is not limited.",
    "Attribute disclosure: where all records of a class share a sensitive value, it is known of everybody in it.",
    "Columns released unchanged: what they tell about a person by themselves is not judged.",
    "Right roles: a column that the steward wrongly called insensitive is not protected.",
    "Secret range ends: a label that depends on the data tells the exact values of the records at its ends.",
)


@dataclass(frozen=True, slots=True)
class Certificate:
    """What is certified of one file.

    Attributes:
        release: The file's name, without a folder.
        sha256: The digest of its bytes.
        size: How many they are.
        kohort: The version that made and verified it.
        libraries: Versions of the libraries that can make a difference.
        job: Everything that was asked, hierarchies by their digest: with the same records it gives the same bytes.
        job_sha256: The digest of the job's canonical text.
        models: Names of the privacy models, all met.
        k: Records of the smallest class.
        records: Records released.
        suppressed: Records left out, for a missing value or because their class failed the models.
        classes: Equivalence classes.
        class_sizes: Classes by size, in bands that double: `"10..19": 7`.
        levels: Of a full-domain release, the level of its hierarchy that each quasi-identifier is released on; empty
            of any other.
        data_dependent_labels: Whether labels were chosen by looking at records.
        range_exposure: Records whose exact value such a label tells.
        checks: What each check compared.
        metrics: What the release cost, by metric.
        not_promised: What does not follow.
        form: The version of this form.
    """

    release: str
    sha256: str
    size: int
    kohort: str
    libraries: Mapping[str, str]
    job: Mapping[str, object]
    job_sha256: str
    models: tuple[str, ...]
    k: int
    records: int
    suppressed: int
    classes: int
    class_sizes: Mapping[str, int]
    levels: Mapping[str, int]
    data_dependent_labels: bool
    range_exposure: int
    checks: Mapping[str, int]
    metrics: Mapping[str, float]
    not_promised: tuple[str, ...] = NOT_PROMISED
    form: int = FORM

    def encode(self) -> bytes:
        """As JSON with sorted keys: equal certificates are equal bytes."""
        return (json.dumps(asdict(self), indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n").encode()


def certificate(
    verdict: Verdict, name: str, *, job: str, metrics: Mapping[str, float], levels: Mapping[str, int] | None = None
) -> bytes:
    """The certificate of the file called `name`, as it is written.

    Args:
        verdict: What verification found in the file's bytes.
        name: The file's name, without a folder.
        job: The job's canonical text, a JSON object.
        metrics: What the release cost.
        levels: Of a full-domain release, the level of each quasi-identifier, as it was claimed for verification.
    """
    asked = cast("Mapping[str, object]", json.loads(job))
    return Certificate(
        release=name,
        sha256=verdict.sha256,
        size=verdict.checks["bytes"],
        kohort=__version__,
        libraries={library: version(library) for library in _LIBRARIES},
        job=asked,
        job_sha256=_digest(asked),
        models=verdict.models,
        k=verdict.smallest,
        records=verdict.records,
        suppressed=verdict.suppressed,
        classes=verdict.classes,
        class_sizes={f"{band.low}..{band.high}": band.classes for band in verdict.bands},
        levels=dict(levels or {}),
        data_dependent_labels=verdict.data_dependent,
        range_exposure=verdict.range_exposure,
        checks=verdict.checks,
        metrics=metrics,
    ).encode()


def _digest(job: Mapping[str, object]) -> str:
    """The sha256 of the job's canonical text: sorted keys, UTF-8."""
    return hashlib.sha256(json.dumps(job, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def read_certificate(path: str | os.PathLike[str]) -> Certificate:
    """The certificate in a file; nothing but what `certificate` writes is accepted.

    Raises:
        InputError: the file is no certificate of this form, to the byte.
        FileError: the system failed to read it.
    """
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise FileError(f"reading the certificate failed: {error.strerror}", where=str(path)) from None
    known = _decoded(text)
    if known is None or known.encode() != text or known.job_sha256 != _digest(known.job):
        raise InputError(
            "this is no certificate of this version's form, or it was changed",
            where=str(path),
            hint="a certificate lies beside its release and is called NAME.kohort.json",
        )
    return known


def _decoded(text: bytes) -> Certificate | None:
    """The certificate that JSON text describes; `None` where a part is missing, unknown or of another kind."""
    try:
        parts: object = json.loads(text, parse_constant=Fraction)  # which refuses NaN and infinities
    except (ValueError, RecursionError):
        return None
    expected = {field.name: str(field.type) for field in fields(Certificate)}
    if not isinstance(parts, dict) or parts.keys() != expected.keys():
        return None
    given = cast("dict[str, object]", parts)
    if given["form"] != FORM or not all(_is(given[name], kind) for name, kind in expected.items()):
        return None
    build = cast("Callable[..., Certificate]", Certificate)  # the parts are of its fields' kinds
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
        case "int":
            return isinstance(part, int) and not isinstance(part, bool) and part >= 0
        case "float":
            return isinstance(part, int | float) and not isinstance(part, bool)
        case "tuple[str, ...]":
            return isinstance(part, list) and all(isinstance(one, str) for one in cast("list[object]", part))
        case _:
            inner = kind.removeprefix("Mapping[str, ").removesuffix("]")
            return isinstance(part, dict) and (
                inner == "object" or all(_is(one, inner) for one in cast("dict[str, object]", part).values())
            )
