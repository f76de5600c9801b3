"""The classic pictures on UCI Adult: the commands of docs/classics.md give the figures of the rules' own tables.

LeFevre, DeWitt, Ramakrishnan: Mondrian Multidimensional K-Anonymity (ICDE 2006); Samarati: Protecting Respondents'
Identities in Microdata Release (TKDE 2001). The tables are those of semantics.md, sections 2 and 3, computed by slow,
plain programs before kohort; other tests of this folder hold the algorithms against all of them.
"""

from __future__ import annotations

import re
import shlex
from contextlib import chdir
from typing import TYPE_CHECKING, Any

import pytest

from tests.command import kohort
from tests.unit.sweep.test_classics_page import PAGE, classics

if TYPE_CHECKING:
    from pathlib import Path


def found(folder: Path, adult: Path, sweep: str, **values: str) -> Any:  # noqa: ANN401  the script is no module
    """The figures of a sweep of the page, with fewer values of some of what it varies."""
    command = " ".join(classics.SWEEPS[sweep])
    for name, few in values.items():
        parameter = name.replace("_", "-")
        command = re.sub(rf"--vary {parameter}=\S+", f"--vary {parameter}={few}", command)
    (folder / "adult.csv").symlink_to(adult.resolve())
    (folder / "marital-status.csv").write_text(classics.MARITAL, encoding="utf-8")
    with chdir(folder):
        ended = kohort(*shlex.split(command)[1:], "--out", "found.json", "--audience", "internal", "--quiet")
    assert ended.status == 0, ended.err
    return classics.Found.of(folder / "found.json")


def rows(first: str) -> list[list[str]]:
    """The rows of all tables of the page that begin so."""
    return [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith(f"| {first} |")]


@pytest.fixture
def mondrian(tmp_path: Path, adult_csv: Path) -> Any:  # noqa: ANN401  the script is no module
    """Mondrian on eight attributes of Adult, at the values of k that the table has."""
    return found(tmp_path, adult_csv, "k", k="10,100")


@pytest.mark.parametrize(
    ("k", "cut", "expected"),
    [
        (10, "median", (1453, 977434, 2.0758, 176, 1.764797)),
        (10, "nearest", (2076, 471526, 1.4529, 45, 0.518801)),
        (100, "nearest", (214, 4454842, 1.4094, 220, 1.833467)),
    ],
)
def test_mondrian_on_eight_attributes(
    mondrian: Any,  # noqa: ANN401  the script is no module
    k: int,
    cut: str,
    expected: tuple[int, int, float, int, float],
) -> None:
    """The sweep of the page finds the classes, C_DM, C_AVG, largest class and LM (by sets) of the table."""
    point = k, "mondrian", cut
    figures = [mondrian(name, *point) for name in ("classes", "c_dm", "c_avg", "largest", "lm")]
    assert (*figures[:2], round(figures[2], 4), figures[3], round(figures[4], 6)) == expected


def test_the_page_prints_what_is_found(mondrian: Any) -> None:  # noqa: ANN401  the script is no module
    """C_AVG, C_DM and LM of all four forms at k = 10 and 100."""
    forms = [(method, cut) for method in ("mondrian", "mondrian-relaxed") for cut in ("nearest", "median")]
    for k in (10, 100):
        for name, form, row in zip(("c_avg", "c_dm", "lm"), (".4f", ",", ".4f"), rows(str(k)), strict=False):
            assert row == [str(k), *(f"{mondrian(name, k, *one):{form}}" for one in forms)]


def test_samarati_on_four_attributes(tmp_path: Path, adult_csv: Path) -> None:
    """Suppressed records and LM of the best node of least height, where the table has them; the page prints them."""
    grid = found(tmp_path, adult_csv, "samarati", max_suppression="10,20", k="5,10")
    expected = {("20", "10"): "0: 2.05063", ("20", "5"): "15: 1.22821", ("10", "10"): "0: 2.05063"}
    columns = {"5": 2, "10": 3}
    for (limit, k), cell in expected.items():
        assert f"{grid('suppressed', limit, k)}: {grid('lm', limit, k):.5f}" == cell
        assert rows(limit)[-1][columns[k]] == cell
    assert grid("node", 20, 10) == {"sex": 0, "race": 1, "marital-status": 2, "age": 1}
