"""docs/how-to/read-the-report.md: it goes through the page as the page is."""

from __future__ import annotations

import re
from importlib.resources import files

from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "how-to" / "read-the-report.md"


def test_the_sections_are_those_of_the_page() -> None:
    """The numbered list has the headings of a table's page, in their order."""
    templates = files("kohort.report.render.page") / "templates"
    shown = [templates / f"{name}.html.jinja" for name in ("table", "altered", "parts", "attacks")]
    headings = [re.findall(r'heading\("\w+", "(.+?)"\)', one.read_text(encoding="utf-8")) for one in shown]
    told = re.findall(r"^\d+\. \*\*(.+?)\.\*\*", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    apart = [one.partition('"')[0] for one in (*headings[1], *headings[3])]  # of templates that not every page has
    assert [title for title in told if title not in apart] == [*headings[0], *headings[2]]
    assert {*apart} <= {*told}
