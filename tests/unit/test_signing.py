"""Signatures of certificates: whoever trusts a key finds every other signature, and none that nobody made."""

from __future__ import annotations

import stat
import sys
from base64 import b64encode
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from kohort.certificate.again import PartOutcome, checked_signature, read_certificate
from kohort.certificate.signing import (
    PublicKey,
    SigningKey,
    is_signed,
    read_public_key,
    read_signing_key,
    signed_at,
    signed_part,
    signer,
    write_signing_keys,
)
from kohort.errors import InputError, MissingExtraError, TargetError
from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path

    from tests.command import Ran

#: The first test of RFC 8032, section 7.1: secret key and public key.
SECRET = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"  # noqa: S105  it is in print
PUBLIC = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
NOON = datetime(2026, 11, 27, 12, tzinfo=UTC)
TEXT = b'{\n  "job": {\n    "signature": "x"\n  },\n  "signature": null,\n  "size": 1\n}\n'


def spelled(certificate: bytes) -> str:
    """The signature in a certificate."""
    (line,) = [line for line in certificate.decode().splitlines() if line.startswith('  "signature": "')]
    return line.split('"')[3]


def test_keys_of_the_standard() -> None:
    """A secret key has the public key of RFC 8032, and no repr tells it."""
    key = SigningKey(bytes.fromhex(SECRET))
    assert key.public.raw.hex() == PUBLIC
    assert SECRET not in repr(key)


def test_only_the_one_line_is_not_signed() -> None:
    """All but the top line of the signature is signed; signing again gives the same bytes."""
    key = SigningKey(bytes.fromhex(SECRET))
    made = key.signed(TEXT, NOON)
    assert key.signed(made, NOON) == made
    assert signed_part(made) == signed_part(TEXT) == TEXT.replace(b'  "signature": null,\n', b"")
    assert signer(spelled(made)) == key.public
    assert is_signed(made, spelled(made))


@given(st.integers(0, len(TEXT) - 1), st.integers(1, 255))
def test_any_other_byte_breaks_it(place: int, change: int) -> None:
    """A certificate that differs in one signed byte is not the signed one."""
    made = SigningKey(bytes.fromhex(SECRET)).signed(TEXT)
    other = made[:place] + bytes([made[place] ^ change]) + made[place + 1 :]
    if signed_part(other) != signed_part(made):
        assert not is_signed(other, spelled(made))


# ── points of low order, with which anyone signs ─────────────────────────────────────────────────

#: The prime of the field, d of the curve (RFC 8032, 5.1), and the eight points of low order in all spellings that
#: readers accept: y may be written a prime higher where that fits, and x = 0 may have either sign.
PRIME = (1 << 255) - 19
D = -121665 * pow(121666, -1, PRIME) % PRIME
EIGHTH = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
WEAK = [
    (y | sign << 255).to_bytes(32, "little")
    for y in (0, 1, PRIME - 1, PRIME, PRIME + 1, EIGHTH, PRIME - EIGHTH)
    for sign in (0, 1)
]


def doubled(y: int) -> int:
    """The y of twice a point of the curve -x² + y² = 1 + d x² y² that has this y."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, PRIME)  # of x
    return (y * y + square) * pow(2 - y * y + square, -1, PRIME) % PRIME


@pytest.mark.parametrize("raw", WEAK)
def test_a_point_of_low_order(raw: bytes) -> None:
    """Eight times it is the neutral point, and so it is called weak, in whatever spelling."""
    y = int.from_bytes(raw, "little") % (1 << 255) % PRIME
    assert doubled(doubled(doubled(y))) == 1
    assert PublicKey(raw).weak


@pytest.mark.parametrize("more", range(19))
def test_a_point_that_is_spelled_as_none(more: int) -> None:
    """Its y is below the prime: another spelling of the same point would have another fingerprint."""
    assert PublicKey((PRIME + more).to_bytes(32, "little")).weak


@given(st.binary(min_size=32, max_size=32))
def test_keys_that_somebody_has(secret: bytes) -> None:
    """The key of a secret is never weak, and what it signs is signed."""
    key = SigningKey(secret)
    assert not key.public.weak
    made = key.signed(TEXT, NOON)
    assert is_signed(made, spelled(made))


@pytest.mark.parametrize("raw", WEAK)
def test_nothing_is_signed_by_a_key_of_low_order(raw: bytes) -> None:
    """Neither by the signature that fits everything, nor with a first half of low order."""
    for half in (raw, WEAK[2]):
        for time in ("", "2026-11-27T12:00:00Z "):
            assert not is_signed(TEXT, f"ed25519 {raw.hex()} {time}{half.hex()}{'0' * 64}")
    assert not is_signed(TEXT, f"ed25519 {PUBLIC} {raw.hex()}{'0' * 64}")


@pytest.mark.parametrize("raw", WEAK)
def test_a_certificate_signed_with_a_key_of_low_order(raw: bytes, release: Path) -> None:
    """It is refused with status 5, whether a key is trusted or not; a file of such a key is none to trust (3)."""
    beside, trust = release.with_name("r.csv.kohort.json"), release.with_name("key.pub")
    text = beside.read_text()
    beside.write_text(text.replace(spelled(text.encode()), f"ed25519 {raw.hex()} {WEAK[2].hex()}{'0' * 64}"))
    assert "of low order" in refused(check(release))
    assert "of low order" in refused(check(release, "--trust", trust))
    beside.write_text(text)
    der = bytes.fromhex("302a300506032b6570032100") + raw
    trust.write_text(f"-----BEGIN PUBLIC KEY-----\n{b64encode(der).decode()}\n-----END PUBLIC KEY-----\n")
    ended = check(release, "--trust", trust)
    assert (ended.status, "of low order" in ended.err or "no public" in ended.err) == (3, True)
    with pytest.raises(InputError):
        read_public_key(trust)


# ── the time of signing ──────────────────────────────────────────────────────────────────────────


def test_the_time_is_signed() -> None:
    """It is in whole seconds of UTC, and another one, or none, is not what was signed."""
    made = SigningKey(bytes.fromhex(SECRET)).signed(
        TEXT, datetime(2026, 11, 27, 13, 5, 6, 7, timezone(timedelta(hours=1)))
    )
    time = "2026-11-27T12:05:06Z"
    assert signed_at(spelled(made)) == time
    for other in ("2026-11-27T12:05:07Z", "2027-11-27T12:05:06Z", "2026-13-27T12:05:06Z", "2026-11-27T12:05Z"):
        assert not is_signed(made, spelled(made).replace(time, other))
    assert not is_signed(made, spelled(made).replace(f"{time} ", ""))


def test_a_time_of_no_calendar() -> None:
    """What is spelled like a time and is none is not signed, though the key's owner signed it."""
    key, time = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(SECRET)), "2026-02-30T12:00:00Z"
    assert not is_signed(TEXT, f"ed25519 {PUBLIC} {time} {key.sign(signed_part(TEXT, time)).hex()}")


def test_a_signature_of_an_earlier_version(release: Path) -> None:
    """It has no time, and is accepted; a time cannot be put into it."""
    beside, key = release.with_name("r.csv.kohort.json"), read_signing_key(release.with_name("key"))
    text, trust = beside.read_bytes(), ("--trust", release.with_name("key.pub"))
    made = Ed25519PrivateKey.from_private_bytes(key.secret).sign(signed_part(text)).hex()
    line = f"ed25519 {key.public.raw.hex()} {made}"
    beside.write_text(text.decode().replace(spelled(text), line))
    assert "time not stated" in check(release, *trust).out
    assert '"signed_at": null' in check(release, "--json").out
    beside.write_text(text.decode().replace(spelled(text), line.replace(f" {made}", f" 2026-11-27T12:00:00Z {made}")))
    assert "not what was signed" in refused(check(release, *trust))


def test_a_release_of_yesterday(release: Path) -> None:
    """An older signed release of the same name is accepted, and says of when it is; the unsigned bytes are the same."""
    beside, trust = release.with_name("r.csv.kohort.json"), ("--trust", release.with_name("key.pub"))
    text = beside.read_bytes()
    key = read_signing_key(release.with_name("key"))
    beside.write_bytes(key.signed(text, datetime(2020, 1, 1, tzinfo=UTC)))
    assert signed_part(beside.read_bytes()) == signed_part(text)
    found = check(release, *trust)
    assert (found.status, "at 2020-01-01T00:00:00Z" in found.out) == (0, True)
    assert '"signed_at": "2020-01-01T00:00:00Z"' in check(release, *trust, "--json").out


@pytest.mark.parametrize("text", ["", "ed25519", f"ed25519 {PUBLIC} {'0' * 126}", f"rsa {PUBLIC} {'0' * 128}"])
def test_what_is_no_signature(text: str) -> None:
    """Another spelling, one that is cut, or another kind names no key and is of nothing."""
    assert signer(text) is None
    assert not is_signed(TEXT, text)
    assert not is_signed(TEXT, f"ed25519 {'f' * 64} {'0' * 128}")  # no point of the curve


def test_keys_are_read_back(tmp_path: Path) -> None:
    """A pair is written once, the private key for its owner alone; each is read as what it is."""
    public = write_signing_keys(tmp_path / "key")
    assert read_public_key(tmp_path / "key.pub") == public == read_signing_key(tmp_path / "key").public
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    for name in ("key", "key.pub"):
        (tmp_path / name).rename(tmp_path / "kept")
        with pytest.raises(TargetError):
            write_signing_keys(tmp_path / "key")
        (tmp_path / "kept").rename(tmp_path / name)
    assert read_signing_key(tmp_path / "key").public == public


def test_files_that_hold_no_key(tmp_path: Path) -> None:
    """Other files, and a key of the other kind, are refused, as is a private key that others may read."""
    write_signing_keys(tmp_path / "key")
    (tmp_path / "text").write_text("no key\n")
    (tmp_path / "text").chmod(0o600)
    (tmp_path / "key.pub").chmod(0o600)
    for name in ("text", "key.pub"):
        with pytest.raises(InputError, match="private Ed25519"):
            read_signing_key(tmp_path / name)
    for name in ("text", "key"):
        with pytest.raises(InputError, match="public Ed25519"):
            read_public_key(tmp_path / name)
    (tmp_path / "key").chmod(0o644)
    with pytest.raises(InputError, match="others may read"):
        read_signing_key(tmp_path / "key")


def test_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is not installed, the error says how to install it."""
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
    with pytest.raises(MissingExtraError, match=r"kohort\[sign\]"):
        write_signing_keys(tmp_path / "key")
    ended = kohort("key", tmp_path / "key", "--sign")
    assert ended.status == 10
    assert not [*tmp_path.iterdir()]


# ── releases ─────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A signed release of a table; the key is `key`, and there is an `other`."""
    for name in ("key", "other"):
        assert kohort("key", tmp_path / name, "--sign", "--quiet").status == 0
    (tmp_path / "in.csv").write_text("age,s\n" + "".join(f"{20 + at},{at % 3}\n" for at in range(20)))
    ended = released(tmp_path, "--sign-key", tmp_path / "key")
    assert ended.status == 0, ended.err
    assert f"(signed by {read_public_key(tmp_path / 'key.pub').fingerprint})" in ended.out
    return tmp_path / "r.csv"


def released(folder: Path, *more: object) -> Ran:
    """A release of the table."""
    flags = ("--quasi", "age", "--sensitive", "s", "--no-model", "s", "--k", "4", "--overwrite")
    return kohort("anonymize", folder / "in.csv", "--out", folder / "r.csv", *flags, *more)


def check(release: Path, *more: object) -> Ran:
    """Its certificate checked."""
    return kohort("check", release, "--certificate", f"{release}.kohort.json", *more)


def test_a_signed_release_is_trusted(release: Path) -> None:
    """Who trusts the key is told so; who names none is told whose signature it is."""
    key = read_public_key(release.with_name("key.pub"))
    trusted = check(release, "--trust", release.with_name("key.pub"))
    assert trusted.status == 0
    assert f"same         signature: by the key you trust, {key.fingerprint}, at 20" in trusted.out
    anyone = check(release)
    assert anyone.status == 0
    assert f"not checked  signature: by the key {key.fingerprint}" in anyone.out
    assert f'"signed_by": "{key.fingerprint}"' in check(release, "--json").out


def test_what_is_not_trusted(release: Path) -> None:
    """Another key, a changed certificate, a cut signature, another release, no signature: status 5 and a sentence."""
    beside, trust = release.with_name("r.csv.kohort.json"), ("--trust", release.with_name("key.pub"))
    text, table = beside.read_text(), release.read_text()
    assert "another key" in refused(check(release, "--trust", release.with_name("other.pub")))
    beside.write_text(text.replace('"incomplete": 0', '"incomplete": 1'))
    assert "not what was signed" in refused(check(release, *trust))
    assert "different    signature" in check(release).out
    line = next(line for line in text.splitlines() if '"signature"' in line)
    beside.write_text(text.replace(line, f'{line[:-4]}",'))
    assert "not what was signed" in refused(check(release, *trust))
    beside.write_text(text)
    release.write_text(table.replace(",0", ",1", 1))
    assert "the signed certificate is for another file" in refused(check(release, *trust))
    assert released(release.parent).status == 0
    assert "is not signed" in refused(check(release, *trust))
    assert "not checked  signature: unsigned" in check(release).out
    assert '"signed_by": null' in check(release, "--json").out


def refused(ended: Ran) -> str:
    """What was said of a release that is not trusted."""
    assert (ended.status, ended.out) == (5, "")
    return ended.err


def test_a_signature_that_nobody_can_check_here(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the library a signature is not checked; to demand a key is status 10."""
    known = read_certificate(f"{release}.kohort.json")
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
    part = checked_signature(known, release, None)
    assert (part.name, part.outcome, "kohort[sign]" in part.told) == ("signature", PartOutcome.UNCHECKED, True)
    assert check(release, "--trust", release.with_name("key.pub")).status == 10
    with pytest.raises(MissingExtraError):
        checked_signature(known, release, release.with_name("key.pub"))


def test_trust_is_demanded_of_certificates(release: Path) -> None:
    """Without a certificate there is nothing to trust."""
    ended = kohort("check", release, "--trust", release.with_name("key.pub"))
    assert ended.status == 2
    assert "--certificate" in ended.err


def test_a_key_that_cannot_sign_is_refused_before_the_work(release: Path) -> None:
    """A file that is no private key ends in 3, one that is not there too; nothing is released, no key overwritten."""
    folder = release.parent
    release.unlink()
    for name in ("key.pub", "none", "in.csv"):
        assert released(folder, "--sign-key", folder / name).status == 3
    assert not release.exists()
    write_signing_keys(folder / "key.csv")
    flags = ("--quasi", "age", "--sensitive", "s", "--no-model", "s", "--k", "4", "--overwrite")
    files = ("--out", folder / "key.csv", "--sign-key", folder / "key.csv")
    ended = kohort("anonymize", folder / "in.csv", *files, *flags)
    assert ended.status == 7
    assert read_signing_key(folder / "key.csv").public == read_public_key(folder / "key.csv.pub")


def test_a_job_file_and_transactions(release: Path) -> None:
    """The key can stand in a job file, relative to it; transactions are signed alike."""
    folder = release.parent
    table = '[input]\npath = "in.csv"\n[output]\npath = "s.csv"\nsign-key = "key"\n[privacy]\nk = 4\n[columns]\n'
    (folder / "job.toml").write_text(table + 'age.role = "quasi"\ns = { role = "sensitive", no-model = true }\n')
    assert kohort("run", folder / "job.toml").status == 0
    assert check(folder / "s.csv", "--trust", folder / "key.pub").status == 0
    assert str(folder) not in (folder / "s.csv.kohort.json").read_text()
    (folder / "b.dat").write_text("0 2 6\n0 2 5\n1 2\n0 1 5\n0 1 2\n0 1 2 3 4 5\n")
    flags = ("--private", "3,4", "--h", "0.5", "--k", "3", "--p", "2", "--sign-key", folder / "key")
    ended = kohort("transactions", folder / "b.dat", "--out", folder / "r.dat", *flags)
    assert ended.status == 0
    assert "(signed by " in ended.out
    assert check(folder / "r.dat", "--trust", folder / "key.pub").status == 0
    assert check(folder / "r.dat", "--trust", folder / "other.pub").status == 5
