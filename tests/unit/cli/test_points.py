"""A number is a number without a digit before its point: in cells, flags and job files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path

DOSES = (".5", "0.5", ".25", "1.5", "-.75", "-.0")


@pytest.fixture
def doses(tmp_path: Path) -> Path:
    """A table whose numbers are written as SAS, SPSS and R write some."""
    path = tmp_path / "doses.csv"
    lines = [f"{20 + place % 30},{DOSES[place % 6]},{'abc'[place % 3]}" for place in range(240)]
    path.write_text("\n".join(["age,dose,ill", *lines]) + "\n")
    return path


@pytest.mark.parametrize("more", [(), ("--no-grid",)], ids=["grid", "ranges"])
def test_cells_are_numbers(doses: Path, more: tuple[str, ...]) -> None:
    """A column of .5 and -.75 is numeric, released in ranges, and the release is verified."""
    out = doses.with_name("out.csv")
    ran = kohort("anonymize", doses, "-o", out, "--quasi", "age,dose", "--sensitive", "ill", "--l", "ill=2", *more)
    assert ran.status == 0, ran.err
    cells = {line.split(",")[1] for line in out.read_text().splitlines()[1:]}
    assert cells
    assert not any(cell.startswith(('"{', "{")) for cell in cells)


def test_flags_take_them(doses: Path) -> None:
    """Flags with .3 and with 0.3 make the same release."""
    made: list[bytes] = []
    for zero in ("", "0"):
        out = doses.with_name(f"out{zero}.csv")
        ran = kohort(
            *("anonymize", doses, "-o", out, "--quasi", "age", "--sensitive", "ill,dose", "--k", 5, "--l", "ill=2"),
            *("--t", f"dose={zero}.9", "--hierarchy", f"age=intervals:{zero}.5,5", "--method", "samarati"),
            *("--max-suppression", f"{zero}.5%", "--weight", f"age={zero}.5"),
        )
        assert ran.status == 0, ran.err
        made.append(out.read_bytes())
    assert made[0] == made[1]


def test_shares_of_transactions_take_them(tmp_path: Path) -> None:
    """So do h, delta and the minimum support."""
    path = tmp_path / "baskets.dat"
    path.write_text("".join(f"a{place % 3} b{place % 5} c{place % 7}\n" for place in range(60)))
    made: list[bytes] = []
    for zero in ("", "0"):
        out = tmp_path / f"out{zero}.dat"
        ran = kohort(
            *("transactions", path, "-o", out, "--delta", f"{zero}.4", "--seed", 3, "--h", f"{zero}.8", "--k", 2),
            *("--p", 2, "--min-support", f"{zero}.05"),
        )
        assert ran.status == 0, ran.err
        made.append(out.read_bytes())
    assert made[0] == made[1]
