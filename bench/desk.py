"""How quickly the desk answers in a browser: `python -m bench.desk`, on a register and UCI Adult.

The desk is started at each table, and every page is opened in Chromium (KOHORT_CHROMIUM names it), by Playwright. Adult
needs KOHORT_DATA. For each page the milliseconds are printed until its first bytes, until the browser first paints
something (first contentful paint, of its own performance entries), and until the page shows its figures, which may need
work such as a release. Then roles, k and undo are changed several times, and the medians are printed; last the memory
of the server. A machine with other work gives other figures, so the load is printed with them.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

from playwright.sync_api import Error, sync_playwright

from kohort.samples.italy import write_italy

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from playwright.sync_api import Browser, Page

#: How often each change is made.
TIMES: Final = 5

#: The pages, each as it is first asked for.
PAGES: Final = (
    "columns",
    "column?place=3",
    "hierarchy?place=3",
    "records",
    "protection",
    "preview",
    "frontier",
    "frontier?values=2,5,10,20&method=mondrian",
    "lattice",
    "evidence",
    "release",
    "history",
    "job",
)

#: A page that waits for nothing.
DONE: Final = "body:not(:has([data-task])) > footer"

#: Milliseconds that a page may take.
PATIENCE: Final = 600_000

#: Milliseconds from the beginning of a navigation until the page's first bytes, and until something is painted.
PAINTED: Final = """() => {
    const painted = performance.getEntriesByName('first-contentful-paint')[0]?.startTime
    return painted && [performance.getEntriesByType('navigation')[0].responseStart, painted]
}"""

#: The version of the job that a page shows, once that is another than it was.
CHANGED: Final = """at => {
    const now = document.querySelector('input[name=at]')?.value ?? at
    return now !== at && [Number(now), 0]
}"""


def main() -> None:
    """Measure a desk of each table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=30_000, help="people of the register")
    given = parser.parse_args()
    chromium = os.environ.get("KOHORT_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, folder in _tables(given.records):
            print(f"{name}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
            _measured(browser, folder)
            print()
        browser.close()


def _tables(records: int) -> Generator[tuple[str, Path]]:
    """Each table as people.csv in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        write_italy(Path(folder), records, seed=7)
        yield f"register, {records:,} people", Path(folder)
    adult = Path(os.environ.get("KOHORT_DATA", "none")) / "adult.csv"
    if adult.is_file():
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(adult, Path(folder) / "people.csv")
            yield "UCI Adult", Path(folder)


def _measured(browser: Browser, folder: Path) -> None:
    command = [sys.executable, "-m", "kohort", "app", "people.csv", "--no-browser"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as desk:
        assert desk.stdout is not None  # noqa: S101  it is a pipe
        printed = iter(desk.stdout.readline, "")
        address = next(found[0] for line in printed if (found := re.search(r"http://\S+", line)))
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        try:
            _pages(page, address)
            _changes(page, address.partition("/?")[0])
        finally:
            print(f"{'memory of the server':<40}{_memory(desk.pid):>10.0f} MB")
            page.close()
            desk.send_signal(signal.SIGINT)


def _pages(page: Page, address: str) -> None:
    """Open every page; columns without a role are dropped first, since most pages need a whole job."""
    print(f"{'page':<40}{'sent':>8}{'painted':>9}{'all of it':>11}   ms")
    _opened(page, "the first page", address)
    base = address.partition("/?")[0]
    _decided(page)
    for path in PAGES:
        _opened(page, path, f"{base}/{path}")
    _opened(page, "preview, again", f"{base}/preview")


def _opened(page: Page, name: str, address: str) -> None:
    start = time.perf_counter()
    page.goto(address, wait_until="domcontentloaded")
    sent, painted = _once(page, PAINTED)
    page.wait_for_selector(DONE)
    print(f"{name:<40}{sent:>8.0f}{painted:>9.0f}{1000 * (time.perf_counter() - start):>11.0f}")


def _once(page: Page, asked: str, of: str = "") -> tuple[float, float]:
    """What a page answers, once it answers; in a loop of our own, since its policy forbids that of Playwright."""
    while True:
        with suppress(Error):  # the page goes on to another at this moment
            if found := page.evaluate(asked, of):
                return found[0], found[1]
        time.sleep(0.002)


def _decided(page: Page) -> None:
    """Drop the columns without a role."""
    if page.locator("tr.undecided").count():
        page.get_by_label("Set", exact=True).select_option("undecided")
        page.get_by_label("to", exact=True).select_option("drop")
        page.get_by_role("button", name="Set", exact=True).click()
        page.locator("tr.undecided").first.wait_for(state="detached")


def _changes(page: Page, base: str) -> None:
    """Change a role, k and back, and print how long the answer took: until the new page is there."""
    print(f"{'change, median of ' + str(TIMES):<40}{'answer':>8}   ms")

    def role(time_: int) -> Callable[[], object]:
        page.get_by_role("radio", name=re.compile(f"^{('drop', 'insensitive')[time_ % 2]} ")).nth(3).check()
        return page.get_by_role("button", name="Apply roles").first.click

    def k(time_: int) -> Callable[[], object]:
        return page.locator("button[name=change]", has_text=re.compile(rf"^k = {(5, 20)[time_ % 2]}\s")).click

    def undone(_: int) -> Callable[[], object]:
        return page.get_by_role("button", name="Undo", exact=True).click

    for name, path, change in (
        ("a role", "columns", role),
        ("undo a role", "columns", undone),
        ("k", "protection", k),
        ("undo k", "protection", undone),
    ):
        page.goto(f"{base}/{path}")
        page.wait_for_selector(DONE)
        print(f"{name:<40}{median(_answer(page, change(nth)) for nth in range(TIMES)):>8.0f}")


def _answer(page: Page, press: Callable[[], object]) -> float:
    """The milliseconds until the page is another version of the job than before."""
    version = page.locator("input[name=at]").first.input_value()
    start = time.perf_counter()
    press()
    _once(page, CHANGED, version)
    return 1000 * (time.perf_counter() - start)


def _memory(process: int) -> float:
    """The memory of a process that no other has, in MB: Linux only."""
    text = Path(f"/proc/{process}/smaps_rollup").read_text("ascii")
    found = re.search(r"^Private_Dirty: +(\d+) kB", text, re.MULTILINE)
    return int(found[1]) / 1024 if found else float("nan")


if __name__ == "__main__":
    main()
