"""The picture of the lattice beside a release, and where a steward chooses one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.command import kohort
from tests.unit.cli.test_commands import done

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def asked(tmp_path: Path) -> list[object]:
    """A small table, and levels to choose from."""
    source = tmp_path / "people.csv"
    rows = [f"{sex},{city},{age}" for sex in "mf" for city in ("Bari", "Roma") for age in (31, 32, 47)]
    source.write_text("\n".join(["sex,city,age", *rows, ""]), encoding="utf-8")
    levels = ("sex=suppress", "city=suppress", "age=intervals:30..49:10")
    quasi = ["--quasi", "sex,city,age", *(word for level in levels for word in ("--hierarchy", level))]
    return ["anonymize", source, "--out", tmp_path / "r.csv", *quasi, "--k", 2, "--method", "optimal"]


def test_a_dry_run_draws_what_there_is_to_choose(asked: list[object], tmp_path: Path) -> None:
    """The picture is all that a dry run writes; it replaces no file unasked, and the input never."""
    picture = tmp_path / "lattice.svg"
    done(*asked, "--dry-run", "--picture", picture)
    assert picture.read_bytes().startswith(b"<?xml")
    assert not (tmp_path / "r.csv").exists()
    assert kohort(*asked, "--dry-run", "--picture", picture).status == 7
    done(*asked, "--dry-run", "--picture", picture, "--overwrite")
    job = tmp_path / "people.svg"
    (tmp_path / "people.csv").rename(job)
    assert kohort(*asked[:1], job, *asked[2:], "--dry-run", "--overwrite", "--picture", job).status == 7


def test_a_picture_is_published_with_the_release(asked: list[object], tmp_path: Path) -> None:
    """It is there with the release, with the chosen node in it, or not at all."""
    figures = done(*asked, "--picture", tmp_path / "lattice.png", "--json").figures
    assert (tmp_path / "lattice.png").read_bytes().startswith(b"\x89PNG")
    assert figures["verified"]
    assert kohort(*asked, "--overwrite", "--k", 13, "--picture", tmp_path / "none.svg").status == 4
    assert not (tmp_path / "none.svg").exists()


@pytest.mark.parametrize(("name", "magic"), [("lattice.pdf", b"%PDF"), ("lattice.jpg", b"\xff\xd8")])
def test_a_picture_has_the_format_of_its_name(asked: list[object], tmp_path: Path, name: str, magic: bytes) -> None:
    """PDF and JPG beside SVG and PNG, the same bytes each time."""
    made: list[bytes] = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        assert kohort(*asked, "--overwrite", "--picture", tmp_path / folder / name).status == 0
        made.append((tmp_path / folder / name).read_bytes())
    assert made[0] == made[1]
    assert made[0].startswith(magic)


def test_what_cannot_be_drawn_is_said_before_the_search(asked: list[object], tmp_path: Path) -> None:
    """Another format, and a lattice that is too large, are refused with their place and leave nothing."""
    ended = kohort(*asked, "--picture", tmp_path / "lattice.gif")
    assert (ended.status, "--picture" in ended.err) == (2, True)
    wide = tmp_path / "wide.csv"
    names = [f"c{place}" for place in range(17)]
    wide.write_text("\n".join([",".join(names), *[",".join("x" * 17)] * 3, ""]), encoding="utf-8")
    quasi = ["--quasi", ",".join(names), *(word for name in names for word in ("--hierarchy", f"{name}=suppress"))]
    search = ["anonymize", wide, "--out", tmp_path / "r.csv", *quasi, "--k", 2, "--method", "best-effort"]
    ended = kohort(*search, "--picture", tmp_path / "lattice.svg")
    assert (ended.status, "131,072 nodes" in ended.err) == (8, True)
    assert not (tmp_path / "r.csv").exists()
