"""Take the pictures of docs/before-and-after.md: `python docs/desk_pictures.py WORD`, of the kohort that is installed.

WORD is the end of the pictures' names: `after`, or `before` where kohort of the earlier version is installed. The desk
is opened at a register of 3,000 invented people with the job that it drafts. Each page is taken as a browser first
shows it. This needs Playwright, Pillow and a Chromium (KOHORT_CHROMIUM names it).
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from PIL import Image
from playwright.sync_api import sync_playwright

from kohort.samples.italy import write_italy

if TYPE_CHECKING:
    from playwright.sync_api import Page

IMAGES: Final = Path(__file__).parent / "images"

#: Each picture with the address of the desk's page, and the heading that it begins with, in words of either version.
PICTURES: Final = {
    "columns": ("columns", ""),
    "protection": ("protection", ""),
    "advice": ("preview", "What single changes would give|What you could change"),
    "tradeoff": ("frontier?k=2,3,5,7,10,15,20&method=mondrian", "Risk and loss"),
    "evidence": ("evidence", "Attacks, by the criteria"),
    "report": ("report", ""),
}

#: Pixels of a picture, and its colours.
WINDOW: Final = {"width": 1000, "height": 900}
COLOURS: Final = 64

#: Milliseconds that a page may take.
PATIENCE: Final = 300_000

#: Milliseconds until figures that a page shows later are there.
LATER: Final = 12_000

#: Begin a picture with a heading; above the first one there is all that the page begins with.
TO_THE_TOP: Final = "one => one.tagName === 'H1' || one.scrollIntoView()"


def main(word: str) -> None:
    """Open the desk, and take a picture of each page."""
    chromium = os.environ.get("KOHORT_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        write_italy(Path(folder), 3_000, seed=7)
        command = [sys.executable, "-m", "kohort", "app", "people.csv", "--no-browser"]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as desk:  # noqa: S603  our own
            assert desk.stdout is not None  # noqa: S101  it is a pipe
            printed = iter(desk.stdout.readline, "")
            address = next(found[0] for line in printed if (found := re.search(r"http://\S+", line)))
            try:
                browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
                page = browser.new_page(viewport=WINDOW, color_scheme="light")  # type: ignore[arg-type]  # two numbers
                _shown(page, address)
                for name, (path, heading) in PICTURES.items():
                    _shown(page, f"{address.partition('/?')[0]}/{path}")
                    page.get_by_role("heading", name=re.compile(heading)).first.evaluate(TO_THE_TOP)
                    (IMAGES / f"desk-{name}-{word}.png").write_bytes(_small(page.screenshot()))
            finally:
                desk.send_signal(signal.SIGINT)


def _shown(page: Page, address: str) -> None:
    """Go to a page, and wait until nothing is missing from it."""
    page.goto(address)
    page.wait_for_selector("body:not(:has([data-task])) > footer", timeout=PATIENCE)
    page.wait_for_timeout(LATER)


def _small(picture: bytes) -> bytes:
    """A picture in few colours."""
    file = BytesIO()
    with Image.open(BytesIO(picture)) as opened:
        opened.convert("RGB").quantize(COLOURS).save(file, "png", optimize=True)
    return file.getvalue()


if __name__ == "__main__":
    main(*sys.argv[1:])
