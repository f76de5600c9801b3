"""Desks that are served as users start them, and browsers at them."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Literal

import pytest

from tests.browser.test_pages import overflow
from tests.command import kohort

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Page

#: Milliseconds that a page may take while many tests run.
PATIENCE: Final = 180_000

#: Presses of a mouse that lead from a table to a verified release, at most.
MOST_CLICKS: Final = 12

#: Counts the presses of a mouse on whatever page: a key that presses a button has no detail.
COUNTED: Final = "addEventListener('click', (event) => { if (event.isTrusted && event.detail) clicked(); }, true)"

#: Presses of Tab that go through any page.
MOST_STOPS: Final = 300

#: What has the focus: its label, or its own text.
FOCUSED: Final = (
    "() => { const one = document.activeElement;"
    " return (one.labels?.[0] ?? one).textContent.replace(/\\s+/g, ' ').trim() }"
)


def started(folder: Path, name: str) -> tuple[subprocess.Popen[str], str]:
    """The desk of a file, as a user starts it, and the address that it prints."""
    command = [sys.executable, "-m", "kohort", "app", name, "--no-browser"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines = iter(process.stdout.readline, "")
    return process, next(found[0] for line in lines if (found := re.search(r"http://\S+", line)))


class Visit:
    """Somebody with a browser at a desk."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        """Listen to what is said and asked."""
        self.address = address
        self.base = address.partition("/?")[0]
        self.said: list[str] = []
        self.asked: set[str] = set()
        self.clicks = 0
        context.expose_function("clicked", self._clicked)  # pyright: ignore[reportUnknownMemberType]  as playwright has it
        context.add_init_script(COUNTED)
        self.page: Page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.add(request.url.split("/")[2]))

    def _clicked(self) -> None:
        self.clicks += 1

    def few_clicks(self) -> None:
        """The mouse was not pressed more often than it should be."""
        assert 0 < self.clicks <= MOST_CLICKS

    def go(self, path: str) -> Page:
        """A page, once there is nothing to wait for."""
        self.page.goto(f"{self.base}/{path}" if path else self.address)
        self.settle()
        return self.page

    def settle(self) -> None:
        """Wait until a page is there, whole, that does not wait for anything: no navigation is under way."""
        self.page.wait_for_selector("body:not(:has([data-task])) > footer")
        self.page.wait_for_load_state()

    def quiet(self) -> None:
        """Nothing was said on the console, and nobody else was asked anything."""
        assert self.said == [], self.said
        assert self.asked == {self.base.partition("://")[2]}

    def readable(self, paths: Iterable[str], *shown: tuple[int, Literal["light", "dark"]]) -> None:
        """None of axe-core's rules is broken on these pages, and nothing is wider than the window, of these widths."""
        axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed")
        for path in paths:
            page = self.go(path)
            for width, scheme in shown:
                page.set_viewport_size({"width": width, "height": 900})
                page.emulate_media(color_scheme=scheme)
                assert page.evaluate("document.scrollingElement.scrollWidth") <= width, path
                assert overflow(page) == [], path
                found = axe.Axe().run(page)
                assert found.violations_count == 0, f"{path}, {width}: {found.generate_report()}"
        self.quiet()

    # --- by mouse -----------------------------------------------------------------------------------------------------

    def role(self, column: str, role: str) -> None:
        """Give a column another role, by its button."""
        self.page.get_by_role("radio", name=f"{role} {column}", exact=True).check()

    def press_way_out(self) -> None:
        """While a release is refused, press the first button beside the reason, other than one that accepts it."""
        self.settle()
        for _ in range(MOST_CLICKS):
            if not self.page.locator("section.bad").count():
                return
            self.page.locator("section.bad button[name=change]").first.click()
            self.settle()
        raise AssertionError(self.page.locator("section.bad").inner_text())

    def release(self, *, purpose: str = "") -> None:
        """Have the release made, for a purpose."""
        self.page.get_by_role("link", name="Release", exact=True).first.click()
        self.page.get_by_label("purpose").fill(purpose)
        self.page.get_by_role("button", name="Save the job and release").click()
        self.page.get_by_role("heading", name="Released and verified").wait_for()

    def download(self, name: str) -> bytes:
        """What a browser gets that follows the link of this name."""
        with self.page.expect_download() as download:
            self.page.get_by_role("link", name=name, exact=True).click()
        return download.value.path().read_bytes()

    # --- by keyboard --------------------------------------------------------------------------------------------------

    def reach(self, name: str) -> None:
        """Press Tab until what has this name has the focus."""
        self.settle()
        for _ in range(MOST_STOPS):
            self.page.keyboard.press("Tab")
            if self.page.evaluate(FOCUSED) == name:
                return
        raise AssertionError(name)

    def press(self, name: str, key: str = "Enter") -> None:
        """Reach what has this name, and press a key."""
        self.reach(name)
        self.page.keyboard.press(key)

    def choose(self, column: str, role: str) -> None:
        """Reach the roles of a column, and go to one of them by arrows."""
        self.settle()
        for _ in range(MOST_STOPS):
            self.page.keyboard.press("Tab")
            if str(self.page.evaluate(FOCUSED)).endswith(f" {column}") and self._at_a_role():
                break
        for _ in range(MOST_STOPS):
            if self.page.evaluate(FOCUSED) == f"{role} {column}":
                self.page.keyboard.press("Space")
                return
            self.page.keyboard.press("ArrowRight")
        raise AssertionError(column)

    def _at_a_role(self) -> bool:
        return bool(self.page.evaluate("document.activeElement.type === 'radio'"))

    def write(self, name: str, text: str) -> None:
        """Reach the field of this name, and write in place of what is there."""
        self.press(name, "Control+a")
        self.page.keyboard.type(text)

    def sign(self, **said: str) -> None:
        """Go to the release, sign it and have it made; nothing was said meanwhile.

        Args:
            said: What else is written, field by field from above.
        """
        self.press("Release")
        self.page.get_by_role("heading", name="Sign and release").wait_for()
        for field, text in {**said, "approved by": "the data protection officer"}.items():
            self.write(field.capitalize(), text)
        self.press("Save the job and release")
        self.page.get_by_role("heading", name="Released and verified").wait_for()
        self.quiet()


@contextmanager
def desk_at(browser: Browser, folder: Path, name: str, **options: Any) -> Generator[Visit]:  # noqa: ANN401  of a browser
    """Somebody at the desk of a file; Ctrl-C ends it, with nothing on its screen but a sentence.

    Args:
        browser: A browser.
        folder: Where the desk is started.
        name: The file.
        options: What is different in the browser's window.
    """
    process, address = started(folder, name)
    window: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}, "accept_downloads": True}
    context = browser.new_context(**{**window, **options})
    try:
        yield Visit(context, address)
    finally:
        context.close()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == "kohort: interrupted; nothing incomplete was published\n"


def released(folder: Path, job: str = "people.job.toml", release: str = "people.release.csv") -> None:
    """The release is that of `kohort run`, byte for byte."""
    found = (folder / release).read_bytes()
    assert kohort("run", folder / job, "--overwrite", "-q").status == 0
    assert (folder / release).read_bytes() == found
    assert kohort("check", folder / release, "--certificate", folder / f"{release}.kohort.json").status == 0
