"""Pages opened in a real browser: they load nothing, say the page model's figures, and can be read by everybody."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Literal, cast

import pytest

from tests.unit.report.render.page.page_models import Model, at

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from playwright.sync_api import Browser, Page, Route

pytestmark = pytest.mark.slow

NAMES = ("demo", "public demo", "wide", "table", "public table", "trial", "transactions", "public transactions")

#: What has every section, and what has the longest names.
FULL = ("demo", "wide", "table", "transactions")

#: Widths of a telephone, whose letters may be twice as large, and of a screen.
WIDTHS = (320, 1280)


@contextmanager
def opened(
    browser: Browser, path: Path, *, width: int = 1280, scheme: Literal["light", "dark"] = "light"
) -> Generator[Page]:
    """The page in a window of this width, with everything unfolded."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
    page = context.new_page()
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    yield page
    context.close()


@pytest.mark.parametrize("name", NAMES)
def test_the_page_loads_nothing_and_says_nothing(browser: Browser, pages: dict[str, Path], name: str) -> None:
    """No request leaves the file, and the console stays empty: no warning, no error, no blocked style."""
    said: list[str] = []
    asked: list[str] = []

    def refuse(route: Route) -> None:
        asked.append(route.request.url)
        if route.request.url == pages[name].as_uri():
            route.continue_()
        else:
            route.abort()

    page = browser.new_page()
    page.route("**/*", refuse)
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(pages[name].as_uri(), wait_until="networkidle")
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    page.emulate_media(media="print")
    page.close()
    assert asked == [pages[name].as_uri()]
    assert said == []


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_is_that_of_the_page_model(
    browser: Browser, pages: dict[str, Path], models: dict[str, Model], name: str
) -> None:
    """What the browser has at hand for each figure is what the page model has at its place."""
    with opened(browser, pages[name]) as page:
        shown = page.eval_on_selector_all("data", "all => all.map(one => [one.value, one.dataset.figure])")
    assert len(shown) > 20
    for value, place in shown:
        assert json.loads(value) == at(models[name], place), place


@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [(name, 1280, "light") for name in ("demo", "table", "trial", "transactions")]
    + [(name, 1280, "dark") for name in ("public demo", "public transactions", "trial")]
    + [(name, 320, "light") for name in ("public table", "transactions")],
)
def test_the_page_is_accessible(
    browser: Browser, pages: dict[str, Path], name: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    """Not one of axe-core's rules is broken, best practices included."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed")
    with opened(browser, pages[name], width=width, scheme=scheme) as page:
        found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    doubts = [node["html"] for rule in found.response["incomplete"] for node in rule["nodes"]]
    # axe cannot judge a sign drawn by a rule, nor the head of a column, or a link, scrolled halfway out of its frame
    aside = ('<span aria-hidden="true">', '<th scope="col" class="number">', *(['<a href="#'] if width < 1280 else []))
    assert [one for one in doubts if not one.startswith(aside)] == []
    assert len(found.response["passes"]) > 20


def overflow(page: Page) -> list[str]:
    """What is wider than the window, but for what scrolls within its own frame."""
    return cast(
        "list[str]",
        page.evaluate(
            """() => [...document.querySelectorAll('body, body *')]
                .filter(one => !one.closest('.scroll, .unseen, .skip, nav')
                    && one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
                .map(one => one.outerHTML.slice(0, 80))"""
        ),
    )


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", FULL)
def test_nothing_is_wider_than_the_window(browser: Browser, pages: dict[str, Path], name: str, width: int) -> None:
    """A page is never scrolled sideways; what is wide is, within its own frame."""
    with opened(browser, pages[name], width=width) as page:
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width
        assert overflow(page) == []


#: For each row of a chart: how much of its cell each bar takes, and whether the bars lie beside all figures.
BARS: Final = """() => [...document.querySelectorAll('.chart tbody tr:has(.bars)')].map(row => {
    const cell = row.querySelector('.bars').getBoundingClientRect()
    const figures = [...row.querySelectorAll('th, .number')].map(one => one.getBoundingClientRect())
    const bars = [...row.querySelectorAll('.bars span')].map(one => [one, one.getBoundingClientRect()])
    return [
        bars.map(([one, box]) => [parseFloat(one.style.width), 100 * box.width / cell.width, box.height]),
        bars.every(([, box]) => figures.every(one => box.right <= one.left + 1 || box.left >= one.right - 1)),
    ]
})"""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", FULL)
def test_bars_are_seen_beside_their_figures(browser: Browser, pages: dict[str, Path], name: str, width: int) -> None:
    """Each bar is as long as its share of its cell, high enough to be seen, and hides no name and no figure."""
    with opened(browser, pages[name], width=width) as page:
        rows = cast("list[Any]", page.evaluate(BARS))
    assert sum(bool(bars) for bars, _ in rows) >= 3
    for bars, beside in rows:
        assert beside
        assert all(high >= 5 for *_, high in bars)
        for (told, seen, _), (other, likewise, _) in pairwise(sorted(bars)):
            assert seen <= likewise + 1
            assert told <= other


def test_these_tests_see_what_is_wrong(browser: Browser, pages: dict[str, Path], tmp_path: Path) -> None:
    """A page with a picture from elsewhere, pale letters, a wide line and a bar over its figure is found out."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed")
    wrong = (
        '<main id="main"><img src="https://example.org/a.png"><p style="color: #eee">pale</p>'
        '<div style="width: 200em">wide</div>'
        '<table class="chart"><tbody><tr><td class="bars"><span class="is" style="width: 300%"></span></td>'
        '<td class="number">7</td></tr></tbody></table></main>'
    )
    before, _, rest = pages["trial"].read_text("utf-8").partition("<main")
    path = tmp_path / "wrong.html"
    path.write_text(before + wrong + rest.partition("</main>")[2], encoding="utf-8")
    said: list[str] = []
    with opened(browser, path) as page:
        page.on("console", lambda message: said.append(message.text))
        page.reload()
        assert "Content Security Policy" in "".join(said)
        assert overflow(page)
        assert [beside for _, beside in page.evaluate(BARS)] == [False]
        report = axe.Axe().run(page).generate_report()
    assert {"color-contrast", "image-alt"} <= set(re.findall(r"Rule Violated:\s*([\w-]+)", report)), report


def test_a_chart_can_be_read_on_a_telephone(browser: Browser, pages: dict[str, Path]) -> None:
    """At the smallest width the letters of charts are still twelve pixels high, and bars wider than three letters."""
    with opened(browser, pages["demo"], width=320) as page:
        size = page.evaluate("parseFloat(getComputedStyle(document.querySelector('.chart td')).fontSize)")
        cell = page.evaluate("document.querySelector('.chart tbody .bars').getBoundingClientRect().width")
    assert size >= 12
    assert cell >= 3 * size


def test_the_keyboard_reaches_everything(browser: Browser, pages: dict[str, Path]) -> None:
    """The first stop skips to the report; further ones unfold details and scroll tables; each can be seen."""
    page = browser.new_page(viewport={"width": 400, "height": 900})
    page.goto(pages["table"].as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")

    stops: list[str] = []
    for _ in range(300):
        kind, outline, round_ = page.evaluate(
            """() => { const one = document.activeElement
                return [one.className || one.tagName, getComputedStyle(one).outlineStyle, one === document.body] }"""
        )
        if round_:
            break
        assert outline == "solid", kind
        stops.append(kind)
        if kind == "SUMMARY":
            page.keyboard.press("Space")
            assert page.evaluate("document.activeElement.parentElement.open")
        page.keyboard.press("Tab")
    assert stops.count("SUMMARY") == page.locator("summary").count() >= 5
    assert stops.count("scroll") == page.locator(".scroll").count() > 10
    page.close()


@pytest.mark.parametrize("name", ["demo", "transactions"])
def test_the_page_can_be_printed(browser: Browser, pages: dict[str, Path], name: str) -> None:
    """On paper it is light, has no links to click, shows what details hide, and nothing is wider than the sheet."""
    context = browser.new_context(viewport={"width": 680, "height": 900}, color_scheme="dark")
    page = context.new_page()
    page.goto(pages[name].as_uri())
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--ink')") == "#1f2933"
    assert page.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 680
    assert page.locator("#parameters ~ details table").first.is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")
    context.close()


def test_the_page_of_the_register_is_short(browser: Browser, pages: dict[str, Path]) -> None:
    """At most half of the 10,368 pixels that it once took at this width, and seven sheets on paper."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(pages["demo"].as_uri())
    assert page.evaluate("document.scrollingElement.scrollHeight") <= 10_368 / 2
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) <= 7
    page.close()


#: Where the contents and a heading are in the window.
PLACES: Final = """id => {
    const shown = [document.querySelector('nav'), document.getElementById(id)]
    const [nav, heading] = shown.map(one => one.getBoundingClientRect())
    return [nav.top, nav.bottom, nav.right, heading.top, heading.left, innerHeight]
}"""


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("name", ["table", "transactions"])
def test_contents_stay_and_lead_to_every_section(
    browser: Browser, pages: dict[str, Path], name: str, width: int
) -> None:
    """By keyboard: each link shows its section's heading, beside or below the contents, which stay in the window."""
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(pages[name].as_uri())
    links = cast("list[str]", page.eval_on_selector_all("nav a", "all => all.map(one => one.hash.slice(1))"))
    sections = page.eval_on_selector_all("main section h2", "all => all.map(one => one.id)")
    assert links == sections
    page.locator(".skip").focus()
    for id_ in links:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.hash") == f"#{id_}"
        page.keyboard.press("Enter")
        top, bottom, right, heading, left, height = page.evaluate(PLACES, id_)
        assert 0 <= top <= 40 or id_ == links[0]
        assert heading < height
        assert heading >= bottom - 1 or left >= right
        page.locator(f"nav a[href='#{id_}']").focus()
    page.close()
