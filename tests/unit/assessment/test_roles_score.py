"""The guesses on labelled tables: none dangerous, nearly all acceptable; measured by the benchmark's own code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench.roles import ENOUGH, Score, is_dangerous, scores, total

if TYPE_CHECKING:
    from pathlib import Path


def test_generated_tables_are_guessed_wholly() -> None:
    """Every column of the register and of the admissions gets a role that its generator declares."""
    found = scores(None)
    assert [one.table for one in found] == ["people", "admissions"]
    for one in found:
        assert (one.dangerous, one.misses, one.acceptable) == ((), (), one.columns)


def test_labelled_tables_are_guessed_on_the_safe_side(data_folder: Path) -> None:
    """On every labelled table no guess is dangerous and most are acceptable, on generated ones all."""
    if not (data_folder / "roles" / "labels.csv").is_file():
        pytest.skip("the folder KOHORT_DATA holds no roles/labels.csv")
    found = scores(str(data_folder))
    assert total(found).dangerous == ()
    for one in found:
        assert one.acceptable >= ENOUGH * one.columns, one
        assert one.table not in {"people", "admissions"} or one.acceptable == one.columns


def test_the_total_adds_up() -> None:
    """Columns, dangers and misses of all tables are counted once."""
    parts = [Score("a", 3, 1, ("x: quasi",), ("y: undecided",)), Score("b", 2, 2, (), ())]
    assert total(parts) == Score("all", 5, 3, ("x: quasi",), ("y: undecided",))


@pytest.mark.parametrize(
    ("role", "accepted", "dangerous"),
    [
        ("sensitive", "quasi", True),
        ("insensitive", "identifying quasi", True),
        ("insensitive", "sensitive quasi", False),
        ("insensitive", "sensitive", False),
        ("quasi", "identifying", True),
        ("quasi", "identifying insensitive", False),
        ("undecided", "identifying", False),
        ("identifying", "quasi", False),
    ],
)
def test_danger_is_what_releases_too_much(role: str, accepted: str, dangerous: bool) -> None:  # noqa: FBT001
    """Sensitive or insensitive where it must be identifying or quasi, or quasi where only identifying will do."""
    assert is_dangerous(role, frozenset(accepted.split())) == dangerous
