"""The files that come with hospital stays: a table, hierarchies and a job that fit each other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

from kohort.errors import FileError, TargetError
from kohort.io import read
from kohort.job.document import document_at
from kohort.job.request import of
from kohort.samples.admissions import (
    HIERARCHIES,
    ROLES,
    admissions,
    job_text,
    write_admissions,
)
from kohort.samples.hospital import admissions_hierarchies
from kohort.schema.hierarchies import from_spec
from kohort.schema.hierarchies.tree import from_tree
from kohort.schema.hierarchies.view import findings
from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path

#: What the command writes.
FILES = ("admissions.csv", "diagnosis.json", "postal_code.json", "job.toml")


@pytest.fixture(scope="module")
def stays() -> pl.DataFrame:
    """Stays for all that only looks at them."""
    return admissions(30_000, seed=11)


def test_no_leading_zero_is_lost(tmp_path: Path) -> None:
    """Written and read again, every cell is what it was; postal codes keep five digits."""
    path, *_ = write_admissions(tmp_path, 3_000, seed=5)
    table, made = read(path), admissions(3_000, seed=5)
    columns = {column.name: column.values.gather(column.codes).to_list() for column in table.columns}
    assert columns == {name: made[name].cast(pl.String).to_list() for name in ROLES}
    assert sum(code.startswith("0") for code in columns["postal_code"]) > 500
    assert {len(code) for code in columns["postal_code"]} == {5}


def test_hierarchies_are_prefixes(stays: pl.DataFrame) -> None:
    """Codes lie below what they begin with, and every code that is drawn is a leaf; `check` finds nothing."""
    trees = {name: from_tree(tree) for name, tree in admissions_hierarchies().items()}
    for leaf, four, two, one, root in trees["postal_code"].rows():
        assert (four, two, one, root) == (f"{leaf[:4]}*", f"{leaf[:2]}***", f"{leaf[:1]}****", "*")
    for leaf, group, chapter, root in trees["diagnosis"].rows():
        assert (group[:4], chapter[:2], root) == (f"{leaf[:3]} ", f"{leaf[:1]} ", "Any diagnosis")
    for name, tree in trees.items():
        assert findings(tree) == ()
        assert set(stays[name]) <= set(tree.leaves)


def test_columns_generalize_by_their_rules(stays: pl.DataFrame, tmp_path: Path) -> None:
    """Every quasi-identifier says how it generalizes, and each rule covers its column."""
    write_admissions(tmp_path, 10, seed=1)
    assert {name for name, role in ROLES.items() if role == "quasi"} <= set(HIERARCHIES)
    for name, rule in HIERARCHIES.items():
        values = stays[name].unique().cast(pl.String).to_list()
        text = str(tmp_path / rule) if rule.endswith(".json") else rule
        assert set(values) <= set(from_spec(text, values, name=name).leaves)


def test_write_leaves_the_table_its_hierarchies_and_a_job(tmp_path: Path) -> None:
    """The files hold what the Python API makes, table by table."""
    seen: list[int] = []
    folder = tmp_path / "new" / "hospital"
    paths = write_admissions(folder, 70_000, seed=5, progress=seen.append)
    assert tuple(path.name for path in paths) == FILES
    assert {path.name for path in folder.iterdir()} == {path.name for path in paths}
    assert pl.read_csv(paths[0], infer_schema=False).equals(admissions(70_000, seed=5).cast(pl.String))
    for path in paths[1:3]:
        assert json.loads(path.read_text("utf-8")) == admissions_hierarchies()[path.stem]
    assert paths[3].read_text("utf-8") == job_text()
    assert seen == [65_536, 4_464]


def test_write_keeps_what_is_there(tmp_path: Path) -> None:
    """A file of one of the names is replaced only when asked, and until then nothing is written."""
    (tmp_path / "job.toml").write_text("mine")
    with pytest.raises(TargetError, match=r"job\.toml"):
        write_admissions(tmp_path, 10, seed=1)
    assert [path.name for path in tmp_path.iterdir()] == ["job.toml"]
    write_admissions(tmp_path, 10, seed=1, overwrite=True)
    assert (tmp_path / "job.toml").read_text("utf-8") == job_text()


def test_failed_write_leaves_nothing(tmp_path: Path) -> None:
    """When writing stops halfway no file has its name, and no part of any stays."""

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(FileError, match="No space left"):
        write_admissions(tmp_path, 10, seed=1, progress=full)
    assert not [*tmp_path.iterdir()]


def test_the_job_says_what_columns_tell(tmp_path: Path) -> None:
    """The job beside the table gives each column its role, counts people, and asks for diverse diagnoses."""
    *_, path = write_admissions(tmp_path, 10, seed=1)
    job = of(document_at(path)).job
    assert {attribute.name: attribute.role.value for attribute in job.schema.attributes} == dict(ROLES)
    assert job.schema.person == "patient_id"
    assert [model.name for model in job.models] == [
        "5-anonymity",
        "distinct 2-diversity of ward",
        "distinct 2-diversity of diagnosis",
        "0.3-closeness of charge",
        "0.3-closeness of outcome",
    ]


def test_a_job_over_admissions_runs(tmp_path: Path) -> None:
    """`kohort generate admissions` and `kohort run` of its job leave a verified release, by prefixes and dates."""
    folder = tmp_path / "hospital"
    made = kohort("generate", "admissions", "--out", folder, "--records", 1_500, "--seed", 3, "--json")
    assert made.figures == {"files": [str(folder / name) for name in FILES], "records": 1_500, "seed": 3}
    ran = kohort("run", folder / "job.toml", "--json")
    assert ran.figures["verified"]
    release = pl.read_csv(folder / "release.csv", infer_schema=False)
    released = [name for name, role in ROLES.items() if role != "identifying"]
    assert release.columns == released
    quasi = [name for name in released if ROLES[name] == "quasi"]
    classes = release.group_by(quasi).agg(pl.len().alias("records"), pl.col("diagnosis").n_unique())
    assert len(classes) > 20
    assert (classes["records"] >= 5).all()
    assert (classes["diagnosis"] >= 2).all()
    assert release["postal_code"].str.contains(r"^(\d{5}|\d{4}\*|\d\d\*{3}|\d\*{4}|\*)$").all()
    assert release["birth_date"].str.contains(r"^(\d{4}-\d\d-\d\d|\d{4}|\d{3}0s|\*)$").all()
    assert release["admission_date"].str.contains(r"^(\d{4}(-\d\d(-\d\d)?|-Q[1-4])?|\*)$").all()
    again = kohort("check", folder / "release.csv", "--quasi", ",".join(quasi), "--k", 5, "--l", "diagnosis=2")
    assert again.status == 0


def test_the_command_keeps_what_is_there(tmp_path: Path) -> None:
    """A second run is refused with status 7 unless it may replace; then it writes the same bytes."""
    command = ("generate", "admissions", "--out", tmp_path, "--records", 50)
    assert f"wrote {tmp_path / 'job.toml'}\n" in kohort(*command).out
    before = (tmp_path / "admissions.csv").read_bytes()
    refused = kohort(*command, "--seed", 8)
    assert refused.status == 7
    assert "admissions.csv" in refused.err
    assert (tmp_path / "admissions.csv").read_bytes() == before
    assert kohort(*command, "--overwrite", "--quiet").out == ""
    assert (tmp_path / "admissions.csv").read_bytes() == before
