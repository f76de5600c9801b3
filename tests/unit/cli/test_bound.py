"""`--bound`: what no release can lose less than, as text and in JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path

    from tests.command import Ran

ROLES = ["--quasi", "age,city", "--no-model", "illness", "--k", 3, "--no-grid", "--overwrite"]


def released(folder: Path, ages: list[str], *flags: object) -> Ran:
    """The release of some people, which must end well."""
    rows = [f"{age},{'ab'[place % 2]},i{place // 2 % 4}" for place, age in enumerate(ages)]
    (folder / "people.csv").write_text("\n".join(["age,city,illness", *rows, ""]))
    ran = kohort("anonymize", folder / "people.csv", "--out", folder / "out.csv", *ROLES, *flags)
    assert (ran.status, ran.err) == (0, "")
    return ran


def test_of_few_records_all_are_looked_at(tmp_path: Path) -> None:
    """Six people, four years apart, of two cities in turn: three of one city span 16 of 20 years, others lose more."""
    ages = [str(20 + 4 * place) for place in range(6)]
    figures = released(tmp_path, ages, "--bound", "--json").figures
    assert figures["bound"] == {
        "ncp": 0.4,
        "error": 0,
        "records": 6,
        "exact": 6,
        "times": pytest.approx(figures["metrics"]["ncp"] / figures["bound"]["ncp"]),
    }
    assert figures["bound"]["ncp"] <= figures["metrics"]["ncp"]
    text = released(tmp_path, ages, "--bound").out
    assert f"has an NCP below {figures['bound']['ncp']:.4f}: this one loses at most " in text


def test_of_many_records_a_sample_is_said_to_be_one(tmp_path: Path) -> None:
    """The standard error stands beside the bound, and the number of records that were looked at."""
    text = released(tmp_path, [str(place**2) for place in range(260)], "--bound").out
    assert ", from a sample of 200 records: this one loses at most about " in text
    assert " ± 0.0" in text


def test_where_nothing_need_be_lost_nothing_is_compared(tmp_path: Path) -> None:
    """Of a bound of 0 no release is a multiple."""
    ran = released(tmp_path, ["30"] * 8, "--bound")
    assert "has an NCP below 0.0000\n" in ran.out
    assert released(tmp_path, ["30"] * 8, "--bound", "--json").figures["bound"]["times"] is None


def test_records_that_the_schema_suppresses_are_lost_in_every_release(tmp_path: Path) -> None:
    """Two of ten people without an age are left out, and count as lost in the bound as in the release."""
    (tmp_path / "job.toml").write_text(
        'input.path = "people.csv"\noutput.path = "out.csv"\nprivacy.k = 3\nmethod.grid = "none"\n'
        'columns.age = { role = "quasi", missing = "suppress" }\ncolumns.city.role = "drop"\n'
        'columns.illness = { role = "sensitive", no-model = true }\n'
    )
    released(tmp_path, ["30"] * 8 + [""] * 2)
    figures = kohort("run", tmp_path / "job.toml", "--overwrite", "--bound", "--json").figures
    assert figures["bound"]["ncp"] == figures["metrics"]["ncp"] == 0.2


def test_nothing_is_bounded_unless_asked_or_where_nothing_is_released(tmp_path: Path) -> None:
    """Without the flag there is no key; of no records there is no bound."""
    assert "bound" not in released(tmp_path, ["30"] * 8, "--json").figures
    ran = released(tmp_path, [], "--bound", "--json", "--allow-empty")
    assert ran.figures["bound"] is None
    assert "NCP below" not in released(tmp_path, [], "--bound", "--allow-empty").out
