"""How quickly the desk answers, and what it needs: `python -m bench.desk`, on a register of 100,000 people.

Printed are the seconds to the first page, to the answer to a changed role and to a preview, and the memory that the
server has for itself, beside the process that does the work.
"""

from __future__ import annotations

import argparse
import re
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from http.cookiejar import CookieJar
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

from kohort.generate.italy import write_italy

if TYPE_CHECKING:
    from collections.abc import Callable

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
            _measure(next(found[0] for line in lines if (found := re.search(r"http://\S+", line))), process.pid)
            process.send_signal(signal.SIGINT)


def _measure(address: str, process: int) -> None:
    """Go through the pages of a desk."""
    base = address.partition("/?")[0]
    opener = build_opener(HTTPCookieProcessor(CookieJar()))

    def page(path: str = "", form: dict[str, str] | None = None) -> str:
        data = None if form is None else urlencode(form).encode()
        request = Request(f"{base}/{path}" if path else address, data, {"Origin": base})  # noqa: S310  our own server
        return _text(opener, request)

    seconds, _ = _timed(page)
    print(f"first page               {seconds:8.3f} s")
    seconds, _ = _timed(lambda: _waited(lambda: page("columns")))
    print(f"drafted and inspected    {seconds:8.3f} s")
    changes: list[float] = []
    for at in range(TIMES):
        form = {"at": str(at), "role-3": "quasi" if at % 2 else "insensitive"}
        seconds, _ = _timed(partial(page, "columns", form))
        changes.append(seconds)
    print(f"a changed role (median)  {median(changes):8.3f} s")
    seconds, _ = _timed(lambda: _waited(lambda: page("preview")))
    print(f"a preview                {seconds:8.3f} s")
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


def _memory(process: int) -> float:
    """The memory of a process that nobody else has, in MB: Linux only."""
    found = re.search(
        r"^Private_Dirty: +(\d+) kB", Path(f"/proc/{process}/smaps_rollup").read_text("ascii"), re.MULTILINE
    )
    return int(found[1]) / 1024 if found else float("nan")


if __name__ == "__main__":
    main()
