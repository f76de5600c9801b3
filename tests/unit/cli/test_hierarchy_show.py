"""`kohort hierarchy show`: levels, nodes and losses of one hierarchy or of a job's, as a table and as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kohort.schema.hierarchies import Level, levels, suppress
from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path

CITIES = "Roma;Lazio;*\nRieti;Lazio;*\nBari;Puglia;*\n"
PEOPLE = "city,age,ill\n" + "Roma,21,a\n" * 5 + "Rieti,34,b\n" * 3 + "Bari,47,a\n" * 2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a hierarchy, a table and a job."""
    (tmp_path / "city.csv").write_text(CITIES, encoding="utf-8")
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "job.toml").write_text(
        'input.path = "people.csv"\noutput.path = "r.csv"\nprivacy.k = 2\n[columns]\n'
        'city = { role = "quasi", hierarchy = "city.csv" }\n'
        'age = { role = "quasi", hierarchy = "intervals:20..59:10,20" }\nill = { role = "drop" }\n',
        encoding="utf-8",
    )
    return tmp_path


def test_levels_by_definition() -> None:
    """The mean of (M - 1)/(|A| - 1) over leaves or records; of a single value nothing can be lost."""
    assert levels(suppress(["a", "b", "c"])) == (Level(3, 1, 1, 0.0), Level(1, 3, 3, 1.0))
    assert [one.loss for one in levels(suppress(["a"]))] == [0.0, 0.0]
    assert [one.loss for one in levels(suppress(["a", "b"]), np.zeros(2, np.int64))] == [0.0, 0.0]


def test_a_hierarchy_is_a_table_and_a_tree(folder: Path) -> None:
    """Nodes and leaves of each level, what is lost on it over the leaves, and the tree below."""
    ran = kohort("hierarchy", "show", folder / "city.csv")
    assert ran.out.splitlines()[1:7] == [
        "3 leaves, height 2 (nodes per level: 3, 2, 1)",
        "level  nodes  leaves of a node  loss if released on this level",
        "    0      3                 1                            0.0%",
        "    1      2            1 to 2                           33.3%",
        "    2      1                 3                          100.0%",
        "loss: share of the other values that a released value may stand for, mean over the leaves (LM)",
    ]
    assert ran.out.splitlines()[7:] == ["* (3)", "  Lazio (2)", "    Roma", "    Rieti", "  Puglia (1)", "    Bari"]


def test_losses_over_records_are_those_of_a_release(folder: Path) -> None:
    """On each level the loss is what a release on that level reports of the attribute; missing values have a leaf."""
    for table in (PEOPLE, PEOPLE + ",21,a\n" * 4):
        (folder / "people.csv").write_text(table, encoding="utf-8")
        told = kohort(
            *("hierarchy", "show", folder / "city.csv", "--in", folder / "people.csv", "--column", "city", "--json")
        ).figures["city"]
        for level, one in enumerate(told):
            flags = ("--quasi", "city", "--rest", "drop", "-k", 2, "--hierarchy", f"city={folder / 'city.csv'}")
            given = ("--method", "optimal", "--node", level, "--dry-run", "--json")
            ran = kohort("anonymize", folder / "people.csv", "--out", folder / "r.csv", *flags, *given)
            assert ran.figures["losses"]["city"] == pytest.approx(one["loss"], abs=1e-9)


@pytest.mark.parametrize("spec", ["intervals:20..59:10,20", "groups:2", "mask:right", "suppress", "frequency:1"])
def test_a_builder_is_shown_over_a_column(folder: Path, spec: str) -> None:
    """A builder, written as for --hierarchy, shows what the file that it builds shows."""
    of_ages = ("--in", folder / "people.csv", "--column", "age")
    ran = kohort("hierarchy", "show", spec, *of_ages)
    assert kohort("hierarchy", "build", spec, *of_ages, "--out", folder / "age.json").status == 0
    assert ran.out == kohort("hierarchy", "show", folder / "age.json", *of_ages).out
    assert ran.status == 0


def test_a_builder_needs_a_table(folder: Path) -> None:
    """Its levels are of values; a misspelt one is told as everywhere."""
    ran = kohort("hierarchy", "show", "mask:right")
    assert (ran.status, "add --in TABLE --column NAME" in ran.err) == (2, True)
    ran = kohort("hierarchy", "show", "interval:5", "--in", folder / "people.csv", "--column", "age")
    assert (ran.status, "write intervals:5,10,20" in ran.err) == (2, True)


def test_a_job_has_all_its_attributes_in_a_table(folder: Path) -> None:
    """The loss of each if it is released on a level: leaves, then level by level."""
    ran = kohort("hierarchy", "show", folder / "job.toml")
    assert ran.out.splitlines()[1:] == [
        "attribute  leaves  level 0  level 1  level 2  level 3",
        "city            3     0.0%    40.0%   100.0%",
        "age            40     0.0%    23.1%    48.7%   100.0%",
        "loss if this attribute is released on that level:",
        "share of the other values that a released value may stand for, mean over 10 records (LM)",
    ]
    assert [one["nodes"] for one in kohort("hierarchy", "show", folder / "job.toml", "--json").figures["age"]] == [
        *(40, 4, 2, 1)
    ]


@pytest.mark.parametrize("name", ["job.toml", "city.csv"])
def test_the_levels_are_drawn(folder: Path, name: str) -> None:
    """As bars with their figures in words; the same bytes again, and nothing is overwritten unasked."""
    pytest.importorskip("matplotlib")
    for picture in ("p.svg", "p.png"):
        drawn = ("hierarchy", "show", folder / name, "--picture", folder / picture)
        assert kohort(*drawn).status == 0
        before = (folder / picture).read_bytes()
        assert kohort(*drawn).status == 7
        assert kohort(*drawn, "--overwrite").status == 0
        assert (folder / picture).read_bytes() == before
    words = (folder / "p.svg").read_text(encoding="utf-8")
    assert "level 1: 33.3%, 2 nodes." in words if name == "city.csv" else "city: 1: 40.0%, 2 nodes." in words
    assert ("number after an attribute" in words) == (name == "job.toml")


@pytest.mark.parametrize(
    ("flags", "status", "what"),
    [
        (("city.csv", "--in", "people.csv"), 2, "--in and --column go together"),
        (("city.csv", "--column", "city"), 2, "--in and --column go together"),
        (
            ("city.csv", "--in", "people.csv", "--column", "age"),
            3,
            "3 values (10 records) are missing from the hierarchy",
        ),
        (("job.toml", "--in", "people.csv", "--column", "city"), 2, "a job file names its table"),
        (("plain.toml",), 2, "no quasi-identifier of the job has a hierarchy"),
        (("city.csv", "--picture", "p.txt"), 2, "a picture is written as"),
        (("city.csv", "--picture", "city.csv"), 2, "a picture is written as"),
    ],
)
def test_what_cannot_be_shown(folder: Path, flags: tuple[str, ...], status: int, what: str) -> None:
    """Half a table, a column that the hierarchy does not cover, a job without hierarchies, and no picture."""
    (folder / "plain.toml").write_text(
        'input.path = "people.csv"\noutput.path = "r.csv"\nprivacy.k = 2\nrest = "drop"\ncolumns.age.role = "quasi"\n'
    )
    ran = kohort("hierarchy", "show", *(folder / one if "." in one else one for one in flags))
    assert ran.status == status
    assert what in ran.err
