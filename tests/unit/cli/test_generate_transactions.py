"""`kohort generate baskets` and `matrix`: what they write, print and refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kohort.samples.baskets import Market
from kohort.transactions.matrix import Matrix, text
from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path

BASKETS = ["--transactions", 300, "--items", 50, "--length", 4.5, "--patterns", 9, "--pattern-length", 2, "--seed", 3]
MATRIX = ["--rows", 300, "--columns", 20, "--density", 0.25, "--seed", 3]


def test_baskets_are_the_market_s(tmp_path: Path) -> None:
    """The file holds the lines of the Python API, and --json tells of what it holds."""
    out = tmp_path / "b.dat"
    ran = kohort("generate", "baskets", "--out", out, *BASKETS, "--json")
    assert (ran.status, ran.err) == (0, "")
    market = Market.of(seed=3, items=50, length=4.5, patterns=9, pattern_length=2)
    lines = b"".join(batch.text() for batch in market.batches(300))
    assert out.read_bytes() == lines
    cells = len(lines.split())
    assert ran.figures == {"file": str(out), "transactions": 300, "items": 50, "seed": 3, "cells": cells}


@pytest.mark.parametrize("header", [False, True])
def test_a_matrix_is_the_matrix_s(tmp_path: Path, header: bool) -> None:  # noqa: FBT001  pytest passes it
    """The file holds the rows of the Python API, below a header if asked for, and --json tells of what it holds."""
    out = tmp_path / "m.csv"
    ran = kohort("generate", "matrix", "--out", out, *MATRIX, "--json", *["--header"] * header)
    assert (ran.status, ran.err) == (0, "")
    matrix = Matrix(columns=20, density=0.25, seed=3)
    (cells,) = matrix.batches(300)
    assert out.read_bytes() == matrix.header() * header + text(cells)
    figures = {"file": str(out), "transactions": 300, "items": 20, "seed": 3, "cells": int(cells.sum())}
    assert ran.figures == figures


@pytest.mark.parametrize("command", [["baskets", *BASKETS], ["matrix", *MATRIX]])
def test_the_same_seed_gives_the_same_bytes(tmp_path: Path, command: list[object]) -> None:
    """Two runs write equal files; a run says where it wrote, or nothing where it is to be quiet."""
    a, b = tmp_path / "a", tmp_path / "b"
    assert kohort("generate", *command, "--out", a).out == f"wrote {a}\n"
    assert kohort("generate", *command, "--out", b, "--quiet").out == ""
    assert a.read_bytes() == b.read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b"}


@pytest.mark.parametrize("command", [["baskets", *BASKETS], ["matrix", *MATRIX]])
def test_what_exists_is_kept_unless_told_otherwise(tmp_path: Path, command: list[object]) -> None:
    """Without --overwrite the status is 7 and the file as before; with it the file is replaced."""
    out = tmp_path / "mine"
    out.write_text("mine")
    ran = kohort("generate", *command, "--out", out)
    assert (ran.status, out.read_text("utf-8")) == (7, "mine")
    assert "--overwrite" in ran.err
    assert kohort("generate", *command, "--out", out, "--overwrite").status == 0
    assert out.read_text("utf-8") != "mine"


@pytest.mark.parametrize("command", ["baskets", "matrix"])
def test_a_missing_folder_is_told(tmp_path: Path, command: str) -> None:
    """No folder is made for the file: status 6, and nothing is left."""
    assert kohort("generate", command, "--out", tmp_path / "no" / "file").status == 6
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "wrong",
    [
        ["baskets", "--transactions", 0],
        ["baskets", "--transactions", 1.5],
        ["baskets", "--items", 0],
        ["baskets", "--items", 10_000_001],
        ["baskets", "--length", 0],
        ["baskets", "--length", 501],
        ["baskets", "--length", "nan"],
        ["baskets", "--length", "inf"],
        ["baskets", "--patterns", 0],
        ["baskets", "--pattern-length", 501],
        ["baskets", "--seed", -1],
        ["matrix", "--rows", 0],
        ["matrix", "--columns", 0],
        ["matrix", "--columns", 10_000_001],
        ["matrix", "--density", 1.01],
        ["matrix", "--density", -0.1],
        ["matrix", "--density", "nan"],
        ["matrix", "--seed", -1],
    ],
)
def test_impossible_numbers_are_refused(tmp_path: Path, wrong: list[object]) -> None:
    """The status is that of wrong usage, something is said, and nothing is written."""
    ran = kohort("generate", *wrong, "--out", tmp_path / "file")
    assert (ran.status, ran.out) == (2, "")
    assert str(wrong[1]).removeprefix("--") in ran.err
    assert list(tmp_path.iterdir()) == []


def test_writing_stopped_halfway_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a later batch fails no file bears the name, and no part of it stays."""

    def fail(_: object) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kohort.transactions.matrix.text", fail)
    assert kohort("generate", "matrix", "--out", tmp_path / "m.csv", "--header", *MATRIX).status == 6
    assert list(tmp_path.iterdir()) == []
