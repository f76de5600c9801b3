"""Whatever fails at whatever call, a release is published completely or everything is as it was before.

One table of systems, overwriting and faults, one helper that knows the promise. Each row runs the publisher once for
every call it makes to the system, with the fault at that call.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import kohort.publish
from kohort.errors import FileError
from kohort.publish import check_target, publish
from tests.faults.publish_child import NEW, Request

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

OLD = b"age\n[30-39]\n"
NAMES = ("release.csv", "release.csv.kohort.json")
SYSTEMS = ("unnamed", "named", "linkless")

#: Calls that may fail without harm: locks a file system lacks, looks at what is not there, and cleaning up, which
#: the next run does again.
HARMLESS = {"flock", "lstat", "stat", "unlink"}


@dataclass(frozen=True)
class Run:
    """What a run did: its calls, the calls that faults hit, the signal that ended it, and its outcome."""

    calls: list[str]
    fired: list[str]
    signal: int
    outcome: str


@dataclass(frozen=True)
class Scene:
    """A folder before a run: what the system can do, and whether there is a release to replace."""

    folder: Path
    system: str
    overwrite: bool

    @property
    def before(self) -> tuple[str, str]:
        """The state before the run."""
        return ("old", "old") if self.overwrite else ("absent", "absent")

    def state(self) -> tuple[str, str]:
        """What release and certificate are: absent, old, new, or a mixture."""
        known = [{None: "absent", OLD: "old", NEW: "new"}, {None: "absent", _sha256(OLD): "old", _sha256(NEW): "new"}]
        paths = [self.folder / name for name in NAMES]
        found = [path.read_bytes() if path.exists() else None for path in paths]
        release, certificate = (names.get(bytes_, "mixture") for names, bytes_ in zip(known, found, strict=True))
        return release, certificate

    def leftovers(self) -> list[str]:
        """Files that are neither release nor certificate."""
        return sorted({path.name for path in self.folder.iterdir()} - set(NAMES))


class Publisher:
    """The process that publishes in forks of itself."""

    def __init__(self, folder: Path, process: subprocess.Popen[str]) -> None:
        """Work in `folder`, a new one of its own for each run."""
        self._folders = (folder / str(number) for number in count())
        self._process = process

    def run(
        self, system: str, faults: Mapping[int, str], *, overwrite: bool = False, limit: int = 0
    ) -> tuple[Scene, Run]:
        """Publish once; the folder as the run left it, and what it did."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        scene = Scene(next(self._folders), system, overwrite)
        scene.folder.mkdir()
        if overwrite:
            for name, content in zip(NAMES, (OLD, _sha256(OLD)), strict=True):
                (scene.folder / name).write_bytes(content)
        trace = scene.folder.with_suffix(".trace")
        named = {str(call): fault for call, fault in faults.items()}
        request = Request(str(scene.folder), str(trace), system, overwrite, named, limit)
        self._process.stdin.write(json.dumps(asdict(request)) + "\n")
        self._process.stdin.flush()
        ended_by = int(self._process.stdout.readline())
        lines = [line.partition(" ") for line in trace.read_text().splitlines()]
        calls, fired, outcome = (
            [rest for word, _, rest in lines if word == kind] for kind in ("call", "fired", "outcome")
        )
        return scene, Run(calls, fired, ended_by, "".join(outcome))


def _sha256(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


@pytest.fixture(scope="module")
def publisher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Publisher]:
    """One process for all runs of this module, which sees the same kohort as this one."""
    child = Path(__file__).with_name("publish_child.py")
    source = Path(kohort.publish.__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, str(child)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(source)},
    ) as process:
        yield Publisher(tmp_path_factory.mktemp("publish"), process)
        assert process.stdin is not None
        process.stdin.close()


def assert_no_mixture(scene: Scene) -> None:
    """The release is whole, a certificate lies only beside its release; after the next run both are there, or neither.

    Where nothing is replaced, there is no journal: a run that was killed may leave a release without its certificate.
    """
    release, certificate = scene.state()
    # Without hard links a former release is replaced in two steps.
    assert release in {scene.before[0], "new"} | ({"absent"} if scene.system == "linkless" else set())
    assert certificate in {"absent", release}
    check_target(scene.folder / "next.csv")
    assert scene.leftovers() == []
    whole = {scene.before, ("new", "new"), *([] if scene.overwrite else [("new", "absent")])}
    assert scene.state() in whole


def assert_all_or_nothing(scene: Scene, run: Run, *, late: bool) -> None:
    """Everything is published or as before, as the outcome says; `late`: the fault came after everything was done."""
    if run.outcome == "published" or run.outcome.startswith("DurabilityError") or late:
        assert scene.state() == ("new", "new")
    else:
        assert scene.state() == scene.before
    assert scene.leftovers() == [] or late or run.fired == ["unlink"]
    assert_no_mixture(scene)


@pytest.fixture(params=SYSTEMS)
def system(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """What the file system can do; a test of unnamed files needs a folder that has them."""
    name: str = request.param
    if name == "unnamed":
        try:
            os.close(os.open(tmp_path, os.O_TMPFILE | os.O_RDWR))
        except (OSError, AttributeError):
            pytest.skip("this system has no unnamed files")
    return name


@pytest.mark.parametrize("overwrite", [False, True])
class TestEveryCall:
    """A run without faults, then one fault at each of its calls."""

    def test_without_fault(self, publisher: Publisher, system: str, *, overwrite: bool) -> None:
        """Without a fault the release and its certificate are published by the calls that the table means to hit."""
        scene, run = publisher.run(system, {}, overwrite=overwrite)
        assert run.outcome == "published"
        assert_all_or_nothing(scene, run, late=False)
        assert {"open", "write", "fsync", "fsync of a folder", "link", "flock"} <= set(run.calls)
        assert ("replace" in run.calls) == overwrite
        assert ("rename" in run.calls) == (overwrite or system == "linkless")

    def test_killed(self, publisher: Publisher, system: str, *, overwrite: bool) -> None:
        """`kill -9` at any call leaves no mixture; where files are born unnamed, it leaves no other file at all."""
        _, calm = publisher.run(system, {}, overwrite=overwrite)
        for call, name in enumerate(calm.calls):
            scene, run = publisher.run(system, {call: "KILL"}, overwrite=overwrite)
            assert (run.signal, run.fired, run.outcome) == (signal.SIGKILL, [name], "")
            assert overwrite or system != "unnamed" or scene.leftovers() == []
            assert_no_mixture(scene)

    @pytest.mark.parametrize("fault", ["ENOSPC", "EIO"])
    def test_refused(self, publisher: Publisher, system: str, fault: str, *, overwrite: bool) -> None:
        """A call the system refuses ends as a `FileError` with nothing changed, or is one that does no harm."""
        _, calm = publisher.run(system, {}, overwrite=overwrite)
        for call, name in enumerate(calm.calls):
            if name == "close":
                continue  # what close could report, fsync has reported before
            scene, run = publisher.run(system, {call: fault}, overwrite=overwrite)
            assert run.fired == [name]
            assert_all_or_nothing(scene, run, late=False)
            if name == "fsync of a folder":
                assert run.outcome.startswith("DurabilityError")
            elif name not in HARMLESS:
                assert run.outcome.startswith("FileError")
                assert f"({fault})" in run.outcome

    @pytest.mark.parametrize("fault", ["INT", "INT-after", "TERM", "TERM-after"])
    def test_interrupted(self, publisher: Publisher, system: str, fault: str, *, overwrite: bool) -> None:
        """Ctrl-C or SIGTERM before or after any call leaves everything as before, or comes when all is done."""
        _, calm = publisher.run(system, {}, overwrite=overwrite)
        last = max(call for call, name in enumerate(calm.calls) if name == "fsync of a folder")
        for call, name in enumerate(calm.calls):
            scene, run = publisher.run(system, {call: fault}, overwrite=overwrite)
            assert run.fired == [name]
            assert run.outcome.startswith("KeyboardInterrupt" if fault.startswith("INT") else "SystemExit")
            assert_all_or_nothing(scene, run, late=call > last)

    @pytest.mark.parametrize("second", ["KILL", "INT", "INT-after", "EIO"])
    def test_undoing_fails(self, publisher: Publisher, system: str, second: str, *, overwrite: bool) -> None:
        """A second fault, while a failed publication is taken back, still leaves no mixture."""
        _, calm = publisher.run(system, {}, overwrite=overwrite)
        naming = "rename" if system == "linkless" else "link"
        first = max(call for call, name in enumerate(calm.calls) if name == naming)
        _, failed = publisher.run(system, {first: "EIO"}, overwrite=overwrite)
        assert len(failed.calls) > first + 1
        for call in range(first + 1, len(failed.calls)):
            scene, run = publisher.run(system, {first: "EIO", call: second}, overwrite=overwrite)
            assert run.fired == [naming, failed.calls[call]]
            assert run.outcome != "published"
            assert_no_mixture(scene)

    def test_size_limit(self, publisher: Publisher, system: str, *, overwrite: bool) -> None:
        """A real limit of the system on the size of files ends as a `FileError` that names it."""
        scene, run = publisher.run(system, {}, overwrite=overwrite, limit=len(NEW) - 1)
        assert run.outcome.startswith("FileError")
        assert "(EFBIG)" in run.outcome
        assert_all_or_nothing(scene, run, late=False)


@pytest.mark.slow
def test_real_full_disk(tmp_path: Path) -> None:
    """A disk that is really full ends as a `FileError` that tells the free space, and holds nothing afterwards."""
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path)],  # noqa: S607  wherever mount is
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("mounting a small disk needs root")
    try:
        with pytest.raises(FileError, match=r"(?s)\(ENOSPC\).*bytes are free"):
            publish(tmp_path / "release.csv", lambda file: file.write(NEW), lambda file: file.read())
        assert list(tmp_path.iterdir()) == []
        publish(tmp_path / "release.csv", lambda file: file.write(OLD), lambda file: file.read())
        assert (tmp_path / "release.csv").read_bytes() == OLD
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)  # noqa: S607  wherever umount is
