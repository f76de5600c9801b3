"""Publish a release of parts in an object store, which has no folders, no rename and no locks.

    write the parts  ─►  verify them  ─►  certificate  ─►  upload  ─►  read back  ─►  one put

    TARGET/.kohort-parts-<32 hex digits>/part-00000.csv …  certificate.json  ─►  TARGET/manifest.json

The release is written and verified on this machine. Its files go under a random prefix, and nobody reads them there;
each is read back, and has to be what was verified. The manifest names the prefix, and goes last, in one put that is
refused where there is a manifest: so a release is there with its manifest, whole, and replaces none unless that is
wanted. A put whose answer is lost is repeated, by us or by a library: as the prefix is nobody else's, whoever finds the
manifest there knows whether it is their own.

What dead runs left is removed by the next run in that place, if it is older than `PATIENCE`. A run that only looked
dead must not find its parts gone after its manifest: so each prefix has a fate, put once, if there is none: its run
puts `published` before the manifest, who sweeps puts `dead` before anything is deleted, and who comes second gives way.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from operator import methodcaller
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Final, TypeVar

from kohort.errors import FileError, KohortError, TargetError, UnsupportedError
from kohort.io.manifest import CERTIFICATE, MANIFEST, PREFIX, Manifest
from kohort.io.objects import opened, sha256_of, tried
from kohort.publish.commit import commit
from kohort.publish.files import examine, open_private, open_temporary, remove_private
from kohort.publish.folder import fill

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from kohort.io.manifest import WrittenPart
    from kohort.io.objects import Address, Store, Stored
    from kohort.publish.commit import Companion

V = TypeVar("V")

#: Seconds after which what no manifest names is taken for a dead run's: longer than any upload.
PATIENCE: Final = 7 * 24 * 3600

#: The fate of a prefix, and what its run and who sweeps put there.
_FATE: Final = "fate"
_PUBLISHED: Final = b"published"
_DEAD: Final = b"dead"


def check_store(
    place: Address, *, overwrite: bool, inputs: Sequence[Path] = (), companions: Sequence[Path] = ()
) -> None:
    """Refuse a place in a store that could not be published to, before any work is done for it.

    Raises:
        TargetError: a release is there (and `overwrite` is not set), or a companion is in the way.
        FileError: the store cannot be reached, or denies access.
        MissingExtraError: the library that reaches it is not installed.
    """
    examine(companions, overwrite=overwrite, inputs=inputs)
    store = opened(place)
    sweep_store(store, place.key)
    _refuse_existing(store, place.key, overwrite=overwrite)


def publish_stored(
    place: Address,
    write: Callable[[Path], Sequence[WrittenPart]],
    verify: Callable[[Sequence[WrittenPart]], V],
    certify: Callable[[V], bytes],
    *,
    format_: str,
    separator: str,
    prefix: str,
    overwrite: bool,
    staging: Path | None = None,
    uploading: Callable[[], AbstractContextManager[None]] = nullcontext,
    companions: Sequence[Companion[V]] = (),
    inputs: Sequence[Path] = (),
) -> V:
    """What `verify` found in the parts that `write` wrote, once they are in the store.

    Args:
        place: Where the manifest goes.
        write: As `kohort.publish.folder.publish_folder` has it; so are the other functions.
        verify: Judges the written parts.
        certify: The certificate of what was found.
        format_: The format of the parts.
        separator: Between cells of CSV.
        prefix: Where the parts go, below the place: a new one of `kohort.io.manifest.new_prefix`.
        overwrite: Replace a release that is there, and what is at the companions' paths.
        staging: The folder in which they are written and verified; the system's temporary folder by default.
        uploading: What is entered while they are sent.
        companions: Files of this machine that describe the release.
        inputs: Files that no companion may replace.

    Raises:
        TargetError: as `check_store`, or another run was first, or took this one for dead.
        FileError: the store or this machine's disk failed.
        UnsupportedError: the store has no put that is refused where there is an object.
        DurabilityError: everything is in place, but the disk did not confirm the companions.
    """
    store = opened(place)
    places = examine((companion.path for companion in companions), overwrite=overwrite, inputs=inputs)
    with ExitStack() as stack:
        folder, fd = open_private(staging or Path(gettempdir()))
        stack.callback(remove_private, folder, fd)
        others = [stack.enter_context(open_temporary(one)) for one in places]
        verdict, listed = fill(folder, write, verify, certify, where=folder)
        for companion, output in zip(companions, others, strict=True):
            output.fill(methodcaller("write", companion.content(verdict)))
        manifest = Manifest(format_, separator, listed, prefix)
        with uploading():
            arrival = upload(store, place.key, folder, manifest, overwrite=overwrite)
        commit(others, where=str(place), beyond=(arrival.commit, arrival.restore))
    return verdict


def upload(store: Store, target: str, folder: Path, manifest: Manifest, *, overwrite: bool) -> Arrival:
    """Put the files of a verified release into a store, and read them back; nobody finds them yet.

    Raises:
        TargetError: a release is there, and `overwrite` is not set.
        FileError: the store failed, or what it gives back is not what was put; nothing was published.
    """
    sweep_store(store, target)
    arrival = Arrival(store, target, manifest, replaced=_refuse_existing(store, target, overwrite=overwrite))
    certificate = hashlib.sha256((folder / CERTIFICATE).read_bytes()).hexdigest()
    try:
        for name, sha256 in ({part.name: part.sha256 for part in manifest.parts} | {CERTIFICATE: certificate}).items():
            _put(store, f"{arrival.below}/{name}", folder / name, sha256)
    except BaseException:
        arrival.clear()
        raise
    return arrival


def _put(store: Store, key: str, content: Path, sha256: str) -> None:
    """Put an object, and refuse to go on where it is not read back as it was verified."""
    tried(store, store.put, key, content)
    if tried(store, partial(sha256_of, store), key) != sha256:
        what = "the store returns other bytes than those verified; nothing was published"
        raise FileError(what, where=f"{store.root}/{key}", hint="run again")


@dataclass(frozen=True, slots=True)
class Arrival:
    """The step by which a release is in a store, and its inverse."""

    store: Store
    target: str
    manifest: Manifest
    replaced: bool

    def commit(self) -> None:
        """Put the manifest.

        Raises:
            TargetError: another run was first, or took this one for dead.
            FileError: the store failed, and does not say whether the release is there.
            UnsupportedError: the store puts an object although there is one.
        """
        fate, place = f"{self.below}/{_FATE}", f"{self.target}/{MANIFEST}"
        if not _put_once(self.store, fate, _PUBLISHED):
            raise TargetError("another run considered this one dead", where=self._where, hint="run again")
        if tried(self.store, self.store.put_if_absent, fate, _PUBLISHED):
            what = "the store overwrites existing objects, so two runs could replace each other's release"
            raise UnsupportedError(what, where=self._where, hint="write a folder, and upload it yourself")
        if self.replaced:
            tried(self.store, self.store.put, place, self.manifest.encode())
        elif not _put_once(self.store, place, self.manifest.encode()):
            raise _exists(self._where)

    def restore(self) -> None:
        """Take a new release back; say that one which replaced another stays."""
        place = f"{self.target}/{MANIFEST}"
        found = tried(self.store, self.store.get, place)
        if found != self.manifest.encode():
            if found is not None and not self.replaced:  # then a put of ours that is still on its way is refused, too
                self.clear()
            return
        if self.replaced:
            what = "the release was replaced and verified, but files that describe it could not be written"
            raise FileError(what, where=self._where, hint="publish the release again with --overwrite")
        tried(self.store, self.store.delete, place)

    def clear(self) -> None:
        """Remove the files that no manifest will name; what cannot be removed now, a later run removes."""
        with suppress(KohortError):
            for one in _listed(self.store, self.below):
                tried(self.store, self.store.delete, one.key)

    @property
    def below(self) -> str:
        """The key below which the files are."""
        return f"{self.target}/{self.manifest.prefix}"

    @property
    def _where(self) -> str:
        return f"{self.store.root}/{self.target}"


def sweep_store(store: Store, target: str) -> None:
    """Remove what dead runs left below a target: prefixes that its manifest does not name, once they are old.

    Raises:
        FileError: the store failed.
    """
    found: dict[str, list[Stored]] = {}
    for one in _listed(store, target):
        prefix = one.key.removeprefix(f"{target}/").partition("/")[0]
        if PREFIX.fullmatch(prefix):
            found.setdefault(prefix, []).append(one)
    for prefix, objects in found.items():
        if min(one.age for one in objects) < PATIENCE or _names(store, target, prefix):
            continue
        fate = f"{target}/{prefix}/{_FATE}"
        if fate not in {one.key for one in objects}:
            _put_once(store, fate, _DEAD)  # who was late finds it, until it is old itself
            if tried(store, store.get, fate) != _DEAD:
                continue
        for one in objects:
            tried(store, store.delete, one.key)


def _listed(store: Store, below: str) -> list[Stored]:
    return tried(store, lambda key: list(store.list(f"{key}/")), below)


def _names(store: Store, target: str, prefix: str) -> bool:
    text = tried(store, store.get, f"{target}/{MANIFEST}")
    with suppress(ValueError, AttributeError, RecursionError):
        return text is not None and bool(json.loads(text).get("prefix") == prefix)
    return False


def _put_once(store: Store, key: str, content: bytes) -> bool:
    """Put an object where there is none; whether it is there and ours, also if the answer was lost."""
    return tried(store, lambda there: store.put_if_absent(there, content) or store.get(there) == content, key)


def _refuse_existing(store: Store, target: str, *, overwrite: bool) -> bool:
    place = f"{target}/{MANIFEST}"
    exists = tried(store, store.get, place) is not None
    if exists and not overwrite:
        raise _exists(f"{store.root}/{target}")
    return exists


def _exists(where: str) -> TargetError:
    return TargetError(
        "the output exists", where=where, hint="name another, or add --overwrite (in Python overwrite=True)"
    )
