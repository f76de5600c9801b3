"""A register from tables of counts and trees of somebody else's form: three CSV files and four JSON trees."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from kohort.schema.hierarchies import read_hierarchy
from tests.command import kohort

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.command import Ran

#: Ages, with a column for each education.
AGES = """Age Range,School,First Degree,Second Degree
18-39,80,20,0
40-90,50,30,20
"""
JOBS = """Education Level,Profession
School,Carpenter
School,Plumber
School,Framing Carpenter
First Degree,Bridge Engineer
First Degree,Process Engineer
Second Degree,Bridge Engineer
"""
INCOMES = """Sectors,Categories,Average annual income (€)
Construction,Building,"25,000 - 40,000"
Building,Carpenter,"26,000 - 41,000"
Artisan,Woodworker,"22,000 - 32,000"
Engineering,Structures,"35,000 - 50,000"
Engineering,Chemistry,"€35,000 – €55,000"
"""


def named(name: str, **children: list[Any]) -> dict[str, Any]:
    """A node."""
    return {"name": name, **children}


#: Trees of unequal depth, with a label in several places, and one leaf under two parents.
TREES: dict[str, Any] = {
    "genders": named("ANY-GENDER", categories=[named("male", categories=[]), named("female", categories=[])]),
    "educations": named(
        "ANY-EDUCATION",
        categories=[
            named("School", categories=[]),
            named("Graduate", categories=[named("First Degree", categories=[]), named("Second Degree", categories=[])]),
        ],
    ),
    "cities": named(
        "Malta",
        regions=[
            named("North", states=[named("Gozo", cities=["Victoria", "Nadur"])]),
            named("South", states=[named("Marsaxlokk Bay", cities=["Birżebbuġa "])]),
        ],
    ),
    "jobs": named(
        "ANY-JOB",
        categories=[
            named(
                "Construction",
                categories=[
                    {
                        "name": "Building",
                        "specialties": {"Trades": {"name": "Trades", "items": ["Carpenter", "Plumber"]}},
                    },
                    {"name": "Structures", "specialties": {"Civil": {"name": "Civil", "items": ["Bridge Engineer"]}}},
                ],
            ),
            named(
                "Engineering",
                categories=[
                    {"name": "Bridges", "specialties": {"Arches": {"name": "Arches", "items": ["Bridge Engineer"]}}},
                    {
                        "name": "Chemistry",
                        "specialties": {"Plant": {"name": "Plant", "items": ["Process Engineer"]}},
                    },
                ],
            ),
            named(
                "Artisan",
                categories=[
                    {
                        "name": "Woodworker",
                        "specialties": {"Carpenter": {"name": "Carpenter", "items": ["Framing Carpenter"]}},
                    }
                ],
            ),
        ],
    ),
}


#: No other text of any file.
UNCHANGED: Mapping[str, str] = {}


def written(folder: Path, texts: Mapping[str, str] = UNCHANGED, *, below: bool = False) -> Path:
    """The seven files in a folder, or in two folders below it; some with other texts."""
    files = {
        "education_distribution_by_age.csv": texts.get("ages", AGES),
        "profession_by_education.csv": texts.get("holders", JOBS),
        "average_annual_income.csv": texts.get("incomes", INCOMES),
        **{f"{name}.json": texts.get(name, json.dumps(tree)) for name, tree in TREES.items()},
    }
    for name, text in files.items():
        path = folder / (name.rpartition(".")[2] if below else ".") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def generated(folder: Path, tables: Path) -> Ran:
    """A register of these tables."""
    return kohort("generate", "italy", "--tables", tables, "--out", folder / "made", "--records", 600, "--overwrite")


@pytest.mark.parametrize("below", [True, False])
def test_a_register_is_drawn_as_the_tables_say(tmp_path: Path, *, below: bool) -> None:
    """Educations follow age, professions education, and incomes lie in the range of the nearest node that has one."""
    ran = generated(tmp_path, written(tmp_path / "own", below=below))
    assert ran.status == 0, ran.err
    people = pl.read_csv(tmp_path / "made" / "people.csv")
    assert {*people["gender"]} == {"male", "female"}
    assert {*people["city"]} == {"Victoria", "Nadur", "Birżebbuġa "}
    assert {*people.filter(pl.col("age") < 40)["education"]} == {"School", "First Degree"}
    assert {*people.filter(pl.col("age") >= 40)["education"]} == {"School", "First Degree", "Second Degree"}
    held = {*people.select("education", "profession").unique().iter_rows()}
    assert held == {(one, job) for one, _, job in (line.partition(",") for line in JOBS.splitlines()[1:])}
    for job, (least, most) in {
        "Carpenter": (26_000, 41_000),
        "Plumber": (25_000, 40_000),
        "Framing Carpenter": (22_000, 32_000),
        "Process Engineer": (35_000, 55_000),
    }.items():
        assert people.filter(pl.col("profession") == job)["annual_income"].is_between(least, most).all(), job


def test_its_trees_are_hierarchies_of_its_columns(tmp_path: Path) -> None:
    """The register is released over all four, which have one depth and labels of one meaning each."""
    assert generated(tmp_path, written(tmp_path / "own")).status == 0
    made = tmp_path / "made"
    for column in ("gender", "city", "education", "profession"):
        assert not read_hierarchy(made / f"{column}.json").twofold()
    assert "Carpenter (Woodworker)" in read_hierarchy(made / "profession.json").labels[1]
    flags = [f"--hierarchy={column}={made / column}.json" for column in ("gender", "city", "education", "profession")]
    for method in ("samarati", "mondrian"):
        ran = kohort(
            *("anonymize", made / "people.csv", "--out", tmp_path / "out.csv", "--overwrite", "--k", 5),
            *("--quasi", "gender,city,education,profession", "--rest", "drop", "--method", method, *flags),
            *(["--max-suppression", "10%"] if method == "samarati" else ["--labels", "ancestor"]),
        )
        assert ran.status == 0, ran.err


@pytest.mark.parametrize(
    ("texts", "what"),
    [
        ({"ages": AGES.replace("18-39", "20-39")}, "from 18 to 90 2 have no odds"),
        ({"ages": AGES.replace("50,30,20", "50,x,20")}, "not a range of ages"),
        ({"ages": AGES.replace("50,30,20", "0,0,0")}, "not a range of ages"),
        ({"ages": AGES.replace("School", "Schule")}, "the columns Age Range, School"),
        ({"holders": JOBS + "School,Astronaut\n"}, "1 line with a profession"),
        (
            {"holders": JOBS.replace("Second Degree,Bridge Engineer\n", "")},
            "no profession has holders of Second Degree",
        ),
        ({"incomes": INCOMES.replace('"22,000 - 32,000"', "much")}, "no range of incomes"),
        ({"incomes": INCOMES.replace('"22,000 - 32,000"', '"32,000 - 22,000"')}, "do not ascend"),
        ({"incomes": "Categories,Income\nBuilding,1 - 2\n"}, "3 professions have no income"),
        ({"genders": json.dumps(named("ANY", categories=["male", "female", "other"]))}, "3 genders"),
        ({"holders": ""}, "are missing"),
        ({"cities": "["}, "not JSON"),
    ],
)
def test_tables_that_do_not_go_together_are_refused(tmp_path: Path, texts: dict[str, str], what: str) -> None:
    """A wrong line or tree is told with its file; nothing is written."""
    ran = generated(tmp_path, written(tmp_path / "own", texts))
    assert ran.status == 3
    assert what in ran.err
    assert not (tmp_path / "made").exists()


def test_a_file_that_lacks_is_named(tmp_path: Path) -> None:
    """All that lack, where one of the names tells the form."""
    own = written(tmp_path / "own")
    for name in ("genders.json", "average_annual_income.csv"):
        (own / name).unlink()
    ran = generated(tmp_path, own)
    assert ran.status == 3
    assert "the folder lacks average_annual_income.csv, genders.json" in ran.err
