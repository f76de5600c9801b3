"""The documentation in a browser of 1280 pixels."""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest
from PIL import Image, ImageStat

from tests.docs.test_width import SITE

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs"

#: A light and a dark window, and paper of somebody whose windows are dark.
SCHEMES: tuple[tuple[Literal["light", "dark"], Literal["screen", "print"]], ...] = (
    ("light", "screen"),
    ("dark", "screen"),
    ("dark", "print"),
)


def brightness(picture: bytes) -> float:
    """The mean brightness of a picture, of 0 to 1."""
    with Image.open(BytesIO(picture)) as opened:
        return float(ImageStat.Stat(opened.convert("L")).mean[0] / 255)


def built(folder: Path, text: str) -> str:
    """The address of a page of this text, in the style of the site."""
    pytest.importorskip("furo", reason="the theme furo is not installed")
    (folder / "_static").mkdir()
    (folder / "_static" / "site.css").write_bytes((DOCS / "_static" / "site.css").read_bytes())
    settings = 'extensions = ["myst_parser"]\nhtml_theme = "furo"\n'
    settings += 'html_static_path = ["_static"]\nhtml_css_files = ["site.css"]\n'
    (folder / "conf.py").write_text(settings, encoding="utf-8")
    (folder / "index.md").write_text(text, encoding="utf-8")
    subprocess.run([sys.executable, "-m", "sphinx", "-q", str(folder), str(folder / "out")], check=True)
    return (folder / "out" / "index.html").as_uri()


@pytest.mark.parametrize("width", [1280, 1920])
def test_no_block_of_code_is_cut(browser: Browser, width: int, tmp_path: Path) -> None:
    """A line of the width that pages may use is one line, a longer one goes on in the next, and neither is cut."""
    sizes = (1, SITE, 3 * SITE)
    shown = "".join(f"```console\n{'x' * size}\n```\n\n" for size in sizes)
    address = built(tmp_path, f"# A page\n\n## A part\n\n{shown}\n## Another\n")
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto(address)
    measured = page.evaluate(
        "[...document.querySelectorAll('pre')].map(e => [e.scrollWidth, e.clientWidth, e.scrollHeight])"
    )
    page.close()
    assert all(inside <= outside for inside, outside, _ in measured)
    one, whole, long = (height for *_, height in measured)
    assert whole == one < long


def test_drawings_follow_the_dark(browser: Browser, tmp_path: Path) -> None:
    """A drawing of dark ink on white is light on dark where the page is dark, and as it was on paper."""
    (tmp_path / "lattice.svg").write_bytes((DOCS / "images" / "lattice.svg").read_bytes())
    page = browser.new_page()
    page.goto(built(tmp_path, "# A page\n\n![A lattice](lattice.svg)\n"))
    seen: list[float] = []
    for scheme, medium in SCHEMES:
        page.emulate_media(color_scheme=scheme, media=medium)
        seen.append(brightness(page.locator("img").screenshot()))
    page.close()
    light, dark, printed = seen
    assert dark < 0.25
    assert min(light, printed) > 0.75


def test_the_site_has_the_style() -> None:
    """The style that is measured here is the site's own."""
    assert 'html_css_files = ["site.css"]' in (DOCS / "conf.py").read_text(encoding="utf-8")
