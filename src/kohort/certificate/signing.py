"""Ed25519 signatures (RFC 8032) of certificates: who wrote one, and that no byte of it was changed since.

The signed bytes are those of the certificate's file without the one line that begins with two blanks and
`"signature": `, then the time of signing and a line end. That line holds, parted by blanks, `ed25519`, the public key
in 64 hexadecimal digits, the time, and the signature in 128. The certificate holds the sha256 of the release, so
whoever signs it signs the release. Signatures of earlier versions have no time, and it is no part of what they signed.

A public key of low order is refused: of such a point anyone can make a signature of anything, without a secret.

Keys are files in PEM, as OpenSSL reads and writes them: the private one PKCS 8, for its owner alone, and the public one
beside it, NAME.pub, for everybody. A signature proves as much as the reader's reason to trust the public key: it has to
come another way than the release.
"""

from __future__ import annotations

import hashlib
import re
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kohort.errors import InputError, TargetError
from kohort.system import import_optional
from kohort.system.disk import refuse_name
from kohort.system.key_files import PUBLIC, read_key_file, write_key_file

if TYPE_CHECKING:
    import os

_NEW: Final = "make a pair with `kohort key --sign FILE`"

#: The line of a certificate that is not signed, for it holds the signature.
_line: Final = re.compile(rb'^  "signature": .*\n', re.MULTILINE)

#: What it says: the key, perhaps the time, and the signature.
_signature: Final = re.compile(r"ed25519 ([0-9a-f]{64}) (?:([0-9TZ:-]{20}) )?([0-9a-f]{128})").fullmatch

#: A time of signing, in UTC.
_TIME: Final = "%Y-%m-%dT%H:%M:%SZ"

#: The prime of the curve's field, and y of the eight points of low order: of order 1, 2, 4, and twice that of order 8.
_PRIME: Final = (1 << 255) - 19
_EIGHTH: Final = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_LOW_ORDER: Final = frozenset({1, _PRIME - 1, 0, _EIGHTH, _PRIME - _EIGHTH})


@dataclass(frozen=True, slots=True)
class PublicKey:
    """What a signature is checked with."""

    raw: bytes

    @property
    def fingerprint(self) -> str:
        """What people compare: the first 32 hexadecimal digits of its sha256, in groups of four.

        >>> PublicKey(bytes(32)).fingerprint
        '6668 7aad f862 bd77 6c8f c18b 8e9f 8e20'
        """
        digits = hashlib.sha256(self.raw).hexdigest()[:32]
        return " ".join(digits[at : at + 4] for at in range(0, 32, 4))

    @property
    def weak(self) -> bool:
        """Whether it is a point of low order, however it is written, or written as RFC 8032 allows no point to be.

        >>> PublicKey(bytes(32)).weak, PublicKey(bytes([6] * 32)).weak
        (True, False)
        """
        y = int.from_bytes(self.raw, "little") % (1 << 255)  # the highest bit is the sign of x
        return y >= _PRIME or y in _LOW_ORDER


@dataclass(frozen=True, slots=True)
class SigningKey:
    """What certificates are signed with; it is in no text."""

    secret: bytes = field(repr=False)

    @property
    def public(self) -> PublicKey:
        """What its signatures are checked with."""
        key = _library().Ed25519PrivateKey.from_private_bytes(self.secret)
        return PublicKey(key.public_key().public_bytes_raw())

    def signed(self, certificate: bytes, at: datetime | None = None) -> bytes:
        """A certificate with its signature, in place of another or none, made `at` a time: now, if none is given."""
        key = _library().Ed25519PrivateKey.from_private_bytes(self.secret)
        time = (at or datetime.now(UTC)).astimezone(UTC).strftime(_TIME)
        signature: str = key.sign(signed_part(certificate, time)).hex()
        line = f'  "signature": "ed25519 {self.public.raw.hex()} {time} {signature}",\n'
        return _line.sub(line.encode(), certificate, count=1)


def signed_part(certificate: bytes, time: str | None = None) -> bytes:
    r"""The bytes that a signature is of: those of a certificate, and the time.

    >>> signed_part(b'{\n  "k": 5,\n  "signature": null,\n  "size": 9\n}\n', "2026-11-27T04:30:00Z")
    b'{\n  "k": 5,\n  "size": 9\n}\n2026-11-27T04:30:00Z\n'
    """
    return _line.sub(b"", certificate, count=1) + (b"" if time is None else f"{time}\n".encode())


def signer(signature: str) -> PublicKey | None:
    """The public key that a signature names; `None` where it is not spelled as one."""
    found = _signature(signature)
    return None if found is None else PublicKey(bytes.fromhex(found[1]))


def signed_at(signature: str) -> str | None:
    """When a signature says that it was made; `None` where it does not.

    >>> signed_at(f"ed25519 {64 * '0'} 2026-11-27T04:30:00Z {128 * '0'}")
    '2026-11-27T04:30:00Z'
    """
    found = _signature(signature)
    return found and found[2]


def is_signed(certificate: bytes, signature: str) -> bool:
    """Whether a signature is that of the key that it names over a certificate, at the time that it tells."""
    found, library = _signature(signature), _library()
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  an extra

    if found is None:
        return False
    raw, made = bytes.fromhex(found[1]), bytes.fromhex(found[3])
    if PublicKey(raw).weak or PublicKey(made[:32]).weak:  # the first half of a signature is a point, too
        return False
    try:
        if found[2] is not None:
            datetime.strptime(found[2], _TIME)  # noqa: DTZ007  no more than whether it is a time
        library.Ed25519PublicKey.from_public_bytes(raw).verify(made, signed_part(certificate, found[2]))
    except (InvalidSignature, ValueError):
        return False
    return True


def write_signing_keys(path: str | os.PathLike[str]) -> PublicKey:
    """Write a new pair of keys: the private one to `path`, which only you may read, the public one to `path`.pub.

    Raises:
        TargetError: one of them is there.
        FileError: the system failed to write.
        MissingExtraError: the library is not installed.
    """
    refuse_name(Path(path))
    key, form = _library().Ed25519PrivateKey.generate(), _forms()
    beside = Path(f"{path}.pub")
    hint = (
        "choose another name: a key is never replaced, since its signatures could not be told from those of the new one"
    )
    pem, pkcs8, bare = form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption()
    public = key.public_key()
    for one in (beside, Path(path)):
        if one.exists():
            raise TargetError("the output exists", where=str(one), hint=hint)
    with ExitStack() as end:  # a public key alone does no harm: it comes first, and goes if it stays alone
        end.callback(_remove_alone, beside, Path(path))
        write_key_file(beside, public.public_bytes(pem, form.PublicFormat.SubjectPublicKeyInfo), hint=hint, mode=PUBLIC)
        write_key_file(path, key.private_bytes(pem, pkcs8, bare), hint=hint)
    return PublicKey(public.public_bytes_raw())


def _remove_alone(public: Path, private: Path) -> None:
    """Remove a public key that has no private one."""
    if not private.exists():
        public.unlink(missing_ok=True)


def read_signing_key(path: str | os.PathLike[str]) -> SigningKey:
    """The private key in a file that only its owner may read.

    Raises:
        InputError: there is none, others may read it, or it holds no Ed25519 key without a password.
        FileError: the system failed to read it.
        MissingExtraError: the library is not installed.
    """
    kind, text = _library().Ed25519PrivateKey, read_key_file(path, hint=_NEW, secret=True)
    try:
        key: Any = _forms().load_pem_private_key(text, None)
    except (ValueError, TypeError):  # a public key, or one with a password
        key = None
    if not isinstance(key, kind):
        raise InputError("the file does not contain a private Ed25519 key in PEM", where=str(path), hint=_NEW)
    return SigningKey(key.private_bytes_raw())


def read_public_key(path: str | os.PathLike[str]) -> PublicKey:
    """The public key in a file.

    Raises:
        InputError: there is none, or it holds no public Ed25519 key, or one of low order.
        FileError: the system failed to read it.
        MissingExtraError: the library is not installed.
    """
    kind, text = _library().Ed25519PublicKey, read_key_file(path, hint=_NEW, secret=False)
    try:
        key: Any = _forms().load_pem_public_key(text)
    except ValueError:
        key = None
    if not isinstance(key, kind):
        hint = "give the file whose name ends in .pub"
        raise InputError("the file does not contain a public Ed25519 key in PEM", where=str(path), hint=hint)
    public = PublicKey(key.public_bytes_raw())
    if public.weak:
        raise InputError("anyone can sign with this key, which is of low order", where=str(path), hint=_NEW)
    return public


def _library() -> Any:  # noqa: ANN401  a module
    return import_optional(
        "cryptography.hazmat.primitives.asymmetric.ed25519", "for signatures", "sign", called="cryptography"
    )


def _forms() -> Any:  # noqa: ANN401  a module
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415  an extra

    return serialization
