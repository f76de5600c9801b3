"""Object stores: what one is asked, one that is reached by the library obstore, and releases that are read from it.

Credentials, region and endpoint come from the environment, as the library finds them there. They are part of no
address, and of no message: what the library says is told by its kind, since it may quote addresses that are signed.
"""

from __future__ import annotations

import errno
import hashlib
import re
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, Protocol, TypeVar, TypeVarTuple

from kohort.errors import FileError, InputError, UsageError
from kohort.io.forms import STORES, is_store
from kohort.io.manifest import CERTIFICATE, MANIFEST, manifest_of
from kohort.system import import_optional

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Generator, Iterable, Iterator

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

#: What kohort accepts as an address; neither a user's name nor a signature fits.
_ADDRESS: Final = re.compile(rf"({'|'.join(STORES)})://([A-Za-z0-9][A-Za-z0-9._-]*)/([^\x00-\x1f\x7f?#\\]*)")

#: How often a call is made before its failure counts.
_ATTEMPTS: Final = 3

#: How long the library goes on trying by itself, each time. A request that is not answered ends after 30 seconds.
_RETRIED: Final = timedelta(seconds=20)

#: Bytes that are sent or fetched at once, so few that a slow line manages them in these 30 seconds; pieces on the way;
#: and how many pieces an object has at most.
_PIECE: Final = 8 << 20
_AT_ONCE: Final = 4
_PIECES: Final = 10_000

#: Answers that will be the same when they are asked for again.
_REFUSALS: Final = MappingProxyType(
    {
        HTTPStatus.UNAUTHORIZED: "the store denies access",
        HTTPStatus.FORBIDDEN: "the store denies access",
        HTTPStatus.NOT_FOUND: "there is no such bucket",
    }
)

#: What a store is reached by.
_SAID: Final = MappingProxyType(
    {
        "s3": (
            "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION; of another service also AWS_ENDPOINT_URL, and "
            "AWS_ALLOW_HTTP=true where that begins with http:"
        ),
        "gs": "GOOGLE_APPLICATION_CREDENTIALS",
        "az": "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
    }
)


class Stored(NamedTuple):
    """An object.

    Attributes:
        key: Its key.
        age: Seconds since it was put, by the store's clock.
    """

    key: str
    age: float


class Store(Protocol):
    """What an object store can do. Every method may raise `OSError`, also after it has done what it was asked.

    What cannot be mended by asking again is a `FileError`.
    """

    @property
    def root(self) -> str:
        """What stands before a key in an address."""
        ...

    @property
    def hint(self) -> str:
        """What to look at where the store fails."""
        ...

    def put(self, key: str, content: bytes | Path) -> None:
        """Let the object at a key be this content, whole."""
        ...

    def put_if_absent(self, key: str, content: bytes) -> bool:
        """The same in one step with seeing that there is none; whether there was none."""
        ...

    def get(self, key: str) -> bytes | None:
        """The object at a key; `None` where there is none."""
        ...

    def pieces(self, key: str) -> Iterable[bytes]:
        """The same, of a large object; nothing where there is none."""
        ...

    def list(self, prefix: str) -> Iterable[Stored]:
        """The objects whose keys begin so."""
        ...

    def delete(self, key: str) -> None:
        """Let there be no object at a key."""
        ...


def tried(store: Store, call: Callable[[str, *Ts], T], key: str, *rest: *Ts) -> T:
    """What a call about a key answers, made again where it fails: every one of them may be repeated.

    Raises:
        FileError: it failed each time.
    """
    failures: list[OSError] = []
    while len(failures) < _ATTEMPTS:
        try:
            return call(key, *rest)
        except OSError as error:
            failures.append(error)
    what = f"the store failed: {failures[0].strerror or 'no reason given'}"
    raise FileError(what, where=f"{store.root}/{key}", hint=store.hint)


def sha256_of(store: Store, key: str) -> str:
    """The digest of an object, as it is read back."""
    sha256 = hashlib.sha256()
    for piece in store.pieces(key):
        sha256.update(piece)
    return sha256.hexdigest()


# ── addresses ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Address:
    """A place in an object store.

    Attributes:
        scheme: `s3`, `gs` or `az`.
        bucket: The bucket or container.
        key: The key, without a / at its ends.
    """

    scheme: str
    bucket: str
    key: str

    def __str__(self) -> str:
        """As it is written."""
        return f"{self.root}/{self.key}"

    def __truediv__(self, name: str) -> Address:
        """The place of that name below it."""
        return Address(self.scheme, self.bucket, f"{self.key}/{name}")

    @property
    def root(self) -> str:
        """The bucket."""
        return f"{self.scheme}://{self.bucket}"

    @property
    def name(self) -> str:
        """The end of the key."""
        return self.key.rpartition("/")[2]


def address_of(name: str | os.PathLike[str]) -> Address | None:
    """The place in an object store that a name means; `None` where it means a file.

    Raises:
        UsageError: it begins as an address, and is none.

    >>> print(address_of("s3://lake/2026/release/"))
    s3://lake/2026/release
    >>> address_of("release/")
    """
    text = str(name)
    if not is_store(text):
        return None
    found = _ADDRESS.fullmatch(text)
    key = found[3].strip("/") if found else ""
    if found is None or not key or any(part in {"", ".", ".."} for part in key.split("/")):
        scheme = text.partition(":")[0]
        what = f"this is no address in {STORES[scheme]}"  # which may hold a password, so it is not repeated
        hint = f"write {scheme}://BUCKET/FOLDER/; credentials come from the environment"
        raise UsageError(what, hint=hint)
    return Address(found[1], found[2], key)


# ── the library ──────────────────────────────────────────────────────────────────────────────────


def opened(place: Address) -> Store:
    """The store of an address.

    Raises:
        MissingExtraError: the library is not installed.
        FileError: the environment does not say enough to reach it.
    """
    library = _library()
    try:
        made = library.store.from_url(place.root, retry_config={"retry_timeout": _RETRIED})
    except (library.exceptions.BaseError, ValueError):
        what = "the environment lacks the settings of the store"
        raise FileError(what, where=place.root, hint=_hint(place.scheme)) from None
    return Bucket(library, made, place.root, _hint(place.scheme))


def _library() -> Any:  # noqa: ANN401  a module that may be absent
    names = ("obstore.store", "obstore.exceptions", "obstore")
    *_, library = [import_optional(name, "for object stores", "store", called="obstore") for name in names]
    return library


def _hint(scheme: str) -> str:
    return f"check the address, the network and the environment: {_SAID[scheme]}"


@dataclass(frozen=True, slots=True)
class Bucket:
    """A store that the library reaches.

    Attributes:
        library: The library.
        base: Its store.
        root: What stands before a key in an address.
        hint: What to look at where the store fails.
    """

    library: Any
    base: Any
    root: str
    hint: str

    def put(self, key: str, content: bytes | Path) -> None:
        """Put an object, a large one in pieces that become one object at once."""
        with self._told(key):
            size = content.stat().st_size if isinstance(content, Path) else len(content)
            piece = max(_PIECE, -(-size // _PIECES))
            self.library.put(self.base, key, content, chunk_size=piece, max_concurrency=_AT_ONCE)

    def put_if_absent(self, key: str, content: bytes) -> bool:
        """Put an object where there is none."""
        taken = self.library.exceptions.AlreadyExistsError, self.library.exceptions.PreconditionError
        with self._told(key):
            try:
                self.library.put(self.base, key, content, mode="create")
            except taken:
                return False
            return True

    def get(self, key: str) -> bytes | None:
        """An object."""
        with self._told(key):
            try:
                return bytes(self.library.get(self.base, key).bytes())
            except FileNotFoundError:
                return None

    def pieces(self, key: str) -> Iterator[bytes]:
        """A large object, by requests that each end in time."""
        with self._told(key):
            try:
                size = int(self.library.head(self.base, key)["size"])
            except FileNotFoundError:
                return
            for start in range(0, size, _PIECE):
                yield bytes(self.library.get_range(self.base, key, start=start, end=min(start + _PIECE, size)))

    def list(self, prefix: str) -> Iterator[Stored]:
        """The objects below a prefix, which ends with /.

        Their age is by this machine's clock, which the stores hold to theirs: they refuse requests of another time.
        """
        with self._told(prefix):
            for some in self.library.list(self.base, prefix):
                now = datetime.now(UTC)
                yield from (Stored(one["path"], (now - one["last_modified"]).total_seconds()) for one in some)

    def delete(self, key: str) -> None:
        """Remove an object."""
        with self._told(key):
            try:
                self.library.delete(self.base, key)
            except FileNotFoundError:
                return

    @contextmanager
    def _told(self, key: str) -> Generator[None]:
        """Turn what the library raises into errors that hold nothing of its text."""
        refused = self.library.exceptions.PermissionDeniedError, self.library.exceptions.UnauthenticatedError
        try:
            yield
        except FileNotFoundError:
            self._refuse(key, _REFUSALS[HTTPStatus.NOT_FOUND])
        except refused:
            self._refuse(key, _REFUSALS[HTTPStatus.FORBIDDEN])
        except self.library.exceptions.BaseError as error:
            status = _status(str(error))
            if status is None:
                raise OSError(errno.EIO, "no answer") from None
            if status in _REFUSALS:
                self._refuse(key, _REFUSALS[status])
            raise OSError(errno.EIO, f"answer {status.value} {status.phrase}") from None

    def _refuse(self, key: str, what: str) -> NoReturn:
        raise FileError(what, where=f"{self.root}/{key}", hint=self.hint) from None


def _status(text: str) -> HTTPStatus | None:
    """The status of the store's answer in what the library says; `None` where there was no answer.

    >>> _status("GET http://127.0.0.1/lake?X-Signature=secret - status code: 503 Service Unavailable").phrase
    'Service Unavailable'
    >>> _status("error sending request")
    """
    found = re.search(r"status code: (\d{3})", text)
    return HTTPStatus(int(found[1])) if found and int(found[1]) in list(HTTPStatus) else None


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def fetched(name: str, parent: Path | None = None) -> Generator[str]:
    """A path by which a source can be read: of a release in an object store a copy, which is gone afterwards.

    Args:
        name: A release, or its certificate; what lies in no store is given back as it is.
        parent: The folder of the copy; the system's temporary folder by default.

    Raises:
        InputError: there is no release at an address.
        FileError: the store or the disk failed.
    """
    place = address_of(name)
    if place is None:
        yield name
        return
    store = opened(place)
    with TemporaryDirectory(prefix="kohort-", dir=parent) as folder:
        if place.name == CERTIFICATE:
            yield str(_copied(store, place.key, Path(folder, CERTIFICATE)))
            return
        copy = Path(folder, place.name)
        _copy_release(store, place, copy)
        yield str(copy)


def _copy_release(store: Store, place: Address, folder: Path) -> None:
    at = place / MANIFEST
    text = tried(store, store.get, at.key)
    if text is None:
        what = "no release of kohort at this address"
        raise InputError(what, where=str(place), hint="name the folder of the manifest; download other files first")
    known = manifest_of(text, str(at))
    below = folder / known.prefix
    with _copying(folder):
        below.mkdir(parents=True)
        (folder / MANIFEST).write_bytes(text)
    for name in (*(part.name for part in known.parts), CERTIFICATE):
        _copied(store, f"{place.key}/{known.prefix}/{name}", below / name)


def _copied(store: Store, key: str, path: Path) -> Path:
    """The copy of an object; an empty file where there is none, which is then found not to be what is listed."""

    def copy(key: str) -> None:
        with _copying(path):
            path.write_bytes(b"")
        for piece in store.pieces(key):
            with _copying(path), path.open("ab") as file:
                file.write(piece)

    tried(store, copy, key)
    return path


@contextmanager
def _copying(path: Path) -> Generator[None]:
    """Tell what fails on this machine's disk from what fails in the store."""
    try:
        yield
    except OSError as error:
        hint = "name another folder of temporary files (TMPDIR)"
        raise FileError(f"copying failed: {error.strerror}", where=str(path), hint=hint) from None
