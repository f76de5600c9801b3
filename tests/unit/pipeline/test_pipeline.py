"""The whole path through the Python API: from a frame or a file to a verified release."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pandas as pd
import polars as pl
import pytest

import kohort
from kohort.engines.pipeline import anonymize, dry_run, save
from kohort.samples.italy import ROLES, italy
from tests.jobs import freely

if TYPE_CHECKING:
    from pathlib import Path

    from kohort.core.recoding import Multidimensional, RegionClasses
    from kohort.tables.coded import Recoded

SCHEMA = kohort.Schema(tuple(kohort.Attribute(name, kohort.Role(role)) for name, role in ROLES.items()))
JOB = freely(kohort.Job.of(SCHEMA, kohort.KAnonymity(5)))
QUASI = [attribute.name for attribute in SCHEMA.quasi]


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    """A small register."""
    return italy(500, seed=3)


def test_five_lines_from_frame_to_release(people: pl.DataFrame) -> None:
    """A frame goes in; the same kind comes out, k-anonymous, without identifiers, every other cell unchanged."""
    release = kohort.anonymize(people, JOB)
    safe = release.frame()
    assert isinstance(safe, pl.DataFrame)
    assert safe.columns == [attribute.name for attribute in SCHEMA.released]
    assert safe.group_by(QUASI).len()["len"].min() >= 5  # type: ignore[operator]  # an integer: there are records
    assert safe["annual_income"].dtype == people["annual_income"].dtype
    assert sorted(safe["annual_income"]) == sorted(people["annual_income"])
    assert release.verdict is not None
    assert release.verdict.smallest >= 5


def test_the_kind_of_frame_comes_back(people: pl.DataFrame) -> None:
    """A pandas frame gives pandas and Arrow gives Arrow, with the same cells as polars gives polars."""
    plain = kohort.anonymize(people, JOB).frame()
    assert isinstance(plain, pl.DataFrame)
    from_pandas = kohort.anonymize(people.to_pandas(), JOB).frame()
    assert isinstance(from_pandas, pd.DataFrame)
    assert pl.from_pandas(from_pandas).equals(plain)
    from_arrow = kohort.anonymize(cast("object", people.to_arrow()), JOB).frame()
    assert (type(from_arrow).__module__.partition(".")[0], type(from_arrow).__name__) == ("pyarrow", "Table")
    assert plain.equals(pl.DataFrame(cast("Any", from_arrow)))


def test_a_release_is_saved_with_its_certificate(people: pl.DataFrame, tmp_path: Path) -> None:
    """Saving verifies the bytes and leaves exactly two files, which name each other by digest."""
    release = save(kohort.anonymize(people, JOB), tmp_path / "safe.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["safe.csv", "safe.csv.kohort.json"]
    assert release.verdict is not None
    certificate = json.loads((tmp_path / "safe.csv.kohort.json").read_text())
    assert certificate["sha256"] == release.verdict.sha256
    assert release.path == tmp_path / "safe.csv"


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "parquet", "arrow"])
def test_every_format_carries_the_same_cells(people: pl.DataFrame, tmp_path: Path, ending: str) -> None:
    """Whatever the format, the release reads back as the cells that were verified, and meets k."""
    target = tmp_path / f"safe.{ending}"
    release = kohort.anonymize(people, JOB, target=target)
    again = kohort.anonymize(people, JOB)
    assert release.table.names == again.table.names
    from kohort.io import read  # noqa: PLC0415  under the name that this test uses

    read_back = read(target)
    assert kohort.check(read_back, QUASI, JOB.models).met
    assert read_back.records == 500


def test_file_to_file(people: pl.DataFrame, tmp_path: Path) -> None:
    """A CSV goes in and a verified CSV comes out, with the same bytes as from the frame of the same cells."""
    source = tmp_path / "people.csv"
    people.write_csv(source)
    kohort.anonymize(source, JOB, target=tmp_path / "a.csv")
    kohort.anonymize(people, JOB, target=tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_a_rehearsal_writes_nothing(people: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rehearsal costs what the release would, is not verified, and leaves no file."""
    monkeypatch.chdir(tmp_path)
    rehearsal = dry_run(people, JOB)
    assert rehearsal.verdict is None
    assert rehearsal.metrics == kohort.anonymize(people, JOB).metrics
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_replaced_unasked(people: pl.DataFrame, tmp_path: Path) -> None:
    """A file at the target stays as it is, unless it may be replaced."""
    target = tmp_path / "safe.csv"
    target.write_text("mine")
    with pytest.raises(kohort.TargetError):
        kohort.anonymize(people, JOB, target=target)
    assert target.read_text() == "mine"
    kohort.anonymize(people, JOB, target=target, overwrite=True)
    assert target.read_text().startswith("gender,")


def test_the_input_is_never_the_target(people: pl.DataFrame, tmp_path: Path) -> None:
    """A release does not replace the table it was made of, even when asked to."""
    source = tmp_path / "people.csv"
    people.write_csv(source)
    before = source.read_bytes()
    with pytest.raises(kohort.TargetError):
        kohort.anonymize(source, JOB, target=source, overwrite=True)
    assert source.read_bytes() == before


def test_what_fails_verification_is_not_published(
    people: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the engine loses a record, the verifier stops the release and nothing appears."""
    from kohort.tables import coded  # noqa: PLC0415  the module that this test breaks

    honest = coded.CodedTable.recode

    def losing(self: coded.CodedTable, recoding: Multidimensional, classes: RegionClasses) -> Recoded:
        recoded = honest(self, recoding, classes)
        columns = tuple(
            type(column)(column.name, column.values, column.codes[:-1], column.dtype)
            for column in recoded.table.columns
        )
        fewer = type(recoded.table)(columns, recoded.table.records - 1)
        return replace(recoded, data=fewer, lineage=recoded.lineage[:-1])

    monkeypatch.setattr(coded.CodedTable, "recode", losing)
    with pytest.raises(kohort.VerificationError):
        kohort.anonymize(people, JOB, target=tmp_path / "safe.csv")
    assert list(tmp_path.iterdir()) == []


def test_too_few_records_are_infeasible() -> None:
    """Fewer than k records have no release."""
    with pytest.raises(kohort.InfeasibleError):
        kohort.anonymize(italy(4, seed=1), JOB)


def test_every_column_needs_a_role(people: pl.DataFrame) -> None:
    """A column without a role stops the run with a block to paste."""
    schema = kohort.Schema.of(quasi=["age"], sensitive=["annual_income"])
    with pytest.raises(kohort.SchemaError, match="person_id") as caught:
        kohort.anonymize(people, freely(kohort.Job.of(schema, kohort.KAnonymity(5))))
    assert "[columns.person_id]" in caught.value.hint


def test_a_job_without_models_is_refused() -> None:
    """A job that promises nothing is not a job."""
    with pytest.raises(kohort.UsageError):
        freely(kohort.Job.of(SCHEMA))


def test_stages_are_told_in_order(people: pl.DataFrame, tmp_path: Path) -> None:
    """Whoever listens hears every stage once, and each has its seconds."""
    heard: list[str] = []
    release = anonymize(people, JOB, target=tmp_path / "safe.csv", on_progress=heard.append)
    assert heard == ["read", "count", "solve", "recode", "write", "verify"]
    assert list(release.seconds) == heard


def test_missing_ages_stay_apart_where_they_can() -> None:
    """Records without an age are a class of their own where k share that, and do not cost the youngest their age."""
    people = pl.DataFrame({"age": ["18", "18", "", "", "30", "31"], "illness": list("abcdef")})
    job = freely(kohort.Job.of(kohort.Schema.of(quasi=["age"], sensitive=["illness"]), kohort.KAnonymity(2)))
    safe = kohort.anonymize(people, job).frame()
    assert isinstance(safe, pl.DataFrame)
    assert safe["age"].to_list() == ["", "", "18", "18", "[30-31]", "[30-31]"]
