"""What a bad day leaves: every call to the system that a command makes in its folder, with every fault at it.

    python -m bench.faults                      a sample: each fault at every seventh call, at others than another fault
    python -m bench.faults --every 1            at each call: hours
    python -m bench.faults --only "sweep|key"   the scenes whose names begin so
    python -m bench.faults --inside             files, folders and the object store, each call, without processes

A row counts the runs in which the fault happened, and of these what must never be: files that are there in part; a set
that is neither the former nor the new one, once the next command was there; a wrong exit status, or a message that is
none; a temporary file that is left. Inputs count as files: they have to be as they were. With kill alone, a first
release may stand without its certificate: it was verified, and `kohort check` says that it has none.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
from collections import Counter
from pathlib import Path
from subprocess import CalledProcessError
from tempfile import TemporaryDirectory
from typing import Final

os.environ.setdefault("POLARS_MAX_THREADS", "2")

from bench import forks
from bench.scenes import SCENES, Scene, folder_on, write_inputs
from kohort.errors import DurabilityError, KohortError
from kohort.publish.files import examine
from tests.faults import test_folder_faults as folders
from tests.faults import test_store_faults as stores
from tests.faults.calls import FAULTS

#: The statuses that a fault may end in, besides 0 and 9: success, when everything new is there.
_STATUSES: Final = {"KILL": {-9}, "SIGINT": {130}, "SIGTERM": {143}, "ENOSPC": {6}, "EIO": {6}, "EINTR": {6}}

#: What is counted, in the order of the table's columns.
_COLUMNS: Final = ("fired", "partial", "mixed", "status", "left")

#: What no message may hold.
_CANARY: Final = "Zanzottera"

#: Files that grow while a command runs, so that another run goes on from there.
_GROWING: Final = frozenset({"points.csv.points.jsonl"})

#: A fault is tried at so many calls of each scene at least, if there are so many.
_FEWEST: Final = 6

State = dict[str, bytes]


class NotReadyError(Exception):
    """A scene that fails without any fault."""


class Trial:
    """A scene in its folder, with its faults."""

    def __init__(self, scene: Scene, folder: Path, logs: Path) -> None:
        """Run the scene twice without a fault: what stands there before, and after."""
        self.scene, self.folder, self.logs, self.template = scene, folder / "folder", logs, logs / "template"
        self.folder.mkdir()
        write_inputs(self.folder)
        for command in scene.before:
            ended = forks.run(scene.words(command, self.folder), self.folder, logs, traced=False)
            if ended.status:
                raise NotReadyError(f"{command}: {ended.err}")
        shutil.copytree(self.folder, self.template)
        self.before = self._state()
        self._run()  # makes what other runs find: machine code, folders of caches
        self._reset()
        ended = self._run()
        if ended.status != scene.status:
            raise NotReadyError(f"status {ended.status}: {ended.err}")
        self.after, self.calls = self._state(), ended.calls
        self.found: Counter[str] = Counter()

    def _reset(self) -> None:
        """Have what was there before."""
        shutil.rmtree(self.folder)
        shutil.copytree(self.template, self.folder)

    def _run(self, fault: tuple[str, forks.Call] | None = None) -> forks.Ended:
        words = self.scene.words(self.scene.command, self.folder)
        return forks.run(words, self.folder, self.logs, fault=fault, prepare=self.scene.prepare)

    def hit(self, fault: str, call: forks.Call) -> list[str]:
        """Let the fault happen at a call; what is wrong then, each with its column first."""
        self._reset()
        ended = self._run((fault, call))
        hit = any((one.name, one.place, one.main) == (call.name, call.place, call.main) for one in ended.calls)
        if ended.elsewhere or not hit:  # what a library's thread says to another cannot fail in earnest
            return []
        at_once = self._state()
        wrong = [
            f"partial {name}"
            for name, content in at_once.items()
            if name not in _GROWING and content not in self._known(name)
        ]
        self._settle()
        state = self._state()
        whole = self._whole(state, fault)
        done = state == self.after
        if not whole:
            wrong.append(f"mixed {_told(state, self.before, self.after)}")
        if not self._right(fault, ended, done=done):
            wrong.append(f"status {ended.status}{' with everything there' if done else ''}: {ended.err[:200]!r}")
        wrong += [f"left {name}" for name in sorted(self._names()) if name.startswith(".")]
        if self.scene.again and not done:
            ended = self._run()
            if ended.status or self._state() != self.after:
                wrong.append(f"mixed after another run: status {ended.status} {ended.err[:200]!r}")
        self.found.update(["fired", *{one.split()[0] for one in wrong}])
        return wrong

    def _known(self, name: str) -> set[bytes]:
        """The contents that a file may have."""
        return {state[name] for state in (self.before, self.after) if name in state}

    def _state(self) -> State:
        """Every file that is visible, and its bytes, or so many."""
        found = _state(self.folder)
        return {name: bytes(len(content)) for name, content in found.items()} if self.scene.random else found

    def _names(self) -> list[str]:
        return [path.name for path in self.folder.iterdir()]

    def _settle(self) -> None:
        """Do what the next command in the folder does first."""
        if any(name.startswith(".kohort-") for name in self._names()):
            try:
                examine([self.folder / "another"], overwrite=False, inputs=())
            except KohortError as error:
                print(f"    the next run: {error}")

    def _whole(self, state: State, fault: str) -> bool:
        """Whether a set is the former or the new one; or a first release, killed before its certificate was there."""
        rest = {name: content for name, content in state.items() if name not in _GROWING}
        if rest in (self.before, self.after):
            return True
        first = fault == "KILL" and not self.scene.before
        return first and set(rest) < set(self.after) and all(self.after[name] == rest[name] for name in rest)

    def _right(self, fault: str, ended: forks.Ended, *, done: bool) -> bool:
        """Whether the status is right and what is reported is a message."""
        status, said = ended.status, ended.err
        if _CANARY in said or "Traceback" in said or (status > 0 and not said.startswith("kohort: ")):
            return False
        if status == self.scene.status:
            return done and fault not in {"KILL", "SIGINT", "SIGTERM"}
        if status == DurabilityError.exit_status:
            return done and fault in {"ENOSPC", "EIO", "EINTR"}
        return status in _STATUSES[fault] and (
            not done or fault in {"KILL", "SIGINT", "SIGTERM"} or self.before == self.after
        )


def _state(folder: Path) -> State:
    """Every file that is visible, and its bytes."""
    files = (path for path in folder.rglob("*") if path.is_file())
    seen = {str(path.relative_to(folder)): path for path in files}
    return {name: path.read_bytes() for name, path in seen.items() if not name.startswith(".")}


def _told(state: State, before: State, after: State) -> str:
    """How each file of a state is to the former and to the new one."""

    def kind(name: str) -> str:
        if name not in state:
            return "absent"
        return "former" if state[name] == before.get(name) else "new" if state[name] == after.get(name) else "neither"

    return ", ".join(
        f"{name}: {kind(name)}" for name in sorted({*state, *before, *after}) if before.get(name) != after.get(name)
    )


def of_processes(only: str, every: int) -> int:
    """Real processes and real signals; how many things were wrong."""
    if not forks.available():
        print("left out: commands in processes of their own, since strace is not installed")
        return 0
    print(f"| {'scene':28} | calls | fault   | {' | '.join(f'{column:>7}' for column in _COLUMNS)} |")
    print(f"|---|---|---|{'---|' * len(_COLUMNS)}")
    forks.load()
    total = 0
    for scene in SCENES:
        if re.match(only, scene.name):
            try:
                with folder_on(scene.kind) as folder, TemporaryDirectory() as logs:
                    total += _tried(Trial(scene, folder, Path(logs)), every)
            except NotReadyError as error:
                print(f"| {scene.name:28} | fails without a fault: {error} |", flush=True)
                total += 1
            except CalledProcessError as error:
                print(f"| {scene.name:28} | left out: {error.stderr.decode().strip()} |", flush=True)
    return total


def _tried(trial: Trial, every: int) -> int:
    """Print the rows of a scene; how many things were wrong."""
    total = 0
    for number, fault in enumerate(forks.FAULTS):
        trial.found = Counter()
        details = list[str]()
        step = max(1, min(every, len(trial.calls) // _FEWEST))
        for call in trial.calls[number % step :: step]:
            details += [f"    {call.text[:110]} #{call.place}: {wrong}" for wrong in trial.hit(fault, call)]
        counts = " | ".join(f"{trial.found[column]:7}" for column in _COLUMNS)
        print(f"| {trial.scene.name:28} | {len(trial.calls):5} | {fault:7} | {counts} |", flush=True)
        for detail in details:
            print(detail, flush=True)
        total += len(details)
    return total


def of_folders() -> None:
    """Folders of parts with a page in another folder."""
    for system in folders.SYSTEMS:
        for overwrite in (False, True):
            for fault in FAULTS:
                with TemporaryDirectory() as folder:
                    broken = 0
                    try:
                        fired = len(folders.tried(Path(folder), system, fault, overwrite=overwrite))
                    except AssertionError as found:
                        fired, broken = 0, 1
                        print(found)
                _row(f"folder, {system}{', overwrite' if overwrite else ''}", fault, fired, broken)


def of_stores() -> None:
    """Releases of parts in an object store."""
    for fault in stores.FAULTS:
        for overwrite in (False, True):
            with TemporaryDirectory() as folder:
                stores.test_every_call(Path(folder), fault, overwrite=overwrite)
            _row(f"object store{', overwrite' if overwrite else ''}", fault, -1, 0)


def _row(what: str, fault: str, fired: int, broken: int) -> None:
    """Print a row of the table."""
    print(f"| {what:32} | {fault:12} | {fired if fired >= 0 else 'each call':>9} | {broken:>6} |", flush=True)


def main() -> None:
    """Print the tables; the status is 1 if anything was wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="", help="the scenes whose names begin so: a regular expression")
    parser.add_argument("--every", type=int, default=7, help="try each fault at every so manyth call")
    parser.add_argument("--inside", action="store_true", help="calls made to fail within this process")
    words = parser.parse_args()
    if words.inside:
        print("| what is published                | fault        |     fired | broken |\n|---|---|---|---|")
        of_folders()
        of_stores()
        return
    raise SystemExit(of_processes(words.only, words.every) > 0)


if __name__ == "__main__":
    main()
