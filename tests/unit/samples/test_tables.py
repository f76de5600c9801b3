"""Tables of one's own: regions, professions, incomes and names of a register."""

from __future__ import annotations

import json
import os
from copy import deepcopy
from typing import TYPE_CHECKING, Any, cast

import polars as pl
import pytest

from kohort.errors import InputError
from kohort.samples.population import tree_of
from kohort.samples.tables import FORMS, own_tables
from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path

CITIES: dict[str, Any] = {
    "name": "Österreich",
    "macro_areas": [
        {
            "name": "Ost",
            "regions": [
                {
                    "name": "Wien (Land)",
                    "provinces": [{"name": "Wien (Bezirk)", "cities": [{"name": "Wien", "inhabitants": 2000}]}],
                },
                {
                    "name": "Burgenland",
                    "provinces": [
                        {"name": "Eisenstadt (Bezirk)", "cities": [{"name": "Eisenstadt", "inhabitants": 15}]}
                    ],
                },
            ],
        }
    ],
}

DEGREES = {"High School": 1, "Bachelor": 1, "Master": 1, "Doctoral": 1}
PROFESSIONS: dict[str, Any] = {
    "name": "Any",
    "sectors": [
        {
            "name": "All",
            "fields": [
                {
                    "name": "Everything",
                    "professions": [
                        {"name": "Clerk", "holders": DEGREES, "income": [10, 20]},
                        {"name": "Monk", "holders": {"Master": 5}, "income": [0, 0]},
                    ],
                }
            ],
        }
    ],
}


def written(folder: Path, **tables: object) -> Path:
    """A folder with these tables."""
    for name, table in tables.items():
        (folder / f"{name}.json").write_text(json.dumps(table), encoding="utf-8")
    return folder


def test_a_register_is_drawn_from_own_tables(tmp_path: Path) -> None:
    """Cities by their inhabitants, professions with their incomes, the rest as built in; and a release of it."""
    own = written(tmp_path, cities=CITIES, professions=PROFESSIONS)
    out = tmp_path / "out"
    ran = kohort("generate", "italy", "--tables", own, "--out", out, "--records", 2_000, "--quiet")
    assert ran.status == 0, ran.err
    people = pl.read_csv(out / "people.csv")
    assert people["city"].value_counts(sort=True)["city"].to_list() == ["Wien", "Eisenstadt"]
    of = {name: frame for (name,), frame in people.group_by("profession")}
    assert set(of) == {"Clerk", "Monk"}
    assert of["Clerk"]["annual_income"].is_between(10, 20).all()
    assert set(of["Monk"]["annual_income"]) == {0}
    assert set(of["Monk"]["education"]) == {"Master"}
    names = cast("dict[str, list[str]]", tree_of("names"))
    assert set(people["first_name"]) <= {*names["male"], *names["female"]}
    flags = ["--quasi", "city,profession", "--rest", "drop", "--method", "optimal", "--k", 5]
    trees = [flag for name in ("city", "profession") for flag in ("--hierarchy", f"{name}={out / name}.json")]
    assert kohort("anonymize", out / "people.csv", *flags, *trees, "--out", tmp_path / "r.csv").status == 0


def test_names_alone(tmp_path: Path) -> None:
    """What the folder does not hold stays as it is."""
    own = written(tmp_path, names={"male": ["Ali"], "female": ["Ada"], "last": ["Ng"]})
    out = tmp_path / "out"
    assert kohort("generate", "italy", "--tables", own, "--out", out, "--records", 200, "--quiet").status == 0
    people = pl.read_csv(out / "people.csv")
    assert (set(people["first_name"]), set(people["last_name"])) == ({"Ali", "Ada"}, {"Ng"})
    assert people["city"].n_unique() > 20


def test_the_built_in_tables_have_the_form(tmp_path: Path) -> None:
    """They can be copied to start from, and give the same register."""
    own = written(tmp_path, **{name: tree_of(name) for name in FORMS})
    assert set(own_tables(own)) == set(FORMS)
    made: list[bytes] = []
    for folder, flags in (("a", ("--tables", own)), ("b", ())):
        asked = ["generate", "italy", "--out", tmp_path / folder, "--records", 300, "--quiet", *flags]
        assert kohort(*asked).status == 0
        made.append((tmp_path / folder / "people.csv").read_bytes())
    assert made[0] == made[1]


def changed(table: dict[str, Any], *path: str | int, value: object) -> dict[str, Any]:
    """The table with another value at a place."""
    made = deepcopy(table)
    held: Any = made
    for key in path[:-1]:
        held = held[key]
    held[path[-1]] = value
    return made


PROVINCE = ("macro_areas", 0, "regions", 0, "provinces", 0)
CLERK = ("sectors", 0, "fields", 0, "professions", 0)


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({}, "no table"),
        ({"cities": []}, "the whole"),
        ({"cities": changed(CITIES, "macro_areas", value=[])}, "macro_areas"),
        ({"cities": changed(CITIES, *PROVINCE, "cities", 0, "inhabitants", value="many")}, "cities.0.inhabitants"),
        ({"cities": changed(CITIES, *PROVINCE, "cities", 0, "name", value="Eisenstadt")}, "two nodes of one level"),
        (
            {
                "cities": changed(
                    CITIES,
                    "macro_areas",
                    0,
                    "regions",
                    value=[
                        changed(CITIES, *PROVINCE, "cities", 0, "inhabitants", value=0)["macro_areas"][0]["regions"][0]
                    ],
                )
            },
            "no city has inhabitants",
        ),
        ({"professions": changed(PROFESSIONS, *CLERK, "income", value=[20, 10])}, "above the greatest"),
        ({"professions": changed(PROFESSIONS, *CLERK, "income", value=[20])}, "income"),
        ({"professions": changed(PROFESSIONS, *CLERK, "holders", "Doctoral", value=0)}, "holders of Doctoral"),
        ({"professions": changed(PROFESSIONS, *CLERK, "holders", "PhD", value=1)}, "1 holders are none of"),
        ({"names": {"male": [], "female": ["Ada"], "last": ["Ng"]}}, "male"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, tables: dict[str, object], said: str) -> None:
    """With its file and its place; nothing is written."""
    with pytest.raises(InputError) as refused:
        own_tables(written(tmp_path, **tables))
    assert said in str(refused.value)
    ran = kohort("generate", "italy", "--tables", tmp_path, "--out", tmp_path / "out")
    assert (ran.status, (tmp_path / "out").exists()) == (3, False)


@pytest.mark.parametrize("text", [b"name;inhabitants\n\xff", b"name", b"9" * 5000, b"[" * 10_000])
def test_what_is_no_json_is_refused(tmp_path: Path, text: bytes) -> None:
    """Such as CSV by the name of JSON, or a number of thousands of digits."""
    (tmp_path / "cities.json").write_bytes(text)
    with pytest.raises(InputError, match="not JSON"):
        own_tables(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_is_no_table(tmp_path: Path) -> None:
    """Nobody waits for somebody who may never write to it."""
    os.mkfifo(tmp_path / "cities.json")
    with pytest.raises(InputError, match="the folder has no table"):
        own_tables(tmp_path)
