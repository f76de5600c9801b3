"""Transactions at the desk in a real browser: from a database to a signed release, by mouse and by keyboard."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

from tests.browser.desks import Visit, desk_at, released

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

#: Items, each with the share of transactions that have it; names that are long, or could steer something.
ITEMS: Final = {
    "bread": 0.5,
    "milk": 0.45,
    "tea": 0.3,
    "jam": 0.25,
    "rice": 0.2,
    "wine": 0.15,
    "insulin": 0.06,
    "nicotine gum": 0.05,
    "an item whose name goes on and on and on without any end in sight": 0.04,
    "<b>oil</b>": 0.03,
    "=1+1": 0.02,
    "W" * 60: 0.02,
}

#: The pages, each as it is once there is nothing to wait for.
PAGES: Final = (
    "items",
    "items?q=in&role=private",
    "named",
    "reading",
    "records",
    "protection",
    "preview?records=1",
    "frontier?vary=k&values=2,5,10&method=mmil&method=1il&method=cells",
    "evidence",
    "release",
    "history",
    "compare?with=1",
    "job",
)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A folder with the transactions of a shop."""
    drawn = np.random.default_rng(7).random((300, len(ITEMS))) < [*ITEMS.values()]
    lines = [",".join(name for name, has in zip(ITEMS, row, strict=True) if has) for row in drawn]
    (tmp_path / "shop.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def visit(browser: Browser, shop: Path) -> Iterator[Visit]:
    """Somebody at the desk of these transactions."""
    with desk_at(browser, shop, "shop.csv") as visit:
        yield visit


def test_the_whole_way_by_mouse(visit: Visit, shop: Path) -> None:
    """From a database to a signed release, which is downloaded."""
    page = visit.go("")
    page.get_by_text("no private item is named").wait_for()
    page.get_by_label("Role of insulin").select_option("private")
    page.get_by_role("button", name="Apply roles").first.click()
    page.get_by_text("no private item is named").wait_for(state="detached")
    page.get_by_label("Name contains").fill("gum")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("button", name="make private").click()
    page.locator("option[selected]", has_text="private").wait_for(state="attached")
    page.get_by_role("link", name="Protection").click()
    page.get_by_text("Expert settings").click()
    page.get_by_label("k", exact=True).fill("5")
    page.get_by_label("p", exact=True).fill("2")
    page.get_by_role("button", name="Apply").click()
    page.get_by_role("link", name="Trade-off").click()
    page.get_by_label("Vary", exact=True).select_option("k")
    page.get_by_label("Values", exact=True).fill("2,3,5")
    page.get_by_role("button", name="Try them").click()
    page.get_by_role("button", name="Use k = 3, mmil").click()
    page.get_by_text("The released transactions satisfy (0.4, 3, 2)-coherence.").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("The released transactions satisfy (0.4, 5, 2)-coherence.").wait_for()
    page.get_by_role("link", name="Show ten transactions before and after").click()
    assert page.locator("tr.after").count() == 10
    page.get_by_role("link", name="Evidence").click()
    page.get_by_role("heading", name="Attacks, by the criteria").wait_for()
    visit.release(purpose="what is bought <with> what")
    assert visit.download("shop.release.csv") == (shop / "shop.release.csv").read_bytes()
    public = (shop / "shop.release.public.html").read_text(encoding="utf-8")
    assert "what is bought &lt;with&gt; what" in public
    assert "insulin" not in public
    visit.quiet()
    released(shop, "shop.job.toml", "shop.release.csv")


def test_the_whole_way_by_keyboard(visit: Visit, shop: Path) -> None:
    """With Tab, Enter, arrows and letters alone."""
    page = visit.go("")
    visit.press("Role of insulin", "p")
    page.keyboard.press("r")
    visit.press("Apply roles")
    page.get_by_text("no private item is named").wait_for(state="detached")
    visit.press("Protection")
    visit.press("Expert settings")
    page.get_by_role("heading", name="Promise").wait_for()
    for name, value in (("k", "4"), ("p", "1")):
        visit.write(name, value)
    page.keyboard.press("Enter")
    page.locator("input[name=k][value='4']").wait_for()
    visit.press("Preview")
    page.get_by_text("The released transactions satisfy (0.4, 4, 1)-coherence.").wait_for()
    visit.sign()
    released(shop, "shop.job.toml", "shop.release.csv")


def test_every_page_can_be_read_by_everybody(visit: Visit) -> None:
    """None of axe-core's rules is broken, nothing is wider than the window, narrow or wide, light or dark."""
    page = visit.go("")
    page.get_by_label("Role of insulin").select_option("private")
    page.get_by_role("button", name="Apply roles").first.click()
    page = visit.go("protection")
    page.get_by_text("Expert settings").click()
    page.get_by_label("k", exact=True).fill("5")
    page.get_by_role("button", name="Apply").click()
    visit.readable(PAGES, (320, "dark"), (1280, "light"))


def test_few_clicks_lead_to_a_release(visit: Visit, shop: Path) -> None:
    """Name the private item, see what the choices cost, take one, look at the preview, release: by mouse alone."""
    page = visit.go("")
    page.get_by_label("Role of insulin").select_option("private")
    page.get_by_role("button", name="Apply roles").first.click()
    page.get_by_role("link", name="Protection", exact=True).click()
    page.get_by_role("button", name=re.compile("^p = 2")).click()
    page.get_by_role("link", name="Next: Preview").click()
    visit.release(purpose="what is bought with what")
    visit.few_clicks()
    visit.quiet()
    released(shop, "shop.job.toml", "shop.release.csv")


def test_every_refusal_has_a_button(visit: Visit) -> None:
    """A job without a private item, and one whose private item is too frequent: each is left by a button."""
    page = visit.go("")
    page.get_by_role("button", name="No item is private").click()
    page.get_by_text("no private item is named").wait_for(state="detached")
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_label("Role of bread").select_option("private")
    page.get_by_role("button", name="Apply roles").first.click()
    visit.go("preview")
    page.get_by_role("heading", name="Release refused").wait_for()
    page.get_by_role("button", name="Undo the last change").click()
    page.get_by_text("no private item is named").wait_for()


def test_groceries_by_mouse(browser: Browser, data_folder: Path, tmp_path: Path) -> None:
    """Items are found by name and made private; p = 1, 2, 3, 4 show their losses; few clicks lead to a release."""
    with desk_at(browser, groceries(data_folder, tmp_path), "groceries.dat") as visit:
        page = visit.go("")
        page.get_by_text("Show items by name").click()
        page.get_by_label("File of names").set_input_files(tmp_path / "groceries.items.tsv")
        page.get_by_role("button", name="Show the names").click()
        page.get_by_label("Name contains").fill("liquor")
        page.keyboard.press("Enter")
        page.get_by_text("2 of 169 items").wait_for()
        page.get_by_role("button", name="make private").click()
        page.get_by_text("Role of liquor (appetizer) (20)").wait_for(state="attached")
        page.get_by_role("link", name="Protection", exact=True).click()
        page.wait_for_selector("body:not(:has([data-late]))")  # the script takes the mark off once all costs are there
        costs = [page.get_by_role("button", name=re.compile(f"^p = {p}")).inner_text() for p in (1, 2, 3, 4)]
        lost = [float(found[1]) for one in costs if (found := re.search(r"([0-9.]+)% lost", one))]
        assert len(lost) == 4
        assert lost == sorted(lost)
        assert lost[0] < 2
        assert 20 < lost[1] < lost[2] < lost[3] < 80
        page.get_by_role("button", name=re.compile("^p = 2")).click()
        page.get_by_role("link", name="Next: Preview").click()
        page.get_by_text(re.compile(r"^[a-z ]+ \([0-9]+\)$")).first.wait_for()
        visit.release(purpose="what is bought with what")
        visit.few_clicks()
        visit.quiet()
    assert "liquor" not in (tmp_path / "groceries.release.public.html").read_text(encoding="utf-8")
    assert "liquor" not in (tmp_path / "groceries.release.dat.kohort.json").read_text(encoding="utf-8")
    released(tmp_path, "groceries.job.toml", "groceries.release.dat")


def test_groceries_by_keyboard(browser: Browser, data_folder: Path, tmp_path: Path) -> None:
    """Private items are written by their names."""
    with desk_at(browser, groceries(data_folder, tmp_path), "groceries.dat") as visit:
        page = visit.go("")
        visit.press("Show items by name")
        page.get_by_label("File of names").set_input_files(tmp_path / "groceries.items.tsv")
        visit.press("Show the names")
        visit.press("List private items by name")
        visit.write("Private items, one on each line", "bottled beer\nliquor (appetizer)")
        visit.press("Apply")
        page.get_by_text("2 of 169 items").wait_for()
        visit.sign()
    released(tmp_path, "groceries.job.toml", "groceries.release.dat")


def groceries(data: Path, folder: Path) -> Path:
    """The folder with groceries and the names of their items."""
    for name in ("groceries.dat", "groceries.items.tsv"):
        (folder / name).write_bytes((data / "transactions" / name).read_bytes())
    return folder


def test_a_database_of_others(browser: Browser, data_folder: Path, tmp_path: Path) -> None:
    """Groceries, by their own draft: what holds no table is of transactions, and its private items are pasted."""
    (tmp_path / "groceries.dat").write_bytes((data_folder / "transactions" / "groceries.dat").read_bytes())
    with desk_at(browser, tmp_path, "groceries.dat") as visit:
        page = visit.go("")
        page.get_by_text("9,835 transactions, 169 items.").wait_for()
        page.get_by_role("link", name="List private items by name").click()
        page.get_by_label("Private items, one on each line").fill("1\n7\n23\n")
        page.get_by_role("button", name="Apply").click()
        page.get_by_text("3 of 169 items").wait_for()
        visit.release()
        visit.quiet()
    released(tmp_path, "groceries.job.toml", "groceries.release.dat")
