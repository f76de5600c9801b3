"""An object store that loses answers, repeats puts, fails and lets runs die: a release is there whole, or not."""

from __future__ import annotations

import errno
import json
import os
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kohort.errors import FileError, KohortError, TargetError, UnsupportedError
from kohort.io.manifest import PREFIX, ListedPart, Manifest, WrittenPart, new_prefix, part_name
from kohort.io.objects import Address, Store, Stored, opened
from kohort.publish.store import PATIENCE, sweep_store, upload
from tests.faults.calls import KilledError
from tests.s3 import S3, serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

#: What can happen at a call: death before or after it, an error, a lost answer, all later calls failing, a put twice.
FAULTS = ("KILL", "KILL-after", "EIO", "lost", "down", "down-after", "twice")


@dataclass
class Memory:
    """A store in memory, without a rename, whose clock stands still unless it is moved."""

    objects: dict[str, tuple[bytes, float]] = field(default_factory=dict[str, tuple[bytes, float]])
    now: float = 0.0
    place: int = -1
    fault: str = ""
    calls: list[str] = field(default_factory=list[str])
    fired: str = ""
    ended: str = ""
    root: str = "memory:"
    hint: str = "look at the memory"

    def _made(self, name: str, call: Callable[[], Any]) -> Any:  # noqa: ANN401  what the call answers
        if self.ended:
            self._fire(self.ended)
        self.calls.append(name)
        if len(self.calls) - 1 != self.place:
            return call()
        self.fired = name
        if self.fault.endswith("-after") or self.fault in {"lost", "twice"}:
            call()
            if self.fault == "twice":
                return call()  # the answer is that of the second one
        self._fire(self.fault.removesuffix("-after"))
        raise AssertionError

    def _fire(self, fault: str) -> None:
        self.ended = fault if fault in {"KILL", "down"} else ""
        if fault == "KILL":
            raise KilledError
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    def put(self, key: str, content: bytes | Path) -> None:
        """Put an object."""

        def put() -> None:
            self.objects[key] = (content.read_bytes() if isinstance(content, Path) else content, self.now)

        self._made("put", put)

    def put_if_absent(self, key: str, content: bytes) -> bool:
        """Put an object where there is none."""

        def put() -> bool:
            return self.objects.setdefault(key, mine := (content, self.now)) is mine

        return bool(self._made("put_if_absent", put))

    def get(self, key: str) -> bytes | None:
        """An object."""
        found: bytes | None = self._made("get", lambda: self.objects.get(key, (None,))[0])
        return found

    def pieces(self, key: str) -> Iterable[bytes]:
        """A large object."""
        found = self._made("pieces", lambda: self.objects.get(key, (b"",))[0])
        return found[:3], found[3:]

    def list(self, prefix: str) -> Iterable[Stored]:
        """The objects."""

        def listed() -> list[Stored]:
            return [Stored(key, self.now - put) for key, (_, put) in self.objects.items() if key.startswith(prefix)]

        found: list[Stored] = self._made("list", listed)
        return found

    def delete(self, key: str) -> None:
        """Remove an object."""
        self._made("delete", lambda: self.objects.pop(key, None))

    def release(self) -> str:
        """Which release is there."""
        return release_in({key: content for key, (content, _) in self.objects.items()})


def release_in(objects: Mapping[str, bytes]) -> str:
    """Which release is there, by its manifest: old, new, or none; every part must be whole."""
    if "lake/release/manifest.json" not in objects:
        return "none"
    told = json.loads(objects["lake/release/manifest.json"])
    assert PREFIX.fullmatch(told["prefix"])
    below = f"lake/release/{told['prefix']}/"
    for part in told["parts"]:
        content = objects[below + part["name"]]
        found = sha256(content).hexdigest()
        assert ListedPart(part["name"], part["records"], len(content), found) == ListedPart(**part)
        assert content.startswith(b"age\n")
    version = objects[below + "certificate.json"]
    assert all(objects[below + part["name"]].endswith(version) for part in told["parts"])
    return version.decode()


def staged(folder: Path, version: str) -> tuple[Path, Manifest]:
    """A verified release of three parts in a folder, and what lists them."""
    made = folder / version
    made.mkdir(exist_ok=True)
    parts = [WrittenPart(made / part_name(place, "csv"), 1) for place in range(3)]
    for part in parts:
        part.path.write_bytes(b"age\n" + version.encode())
    (made / "certificate.json").write_bytes(version.encode())
    return made, Manifest("csv", ",", tuple(map(ListedPart.of, parts)), new_prefix())


def put(store: Store, folder: Path, version: str, *, overwrite: bool = False) -> None:
    """Publish a release to the store."""
    arrival = upload(store, "lake/release", *staged(folder, version), overwrite=overwrite)
    try:
        arrival.commit()
    except BaseException:
        arrival.restore()
        raise


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("fault", FAULTS)
def test_every_call(tmp_path: Path, fault: str, *, overwrite: bool) -> None:
    """Whatever happens at a call, the release is the former one or the new one, whole; later runs sweep the rest."""
    calm = Memory()
    if overwrite:
        put(calm, tmp_path, "old")
    started = len(calm.calls)
    put(calm, tmp_path, "new", overwrite=overwrite)
    assert calm.release() == "new"
    for place in range(started, len(calm.calls)):
        store, done = Memory(place=place, fault=fault), False
        if overwrite:
            put(store, tmp_path, "old")
        where = "memory:/lake/release"
        try:
            put(store, tmp_path, "new", overwrite=overwrite)
            done = True
        except (KilledError, FileError) as error:
            where = getattr(error, "where", where)
        assert where.startswith("memory:/lake/release")  # the object that failed is told
        assert store.fired == calm.calls[place]
        assert done or fault.startswith(("KILL", "down"))
        assert store.release() in ({"new"} if done else {"new", "old" if overwrite else "none"}), place
        assert not [key for key in store.objects if "/.kohort-" not in key and not key.endswith("/manifest.json")]
        found, store.ended, store.place = store.release(), "", -1
        for _ in range(2):
            store.now += PATIENCE
            sweep_store(store, "lake/release")
        assert store.release() == found
        assert len(store.objects) == (0 if found == "none" else 6)


def test_nobodys_release_is_replaced(tmp_path: Path) -> None:
    """A release that is there, or comes while another is put, stays unless it may be replaced."""
    store = Memory()
    put(store, tmp_path, "old")
    with pytest.raises(TargetError, match="exists"):
        put(store, tmp_path, "new")

    class Overtaken(Memory):
        def put_if_absent(self, key: str, content: bytes) -> bool:
            if key.endswith("manifest.json"):
                self.objects.update(store.objects)
            return super().put_if_absent(key, content)

    second = Overtaken()
    with pytest.raises(TargetError, match="exists"):
        put(second, tmp_path, "new")
    assert second.release() == "old"


def test_a_run_that_only_looked_dead_gives_way(tmp_path: Path) -> None:
    """Parts that were swept get no manifest; a living run's are not swept, nor is what is not ours."""

    class Slow(Memory):
        def put_if_absent(self, key: str, content: bytes) -> bool:
            if content == b"published":
                self.now += PATIENCE
                sweep_store(self, "lake/release")
            return super().put_if_absent(key, content)

    slow = Slow()
    with pytest.raises(TargetError, match="considered this one dead"):
        put(slow, tmp_path, "new")
    assert slow.release() == "none"
    store = Memory(
        objects={"lake/release/.kohort-parts-1/note": (b"", -2.0 * PATIENCE), "lake/release/manifest.json": (b"?", 0)}
    )
    fresh = f"lake/release/.kohort-parts-{'0' * 32}/part-00000.csv"
    store.objects[fresh] = (b"", store.now)
    sweep_store(store, "lake/release")
    assert len(store.objects) == 3
    for left in (3, 2):  # its fate first stays
        store.now += PATIENCE
        sweep_store(store, "lake/release")
        assert fresh not in store.objects
        assert len(store.objects) == left


def test_the_store_is_down(tmp_path: Path) -> None:
    """A store that goes on failing is a `FileError` with its reason."""
    with pytest.raises(FileError, match="the store failed: Input/output error"):
        put(Memory(ended="down"), tmp_path, "new")


@pytest.mark.parametrize("failing", ["get", "delete"])
def test_a_release_that_cannot_be_taken_back_is_told_by_its_manifest(tmp_path: Path, failing: str) -> None:
    """Where the store goes down while a new release is taken back, it is said what may stand there."""
    store = Memory()
    arrival = upload(store, "lake/release", *staged(tmp_path, "new"), overwrite=False)
    arrival.commit()
    store.place, store.fault = len(store.calls) + ["get", "delete"].index(failing), "down"
    with pytest.raises(FileError) as failed:
        arrival.restore()
    assert store.fired == failing
    assert failed.value.where == "memory:/lake/release/manifest.json"


def test_a_sweep_that_fails_tells_where(tmp_path: Path) -> None:
    """Whatever call of a sweep fails, its object is told; the next sweep removes what is left."""
    dead = Memory()
    upload(dead, "lake/release", *staged(tmp_path, "new"), overwrite=False)
    dead.now = PATIENCE
    calm = Memory(dict(dead.objects), dead.now)
    sweep_store(calm, "lake/release")
    assert calm.calls == ["list", "get", "put_if_absent", "get", *["delete"] * 4]
    for place in range(len(calm.calls)):
        store = Memory(dict(dead.objects), dead.now, place, "down")
        with pytest.raises(FileError) as failed:
            sweep_store(store, "lake/release")
        known = {"memory:/lake/release", "memory:/lake/release/manifest.json"}
        known |= {f"memory:/{key}" for key in {*dead.objects, *store.objects, *calm.objects}}
        assert failed.value.where in known
        store.ended, store.place, store.now = "", -1, 2 * PATIENCE
        for _ in range(2):
            sweep_store(store, "lake/release")
            store.now += PATIENCE
        assert store.objects == {}


@pytest.mark.parametrize("text", [b"", b"?", b"[]", b"[" * 100_000, b"{}", b'{"prefix": [1]}'])
def test_what_is_no_manifest_keeps_no_prefix(tmp_path: Path, text: bytes) -> None:
    """Parts of a dead run go, whatever stands where their manifest would be, and that stays."""
    store = Memory()
    upload(store, "lake/release", *staged(tmp_path, "new"), overwrite=False)
    store.objects["lake/release/manifest.json"] = (text, 0.0)
    for _ in range(2):
        store.now += PATIENCE
        sweep_store(store, "lake/release")
    assert store.objects == {"lake/release/manifest.json": (text, 0.0)}


def test_a_run_comes_back_while_it_is_swept(tmp_path: Path) -> None:
    """A run that publishes in the instant in which it is taken for dead is not swept."""

    class Late(Memory):
        def put_if_absent(self, key: str, content: bytes) -> bool:
            if content == b"dead":
                super().put_if_absent(key, b"published")
            return super().put_if_absent(key, content)

    store = Late()
    put(store, tmp_path, "old")
    left = {key: value for key, value in store.objects.items() if "fate" not in key and "manifest" not in key}
    store.objects, store.now = dict(left), PATIENCE
    sweep_store(store, "lake/release")
    assert len(store.objects) == len(left) + 1


def test_what_failed_leaves_nothing(tmp_path: Path) -> None:
    """Parts that a run could not put whole, or for which another was first, are gone at once; a kill leaves them."""

    class Altering(Memory):
        def put(self, key: str, content: bytes | Path) -> None:
            super().put(key, b"age\nnew?" if key.endswith("part-00002.csv") else content)

    altering = Altering()
    with pytest.raises(FileError, match="other bytes than those verified"):
        put(altering, tmp_path, "new")
    assert altering.objects == {}

    class Keeping(Altering):
        def delete(self, key: str) -> None:
            raise OSError(errno.EIO, key)

    with pytest.raises(FileError, match="other bytes than those verified"):
        put(Keeping(), tmp_path, "new")

    class Overtaken(Memory):
        def put_if_absent(self, key: str, content: bytes) -> bool:
            if key.endswith("manifest.json"):
                self.objects[key] = (b"another", 0)
            return super().put_if_absent(key, content)

    overtaken = Overtaken()
    with pytest.raises(TargetError, match="exists"):
        put(overtaken, tmp_path, "new")
    assert [*overtaken.objects] == ["lake/release/manifest.json"]


def test_a_put_on_its_way(tmp_path: Path) -> None:
    """Where nobody knows whether the manifest will still arrive, its parts stay for it."""

    class Silent(Memory):
        def put_if_absent(self, key: str, content: bytes) -> bool:
            if key.endswith("manifest.json"):
                raise OSError(errno.EIO, "no answer")
            return super().put_if_absent(key, content)

    store = Silent()
    with pytest.raises(FileError, match="no answer"):
        put(store, tmp_path, "new")
    assert len(store.objects) == 5


def test_a_store_without_conditional_puts(tmp_path: Path) -> None:
    """Of two runs each could replace the other's release there: it is refused."""

    class Careless(Memory):
        def put_if_absent(self, key: str, content: bytes) -> bool:
            self.put(key, content)
            return True

    store = Careless()
    with pytest.raises(UnsupportedError, match="overwrites existing objects"):
        put(store, tmp_path, "new")
    assert store.release() == "none"


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[S3]:
    """A store that is reached by the library, over HTTP."""
    monkeypatch.setattr("kohort.io.objects._RETRIED", timedelta(milliseconds=300))
    with serving() as made:
        for name, value in made.environment.items():
            monkeypatch.setenv(name, value)
        yield made


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("fault", ["lost", "twice", "deaf", "503", "403"])
def test_every_request(s3: S3, tmp_path: Path, fault: str, *, overwrite: bool) -> None:
    """Whatever request is lost, repeated, not heard or refused once, a release is there whole, or was not replaced."""
    store = opened(Address("s3", "lake", "lake/release"))
    if overwrite:
        put(store, tmp_path, "old")
    before, started = dict(s3.objects), len(s3.requests)
    put(store, tmp_path, "new", overwrite=overwrite)
    for place in range(len(s3.requests) - started):
        s3.objects = dict(before)
        s3.requests.clear()
        s3.fault = lambda number, _method, _key, place=place: fault if number == place else ""  # type: ignore[misc]
        done = False
        with suppress(KohortError):
            put(store, tmp_path, "new", overwrite=overwrite)
            done = True
        assert done != (fault == "403"), place
        assert release_in(s3.objects) == ("new" if done else "old" if overwrite else "none")
