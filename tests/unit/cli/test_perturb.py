"""`kohort perturb`: what it writes, says and refuses."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING
from unittest.mock import patch

import polars as pl
import pytest

from kohort.perturbation.rounding import Rounding
from kohort.samples.italy import italy
from kohort.tables import perturbing
from tests.command import kohort

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kohort.perturbation.base import Perturbation
    from kohort.perturbation.effect import Effect
    from kohort.tables.table import Table

PEOPLE = italy(300, seed=3)
NOISE = "annual_income=noise:scale=0.1,decimals=0,lower=0"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A register."""
    PEOPLE.write_csv(tmp_path / "people.csv")
    return tmp_path / "people.csv"


def test_a_table_is_perturbed(people: Path) -> None:
    """Named columns change, all others and the order of records do not; what it is not is said."""
    out = people.with_name("noisy.csv")
    ran = kohort("perturb", people, "--out", out, "--perturb", NOISE, "--perturb", "profession=post-randomization")
    assert (ran.status, ran.err) == (0, "")
    assert "annual_income: noise of 0.1 variances" in ran.out
    assert "This is not anonymity: all other columns are unchanged." in ran.out
    made = pl.read_csv(out)
    kept = ["annual_income", "profession"]
    assert made.drop(kept).equals(PEOPLE.drop(kept))
    assert int((made["annual_income"] != PEOPLE["annual_income"]).sum()) > 270
    assert made["annual_income"].mean() == pytest.approx(PEOPLE["annual_income"].mean(), rel=1e-9)
    assert sorted(path.name for path in people.parent.iterdir()) == ["noisy.csv", "people.csv"]


def test_figures(people: Path) -> None:
    """`--json` prints the effects, the warning and the digest of what was published; `--quiet` nothing."""
    out = people.with_name("noisy.parquet")
    figures = kohort("perturb", people, "--out", out, "--perturb", NOISE, "--json").figures
    (effect,) = figures["perturbed"]
    assert effect["mean"]["drift"] < 1e-3
    assert effect["variance"]["drift"] < 1e-3
    assert effect["linked"] < 0.2
    assert figures["warning"].startswith("this is not anonymity")
    assert (figures["records"], figures["verified"], figures["release"]) == (300, True, str(out))
    assert len(figures["sha256"]) == 64
    assert kohort("perturb", people, "--out", out, "--perturb", NOISE, "--quiet", "--overwrite").out == ""


def test_a_dry_run_writes_nothing(people: Path) -> None:
    """The effects are measured, and no file is written."""
    ran = kohort("perturb", people, "--out", people.with_name("x.csv"), "--perturb", NOISE, "--dry-run")
    assert ran.status == 0
    assert "Nothing was written" in ran.out
    assert [path.name for path in people.parent.iterdir()] == ["people.csv"]
    flags = ("--out", people.with_name("x.csv"), "--perturb", NOISE, "--dry-run", "--json")
    assert kohort("perturb", people, *flags).figures["release"] is None


def test_a_seed_is_said_to_be_insecure(people: Path) -> None:
    """A seed is refused without the flag that says what it means; with it bytes are the same, and never say it."""
    seeded = ("perturb", people, "--perturb", NOISE, "--seed", "712345")
    outs = [people.with_name(f"{name}.csv") for name in "ab"]
    refused = kohort(*seeded, "--out", outs[0])
    assert refused.status == 2
    assert "not private" in refused.err
    assert not outs[0].exists()
    ran = [kohort(*seeded, "--insecure-reproducible", "--out", out) for out in outs]
    assert [one.status for one in ran] == [0, 0]
    assert all("reproducible noise: not private" in one.out for one in ran)
    assert not any("712345" in one.out for one in ran)
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_standard_input(people: Path) -> None:
    """The table may be piped in; missing tokens are the user's."""
    out = people.with_name("out.csv")
    flags = ("--out", out, "--perturb", "x=rounding:step=10", "--missing-token", "?")
    ran = kohort("perturb", "-", *flags, stdin=b"x;y\n14;=1\n?;b\n")
    assert ran.status == 0, ran.err
    assert out.read_text() == "x,y\n10,=1\n?,b\n"
    assert kohort("perturb", "-", *flags, "--excel-safe", "--overwrite", stdin=b"x;y\n14;=1\n?;b\n").status == 0
    assert out.read_text() == "x,y\n10,'=1\n?,b\n"


@pytest.mark.parametrize(
    ("flags", "status", "what"),
    [
        ((), 2, "no column to perturb is named"),
        (("--perturb", "annual_income"), 2, "the method is missing"),
        (("--perturb", "annual_income=nosie"), 2, "did you mean noise"),
        (("--perturb", "anual_income=noise"), 2, "did you mean annual_income"),
        (("--perturb", "age=noise", "--perturb", "age=noise"), 2, "perturbed twice"),
        (("--perturb", "age=noise:scale=0.00001"), 2, "half a step"),
        (("--perturb", "age=noise:scale=-1"), 2, "above 0"),
        (("--perturb", "age=noise", "--seed", "7"), 2, "not private"),
        (("--perturb", "age=noise", "--seed", "-7", "--insecure-reproducible"), 2, "--seed"),
        (("--perturb", "age=noise", "--insecure-reproducible"), 2, "no seed is given"),
        (("--perturb", "age=rounding:step=5", "--seed", "7", "--insecure-reproducible"), 2, "seed has no effect"),
        (("--perturb", "city=noise"), 3, "300 cells are not decimals"),
        (("--perturb", "age=noise:lower=50"), 3, "lie outside the declared bounds"),
        (("--perturb", "age=noise", "--out", "people.csv", "--overwrite"), 7, "input"),
        (("--perturb", "age=noise", "--out", "there.csv"), 7, "exists"),
        (("--perturb", "age=noise", "--out", "nowhere/x.csv"), 6, "nowhere"),
        (("--perturb", "age=noise", "--out", "x.pdf"), 2, "unknown file type"),
        (("--perturb", "age=noise", "--out", "x.parquet", "--excel-safe"), 2, "excel_safe"),
    ],
)
def test_what_is_refused(
    people: Path, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...], status: int, what: str
) -> None:
    """Each fault has its status, is told without any cell, and leaves the files as they were."""
    monkeypatch.chdir(people.parent)
    people.with_name("there.csv").write_text("a\n")
    before = {path: path.read_bytes() for path in people.parent.iterdir()}
    out = () if "--out" in flags else ("--out", "out.csv")
    ran = kohort("perturb", "people.csv", *out, *flags)
    assert (ran.status, ran.out) == (status, "")
    assert what in ran.err
    assert not any(city in ran.err for city in PEOPLE["city"].unique())
    assert {path: path.read_bytes() for path in people.parent.iterdir()} == before


def test_faults_come_together(people: Path) -> None:
    """Several misspelt perturbations are told at once."""
    flags = ("--perturb", "age=nosie", "--perturb", "city=zzz")
    ran = kohort("perturb", people, "--out", people.with_name("x.csv"), *flags)
    assert ran.status == 2
    assert "2 faults" in ran.err
    assert ran.err.count("unknown method") == 2


def test_a_fault_of_ours_is_found_in_the_bytes(people: Path) -> None:
    """Were another column changed on the way, verification would see it, and nothing would be published."""
    true = perturbing.perturb

    def false(
        table: Table, asked: Sequence[Perturbation], *, missing: frozenset[str], seed: int | None
    ) -> tuple[Table, tuple[Effect, ...]]:
        made, effects = true(table, asked, missing=missing, seed=seed)
        return true(made, [Rounding("age", Fraction(50))], missing=missing, seed=None)[0], effects

    with patch.object(perturbing, "perturb", false):
        ran = kohort("perturb", people, "--out", people.with_name("x.csv"), "--perturb", NOISE)
    assert ran.status == 5
    assert "column age" in ran.err
    assert [path.name for path in people.parent.iterdir()] == ["people.csv"]


def test_numbers_far_from_zero(tmp_path: Path) -> None:
    """Milliseconds since long ago, a few apart, are perturbed and verified as all else is."""
    moments = [place * place % 97 for place in range(500)]
    pl.DataFrame({"at": [10**15 + one for one in moments]}).write_csv(tmp_path / "in.csv")
    ran = kohort("perturb", tmp_path / "in.csv", "--out", tmp_path / "out.csv", "--perturb", "at=noise", "--json")
    assert ran.status == 0, ran.err
    assert ran.figures["perturbed"][0]["variance"]["drift"] < 1e-12
    made = pl.read_csv(tmp_path / "out.csv")["at"] - 10**15
    assert made.var() == pytest.approx(pl.Series(moments).var(), rel=1e-12)


@pytest.mark.parametrize("ending", ["csv", "tsv.gz", "parquet", "arrow"])
def test_every_format_is_verified(people: Path, ending: str) -> None:
    """Typed columns keep their types, text its text; what is written is verified in every format."""
    typed = people.with_name("people.parquet")
    PEOPLE.with_columns(share=pl.col("annual_income") / 3e9).write_parquet(typed)
    out = people.with_name(f"out.{ending}")
    asked = ("annual_income=noise", "share=noise:scale=1", "age=microaggregation", "city=post-randomization")
    flags = [word for one in asked for word in ("--perturb", one)]
    ran = kohort("perturb", typed, "--out", out, *flags, "--json")
    assert ran.status == 0, ran.err
    assert json.loads(ran.out)["verified"]
    if ending == "parquet":
        made = pl.read_parquet(out)
        assert made.schema == pl.read_parquet(typed).schema
