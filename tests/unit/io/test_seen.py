"""How transactions seem to lie in a file, which a draft proposes."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import polars as pl
import pytest

from kohort.errors import FileError
from kohort.transactions.io.options import Form
from kohort.transactions.io.seen import DetectedForm, in_lines, seen_in

if TYPE_CHECKING:
    from pathlib import Path

BASKET, LONG, MATRIX, HEADED = Form.BASKET, Form.LONG, Form.MATRIX, Form.MATRIX_HEADER


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("1 2 3\n4 5 6\n", DetectedForm(BASKET, sure=True)),
        ("1\n2\n3\n", DetectedForm(BASKET)),
        ("age job\n30 nurse\n40 smith\n", DetectedForm(BASKET)),
        ("a b\nc\nd e f\n", DetectedForm(BASKET, sure=True)),
        ("tea,jam\ntea\nmilk,tea,jam\n", DetectedForm(BASKET, ",", sure=True)),
        ("tea;jam\ntea\nmilk;tea;jam\n", DetectedForm(BASKET, ";", sure=True)),
        ('"tea, green";jam\n"a";b;c\n"d";e;f;g\n', DetectedForm(BASKET, ";")),
        ("id,item\n1,tea\n1,jam\n", DetectedForm(LONG)),
        ("name,age,city\na,1,x\nb,2,y\n", DetectedForm(LONG)),
        ("a,b,c\n" + "1,2,3\n" * 8 + "1,2\n3,4,5,6\n", DetectedForm(LONG)),
        ("0,1,1\n1,0,0\n", DetectedForm(MATRIX)),
        ("tea,jam\n0,1\n1, 0\n", DetectedForm(HEADED)),
        ("tea,jam\n1,1\n", DetectedForm(LONG)),
        ("", DetectedForm(BASKET)),
        ("\n\n", DetectedForm(BASKET)),
    ],
)
def test_text_is_seen_by_its_lines(tmp_path: Path, text: str, seen: DetectedForm) -> None:
    """A table has lines alike in length, and a head; what is no such table is of transactions."""
    path = tmp_path / "a.txt"
    path.write_text(text, encoding="utf-8-sig")
    assert seen_in(path) == seen
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(text.encode()))
    assert seen_in(tmp_path / "a.txt.gz") == seen


def test_the_last_line_of_a_look_may_be_cut(tmp_path: Path) -> None:
    """So it does not count."""
    path = tmp_path / "a.csv"
    path.write_text("a,b\n" + "1,2\n" * 20_000, encoding="utf-8")
    assert seen_in(path) == DetectedForm(LONG)
    assert in_lines(["a,b", "1,2", "1"]).form is LONG


@pytest.mark.parametrize(
    ("frame", "seen"),
    [
        (pl.DataFrame({"items": [["a"], ["b", "c"]]}), DetectedForm(Form.LISTS, sure=True)),
        (
            pl.DataFrame({"items": pl.Series([["a"], ["b"]], dtype=pl.Array(pl.String, 1))}),
            DetectedForm(Form.LISTS, sure=True),
        ),
        (pl.DataFrame({"id": [1, 2], "item": ["a", "b"]}), DetectedForm(LONG)),
        (pl.DataFrame({"tea": [True, False]}), DetectedForm(HEADED)),
    ],
)
def test_columns_are_seen_by_their_types(tmp_path: Path, frame: pl.DataFrame, seen: DetectedForm) -> None:
    """A column of lists is of transactions."""
    frame.write_parquet(tmp_path / "a.parquet")
    frame.write_ipc(tmp_path / "a.arrow")
    assert seen_in(tmp_path / "a.parquet") == seen_in(tmp_path / "a.arrow") == seen


def test_what_cannot_be_read_says_so_when_it_is(tmp_path: Path) -> None:
    """A file of another format, a damaged one, one cut short: nothing is sure of them."""
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and nothing else PAR1")
    (tmp_path / "a.csv").write_bytes(b"PAR1 and nothing else PAR1")
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"1 2 3\n" * 999)[:-20])
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"1 2 3\n")[:2] + b"nonsense")
    assert seen_in(tmp_path / "a.parquet") == DetectedForm(Form.LISTS)
    for name in ("a.csv", "b.txt.gz"):
        assert not seen_in(tmp_path / name).sure
    assert seen_in(tmp_path / "a.txt.gz").sure
    with pytest.raises(FileError):
        seen_in(tmp_path / "none.csv")
