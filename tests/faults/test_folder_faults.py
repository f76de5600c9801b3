"""Whatever fails at whatever call, a release of parts is there with its page or all is as it was before.

Each row publishes once for every call that is made to the system, with the fault at that call, within this process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pytest

from kohort.errors import DurabilityError, KohortError
from kohort.io.manifest import WrittenPart, altered, joined, part_name, read_manifest
from kohort.publish import Companion, check_target
from kohort.publish.folder import publish_folder
from tests.faults.calls import FAULTS, Calls, KilledError, injected

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

#: What the system does not have.
SYSTEMS: Final = {"linux": (), "no exchange": ("exchange",), "no links": ("link", "unnamed", "exchange")}

#: Calls that may fail without harm: locks, looks at what is not there, and cleaning up, which the next run does again.
HARMLESS: Final = {"flock", "lstat", "stat", "unlink", "rmdir", "scandir", "open", "fstat"}


def written(folder: Path, version: str) -> list[WrittenPart]:
    """Three parts of a release."""
    parts = [WrittenPart(folder / part_name(place, "csv"), 2) for place in range(3)]
    for place, part in enumerate(parts):
        with part.path.open("xb") as file:
            file.write(f"age\n{version}{place}\n{version}{place}\n".encode())
    return parts


def content(parts: Sequence[WrittenPart]) -> bytes:
    """The joined parts."""
    return b"".join(joined([part.path for part in parts], text=True))


def publish(folder: Path, version: str, *, overwrite: bool = False) -> None:
    """A release of parts with its page, in another folder."""
    page: Companion[bytes] = Companion(folder / "pages" / "page", lambda found: b"page of " + found)
    publish_folder(
        folder / "release",
        lambda staged: written(staged, version),
        content,
        lambda found: b"certificate of " + found,
        format_="csv",
        separator=",",
        companions=[page],
        overwrite=overwrite,
    )


@dataclass(frozen=True)
class Scene:
    """Two folders, with a release to replace or without."""

    folder: Path
    overwrite: bool

    def __post_init__(self) -> None:
        """Publish what is to be replaced."""
        (self.folder / "pages").mkdir(parents=True)
        if self.overwrite:
            publish(self.folder, "old")

    @property
    def before(self) -> tuple[str, str]:
        """The state before the run."""
        return ("old", "old") if self.overwrite else ("absent", "absent")

    def state(self) -> tuple[str, str]:
        """What release and page are: absent, old, new; a release by its manifest and by a glob of its folder."""
        release, page = self.folder / "release", self.folder / "pages" / "page"
        return self._release(release), self._named(
            page.read_bytes().removeprefix(b"page of ")
        ) if page.exists() else "absent"

    def _release(self, release: Path) -> str:
        if not release.exists():
            assert not list(self.folder.glob("release*"))
            return "absent"
        known = read_manifest(release)
        assert altered(release, known) == ""
        paths = sorted(release.glob("*.csv"))
        assert paths == known.paths(release)
        found = b"".join(joined(paths, text=True))
        assert (release / "certificate.json").read_bytes() == b"certificate of " + found
        return self._named(found)

    def _named(self, found: bytes) -> str:
        whole = {
            ("age\n" + "".join(f"{one}{place}\n" * 2 for place in range(3))).encode(): one for one in ("old", "new")
        }
        return whole.get(found, "a mixture")

    def settled(self) -> tuple[str, str]:
        """The state after the next runs in both folders, which leave no file of a dead one."""
        for folder in self.folder, self.folder / "pages":
            check_target(folder / "another")
        left = [path.name for path in self.folder.rglob(".kohort-*")]
        assert left == []
        return self.state()


def run(scene: Scene, calls: Calls, system: str) -> BaseException | None:
    """Publish with a fault; what was raised."""
    try:
        with injected(calls, without=SYSTEMS[system]):
            publish(scene.folder, "new", overwrite=scene.overwrite)
    except (KohortError, KilledError, KeyboardInterrupt) as error:
        return error
    return None


def tried(folder: Path, system: str, fault: str, *, overwrite: bool, every: int = 1) -> list[str]:
    """The calls at which a fault happened; each left everything as it was, or done."""
    run(Scene(folder / "first", overwrite), Calls(), system)  # what is done once only, such as an import, is done
    calm = Calls()
    run(Scene(folder / "calm", overwrite), calm, system)
    for place, name in list(enumerate(calm.names))[::every]:
        scene, calls = Scene(folder / str(place), overwrite), Calls(place, fault)
        raised = run(scene, calls, system)
        assert calls.fired == name
        assert str(scene.folder) in getattr(raised, "where", str(scene.folder))
        found = scene.state()
        assert found[0] in {scene.before[0], "new"} | ({"absent"} if system != "linux" else set()), (place, name)
        assert found[1] in {"absent", found[0]}, (place, name)
        done = raised is None or isinstance(raised, DurabilityError)
        if fault.startswith(("KILL", "SIGINT")):
            partly: set[tuple[str, str]] = (
                set() if overwrite else {("new", "absent")}
            )  # what replaces nothing has no journal
            assert scene.settled() in {scene.before, ("new", "new")} | partly, (place, name)
        else:
            assert found == scene.settled() == (("new", "new") if done else scene.before), (place, name)
            harmless = {*HARMLESS, *SYSTEMS[system]}
            assert name in harmless or not done or isinstance(raised, DurabilityError), (place, name)
    return calm.names[::every]


#: What is tried at every call; `python -m bench.faults` tries all of it on all systems.
TRIED: Final = [
    (system, fault) for system in SYSTEMS for fault in FAULTS if system == "linux" or fault in {"KILL", "lost"}
]
TRIED_ONCE: Final = {"ENOSPC", "EINTR", "SIGINT"}


@pytest.mark.parametrize("overwrite", [False, True])
class TestEveryCall:
    """A run without faults, then one fault at each of its calls."""

    @pytest.mark.parametrize("system", SYSTEMS)
    def test_without_fault(self, tmp_path: Path, system: str, *, overwrite: bool) -> None:
        """Without a fault release and page are published by the calls that the table means to hit."""
        scene, calls = Scene(tmp_path / "calm", overwrite), Calls()
        assert run(scene, calls, system) is None
        assert scene.state() == scene.settled() == ("new", "new")
        assert {"open", "write", "fsync", "mkdir", "flock"} <= set(calls.names)
        assert ("exchange" in calls.names) == overwrite

    @pytest.mark.parametrize(("system", "fault"), [one for one in TRIED if one[1] not in TRIED_ONCE])
    def test_faults(self, tmp_path: Path, system: str, fault: str, *, overwrite: bool) -> None:
        """No fault leaves a part of a release, or one without the page that it had."""
        assert len(tried(tmp_path, system, fault, overwrite=overwrite)) > 50

    @pytest.mark.parametrize("fault", sorted(TRIED_ONCE))
    def test_faults_of_some_calls(self, tmp_path: Path, fault: str, *, overwrite: bool) -> None:
        """The same of what differs from another fault by its number only, at every fifth call."""
        assert tried(tmp_path, "linux", fault, overwrite=overwrite, every=5)
