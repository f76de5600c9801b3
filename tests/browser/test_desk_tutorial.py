"""Ten minutes at the desk, as docs/desk.md tells them; KOHORT_PICTURES=write takes the pictures of that page."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from PIL import Image

from kohort.samples.italy import write_italy
from tests.browser.desks import desk_at, released

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.slow

DOCS: Final = Path(__file__).parents[2] / "docs"

#: What the page shows, in its order.
PICTURES: Final = ("columns", "preview", "frontier", "evidence", "release")


def taken(page: Page, name: str, of: Locator) -> None:
    """A picture of what the window shows from there on."""
    of.evaluate("one => one.scrollIntoView()")
    seen = page.screenshot()
    assert seen
    if os.environ.get("KOHORT_PICTURES") == "write":
        (DOCS / "images" / f"window-{name}.png").write_bytes(seen)


def test_ten_minutes_at_the_desk(browser: Browser, tmp_path: Path) -> None:
    """Each step of the page does what it says."""
    write_italy(tmp_path, 3_000, seed=7)
    window = {"width": 1120, "height": 780}
    with desk_at(browser, tmp_path, "people.csv", viewport=window, color_scheme="light") as visit:
        page = visit.go("")
        taken(page, "columns", page.locator("body"))
        visit.role("profession", "drop")
        page.get_by_role("button", name="Apply roles").first.click()
        page.get_by_role("link", name="Protection", exact=True).click()
        page.get_by_role("button", name="To a partner").click()
        page.locator("button[aria-pressed=true]", has_text="To a partner").wait_for()
        page.locator("button[name=change]", has_text=re.compile(r"^k = 5\s")).click()
        page.get_by_role("link", name="Preview", exact=True).click()
        page.get_by_text("Every equivalence class satisfies 5-anonymity.").wait_for()
        taken(page, "preview", page.locator("body"))
        page.get_by_role("link", name="Trade-off").click()
        page.get_by_role("button", name="Try them").click()
        page.get_by_role("button", name="Use k = 10, mondrian").wait_for()
        taken(page, "frontier", page.get_by_role("heading", name="Risk and loss"))
        page.get_by_role("button", name="Use k = 10, mondrian").click()
        page.get_by_text("Every equivalence class satisfies 10-anonymity.").wait_for()
        page.get_by_role("link", name="Evidence").click()
        page.get_by_role("heading", name="Attacks, by the criteria").wait_for()
        taken(page, "evidence", page.get_by_role("heading", name="Attacks, by the criteria"))
        page.get_by_role("link", name="Release", exact=True).first.click()
        page.get_by_label("purpose").fill("incomes by region, for the statistics course")
        page.get_by_label("Approved by").fill("Ada Bianchi")
        page.get_by_role("button", name="Save the job and release").click()
        page.get_by_role("heading", name="Released and verified").wait_for()
        taken(page, "release", page.get_by_text("Caution:"))
        visit.quiet()
    released(tmp_path)


def test_the_page_shows_its_pictures() -> None:
    """Each of them, in the order of the steps."""
    text = (DOCS / "desk.md").read_text(encoding="utf-8")
    places = [text.index(f"(images/window-{name}.png)") for name in PICTURES]
    assert places == sorted(places)
    assert all((DOCS / "images" / f"window-{name}.png").stat().st_size for name in PICTURES)


def test_reviewers_see_each_page_before_and_after() -> None:
    """Six pairs of pictures, each with words for those who do not see it, none larger than a page should load."""
    text = (DOCS / "before-and-after.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[(.+?)\]\(images/desk-(\w+)-(before|after)\.png\)", text)
    assert [word for _, _, word in shown] == ["before", "after"] * 6
    assert [name for _, name, _ in shown[::2]] == [name for _, name, _ in shown[1::2]]
    for _, name, word in shown:
        path = DOCS / "images" / f"desk-{name}-{word}.png"
        with Image.open(path) as picture:
            assert picture.width <= 1_000
        assert path.stat().st_size <= 80_000
