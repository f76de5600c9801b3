"""Five people's errands, done with nothing but a page of the documentation; what comes out is what they came for."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tests.docs.pages import ROOT, Session

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow


def done(page: str, folder: Path) -> Path:
    """The folder in which a person has done all that a how-to page says, and has seen what it shows."""
    session = Session(folder)
    session.follow(ROOT / "docs" / "how-to" / f"{page}.md")
    assert not session.faults, "\n\n".join(session.faults)
    return folder


def fewest(release: pl.DataFrame, quasi: list[str]) -> int:
    """The records of the smallest class."""
    return int(release.group_by(quasi).len()["len"].min() or 0)  # type: ignore[arg-type]  # polars says any literal


def surnames(folder: Path) -> set[str]:
    """Values that no file for others may hold."""
    return {*pl.read_csv(folder / "people.csv")["last_name"]}


def test_protect_an_excel_file(tmp_path: Path) -> None:
    """A colleague opens the new workbook: nobody's name is in it, and ten people share each combination."""
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    pytest.importorskip("fastexcel", reason="fastexcel is not installed")
    pytest.importorskip("xlsxwriter", reason="XlsxWriter is not installed")
    folder = done("protect-an-excel-file", tmp_path)
    book = openpyxl.load_workbook(folder / "people.release.xlsx")
    (head, *rows) = [list(row) for row in book.worksheets[0].iter_rows(values_only=True)]
    assert len(book.worksheets) == 1
    assert head == ["gender", "city", "age", "education", "profession", "annual_income"]
    assert len(rows) == 2_000
    assert fewest(pl.DataFrame([row[:5] for row in rows], head[:5], orient="row"), head[:5]) >= 10
    assert not {str(cell) for row in rows for cell in row} & surnames(folder)
    assert openpyxl.load_workbook(folder / "people.xlsx")["staff"].max_row == 2_001  # the original is as it was


def test_choose_k_for_a_committee(tmp_path: Path) -> None:
    """The committee has a picture, a table in which risk falls and loss rises, a page without values, and a release."""
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    folder = done("choose-k", tmp_path)
    points = pl.read_csv(folder / "k.csv").sort("k")
    assert points["k"].to_list() == [2, 3, 5, 7, 10, 15, 20, 50, 100]
    assert points["lm"].is_sorted()
    assert points["highest_risk"].is_sorted(descending=True)
    assert (folder / "k.svg").read_text("utf-8").count("<svg") == 1
    assert fewest(pl.read_csv(folder / "release.csv"), ["gender", "age", "education", "city"]) >= 10
    page = (folder / "page.html").read_text("utf-8")
    assert not {name for name in surnames(folder) if re.search(rf"\b{name}\b", page)}


def test_check_somebody_elses_file(tmp_path: Path) -> None:
    """The figures that the recipient reads off are those of the file, counted again."""
    folder = done("check-a-file", tmp_path)
    received = pl.read_csv(folder / "received.csv")
    found = json.loads((folder / "found.json").read_text("utf-8"))["achieved"]
    quasi = ["gender", "age", "education"]
    assert found["k"]["value"] == fewest(received, quasi)
    values = received.group_by(quasi).agg(pl.col("profession").n_unique())["profession"]
    assert found["columns"]["profession"]["l"]["value"] == values.min()


def test_release_in_a_pipeline(tmp_path: Path) -> None:
    """What the schedule leaves behind is the last release that succeeded, and a log without values."""
    folder = done("use-in-a-pipeline", tmp_path)
    release = pl.read_csv(folder / "release.csv")
    assert fewest(release, ["gender", "age", "education", "city"]) >= 10
    certificate = json.loads((folder / "release.csv.kohort.json").read_text("utf-8"))
    assert certificate["size"] == (folder / "release.csv").stat().st_size
    log = (folder / "kohort.log").read_text("utf-8")
    assert "3000" in log  # the job that asked too much
    assert not {name for name in surnames(folder) if name in log}


def test_work_in_a_notebook(tmp_path: Path) -> None:
    """The notebook ends with a release on disk, its certificate, a page for the public, and a job to run again."""
    pytest.importorskip("jinja2", reason="Jinja is not installed")
    folder = done("use-in-a-notebook", tmp_path)
    release = pl.read_csv(folder / "release.csv")
    assert fewest(release, ["gender", "city", "age", "education"]) >= 10
    assert (folder / "release.csv.kohort.json").is_file()
    assert "<html" in (folder / "page.html").read_text("utf-8")
    assert 'path = "people.csv"' in (folder / "job.toml").read_text("utf-8")
