"""The desk in a real browser: the whole way by mouse, by keyboard and without a script, and what every page is like."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from typing import TYPE_CHECKING, Final, Literal

import pytest

from kohort.generate.italy import write_italy
from tests.browser.test_pages import overflow
from tests.command import kohort

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = pytest.mark.slow

#: Milliseconds that a page may take while many tests run.
PATIENCE: Final = 180_000

#: The pages, each as it is once there is nothing to wait for.
PAGES: Final = (
    "columns",
    "column?place=8",
    "records",
    "protection",
    "preview?records=1",
    "frontier?k=2,5,10&method=mondrian&method=optimal",
    "evidence",
    "release",
    "history",
    "compare?with=0",
    "job",
)


class Visit:
    """A desk in a process of its own, and a browser at it."""

    def __init__(self, context: BrowserContext, process: subprocess.Popen[str]) -> None:
        """Wait for the address."""
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        self.address = next(found[0] for line in lines if (found := re.search(r"http://\S+", line)))
        self.base = self.address.partition("/?")[0]
        self.said: list[str] = []
        self.asked: set[str] = set()
        self.page: Page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.add(request.url.split("/")[2]))

    def go(self, path: str) -> Page:
        """A page, once there is nothing to wait for."""
        self.page.goto(f"{self.base}/{path}" if path else self.address)
        self.page.wait_for_selector("[data-task]", state="detached")
        return self.page

    def quiet(self) -> None:
        """Nothing was said on the console, and nobody else was asked anything."""
        assert self.said == []
        assert self.asked == {self.base.partition("://")[2]}


def opened(folder: Path, name: str) -> subprocess.Popen[str]:
    """The desk of a file, as a user starts it."""
    command = [sys.executable, "-m", "kohort", "app", name, "--no-browser"]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def closed(process: subprocess.Popen[str]) -> None:
    """Ctrl-C ends it, with nothing on its screen but a sentence, and no process is left."""
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == "kohort: interrupted; nothing incomplete was published\n"


@pytest.fixture(scope="module")
def register(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a register."""
    folder = tmp_path_factory.mktemp("desk")
    write_italy(folder, 500, seed=7)
    return folder


@pytest.fixture
def folder(register: Path, tmp_path: Path) -> Path:
    """The same, to be written into."""
    for path in register.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


@pytest.fixture
def visit(browser: Browser, folder: Path) -> Iterator[Visit]:
    """Somebody at the desk of that table."""
    process = opened(folder, "people.csv")
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    yield Visit(context, process)
    context.close()
    closed(process)


def released(folder: Path, job: str = "people.job.toml", release: str = "people.release.csv") -> None:
    """The release is that of `kohort run`, byte for byte."""
    found = (folder / release).read_bytes()
    assert kohort("run", folder / job, "--overwrite", "-q").status == 0
    assert (folder / release).read_bytes() == found
    assert kohort("check", folder / release, "--certificate", folder / f"{release}.kohort.json").status == 0


def test_the_whole_way_by_mouse(visit: Visit, folder: Path) -> None:
    """From a table to a signed release, which is downloaded."""
    page = visit.go("")
    page.get_by_label("Role of profession").select_option("drop")
    page.get_by_role("button", name="Apply roles").first.click()
    page.get_by_role("link", name="Change details of annual_income").click()
    page.get_by_label("t-closeness t").fill("0.3")
    page.get_by_role("button", name="Apply").click()
    page.get_by_role("link", name="Protection").click()
    page.get_by_label("k-anonymity k").fill("5")
    page.get_by_role("button", name="Apply").click()
    page.get_by_role("link", name="Trade-off").click()
    page.get_by_role("button", name="Try them").click()
    page.get_by_role("button", name="Take k = 3, mondrian").click()
    page.get_by_text("Every equivalence class satisfies 3-anonymity.").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("Every equivalence class satisfies 5-anonymity.").wait_for()
    page.get_by_role("link", name="Show ten records before and after").click()
    assert page.locator("tr.after").count() == 10
    page.get_by_role("link", name="Release", exact=True).first.click()
    page.get_by_label("purpose").fill("length of stay <by> age")
    page.get_by_role("button", name="Save the job and release").click()
    page.get_by_role("heading", name="Released and verified").wait_for()
    with page.expect_download() as download:
        page.get_by_role("link", name="people.release.csv", exact=True).click()
    assert download.value.path().read_bytes() == (folder / "people.release.csv").read_bytes()
    assert "length of stay &lt;by&gt; age" in (folder / "people.release.public.html").read_text(encoding="utf-8")
    visit.quiet()
    released(folder)


def reached(page: Page, name: str) -> None:
    """Press Tab until what has this name has the focus."""
    for _ in range(300):
        page.keyboard.press("Tab")
        focused = page.evaluate(
            "() => { const one = document.activeElement;"
            " return (one.labels?.[0] ?? one).textContent.replace(/\\s+/g, ' ').trim() }"
        )
        if focused == name:
            return
    raise AssertionError(name)


def test_the_whole_way_by_keyboard(visit: Visit, folder: Path) -> None:
    """With Tab, Enter, arrows and letters alone; the first key goes past the header."""
    page = visit.go("")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the page"
    reached(page, "Role of profession")
    page.keyboard.press("d")
    reached(page, "Apply roles")
    page.keyboard.press("Enter")
    page.locator("section.column", has_text="profession").locator("text=hierarchy").wait_for(state="detached")
    reached(page, "Protection")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Promise").wait_for()
    reached(page, "k-anonymity k")
    page.keyboard.press("Control+a")
    page.keyboard.type("4")
    page.keyboard.press("Enter")
    page.locator("input[name=k][value='4']").wait_for()
    reached(page, "Preview")
    page.keyboard.press("Enter")
    page.get_by_text("Every equivalence class satisfies 4-anonymity.").wait_for()
    reached(page, "Release")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Sign and release").wait_for()
    reached(page, "approved-by")
    page.keyboard.type("the data protection officer")
    reached(page, "Save the job and release")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Released and verified").wait_for()
    visit.quiet()
    released(folder)


def test_the_whole_way_without_a_script(browser: Browser, folder: Path) -> None:
    """Pages that wait load themselves again."""
    process = opened(folder, "people.csv")
    context = browser.new_context(java_script_enabled=False)
    visit = Visit(context, process)
    page = visit.page
    page.goto(visit.address)
    page.get_by_role("button", name="Apply roles").first.wait_for()
    page.get_by_role("link", name="Preview").click()
    page.get_by_text("Every equivalence class satisfies 10-anonymity.").wait_for()
    page.get_by_role("link", name="Release", exact=True).first.click()
    page.get_by_role("button", name="Save the job and release").click()
    page.get_by_role("heading", name="Released and verified").wait_for()
    context.close()
    closed(process)
    released(folder)


def test_a_table_of_others(browser: Browser, adult_csv: Path, tmp_path: Path) -> None:
    """UCI Adult, by its own draft."""
    (tmp_path / "adult.csv").write_bytes(adult_csv.read_bytes())
    process = opened(tmp_path, "adult.csv")
    context = browser.new_context()
    visit = Visit(context, process)
    page = visit.go("")
    for one in page.locator("section.undecided select").all():
        one.select_option("drop")
    page.get_by_role("button", name="Apply roles").first.click()
    page.wait_for_selector("form[action='/columns']")
    assert page.locator("section.undecided").count() == 0
    page.get_by_role("link", name="Release", exact=True).first.click()
    page.get_by_role("button", name="Save the job and release").click()
    page.get_by_role("heading", name="Released and verified").wait_for()
    visit.quiet()
    context.close()
    closed(process)
    released(tmp_path, "adult.job.toml", "adult.release.csv")


def test_every_page_can_be_read_by_everybody(visit: Visit) -> None:
    """None of axe-core's rules is broken, nothing is wider than the window, narrow or wide, light or dark."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed")
    visit.go("")
    shown: tuple[tuple[int, Literal["light", "dark"]], ...] = ((320, "light"), (1920, "dark"))
    for path in PAGES:
        page = visit.go(path)
        for width, scheme in shown:
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("document.scrollingElement.scrollWidth") <= width, path
            assert overflow(page) == [], path
            found = axe.Axe().run(page)
            assert found.violations_count == 0, f"{path}, {width}: {found.generate_report()}"
    visit.quiet()


def test_work_can_be_cancelled(visit: Visit, folder: Path) -> None:
    """The process that did it is gone, nothing is left of it, and the desk goes on."""
    page = visit.page
    page.goto(visit.address)
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Nothing was written.").wait_for()
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        ["people.csv", "city.json", "education.json", "profession.json"]
    )
    page.get_by_role("link", name="Back").click()
    page.wait_for_selector("form[action='/columns']")


def test_a_second_browser_is_refused(visit: Visit, browser: Browser) -> None:
    """And the first one stays."""
    visit.go("")
    other = browser.new_context()
    page = other.new_page()
    for path in (visit.address, f"{visit.base}/columns"):
        answer = page.goto(path)
        assert answer is not None
        assert answer.status == 403
    other.close()
    assert visit.go("columns").get_by_role("button", name="Apply roles").count() == 2


def test_no_process_is_left(folder: Path) -> None:
    """The child ends with the desk, though that is killed."""
    process = opened(folder, "people.csv")
    assert process.stdout is not None
    lines = iter(process.stdout.readline, "")
    address = next(found[0] for line in lines if (found := re.search(r"http://\S+", line)))
    urllib.request.build_opener(urllib.request.HTTPCookieProcessor()).open(address, timeout=60).read()
    children = _children(process.pid)
    assert children
    process.kill()
    process.communicate(timeout=60)
    for _ in range(100):
        if not any(map(_runs, children)):
            return
        time.sleep(0.1)
    raise AssertionError(children)


def _children(parent: int) -> list[int]:
    """The processes that a process has started."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True, check=False)  # noqa: S607
    return [int(one) for one in found.stdout.split()]


def _runs(process: int) -> bool:
    """Whether there is such a process."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
