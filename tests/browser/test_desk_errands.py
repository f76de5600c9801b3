"""Three errands at the desk, done with nothing but the part *With the mouse* of a how-to page.

A person reads the steps and does what they say, so the page must use the desk's own captions:

    **Caption**                      a link or button that is pressed
    **role** in the row *column*     a button in the row of a column; several are listed
    `text` into **Label**            a text that is written into a field
    "Sentence"                       what the desk then shows
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import polars as pl
import pytest

from tests.browser.desks import Visit, desk_at, released
from tests.docs.pages import ROOT, Session
from tests.errands.test_errands import fewest, surnames

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

#: What a step says to do or to look at.
SAID: Final = re.compile(
    r"`(?P<text>[^`]+)` into \*\*(?P<label>[^*]+)\*\*"
    r"|\*\*(?P<caption>[^*]+)\*\*(?: in the rows? (?P<rows>\*\w+\*(?:(?:, | and )\*\w+\*)*))?"
    r'|"(?P<shown>[^"]+)"'
)

#: The form that a button sends, if it sends one.
METHOD: Final = "one => one.form && (one.form.getAttribute('method') || 'get')"


def part(page: str) -> tuple[str, str]:
    """The file that the desk of a how-to page is opened with, and its steps as one line."""
    text = (ROOT / "docs" / "how-to" / f"{page}.md").read_text(encoding="utf-8")
    told = " ".join(text.partition("\n## With the mouse\n")[2].partition("\n## ")[0].split())
    opened = re.search(r"kohort app (\S+)", told)
    assert opened
    return opened[1], told.partition(" 1. ")[2]


def walk(visit: Visit, steps: str) -> None:
    """Do what the steps say, in their order."""
    done = 0
    for said in SAID.finditer(steps):
        if said["text"]:
            visit.page.get_by_role("textbox", name=said["label"]).fill(said["text"])
        elif said["rows"]:
            for column in re.findall(r"\*(\w+)\*", said["rows"]):
                visit.role(column, said["caption"])
        elif said["caption"]:
            press(visit, said["caption"])
        else:
            visit.page.get_by_text(said["shown"]).first.wait_for()
        done += 1
    assert done >= 4, steps
    visit.quiet()


def press(visit: Visit, caption: str) -> None:
    """Press what has this caption, and wait for what the desk answers."""
    page, name = visit.page, re.compile(rf"^\s*{re.escape(caption)}(?!\w)")
    found = page.get_by_role("link", name=name).or_(page.get_by_role("button", name=name)).first
    method = found.evaluate(METHOD)
    if method:
        with page.expect_response(lambda answer: answer.request.method == method.upper()):
            found.click()
    else:
        found.click()
    visit.settle()


def at_the_page(folder: Path, page: str, first: int) -> tuple[str, str]:
    """A folder with what the first blocks of a page make; and the file and the steps of its part."""
    session = Session(folder)
    session.follow(ROOT / "docs" / "how-to" / f"{page}.md", first=first)
    assert not session.faults, session.faults
    return part(page)


def test_protect_an_excel_file(browser: Browser, tmp_path: Path) -> None:
    """The new workbook has the columns that were left, no name, and ten people for each combination."""
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    pytest.importorskip("fastexcel", reason="fastexcel is not installed")
    pytest.importorskip("xlsxwriter", reason="XlsxWriter is not installed")
    file, steps = at_the_page(tmp_path, "protect-an-excel-file", 2)
    with desk_at(browser, tmp_path, file) as visit:
        visit.go("")
        walk(visit, steps)
        visit.few_clicks()
    book = openpyxl.load_workbook(tmp_path / "people.release.xlsx")
    (head, *rows) = [list(row) for row in book.worksheets[0].iter_rows(values_only=True)]
    assert head == ["gender", "city", "age", "education", "annual_income"]
    assert fewest(pl.DataFrame([row[:4] for row in rows], head[:4], orient="row"), head[:4]) >= 10
    assert len(rows) == 2_000
    assert not {str(cell) for row in rows for cell in row} & surnames(tmp_path)
    released(tmp_path, release="people.release.xlsx")


def test_choose_k_for_a_committee(browser: Browser, tmp_path: Path) -> None:
    """The committee saw nine values of k in a plot, its k was released, and its page names no one."""
    file, steps = at_the_page(tmp_path, "choose-k", 1)
    told, _, chosen = steps.partition(" 3. ")
    with desk_at(browser, tmp_path, file) as visit:
        visit.go("")
        walk(visit, told)
        assert visit.page.locator("figure.plot a").count() == 9
        visit.page.get_by_text("knee").first.wait_for()
        walk(visit, chosen)
        visit.few_clicks()
    assert fewest(pl.read_csv(tmp_path / "people.release.csv"), ["gender", "city", "age", "education"]) >= 5
    page = (tmp_path / "people.release.public.html").read_text("utf-8")
    assert "the ethics committee" in page
    assert not {name for name in surnames(tmp_path) if re.search(rf"\b{name}\b", page)}
    released(tmp_path)


def test_check_somebody_elses_file(browser: Browser, tmp_path: Path) -> None:
    """The desk shows the file's k, counted again, and writes nothing."""
    file, steps = at_the_page(tmp_path, "check-a-file", 1)
    before = sorted(tmp_path.iterdir())
    with desk_at(browser, tmp_path, file) as visit:
        visit.go("")
        walk(visit, steps)
        told = visit.page.locator("#unique").inner_text()
    received = pl.read_csv(tmp_path / file)
    assert f"has {fewest(received, ['gender', 'age', 'education'])}." in steps
    assert told.endswith(f"The smallest group has {fewest(received, ['gender', 'education'])}.")
    assert sorted(tmp_path.iterdir()) == before
