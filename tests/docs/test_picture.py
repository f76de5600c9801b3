"""The first picture of the README shows the release that `kohort demo` publishes."""

from __future__ import annotations

import runpy

import pytest

from tests.docs.pages import ROOT

pytestmark = pytest.mark.slow


def test_the_picture_is_the_demos_own() -> None:
    """`docs/picture.py` draws the same again; it stops if the demo publishes something else."""
    drawn = runpy.run_path(str(ROOT / "docs" / "picture.py"))["_before_after"]()
    assert (ROOT / "docs" / "images" / "before-after.svg").read_text("utf-8") == drawn
