"""`kohort sweep`: from flags to a table and a picture."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest

from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path

BASKETS = "a c d f g 1\na b c f 2\nb d f x 2\nb c g y z 3\na c f g 3\n"


@pytest.fixture
def asked(tmp_path: Path) -> list[object]:
    """The paper's example: how its loss depends on p."""
    source = tmp_path / "baskets.dat"
    source.write_text(BASKETS, encoding="utf-8")
    return ["sweep", source, "--transactions", "--private", "1,2,3", "--h", "0.8", "--k", 2, "--vary", "p=1,2"]


def test_people_read_a_table(asked: list[object]) -> None:
    """The means for each value and method, with what stays as it is; nothing is written."""
    ended = kohort(*asked)
    assert (ended.status, ended.err) == (0, "")
    assert "h = 0.8, k = 2" in ended.out
    assert ended.out.splitlines()[2].split() == ["1", *["11.11"] * 3, "81.48"]


def test_programs_read_one_object(asked: list[object]) -> None:
    """Every figure, exact; quiet does not silence it; alone it prints nothing."""
    figures = kohort(*asked, "--json", "--quiet").figures
    assert [row["distortion_exact"] for row in figures["rows"] if row["method"] == "mmil"] == ["1/9", "8/27"]
    assert (figures["k"], figures["p"], figures["seeds"]) == (2, None, [])
    assert kohort(*asked, "--quiet").out == ""


def test_table_and_picture_are_published_together(asked: list[object], tmp_path: Path) -> None:
    """Both or none; neither replaces a file unasked, nor the input."""
    table, picture = tmp_path / "sweep.csv", tmp_path / "sweep.svg"
    assert kohort(*asked, "--out", table, "--picture", picture).status == 0
    assert len(list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))) == 8
    assert picture.read_bytes().startswith(b"<?xml")
    first = picture.read_bytes()
    table.unlink()
    ended = kohort(*asked, "--out", table, "--picture", picture)
    assert (ended.status, "overwrite" in ended.err, table.exists()) == (7, True, False)
    assert kohort(*asked, "--out", table, "--picture", picture, "--overwrite").status == 0
    assert picture.read_bytes() == first
    source = tmp_path / "baskets.json"
    source.write_text(BASKETS, encoding="utf-8")
    assert kohort(*asked[:1], source, *asked[2:], "--out", source, "--overwrite").status == 7
    assert source.read_text(encoding="utf-8") == BASKETS


def test_a_picture_alone_is_published(asked: list[object], tmp_path: Path) -> None:
    """Without a table the picture is what is published."""
    assert kohort(*asked, "--picture", tmp_path / "sweep.png").status == 0
    assert (tmp_path / "sweep.png").read_bytes().startswith(b"\x89PNG")


def test_a_value_is_proposed(asked: list[object]) -> None:
    """The greatest p within a distortion; delta protects nothing."""
    assert kohort(*asked, "--at-most-loss", ".2", "--json").figures["proposed"]["value"] == 1
    assert "Proposed: p = 2 by mmil" in kohort(*asked, "--at-most-loss", ".3").out
    ended = kohort(*asked[:3], "--h", ".8", "--k", 2, "--p", 1, "--vary", "delta=.2,.4", "--at-most-loss", ".3")
    assert (ended.status, "where: --at-most-loss" in ended.err) == (2, True)


def test_roles_are_drawn_for_every_seed(asked: list[object]) -> None:
    """With delta, varied or not, there are seeds; a row for each, and seconds where they are asked for."""
    start = [*asked[:3], "--h", "1", "--k", 2, "--p", 1, "--scores", "mmil,give-back"]
    figures = kohort(*start, "--vary", "delta=0.25,1/2", "--seeds", "4,9", "--seconds", "--json").figures
    assert [(row["value"], row["seed"]) for row in figures["rows"]][::2] == [(0.25, 4), (0.25, 9), (0.5, 4), (0.5, 9)]
    assert all(row["seconds"] >= 0 for row in figures["rows"])
    figures = kohort(*start[:4], "1", "--delta", "0.5", "--vary", "k=2", "--draw", "uniform", "--json").figures
    assert (figures["seeds"], figures["draw"], figures["delta"], figures["p"]) == ([1, 2, 3], "uniform", 0.5, 4)


def test_without_any_answer_it_ends_as_one_release_would(asked: list[object]) -> None:
    """Where no point has a release, the table says so and the status is 4."""
    ended = kohort(*asked[:-1], "p=1", "--h", "0.1")
    assert (ended.status, "Infeasible" in ended.out) == (4, True)


def test_flags_of_tables_are_none_of_transactions(asked: list[object]) -> None:
    """Neither side's flags are passed over on the other, and of transactions one parameter is varied."""
    for more in (["--quasi", "age"], ["--resume"], ["--job", "job.toml"], ["--figure", "lm"]):
        ended = kohort(*asked, *more)
        assert (ended.status, "it is of tables" in ended.err) == (2, True), ended.err
    ended = kohort(*(word for word in asked if word != "--transactions"))
    assert (ended.status, "--private" in ended.err, "--h" in ended.err) == (2, True, True)
    ended = kohort(*asked, "--vary", "k=2,3")
    assert (ended.status, "where: --vary" in ended.err) == (2, True)


@pytest.mark.parametrize(
    ("more", "flag"),
    [
        (["--vary", "p"], "--vary"),
        (["--vary", "q=1"], "--vary"),
        (["--vary", "p=1,x"], "--vary"),
        (["--vary", "p=0"], "--vary"),
        (["--vary", "delta=0.5"], "--private"),
        (["--vary", "k=3"], "--k"),
        (["--scores", "best"], "--scores"),
        (["--scores", "mm,mm"], "--scores"),
        (["--seeds", "1"], "--seeds"),
        (["--private", "nobody"], "--private"),
        (["--h", "2"], "--h"),
        (["--out", "sweep.txt"], "--out"),
        (["--picture", "sweep.gif"], "--picture"),
    ],
)
def test_a_misuse_is_told_with_its_flag(asked: list[object], more: list[str], flag: str) -> None:
    """Status 2, the flag that is wrong, and no traceback."""
    ended = kohort(*(asked[:-2] if "--vary" in more else asked), *more)
    assert (ended.status, f"where: {flag}" in ended.err) == (2, True), ended.err


@pytest.mark.parametrize("seeds", ["one", "1,1", "-1"])
def test_seeds_are_whole_numbers_none_twice(asked: list[object], seeds: str) -> None:
    """Anything else is refused at its flag."""
    ended = kohort(*asked[:3], "--vary", "k=2", "--delta", "0.5", f"--seeds={seeds}")
    assert (ended.status, "where: --seeds" in ended.err) == (2, True), ended.err


def test_standard_input_is_read(asked: list[object]) -> None:
    """A dash is standard input."""
    ended = kohort("sweep", "-", *asked[2:], "--json", stdin=BASKETS.encode())
    assert (ended.status, ended.figures["transactions"]) == (0, 5)
