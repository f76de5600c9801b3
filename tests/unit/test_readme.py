"""The README says only what works."""

from __future__ import annotations

import re
from pathlib import Path
from typing import cast

import pytest
import typer.main

import kohort
from kohort.cli import app

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_python_blocks_run() -> None:
    """Every block of Python in the README runs as it stands and gives a release of the right k."""
    blocks = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert blocks
    for block in blocks:
        names: dict[str, object] = {}
        exec(compile(block, "README.md", "exec"), names)  # noqa: S102  our own README
        release = names["release"]
        assert isinstance(release, kohort.Release)
        assert release.verdict is not None
        assert release.verdict.smallest >= 10
        coherent = kohort.anonymize_transactions(names["baskets"], cast("kohort.TransactionJob", names["job"]))
        assert f"# the tea went: {coherent.distortion!r}" in block
        assert coherent.named(coherent.dropped) == ["tea"]


def test_commands_exist() -> None:
    """Every `kohort` command and flag in the README is one that the command line has."""
    commands = getattr(typer.main.get_command(app), "commands", {})
    lines = TEXT.replace("\\\n", " ").splitlines()
    shown = [line.removeprefix("$ ").partition("#")[0].split() for line in lines if line.startswith("$ kohort ")]
    assert len(shown) >= 4
    for _, command, *rest in shown:
        flags = {flag for parameter in commands[command].params for flag in parameter.opts}
        assert {word for word in rest if word.startswith("--")} <= flags


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)#]+)\)", TEXT))))
def test_links_lead_somewhere(target: str) -> None:
    """Every file that the README points to is there."""
    assert (ROOT / target).is_file()
