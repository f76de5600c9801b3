"""The report of a release in a notebook: a page in a frame, from which nothing leads out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import kohort
from tests.jobs import freely
from tests.unit.report import releases

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route


def test_a_report_in_a_notebook_stays_in_its_frame(browser: Browser) -> None:
    """It is shown as a page, its links lead to its own parts, and no request is sent."""
    job = freely(kohort.Job(releases.schema(), (kohort.KAnonymity(5),)))
    text = kohort.anonymize(releases.people(), job).report()
    notebook = f"<!DOCTYPE html><title>notebook</title><h1>Notebook</h1>{text._repr_html_()}"  # pyright: ignore[reportPrivateUsage]
    sent: list[str] = []

    def answer(route: Route) -> None:
        sent.append(route.request.url)
        route.fulfill(body=notebook, content_type="text/html; charset=utf-8")

    page = browser.new_page()
    page.route("**/*", answer)
    page.goto("http://notebook.test/lab")
    frame = page.frames[1]
    assert frame.locator("h1").count() == 1
    links = frame.locator("a[href^='#']")
    links.last.evaluate("link => link.click()")
    page.wait_for_timeout(200)
    assert frame.url.startswith("about:srcdoc#")
    assert frame.locator("h1").inner_text() != "Notebook"
    assert sent == ["http://notebook.test/lab"]
    page.close()
