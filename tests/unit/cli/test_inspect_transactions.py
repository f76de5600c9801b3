"""`kohort inspect --transactions`: what it tells of each form, and what it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path

#: Four transactions, one of no item, two alike; pill is in one of them, milk in three.
FORMS = {
    "basket": "bread milk pill\n\nmilk\nmilk\n",
    "long": "key,item\n1,bread\n1,milk\n1,pill\n2,\n3,milk\n4,milk\n",
    "matrix-header": "bread,milk,pill\n1,1,1\n0,0,0\n0,1,0\n0,1,0\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_figures_are_those_of_the_transactions(tmp_path: Path, form: str) -> None:
    """Whatever form they lie in, --json prints one object with what can be counted by hand."""
    source = tmp_path / "t.txt"
    source.write_text(FORMS[form], encoding="utf-8")
    ran = kohort("inspect", source, "--transactions", "--format", form, "--json")
    assert (ran.status, ran.err) == (0, "")
    figures = ran.figures
    advice = figures.pop("advice")
    assert figures == {
        "audience": "internal",
        "transactions": 4,
        "items": 3,
        "cells": 5,
        "repeated": 0,
        "density": 5 / 12,
        "empty": 1,
        "unique": 2,
        "unique_share": 0.5,
        "lengths": {"mean": 1.25, "0": 0, "25": 0, "50": 1, "75": 1, "95": 3, "100": 3},
        "supports": {"mean": 5 / 3, "0": 1, "25": 1, "50": 1, "75": 3, "95": 3, "100": 3},
        "bands": [{"least": 1, "most": 1, "items": 2}, {"least": 2, "most": 9, "items": 1}],
        "h": 0.4,
        "above": 1,
        "above_share": 1 / 3,
        "feasible_h": 0.75,
    }
    assert "--private" in advice[0]
    assert advice[-1] == "At h = 0.4, 1 of 3 items cannot be private; from h = 0.75 on any item can."


def test_one_of_each_is_told_in_the_singular(tmp_path: Path) -> None:
    """Counts agree with their nouns and verbs."""
    source = tmp_path / "t.dat"
    source.write_text("milk milk\n", encoding="utf-8")
    lines = kohort("inspect", source, "--transactions").out.splitlines()
    assert lines[1].startswith("1 transaction: 0 empty")
    assert lines[2].startswith("1 item in 1 cell, 1 repeated cell not counted;")


def test_text_tells_the_same_and_names_no_item(tmp_path: Path) -> None:
    """A person reads the same figures; no item's name is among them, and the file is as before."""
    source = tmp_path / "t.dat"
    source.write_text("kale_canary rye_canary rye_canary\nrye_canary\n" + "oat_canary\n" * 12, encoding="utf-8")
    before = source.read_bytes()
    ran = kohort("inspect", source, "--transactions", "--h", "6/7")
    assert (ran.status, ran.err) == (0, "")
    assert "canary" not in ran.out
    assert "14 transactions: 0 empty, 2 (14.3%) unique" in ran.out
    assert "3 items in 15 cells, 1 repeated cell not counted; density 35.7143%" in ran.out
    bands = "items by the number of their transactions:\n"
    bands += "         1          1\n    2 to 9          1\n  10 to 99          1\n"
    assert bands in ran.out
    assert "more than 6/7 of all: 0 (0.00%)" in ran.out
    assert "At h = 6/7, any item can be private; the smallest such h is 0.8572." in ran.out
    assert source.read_bytes() == before
    assert list(tmp_path.iterdir()) == [source]


def test_transactions_of_one_person_are_one(tmp_path: Path) -> None:
    """Named a person's column, all records of a person are one transaction."""
    source = tmp_path / "t.csv"
    source.write_text("visit,who,what\n1,x,a\n2,x,b\n3,y,b\n", encoding="utf-8")
    flags = ["--transactions", "--format", "long", "--item", "what", "--json"]
    assert kohort("inspect", source, *flags, "--key", "visit").figures["transactions"] == 3
    assert kohort("inspect", source, *flags, "--person", "who").figures["transactions"] == 2


def test_transactions_may_come_on_standard_input() -> None:
    """A single dash reads them there."""
    assert kohort("inspect", "-", "--transactions", "--json", stdin=b"a b\nb\n").figures["transactions"] == 2


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--transactions", "--format", "csv"], "--format"),
        (["--transactions", "--h", "1.5"], "--h"),
        (["--transactions", "--h", "many"], "--h"),
        (["--transactions", "--key", "a"], "--key"),
        (["--transactions", "--format", "long", "--key", "absent"], "absent"),
        (["--transactions", "--no-header"], "--no-header"),
        (["--transactions", "--skip-blank"], "--skip-blank"),
        (["--transactions", "--missing-token", "x"], "--missing-token"),
        (["--format", "basket"], "--format"),
        (["--h", "0.4"], "--h"),
        (["--key", "a"], "--key"),
        (["--person", "a"], "--person"),
        (["--item", "a"], "--item"),
    ],
)
def test_flags_that_cannot_be_right_are_refused(tmp_path: Path, flags: list[str], said: str) -> None:
    """Wrong values, and flags of tables for transactions or the other way round, end with 2 and name the flag."""
    source = tmp_path / "t.csv"
    source.write_text("k,i\n1,2\n", encoding="utf-8")
    ran = kohort("inspect", source, *flags)
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err


def test_an_absent_file_is_told() -> None:
    """The status is that of input that cannot be read."""
    assert kohort("inspect", "absent.dat", "--transactions").status == 3
