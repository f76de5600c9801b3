"""docs/papers.md is what `python -m docs.papers` writes: its figures, sentences and pictures are computed again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from docs.papers import __main__ as command
from docs.papers import examples, samarati
from docs.papers.workbench import Work, Workbench, table
from docs.papers.works import DOCS, PAGE, WORKS, page, sections_of, written

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.title)
def test_a_section_is_what_its_commands_give(work: Work, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Every table, figure, sentence and picture of a section comes out again."""
    data: Path = request.getfixturevalue("adult_csv").parent if work.needs_data else tmp_path
    if work.slow and os.environ.get("HYPOTHESIS_PROFILE") != "thorough":
        pytest.skip("half a minute of CPU: HYPOTHESIS_PROFILE=thorough computes it again")
    assert written(work, Workbench(tmp_path, data)) == sections_of(TEXT)[work.title]
    for picture in work.pictures:
        assert (tmp_path / picture).read_bytes() == (DOCS / "images" / picture).read_bytes(), picture


def test_the_page_has_nothing_but_its_sections() -> None:
    """It is the head and the sections of the works, in their order, and shows all of their pictures and no other."""
    assert page(sections_of(TEXT)) == TEXT
    pictures = {picture for work in WORKS for picture in work.pictures}
    assert {path.name for path in (DOCS / "images").glob("paper-*")} == pictures
    assert all(f"](images/{name})" in TEXT for name in pictures)


def test_each_section_says_what_could_not_be_had() -> None:
    """None passes over what our sources lack."""
    assert all(text.count("**Could not be had.**") == 1 for text in sections_of(TEXT).values())


def test_what_needs_data_is_kept_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without KOHORT_DATA the command renews the other sections only, and says so."""
    monkeypatch.delenv("KOHORT_DATA", raising=False)
    monkeypatch.setattr(command, "WORKS", (samarati.WORK, examples.WORK))
    monkeypatch.setattr(command, "PAGE", tmp_path / "papers.md")
    (tmp_path / "papers.md").write_text(TEXT.replace("| 8/20 |", "| 9/20 |"), encoding="utf-8")
    command.main()
    assert (tmp_path / "papers.md").read_text(encoding="utf-8") == TEXT
    kept, wrote = capsys.readouterr().out.splitlines()
    assert kept.startswith(f"kept: {samarati.WORK.title}")
    assert wrote == f"wrote: {examples.WORK.title}"


def test_a_command_that_fails_stops_the_page(tmp_path: Path) -> None:
    """No section is written of what a command did not give, nor of data that are not there."""
    with pytest.raises(RuntimeError, match="no such file"):
        Workbench(tmp_path).type(["kohort check nothing.csv --quasi age"])
    with pytest.raises(RuntimeError, match="KOHORT_DATA"):
        Workbench(tmp_path).fetch("adult.csv")


def test_figures_are_aligned_to_the_right() -> None:
    """A column of figures and dashes is; one with words is not."""
    assert table(["a", "b", "c"], [["x", 1, "-"], ["2", "-3.5", "+4 %"]]).splitlines()[1] == "| --- | ---: | ---: |"
