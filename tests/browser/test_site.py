"""The documentation in a browser of 1280 pixels."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.docs.test_width import SITE

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("width", [1280, 1920])
def test_no_block_of_code_is_cut(browser: Browser, width: int, tmp_path: Path) -> None:
    """A line of the width that pages may use is one line, a longer one goes on in the next, and neither is cut."""
    pytest.importorskip("furo", reason="the theme furo is not installed")
    (tmp_path / "_static").mkdir()
    (tmp_path / "_static" / "site.css").write_bytes((DOCS / "_static" / "site.css").read_bytes())
    settings = 'extensions = ["myst_parser"]\nhtml_theme = "furo"\n'
    settings += 'html_static_path = ["_static"]\nhtml_css_files = ["site.css"]\n'
    (tmp_path / "conf.py").write_text(settings, encoding="utf-8")
    sizes = (1, SITE, 3 * SITE)
    shown = "".join(f"```console\n{'x' * size}\n```\n\n" for size in sizes)
    (tmp_path / "index.md").write_text(f"# A page\n\n## A part\n\n{shown}\n## Another\n", encoding="utf-8")
    subprocess.run([sys.executable, "-m", "sphinx", "-q", str(tmp_path), str(tmp_path / "out")], check=True)
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto((tmp_path / "out" / "index.html").as_uri())
    measured = page.evaluate(
        "[...document.querySelectorAll('pre')].map(e => [e.scrollWidth, e.clientWidth, e.scrollHeight])"
    )
    page.close()
    assert all(inside <= outside for inside, outside, _ in measured)
    one, whole, long = (height for *_, height in measured)
    assert whole == one < long


def test_the_site_has_the_style() -> None:
    """The style that is measured here is the site's own."""
    assert 'html_css_files = ["site.css"]' in (DOCS / "conf.py").read_text(encoding="utf-8")
