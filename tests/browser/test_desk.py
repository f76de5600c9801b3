"""The desk in a real browser: the whole way by mouse, by keyboard and without a script, and what every page is like."""

from __future__ import annotations

import os
import subprocess
import time
import tomllib
import urllib.request
from random import Random
from typing import TYPE_CHECKING, Final

import pytest

from kohort.samples.italy import write_italy
from tests.browser.desks import Visit, desk_at, released, started
from tests.browser.test_site import SCHEMES, brightness

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

#: The pages, each as it is once there is nothing to wait for.
PAGES: Final = (
    "columns",
    "column?place=8",
    "hierarchy?place=4",
    "tree?place=6",
    "records",
    "protection",
    "preview?records=1",
    "frontier?values=2,5,10&method=mondrian&method=optimal",
    "lattice",
    "evidence",
    "release",
    "history",
    "compare?with=0",
    "job",
)


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
    with desk_at(browser, folder, "people.csv") as visit:
        yield visit


def test_the_whole_way_by_mouse(visit: Visit, folder: Path) -> None:
    """From a table to a signed release, which is downloaded, in few clicks."""
    page = visit.go("")
    before = page.get_by_text("of the people are unique on these").inner_text()
    visit.role("profession", "drop")
    page.get_by_text(before).wait_for(state="detached")
    page.get_by_role("button", name="Apply roles").first.click()
    page.get_by_role("link", name="Protection", exact=True).click()
    page.get_by_role("button", name="To a partner").click()
    page.locator("button[aria-pressed=true]", has_text="To a partner").wait_for()
    page.get_by_role("link", name="Next: Preview").click()
    page.get_by_text("Every equivalence class satisfies 10-anonymity.").wait_for()
    visit.release(purpose="length of stay <by> age")
    assert visit.download("people.release.csv") == (folder / "people.release.csv").read_bytes()
    assert "length of stay &lt;by&gt; age" in (folder / "people.release.public.html").read_text(encoding="utf-8")
    visit.few_clicks()
    visit.quiet()
    released(folder)


def test_details_and_other_values_by_mouse(visit: Visit) -> None:
    """A field of a column, a setting for experts, a point of the trade-off, and back by a point of the bar."""
    page = visit.go("")
    page.get_by_role("link", name="Details of annual_income").click()
    page.get_by_label("t-closeness t").fill("0.3")
    page.get_by_role("button", name="Apply").click()
    page.get_by_role("link", name="Protection", exact=True).click()
    page.get_by_text("Expert settings").click()
    page.get_by_label("k-anonymity k").fill("5")
    page.get_by_role("button", name="Apply").click()
    page.get_by_role("link", name="Trade-off").click()
    page.get_by_role("button", name="Try them").click()
    page.get_by_role("button", name="Use k = 3, mondrian").click()
    page.get_by_text("Every equivalence class satisfies 3-anonymity.").wait_for()
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_text("Every equivalence class satisfies 5-anonymity.").wait_for()
    page.get_by_role("link", name="Show ten records before and after").click()
    assert page.locator("tr.after").count() == 10
    page.get_by_role("button", name="Version 4").click()
    page.get_by_text("Every equivalence class satisfies 3-anonymity.").wait_for()
    page.get_by_role("button", name="Use: k = 5").click()
    page.get_by_text("Every equivalence class satisfies 5-anonymity.").wait_for()
    visit.quiet()


def test_columns_are_found_and_set_together(visit: Visit) -> None:
    """While somebody types, others disappear; all that are shown get a role, and the page keeps its place."""
    page = visit.go("")
    page.get_by_label("Find").fill("name")
    assert page.locator("tr[data-column]:visible").count() == 2
    page.get_by_label("Set", exact=True).select_option("shown")
    page.get_by_label("to", exact=True).select_option("drop")
    page.get_by_role("button", name="Set", exact=True).click()
    visit.settle()
    assert page.get_by_role("radio", name="drop last_name", exact=True).is_checked()
    assert page.locator("tr[data-column]").count() == 2
    page.evaluate("scrollTo(0, 300)")
    top = page.evaluate("scrollY")
    page.get_by_role("button", name="Save job file").click()
    page.wait_for_selector("form[action='/save'] button:disabled")
    assert page.evaluate("scrollY") == top
    visit.quiet()


def test_the_whole_way_by_keyboard(visit: Visit, folder: Path) -> None:
    """With Tab, Enter, arrows and letters alone; the first key goes past the header."""
    page = visit.go("")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the page"
    visit.choose("profession", "drop")
    visit.press("Apply roles")
    page.locator("[data-column=profession][data-role=drop]").wait_for()
    visit.press("Protection")
    page.get_by_role("heading", name="Who gets the release?").wait_for()
    visit.press("Expert settings")
    visit.write("k-anonymity k", "4")
    page.keyboard.press("Enter")
    page.locator("input[name=k][value='4']").wait_for(state="attached")
    visit.press("Preview")
    page.get_by_text("Every equivalence class satisfies 4-anonymity.").wait_for()
    visit.sign()
    released(folder)


#: A job without anything that takes long.
JOB: Final = """\
input.path = "people.csv"
output.path = "people.release.csv"
privacy.k = 5
rest = "drop"

[columns]
gender = { role = "quasi", hierarchy = "suppress" }
age = { role = "quasi", grid = 5 }
education = { role = "quasi", hierarchy = "education.json" }
"""


@pytest.fixture
def job_visit(browser: Browser, folder: Path) -> Iterator[Visit]:
    """Somebody at the desk of that job."""
    (folder / "people.job.toml").write_text(JOB, encoding="utf-8")
    with desk_at(browser, folder, "people.job.toml") as visit:
        yield visit


def tree_of(folder: Path) -> set[str]:
    """The rows of the newest hierarchy of gender that was written."""
    newest = max(folder.glob("gender.hierarchy-*.csv"), key=lambda path: int(path.stem.rpartition("-")[2]))
    return set(newest.read_text(encoding="utf-8").splitlines())


def test_a_hierarchy_and_a_node_by_mouse(job_visit: Visit, folder: Path) -> None:
    """Ranges, groups by ticks and by dragging, a file; then a node of the lattice, which is released."""
    page = job_visit.go("")
    page.get_by_role("link", name="Hierarchy of age").click()
    page.get_by_text("Ranges of numbers between your own cut points").click()
    page.get_by_label("Cut points").fill("0,18,30,45,65,120\n0,65,120")
    page.get_by_role("button", name="Build ranges between cuts").click()
    page.get_by_role("heading", name="Levels of age.hierarchy-1.csv").wait_for()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as a file").click()
    page.get_by_text("Your own file").click()
    page.get_by_label("Hierarchy file").set_input_files(download.value.path())
    page.get_by_role("button", name="Read the file").click()
    page.get_by_role("heading", name="Levels of age.hierarchy-1.csv").wait_for()
    page.get_by_role("link", name="Columns").first.click()
    page.get_by_role("link", name="Hierarchy of gender").click()
    page.get_by_role("link", name="Put values into groups").click()
    page.get_by_label("female").check()
    page.get_by_label("new group called").fill("Women")
    page.get_by_role("button", name="Apply").first.click()
    page.locator("[data-group]", has_text="Women").wait_for()
    alone = page.locator("[data-group]").filter(has=page.get_by_role("textbox", name="Name of the group male"))
    alone.locator("[data-node]").drag_to(page.locator("[data-group]", has_text="Women"))
    alone.wait_for(state="detached")
    page.get_by_role("link", name="Trade-off").click()
    page.get_by_role("link", name="lattice of levels").click()
    page.get_by_role("button", name="Use optimal").click()
    page.locator(".lattice .node.minimal button").first.click()
    page.get_by_role("heading", name="What the job would release", exact=True).wait_for()
    job_visit.release()
    assert tree_of(folder) == {"female;Women;*", "male;Women;*"}
    job_visit.quiet()
    released(folder)


def test_a_hierarchy_and_a_node_by_keyboard(job_visit: Visit, folder: Path) -> None:
    """The same with Tab, Space, Enter and letters alone."""
    page = job_visit.go("")
    job_visit.press("Hierarchy of gender")
    page.get_by_role("heading", name="Hierarchy of gender").wait_for()
    job_visit.press("Put values into groups, or edit the tree")
    page.get_by_role("heading", name="Tree of gender").wait_for()
    job_visit.write("Put the ticked ones into a new group called", "Everybody")
    for value in ("female", "male"):
        job_visit.press(value, "Space")
    job_visit.press("Apply")
    page.locator("[data-group]", has_text="Everybody").wait_for()
    job_visit.press("Trade-off")
    page.get_by_role("heading", name="Try other values of k").wait_for()
    job_visit.press("lattice of levels")
    page.get_by_role("heading", name="has no levels for whole columns").wait_for()
    job_visit.press("Use samarati")
    page.locator(".lattice").wait_for()
    chosen = page.locator(".lattice .node.minimal button, .lattice .node.optimal button").first
    job_visit.press(chosen.text_content() or "")
    page.get_by_role("heading", name="What the job would release", exact=True).wait_for()
    job_visit.press("Save job file")
    page.wait_for_selector("form[action='/save'] button:disabled")
    assert tree_of(folder) == {"female;Everybody;*", "male;Everybody;*"}
    job = tomllib.loads((folder / "people.job.toml").read_text(encoding="utf-8"))
    assert set(job["method"]["node"]) == {"gender", "age", "education"}
    job_visit.quiet()


def test_the_whole_way_without_a_script(browser: Browser, folder: Path) -> None:
    """Pages that wait load themselves again."""
    with desk_at(browser, folder, "people.csv", java_script_enabled=False) as visit:
        page = visit.page
        page.goto(visit.address)
        page.get_by_role("button", name="Apply roles").first.wait_for()
        page.get_by_role("link", name="Preview").click()
        page.get_by_text("Every equivalence class satisfies 10-anonymity.").wait_for()
        visit.release()
    released(folder)


def test_a_table_of_others(browser: Browser, adult_csv: Path, tmp_path: Path) -> None:
    """The first of UCI Adult, by its own draft."""
    (tmp_path / "adult.csv").write_bytes(b"".join(adult_csv.read_bytes().splitlines(keepends=True)[:2_000]))
    with desk_at(browser, tmp_path, "adult.csv") as visit:
        page = visit.go("")
        if page.locator("tr.undecided").count():
            page.get_by_label("Set", exact=True).select_option("undecided")
            page.get_by_label("to", exact=True).select_option("drop")
            page.get_by_role("button", name="Set", exact=True).click()
            page.locator("tr.undecided").first.wait_for(state="detached")
        page.get_by_role("link", name="Preview", exact=True).click()
        visit.press_way_out()
        visit.release()
        visit.few_clicks()
        visit.quiet()
    released(tmp_path, "adult.job.toml", "adult.release.csv")


def test_a_table_of_others_by_keyboard(browser: Browser, adult_csv: Path, tmp_path: Path) -> None:
    """Others of UCI Adult, with a column that gets a role and a model of its own."""
    header, *records = adult_csv.read_bytes().splitlines(keepends=True)
    (tmp_path / "adult.csv").write_bytes(b"".join([header, *records[-2_000:]]))
    with desk_at(browser, tmp_path, "adult.csv") as visit:
        page = visit.go("")
        for name in [one.get_attribute("data-column") or "" for one in page.locator("tr.undecided").all()]:
            visit.choose(name, "drop")
        visit.choose("salary-class", "sensitive")
        visit.press("Apply roles")
        page.locator("[data-column=salary-class][data-role=sensitive]").wait_for()
        visit.press("Details of salary-class")
        page.get_by_role("heading", name="Limits on what a group reveals").wait_for()
        visit.write("t-closeness t", "0.3")
        page.keyboard.press("Enter")
        page.locator("[data-column=salary-class]").get_by_text("t = 0.3").wait_for()
        visit.press("Preview")
        page.get_by_text("Every equivalence class satisfies 10-anonymity.").wait_for()
        visit.sign()
    released(tmp_path, "adult.job.toml", "adult.release.csv")


def test_a_survey_of_150_columns(browser: Browser, tmp_path: Path) -> None:
    """Its questions are rows of a few blocks, and its draft leads to a release."""
    draw = Random(7)  # noqa: S311  no secret
    names = ["respondent", "age", "gender", "region", *(f"q{nth}" for nth in range(1, 147))]
    rows = [
        [str(nth), str(18 + nth % 70), "fm"[nth % 2], "NSEW"[nth % 4], *(draw.choice("12345") for _ in range(146))]
        for nth in range(1, 401)
    ]
    (tmp_path / "survey.csv").write_text("".join(f"{','.join(one)}\n" for one in [names, *rows]), encoding="utf-8")
    with desk_at(browser, tmp_path, "survey.csv") as visit:
        page = visit.go("")
        assert page.locator("tr[data-column]").count() < 20
        page.get_by_role("link", name="Preview", exact=True).click()
        page.get_by_text("Every equivalence class satisfies 10-anonymity.").wait_for()
        visit.release()
        visit.few_clicks()
        visit.quiet()
    released(tmp_path, "survey.job.toml", "survey.release.csv")


def test_every_page_can_be_read_by_everybody(visit: Visit) -> None:
    """None of axe-core's rules is broken, nothing is wider than the window, narrow or wide, light or dark."""
    visit.go("")
    visit.readable(PAGES, (320, "light"), (1920, "dark"))


def test_plots_follow_the_dark_and_paper_is_light(visit: Visit) -> None:
    """Nothing of a dark page is white; what is printed has the colours of a light one, whatever windows have."""
    visit.go("")
    page = visit.go("frontier?values=2,5,10&method=mondrian&method=optimal")
    page.emulate_media(color_scheme="dark")
    assert brightness(page.screenshot(full_page=True)) < 0.25
    inks: list[str] = []
    for scheme, medium in SCHEMES:
        page.emulate_media(color_scheme=scheme, media=medium)
        inks.append(page.locator(".plot path[class^=mark]").first.evaluate("one => getComputedStyle(one).stroke"))
    light, dark, printed = inks
    assert printed == light != dark


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
    process, address = started(folder, "people.csv")
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
