"""`kohort risk --attack`: what it says, in words and in figures, and what it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.command import Ran, kohort

if TYPE_CHECKING:
    from pathlib import Path

RELEASE = "age,ill\n[21-24],flu\n[21-24],gout\n[31-38],gout\n[31-38],gout\n[31-38],gout\n"
INPUT = "name,age,ill\na,24,gout\nb,38,gout\nc,21,flu\nd,31,gout\ne,38,gout\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A release, its input, a register and another release."""
    (tmp_path / "release.csv").write_text(RELEASE)
    (tmp_path / "input.csv").write_text(INPUT)
    (tmp_path / "register.csv").write_text("name,age\na,24\nb,38\nz,99\n")
    (tmp_path / "other.csv").write_text("age,ill\n[21-31],flu\n[21-31],cold\n38,gout\n38,gout\n")
    return tmp_path


def told(files: Path, *flags: object, status: int = 0) -> Ran:
    """What the command says of the release."""
    ran = kohort("risk", files / "release.csv", "--quasi", "age", "--sensitive", "ill", *flags)
    assert ran.status == status
    return ran


def test_every_attack_in_figures(files: Path) -> None:
    """With all tables every attack is tried, and comes with its interval, its baseline and its controls."""
    tables = ["--original", files / "input.csv", "--register", files / "register.csv", "--register-key", "name"]
    ran = told(files, "--attack", "all", *tables, "--other-release", files / "other.csv", "--json")
    found: dict[str, Any] = {one["attack"]: one for one in ran.figures["attacks"]}
    right = {name: (one["claims"], one["right"]) for name, one in found.items()}
    assert right["homogeneity"] == (3, 3.0)
    assert right["linking"] == (2, round(1 / 2 + 1 / 3, 10))
    assert right["exposure"] == (3, 3.0)
    assert right["downcoding"] == (4, 4.0)
    assert right["intersection"] == (4, 3.0)
    assert right["order"] == (0, 0.0)
    assert found["linking"]["controls"]["positive"] == 1
    assert found["homogeneity"]["interval"][0] < 0.6 < found["homogeneity"]["interval"][1]
    assert found["minimality"]["of"] == "ill"


def test_attacks_in_words(files: Path) -> None:
    """The table has a line for each attack that is asked for, and says why one not tried; no cell is in it."""
    out = told(files, "--attack", "homogeneity,exposure").out
    assert "homogeneity of ill (5 people)    60.0%   14.7% to 94.7%" in out
    assert "exposure not tried: no input given" in out
    assert "linking" not in out
    assert "gout" not in out
    assert "not tried" in told(files, "--attack", "exposure").out
    assert "attack" not in told(files).out.splitlines()


def test_an_attack_without_claims_or_controls(files: Path) -> None:
    """Where nothing is claimed the table says so; the order of classes has no control of its own."""
    (files / "release.csv").write_text("age,ill\n38,gout\n38,flu\n21,gout\n")
    (files / "input.csv").write_text("age,ill\n38,flu\n21,gout\n38,gout\n")
    lines = told(files, "--attack", "order,downcoding", "--original", files / "input.csv").out.splitlines()
    assert next(line for line in lines if line.startswith("downcoding")).split()[-5:] == [
        "0.0%",
        "none",
        "100.0%",
        "0.0%",
        "0.0%",
    ]
    assert next(line for line in lines if line.startswith("order of classes")).endswith("100.0%")


def test_a_hierarchy_serves_attacks_too(files: Path) -> None:
    """Without a population table --hierarchy is refused only where nothing is attacked either."""
    assert "--population" in told(files, "--hierarchy", "age=intervals:5", status=2).err
    told(files, "--attack", "downcoding", "--hierarchy", "age=intervals:5")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--original", "x"], "add --attack all"),
        (["--attack", "linkage"], "no attack called linkage"),
        (["--attack", ""], "no attack is named"),
        (["--attack", "all", "--register-key", "name"], "add --register FILE and --original FILE"),
    ],
)
def test_flags_that_cannot_be_right(files: Path, flags: list[str], words: str) -> None:
    """A flag without effect, and an attack that there is not, are refused before any table is read."""
    assert words in told(files, *flags, status=2).err


def test_a_table_that_is_not_there(files: Path) -> None:
    """A missing file is told with its name, a missing column too."""
    assert "nowhere.csv" in told(files, "--attack", "all", "--original", files / "nowhere.csv", status=3).err
    assert "no column ill" in told(files, "--attack", "all", "--original", files / "register.csv", status=2).err
