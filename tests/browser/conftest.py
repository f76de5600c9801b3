"""A browser that needs no network, and the pages that it opens."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from kohort.engines import pipeline
from kohort.job.document import document_at
from kohort.job.request import of
from kohort.report.page import Audience, page
from kohort.report.render.page import html
from kohort.samples.demo import JOB
from kohort.samples.italy import write_italy
from tests.unit.report.render.page.page_models import MODELS, Model, page_of, table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

#: Off the record of the machine: no sandbox in a container, and nothing that Chromium does for itself.
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

#: People of the demo's register: fewer than by default, for the same page.
PEOPLE = 2_000

#: What a name may be: without a place to break it, in another script, right to left, too long for any line.
NAMES = ("W" * 90, "漢字の長い名前の値の長い名前の値", "שם ארוך מאוד", "a_long_name_of_a_column_" * 4, "Ünï çödé & <b>")


def chromium() -> str | None:
    """Where Chromium is, if it is anywhere."""
    named = os.environ.get("KOHORT_CHROMIUM")
    return named or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of a file. Its event loop ends with it: other tests of the worker run their own."""
    path = chromium()
    if path is None:
        pytest.skip("no Chromium: install one, or let KOHORT_CHROMIUM name it")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Model]:
    """The page models that pages are made of: the demo's for both audiences, and those that show every section."""
    demo = _demo(tmp_path_factory.mktemp("demo"))
    return {
        "demo": demo,
        "public demo": demo["public"],
        "wide": _wide(),
        **{name: make() for name, make in MODELS.items()},
    }


def _demo(folder: Path) -> Model:
    """The page model of the demo's release."""
    write_italy(folder, PEOPLE, seed=7)
    job = folder / "job.toml"
    job.write_text(JOB.format(k=10, step=1000), encoding="utf-8")
    asked = of(document_at(job))
    release = pipeline.anonymize(asked.source, asked.job, target=asked.target, inputs=asked.inputs)
    return page(release, audience=Audience.INTERNAL).as_json()


def _wide() -> Model:
    """The page model of a table of 25 columns whose names and values are long."""
    model = table()
    one, losses = model["attributes"][1], model["losses"][0]
    names = [f"{name} {nth}" for nth in range(5) for name in NAMES]
    bins = [{"label": name, "kind": "value", "before": 10**nth, "after": 0.5} for nth, name in enumerate(NAMES, 1)]
    model["attributes"] = [one | {"name": name, "distribution": {"unit": "records", "bins": bins}} for name in names]
    model["losses"] = [losses | {"column": name} for name in names]
    model["asked"]["columns"] = [{"name": name, "role": "quasi", "how": name, "declared": True} for name in names]
    model["name"] = f"{NAMES[0]}.csv"
    return model


@pytest.fixture(scope="session")
def pages(models: dict[str, Model], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Each page as a file."""
    folder = tmp_path_factory.mktemp("pages")
    paths = {name: folder / f"{name}.html" for name in models}
    for name, path in paths.items():
        path.write_text(html(page_of(models[name])), encoding="utf-8")
    return paths
