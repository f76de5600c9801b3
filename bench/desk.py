"""How quickly the desk answers, and what it needs: `python -m bench.desk`, on a register of 100,000 people.

Printed are the seconds to the first page, to the answer to a changed role, to a preview, to the evidence, to the pages
of a hierarchy and of a lattice, and the memory that the server has for itself, beside the process that does the work.
Behind the seconds stand those that processors worked for both: they say more where a machine is shared. With
Playwright and a Chromium (KOHORT_CHROMIUM names it) also when a browser first paints the page that the printed address
leads to.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from functools import partial
from http.cookiejar import CookieJar
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

from kohort.generate.italy import write_italy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: How often a role is changed.
TIMES: Final = 9


def main() -> None:
    """Measure a desk."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_italy(Path(folder), asked.records, seed=7)
        command = [sys.executable, "-m", "kohort", "app", "people.csv", "--no-browser"]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None  # noqa: S101  it is a pipe
            lines = iter(process.stdout.readline, "")
            try:
                _measure(_address(lines), process.pid)
            finally:
                process.send_signal(signal.SIGINT)
        _paint(command, folder)


def _address(lines: Iterator[str]) -> str:
    """The address that is printed."""
    return next(found[0] for line in lines if (found := re.search(r"http://\S+", line)))


def _paint(command: list[str], folder: str) -> None:
    """Open the desk in a browser."""
    chromium = os.environ.get("KOHORT_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None or importlib.util.find_spec("playwright") is None:
        print("first paint              no browser")
        return
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  where it is installed

    with sync_playwright() as driver, subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as desk:
        assert desk.stdout is not None  # noqa: S101  it is a pipe
        address = _address(iter(desk.stdout.readline, ""))
        try:
            page = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"]).new_page()
            page.goto("about:blank")
            seconds, _ = _timed(lambda: str(page.goto(address, wait_until="domcontentloaded")))
            page.wait_for_function(_PAINTED)
            painted = page.evaluate(_PAINTED) / 1000
            print(f"first paint              {painted:8.3f} s (and all of its text {seconds:.3f} s)")
        finally:
            desk.send_signal(signal.SIGINT)


#: Milliseconds from the beginning of the navigation to what a person first sees, redirections among them.
_PAINTED: Final = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def _measure(address: str, process: int) -> None:
    """Go through the pages of a desk."""
    base = address.partition("/?")[0]
    opener = build_opener(HTTPCookieProcessor(CookieJar()))

    def page(path: str = "", form: dict[str, str] | None = None) -> str:
        data = None if form is None else urlencode(form).encode()
        request = Request(f"{base}/{path}" if path else address, data, {"Origin": base})  # noqa: S310  our own server
        return _text(opener, request)

    def told(what: str, ask: Callable[[], str]) -> str:
        before = _worked(process)
        seconds, text = _timed(ask)
        print(f"{what:<24} {seconds:8.3f} s ({_worked(process) - before:.2f} s of work)")
        return text

    def waited(path: str) -> Callable[[], str]:
        return lambda: _waited(partial(page, path))

    told("first page", page)
    told("drafted and inspected", waited("columns"))
    changes: list[float] = []
    for at in range(TIMES):
        form = {"at": str(at), "role-3": "quasi" if at % 2 else "insensitive"}
        seconds, _ = _timed(partial(page, "columns", form))
        changes.append(seconds)
    print(f"a changed role (median)  {median(changes):8.3f} s")
    told("a preview", waited("preview"))
    for at, k in enumerate(("12", "15", "20"), TIMES):
        page("protection", {"at": str(at), "k": k})
        told(f"a preview with k = {k}", waited("preview"))
    told("the evidence", waited("evidence"))
    told("a hierarchy's page", waited("hierarchy?place=4"))
    told("a tree's page", waited("tree?place=6"))
    page("columns", {"at": str(TIMES + 3), "role-8": "drop"})  # a lattice counts no 11,736 incomes of each class
    page("lattice", {"at": str(TIMES + 4), "method": "optimal"})
    told("a lattice's page", waited("lattice"))
    print(f"memory of the server     {_memory(process):8.1f} MB")


def _timed(make: Callable[[], str]) -> tuple[float, str]:
    start = time.perf_counter()
    made = make()
    return time.perf_counter() - start, made


def _waited(ask: Callable[[], str]) -> str:
    """A page, once there is nothing to wait for."""
    while "data-task" in (text := ask()):
        time.sleep(0.05)
    return text


def _text(opener: OpenerDirector, request: Request) -> str:
    with opener.open(request, timeout=600) as answer:
        return str(answer.read().decode())


def _worked(process: int) -> float:
    """The seconds that processors worked for a process and those that it has started: Linux only."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            _, parent, *fields = path.read_text("utf-8").rpartition(") ")[2].split()
            if process in {int(parent), int(path.parent.name)}:
                ticks += int(fields[9]) + int(fields[10])
    return ticks / os.sysconf("SC_CLK_TCK")


def _memory(process: int) -> float:
    """The memory of a process that nobody else has, in MB: Linux only."""
    found = re.search(
        r"^Private_Dirty: +(\d+) kB", Path(f"/proc/{process}/smaps_rollup").read_text("ascii"), re.MULTILINE
    )
    return int(found[1]) / 1024 if found else float("nan")


if __name__ == "__main__":
    main()
