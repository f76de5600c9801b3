"""Ed25519 signatures (RFC 8032) of certificates: who wrote one, and that no byte of it was changed since.

The signed bytes are those of the certificate's file without the one line that begins with two blanks and
`"signature": `. That line holds, parted by blanks, `ed25519`, the public key in 64 hexadecimal digits and the signature
in 128. The certificate holds the sha256 of the release, so whoever signs it signs the release.

Keys are files in PEM, as OpenSSL reads and writes them: the private one PKCS 8, for its owner alone, and the public one
beside it, NAME.pub, for everybody. A signature proves as much as the reader's reason to trust the public key: it has to
come another way than the release.
"""

from __future__ import annotations

import hashlib
import re
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kohort.errors import InputError, MissingExtraError, TargetError
from kohort.key_files import PUBLIC, read_key_file, write_key_file
from kohort.whole_files import refuse_name

if TYPE_CHECKING:
    import os

_NEW: Final = "make a pair with `kohort key --sign FILE`"

#: The line of a certificate that is not signed, for it holds the signature.
_line: Final = re.compile(rb'^  "signature": .*\n', re.MULTILINE)

#: What it says.
_signature: Final = re.compile(r"ed25519 ([0-9a-f]{64}) ([0-9a-f]{128})").fullmatch


@dataclass(frozen=True, slots=True)
class PublicKey:
    """What a signature is checked with.

    Attributes:
        raw: Its 32 bytes.
    """

    raw: bytes

    @property
    def fingerprint(self) -> str:
        """What people compare: the first 32 hexadecimal digits of its sha256, in groups of four.

        >>> PublicKey(bytes(32)).fingerprint
        '6668 7aad f862 bd77 6c8f c18b 8e9f 8e20'
        """
        digits = hashlib.sha256(self.raw).hexdigest()[:32]
        return " ".join(digits[at : at + 4] for at in range(0, 32, 4))


@dataclass(frozen=True, slots=True)
class SigningKey:
    """What certificates are signed with; it is in no text.

    Attributes:
        secret: Its 32 bytes.
    """

    secret: bytes = field(repr=False)

    @property
    def public(self) -> PublicKey:
        """What its signatures are checked with."""
        key = _library().Ed25519PrivateKey.from_private_bytes(self.secret)
        return PublicKey(key.public_key().public_bytes_raw())

    def signed(self, certificate: bytes) -> bytes:
        """A certificate with its signature, in place of another or none."""
        key = _library().Ed25519PrivateKey.from_private_bytes(self.secret)
        signature: str = key.sign(signed_part(certificate)).hex()
        line = f'  "signature": "ed25519 {self.public.raw.hex()} {signature}",\n'
        return _line.sub(line.encode(), certificate, count=1)


def signed_part(certificate: bytes) -> bytes:
    r"""The bytes of a certificate that a signature is of.

    >>> signed_part(b'{\n  "k": 5,\n  "signature": null,\n  "size": 9\n}\n')
    b'{\n  "k": 5,\n  "size": 9\n}\n'
    """
    return _line.sub(b"", certificate, count=1)


def signer(signature: str) -> PublicKey | None:
    """The public key that a signature names; `None` where it is not spelled as one."""
    found = _signature(signature)
    return None if found is None else PublicKey(bytes.fromhex(found[1]))


def is_signed(certificate: bytes, signature: str) -> bool:
    """Whether a signature is that of the key that it names over a certificate.

    Raises:
        MissingExtraError: the library is not installed.
    """
    found, library = _signature(signature), _library()
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  an extra

    if found is None:
        return False
    try:
        key = library.Ed25519PublicKey.from_public_bytes(bytes.fromhex(found[1]))
        key.verify(bytes.fromhex(found[2]), signed_part(certificate))
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
        "choose another name: a key is never replaced, for nobody could tell its signatures from those of the new one"
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
        InputError: there is none, or it holds no public Ed25519 key.
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
    return PublicKey(key.public_bytes_raw())


def _library() -> Any:  # noqa: ANN401  a module
    """The keys of `cryptography`.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415  an extra
    except ImportError:
        what = "signatures need the library cryptography, which is not installed"
        raise MissingExtraError(what, hint="pip install 'kohort[sign]'") from None
    return ed25519


def _forms() -> Any:  # noqa: ANN401  a module
    """How keys are written."""
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415  an extra

    return serialization
