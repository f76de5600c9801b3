"""Two releases, before and after one person was added: nothing beside them gives that person's value by difference."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.command import kohort

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kohort.report import Json

#: People before the last one was added.
BEFORE: Final = 120

IDENTIFIERS: Final = ("--identifier", "person_id,first_name,last_name")
PLAIN: Final = (*IDENTIFIERS, "--quasi", "gender,age", "--sensitive", "annual_income", "--rest", "drop", "--k", 5)

#: How the income of two releases is changed.
WAYS: Final = {
    "rounding": "annual_income=rounding:step=500",
    "coding": "annual_income=coding:top=60000",
    "noise": "annual_income=noise:decimals=0",
    "microaggregation": "annual_income=microaggregation:k=5",
    "swapping": "annual_income=rank-swapping",
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a register, `before.csv`, and the same with one person more, `after.csv`."""
    folder = tmp_path_factory.mktemp("neighbours")
    assert kohort("generate", "italy", "--out", folder, "--records", BEFORE + 1, "--seed", 3, "--quiet").status == 0
    lines = (folder / "people.csv").read_text("utf-8").splitlines(keepends=True)
    (folder / "before.csv").write_text("".join(lines[:-1]), encoding="utf-8")
    (folder / "after.csv").write_text("".join(lines), encoding="utf-8")
    return folder


def income(tables: Path) -> int:
    """What nobody may find out: the income of the last person."""
    with (tables / "after.csv").open(encoding="utf-8") as file:
        return int([*csv.DictReader(file)][-1]["annual_income"])


def numbers_in(part: Json, place: str = "") -> Iterator[tuple[str, float]]:
    """Every number of a document, by its place; digits of digests are none."""
    if isinstance(part, dict):
        for key, value in part.items():
            yield from numbers_in(value, f"{place}.{key}")
    elif isinstance(part, list):
        for at, value in enumerate(part):
            yield from numbers_in(value, f"{place}.{at}")
    elif isinstance(part, int | float) and not isinstance(part, bool):
        yield place, part


def differences(before: Json, after: Json) -> Iterator[tuple[str, float]]:
    """What the difference of two figures, of means or of sums, gives: the figure of the person who was added."""
    known = dict(numbers_in(before))
    for place, figure in numbers_in(after):
        if place in known:
            yield place, figure - known[place]
            yield place, figure * (BEFORE + 1) - known[place] * BEFORE


def refuse_income(tables: Path, before: Json, after: Json) -> None:
    """Fail where a difference is the income that nobody may find out."""
    found = [place for place, figure in differences(before, after) if abs(figure - income(tables)) < 1]
    assert found == []


def run(tables: Path, name: str, *flags: object) -> dict[str, Any]:
    """What lies beside the release of a table: its certificate, its public page, and what catalogues are told."""
    release, page = tables / f"{name}-release.csv", tables / f"{name}-page.json"
    shown = ("--report", page, "--audience", "public", "--overwrite", "--quiet")
    ran = kohort("anonymize", tables / f"{name}.csv", "--out", release, *flags, *shown)
    assert ran.status == 0, ran.err
    certificate = tables / f"{name}-release.csv.kohort.json"
    metadata = json.loads(kohort("metadata", certificate, "--format", "dcat").out)
    return {"certificate": json.loads(certificate.read_text()), "page": json.loads(page.read_text()), "dcat": metadata}


@pytest.mark.parametrize("way", WAYS)
def test_the_income_of_one_person_more_is_no_difference(way: str, tables: Path) -> None:
    """Whatever perturbs it: of noise that keeps the sum only the released cells themselves do."""
    model = ("--t", "annual_income=0.3") if way == "rounding" else ("--no-model", "annual_income")
    flags = (*PLAIN, *model, "--allow-singling", "annual_income", "--perturb", WAYS[way])
    before, after = run(tables, "before", *flags), run(tables, "after", *flags)
    for found in (before, after):
        told = found["certificate"]["perturbed"]["annual_income"]
        assert told.keys() == {"method", "records", "decimals", "bounds", "reproducible"}
    refuse_income(tables, before, after)


def test_neither_does_the_draft_of_a_job_give_it(tables: Path) -> None:
    """Run as `kohort init` writes it, before and after the person was added."""
    job = tables / "job.toml"
    assert kohort("init", tables / "before.csv", "--out", job, "--k", 5, "--quiet", "--overwrite").status == 0
    found: list[Json] = []
    for name in ("before", "after"):
        text = job.read_text("utf-8").replace("before.csv", f"{name}.csv").replace("before.release", f"{name}.release")
        (tables / f"{name}.toml").write_text(text, encoding="utf-8")
        ran = kohort("run", tables / f"{name}.toml", "--overwrite", "--json")
        assert ran.status == 0, ran.err
        found.append(json.loads(next(tables.glob(f"{name}.release.csv.kohort.json")).read_text("utf-8")))
    before, after = found
    refuse_income(tables, before, after)


@pytest.mark.parametrize("audience", [(), ("--audience", "public")])
def test_files_of_sweeps_are_rounded(audience: tuple[str, ...], tables: Path) -> None:
    """Two digits, and no more exact than several people are worth: in the table, in figures and in the picture."""
    out, picture = tables / "sweep.json", tables / "sweep.svg"
    flags = ("--quasi", "gender,age", "--rest", "drop", "--vary", "k=5,10", "--overwrite", "--json")
    ran = kohort("sweep", tables / "after.csv", *flags, "--out", out, "--picture", picture, *audience)
    assert ran.status == 0, ran.err
    told = json.loads(out.read_text("utf-8"))
    assert (told["audience"], ran.figures["audience"]) == ("public", "internal")
    for coarse, exact in zip(told["points"], ran.figures["points"], strict=True):
        least = int(coarse["values"]["k"])
        assert coarse["metrics"]["ncp"] != exact["metrics"]["ncp"]
        assert abs(coarse["metrics"]["ncp"] - exact["metrics"]["ncp"]) <= 2.5 * least / (BEFORE + 1)
        assert all(float(f"{loss:.2g}") == loss for loss in coarse["losses"].values())
        assert coarse["smallest"] <= exact["smallest"]
        assert coarse["average_risk"] >= exact["average_risk"]
    ran = kohort("sweep", tables / "after.csv", *flags, "--out", out, "--audience", "internal")
    told = json.loads(out.read_text("utf-8"))
    assert (told["audience"], told["points"]) == ("internal", ran.figures["points"])


def test_a_sweep_says_why_only_on_the_terminal(tables: Path) -> None:
    """A reason counts records; what could not be at all depends on none."""
    out = tables / "sweep.csv"
    flags = ("--quasi", "gender,age", "--rest", "drop", "--vary", f"k=5,{BEFORE + 2}", "--overwrite", "--out", out)
    ran = kohort("sweep", tables / "after.csv", *flags)
    assert str(BEFORE + 1) in ran.out
    *_, last = csv.DictReader(out.read_text("utf-8").splitlines())
    assert (last["ending"], last["why"]) == ("infeasible", "the reason is shown only on the terminal")


def test_files_of_sweeps_over_transactions_are_rounded(tables: Path) -> None:
    """Neither moles nor dropped items are counted in them; of generated matrices, which are nobody's, all are."""
    (tables / "baskets.txt").write_text("milk bread pill\nmilk bread\neggs milk\n" * 9, encoding="utf-8")
    out = tables / "moles.json"
    flags = ("--private", "pill", "--h", "0.8", "--p", 2, "--vary", "k=3,12", "--overwrite", "--json", "--out", out)
    ran = kohort("sweep", tables / "baskets.txt", "--transactions", *flags, "--picture", tables / "moles.svg")
    assert ran.status == 0, ran.err
    told = json.loads(out.read_text("utf-8"))
    assert (told["audience"], told["items"], told["removed"]) == ("public", None, None)
    for coarse, exact in zip(told["rows"], ran.figures["rows"], strict=True):
        assert (coarse["dropped"], coarse["minimal_moles"]) == (None, None)
        assert coarse["distortion"] is None or abs(coarse["distortion"] - exact["distortion"]) < 0.3
    generated = ("--rows", 50, "--columns", 6, "--delta", 0.5, "--h", 0.8, "--p", 2, "--vary", "k=3,5")
    ran = kohort("sweep", "--transactions", *generated, "--overwrite", "--json", "--out", out)
    assert json.loads(out.read_text("utf-8"))["rows"] == ran.figures["rows"]


def test_an_audience_needs_a_file(tables: Path) -> None:
    """What is printed is for the steward."""
    flags = ("--quasi", "gender,age", "--rest", "drop", "--vary", "k=5")
    for more in (("--audience", "public"), ("--audience", "all", "--out", tables / "x.csv")):
        ran = kohort("sweep", tables / "after.csv", *flags, *more)
        assert (ran.status, "where: --audience" in ran.err) == (2, True)


def test_whoever_names_an_earlier_release_is_told_what_remains(tables: Path) -> None:
    """The difference of released cells is nobody's to hide."""
    flags = (*PLAIN, "--no-model", "annual_income", "--perturb", WAYS["rounding"])
    for name in ("before", "after"):
        run(tables, name, *flags)
    known = ("--quasi", "gender,age", "--sensitive", "annual_income", "--original", tables / "after.csv")
    risk = ("risk", tables / "after-release.csv", *known, "--attack", "intersection")
    ran = kohort(*risk, "--other-release", tables / "before-release.csv")
    assert "The difference of two releases shows" in ran.out
    assert "The difference of two releases" not in kohort(*risk).out
