"""Releases written to folders of Parquet, and what a target may be."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

import kohort
from kohort.cli import main
from kohort.engines import pipeline
from kohort.engines.outlets import written_as
from kohort.errors import FileError, TargetError, UsageError, VerificationError
from kohort.io.forms import Format
from kohort.release.job import Writing

if TYPE_CHECKING:
    from kohort.verify.verdict import Verdict

PEOPLE = pl.DataFrame({"age": [36, 36, 41, 41], "zip": ["00118", "00118", "00119", "00119"]})


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a table in it."""
    monkeypatch.chdir(tmp_path)
    PEOPLE.write_parquet("people.parquet")
    return tmp_path


def job() -> kohort.Job:
    """Two people of the same age and postal code."""
    quasi = tuple(kohort.Attribute(name, kohort.Role.QUASI) for name in PEOPLE.columns)
    return kohort.Job(kohort.Schema(quasi), (kohort.KAnonymity(2),))


def test_a_release_goes_into_a_folder() -> None:
    """A new folder has one part; its certificate stands beside it and can be checked."""
    release = kohort.anonymize("people.parquet", job(), target="release/")
    assert sorted(str(path) for path in Path().rglob("*")) == [
        "people.parquet",
        "release",
        "release.kohort.json",
        "release/part-0.parquet",
    ]
    assert pl.read_parquet("release/")["zip"].sort().to_list() == PEOPLE["zip"].to_list()
    assert kohort.read("release/").records == 4
    assert release.certificate == Path("release.kohort.json")
    assert main(["check", "release/", "--certificate", "release.kohort.json", "--quiet"]) == 0
    assert main(["metadata", "release.kohort.json", "--format", "frictionless", "--out", "package.json"]) == 0
    PEOPLE.head(3).write_parquet("release/part-0.parquet")
    assert main(["check", "release", "--certificate", "release.kohort.json", "--quiet"]) == 1


def test_a_job_file_names_a_folder(tmp_path: Path) -> None:
    """A folder is relative to the job file; its release is replaced only if asked, and its page made from the job."""
    (tmp_path / "jobs").mkdir()
    text = '[input]\npath = "../people.parquet"\n[output]\npath = "release/"\n'
    Path("jobs/job.toml").write_text(text + '[privacy]\nk = 2\n[columns]\nage.role = "quasi"\nzip.role = "drop"\n')
    assert main(["run", "jobs/job.toml", "--quiet"]) == 0
    assert Path("jobs/release/part-0.parquet").is_file()
    assert main(["run", "jobs/job.toml", "--quiet"]) == 7
    assert main(["run", "jobs/job.toml", "--quiet", "--overwrite"]) == 0
    assert main(["report", "jobs/job.toml", "--out", "page.json", "--quiet"]) == 0


def test_folders_of_something_else() -> None:
    """A folder of other files, a file, the folder that is read, and another format are refused."""
    Path("other").mkdir()
    Path("other/part-1.parquet").write_bytes(b"")
    with pytest.raises(TargetError, match="holds other files"):
        kohort.anonymize(PEOPLE, job(), target="other/", overwrite=True)
    with pytest.raises(TargetError, match="is a file, not a folder"):
        kohort.anonymize(PEOPLE, job(), target="people.parquet/")
    kohort.anonymize(PEOPLE, job(), target="release/")
    with pytest.raises(TargetError, match="the output exists"):
        kohort.anonymize(PEOPLE, job(), target="release/")
    with pytest.raises(TargetError, match="an input of the same run"):
        kohort.anonymize("release", job(), target="release/", overwrite=True)
    kohort.anonymize("release/", job(), target="other.csv")
    with pytest.raises(UsageError, match="a folder is written as Parquet or CSV"):
        written_as("release/", Writing(Format.TSV))
    assert written_as("release/", Writing(Format.PARQUET)) == "parquet"


def test_a_folder_that_nothing_was_published_to_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where verification fails no new folder stays; one that was there does; one that cannot be made is said."""

    def refused(*_: object, **__: object) -> Verdict:
        raise VerificationError("no")

    monkeypatch.setattr("kohort.engines.local.verify", refused)
    for there in (False, True):
        if there:
            Path("release").mkdir()
        with pytest.raises(VerificationError):
            kohort.anonymize(PEOPLE, job(), target="release/")
        assert [path.name for path in Path().glob("release*")] == ["release"] * there
    monkeypatch.undo()
    release = kohort.anonymize(PEOPLE, job())
    with pytest.raises(FileError, match="creating the folder"):
        pipeline.save(release, "absent/release/")
