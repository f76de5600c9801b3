"""Whether a certificate is signed, by whom, and whether that is who it has to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kohort.certificate.again import CheckedPart, PartOutcome, judged, of_bytes, unchecked
from kohort.errors import MissingExtraError, VerificationError
from kohort.signing import is_signed, read_public_key, signed_at, signer

if TYPE_CHECKING:
    import os

    from kohort.certificate.form import Certified

#: What the part is called.
_NAME = "signature"

#: What to do about a signature that proves nothing.
_HINT = "do not use it; ask whoever gave it to you for the release and its certificate"


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
        raise VerificationError("the file is not the one that the signed certificate is of", hint=_HINT)
    return judged(_NAME, f"by the key you trust, {key.fingerprint}{_time(known.signature)}", met=True)


def _time(signature: str) -> str:
    """When a signature was made, as it is told."""
    time = signed_at(signature)
    return ", at a time that it does not tell" if time is None else f", at {time}"


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
