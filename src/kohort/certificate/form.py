"""What every certificate says, whatever was released, and how it is spelled.

A certificate is a function of the released bytes, the job, and how many records and people there were. Two inputs that
give the same release therefore have the same certificate, and two releases reveal no more with their certificates than
without. What else is known of the input stays with whoever has it: it is printed, and stands in the internal report.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final, cast

from kohort.system.version import VERSION
from kohort.verify.verdict import UNENCRYPTED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.certificate.signing import SigningKey

#: The form of the file; it changes when a key does. An older one told its job otherwise, and is read.
FORM: Final = 10
FORMS: Final = (9, FORM)

#: The libraries whose version can make a difference to a release.
_LIBRARIES: Final = ("numpy", "polars")

#: Where the engine put records on disks as they are.
_DISKS: Final = (
    "Disks of the cluster: while it worked, its workers put records on them as they are, not encrypted; whoever reads"
    " these disks may find some."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Certified(ABC):
    """What is certified of any file.

    Attributes:
        kind: What was released.
        release: The file's name, without a folder.
        sha256: The SHA-256 digest of its bytes.
        size: The size of the file in bytes.
        kohort: The version of kohort that made and verified it.
        libraries: Versions of the libraries that can affect the release.
        job: The complete job: with the same data it gives the same bytes.
        job_sha256: The digest of the job's canonical text.
        checks: The number of comparisons of each check.
        not_promised: What the certificate does not promise.
        signature: The kind of key, the public key, the time of signing in UTC and the signature over all other lines of
            the file and this time, separated by blanks; `None` if it is unsigned. See `kohort.certificate.signing`.
        form: The version of the certificate's format.
    """

    kind: str
    release: str
    sha256: str
    size: int
    kohort: str
    libraries: Mapping[str, str]
    job: Mapping[str, object]
    job_sha256: str
    checks: Mapping[str, int]
    not_promised: tuple[str, ...]
    signature: str | None = None
    form: int = FORM

    @property
    @abstractmethod
    def promised(self) -> tuple[str, ...]:
        """Names of the privacy models, all met."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """Records or transactions released."""

    @property
    def unit(self) -> str:
        """What these are."""
        return "records"

    def encode(self) -> bytes:
        """As JSON with sorted keys: equal certificates are equal bytes."""
        return (json.dumps(asdict(self), indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n").encode()


def certified(
    name: str, job: str, limits: tuple[str, ...], *, sha256: str, checks: Mapping[str, int]
) -> dict[str, Any]:
    """The fields of every certificate: of the file called `name`, made by the job of this canonical text, JSON."""
    asked = cast("Mapping[str, object]", json.loads(job))
    return {
        "release": name,
        "sha256": sha256,
        "size": checks["bytes"],
        "kohort": VERSION,
        "libraries": {library: version(library) for library in _LIBRARIES},
        "job": asked,
        "job_sha256": digest(asked),
        "checks": checks,
        "not_promised": limits,
    }


def disks_of(engine: str) -> tuple[str, ...]:
    """What is not promised of the disks of this engine."""
    return (_DISKS,) if engine.endswith(UNENCRYPTED) else ()


def digest(job: Mapping[str, object]) -> str:
    """The sha256 of the job's canonical text: sorted keys, UTF-8."""
    return hashlib.sha256(json.dumps(job, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def signing_key(file: str | None) -> SigningKey | None:
    """The key that a certificate is signed with; `None` where it stays unsigned."""
    if file is None:
        return None
    from kohort.certificate.signing import read_signing_key  # noqa: PLC0415  few certificates are signed

    return read_signing_key(file)
