"""The whole way on hospital stays, by mouse and by keyboard: a job is mended on its pages, judged and signed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from kohort.samples.admissions import write_admissions
from tests.browser.desks import Visit, desk_at, released

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow


@pytest.fixture
def visit(browser: Browser, tmp_path: Path) -> Iterator[Visit]:
    """Somebody at the desk of a table of stays."""
    write_admissions(tmp_path, 400, seed=7)
    with desk_at(browser, tmp_path, "admissions.csv") as visit:
        yield visit


def test_admissions_by_mouse(visit: Visit, tmp_path: Path) -> None:
    """People have several stays; what singles them out is told before anything is released, and the evidence after."""
    page = visit.go("")
    page.get_by_role("link", name="Preview", exact=True).click()
    page.get_by_text("diagnosis with charge singles out").wait_for()
    page.get_by_role("link", name="Columns").click()
    visit.role("charge", "drop")
    page.get_by_role("button", name="Apply roles").first.click()
    page.get_by_role("link", name="Protection", exact=True).click()
    page.get_by_role("button", name="Inside the house").click()
    page.get_by_role("link", name="Next: Preview").click()
    page.get_by_text("Every equivalence class satisfies 5-anonymity.").wait_for()
    page.get_by_role("link", name="Evidence").click()
    page.get_by_role("heading", name="Identifiers that HIPAA Safe Harbor removes").wait_for()
    rows = page.get_by_role("group", name="Identifiers").locator("tbody tr")
    told = [" ".join(one.split()) for one in rows.all_inner_texts()]
    held = {"stay_id", "patient_id", "patient_name", "birth_date", "postal_code", "admission_date", "discharge_date"}
    assert {one.split()[0] for one in told} == held
    assert next(one for one in told if one.startswith("patient_name")).endswith("removed; is not in the release")
    page.get_by_role("link", name="Release", exact=True).first.click()
    page.get_by_label("purpose").fill("length of stay by diagnosis")
    page.get_by_label("recipient").fill("the regional health office")
    page.get_by_label("Approved by").fill("the data protection officer")
    page.get_by_role("button", name="Save the job and release").click()
    page.get_by_role("heading", name="Released and verified").wait_for()
    visit.few_clicks()
    assert visit.download("admissions.release.csv") == (tmp_path / "admissions.release.csv").read_bytes()
    certificate = json.loads((tmp_path / "admissions.release.csv.kohort.json").read_text(encoding="utf-8"))
    assert certificate["job"]["purpose"]["approved-by"] == "the data protection officer"
    visit.quiet()
    released(tmp_path, "admissions.job.toml", "admissions.release.csv")


def test_admissions_by_keyboard(visit: Visit, tmp_path: Path) -> None:
    """The same with Tab, Enter and letters alone."""
    page = visit.go("")
    visit.choose("charge", "drop")
    visit.press("Apply roles")
    page.locator("[data-column=charge][data-role=drop]").wait_for()
    visit.press("Protection")
    page.get_by_role("heading", name="Who gets the release?").wait_for()
    visit.press("Expert settings")
    visit.write("k-anonymity k", "6")
    page.keyboard.press("Enter")
    page.locator("input[name=k][value='6']").wait_for(state="attached")
    visit.press("Preview")
    page.get_by_text("Every equivalence class satisfies 6-anonymity.").wait_for()
    visit.press("Show ten records before and after")
    page.locator("tr.after").first.wait_for()
    visit.press("Evidence")
    page.get_by_role("heading", name="Identifiers that HIPAA Safe Harbor removes").wait_for()
    visit.sign(purpose="length of stay by diagnosis")
    with page.expect_download() as download:
        visit.press("admissions.release.csv")
    assert download.value.path().read_bytes() == (tmp_path / "admissions.release.csv").read_bytes()
    visit.quiet()
    released(tmp_path, "admissions.job.toml", "admissions.release.csv")
