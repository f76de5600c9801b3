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
    assert ended.out.splitlines()[3].split() == ["1", *["11.11"] * 3, "81.48"]


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


MATRIX = ["sweep", "--transactions", "--delta", ".4", "--h", ".8", "--scores", "mmil,all", "--seeds", "1,2"]


@pytest.mark.parametrize(
    ("vary", "flags", "shape"),
    [
        ("density=.1,.3", ["--rows", 300, "--columns", 12], {"rows": 300, "columns": 12, "density": None}),
        ("rows=100,300", ["--columns", 12, "--density", ".2"], {"rows": None, "columns": 12, "density": 0.2}),
        ("columns=8,12", ["--rows", 200], {"rows": 200, "columns": None, "density": 0.1}),
        ("k=5,20", ["--rows", 200, "--columns", 8], {"rows": 200, "columns": 8, "density": 0.1}),
    ],
)
def test_generated_matrices_are_swept(vary: str, flags: list[object], shape: dict[str, float | None]) -> None:
    """Each seed draws its own, the same on every run; what stays is told."""
    more = [] if vary.startswith("k") else ["--k", 10]
    asked = [*MATRIX, "--p", 2, *more, *flags, "--vary", vary]
    found = kohort(*asked, "--json").figures
    assert found["matrix"] == shape
    assert len({(row["value"], row["seed"]) for row in found["rows"]}) == 4
    assert found == kohort(*asked, "--json").figures
    assert "; generated matrices; " in kohort(*asked).out


def test_a_generated_matrix_is_that_of_generate(tmp_path: Path) -> None:
    """A point has the distortion of the file that `kohort generate matrix` writes with the seed."""
    flags = ["--rows", 300, "--columns", 10, "--density", ".2"]
    assert kohort("generate", "matrix", *flags, "--seed", 2, "--out", tmp_path / "m.csv", "--quiet").status == 0
    found = kohort(*MATRIX, "--p", 2, "--vary", "k=8", *flags, "--json").figures
    ends = ["--delta", ".4", "--h", ".8", "--k", 8, "--p", 2, "--format", "matrix", "--seed", 2, "--dry-run", "--json"]
    told = kohort("transactions", tmp_path / "m.csv", "--out", tmp_path / "r.csv", *ends).figures
    [row] = [row for row in found["rows"] if (row["method"], row["seed"]) == ("mmil", 2)]
    assert row["distortion"] == told["distortion"]
    assert row["distortion"] > 0


def test_listed_roles_have_seeds_over_generated_matrices(tmp_path: Path) -> None:
    """The matrices are drawn, though the private items are not; a picture is drawn of it."""
    asked = ["sweep", "--transactions", "--private", "0", "--h", ".8", "--k", 5, "--p", 1, "--seeds", "1,2"]
    ended = kohort(*asked, "--rows", 90, "--columns", 6, "--vary", "density=.1,.2", "--picture", tmp_path / "m.svg")
    assert (ended.status, "mean of 2 seeds" in ended.out) == (0, True), ended.err
    assert "density: share of the cells" in (tmp_path / "m.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("more", "where"),
    [
        (["--k", 2, "--vary", "density=.1,2"], "--vary"),
        (["--k", 2, "--vary", "rows=0"], "--vary"),
        (["--k", 2, "--vary", "columns=1.5"], "--vary"),
        (["--k", 2, "--vary", "columns=0"], "--vary"),
        (["--k", 2, "--vary", "rows=5,9", "--rows", 7], "--rows"),
        (["shop.dat", "--vary", "k=2", "--rows", 7], "IN"),
        (["--vary", "k=2"], "IN"),
    ],
)
def test_what_cannot_be_generated_is_refused(more: list[object], where: str) -> None:
    """Out of range, given and varied, or beside an input."""
    ended = kohort(*MATRIX, "--p", 2, *more)
    assert (ended.status, f"where: {where}\n" in f"{ended.err}\n") == (2, True), ended.err


def test_only_transactions_are_generated(tmp_path: Path) -> None:
    """Of a table the flags are refused."""
    ended = kohort("sweep", tmp_path / "people.csv", "--vary", "k=2", "--rows", 7)
    assert (ended.status, "where: --rows" in ended.err) == (2, True)


def test_a_value_is_proposed(asked: list[object]) -> None:
    """The greatest p within a distortion; delta protects nothing."""
    assert kohort(*asked, "--at-most-loss", ".2", "--json").figures["proposed"]["value"] == 1
    assert "Proposed: p = 2 by mmil" in kohort(*asked, "--at-most-loss", ".3").out
    ended = kohort(*asked, "--at-most-loss", ".0001")
    assert (ended.status, "Nothing proposed: no value is within" in ended.out) == (4, True)
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
    """Neither side's flags are passed over on the other, and for transactions only one parameter can vary."""
    for more in (["--quasi", "age"], ["--resume"], ["--job", "job.toml"], ["--figure", "lm"]):
        ended = kohort(*asked, *more)
        assert (ended.status, "is only for tables" in ended.err) == (2, True), ended.err
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
