"""Publish a release of parts in an object store, which has no folders, no rename and no locks.

    TARGET/.kohort-<32 hex digits>/part-00000.csv …  certificate.json  ─►  TARGET/manifest.json

The parts go under a random prefix, and nobody reads them there. The manifest names the prefix, and goes last, in one
put that is refused where there is a manifest: so a release is there with its manifest, whole, and replaces none unless
that is wanted. A put whose answer is lost is repeated, by us or by a library: as the prefix is nobody else's, whoever
finds the manifest there knows whether it is their own.

What dead runs left is removed by the next run in that place, if it is older than `PATIENCE`. A run that only looked
dead must not find its parts gone after its manifest: so each prefix has a fate, put once, if there is none: its run
puts `published` before the manifest, who sweeps puts `dead` before anything is deleted, and who comes second gives way.
"""

from __future__ import annotations

import json
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeVar, cast

from kohort.errors import FileError, TargetError
from kohort.io.manifest import CERTIFICATE, MANIFEST, Manifest
from kohort.system import TEMPORARY, temporary_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

T = TypeVar("T")

#: Seconds after which what no manifest names is taken for a dead run's: longer than any upload.
PATIENCE: Final = 7 * 24 * 3600

#: How often a call is made before its failure counts.
_ATTEMPTS: Final = 3

_FATE: Final = "fate"


class Stored(NamedTuple):
    """An object.

    Attributes:
        key: Its key.
        age: Seconds since it was put, by the store's clock.
    """

    key: str
    age: float


class Store(Protocol):
    """What an object store can do. Every method may raise `OSError`, also after it has done what it was asked."""

    def put(self, key: str, content: bytes | Path) -> None:
        """Let the object at a key be this content, whole."""
        ...

    def put_if_absent(self, key: str, content: bytes) -> bool:
        """The same in one step with seeing that there is none; whether there was none."""
        ...

    def get(self, key: str) -> bytes | None:
        """The object at a key; `None` where there is none."""
        ...

    def list(self, prefix: str) -> Iterable[Stored]:
        """The objects whose keys begin so."""
        ...

    def delete(self, key: str) -> None:
        """Let there be no object at a key."""
        ...


def publish_to_store(
    store: Store, target: str, folder: Path, manifest: Manifest, *, overwrite: bool = False
) -> Mapping[str, str]:
    """Put a verified release of parts, as `kohort.publish.folder` makes it, into a store.

    Args:
        store: The store.
        target: The key below which the release is.
        folder: Where the parts and their certificate lie.
        manifest: What lists the parts.
        overwrite: Replace a release that is there.

    Returns:
        The key of each file of the release.

    Raises:
        TargetError: a release is there (and `overwrite` is not set), or another run took this one for dead.
        FileError: the store failed; nothing was published.
    """
    place = f"{target}/{MANIFEST}"
    sweep_store(store, target)
    if not overwrite and _tried(place, partial(store.get, place)) is not None:
        raise _exists(place)
    prefix = temporary_name()
    names = [*(part.name for part in manifest.parts), CERTIFICATE]
    keys = {name: f"{target}/{prefix}/{name}" for name in names}
    for name, key in keys.items():
        _tried(key, partial(store.put, key, folder / name))
    told = cast("dict[str, Any]", json.loads(manifest.encode())) | {"prefix": prefix}
    text = (json.dumps(told, indent=1, sort_keys=True) + "\n").encode()
    if not _put_once(store, f"{target}/{prefix}/{_FATE}", b"published"):
        raise TargetError("another run took this one for dead", where=place, hint="run again")
    if overwrite:
        _tried(place, partial(store.put, place, text))
    elif not _put_once(store, place, text):
        raise _exists(place)
    return {**keys, MANIFEST: place}


def sweep_store(store: Store, target: str) -> None:
    """Remove what dead runs left below a target: prefixes that its manifest does not name, once they are old.

    Raises:
        FileError: the store failed.
    """
    found: dict[str, list[Stored]] = {}
    for one in _tried(target, lambda: list(store.list(f"{target}/"))):
        prefix = one.key.removeprefix(f"{target}/").partition("/")[0]
        if TEMPORARY.fullmatch(prefix):
            found.setdefault(prefix, []).append(one)
    for prefix, objects in found.items():
        if min(one.age for one in objects) < PATIENCE or prefix == _named(store, target):
            continue
        fate = f"{target}/{prefix}/{_FATE}"
        if fate not in {one.key for one in objects}:
            _put_once(store, fate, b"dead")  # who was late finds it, until it is old itself
            if _tried(fate, partial(store.get, fate)) != b"dead":
                continue
        for one in objects:
            _tried(one.key, partial(store.delete, one.key))


def _named(store: Store, target: str) -> str:
    """The prefix that the manifest names; empty where there is none."""
    text = _tried(target, partial(store.get, f"{target}/{MANIFEST}"))
    with suppress(ValueError, TypeError, AttributeError):
        return str(json.loads(text or b"{}").get("prefix", ""))
    return ""


def _put_once(store: Store, key: str, content: bytes) -> bool:
    """Put an object where there is none; whether it is there and ours, also if the answer was lost."""

    def put() -> bool:
        return store.put_if_absent(key, content) or store.get(key) == content

    return _tried(key, put)


def _tried(where: str, call: Callable[[], T]) -> T:
    """What a call answers, made again where it fails: every one of them may be repeated."""
    failures: list[OSError] = []
    while len(failures) < _ATTEMPTS:
        try:
            return call()
        except OSError as error:
            failures.append(error)
    raise FileError(f"the store failed: {failures[0].strerror or 'it gives no reason'}", where=where)


def _exists(place: str) -> TargetError:
    return TargetError("the output exists", where=place, hint="name another, or add --overwrite")
