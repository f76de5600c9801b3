"""What a bad day leaves: every call to the system of a publication, and of `kohort anonymize`, with every fault at it.

    python -m bench.faults                      files, folders and the object store, each call in this process
    python -m bench.faults anonymize [EVERY]    real processes and real signals, at every so manyth call

A row counts the runs in which the fault happened, and of these what must never be: a release that is there in part or
unverified, and a companion (certificate, page) that is lost though its release stands, once the next run was there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, cast

from tests.faults import test_folder_faults as folders
from tests.faults import test_store_faults as stores
from tests.faults.calls import FAULTS, Calls, injected

#: Faults of real processes.
_REAL: Final = ("KILL", "KILL-after", "ENOSPC", "EIO", "EINTR", "lost", "SIGINT", "SIGTERM")

_JOB: Final = "--quasi age --sensitive illness --l illness=2 --k 2 --rest drop --no-grid --report page.html --overwrite"

_TABLE: Final = "age,illness\n" + "".join(f"{30 + place % 4},{('flu', 'gout')[place % 2]}\n" for place in range(40))


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


def of_anonymize(every: int) -> None:
    """`kohort anonymize` with a certificate and a page to replace, in processes of its own."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "people.csv").write_text(_TABLE)
        names = cast("list[str]", _anonymize(place, -1, "")["names"])
        before = _files(place)
        for fault in _REAL:
            found: Counter[str] = Counter()
            for call in range(0, len(names), every):
                ended = _anonymize(place, call, fault)
                if not ended["fired"]:
                    continue
                found["fired"] += 1
                subprocess.run([*_KOHORT, "check", "release.csv", "--quasi", "age", "--quiet"], cwd=place, check=False)
                found["broken"] += _files(place) != before
            _row("anonymize --overwrite", fault, found["fired"], found["broken"])


_KOHORT: Final = (sys.executable, "-m", "kohort")


def _files(folder: Path) -> dict[str, bytes]:
    """The set: equal runs make equal bytes, but for the seconds on the page."""
    return {
        name: b"there" if name == "page.html" else (folder / name).read_bytes()
        for name in ("release.csv", "release.csv.kohort.json", "page.html")
        if (folder / name).exists()
    }


def _anonymize(folder: Path, place: int, fault: str) -> dict[str, object]:
    """Run once with a fault at a call; the calls and whether it happened."""
    trace = folder / "trace.json"
    trace.unlink(missing_ok=True)
    words = [sys.executable, "-m", "bench.faults", "child", str(trace), str(place), fault]
    where = {**os.environ, "PYTHONPATH": os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(Path.cwd())])}
    subprocess.run(words, cwd=folder, env=where, check=False, capture_output=True)
    return {"names": [], "fired": "", **(json.loads(trace.read_text()) if trace.exists() else {})}


def _child(trace: Path, place: int, fault: str) -> None:
    """The process in which the fault happens; what it did is written before a signal is sent, and at the end."""
    from kohort.cli import main  # noqa: PLC0415  only the child needs it

    calls = Calls(place, fault, real=True)
    descriptor = os.open(trace, os.O_CREAT | os.O_WRONLY)
    write = os.pwrite
    calls.told = lambda: write(descriptor, json.dumps({"names": calls.names, "fired": calls.fired}).encode(), 0)
    with injected(calls, fast=False, within=Path.cwd()), suppress(SystemExit):
        main(["anonymize", "people.csv", "--out", "release.csv", *_JOB.split(), "--quiet"])
    calls.told()


def _row(what: str, fault: str, fired: int, broken: int) -> None:
    """Print a row of the table."""
    print(f"| {what:32} | {fault:12} | {fired if fired >= 0 else 'each call':>9} | {broken:>6} |", flush=True)


def main(words: list[str]) -> None:
    """Print the table."""
    if words[:1] == ["child"]:
        _child(Path(words[1]), int(words[2]), words[3])
        return
    print("| what is published                | fault        |     fired | broken |\n|---|---|---|---|")
    if words[:1] == ["anonymize"]:
        of_anonymize(int(words[1]) if len(words) > 1 else 1)
    else:
        of_folders()
        of_stores()


if __name__ == "__main__":
    main(sys.argv[1:])
