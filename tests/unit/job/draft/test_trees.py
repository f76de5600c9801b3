"""Trees that `kohort init` writes beside a job: which names get one, what is refused, and that the job runs."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

import kohort as kohort_package
from kohort import draft
from kohort.assessment.inspection.codes import tree_of
from kohort.io.typed import from_frame
from kohort.job.draft import names
from kohort.schema.hierarchies import read_hierarchy
from kohort.schema.hierarchy import Hierarchy
from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path

#: Wards whose patients are of like age by twos, and one that few have been in.
WARDS = ("Birth", "Children", "Heart", "Infants", "Lungs", "Mothers")
AGES = {"Birth": 25, "Children": 6, "Heart": 70, "Infants": 7, "Lungs": 71, "Mothers": 26}


def table(folder: Path, column: str = "ward", *, extra: str = "") -> Path:
    """Six hundred patients, two of them in a ward of their own."""
    path = folder / "stays.csv"
    names = [WARDS[n % 6] for n in range(600)] + ["Isolation"] * 2
    rows = [f"{name},{AGES.get(name, 40) + n % 9},{'mf'[n // 6 % 2]}{extra}" for n, name in enumerate(names)]
    path.write_text("\n".join([f"{column},age,gender{extra and ',' + extra[1:]}", *rows]) + "\n", encoding="utf-8")
    return path


def drafted(folder: Path, column: str = "ward") -> dict[str, object]:
    """What the job says of the column."""
    job = tomllib.loads((folder / "job.toml").read_text(encoding="utf-8"))
    found: dict[str, object] = job["columns"][column]
    return found


def test_names_get_a_tree_beside_the_job(tmp_path: Path) -> None:
    """Wards of like patients are merged first, the rare one is listed in no label, and the job runs as written."""
    ran = kohort("init", table(tmp_path), "--out", tmp_path / "job.toml")
    assert ran.status == 0, ran.err
    assert "ward.alike.csv" in ran.out
    assert drafted(tmp_path)["hierarchy"] == "ward.alike.csv:from-data"
    tree = read_hierarchy(tmp_path / "ward.alike.csv")
    above = {label for level in tree.labels[1:] for label in level}
    assert {"{Heart, Lungs}", "{Children, Infants}"} <= above
    assert not [label for label in above if "Isolation" in label]
    assert kohort("run", tmp_path / "job.toml").status == 0


def test_a_file_that_is_there_is_kept(tmp_path: Path) -> None:
    """A tree is not written over a file, unless asked for, and then no job is written either."""
    (tmp_path / "ward.alike.csv").write_text("mine", encoding="utf-8")
    asked = ("init", table(tmp_path), "--out", tmp_path / "job.toml")
    assert kohort(*asked).status == 7
    assert (tmp_path / "ward.alike.csv").read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "job.toml").exists()
    assert kohort(*asked, "--overwrite").status == 0


@pytest.mark.parametrize("ending", ["json", "csv"])
def test_a_tree_beside_the_table_comes_first(tmp_path: Path, ending: str) -> None:
    """A file that somebody made is taken, and none is made."""
    text = '{"*": {"old": ["Heart", "Lungs"], "young": ["Children", "Infants", "Birth", "Mothers", "Isolation"]}}'
    rows = "".join(f"{name};all of them;*\n" for name in (*WARDS, "Isolation"))
    (tmp_path / f"ward.{ending}").write_text(text if ending == "json" else rows, encoding="utf-8")
    assert kohort("init", table(tmp_path), "--out", tmp_path / "job.toml").status == 0
    assert drafted(tmp_path)["hierarchy"] == f"ward.{ending}"
    assert not (tmp_path / "ward.alike.csv").exists()


@pytest.mark.parametrize("name", ["a/ward", "../ward", "w" * 300, "ward:pad"])
def test_a_column_whose_name_is_no_file_has_a_tree_by_its_place(tmp_path: Path, name: str) -> None:
    """A name with a path in it writes no file outside the job's folder, one of a word how to read it none by it."""
    assert kohort("init", table(tmp_path, name), "--out", tmp_path / "job.toml").status == 0
    assert drafted(tmp_path, name)["hierarchy"] == "column-1.alike.csv:from-data"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["column-1.alike.csv", "job.toml", "stays.csv"]
    assert kohort("run", tmp_path / "job.toml").status == 0


def test_the_job_file_says_what_was_taken_and_why(tmp_path: Path) -> None:
    """One line by the hierarchy: what each way loses, and how far count queries are off; no one is pinpointed."""
    kohort("init", table(tmp_path), "--out", tmp_path / "job.toml")
    (line,) = [one for one in (tmp_path / "job.toml").read_text().splitlines() if "ward.alike" in one]
    assert all(
        word in line for word in ("as sets in an order of likeness", "as nodes", "all or nothing", "count queries")
    )
    assert drafted(tmp_path)["label"] == "set"
    ran = kohort("run", tmp_path / "job.toml")
    assert "pinpointed" not in ran.out, ran.out


@pytest.mark.parametrize(("people", "listed"), [(30, True), (5, False)])
def test_a_tree_counts_people(people: int, *, listed: bool) -> None:
    """Where people have several records, names of fewer than k people are rare, however many records have them."""
    wards = [WARDS[n % 6] for n in range(600)] + ["Isolation"] * 30
    held = from_frame(pl.DataFrame({"ward": wards, "age": [str(AGES.get(one, 40)) for one in wards]}))
    whose = np.array([*range(600), *(600 + n % people for n in range(30))])
    tree = tree_of(held["ward"], [held["age"]], k=10, people=whose)
    assert any("Isolation" in label for labels in tree.labels[1:] for label in labels) is listed


def test_a_draft_in_memory_has_its_trees(tmp_path: Path) -> None:
    """A job is made without any file, and a written draft has them beside it, as `init` writes them."""
    made = kohort_package.draft(table(tmp_path))
    held = {one.name: one.hierarchy for one in made.job().schema.quasi}
    assert isinstance(held["ward"], Hierarchy)
    assert held["ward"].data_dependent
    (tmp_path / "other").mkdir()
    made.to_toml(tmp_path / "other" / "job.toml")
    kohort("init", table(tmp_path), "--out", tmp_path / "job.toml")
    assert (tmp_path / "other" / "ward.alike.csv").read_bytes() == (tmp_path / "ward.alike.csv").read_bytes()


def test_a_tree_is_no_part_of_a_column_that_somebody_decides_otherwise(tmp_path: Path) -> None:
    """A hierarchy of one's own replaces it, and another role needs none."""
    made = kohort_package.draft(table(tmp_path))
    assert made.job(hierarchy={"ward": "suppress"}).schema.quasi[0].hierarchy == "suppress"
    assert "ward" not in [one.name for one in made.job(drop=["ward"]).schema.quasi]


def test_the_order_of_the_table_does_not_matter(tmp_path: Path) -> None:
    """The same records in another order give the same tree."""
    path = table(tmp_path)
    kohort("init", path, "--out", tmp_path / "job.toml")
    before = (tmp_path / "ward.alike.csv").read_bytes()
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([head, *reversed(lines)]) + "\n", encoding="utf-8")
    kohort("init", path, "--out", tmp_path / "job.toml", "--overwrite")
    assert (tmp_path / "ward.alike.csv").read_bytes() == before


#: What people typed for a gender, and how many did.
GENDERS = {"Male": 300, "male": 90, "M": 60, "Female": 100, "f": 40, "Male ": 3, "maile": 1, "Femake": 1, "queer": 2}
CITIES = {"Rome": 150, "rome": 9, "ROME": 1, "Romee": 1, "Bari": 200, "Como": 150, "Pisa": 86}
COUNTRIES = ("Italy", "France", "Peru", "Chile", "Japan")


def typed(folder: Path, **columns: list[str]) -> Path:
    """A survey of as many people as typed a gender: columns by name, with their ages."""
    path = folder / "survey.csv"
    cells = {"age": [str(18 + 7 * n % 60) for n in range(sum(GENDERS.values()))], **columns}
    lines = [",".join(cells), *map(",".join, zip(*cells.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def many(counts: dict[str, int]) -> list[str]:
    """Each text as often as it is counted."""
    return [text for text, of in counts.items() for _ in range(of)]


def test_a_public_tree_is_drafted_with_its_source(tmp_path: Path) -> None:
    """Countries are generalized by regions, in `inspect`, the job and Python alike, and the release has them."""
    path = typed(tmp_path, country=[COUNTRIES[n % 5] for n in range(597)])
    assert "hierarchy = public:countries, countries by region and subregion (UN M49" in kohort("inspect", path).out
    assert kohort("init", path, "--out", tmp_path / "job.toml").status == 0
    assert drafted(tmp_path, "country")["hierarchy"] == "public:countries"
    assert "UN M49, ISO 3166-1" in (tmp_path / "job.toml").read_text(encoding="utf-8")
    assert draft(path).shapes["country"].hierarchy == "public:countries"
    ran = kohort("run", tmp_path / "job.toml")
    assert ran.status == 0, ran.err
    assert not list(tmp_path.glob("country*"))


@pytest.mark.parametrize("more", [0.05, -1])
def test_a_public_tree_that_loses_notably_more_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: float
) -> None:
    """People of far countries are alike: sets suit both trees, and what a public one may lose more decides."""
    monkeypatch.setattr(names, "NOTABLY", more)
    pairs, people = ["Italy", "Japan", "France", "Peru", "Spain", "Chile", "Nepal", "Kenya"], range(597)
    known = {
        "country": [pairs[n % 8] for n in people],
        "age": [str(20 + 10 * (n % 8 // 2) + n // 8 % 10) for n in people],
    }
    known |= {"sex": ["mf"[n // 80 % 2] for n in people], "job": [f"{'abcd'[n // 7 % 4]}job" for n in people]}
    kohort("init", typed(tmp_path, **known), "--out", tmp_path / "job.toml", "--k", "20")
    due = "public:countries" if more > 0 else "country.alike.csv:from-data"
    assert (drafted(tmp_path, "country")["hierarchy"], drafted(tmp_path, "country")["label"]) == (due, "set")
    assert "% as nodes of public:countries" in (tmp_path / "job.toml").read_text(encoding="utf-8")
    assert kohort("run", tmp_path / "job.toml").status == 0


def test_a_file_beside_the_table_comes_before_a_public_tree(tmp_path: Path) -> None:
    """Somebody made it for these data."""
    path = typed(tmp_path, country=[COUNTRIES[n % 5] for n in range(597)])
    (tmp_path / "country.csv").write_text("".join(f"{name};all;*\n" for name in COUNTRIES), encoding="utf-8")
    kohort("init", path, "--out", tmp_path / "job.toml")
    assert drafted(tmp_path, "country")["hierarchy"] == "country.csv"


@pytest.mark.parametrize(
    ("counts", "told", "file", "node"),
    [
        (GENDERS, "9 spellings, 3 groups", "gender.spellings.csv", "male (any spelling)"),
        (CITIES, "7 spellings, 4 groups by their text", "city.spellings.csv:from-data", "Rome (any spelling)"),
    ],
)
def test_spellings_are_one_node_of_a_file_to_correct(
    tmp_path: Path, counts: dict[str, int], told: str, file: str, node: str
) -> None:
    """The file's first level is one thing each, the job names the file and says how many, and runs."""
    column = file.partition(".")[0]
    path = typed(tmp_path, **{column: many(counts)})
    ran = kohort("init", path, "--out", tmp_path / "job.toml")
    name = file.removesuffix(":from-data")
    assert f"wrote {name} (" in ran.out
    assert told in ran.out
    assert drafted(tmp_path, column)["hierarchy"] == file
    made = read_hierarchy(tmp_path / name)
    assert sorted(made.leaves) == sorted(counts)
    assert node in made.labels[1]
    assert f"{len(counts)} spellings, {len(made.labels[1])} groups" in told
    assert kohort("run", tmp_path / "job.toml").status == 0
    assert kohort("check", tmp_path / "survey.release.csv", "--quasi", f"age,{column}", "--k", "10").status == 0


@pytest.mark.parametrize(
    ("spec", "told"),
    [("public:sex", "9 leaves, height 2"), ("spellings", "9 leaves, height 2"), ("public:moons", "cannot read")],
)
def test_builders_are_written_to_a_file(tmp_path: Path, spec: str, told: str) -> None:
    """`hierarchy build` takes them, and says what they may be called."""
    path = typed(tmp_path, gender=many(GENDERS))
    ran = kohort("hierarchy", "build", spec, "--in", path, "--column", "gender", "--out", tmp_path / "g.csv")
    assert told in ran.out + ran.err
    assert (ran.status == 0) == (tmp_path / "g.csv").exists() == ("leaves" in told)
